//! Documentation libraries: atomic replacement of versions, shared files, chunks and their vectors.

use recall_kit_shared_types::libraries::DocsMode;

use super::{knowledge::moment, *};
use crate::{
    ChunkContent, ExampleText, Library, NewDocsFile, NewVector, NewVersion, Page, file_and_kind,
};

fn chunk(text: &str) -> ChunkContent {
    ChunkContent {
        kind: DocsMode::Info,
        title: "Guide > 🛠".to_owned(),
        description: None,
        language: None,
        text: text.to_owned(),
        line: 3,
        tokens: 7,
    }
}

/// Returns a file of two chunks, the second of which is a code example.
pub(super) fn file(path: &str, mark: u8) -> NewDocsFile {
    let example = ChunkContent {
        kind: DocsMode::Code,
        description: Some("shows it".to_owned()),
        language: Some("rust".to_owned()),
        line: 5,
        ..chunk(&format!("code of {path} {mark}"))
    };
    NewDocsFile {
        path: path.to_owned(),
        hash: [mark; 32],
        chunks: vec![chunk(&format!("text \u{0} of {path} {mark}")), example],
    }
}

pub(super) fn version(name: &str, files: &[u64], second: i64) -> NewVersion {
    NewVersion {
        library: "Gin".to_owned(),
        description: None,
        version: name.to_owned(),
        is_default: false,
        source: "/docs".to_owned(),
        at: None,
        revision: None,
        files: files.to_vec(),
        ingested_at: moment(second),
        event: None,
    }
}

/// Stores these files; returns their ids.
async fn stored(store: &Arc<dyn Store>, files: &[NewDocsFile]) -> Vec<u64> {
    store.insert_docs_files(files, moment(0)).await.unwrap()
}

/// Returns the texts of all chunks written after a `seq`; `None` for a removed chunk.
async fn indexed_texts(store: &Arc<dyn Store>, seq: u64) -> Vec<Option<String>> {
    let chunks = store.chunks_after(seq, 100).await.unwrap();
    let texts = chunks.into_iter().map(|one| one.content.map(|it| it.text));
    texts.collect()
}

async fn only_library(store: &Arc<dyn Store>) -> Library {
    let mut libraries = store.library_snapshot().await.unwrap().libraries;
    assert_eq!(libraries.len(), 1);
    libraries.remove(0)
}

pub(super) async fn chunks_are_read_back_unchanged_and_have_their_own_seq(database: TestDatabase) {
    let store = database.open().await;
    store
        .insert_experience(new("another family"))
        .await
        .unwrap();
    assert_eq!(store.chunk_head_seq_and_size().await.unwrap(), (0, 0));
    let (one, two) = (file("a.md", 1), file("b.md", 2));
    let ids = stored(&store, &[one.clone(), two.clone()]).await;
    assert_eq!(store.chunk_head_seq_and_size().await.unwrap(), (4, 4));
    assert_eq!(store.chunk_count(3).await.unwrap(), 3);
    assert_eq!(store.file_chunks([1; 32]).await.unwrap(), one.chunks);
    assert_eq!(
        store.docs_files(&[[2; 32], [9; 32]]).await.unwrap(),
        [([2; 32], ids[1])]
    );

    let indexed = store.chunks_after(0, 10).await.unwrap();
    let contents: Vec<_> = indexed
        .iter()
        .filter_map(|one| one.content.clone())
        .collect();
    assert_eq!(contents, [one.chunks, two.chunks.clone()].concat());
    assert_eq!(file_and_kind(indexed[3].row.id), (ids[1], DocsMode::Code));
    assert_eq!(
        store.chunk_rows(1, 3, 10).await.unwrap(),
        [indexed[1].row.clone(), indexed[2].row.clone()]
    );
    let found = store
        .chunks(&[indexed[3].row.id, Uuid::nil()])
        .await
        .unwrap();
    assert_eq!(
        (found.len(), found[0].path.as_str(), &found[0].content),
        (1, "b.md", &two.chunks[1])
    );
    // A stored file is not stored again.
    assert_eq!(stored(&store, &[two]).await, [ids[1]]);
    assert_eq!(store.chunk_head_seq().await.unwrap(), 4);
}

