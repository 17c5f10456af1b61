//! Measures whether ingested documentation is found: queries sections by their first sentence and by a
//! rephrased heading, and counts how often the section is among the first five answers.
//!
//! `cargo run --release -p recall-kit-tools --example eval_libraries -- DATA_DIR [SECTIONS [LIBRARY...]]`
//! measures without vectors, and then with those in the database. `docs/design/libraries.md` has the figures.

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it measured"
)]

mod rephrase;
mod sections;

use std::{path::Path, sync::Arc};

use anyhow::Context as _;
use recall_kit_core::app::App;
use recall_kit_libraries::{DocsQuery, Libraries, docs};
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_shared_types::libraries::{DocsMode, LibraryDocument, library_limits};

use crate::sections::{Examples, Section};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of first answers that must include the right one.
const FIRST: usize = 5;
const SECTIONS: usize = 300;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let data = args.next().context("name the data directory")?;
    let count = args.next().map_or(Ok(SECTIONS), |count| count.parse())?;
    let names: Vec<String> = args.collect();
    for provider in [EmbeddingProvider::Off, EmbeddingProvider::Builtin] {
        println!("\n{provider:?}");
        measure(Path::new(&data), provider, count, &names).await?;
    }
    Ok(())
}

async fn measure(
    data: &Path,
    provider: EmbeddingProvider,
    count: usize,
    names: &[String],
) -> anyhow::Result<()> {
    let mut settings = Settings {
        data_dir: Some(data.to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = provider;
    let app = App::open(settings).await?;
    let libraries = Libraries::new(Arc::clone(&app));
    let view = libraries.view().await?;
    let wanted = |name: &String| names.is_empty() || names.contains(name);
    for library in view.libraries().iter().filter(|one| wanted(&one.name)) {
        let all = sections::of(&app, library).await?;
        let sample = sections::sample(&all, count);
        let by_sentence = sample.iter().map(|one| (*one, one.sentence.clone()));
        report(
            &libraries,
            library.id,
            "first sentence",
            by_sentence.collect(),
        )
        .await?;
        let named = sections::with_own_heading(&all);
        let rephrased = sections::sample(&named, count);
        let by_heading = rephrased
            .iter()
            .map(|one| (*one, rephrase::heading(&one.heading)));
        report(
            &libraries,
            library.id,
            "rephrased heading",
            by_heading.collect(),
        )
        .await?;
        examples(&libraries, library.id, &sections::languages(&all)).await?;
    }
    app.store.close().await;
    Ok(())
}

async fn report(
    libraries: &Libraries,
    library: u64,
    what: &str,
    questions: Vec<(&Section, String)>,
) -> anyhow::Result<()> {
    let (mut first, mut among, mut anywhere) = (0, 0, 0);
    for (section, question) in &questions {
        let [here, everywhere] =
            [Some(library), None].map(|library| ask(libraries, library, question));
        let place = here.await?.iter().position(|found| section.is(found));
        first += usize::from(place == Some(0));
        among += usize::from(place.is_some_and(|place| place < FIRST));
        let place = everywhere.await?.iter().position(|found| section.is(found));
        anywhere += usize::from(place.is_some_and(|place| place < FIRST));
        if std::env::var_os("MISSED").is_some() && place.is_none_or(|place| place >= FIRST) {
            println!("    {question:?}: {} {}", section.path, section.title);
        }
    }
    let percent = |count: usize| 100.0 * count as f64 / questions.len().max(1) as f64;
    println!(
        "library {library}, {what}: {} questions; first {:.1} %, first {FIRST} {:.1} %, \
         in all libraries {:.1} %",
        questions.len(),
        percent(first),
        percent(among),
        percent(anywhere),
    );
    Ok(())
}

async fn ask(
    libraries: &Libraries,
    library: Option<u64>,
    topic: &str,
) -> anyhow::Result<Vec<LibraryDocument>> {
    let query = DocsQuery {
        topics: vec![topic.to_owned()],
        library,
        version: None,
        mode: None,
        language: None,
        size: library_limits::PAGE_SIZE,
        max_tokens: None,
        page: 1,
    };
    Ok(docs(libraries, query).await?.documents)
}

/// Queries examples in each language that a library has many examples of.
async fn examples(
    libraries: &Libraries,
    library: u64,
    languages: &[Examples],
) -> anyhow::Result<()> {
    for Examples { language, topics } in languages {
        let (mut all, mut right) = (0, 0);
        for topic in topics {
            let query = DocsQuery {
                topics: vec![format!("{topic} in {language}")],
                library: Some(library),
                version: None,
                mode: Some(DocsMode::Code),
                language: None,
                size: library_limits::PAGE_SIZE,
                max_tokens: None,
                page: 1,
            };
            let found = docs(libraries, query).await?.documents;
            let found = found.iter().take(FIRST);
            for document in found {
                all += 1;
                right += usize::from(document.language.as_deref() == Some(language));
            }
        }
        println!("library {library}, code in {language}: {right} of {all} answers");
    }
    Ok(())
}
