//! A standing that is updated is the one that all outcomes result in: with many outcomes, and after moving them.

use std::collections::HashMap;

use recall_kit_shared_types::outcomes::OutcomeKind;

use super::{
    outcomes::{said, store_standing, stored, stored_experience},
    *,
};
use crate::{
    KeyFamily, KeyImport, NewOutcome, OutcomeImport, OutcomeStanding, StoredOutcome,
    contract::knowledge::moment,
};

const DAY: i64 = 24 * 60 * 60;

/// Checks that a stored standing is the one that is computed from all outcomes.
async fn check(store: &dyn Store, id: Uuid) {
    let kept = store_standing(store, id).await;
    let mut all = store.outcomes_of(id, 10_000).await.unwrap();
    all.reverse();
    let mut anew = crate::standing_of(id, &all, kept.weights.as_of).unwrap();
    for (kept, anew) in [
        (kept.weights.strong, anew.weights.strong),
        (kept.weights.weak, anew.weights.weak),
    ] {
        let differences = [
            kept.for_it - anew.for_it,
            kept.against - anew.against,
            kept.no - anew.no,
        ];
        assert!(
            differences.iter().all(|one| one.abs() < 1e-9),
            "{kept:?} {anew:?}"
        );
    }
    (anew.weights, anew.revision) = (kept.weights, kept.revision);
    assert_eq!(kept, anew);
}

/// Returns many outcomes of an experience by some voices.
fn many(id: Uuid, voices: i64) -> Vec<StoredOutcome> {
    (0..300)
        .map(|at| {
            let principal = format!("user:{}", at % voices);
            stored(&said(id, at, &principal, OutcomeKind::Worked))
        })
        .collect()
}

pub(in crate::contract) async fn many_outcomes_add_up_as_few_do(database: TestDatabase) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    let outcomes = many(id, 120);
    store.import_outcomes(&outcomes, moment(300)).await.unwrap();
    for (at, principal) in [(300, "user:7"), (301, "user:new"), (301, "user:7")] {
        let new = said(id, at, principal, OutcomeKind::DidNotWork);
        store.report_outcome(&new).await.unwrap();
    }
    let kept = store_standing(store.as_ref(), id).await;
    assert_eq!((kept.worked, kept.did_not_work), (300, 3));
    assert_eq!((kept.voices, kept.strong_voices), (121, 121));
    check(store.as_ref(), id).await;
}

pub(in crate::contract) async fn a_clock_that_was_ahead_does_not_make_other_reports_old(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    let outcomes = many(id, 120);
    store.import_outcomes(&outcomes, moment(300)).await.unwrap();
    let report = async |at: i64, principal: &str| {
        let new = said(id, at, principal, OutcomeKind::DidNotWork);
        store.report_outcome(&new).await.unwrap().standing
    };
    report(4_000 * DAY, "user:ahead").await;
    let standing = report(301, "user:new").await;
    let (for_it, against) = standing.weights.at(moment(301));
    assert!(for_it > 119.99 && against > 1.99, "{standing:?}");
    // Also when that voice reports again, and after its time has come.
    for (at, principal) in [
        (30 * DAY, "user:ahead"),
        (31 * DAY, "user:7"),
        (4_001 * DAY, "user:new"),
        (4_001 * DAY - 60, "user:ahead"),
        (4_002 * DAY, "user:7"),
    ] {
        report(at, principal).await;
        check(store.as_ref(), id).await;
    }
}

pub(in crate::contract) async fn interleaved_outcomes_are_imported_as_they_were_reported(
    database: TestDatabase,
) {
    let store = database.open().await;
    let mut ids = Vec::new();
    for title in ["one", "two", "three"] {
        ids.push(stored_experience(store.as_ref(), title).await);
    }
    let kinds = [
        OutcomeKind::Worked,
        OutcomeKind::DidNotWork,
        OutcomeKind::NotApplicable,
    ];
    let mut outcomes = Vec::new();
    for number in 0..900_usize {
        // Most times grow; some reports were made by a server whose clock was behind.
        let at = number as i64 * 900 - if number % 11 == 0 { 40_000 } else { 0 };
        let principal = format!("user:{}", number % 8);
        let mut new = said(ids[number % 3], at, &principal, kinds[number % 7 % 3]);
        new.report.tier = [1.0, 0.1][number % 2];
        let mut outcome = stored(&new);
        if number % 97 == 0 && number > 0 {
            outcome.report = None;
        }
        outcomes.push(outcome);
    }
    let now = moment(900 * 900);
    for batch in outcomes.chunks(50) {
        let imports = store.import_outcomes(batch, now).await.unwrap();
        assert!(imports.iter().all(|one| *one == OutcomeImport::Stored));
    }
    for id in &ids {
        check(store.as_ref(), *id).await;
    }
    // Nothing is changed by what is known already; older outcomes are added to newer ones.
    let revisions = async || -> HashMap<Uuid, u64> {
        let standings = store.standings(&ids).await.unwrap();
        standings
            .into_iter()
            .map(|one| (one.experience, one.revision))
            .collect()
    };
    let before = revisions().await;
    let again = store.import_outcomes(&outcomes[..200], now).await.unwrap();
    assert!(again.iter().all(|one| *one == OutcomeImport::Existing));
    assert_eq!(revisions().await, before);
    let older = stored(&said(ids[0], -9_000_000, "user:old", OutcomeKind::Worked));
    let newer = stored(&said(ids[1], 810_000, "user:old", OutcomeKind::Worked));
    store.import_outcomes(&[older, newer], now).await.unwrap();
    for id in &ids {
        check(store.as_ref(), *id).await;
    }
}

