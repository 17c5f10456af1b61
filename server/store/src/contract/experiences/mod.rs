//! Experiences, their vectors and counts, and API keys.

pub(super) mod applicability;
pub(super) mod many_outcomes;
pub(super) mod outcomes;

use ulid::Ulid;

use super::{knowledge::new_entry, *};
use crate::{
    ApiKey, ExperienceVector, HashedApiKey, IdempotencyKey, KeyFamily, NewEntry, Projects, Scope,
    experiences::idempotency::KEPT_KEYS,
};

pub(super) async fn records_are_read_back_unchanged_in_commit_order(database: TestDatabase) {
    let store = database.open().await;
    assert_eq!(store.head_seq().await.unwrap(), 0);
    let first = new("first");
    let second = NewExperience {
        vector: Some((MODEL.to_owned(), vec![1, 2, 3])),
        ..new("second")
    };
    store.claim_embedding_model(MODEL).await.unwrap();
    store.insert_experience(first.clone()).await.unwrap();
    store.insert_experience(second.clone()).await.unwrap();
    assert_eq!(store.head_seq().await.unwrap(), 2);
    assert_eq!(store.head_seq_and_size().await.unwrap(), (2, 2));

    let found = store.experiences(&[second.id, Uuid::nil()]).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0].content, found[0].created_at),
        (&second.content, rounded_time(second.created_at))
    );

    let records = store.experiences_after(0, 10).await.unwrap();
    let seen: Vec<_> = records
        .iter()
        .map(|r| (r.row.seq, r.row.id, r.row.vector.clone()))
        .collect();
    assert_eq!(
        seen,
        [(1, first.id, None), (2, second.id, Some(vec![1, 2, 3]))]
    );
    assert_eq!(store.experiences_after(1, 10).await.unwrap(), records[1..]);
    assert_eq!(store.experiences_after(0, 1).await.unwrap(), records[..1]);
    let rows = store.index_rows(0, 1, 10).await.unwrap();
    assert_eq!(rows, [records[0].row.clone()]);
}

pub(super) async fn an_idempotency_key_used_on_two_servers_at_once_stores_once(
    database: TestDatabase,
) {
    const ROUNDS: u64 = 30;
    let servers = [database.open().await, database.open().await];
    for round in 0..ROUNDS {
        let keyed = || NewExperience {
            idempotency: Some(IdempotencyKey {
                key: format!("k{round}"),
                fingerprint: [7; 32],
            }),
            ..new(&format!("once {round}"))
        };
        let unkeyed = servers[0].insert_experience(new(&format!("beside {round}")));
        let stored = servers
            .each_ref()
            .map(|server| server.insert_experience(keyed()));
        let (_, ids) = futures::join!(unkeyed, futures::future::join_all(stored));
        let ids: Vec<Uuid> = ids.into_iter().map(|stored| stored.unwrap().id).collect();
        assert_eq!(ids[0], ids[1]);
    }
    let seen = servers[1].head_seq_and_size().await.unwrap();
    assert_eq!(seen, (2 * ROUNDS, 2 * ROUNDS));
}

pub(super) async fn an_idempotency_key_stores_once_and_refuses_other_content(
    database: TestDatabase,
) {
    let store = database.open().await;
    let keyed = |title: &str, fingerprint| NewExperience {
        idempotency: Some(IdempotencyKey {
            key: "k".to_owned(),
            fingerprint: [fingerprint; 32],
        }),
        ..new(title)
    };
    let stored = store.insert_experience(keyed("once", 1)).await.unwrap();
    let again = store.insert_experience(keyed("once", 1)).await.unwrap();
    assert_eq!(again, stored);
    let other = store.insert_experience(keyed("other", 2)).await;
    assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
    assert_eq!(store.head_seq().await.unwrap(), 1);
}

/// Submits `count` experiences, each with its own key; returns their ids.
async fn submit_keyed(store: &Arc<dyn Store>, name: &str, count: u32, day: i64) -> Vec<Uuid> {
    let created_at = Timestamp::from_second(1_700_000_000 + day * 24 * 3_600).unwrap();
    let submits = (0..count).map(|number| {
        let keyed = NewExperience {
            created_at,
            idempotency: Some(IdempotencyKey {
                key: format!("{name} {number}"),
                fingerprint: [1; 32],
            }),
            // If the key was removed, the record must be stored again, so its content must differ.
            ..new(&format!("{name} {number} on day {day}"))
        };
        async move { store.insert_experience(keyed).await.unwrap().id }
    });
    futures::future::join_all(submits).await
}

