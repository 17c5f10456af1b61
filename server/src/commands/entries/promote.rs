//! `entries promote`: creates an entry from an experience.

use std::sync::Arc;

use clap::Args;
use recall_kit_core::{access::Caller, app::App, knowledge::entries, validation::AddInput};
use serde_json::json;

use super::{described, print_json};
use crate::{
    commands::{eprint, print, table::visible},
    database_args::DatabaseArgs,
};

/// Flags of `entries promote`.
#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    /// The experience's id, or at least its first 13 characters
    experience: String,
    /// bug, pattern, decision, pitfall, config or reference
    #[arg(long, value_name = "TYPE", default_value = "bug")]
    r#type: String,
    /// What it is about, in at most 100 characters [default: the experience's title]
    #[arg(long)]
    title: Option<String>,
    /// Tags, separated by commas [default: the experience's keywords]
    #[arg(long, value_delimiter = ',')]
    tags: Option<Vec<String>>,
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

pub(super) async fn promote(app: &Arc<App>, args: &PromoteArgs) -> anyhow::Result<()> {
    let input = AddInput {
        kind: Some(args.r#type.clone()),
        title: args.title.clone(),
        tags: args.tags.clone(),
        project: args.project.clone(),
        confidence: args.confidence.map(|confidence| json!(confidence)),
        memory_type: args.memory_type.clone(),
        ..AddInput::default()
    };
    let promoted =
        entries::promote(&app.knowledge, &Caller::local(), &args.experience, input).await;
    let promoted = promoted.map_err(described)?;
    if args.json {
        return print_json(&promoted);
    }
    for note in &promoted.notes {
        eprint(note);
    }
    let title = visible(&promoted.entry.title);
    eprint(&match promoted.created {
        true => format!("promoted to '{title}'"),
        false => format!("was promoted already, to '{title}'; nothing was changed"),
    });
    Ok(print(&promoted.entry.id)?)
}