pub(in crate::contract) async fn moved_keys_of_outcomes_keep_them_from_being_stored_twice(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    let keyed = |key: &str| NewOutcome {
        idempotency_key: Some(key.to_owned()),
        ..said(id, 5, "key:k", OutcomeKind::Worked)
    };
    // In the order of bytes; other orders ignore case or punctuation.
    let all = ["B", "a", "a:b", "aa"];
    for key in ["aa", "a:b", "B", "a"] {
        store.report_outcome(&keyed(key)).await.unwrap();
    }
    let family = KeyFamily::Outcomes;
    let page = async |since, after: &str| {
        let since = moment(since);
        store
            .idempotency_keys(family, (since, after), 3)
            .await
            .unwrap()
    };
    let first = page(0, "").await;
    let second = page(0, &first[2].key).await;
    assert_eq!(page(6, "").await, []);
    let keys = [first, second].concat();
    let names: Vec<&str> = keys.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(names, all);

    let elsewhere = database.another();
    let target = elsewhere.open().await;
    let import = async || {
        let imports = target.import_idempotency_keys(family, &keys).await.unwrap();
        assert!(imports.iter().all(|one| *one == imports[0]), "{imports:?}");
        imports[0]
    };
    let records = store.experiences_by_id(Uuid::nil(), None, 9).await.unwrap();
    target.import_experiences(None, &records).await.unwrap();
    assert_eq!(import().await, KeyImport::RecordMissing);
    let outcomes = store.outcomes_by_id(Uuid::nil(), 9).await.unwrap();
    target.import_outcomes(&outcomes, moment(9)).await.unwrap();
    assert_eq!(import().await, KeyImport::Stored);
    assert_eq!(import().await, KeyImport::Existing);
    let retried = target.report_outcome(&keyed("a:b")).await.unwrap();
    assert_eq!((retried.is_new, retried.counts), (false, true));
    assert_eq!(target.outcome_count().await.unwrap(), 4);
    let mut of_another = keys.clone();
    of_another[0].record = keys[1].record;
    of_another[1].key = "other".to_owned();
    let imports = target
        .import_idempotency_keys(family, &of_another[..2])
        .await
        .unwrap();
    assert_eq!(imports, [KeyImport::Conflict; 2]);
}

pub(in crate::contract) async fn imported_outcomes_result_in_the_same_standing(
    database: TestDatabase,
) {
    let store = database.open().await;
    let mut new = new("tried");
    new.author = Some(Uuid::from_u128(5));
    let id = store.insert_experience(new).await.unwrap().id;
    assert_eq!(store.author_of(id).await.unwrap(), Some(Uuid::from_u128(5)));
    for (at, kind) in [(1, OutcomeKind::Worked), (2, OutcomeKind::NotApplicable)] {
        store
            .report_outcome(&said(id, at, "user:a", kind))
            .await
            .unwrap();
    }
    let elsewhere = TestDatabase::sqlite();
    let target = elsewhere.open().await;
    let outcomes = store.outcomes_by_id(Uuid::nil(), 9).await.unwrap();
    assert_eq!(outcomes.len(), 2);
    let import = async |outcomes: &[StoredOutcome]| {
        target.import_outcomes(outcomes, moment(2)).await.unwrap()
    };
    assert_eq!(
        import(&outcomes).await,
        [OutcomeImport::ExperienceMissing; 2]
    );
    let records = store.experiences_by_id(Uuid::nil(), None, 9).await.unwrap();
    target.import_experiences(None, &records).await.unwrap();
    assert_eq!(
        target.author_of(id).await.unwrap(),
        Some(Uuid::from_u128(5))
    );
    for expected in [OutcomeImport::Stored, OutcomeImport::Existing] {
        assert_eq!(import(&outcomes).await, [expected; 2]);
        assert_eq!(
            target.outcomes_by_id(Uuid::nil(), 9).await.unwrap(),
            outcomes
        );
        let standing = store_standing(target.as_ref(), id).await;
        let original = store_standing(store.as_ref(), id).await;
        let revision = original.revision;
        assert_eq!(
            OutcomeStanding {
                revision,
                ..standing
            },
            original
        );
    }
    let mut other = outcomes[0].clone();
    other.at = moment(3);
    assert_eq!(import(&[other]).await, [OutcomeImport::Conflict]);
}
