//! Which tool the built-in model puts first for everyday tasks: each task is a query, each tool's description a
//! passage. This says whether the descriptions tell the tools apart, not what an agent does.
//!
//! ```console
//! cargo run --release -p recall-kit-tools --example choose_tool -- tests/data/tool_choice.jsonl
//! ```
//!
//! Each line of the file is `{"from", "task", "right": [NAME…]}`. With a second argument, `core`, only the tools of
//! that profile compete.

use std::{env, fs, sync::Arc};

use anyhow::{Context as _, bail};
use recall_kit_core::{access::Caller, app::App};
use recall_kit_embed::{BuiltinEmbedder, Embedder};
use recall_kit_libraries::Libraries;
use recall_kit_mcp::tools::{Features, ToolDef};
use recall_kit_settings::{EmbeddingProvider, Settings, ToolProfile};
use serde::Deserialize;

#[derive(Deserialize)]
struct Task {
    from: String,
    task: String,
    right: Vec<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().context("give the file with the tasks")?;
    let profile = match arguments.next().as_deref() {
        None => ToolProfile::Full,
        Some("core") => ToolProfile::Core,
        Some(other) => bail!("`{other}` is no profile; give `core` or nothing"),
    };
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let tasks = text.lines().map(serde_json::from_str);
    let tasks: Vec<Task> = tasks.collect::<Result<_, _>>()?;
    let folder = tempfile::tempdir()?;
    let features = features(folder.path(), profile).await?;
    let list = features.tools_for(&Caller::local());
    let tools: Vec<&ToolDef> = list.listed().collect();
    let embedder = BuiltinEmbedder::new();
    let mut passages = Vec::new();
    for tool in &tools {
        passages.push(embedder.embed_record(&tool.description).await?);
    }
    let mut right = 0;
    for task in &tasks {
        let query = embedder.embed_query(&task.task).await?;
        let mut ranked: Vec<(f32, &str)> = passages
            .iter()
            .zip(&tools)
            .map(|(passage, tool)| (cosine(&query, passage), tool.name.as_str()))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let is_right = |name: &str| task.right.iter().any(|right| right == name);
        let (score, first) = ranked.first().copied().context("there are no tools")?;
        let mark = if is_right(first) { "ok  " } else { "MISS" };
        right += usize::from(is_right(first));
        println!("{mark} {first:26} {score:.3}  {}: {}", task.from, task.task);
        if !is_right(first) {
            for (score, name) in ranked.iter().take(4) {
                println!("       {name:26} {score:.3}");
            }
        }
    }
    println!("{right} of {} right", tasks.len());
    Ok(())
}

/// Opens a server's features in an empty folder.
async fn features(folder: &std::path::Path, profile: ToolProfile) -> anyhow::Result<Arc<Features>> {
    let mut settings = Settings {
        data_dir: Some(folder.to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    settings.tools.profile = profile;
    let app = App::open(settings).await?;
    Ok(Features::new(Libraries::new(app)))
}

/// Returns the cosine of two normalised vectors.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