pub(super) async fn publishing_a_version_replaces_the_one_with_its_name_atomically(
    database: TestDatabase,
) {
    let store = database.open().await;
    let ids = stored(&store, &[file("a.md", 1), file("b.md", 2)]).await;
    let library = store
        .publish_version(&version("v1", &ids, 1))
        .await
        .unwrap();
    let before = store.library_snapshot().await.unwrap();
    let added = stored(&store, &[file("b.md", 3)]).await[0];
    // A stored file is not visible before it is published.
    assert_eq!(store.library_snapshot().await.unwrap(), before);
    let refused = store
        .publish_version(&version("v1", &[added, 999], 2))
        .await;
    assert!(
        matches!(refused, Err(StoreError::FileGone(999))),
        "{refused:?}"
    );
    assert_eq!(store.library_snapshot().await.unwrap(), before);

    let head = store.chunk_head_seq().await.unwrap();
    let again = version("v1", &[ids[0], added, added], 2);
    assert_eq!(store.publish_version(&again).await.unwrap(), library);
    let after = store.library_snapshot().await.unwrap();
    assert_eq!(
        after.edition,
        store.library_edition().await.unwrap(),
        "{after:?}"
    );
    assert_ne!(after.edition, before.edition);
    let files: Vec<u64> = after.placed.iter().map(|(file, _)| *file).collect();
    assert_eq!(files, [ids[0], added]);
    let now = &after.libraries[0].versions[0];
    assert_eq!(
        (now.files, now.chunks, now.tokens, now.ingested_at),
        (2, 4, 28, moment(2))
    );
    let paths = store.version_files(now.id).await.unwrap();
    assert_eq!(
        paths,
        [("a.md".to_owned(), [1; 32]), ("b.md".to_owned(), [3; 32])]
    );
    // Every index sees that the chunks of the old file were removed.
    assert_eq!(indexed_texts(&store, head).await, [None, None]);
    assert_eq!(store.docs_files(&[[2; 32]]).await.unwrap(), []);
}

pub(super) async fn rows_of_replaced_chunks_are_purged(database: TestDatabase) {
    let store = database.open().await;
    let mut live = Vec::new();
    for round in 1..=6 {
        let ids = stored(&store, &[file("a.md", round)]).await;
        let again = version("v1", &ids, i64::from(round));
        store.publish_version(&again).await.unwrap();
        live = store.file_chunks([round; 32]).await.unwrap();
    }
    let (head, size) = store.chunk_head_seq_and_size().await.unwrap();
    assert_eq!(size, 2, "removed chunks are not counted");
    assert_eq!(store.chunk_count(head).await.unwrap(), 2);
    let rows = store.chunk_rows(0, head, 99).await.unwrap();
    let gone = rows.iter().filter(|row| row.is_gone).count();
    assert_eq!(
        (rows.len(), gone),
        (12, 10),
        "every index sees the removed chunks"
    );

    // The time of removal is that of the database's clock, not that of the libraries.
    let (past, future) = (Timestamp::UNIX_EPOCH, Timestamp::MAX);
    assert_eq!(store.purge_chunks(past, 99).await.unwrap(), 0);
    assert_eq!(store.purge_chunks(future, 4).await.unwrap(), 4);
    assert_eq!(store.purge_chunks(future, 99).await.unwrap(), 6);
    assert_eq!(store.purge_chunks(future, 99).await.unwrap(), 0);
    let rows = store.chunk_rows(0, head, 99).await.unwrap();
    assert!(rows.iter().all(|row| !row.is_gone), "{rows:?}");
    assert_eq!(store.chunk_head_seq_and_size().await.unwrap(), (head, 2));
    assert_eq!(store.file_chunks([6; 32]).await.unwrap(), live);
}

