//! Export of records from one database and import into another.

use super::*;
use crate::{Experience, ExperienceState, Import, StoredExperience};

fn record(title: &str, query_count: u64, vector: Option<&[u8]>) -> StoredExperience {
    StoredExperience {
        experience: Experience {
            id: Uuid::now_v7(),
            content: content(title),
            query_count,
            popularity: 2 * query_count,
            created_at: Timestamp::from_microsecond(1_700_000_000_123_456).unwrap(),
        },
        state: ExperienceState::default(),
        vector: vector.map(<[u8]>::to_vec),
        author: Some(Uuid::from_u128(3)),
    }
}

pub(super) async fn imported_records_are_read_back_unchanged_in_the_order_of_their_ids(
    database: TestDatabase,
) {
    let store = database.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let mut records = vec![
        record("counted", 7, Some(&[1, 2])),
        record("without vector", 0, None),
        record("last", 1, Some(&[3])),
    ];
    let at = |second| Some(Timestamp::from_second(second).unwrap());
    let deleted = StoredExperience {
        state: ExperienceState {
            version: 4,
            changed_at: at(1_700_000_001),
            hidden_at: at(1_700_000_002),
            deleted_at: at(1_700_000_003),
        },
        ..record("deleted", 2, Some(&[4]))
    };
    let deleted = [deleted];
    let imported = store.import_experiences(Some(MODEL), &deleted);
    assert_eq!(imported.await.unwrap(), [Import::Stored]);
    assert_eq!(store.stored_experience_count().await.unwrap(), 1);
    assert_eq!(store.experience_count(u64::MAX).await.unwrap(), 0);
    let again = store.import_experiences(Some(MODEL), &deleted);
    let existing = Import::Existing(Box::new(deleted[0].experience.clone()));
    assert_eq!(again.await.unwrap(), [existing]);
    let stored = store.import_experiences(Some(MODEL), &records).await;
    assert_eq!(stored.unwrap(), vec![Import::Stored; 3]);
    assert_eq!(store.experience_count(u64::MAX).await.unwrap(), 3);
    assert_eq!(store.experience_count(2).await.unwrap(), 1);

    records.extend(deleted);
    records.sort_by_key(|record| record.experience.id);
    let nil = Uuid::nil();
    let all = store.experiences_by_id(nil, Some(MODEL), 10).await.unwrap();
    assert_eq!(all, records);
    let first = records[0].experience.id;
    let second = store.experiences_by_id(first, Some(MODEL), 1).await;
    assert_eq!(second.unwrap(), records[1..2]);
    for model in [None, Some("model-b")] {
        let without_vectors = store.experiences_by_id(nil, model, 10).await.unwrap();
        assert!(without_vectors.iter().all(|record| record.vector.is_none()));
    }
    let missing = store.without_vector(MODEL, nil, 10).await.unwrap();
    assert_eq!(missing.len(), 1, "it gets its vector later");
    assert_eq!(store.count_without_vector(MODEL).await.unwrap(), 1);
    assert_eq!(store.count_without_vector("model-b").await.unwrap(), 4);
    let any = store.any_vector(MODEL).await.unwrap();
    assert!(records.iter().any(|record| record.vector == any), "{any:?}");
    assert_eq!(store.any_vector("model-b").await.unwrap(), None);
}

pub(super) async fn an_import_changes_no_existing_record_and_leaves_no_gap_in_seq(
    database: TestDatabase,
) {
    let store = database.open().await;
    let submitted = new("submitted");
    store.insert_experience(submitted.clone()).await.unwrap();
    let mut other = record("other", 5, Some(&[1]));
    other.experience.id = submitted.id;
    let added = record("added", 2, Some(&[2]));
    let batch = [other, added.clone(), added.clone()];
    let imports = store.import_experiences(None, &batch).await.unwrap();
    let [
        Import::Existing(existing),
        Import::Stored,
        Import::Existing(same),
    ] = &imports[..]
    else {
        panic!("{imports:?}");
    };
    assert_eq!(
        (&existing.content, existing.query_count),
        (&submitted.content, 0)
    );
    assert_eq!(**same, added.experience);

    assert_eq!(store.head_seq().await.unwrap(), 2);
    let indexed = store.experiences_after(0, 10).await.unwrap();
    let seen: Vec<_> = indexed
        .iter()
        .map(|record| (record.row.seq, record.row.id, record.row.query_count))
        .collect();
    assert_eq!(seen, [(1, submitted.id, 0), (2, added.experience.id, 2)]);
    store.insert_experience(new("later")).await.unwrap();
    assert_eq!(store.head_seq().await.unwrap(), 3);
}
