//! Records that are changed, hidden, deleted and listed.

use recall_kit_shared_types::knowledge::EntryStatus;
use ulid::Ulid;

use super::{
    knowledge::{moment, new_entry, with_entries},
    *,
};
use crate::{
    ChangedExperience, EntryBatch, EntryContent, EntryStatusChange, EntryUpdate, EntryVectors,
    ExperienceChange, ExperienceListing, ExperienceOrder, ExperienceState, ExperienceVector,
    IdempotencyKey, NewEntryVectors, Page, Standing, StoredExperience,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Returns a change of any version, at a second.
fn changed(id: Uuid, change: ExperienceChange, second: i64) -> ChangedExperience {
    ChangedExperience {
        id,
        expected: None,
        change,
        now: at(second),
        event: None,
    }
}

fn edit(title: &str, vector: Option<&[u8]>) -> ExperienceChange {
    ExperienceChange::Edit {
        content: Box::new(content(title)),
        vector: vector.map(|vector| (MODEL.to_owned(), vector.to_vec())),
    }
}

pub(super) async fn a_change_increments_the_version_and_takes_the_next_seq(database: TestDatabase) {
    let store = database.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let record = NewExperience {
        vector: Some((MODEL.to_owned(), vec![1])),
        ..new("first")
    };
    store.insert_experience(record.clone()).await.unwrap();
    let before = store.stored_experience(record.id).await.unwrap().unwrap();
    assert_eq!(before.state, ExperienceState::default());
    assert_eq!(before.vector, Some(vec![1]));

    let change = changed(record.id, edit("second", Some(&[2])), 8);
    let state = store.change_experience(&change).await.unwrap();
    assert_eq!((state.version, state.changed_at), (2, Some(at(8))));
    let after = store.stored_experience(record.id).await.unwrap().unwrap();
    assert_eq!(after.experience.content, content("second"));
    let created_at = rounded_time(record.created_at);
    assert_eq!(after.experience.created_at, created_at);
    assert_eq!((after.state, after.vector), (state, Some(vec![2])));
    let indexed = store.experiences_after(1, 10).await.unwrap();
    let [indexed] = &indexed[..] else {
        panic!("{indexed:?}")
    };
    assert_eq!((indexed.row.seq, &indexed.row.vector), (2, &Some(vec![2])));
    assert_eq!(indexed.content, Some(content("second")));

    let without_vector = changed(record.id, edit("third", None), 9);
    store.change_experience(&without_vector).await.unwrap();
    let missing = store.without_vector(MODEL, Uuid::nil(), 9).await.unwrap();
    assert_eq!(missing.len(), 1, "the vector of the old text is removed");
}

pub(super) async fn only_a_later_version_replaces_a_record(database: TestDatabase) {
    let store = database.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let record = new("first");
    store.insert_experience(record.clone()).await.unwrap();
    let mut later = store.stored_experience(record.id).await.unwrap().unwrap();
    later.experience.content = content("fourth");
    later.state.version = 4;
    later.state.hidden_at = Some(at(5));
    later.vector = Some(vec![4]);
    let overtake = async |later: &StoredExperience| {
        store.overtake_experience(Some(MODEL), later).await.unwrap()
    };
    assert!(overtake(&later).await);
    let stored = store.stored_experience(record.id).await.unwrap().unwrap();
    assert_eq!(stored, later);
    assert_eq!(store.head_seq().await.unwrap(), 2);
    let other = StoredExperience {
        vector: Some(vec![9]),
        ..later.clone()
    };
    assert!(!overtake(&other).await, "the version is not later");
    let stored = store.stored_experience(record.id).await.unwrap().unwrap();
    assert_eq!(stored, later);
    // A later version states that no version matters, and one after it withdraws what was stated.
    for applies in [Some(Vec::new()), None] {
        later.state.version += 1;
        later.experience.content.applies = applies;
        assert!(overtake(&later).await);
        let stored = store.stored_experience(record.id).await.unwrap().unwrap();
        assert_eq!(stored, later);
    }
}

pub(super) async fn hidden_and_deleted_records_are_not_found_until_they_are_restored(
    database: TestDatabase,
) {
    let store = database.open().await;
    let (visible, record) = (new("visible"), new("hidden"));
    store.insert_experience(visible.clone()).await.unwrap();
    store.insert_experience(record.clone()).await.unwrap();
    let steps = [
        (ExperienceChange::Hide, Standing::Hidden),
        (ExperienceChange::Delete, Standing::Deleted),
        (ExperienceChange::Restore, Standing::Hidden),
        (ExperienceChange::Unhide, Standing::Visible),
    ];
    for (step, (change, standing)) in (3_u64..).zip(steps) {
        let change = changed(record.id, change, 100);
        let state = store.change_experience(&change).await.unwrap();
        assert_eq!((state.version, state.standing()), (step - 1, standing));
        let again = store.change_experience(&change).await.unwrap();
        assert_eq!(again, state, "the second call changes nothing");

        let is_gone = standing != Standing::Visible;
        let found = usize::from(!is_gone);
        let ids = [visible.id, record.id];
        assert_eq!(store.experiences(&ids).await.unwrap().len(), 1 + found);
        let prefix = record.id.to_string();
        let named = store.experiences_with_prefix(&prefix, 2).await.unwrap();
        assert_eq!(named.len(), found);
        let named = store.all_experiences_with_prefix(&prefix, 2).await.unwrap();
        assert_eq!(named, [record.id], "found regardless of its visibility");
        let size = store.head_seq_and_size().await.unwrap();
        assert_eq!(size, (step, 1 + found as u64));
        assert_eq!(store.experience_count(u64::MAX).await.unwrap(), size.1);
        let rows = store.index_rows(0, step, 10).await.unwrap();
        let last = rows.last().unwrap();
        assert_eq!((last.seq, last.is_gone), (step, is_gone));
        let indexed = store.experiences_after(step - 1, 10).await.unwrap();
        assert_eq!(indexed[0].row, *last);
        assert_eq!(indexed[0].content.is_none(), is_gone);
        let stored = store.stored_experience(record.id).await.unwrap().unwrap();
        assert_eq!(stored.experience.content, record.content);
    }
}

pub(super) async fn of_two_concurrent_edits_of_one_version_the_second_is_refused(
    database: TestDatabase,
) {
    let servers = [database.open().await, database.open().await];
    let record = new("first");
    servers[0].insert_experience(record.clone()).await.unwrap();
    let edits = ["one", "other"].map(|title| ChangedExperience {
        expected: Some(1),
        ..changed(record.id, edit(title, None), 5)
    });
    let (one, other) = futures::join!(
        servers[0].change_experience(&edits[0]),
        servers[1].change_experience(&edits[1])
    );
    let refused = match (one, other) {
        (Ok(_), Err(refused)) | (Err(refused), Ok(_)) => refused,
        both => panic!("{both:?}"),
    };
    assert!(matches!(refused, StoreError::VersionChanged { current: 2 }));
    assert_eq!(servers[0].head_seq().await.unwrap(), 2);

    let unknown = changed(Uuid::from_u128(9), ExperienceChange::Hide, 5);
    let refused = servers[0].change_experience(&unknown).await;
    assert!(matches!(refused, Err(StoreError::NoExperience(_))));
    let stored = servers[0].stored_experience(unknown.id).await.unwrap();
    assert_eq!(stored, None);
}

pub(super) async fn lists_are_complete_in_every_order(database: TestDatabase) {
    let store = database.open().await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let record = NewExperience {
            created_at: at(1_000 + number),
            ..new(&format!("record {number}"))
        };
        ids.push(store.insert_experience(record).await.unwrap().id);
    }
    let counts = new_counts([(ids[1], 9), (ids[3], 4)]);
    store.add_query_counts(&counts, at(2_000)).await.unwrap();
    for (id, change) in [
        (ids[2], ExperienceChange::Hide),
        (ids[4], ExperienceChange::Delete),
    ] {
        let change = changed(id, change, 3_000);
        store.change_experience(&change).await.unwrap();
    }
    let check = async |standing, order, page: (u64, u32), expected: &[usize], total: u64| {
        let (offset, limit) = page;
        let listing = ExperienceListing {
            standing,
            order,
            page: Page { offset, limit },
        };
        let (page, count) = store.list_experiences(&listing).await.unwrap();
        let listed: Vec<Uuid> = page.iter().map(|brief| brief.id).collect();
        let expected: Vec<Uuid> = expected.iter().map(|index| ids[*index]).collect();
        assert_eq!((listed, count), (expected, total), "{listing:?}");
        assert!(page.iter().all(|one| one.state.standing() == standing));
    };
    let (newest, most_seen) = (ExperienceOrder::Newest, ExperienceOrder::MostSeen);
    check(Standing::Visible, newest, (0, 9), &[3, 1, 0], 3).await;
    check(Standing::Visible, newest, (1, 1), &[1], 3).await;
    check(Standing::Visible, newest, (7, 9), &[], 3).await;
    check(
        Standing::Visible,
        ExperienceOrder::Oldest,
        (0, 2),
        &[0, 1],
        3,
    )
    .await;
    check(Standing::Visible, most_seen, (0, 9), &[1, 3, 0], 3).await;
    check(Standing::Hidden, newest, (0, 9), &[2], 1).await;
    check(Standing::Deleted, most_seen, (0, 9), &[4], 1).await;
}

