//! Records that people change, hide, delete and list.

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

/// A change of whatever version there is, at a second.
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

pub(super) async fn a_change_is_a_new_version_at_a_new_place_in_commit_order(place: Place) {
    let store = place.open().await;
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

    let bare = changed(record.id, edit("third", None), 9);
    store.change_experience(&bare).await.unwrap();
    let waiting = store.without_vector(MODEL, Uuid::nil(), 9).await.unwrap();
    assert_eq!(waiting.len(), 1, "its old vector is not its own any more");
}

pub(super) async fn only_a_later_version_overtakes(place: Place) {
    let store = place.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let record = new("first");
    store.insert_experience(record.clone()).await.unwrap();
    let mut later = store.stored_experience(record.id).await.unwrap().unwrap();
    later.experience.content = content("fourth");
    later.state.version = 4;
    later.state.hidden_at = Some(at(5));
    later.vector = Some(vec![4]);
    let overtake = async |later| store.overtake_experience(Some(MODEL), later).await.unwrap();
    assert!(overtake(&later).await);
    let stored = store.stored_experience(record.id).await.unwrap().unwrap();
    assert_eq!(stored, later);
    assert_eq!(store.head_seq().await.unwrap(), 2);
    let other = StoredExperience {
        vector: Some(vec![9]),
        ..later.clone()
    };
    assert!(!overtake(&other).await, "one that is not later stays out");
    let stored = store.stored_experience(record.id).await.unwrap().unwrap();
    assert_eq!(stored, later);
}

pub(super) async fn what_is_hidden_or_deleted_is_not_found_until_it_comes_back(place: Place) {
    let store = place.open().await;
    let (kept, record) = (new("kept"), new("shy"));
    store.insert_experience(kept.clone()).await.unwrap();
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
        assert_eq!(again, state, "nothing changes twice");

        let is_gone = standing != Standing::Visible;
        let there = usize::from(!is_gone);
        let ids = [kept.id, record.id];
        assert_eq!(store.experiences(&ids).await.unwrap().len(), 1 + there);
        let prefix = record.id.to_string();
        let named = store.experiences_with_prefix(&prefix, 2).await.unwrap();
        assert_eq!(named.len(), there);
        let named = store.all_experiences_with_prefix(&prefix, 2).await.unwrap();
        assert_eq!(named, [record.id], "a person finds it whatever it is");
        let size = store.head_seq_and_size().await.unwrap();
        assert_eq!(size, (step, 1 + there as u64));
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

pub(super) async fn of_two_who_edit_one_version_the_second_is_told(place: Place) {
    let servers = [place.open().await, place.open().await];
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
    let told = match (one, other) {
        (Ok(_), Err(told)) | (Err(told), Ok(_)) => told,
        both => panic!("{both:?}"),
    };
    assert!(matches!(told, StoreError::VersionChanged { current: 2 }));
    assert_eq!(servers[0].head_seq().await.unwrap(), 2);

    let unknown = changed(Uuid::from_u128(9), ExperienceChange::Hide, 5);
    let refused = servers[0].change_experience(&unknown).await;
    assert!(matches!(refused, Err(StoreError::NoExperience(_))));
    let stored = servers[0].stored_experience(unknown.id).await.unwrap();
    assert_eq!(stored, None);
}

pub(super) async fn lists_are_whole_in_every_order(place: Place) {
    let store = place.open().await;
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
        let (page, of) = store.list_experiences(&listing).await.unwrap();
        let listed: Vec<Uuid> = page.iter().map(|brief| brief.id).collect();
        let expected: Vec<Uuid> = expected.iter().map(|place| ids[*place]).collect();
        assert_eq!((listed, of), (expected, total), "{listing:?}");
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

pub(super) async fn what_was_deleted_long_ago_is_removed_with_its_keys(place: Place) {
    let store = place.open().await;
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
    assert_eq!(repeated.id, ids[0], "its key still answers");

    assert_eq!(store.purge_experiences(at(25), 1).await.unwrap(), 1);
    let gone = store.stored_experience(ids[1]).await.unwrap();
    assert_eq!(gone, None, "the one deleted first goes first");
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

pub(super) async fn an_entry_holds_or_not_from_what_is_known_of_it(place: Place) {
    let store = with_entries(&place, 2).await;
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
    let heard: Vec<_> = indexed
        .iter()
        .map(|one| (one.row.seq, one.status))
        .collect();
    assert_eq!(heard, [(3, EntryStatus::Obsolete)]);
    let stale = store.set_entry_status(&change, None).await;
    assert!(matches!(stale, Err(StoreError::EntryChanged(Ulid(1)))));

    let whatever = EntryStatusChange {
        known: None,
        ..change
    };
    let unchanged = store.set_entry_status(&whatever, None).await.unwrap();
    assert_eq!(
        (unchanged, store.entry_head_seq().await.unwrap()),
        (moment(5), 3)
    );
    let back = EntryStatusChange {
        status: EntryStatus::Active,
        ..whatever
    };
    let version = store.set_entry_status(&back, None).await.unwrap();
    assert!(version > moment(5), "though the clock stood still");
    let entry = store.entry(Ulid(1)).await.unwrap().unwrap();
    assert_eq!(
        (entry.status, entry.updated_at),
        (EntryStatus::Active, version)
    );
    let unknown = EntryStatusChange {
        id: Ulid(9),
        ..whatever
    };
    let gone = store.set_entry_status(&unknown, None).await;
    assert!(matches!(gone, Err(StoreError::EntryGone(Ulid(9)))));
}

pub(super) async fn a_vector_of_an_earlier_text_is_not_stored(place: Place) {
    let store = place.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let records = ["edited", "purged", "kept"].map(new);
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
    let [edited, purged, kept] = &records;
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
        let stored = store.stored_experience(kept.id).await.unwrap().unwrap();
        assert_eq!(stored.vector, Some(vec![1]), "{model}");
    }
    assert_eq!(store.count_without_vector("model-b").await.unwrap(), 1);
}

pub(super) async fn vectors_of_an_earlier_entry_are_not_stored(place: Place) {
    let store = with_entries(&place, 2).await;
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