pub(super) async fn a_file_is_shared_by_versions_until_the_last_one_is_removed(
    database: TestDatabase,
) {
    let store = database.open().await;
    let ids = stored(&store, &[file("a.md", 1), file("b.md", 2)]).await;
    let library = store
        .publish_version(&version("v1", &ids, 1))
        .await
        .unwrap();
    let second = NewVersion {
        description: Some("A web framework".to_owned()),
        library: "gin".to_owned(),
        is_default: true,
        ..version("v2", &ids[..1], 2)
    };
    assert_eq!(store.publish_version(&second).await.unwrap(), library);
    let now = only_library(&store).await;
    let names: Vec<&str> = now
        .versions
        .iter()
        .map(|one| one.version.as_str())
        .collect();
    assert_eq!(
        (
            names.as_slice(),
            now.default_version.as_str(),
            now.description.as_str()
        ),
        (["v1", "v2"].as_slice(), "v2", "A web framework")
    );

    let head = store.chunk_head_seq().await.unwrap();
    assert!(store.remove_version(library, "v1", None).await.unwrap());
    assert!(!store.remove_version(library, "v1", None).await.unwrap());
    assert_eq!(indexed_texts(&store, head).await, [None, None]);
    assert_eq!(store.file_chunks([1; 32]).await.unwrap().len(), 2);
    assert!(store.remove_version(library, "v2", None).await.unwrap());
    assert_eq!(store.library_snapshot().await.unwrap().libraries, []);
    assert_eq!(store.file_chunks([1; 32]).await.unwrap(), []);
}

pub(super) async fn a_library_is_removed_with_all_its_versions(database: TestDatabase) {
    let store = database.open().await;
    let ids = stored(&store, &[file("a.md", 1), file("b.md", 2)]).await;
    let at = Some("v1.0".to_owned());
    let first = NewVersion {
        at: at.clone(),
        ..version("v1", &ids, 1)
    };
    let library = store.publish_version(&first).await.unwrap();
    store
        .publish_version(&version("v2", &ids[1..], 2))
        .await
        .unwrap();
    let other = NewVersion {
        library: "other".to_owned(),
        ..version("v1", &ids[1..], 3)
    };
    store.publish_version(&other).await.unwrap();
    let snapshot = store.library_snapshot().await.unwrap();
    assert_eq!(snapshot.libraries[0].versions[0].at, at);
    assert!(store.remove_library(library).await.unwrap());
    assert!(!store.remove_library(library).await.unwrap());
    assert_eq!(only_library(&store).await.name, "other");
    assert_eq!(store.file_chunks([1; 32]).await.unwrap(), []);
    assert_ne!(store.file_chunks([2; 32]).await.unwrap(), []);
}

pub(super) async fn the_default_version_always_exists(database: TestDatabase) {
    let store = database.open().await;
    let ids = stored(&store, &[file("a.md", 1)]).await;
    let library = store
        .publish_version(&version("v1", &ids, 1))
        .await
        .unwrap();
    store
        .publish_version(&version("v3", &ids, 2))
        .await
        .unwrap();
    store
        .publish_version(&version("v2", &ids, 3))
        .await
        .unwrap();
    assert_eq!(only_library(&store).await.default_version, "v1");
    let describe = |version| store.describe_library(library, Some("words"), version);
    assert!(!describe(Some("v9")).await.unwrap());
    assert_eq!(only_library(&store).await.description, "");
    assert!(describe(Some("v3")).await.unwrap());
    let now = only_library(&store).await;
    assert_eq!(
        (now.default_version.as_str(), now.description.as_str()),
        ("v3", "words")
    );
    // If the default version is removed, the one ingested last becomes the default.
    store.remove_version(library, "v3", None).await.unwrap();
    assert_eq!(only_library(&store).await.default_version, "v2");
    assert!(!store.describe_library(99, None, None).await.unwrap());
}

