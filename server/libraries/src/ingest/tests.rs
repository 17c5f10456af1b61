//! A failed run changes nothing, and stored files are not read again.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::Path,
    sync::{Arc, LazyLock},
};

use recall_kit_documents::sandbox::SandboxLimits;

use super::*;

async fn database(folder: &Path) -> Arc<dyn Store> {
    let url = format!("sqlite:{}", folder.join("test.db").display());
    let busy = std::time::Duration::from_secs(5);
    recall_kit_store::open(&recall_kit_store::StoreOptions::new(url.as_str(), busy))
        .await
        .unwrap()
}

fn request(source: &Path) -> Request {
    Request {
        library: "gin".to_owned(),
        description: None,
        version: LATEST.to_owned(),
        at: None,
        is_default: false,
        source: source.display().to_string().into(),
        options: SourceOptions::default(),
    }
}

static LOCAL: Caller = Caller::local();

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(None, SandboxLimits::default()));

fn means(store: &Arc<dyn Store>) -> Means<'_> {
    Means {
        store: store.as_ref(),
        chat: None,
        sandbox: &SANDBOX,
        now: now(),
        by: &LOCAL,
    }
}

/// Creates a folder with so many pages of documentation.
fn pages(folder: &Path, count: usize) -> std::path::PathBuf {
    let docs = folder.join("docs");
    fs::create_dir_all(&docs).unwrap();
    for page in 0..count {
        let text = format!("# Page {page}\n\nWhat stands on page {page}.\n");
        fs::write(docs.join(format!("{page}.md")), text).unwrap();
    }
    docs
}

#[tokio::test]
async fn an_ingest_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(folder.path()).await;
    let docs = pages(folder.path(), 1);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let binary = folder.path().join("binary");
    fs::create_dir(&binary).unwrap();
    fs::write(binary.join("a.md"), [0, 159, 146, 150, 0, 0]).unwrap();
    fs::write(binary.join("LICENSE"), "All rights").unwrap();
    let named = |name: &str| Request {
        library: name.to_owned(),
        ..request(&docs)
    };
    let versioned = |version: &str| Request {
        version: version.to_owned(),
        ..request(&docs)
    };
    for (request, words) in [
        (
            request(&folder.path().join("nowhere")),
            "there is no file or folder",
        ),
        (
            request(&empty),
            "contains no documentation that can be read",
        ),
        (request(&binary), "LICENSE: it is a licence; 1 more skipped"),
        (named(" "), "the library's name must not be blank"),
        (named("a\nb"), "the library's name must not contain control"),
        (
            named(&"x".repeat(1_000)),
            "the library's name has 1000 characters",
        ),
        (versioned(""), "the version's name must not be blank"),
        (versioned(".."), "the version's name must not be \".\""),
    ] {
        let refused = ingest(means(&store), request, |_| {}).await;
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(store.chunk_head_seq_and_size().await.unwrap(), (0, 0));
    assert_eq!(store.library_edition().await.unwrap(), 0);
}

#[tokio::test]
async fn a_dropped_run_leaves_the_version_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(folder.path()).await;
    let docs = pages(folder.path(), 1);
    ingest(means(&store), request(&docs), |_| {}).await.unwrap();
    let before = store.library_snapshot().await.unwrap();

    // More than are stored at once, so that the run is dropped between two batches.
    let docs = pages(folder.path(), 3 * BATCH_CHUNKS);
    fs::remove_file(docs.join("0.md")).unwrap();
    let (sender, stop) = tokio::sync::oneshot::channel();
    let mut sender = Some(sender);
    let drop_in_time = |progress: &Progress| {
        if progress.files > BATCH_CHUNKS as u64 {
            sender.take().map(|sender| sender.send(()));
        }
    };
    tokio::select! {
        biased;
        _ = stop => {}
        _ = ingest(means(&store), request(&docs), drop_in_time) => panic!("it should be dropped"),
    }
    assert_eq!(store.library_snapshot().await.unwrap(), before);
    let (seq, left) = store.chunk_head_seq_and_size().await.unwrap();
    assert!(left > 1, "{left}");

    // The next run, a day later, removes the files that were left behind, or uses them.
    let later = now() + LEFT_BEHIND + SignedDuration::from_secs(1);
    let report = ingest(
        Means {
            now: later,
            ..means(&store)
        },
        request(&docs),
        |_| {},
    )
    .await
    .unwrap();
    let files = 3 * BATCH_CHUNKS as u64 - 1;
    assert_eq!((report.files, report.unchanged), (files, 0));
    let gone = store.chunks_after(seq, u32::MAX >> 1).await.unwrap();
    let gone = gone.iter().filter(|one| one.content.is_none()).count();
    assert_eq!(gone as u64, left);
    let placed = store.library_snapshot().await.unwrap().placed.len() as u64;
    assert_eq!(placed, files);
}

#[tokio::test]
async fn a_run_succeeds_although_another_one_removes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(folder.path()).await;
    let docs = pages(folder.path(), 2 * BATCH_CHUNKS);
    let mut removed = 0;
    let remove_once = |progress: &Progress| {
        if removed > 0 || progress.files <= BATCH_CHUNKS as u64 {
            return;
        }
        // On another runtime, as this one is blocked meanwhile.
        let other = std::thread::spawn({
            let folder = folder.path().to_owned();
            move || {
                let runtime = tokio::runtime::Runtime::new().unwrap();
                runtime.block_on(async {
                    let other = database(&folder).await;
                    let later = now() + SignedDuration::from_secs(1);
                    other.discard_files(&[], later).await.unwrap()
                })
            }
        });
        removed = other.join().unwrap();
    };
    let report = ingest(means(&store), request(&docs), remove_once)
        .await
        .unwrap();
    assert!(removed > 0);
    assert_eq!(report.files, 2 * BATCH_CHUNKS as u64);
    let snapshot = store.library_snapshot().await.unwrap();
    assert_eq!(snapshot.libraries[0].versions[0].chunks, report.chunks);
    assert_eq!(snapshot.placed.len() as u64, report.files);
}

#[tokio::test]
async fn files_that_did_not_change_are_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(folder.path()).await;
    let docs = pages(folder.path(), 3);
    let first = ingest(means(&store), request(&docs), |_| {}).await.unwrap();
    assert_eq!((first.files, first.unchanged), (3, 0));
    fs::write(docs.join("1.md"), "# Page 1\n\nWhat it says now.\n").unwrap();
    fs::remove_file(docs.join("2.md")).unwrap();
    let seq = store.chunk_head_seq().await.unwrap();
    let second = ingest(means(&store), request(&docs), |_| {}).await.unwrap();
    assert_eq!((second.files, second.unchanged, second.chunks), (2, 1, 2));
    let chunks = store.chunks_after(seq, 10).await.unwrap();
    let texts: Vec<_> = chunks
        .iter()
        .map(|one| one.content.as_ref().map(|content| content.text.as_str()))
        .collect();
    assert_eq!(texts, [Some("What it says now."), None, None]);
}