pub(super) async fn records_deleted_long_ago_are_purged_with_their_idempotency_keys(
    database: TestDatabase,
) {
    let store = database.open().await;
    let keyed = |title: &str| NewExperience {
        idempotency: Some(IdempotencyKey {
            key: title.to_owned(),
            fingerprint: [3; 32],
        }),
        vector: Some((MODEL.to_owned(), vec![1])),
        ..new(title)
    };
    store.claim_embedding_model(MODEL).await.unwrap();
    let mut ids = Vec::new();
    for title in ["long ago", "longer ago", "lately", "hidden"] {
        ids.push(store.insert_experience(keyed(title)).await.unwrap().id);
    }
    for (id, second) in [(ids[0], 20), (ids[1], 10), (ids[2], 30)] {
        let deleted = changed(id, ExperienceChange::Delete, second);
        store.change_experience(&deleted).await.unwrap();
    }
    let hidden = changed(ids[3], ExperienceChange::Hide, 1);
    store.change_experience(&hidden).await.unwrap();
    let repeated = store.insert_experience(keyed("long ago")).await.unwrap();
    assert_eq!(repeated.id, ids[0], "its key is still stored");

    assert_eq!(store.purge_experiences(at(25), 1).await.unwrap(), 1);
    let gone = store.stored_experience(ids[1]).await.unwrap();
    assert_eq!(gone, None, "the one deleted first is purged first");
    assert_eq!(store.purge_experiences(at(25), 9).await.unwrap(), 1);
    assert_eq!(store.purge_experiences(at(25), 9).await.unwrap(), 0);
    assert_eq!(store.stored_experience_count().await.unwrap(), 2);
    assert_eq!(store.count_without_vector(MODEL).await.unwrap(), 0);
    let anew = keyed("long ago");
    assert_eq!(
        store.insert_experience(anew.clone()).await.unwrap().id,
        anew.id
    );
}

