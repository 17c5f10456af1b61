//! Chosen and named languages among thousands of examples, and the limit of tokens.

#![allow(clippy::unwrap_used)]

use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_store::{ChunkContent, NewDocsFile, NewVersion};

use recall_kit_core::app::App;

use super::*;

/// How many examples in Go there are, each of which matches the query better than the one in Python.
const OTHERS: usize = 2_500;

async fn with_examples(folder: &std::path::Path) -> Arc<Libraries> {
    let mut settings = Settings {
        data_dir: Some(folder.to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    // Counting tokens is slow in a debug build.
    settings.query.timeout_ms = 60_000;
    let app = App::open(settings).await.unwrap();
    let others = (0..OTHERS).map(|number| example(&format!("Register a logger {number}"), "go"));
    let mut chunks: Vec<ChunkContent> = others.collect();
    chunks.push(example("Register a logger as in Rust", "go"));
    chunks.push(example(
        "Where something else is told at length of a logger",
        "python",
    ));
    let libraries = Libraries::new(app);
    publish(&libraries, "v1", chunks).await;
    libraries
}

fn example(title: &str, language: &str) -> ChunkContent {
    ChunkContent {
        kind: DocsMode::Code,
        title: title.to_owned(),
        description: None,
        language: Some(language.to_owned()),
        text: "register(logger)".to_owned(),
        line: 1,
        tokens: 3,
    }
}

/// Publishes a version of one file.
async fn publish(libraries: &Libraries, version: &str, chunks: Vec<ChunkContent>) {
    let file = NewDocsFile {
        path: format!("{version}.md"),
        hash: [chunks.len() as u8; 32],
        chunks,
    };
    let app = libraries.app();
    let files = app.store.insert_docs_files(&[file], app.clock.now()).await;
    let version = NewVersion {
        library: "Loggers".to_owned(),
        description: None,
        version: version.to_owned(),
        is_default: true,
        source: "/docs".to_owned(),
        at: None,
        revision: None,
        files: files.unwrap(),
        ingested_at: app.clock.now(),
        event: None,
    };
    app.store.publish_version(&version).await.unwrap();
}

fn asking(topic: &str, language: Option<&'static str>) -> DocsQuery {
    DocsQuery {
        topics: vec![topic.to_owned()],
        library: None,
        version: None,
        mode: Some(DocsMode::Code),
        language,
        size: 50,
        max_tokens: None,
        page: 1,
    }
}

/// Returns the languages of the found documents, with consecutive equal ones counted.
async fn languages(libraries: &Libraries, query: DocsQuery) -> Vec<(String, usize)> {
    let found = docs(libraries, query).await.unwrap();
    let mut all: Vec<(String, usize)> = Vec::new();
    for document in found.documents {
        let language = document.language.unwrap();
        match all.last_mut() {
            Some((last, count)) if *last == language => *count += 1,
            _ => all.push((language, 1)),
        }
    }
    all
}

#[tokio::test]
async fn a_response_has_at_most_the_requested_number_of_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let libraries = with_examples(folder.path()).await;
    for most in [200, 700, 2_000, 20_000] {
        let query = DocsQuery {
            max_tokens: Some(most),
            ..asking("register logger", None)
        };
        let mut seen = 0;
        // For large pages the first two are enough.
        let last = if most > 2_000 { 2 } else { MAX_PAGE };
        for page in 1..=last {
            let query = DocsQuery {
                page,
                ..query.clone()
            };
            let answer = docs(&libraries, query).await.unwrap();
            let tokens = tokens::count(&serde_json::to_string(&answer).unwrap());
            assert!(tokens <= most, "{tokens} of {most} on page {page}");
            assert!(most > 2_000 || tokens * 3 > most, "{tokens} of {most}");
            seen += answer.documents.len();
        }
        assert!(seen >= last as usize, "{seen}");
    }
}

#[tokio::test]
async fn an_example_in_the_chosen_language_is_found_among_thousands_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let libraries = with_examples(folder.path()).await;
    let of = |language: &str, count| vec![(language.to_owned(), count)];
    let topic = "register logger";
    assert_eq!(
        languages(&libraries, asking(topic, None)).await,
        of("go", 50)
    );
    let python = asking(topic, Some("python"));
    assert_eq!(languages(&libraries, python.clone()).await, of("python", 1));
    assert_eq!(languages(&libraries, asking(topic, Some("rust"))).await, []);
    let last = DocsQuery {
        page: MAX_PAGE,
        ..asking(topic, Some("go"))
    };
    assert_eq!(languages(&libraries, last).await, of("go", 50));
    let named = asking("register logger in python", None);
    assert_eq!(languages(&libraries, named).await, of("python", 1));
    // Without an example in this language, others are returned.
    let named = asking("register logger in rust", None);
    assert_eq!(languages(&libraries, named).await, of("go", 1));

    // A published version is found at once.
    publish(
        &libraries,
        "v2",
        vec![example("Register a logger", "python")],
    )
    .await;
    assert_eq!(languages(&libraries, python).await, of("python", 2));
}
