//! Two servers that write to one database concurrently and in opposite orders.

use std::collections::HashMap;

use futures::future::join_all;
use recall_kit_shared_types::knowledge::RelationType;
use ulid::Ulid;

use super::{
    knowledge::{link, moment, with_entries},
    libraries::{file, version},
    *,
};
use crate::{EntryVectors, NewEntryVectors, NewVersion};

pub(super) async fn concurrent_links_close_no_cycle_and_no_count_is_lost(database: TestDatabase) {
    const PAIRS: u128 = 12;
    let store = with_entries(&database, 2 * PAIRS).await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let other = database.open().await;
    for pair in 0..PAIRS {
        let (one, two) = (2 * pair + 1, 2 * pair + 2);
        let forward = link(100 + one, one, RelationType::Supersedes, two);
        let back = link(100 + two, two, RelationType::Supersedes, one);
        let results = futures::join!(
            store.insert_link(&forward, None),
            other.insert_link(&back, None)
        );
        assert!(
            matches!(
                results,
                (Ok(()), Err(StoreError::LinkCycle)) | (Err(StoreError::LinkCycle), Ok(()))
            ),
            "{results:?}"
        );
    }
    let servers = [&store, &other].into_iter().zip([false, true]);
    let tasks = servers.map(|(server, is_second)| {
        let server = Arc::clone(server);
        tokio::spawn(async move {
            // The second server writes the entries in reverse order.
            let mut ids: Vec<u128> = (1..=2 * PAIRS).collect();
            if is_second {
                ids.reverse();
            }
            let counts = new_counts(ids.iter().map(|id| (Ulid(*id).into(), 1)));
            let entries = server.entries_by_id(Ulid::nil(), 50).await.unwrap();
            let vectors = entries.iter().map(|entry| NewEntryVectors {
                id: entry.id,
                version: entry.version(),
                vectors: EntryVectors::default(),
            });
            let mut vectors: Vec<_> = vectors.collect();
            if is_second {
                vectors.reverse();
            }
            for _ in 0..5 {
                server.add_access_counts(&counts, moment(1)).await.unwrap();
                server.put_entry_vectors(MODEL, &vectors).await.unwrap();
            }
        })
    });
    join_all(tasks).await.into_iter().for_each(Result::unwrap);
    assert_eq!(store.edges().await.unwrap().len() as u128, PAIRS);
    let entries = store.stored_entries(Ulid::nil(), Some(MODEL), 50).await;
    for stored in entries.unwrap() {
        let counted = stored.entry.access_count;
        assert_eq!((counted, stored.vectors.is_some()), (10, true));
    }
    // Every entry was added and got its vectors once, and of each pair one became obsolete.
    let head = store.entry_head_seq_and_size().await.unwrap();
    assert_eq!(head, (24 + 24 + 12, 24));
}

pub(super) async fn a_file_is_not_removed_while_a_version_with_it_is_published(
    database: TestDatabase,
) {
    const ROUNDS: u8 = 6;
    let store = database.open().await;
    let servers = [Arc::clone(&store), database.open().await];
    let tasks = servers.iter().zip(0_u8..).map(|(server, number)| {
        let server = Arc::clone(server);
        tokio::spawn(async move {
            for round in 0..ROUNDS {
                let own = file("own.md", 10 * (number + 1) + round);
                let files = [file("shared.md", 1), own];
                loop {
                    let ids = server.insert_docs_files(&files, moment(0)).await.unwrap();
                    let new = NewVersion {
                        library: format!("library {number}"),
                        ..version("v1", &ids, i64::from(round))
                    };
                    match server.publish_version(&new).await {
                        // The other server discarded the file, so it is stored again.
                        Err(StoreError::FileGone(_)) => {}
                        published => {
                            published.unwrap();
                            break;
                        }
                    }
                }
                server.discard_files(&[], moment(1)).await.unwrap();
            }
        })
    });
    join_all(tasks).await.into_iter().for_each(Result::unwrap);

    let snapshot = store.library_snapshot().await.unwrap();
    assert_eq!(snapshot.edition, u64::from(2 * ROUNDS));
    let mut versions_of_file: HashMap<u64, usize> = HashMap::new();
    for (file, _) in &snapshot.placed {
        *versions_of_file.entry(*file).or_default() += 1;
    }
    let mut counts: Vec<usize> = versions_of_file.into_values().collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 1, 2], "one file is shared");
    for library in &snapshot.libraries {
        let version = &library.versions[0];
        assert_eq!((version.files, version.chunks), (2, 4));
        for (path, hash) in store.version_files(version.id).await.unwrap() {
            assert_eq!(store.file_chunks(hash).await.unwrap().len(), 2, "{path}");
        }
    }
    let chunks = store.chunks_after(0, 1_000).await.unwrap();
    let existing = chunks.iter().filter(|chunk| chunk.content.is_some());
    assert_eq!(existing.count(), 6);
}