pub(super) async fn files_without_a_version_are_discarded_by_id_or_by_age(database: TestDatabase) {
    let store = database.open().await;
    let files = [file("a.md", 1), file("b.md", 2), file("c.md", 3)];
    let ids = stored(&store, &files).await;
    store
        .publish_version(&version("v1", &ids[..1], 1))
        .await
        .unwrap();
    let discard = |files: Vec<u64>, before| {
        let store = Arc::clone(&store);
        async move { store.discard_files(&files, before).await.unwrap() }
    };
    // All were stored at 0, so none is older than that; the file of a version is kept.
    assert_eq!(discard(Vec::new(), moment(0)).await, 0);
    assert_eq!(discard(vec![ids[0], ids[1]], moment(0)).await, 1);
    assert_eq!(discard(Vec::new(), moment(1)).await, 1);
    let left: Vec<_> = [[1; 32], [2; 32], [3; 32]].to_vec();
    assert_eq!(store.docs_files(&left).await.unwrap(), [([1; 32], ids[0])]);
}

pub(super) async fn chunks_get_vectors_once_and_lose_them_with_their_file(database: TestDatabase) {
    let store = database.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let ids = stored(&store, &[file("a.md", 1)]).await;
    let library = store
        .publish_version(&version("v1", &ids, 1))
        .await
        .unwrap();
    let missing = store
        .chunks_without_vector(MODEL, Uuid::nil(), 10)
        .await
        .unwrap();
    assert_eq!(missing.len(), 2);
    let vector = |id, byte| NewVector {
        id,
        vector: vec![byte],
    };
    let first = missing[0].id;
    let other = store
        .put_chunk_vectors("model-b", &[vector(first, 1)])
        .await;
    assert!(matches!(other, Err(StoreError::ModelReplaced)), "{other:?}");
    let head = store.chunk_head_seq().await.unwrap();
    for byte in [1, 2] {
        // The second vector is ignored, and the index does not see it.
        let vectors = [vector(first, byte), vector(Uuid::nil(), byte)];
        store.put_chunk_vectors(MODEL, &vectors).await.unwrap();
    }
    let rows = store.chunk_rows(head, u64::MAX >> 1, 10).await.unwrap();
    assert_eq!(
        (rows.len(), rows[0].id, rows[0].vector.as_deref()),
        (1, first, Some([1].as_slice()))
    );
    assert_eq!(store.count_chunks_without_vector(MODEL).await.unwrap(), 1);

    store.remove_version(library, "v1", None).await.unwrap();
    assert_eq!(store.count_chunks_without_vector(MODEL).await.unwrap(), 0);
    store
        .put_chunk_vectors(MODEL, &[vector(first, 3)])
        .await
        .unwrap();
    let gone = store.chunks_after(head, 10).await.unwrap();
    assert!(
        gone.iter()
            .all(|one| one.row.vector.is_none() && one.content.is_none()),
        "{gone:?}"
    );
}

pub(super) async fn example_texts_are_kept_for_a_year_after_their_last_use(database: TestDatabase) {
    let store = database.open().await;
    let text = |mark: u8, title: &str| ExampleText {
        hash: [mark; 32],
        title: title.to_owned(),
        description: "does it".to_owned(),
    };
    let year = 365 * 24 * 3_600;
    let put = |texts: Vec<ExampleText>, second| {
        let store = Arc::clone(&store);
        async move {
            store
                .put_example_texts(&texts, moment(second))
                .await
                .unwrap()
        }
    };
    put(vec![text(1, "old"), text(2, "used")], 0).await;
    put(vec![text(2, "used again")], year).await;
    let both = [[1; 32], [2; 32], [3; 32]];
    assert_eq!(store.example_texts(&both).await.unwrap().len(), 2);
    put(Vec::new(), year + 1).await;
    assert_eq!(
        store.example_texts(&both).await.unwrap(),
        [text(2, "used again")]
    );
}