pub(super) async fn the_status_of_an_entry_changes_only_at_the_known_version(
    database: TestDatabase,
) {
    let store = with_entries(&database, 2).await;
    let change = EntryStatusChange {
        id: Ulid(1),
        known: Some(moment(0)),
        status: EntryStatus::Obsolete,
        now: moment(5),
    };
    assert_eq!(
        store.set_entry_status(&change, None).await.unwrap(),
        moment(5)
    );
    let indexed = store.entries_after(2, 9).await.unwrap();
    let statuses: Vec<_> = indexed
        .iter()
        .map(|one| (one.row.seq, one.status))
        .collect();
    assert_eq!(statuses, [(3, EntryStatus::Obsolete)]);
    let stale = store.set_entry_status(&change, None).await;
    assert!(matches!(stale, Err(StoreError::EntryChanged(Ulid(1)))));

    let any_version = EntryStatusChange {
        known: None,
        ..change
    };
    let unchanged = store.set_entry_status(&any_version, None).await.unwrap();
    assert_eq!(
        (unchanged, store.entry_head_seq().await.unwrap()),
        (moment(5), 3)
    );
    let back = EntryStatusChange {
        status: EntryStatus::Active,
        ..any_version
    };
    let version = store.set_entry_status(&back, None).await.unwrap();
    assert!(version > moment(5), "although the clock did not advance");
    let entry = store.entry(Ulid(1)).await.unwrap().unwrap();
    assert_eq!(
        (entry.status, entry.updated_at),
        (EntryStatus::Active, version)
    );
    let unknown = EntryStatusChange {
        id: Ulid(9),
        ..any_version
    };
    let gone = store.set_entry_status(&unknown, None).await;
    assert!(matches!(gone, Err(StoreError::EntryGone(Ulid(9)))));
}

