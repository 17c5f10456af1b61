//! `entries add`, `entries link` and `generalize`: changing the knowledge base.

use std::{fs, io::Read as _, path::PathBuf, sync::Arc};

use anyhow::Context as _;
use clap::Args;
use recall_kit_core::{
    access::Caller,
    app::App,
    knowledge::{entries, generalize as generalization, links},
    validation::{AddInput, validate_add, validate_relation},
};
use serde_json::json;

use super::{described, print_json};
use crate::{
    commands::{eprint, print, table::visible},
    database_args::DatabaseArgs,
};

/// The most bytes of a text that are read: one more than an entry may have, so that a longer text is
/// rejected as too long.
const MAX_READ: u64 = 1_000_001;

/// Flags of `entries add`.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// What it is about, in at most 100 characters
    #[arg(long)]
    title: String,
    /// bug, pattern, decision, pitfall, config or reference
    #[arg(long, value_name = "TYPE")]
    r#type: String,
    /// Its text, as Markdown
    #[arg(long, conflicts_with = "file")]
    content: Option<String>,
    /// A file with its text; - is standard input
    #[arg(long)]
    file: Option<PathBuf>,
    /// Tags, separated by commas
    #[arg(long, value_delimiter = ',')]
    tags: Vec<String>,
    /// The project it belongs to
    #[arg(long)]
    project: Option<String>,
    /// How certain it is, 0 to 5 [default: 3]
    #[arg(long)]
    confidence: Option<u8>,
    /// episodic (it happened) or semantic (it holds in general) [default: episodic]
    #[arg(long, value_name = "MEMORY")]
    memory_type: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Flags of `entries link`.
#[derive(Debug, Args)]
pub(crate) struct LinkArgs {
    /// Where the link starts: an id, or at least its first 5 characters
    source: String,
    /// Where it ends
    target: String,
    /// related, supersedes (the target becomes obsolete), derived_from or contradicts
    #[arg(long, default_value = "related", value_name = "RELATION")]
    relation: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Flags of `generalize`.
#[derive(Debug, Args)]
pub(crate) struct GeneralizeArgs {
    /// The episodic entries, by their ids or at least 5 characters of each
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The new entry's title [default: the most descriptive of theirs]
    #[arg(long)]
    title: Option<String>,
    /// Show the draft and store nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

pub(super) async fn add(app: &Arc<App>, args: &AddArgs) -> anyhow::Result<()> {
    let content = match &args.file {
        Some(file) => Some(text_of(file)?),
        None => args.content.clone(),
    };
    let addition = validate_add(AddInput {
        kind: Some(args.r#type.clone()),
        title: Some(args.title.clone()),
        content,
        tags: Some(args.tags.clone()),
        context: None,
        project: args.project.clone(),
        confidence: args.confidence.map(|confidence| json!(confidence)),
        memory_type: args.memory_type.clone(),
        ..AddInput::default()
    });
    let added = entries::add(
        &app.knowledge,
        &Caller::local(),
        addition.map_err(described)?,
    )
    .await;
    let added = added.map_err(described)?;
    if args.json {
        return print_json(&added);
    }
    for note in &added.notes {
        eprint(note);
    }
    for similar in &added.similar_entries {
        let title = visible(&similar.title);
        eprint(&format!(
            "similar ({:.2}): {} {title}",
            similar.score, similar.id
        ));
    }
    Ok(print(&added.id)?)
}

fn text_of(file: &PathBuf) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().take(MAX_READ).read_to_string(&mut text),
        _ => fs::File::open(file).and_then(|file| file.take(MAX_READ).read_to_string(&mut text)),
    };
    read.with_context(|| format!("cannot read {}", file.display()))?;
    Ok(text)
}

pub(super) async fn link(app: &Arc<App>, args: &LinkArgs) -> anyhow::Result<()> {
    let relation = validate_relation(Some(args.relation.clone())).map_err(described)?;
    let linked = links::link(
        &app.knowledge,
        &Caller::local(),
        (&args.source, &args.target),
        relation,
    )
    .await;
    let linked = linked.map_err(described)?;
    if args.json {
        return print_json(&linked);
    }
    let (source, target) = (visible(&linked.source.title), visible(&linked.target.title));
    eprint(&format!("{source}: {relation}: {target}"));
    Ok(print(&linked.link_id)?)
}

pub(super) async fn generalize(app: &Arc<App>, args: &GeneralizeArgs) -> anyhow::Result<()> {
    let draft = generalization::draft(
        &app.knowledge,
        &Caller::local(),
        &args.ids,
        args.title.clone(),
    )
    .await;
    let draft = draft.map_err(described)?;
    let stored = match args.dry_run {
        true => None,
        false => Some(
            generalization::store(&app.knowledge, &Caller::local(), &draft)
                .await
                .map_err(described)?,
        ),
    };
    let (content, sources) = (&draft.content, &draft.sources);
    if let Some(failure) = &draft.failure {
        eprint(&format!(
            "{failure}; the draft is created by extraction instead"
        ));
    }
    if args.json {
        return print_json(&json!({
            "id": stored.map(|id| id.to_string()),
            "created": stored.is_some(),
            "draft_by": draft.model.as_deref().unwrap_or("extraction"),
            "type": content.kind,
            "title": content.title,
            "content": content.content,
            "tags": content.tags,
            "project": content.project,
            "confidence": content.confidence,
            "memory_type": content.memory_type,
            "derived_from": sources,
        }));
    }
    match (&draft.model, &draft.failure) {
        (Some(model), _) => eprint(&format!(
            "the draft is written by {model}; read it before use"
        )),
        (None, None) => {
            eprint(
                "the draft is created by extraction: sentences of the entries, without a language model",
            );
        }
        (None, Some(_)) => {}
    }
    match stored {
        Some(id) => {
            eprint(&format!("stored, derived from {} entries", sources.len()));
            Ok(print(&id.to_string())?)
        }
        None => {
            eprint("nothing is stored; omit --dry-run to store it");
            let text = content.content.lines().map(visible).collect::<Vec<_>>();
            Ok(print(&format!(
                "{}\n\n{}",
                visible(&content.title),
                text.join("\n")
            ))?)
        }
    }
}