pub(super) async fn library_names_ignore_ascii_case_and_texts_keep_every_character(
    database: TestDatabase,
) {
    let store = database.open().await;
    let path = "docs/\u{0} \u{fdd0}.md";
    let ids = stored(&store, &[file(path, 1), file(path, 1)]).await;
    assert_eq!(ids[0], ids[1], "the same file");
    let odd = NewVersion {
        library: "ÄPFEL".to_owned(),
        description: Some("\u{0} what it is".to_owned()),
        source: "/\u{0}".to_owned(),
        at: Some("v\u{0}".to_owned()),
        revision: Some("\u{fdd0}".to_owned()),
        ..version("1\u{0}", &ids, 1)
    };
    let library = store.publish_version(&odd).await.unwrap();
    let again = NewVersion {
        library: "Äpfel".to_owned(),
        ..odd.clone()
    };
    assert_eq!(store.publish_version(&again).await.unwrap(), library);
    let now = only_library(&store).await;
    let version = &now.versions[0];
    assert_eq!(
        (
            &now.name,
            Some(&now.description),
            &now.default_version,
            &version.source
        ),
        (
            &odd.library,
            odd.description.as_ref(),
            &odd.version,
            &odd.source
        )
    );
    assert_eq!(
        (&version.at, &version.revision, version.files),
        (&odd.at, &odd.revision, 1)
    );
    let paths = store.version_files(version.id).await.unwrap();
    assert_eq!(paths, [(path.to_owned(), [1; 32])]);
    // The case of non-ASCII letters is significant in every database.
    let other = NewVersion {
        library: "äpfel".to_owned(),
        ..odd.clone()
    };
    assert_ne!(store.publish_version(&other).await.unwrap(), library);
    assert!(
        store
            .remove_version(library, &odd.version, None)
            .await
            .unwrap()
    );
    assert_eq!(only_library(&store).await.name, "äpfel");
}

pub(super) async fn examples_are_found_by_language_until_their_file_is_removed(
    database: TestDatabase,
) {
    let store = database.open().await;
    let mut other = file("b.md", 2);
    other.chunks[1].language = Some("c\u{0}".to_owned());
    let ids = stored(&store, &[file("a.md", 1), other]).await;
    let library = store
        .publish_version(&version("v1", &ids, 1))
        .await
        .unwrap();
    let files = async |language| -> Vec<u64> {
        let chunks = store.chunks_in_language(language).await.unwrap();
        chunks.into_iter().map(|id| file_and_kind(id).0).collect()
    };
    assert_eq!(files("rust").await, ids[..1]);
    assert_eq!(files("c\u{0}").await, ids[1..]);
    assert_eq!(files("Rust").await, [0; 0]);
    store.remove_library(library).await.unwrap();
    assert_eq!(files("rust").await, [0; 0]);
}

pub(super) async fn the_chunks_of_a_version_are_read_page_by_page(database: TestDatabase) {
    let store = database.open().await;
    let files = [file("b.md", 1), file("a.md", 2), file("other.md", 3)];
    let ids = stored(&store, &files).await;
    store
        .publish_version(&version("v1", &ids[..2], 1))
        .await
        .unwrap();
    store
        .publish_version(&version("v2", &ids[2..], 2))
        .await
        .unwrap();
    let library = only_library(&store).await;
    let id = library.versions[0].id;
    let read = async |kind, offset, limit| {
        let page = Page { offset, limit };
        let (chunks, total) = store.version_chunks(id, kind, page).await.unwrap();
        let texts = chunks.into_iter().map(|chunk| (chunk.path, chunk.content));
        (texts.collect::<Vec<_>>(), total)
    };
    let named = |file: &NewDocsFile, index: usize| (file.path.clone(), file.chunks[index].clone());
    let [b, a, _] = &files;
    let all = vec![named(a, 0), named(a, 1), named(b, 0), named(b, 1)];
    assert_eq!(read(None, 0, 9).await, (all.clone(), 4));
    assert_eq!(read(None, 1, 2).await, (all[1..3].to_vec(), 4));
    let examples = vec![named(a, 1), named(b, 1)];
    assert_eq!(read(Some(DocsMode::Code), 0, 9).await, (examples, 2));
    assert_eq!(read(Some(DocsMode::Info), 2, 9).await, (Vec::new(), 2));
}