pub(super) async fn a_vector_of_an_earlier_text_is_not_stored(database: TestDatabase) {
    let store = database.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let records = ["edited", "purged", "unchanged"].map(new);
    for record in &records {
        store.insert_experience(record.clone()).await.unwrap();
    }
    let read = store.without_vector(MODEL, Uuid::nil(), 9).await.unwrap();
    let vectors: Vec<_> = read
        .iter()
        .map(|read| ExperienceVector {
            id: read.experience.id,
            version: read.version,
            vector: vec![1],
        })
        .collect();
    let [edited, purged, unchanged] = &records;
    let change = changed(edited.id, edit("another text", None), 8);
    store.change_experience(&change).await.unwrap();
    let change = changed(purged.id, ExperienceChange::Delete, 9);
    store.change_experience(&change).await.unwrap();
    store.purge_experiences(at(10), 9).await.unwrap();

    for (model, others) in [(MODEL, 1), ("model-b", 1)] {
        let written = match model {
            MODEL => store.put_vectors(model, &vectors).await,
            _ => store.replace_vectors(model, &vectors).await,
        };
        assert_eq!(written.unwrap(), 1, "{model}");
        let left = store.without_vector(model, Uuid::nil(), 9).await.unwrap();
        assert_eq!(left.len(), others, "{model}");
        assert_eq!((left[0].experience.id, left[0].version), (edited.id, 2));
        let stored = store.stored_experience(unchanged.id).await.unwrap();
        let stored = stored.unwrap();
        assert_eq!(stored.vector, Some(vec![1]), "{model}");
    }
    assert_eq!(store.count_without_vector("model-b").await.unwrap(), 1);
}

pub(super) async fn vectors_of_an_earlier_version_of_an_entry_are_not_stored(
    database: TestDatabase,
) {
    let store = with_entries(&database, 2).await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let read = store.entries_without_vectors(MODEL, Ulid::nil(), 9).await;
    let vectors: Vec<_> = read
        .unwrap()
        .iter()
        .map(|entry| NewEntryVectors {
            id: entry.id,
            version: entry.version(),
            vectors: EntryVectors::default(),
        })
        .collect();
    let update = EntryUpdate {
        id: Ulid(1),
        content: EntryContent {
            title: "another text".to_owned(),
            ..new_entry(1).content
        },
        known: moment(0),
        now: moment(5),
    };
    let edited = EntryBatch {
        updates: vec![update],
        ..EntryBatch::default()
    };
    store.insert_entries(&edited).await.unwrap();
    let stored = store.put_entry_vectors(MODEL, &vectors).await.unwrap();
    assert_eq!(stored, [Ulid(2)]);
    let left = store.entries_without_vectors(MODEL, Ulid::nil(), 9).await;
    let left = left.unwrap();
    assert_eq!((left.len(), left[0].id), (1, Ulid(1)));
}
