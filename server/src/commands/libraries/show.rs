//! `libraries show`: shows a library with its versions, or the changes between two versions.

use clap::Args;
use recall_kit_libraries::{
    compare::{Changes, FileChange, compare},
    version_named,
};
use recall_kit_store::{Library, LibraryVersion, Store};
use serde_json::json;

use super::{day, described, json_of, named, print, print_json};
use crate::{
    commands::table::{table, visible},
    database_args::DatabaseArgs,
};

/// The most titles that are named for one file.
const TITLES: usize = 10;

/// Flags of `libraries show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The library's name
    #[arg(value_name = "NAME")]
    library: String,
    /// One version; with --since the one that is compared [default: the default version]
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Show which files are new, changed or gone since this version
    #[arg(long, value_name = "VERSION")]
    since: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

pub(super) async fn one(store: &dyn Store, args: &ShowArgs) -> anyhow::Result<()> {
    let mut library = named(store, &args.library).await?;
    let selected = args.version.as_deref();
    let find = |name: &str| version_named(&library, name).cloned().map_err(described);
    if let Some(since) = &args.since {
        let old = find(since)?;
        let new = find(selected.unwrap_or(&library.default_version))?;
        let changes = compare(store, &old, &new).await?;
        return print_changes(&library, (&old, &new), &changes, args.json);
    }
    if let Some(selected) = selected {
        library.versions = vec![find(selected)?];
    }
    match args.json {
        true => print_json(&json_of(&library)),
        false => Ok(print(&text(&library))?),
    }
}

fn text(library: &Library) -> String {
    let mut text = format!("{} (library {})", visible(&library.name), library.id);
    if !library.description.is_empty() {
        text.push_str(&format!("\n{}", visible(&library.description)));
    }
    let row = |version: &LibraryVersion| {
        let mark = match version.version == library.default_version {
            true => " (default)",
            false => "",
        };
        let commit = version.revision.as_ref().map(|id| id.chars().take(12));
        let commit =
            commit.map_or_else(String::new, |id| format!(" at {}", id.collect::<String>()));
        [
            format!("{}{mark}", version.version),
            version.files.to_string(),
            version.chunks.to_string(),
            version.tokens.to_string(),
            day(version.ingested_at),
            format!("{}{commit}", version.source),
        ]
    };
    let head = [
        "VERSION", "FILES", "SNIPPETS", "TOKENS", "INGESTED", "SOURCE",
    ];
    let rows: Vec<[String; 6]> = library.versions.iter().map(row).collect();
    format!("{text}\n\n{}", table(head, &rows))
}

fn print_changes(
    library: &Library,
    (old, new): (&LibraryVersion, &LibraryVersion),
    changes: &Changes,
    as_json: bool,
) -> anyhow::Result<()> {
    if as_json {
        let mut answer = json!(changes);
        answer["library"] = json!(library.name);
        answer["since"] = json!(old.version);
        answer["version"] = json!(new.version);
        return print_json(&answer);
    }
    let Changes {
        added,
        changed,
        gone,
        same,
    } = changes;
    let mut lines = vec![format!(
        "{} {} since {}: {} files new, {} changed, {} gone, {same} the same",
        visible(&library.name),
        visible(&new.version),
        visible(&old.version),
        added.len(),
        changed.len(),
        gone.len()
    )];
    for (mark, files) in [("+", added), ("~", changed)] {
        for file in files {
            lines.extend(lines_of(mark, file));
        }
    }
    lines.extend(gone.iter().map(|path| format!("- {}", visible(path))));
    Ok(print(&lines.join("\n"))?)
}

/// Returns the lines about a file: its path, and below it the titles that are new in it.
fn lines_of(mark: &str, file: &FileChange) -> Vec<String> {
    let mut lines = vec![format!("{mark} {}", visible(&file.path))];
    let titles = file.titles.iter().take(TITLES);
    lines.extend(titles.map(|title| format!("    {}", visible(title))));
    if file.titles.len() > TITLES {
        lines.push(format!("    and {} more", file.titles.len() - TITLES));
    }
    lines
}