pub(super) async fn a_clock_that_is_ahead_for_a_while_removes_no_idempotency_keys(
    database: TestDatabase,
) {
    let store = database.open().await;
    let before = submit_keyed(&store, "before", 3, 0).await;
    // The clock is eight days ahead, and then correct again.
    submit_keyed(&store, "ahead", 5, 8).await;
    assert_eq!(submit_keyed(&store, "before", 3, 0).await, before);
    assert_eq!(submit_keyed(&store, "before", 3, 8).await, before);
    assert_eq!(
        store.head_seq().await.unwrap(),
        8,
        "nothing was stored twice"
    );
}

pub(super) async fn only_expired_idempotency_keys_beyond_a_minimum_number_are_removed(
    database: TestDatabase,
) {
    let store = database.open().await;
    let old = submit_keyed(&store, "old", 4, 0).await;
    submit_keyed(&store, "new", KEPT_KEYS, 8).await;
    assert_eq!(submit_keyed(&store, "old", 4, 8).await, old);
    let [one, two] = ["one more", "two more"].map(|name| submit_keyed(&store, name, 1, 8));
    one.await;
    two.await;
    let again = submit_keyed(&store, "old", 4, 8).await;
    let removed = again.iter().filter(|id| !old.contains(id)).count();
    assert!((2..=4).contains(&removed), "{removed}");
    let family = KeyFamily::Experiences;
    let all = store.idempotency_keys(family, (Timestamp::MIN, ""), 2_000);
    let all = all.await.unwrap();
    let new = all.iter().filter(|key| key.key.starts_with("new")).count();
    assert_eq!(
        new, KEPT_KEYS as usize,
        "keys within their lifetime are kept"
    );
}

pub(super) async fn idempotency_keys_of_experiences_are_scoped_to_their_caller(
    database: TestDatabase,
) {
    let store = database.open().await;
    let (shop, bank) = (Some(Uuid::from_u128(1)), Some(Uuid::from_u128(2)));
    let keyed = |caller, fingerprint| NewExperience {
        idempotency: Some(IdempotencyKey {
            key: IdempotencyKey::scoped(caller, "k".to_owned()),
            fingerprint: [fingerprint; 32],
        }),
        ..new(&format!("keyed {fingerprint}"))
    };
    // Stored as by a version that did not scope keys to callers.
    let early = store.insert_experience(keyed(None, 1)).await.unwrap().id;
    let repeated = store.insert_experience(keyed(shop, 1)).await.unwrap().id;
    assert_eq!(repeated, early);
    let of_shop = store.insert_experience(keyed(shop, 2)).await.unwrap().id;
    let of_bank = store.insert_experience(keyed(bank, 3)).await.unwrap().id;
    assert!(early != of_shop && of_shop != of_bank);
    for (caller, fingerprint, id) in [(None, 1, early), (shop, 2, of_shop), (bank, 3, of_bank)] {
        let again = store.insert_experience(keyed(caller, fingerprint)).await;
        assert_eq!(again.unwrap().id, id);
        let other = store.insert_experience(keyed(caller, 9)).await;
        assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
    }
    assert_eq!(store.head_seq().await.unwrap(), 3);
}

pub(super) async fn idempotency_keys_of_entries_are_scoped_to_their_caller(database: TestDatabase) {
    let store = database.open().await;
    let (shop, bank) = (Some(Uuid::from_u128(1)), Some(Uuid::from_u128(2)));
    let keyed = |id, caller, fingerprint| NewEntry {
        idempotency: Some(IdempotencyKey {
            key: IdempotencyKey::scoped(caller, "k".to_owned()),
            fingerprint: [fingerprint; 32],
        }),
        ..new_entry(id)
    };
    for (id, caller, fingerprint, stored) in [
        (1, None, 1, 1),
        (2, shop, 1, 1),
        (3, shop, 2, 3),
        (4, bank, 3, 4),
        (5, shop, 2, 3),
        (6, bank, 3, 4),
    ] {
        let new = keyed(id, caller, fingerprint);
        assert_eq!(store.insert_entry(new).await.unwrap(), Ulid(stored));
    }
    let other = store.insert_entry(keyed(7, bank, 2)).await;
    assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
}

pub(super) async fn concurrent_writers_leave_no_gap_in_seq(database: TestDatabase) {
    let store = database.open().await;
    let other = database.open().await;
    assert_eq!(
        store.database_id().await.unwrap(),
        other.database_id().await.unwrap()
    );
    let writers = (0..2).map(|writer| {
        let store = if writer == 0 {
            Arc::clone(&store)
        } else {
            Arc::clone(&other)
        };
        tokio::spawn(async move {
            for n in 0..20 {
                store
                    .insert_experience(new(&format!("{writer}-{n}")))
                    .await
                    .unwrap();
            }
        })
    });
    for writer in writers {
        writer.await.unwrap();
    }
    let seqs: Vec<u64> = store
        .experiences_after(0, 100)
        .await
        .unwrap()
        .iter()
        .map(|r| r.row.seq)
        .collect();
    assert_eq!(seqs, (1..=40).collect::<Vec<u64>>());
}

