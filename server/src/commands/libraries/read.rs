//! `libraries search` and `docs`: the same results that agents get, for people.

use std::sync::Arc;

use clap::Args;
use recall_kit_core::app::App;
use recall_kit_libraries::{
    self as libraries, DocsInput, Libraries, validate_docs, validate_library_name, version_named,
};
use recall_kit_shared_types::libraries::{
    EmbeddingProgress, LibraryDocsData, LibraryDocument, LibraryMatch,
    library_limits::{MAX_PAGE, MAX_TOKENS, MIN_TOKENS},
};
use serde_json::json;

use super::{described, eprint, named, print, print_json};
use crate::{
    commands::table::{table, visible},
    database_args::DatabaseArgs,
};

/// The indentation of a text below its title. *Unit*: columns.
const INDENT: usize = 2;

/// Flags of `libraries search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// A library's name, part of one, or what the library is for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `libraries docs`.
#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// The library's name
    #[arg(value_name = "NAME")]
    library: String,
    /// What to read about; several topics are separated by commas
    #[arg(required = true, value_name = "TOPIC")]
    topic: Vec<String>,
    /// Only this version [default: every version]
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Only examples (code) or explanations (info) [default: both]
    #[arg(long, value_parser = ["code", "info"])]
    mode: Option<String>,
    /// Which page of ten, 1 to 10
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PAGE)))]
    page: u32,
    /// Most cl100k tokens of a page, 200 to 20000 [default: 2000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(i64::from(MIN_TOKENS)..=i64::from(MAX_TOKENS)))]
    max_tokens: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Finds libraries.
pub(super) async fn search(args: &SearchArgs) -> anyhow::Result<()> {
    let name = validate_library_name(Some(args.query.join(" "))).map_err(described)?;
    let app = App::open(args.database.load()?).await?;
    let found = libraries::search(&Libraries::new(Arc::clone(&app)), name.as_deref()).await;
    app.store.close().await;
    let found = found.map_err(described)?;
    if args.json {
        return print_json(&found);
    }
    if found.libraries.is_empty() {
        eprint(
            "no library matches; `recall-kit-server libraries list` shows all, `recall-kit-server ingest NAME \
             SOURCE` adds one",
        );
        return Ok(());
    }
    let row = |one: &LibraryMatch| {
        [
            one.name.clone(),
            format!("{:.2}", one.score),
            one.default_version.clone(),
            one.snippets.to_string(),
            one.description.clone(),
        ]
    };
    let rows: Vec<[String; 5]> = found.libraries.iter().map(row).collect();
    let head = ["NAME", "SCORE", "DEFAULT", "SNIPPETS", "DESCRIPTION"];
    Ok(print(&table(head, &rows))?)
}

/// Reads documentation.
pub(super) async fn docs(args: &DocsArgs) -> anyhow::Result<()> {
    let app = App::open(args.database.load()?).await?;
    let answer = async {
        let library = named(app.store.as_ref(), &args.library).await?;
        if let Some(version) = &args.version {
            version_named(&library, version).map_err(described)?;
        }
        let query = validate_docs(DocsInput {
            topic: Some(args.topic.join(" ")),
            library: Some(json!(library.id)),
            version: args.version.clone(),
            mode: args.mode.clone(),
            page: Some(json!(args.page)),
            max_tokens: args.max_tokens.map(|most| json!(most)),
        });
        let query = query.map_err(described)?;
        let answer = libraries::docs(&Libraries::new(Arc::clone(&app)), query)
            .await
            .map_err(described)?;
        Ok::<_, anyhow::Error>((library.name, answer))
    };
    let answer = answer.await;
    app.store.close().await;
    let (library, answer) = answer?;
    if args.json {
        return print_json(&answer);
    }
    show(&library, &answer)
}

fn show(library: &str, answer: &LibraryDocsData) -> anyhow::Result<()> {
    let LibraryDocsData {
        documents,
        page,
        has_more,
        embedding_progress,
        ..
    } = answer;
    if documents.is_empty() {
        let library = visible(library);
        eprint(&match page {
            1 => format!("nothing about this in {library}; try other words"),
            _ => format!("nothing more about this in {library}"),
        });
        return Ok(());
    }
    let documents: Vec<String> = documents.iter().map(text_of).collect();
    print(&documents.join("\n\n"))?;
    if *has_more {
        eprint(&format!("more with --page {}", page + 1));
    }
    if let Some(EmbeddingProgress { embedded, total }) = embedding_progress {
        eprint(&format!(
            "{embedded} of {total} chunks have vectors; the others are found only by their words"
        ));
    }
    Ok(())
}

/// Returns a document for a terminal: its title, its source, its text.
fn text_of(document: &LibraryDocument) -> String {
    let mut lines = vec![
        visible(&document.title),
        format!(
            "{:INDENT$}{} · {} · {} · {:.2}",
            "",
            visible(&document.version),
            visible(&document.source),
            document.mode.as_str(),
            document.relevance
        ),
    ];
    for text in [&document.description, &document.content, &document.code] {
        let Some(text) = text.as_ref().filter(|text| !text.trim().is_empty()) else {
            continue;
        };
        lines.push(String::new());
        let indented = text.trim_end().lines().map(|line| {
            let line = visible(&line.replace('\t', "    "));
            format!("{:INDENT$}{line}", "").trim_end().to_owned()
        });
        lines.extend(indented);
    }
    lines.join("\n")
}
