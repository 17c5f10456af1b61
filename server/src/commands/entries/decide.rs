//! `entries review`: lists pending suggestions, and accepts or rejects one.

use std::sync::Arc;

use clap::Args;
use recall_kit_core::{access::Caller, app::App, knowledge::suggestions};
use recall_kit_shared_types::knowledge::EntryName;
use serde_json::json;

use super::{described, print_json};
use crate::{
    commands::{
        eprint, print,
        table::{table, visible},
    },
    database_args::DatabaseArgs,
};

/// Flags of `entries review`.
#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Accept the suggestion with this id
    #[arg(long, value_name = "ID", conflicts_with = "reject")]
    accept: Option<String>,
    /// Reject the suggestion with this id, for good
    #[arg(long, value_name = "ID")]
    reject: Option<String>,
    /// How many of each kind at most, 1 to 50
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=50))]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

pub(super) async fn review(app: &Arc<App>, args: &ReviewArgs) -> anyhow::Result<()> {
    match (&args.accept, &args.reject) {
        (Some(id), _) => accept(app, id, args.json).await,
        (None, Some(id)) => {
            let rejected = suggestions::reject(&app.knowledge, &Caller::local(), id)
                .await
                .map_err(described)?;
            if args.json {
                return print_json(&rejected);
            }
            eprint("rejected; it will not be suggested again");
            Ok(())
        }
        (None, None) => list(app, args).await,
    }
}

async fn accept(app: &Arc<App>, id: &str, as_json: bool) -> anyhow::Result<()> {
    let accepted = suggestions::accept(&app.knowledge, &Caller::local(), id)
        .await
        .map_err(described)?;
    if as_json {
        return print_json(&accepted);
    }
    eprint(&accepted.action_taken);
    match accepted.generalize_command {
        Some(command) => Ok(print(&command)?),
        None => Ok(()),
    }
}

async fn list(app: &Arc<App>, args: &ReviewArgs) -> anyhow::Result<()> {
    let links = suggestions::pending_links(&app.knowledge, &Caller::local(), args.limit).await;
    let links = links.map_err(described)?;
    let generalizations =
        suggestions::pending_generalizations(&app.knowledge, &Caller::local(), args.limit).await;
    let generalizations = generalizations.map_err(described)?;
    if args.json {
        return print_json(&json!({ "links": links, "generalizations": generalizations }));
    }
    let mut rows: Vec<[String; 5]> = Vec::new();
    for one in &links.suggestions {
        let entries = titles(&[one.entry_a.clone(), one.entry_b.clone()]);
        let score = format!("{:.2}", one.score);
        rows.push([
            one.id.clone(),
            "link".to_owned(),
            score,
            entries,
            one.reason.clone(),
        ]);
    }
    for one in &generalizations.suggestions {
        let score = format!("{:.2}", one.score);
        let entries = titles(&one.entries);
        rows.push([
            one.id.clone(),
            "generalize".to_owned(),
            score,
            entries,
            one.reason.clone(),
        ]);
    }
    if rows.is_empty() {
        eprint("no suggestions are pending");
        return Ok(());
    }
    print(&table(["ID", "KIND", "SCORE", "ENTRIES", "WHY"], &rows))?;
    let pending = links.total_pending + generalizations.total_pending;
    eprint(&format!(
        "{} of {pending}; decide with --accept ID or --reject ID",
        rows.len()
    ));
    Ok(())
}

fn titles(entries: &[EntryName]) -> String {
    let titles = entries.iter().map(|entry| visible(&entry.title));
    titles.collect::<Vec<_>>().join(" + ")
}
