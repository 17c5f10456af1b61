//! Replaced documentation is removed from the index, from memory and from the database.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use recall_kit_core::{access::Caller, app::App, clock::Clock, indexing};
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_sources::SourceOptions;

use crate::{
    Libraries,
    ingest::{Request, ingest},
};

#[tokio::test]
async fn replaced_documentation_leaves_index_memory_and_table() {
    const PAGES: usize = 3;
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let mut settings = Settings {
        data_dir: Some(folder.path().join("data")),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    let app = App::open(settings.clone()).await.unwrap();
    let libraries = Libraries::new(Arc::clone(&app));
    let caller = Caller::local();
    for round in 1..=6 {
        for page in 0..PAGES {
            let text = format!("# Page {page}\n\nWhat round {round} says on it.\n");
            std::fs::write(docs.join(format!("{page}.md")), text).unwrap();
        }
        let request = Request {
            library: "gin".to_owned(),
            description: None,
            version: "1".to_owned(),
            at: None,
            is_default: false,
            source: docs.display().to_string().into(),
            options: SourceOptions::default(),
        };
        ingest(libraries.means(&caller), request, |_| {})
            .await
            .unwrap();
        indexing::catch_up(&app.chunks).await.unwrap();
        let status = app.chunks.index().unwrap().status();
        let counts = (status.records, status.without_vector, status.delta_records);
        assert_eq!(counts, (PAGES, PAGES, PAGES), "round {round}");
    }
    let head = app.store.chunk_head_seq().await.unwrap();
    let rows = async || app.store.chunk_rows(0, head, 99).await.unwrap().len();
    assert_eq!(
        (libraries.purge().await.unwrap(), rows().await),
        (0, 6 * PAGES)
    );

    let later = || Timestamp::now() + SignedDuration::from_hours(31 * 24);
    let store = Arc::clone(&app.store);
    let late = App::with(settings, store, None, Clock::new(later))
        .await
        .unwrap();
    assert_eq!(late.chunks.index().unwrap().len(), PAGES, "after a restart");
    let purged = Libraries::new(late).purge().await.unwrap();
    assert_eq!((purged, rows().await), (5 * PAGES as u64, PAGES));
    let size = app.store.chunk_head_seq_and_size().await.unwrap();
    assert_eq!(size, (head, PAGES as u64));
}