pub(super) async fn concurrent_submissions_succeed_and_fail_independently(database: TestDatabase) {
    let store = database.open().await;
    let keyed = |title: &str, fingerprint| NewExperience {
        idempotency: Some(IdempotencyKey {
            key: "k".to_owned(),
            fingerprint: [fingerprint; 32],
        }),
        ..new(title)
    };
    let taken = new("first of its id");
    store.insert_experience(taken.clone()).await.unwrap();
    let same_id = NewExperience {
        id: taken.id,
        ..new("second of its id")
    };
    // Submitted together: one that fails in the database, three with the same key, and many others.
    let submits = [
        vec![
            same_id,
            keyed("once", 1),
            keyed("once", 1),
            keyed("other", 2),
        ],
        (0..200).map(|n| new(&n.to_string())).collect(),
    ];
    let together = submits.concat().into_iter().map(|new| {
        let store = Arc::clone(&store);
        async move { store.insert_experience(new).await }
    });
    let mut results = futures::future::join_all(together).await.into_iter();
    let mut next = || results.next().unwrap();
    assert!(matches!(next(), Err(StoreError::Database(_))));
    let once = next().unwrap();
    assert_eq!(next().unwrap(), once);
    assert!(matches!(next(), Err(StoreError::KeyReused)));
    let others: Vec<Uuid> = results.map(|stored| stored.unwrap().id).collect();
    assert_eq!(store.experiences(&others).await.unwrap().len(), 200);
    assert_eq!(store.head_seq().await.unwrap(), 202, "and no gap");
}

pub(super) async fn every_commit_changes_the_revision_if_there_is_one(database: TestDatabase) {
    let store = database.open().await;
    let other = database.open().await;
    let record = new("counted");
    let mut seen = vec![store.revision()];
    assert_eq!(store.revision(), seen[0], "nothing was written");
    other.insert_experience(record.clone()).await.unwrap();
    seen.push(store.revision());
    store.insert_experience(new("own")).await.unwrap();
    seen.push(store.revision());
    let moment = Timestamp::from_second(1_800_000_000).unwrap();
    let counts = new_counts([(record.id, 1)]);
    other.add_query_counts(&counts, moment).await.unwrap();
    seen.push(store.revision());
    other.claim_embedding_model(MODEL).await.unwrap();
    seen.push(store.revision());
    store.experiences_after(0, 10).await.unwrap();
    assert_eq!(
        seen.last(),
        Some(&store.revision()),
        "a read does not change the revision"
    );
    let distinct: std::collections::HashSet<u64> = seen.iter().copied().flatten().collect();
    assert!(
        distinct.is_empty() || distinct.len() == seen.len(),
        "{seen:?}"
    );
}

pub(super) async fn counts_add_up_and_are_listed_since_a_point_in_time(database: TestDatabase) {
    let store = database.open().await;
    let record = new("counted");
    store.insert_experience(record.clone()).await.unwrap();
    let moment = Timestamp::from_second(1_800_000_000).unwrap();
    store
        .add_query_counts(&new_counts([(record.id, 2), (Uuid::nil(), 5)]), moment)
        .await
        .unwrap();
    store
        .add_query_counts(&new_counts([(record.id, 3)]), moment)
        .await
        .unwrap();
    let stored = &store.experiences(&[record.id]).await.unwrap()[0];
    assert_eq!((stored.query_count, stored.popularity), (5, 50));
    let row = &store.index_rows(0, 1, 10).await.unwrap()[0];
    assert_eq!((row.query_count, row.popularity), (5, 50));
    let changed = store.query_counts_since(moment).await.unwrap();
    assert_eq!(
        changed
            .iter()
            .map(|c| (c.id, c.query_count, c.popularity))
            .collect::<Vec<_>>(),
        [(record.id, 5, 50)]
    );
    let later = moment
        .checked_add(jiff::SignedDuration::from_secs(1))
        .unwrap();
    assert!(store.query_counts_since(later).await.unwrap().is_empty());
}

