//! `entries show`, `search` and `stale`: reading entries.

use std::sync::Arc;

use clap::Args;
use recall_kit_core::{
    access::Caller,
    app::App,
    knowledge::{
        entries::{self, Reading},
        stale::{self, StaleEntry},
    },
    validation::{SearchInput, validate_search},
};
use recall_kit_shared_types::knowledge::EntryData;
use serde_json::json;

use super::{described, print_json};
use crate::{
    commands::{
        eprint, print,
        table::{table, visible},
    },
    database_args::DatabaseArgs,
};

/// How many characters of a hash are shown.
const HASH_CHARS: usize = 12;

/// Flags of `entries show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The entry's id, or at least its first 5 characters
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Flags of `entries search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true)]
    text: Vec<String>,
    /// Only entries of this type: bug, pattern, decision, pitfall, config or reference
    #[arg(long, value_name = "TYPE")]
    r#type: Option<String>,
    /// Only entries of this project
    #[arg(long)]
    project: Option<String>,
    /// How many at most, 1 to 20 [default: 5]
    #[arg(long)]
    limit: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Flags of `entries stale`.
#[derive(Debug, Args)]
pub(crate) struct StaleArgs {
    /// For how many days they were not shown
    #[arg(long, default_value_t = 90)]
    days: u32,
    /// How many at most
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

pub(super) async fn one(app: &Arc<App>, args: &ShowArgs) -> anyhow::Result<()> {
    let entry = entries::show(
        &app.knowledge,
        &Caller::local(),
        (&args.id, Reading::Opening),
    )
    .await
    .map_err(described)?;
    match args.json {
        true => print_json(&entry),
        false => Ok(print(&page(&entry))?),
    }
}

/// Returns the text of an entry for a terminal: its fields, its links and its content.
fn page(entry: &EntryData) -> String {
    let mut lines = vec![visible(&entry.title)];
    let mut field = |name: &str, value: String| lines.push(format!("  {name:<11} {value}"));
    field("id", entry.id.clone());
    field(
        "type",
        format!("{}, {}, {}", entry.r#type, entry.memory_type, entry.status),
    );
    field("confidence", format!("{} of 5", entry.confidence));
    if let Some(project) = &entry.project {
        field("project", visible(project));
    }
    if !entry.tags.is_empty() {
        field("tags", visible(&entry.tags.join(", ")));
    }
    field("created", entry.created_at.clone());
    field(
        "remembered",
        format!(
            "{:.2}, shown {} times before",
            entry.consolidation_score, entry.access_count
        ),
    );
    for link in &entry.links.outgoing {
        let to = format!(
            "{} {} {}",
            link.relation_type,
            link.target_id,
            visible(&link.target_title)
        );
        field("link to", to);
    }
    for link in &entry.links.incoming {
        let from = format!(
            "{} {} {}",
            link.relation_type,
            link.source_id,
            visible(&link.source_title)
        );
        field("link from", from);
    }
    for file in &entry.citations {
        let short: String = file.sha256.chars().take(HASH_CHARS).collect();
        field("cites", format!("{} ({short}…)", visible(&file.path)));
    }
    if let Some(neighbours) = &entry.neighbours {
        for (name, others) in [("before", &neighbours.before), ("after", &neighbours.after)] {
            for other in others {
                field(name, format!("{} {}", other.id, visible(&other.title)));
            }
        }
    }
    for (name, other) in [
        ("made from", &entry.promoted_from),
        ("promoted to", &entry.promoted_to),
    ] {
        if let Some(other) = other {
            field(name, format!("{} {}", other.id, visible(&other.title)));
        }
    }
    if !entry.content.trim().is_empty() {
        lines.push(String::new());
        lines.extend(entry.content.trim_end().lines().map(visible));
    }
    lines.join("\n")
}

pub(super) async fn search(app: &Arc<App>, args: &SearchArgs) -> anyhow::Result<()> {
    let search = validate_search(SearchInput {
        query: Some(args.text.join(" ")),
        kind: args.r#type.clone(),
        project: args.project.clone(),
        limit: args.limit.map(|limit| json!(limit)),
        ..SearchInput::default()
    });
    let found = entries::search(&app.knowledge, &Caller::local(), search.map_err(described)?).await;
    let found = found.map_err(described)?;
    if args.json {
        return print_json(&found);
    }
    if found.results.is_empty() {
        eprint("nothing relevant is stored");
        return Ok(());
    }
    let rows: Vec<[String; 5]> = found
        .results
        .iter()
        .map(|one| {
            let by = one.superseded_by.as_ref();
            let by = by.map(|id| format!(" (superseded by {id})"));
            [
                one.id.clone(),
                one.r#type.to_string(),
                format!("{:.2}", one.score),
                format!("{}{}", one.title, by.unwrap_or_default()),
                one.tags.join(", "),
            ]
        })
        .collect();
    print(&table(["ID", "TYPE", "SCORE", "TITLE", "TAGS"], &rows))?;
    eprint(&format!("{} of {}", found.results.len(), found.total));
    Ok(())
}

pub(super) async fn stale(app: &Arc<App>, args: &StaleArgs) -> anyhow::Result<()> {
    let entries = stale::stale(&app.knowledge, &Caller::local(), args.days, args.limit)
        .await
        .map_err(described)?;
    if args.json {
        return print_json(&entries);
    }
    if entries.is_empty() {
        eprint(&format!(
            "every active entry was shown in the last {} days",
            args.days
        ));
        return Ok(());
    }
    let row = |one: &StaleEntry| {
        [
            one.id.clone(),
            one.r#type.to_string(),
            one.last_accessed
                .clone()
                .unwrap_or_else(|| "never".to_owned()),
            format!("{:.2}", one.consolidation_score),
            one.title.clone(),
        ]
    };
    let rows: Vec<[String; 5]> = entries.iter().map(row).collect();
    let head = ["ID", "TYPE", "LAST SHOWN", "REMEMBERED", "TITLE"];
    Ok(print(&table(head, &rows))?)
}