pub(super) async fn vectors_belong_to_one_model(database: TestDatabase) {
    let store = database.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    store.claim_embedding_model(MODEL).await.unwrap();
    match store.claim_embedding_model("model-b").await {
        Err(StoreError::OtherModel { stored, configured }) => {
            assert_eq!((stored.as_str(), configured.as_str()), (MODEL, "model-b"));
        }
        other => panic!("{other:?}"),
    }
    let record = new("without a vector");
    store.insert_experience(record.clone()).await.unwrap();
    assert_eq!(
        store
            .without_vector(MODEL, Uuid::nil(), 10)
            .await
            .unwrap()
            .len(),
        1
    );
    assert!(
        store
            .without_vector(MODEL, record.id, 10)
            .await
            .unwrap()
            .is_empty()
    );

    let vector = |bytes: &[u8]| {
        [ExperienceVector {
            id: record.id,
            version: 1,
            vector: bytes.to_vec(),
        }]
    };
    let refused = store.put_vectors("model-b", &vector(&[9])).await;
    assert!(
        matches!(refused, Err(StoreError::ModelReplaced)),
        "{refused:?}"
    );
    assert_eq!(
        store.head_seq().await.unwrap(),
        1,
        "a vector of another model is not stored"
    );
    store.put_vectors(MODEL, &vector(&[1])).await.unwrap();
    let again = store.experiences_after(1, 10).await.unwrap();
    assert_eq!(
        (again[0].row.seq, again[0].row.vector.as_deref()),
        (2, Some(&[1_u8][..]))
    );
    store.put_vectors(MODEL, &vector(&[7])).await.unwrap();
    assert_eq!(
        store.head_seq().await.unwrap(),
        2,
        "a stored vector is not replaced"
    );

    store
        .replace_vectors("model-b", &vector(&[2]))
        .await
        .unwrap();
    assert_eq!(
        store.embedding_model().await.unwrap().as_deref(),
        Some("model-b")
    );
    let replaced = store.experiences_after(2, 10).await.unwrap();
    assert_eq!(replaced[0].row.vector.as_deref(), Some(&[2_u8][..]));
}

pub(super) async fn api_keys_are_found_by_hash_and_their_names_are_unique_until_revoked(
    database: TestDatabase,
) {
    let store = database.open().await;
    let moment = |second| Timestamp::from_second(1_800_000_000 + second).unwrap();
    let key = |name: &str, byte| HashedApiKey {
        record: ApiKey {
            id: Uuid::now_v7(),
            name: name.to_owned(),
            prefix: "rk_x".to_owned(),
            scope: Scope::Admin,
            created_at: moment(i64::from(byte)),
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
            projects: Projects::All,
            is_trusted: true,
        },
        hash: [byte; 32],
    };
    assert!(!store.has_active_api_key(moment(0)).await.unwrap());
    let mut first = key("ci", 1);
    first.record.expires_at = Some(moment(10));
    store.insert_api_key(&first, None).await.unwrap();
    assert!(store.has_active_api_key(moment(9)).await.unwrap());
    assert!(!store.has_active_api_key(moment(10)).await.unwrap());
    let found = store.api_key_by_hash(&[1; 32]).await.unwrap();
    assert_eq!(found, Some(first.clone()));
    let by_id = store.api_key(first.record.id).await.unwrap();
    assert_eq!(by_id, Some(first.record.clone()));
    assert_eq!(store.api_key(Uuid::nil()).await.unwrap(), None);
    assert_eq!(store.api_key_by_hash(&[2; 32]).await.unwrap(), None);

    let taken = store.insert_api_key(&key("ci", 2), None).await;
    assert!(
        matches!(&taken, Err(StoreError::KeyNameTaken(name)) if name == "ci"),
        "{taken:?}"
    );
    let id = first.record.id;
    let uses = [(id, moment(5)), (Uuid::nil(), moment(5))];
    store.note_api_key_uses(&uses).await.unwrap();
    store.note_api_key_uses(&[(id, moment(4))]).await.unwrap();
    assert!(store.revoke_api_key(id, moment(6), None).await.unwrap());
    assert!(!store.revoke_api_key(id, moment(7), None).await.unwrap());
    assert!(
        !store
            .revoke_api_key(Uuid::nil(), moment(7), None)
            .await
            .unwrap()
    );
    assert!(!store.has_active_api_key(moment(7)).await.unwrap());

    let second = key("ci", 2);
    store.insert_api_key(&second, None).await.unwrap();
    let revoked = ApiKey {
        last_used_at: Some(moment(5)),
        revoked_at: Some(moment(6)),
        ..first.record
    };
    assert_eq!(store.api_keys().await.unwrap(), [revoked, second.record]);
    let same_hash = store.insert_api_key(&key("other", 2), None).await;
    assert!(matches!(same_hash, Err(StoreError::Database(_))));
}
