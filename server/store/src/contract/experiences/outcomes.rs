//! Outcomes are only added, and the standing of an experience is computed in the same transaction.

use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind, StandingState};

use super::*;
use crate::{
    Actor, ActorKind, AuditEvent, ChangedExperience, ExperienceChange, NewOutcome, Report,
    StoredOutcome, contract::knowledge::moment,
};

/// Returns a report by a trusted person.
pub(super) fn said(experience: Uuid, at: i64, principal: &str, kind: OutcomeKind) -> NewOutcome {
    NewOutcome {
        id: Uuid::now_v7(),
        experience,
        at: moment(at),
        report: Report {
            kind,
            principal: principal.to_owned(),
            tier: 1.0,
            evidence: Evidence::Person,
            recall_id: Some("r-1".to_owned()),
            note: Some("with \u{0} zsh".to_owned()),
            environment: None,
        },
        idempotency_key: None,
        event: None,
    }
}

/// Returns the event of a report.
fn reported(at: i64) -> AuditEvent {
    AuditEvent {
        at: moment(at),
        actor: Actor {
            kind: ActorKind::Local,
            id: None,
            name: None,
        },
        action: "outcome.reported".to_owned(),
        subject: None,
        details: None,
    }
}

pub(super) fn stored(new: &NewOutcome) -> StoredOutcome {
    StoredOutcome {
        id: new.id,
        experience: new.experience,
        at: new.at,
        report: Some(new.report.clone()),
    }
}

pub(super) async fn stored_experience(store: &dyn Store, title: &str) -> Uuid {
    let new = new(title);
    store.insert_experience(new).await.unwrap().id
}

pub(in crate::contract) async fn an_outcome_and_its_standing_are_stored_together(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    assert_eq!(store.standings(&[id]).await.unwrap(), []);
    let (worked, failed) = (
        said(id, 1, "user:a", OutcomeKind::Worked),
        NewOutcome {
            event: Some(reported(2)),
            ..said(id, 2, "user:b", OutcomeKind::DidNotWork)
        },
    );
    let first = store.report_outcome(&worked).await.unwrap();
    assert_eq!((first.id, first.is_new, first.tier), (worked.id, true, 1.0));
    assert!(first.counts);
    assert_eq!(first.standing.weights.at(moment(1)), (1.0, 0.0));
    let second = store.report_outcome(&failed).await.unwrap().standing;
    assert_eq!(
        (second.worked, second.did_not_work, second.voices),
        (1, 1, 2)
    );
    assert_eq!(second.state(moment(2)), StandingState::Contested);
    assert_eq!(second.last.worked_at, Some(moment(1)));
    assert_eq!(second.last_strong, second.last);
    assert_eq!(
        store.standings(&[id]).await.unwrap(),
        std::slice::from_ref(&second)
    );
    let newest_first = [stored(&failed), stored(&worked)];
    assert_eq!(store.outcomes_of(id, 9).await.unwrap(), newest_first);
    assert_eq!(store.audit(None, 9).await.unwrap().len(), 1);
}

pub(in crate::contract) async fn a_repeated_report_is_stored_once(database: TestDatabase) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    let keyed = |kind, tier| {
        let mut new = said(id, 1, "key:k", kind);
        new.report.tier = tier;
        NewOutcome {
            idempotency_key: Some("once".to_owned()),
            ..new
        }
    };
    let first = store
        .report_outcome(&keyed(OutcomeKind::Worked, 0.1))
        .await
        .unwrap();
    let again = store
        .report_outcome(&keyed(OutcomeKind::Worked, 1.0))
        .await
        .unwrap();
    assert_eq!((again.id, again.is_new, again.tier), (first.id, false, 0.1));
    assert_eq!(again.standing, first.standing);
    let from_elsewhere = NewOutcome {
        report: Report {
            principal: "network:2".to_owned(),
            evidence: Evidence::Agent,
            ..keyed(OutcomeKind::Worked, 0.0).report
        },
        ..keyed(OutcomeKind::Worked, 0.0)
    };
    let again = store.report_outcome(&from_elsewhere).await.unwrap();
    assert_eq!(
        (again.id, again.is_new, again.counts),
        (first.id, false, true)
    );
    let other_note = |mut new: NewOutcome| {
        new.report.note = None;
        new
    };
    for other in [
        keyed(OutcomeKind::DidNotWork, 0.1),
        other_note(keyed(OutcomeKind::Worked, 0.1)),
    ] {
        let other = store.report_outcome(&other).await;
        assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
    }
    assert_eq!(store.outcome_count().await.unwrap(), 1);
}

pub(in crate::contract) async fn a_voice_reports_so_often_a_day_and_not_more(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    let most = i64::from(crate::OUTCOMES_OF_VOICE_MAX);
    let report = async |at: i64, principal: &str, kind| {
        let new = said(id, at, principal, kind);
        store.report_outcome(&new).await.unwrap()
    };
    for at in 0..most {
        assert!(report(at, "user:a", OutcomeKind::Worked).await.is_new);
    }
    let last = report(most, "user:a", OutcomeKind::DidNotWork).await;
    assert_eq!((last.is_new, last.counts), (false, false));
    assert_eq!(last.id, store.outcomes_of(id, 1).await.unwrap()[0].id);
    assert_eq!((last.standing.worked, last.standing.did_not_work), (50, 0));
    assert!(report(most, "user:b", OutcomeKind::DidNotWork).await.counts);
    let a_day = 24 * 60 * 60;
    let later = report(a_day, "user:a", OutcomeKind::DidNotWork).await;
    assert_eq!((later.is_new, later.counts), (true, true));
    assert_eq!((later.standing.did_not_work, later.standing.voices), (2, 2));
}

pub(in crate::contract) async fn reports_without_weight_are_stored_once_a_day(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    let a_day = 24 * 60 * 60;
    for (at, principal, expected) in [
        (1, "network:1", true),
        (2, "network:1", false),
        (2, "network:2", true),
        (a_day, "network:1", false),
        (a_day + 1, "network:1", true),
    ] {
        let mut new = said(id, at, principal, OutcomeKind::Worked);
        new.report.tier = 0.0;
        let reported = store.report_outcome(&new).await.unwrap();
        assert_eq!(
            (reported.is_new, reported.counts),
            (expected, false),
            "{at}"
        );
    }
}

pub(in crate::contract) async fn reports_from_the_future_use_up_no_reports_of_today(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    let most = i64::from(crate::OUTCOMES_OF_VOICE_MAX);
    let ahead: Vec<_> = (0..most)
        .map(|at| stored(&said(id, 9_000_000 + at, "user:a", OutcomeKind::Worked)))
        .collect();
    store.import_outcomes(&ahead, moment(0)).await.unwrap();
    for at in 0..=most {
        let new = said(id, at, "user:a", OutcomeKind::DidNotWork);
        let reported = store.report_outcome(&new).await.unwrap();
        assert_eq!(reported.is_new, at < most, "{at}");
    }
}

pub(in crate::contract) async fn without_its_audit_record_an_outcome_is_not_stored(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    store
        .report_outcome(&said(id, 1, "user:a", OutcomeKind::Worked))
        .await
        .unwrap();
    let before = store_standing(store.as_ref(), id).await;
    let failing = NewOutcome {
        event: Some(AuditEvent {
            // Longer than the column takes.
            details: Some("x".repeat(501)),
            ..reported(2)
        }),
        idempotency_key: Some("once".to_owned()),
        ..said(id, 2, "user:b", OutcomeKind::DidNotWork)
    };
    let refused = store.report_outcome(&failing).await;
    assert!(
        matches!(refused, Err(StoreError::Database(_))),
        "{refused:?}"
    );
    assert_eq!(store_standing(store.as_ref(), id).await, before);
    assert_eq!(store.outcome_count().await.unwrap(), 1);
    assert_eq!(store.audit(None, 9).await.unwrap().len(), 0);
    let repaired = NewOutcome {
        event: Some(reported(2)),
        ..failing
    };
    assert!(store.report_outcome(&repaired).await.unwrap().is_new);
}

pub(in crate::contract) async fn standings_are_read_by_revision_whatever_the_clocks_say(
    database: TestDatabase,
) {
    let servers = [database.open().await, database.open().await];
    let (one, other) = (
        stored_experience(servers[0].as_ref(), "one").await,
        stored_experience(servers[0].as_ref(), "other").await,
    );
    let report = async |server: usize, id, at| {
        let new = said(id, at, "user:a", OutcomeKind::Worked);
        servers[server].report_outcome(&new).await.unwrap().standing
    };
    let first = report(0, one, 5_000).await;
    let second = report(1, other, 1).await;
    assert!(second.revision > first.revision);
    let after = async |revision| servers[0].standings_after(revision, 9).await.unwrap();
    assert_eq!(after(0).await, [first.clone(), second.clone()]);
    assert_eq!(after(first.revision).await, std::slice::from_ref(&second));
    let third = report(0, one, 2).await;
    assert_eq!(after(second.revision).await, std::slice::from_ref(&third));
    assert_eq!(servers[1].standings_after(0, 1).await.unwrap(), [second]);
    assert_eq!(after(third.revision).await, []);
}

pub(in crate::contract) async fn concurrent_reports_are_all_in_the_standing(
    database: TestDatabase,
) {
    let servers = [database.open().await, database.open().await];
    let id = stored_experience(servers[0].as_ref(), "tried").await;
    let reports = (0..20).map(|at| {
        let store = &servers[at % 2];
        async move {
            let new = said(id, 1, &format!("user:{at}"), OutcomeKind::Worked);
            store.report_outcome(&new).await.unwrap()
        }
    });
    futures::future::join_all(reports).await;
    let standing = store_standing(servers[0].as_ref(), id).await;
    assert_eq!((standing.worked, standing.voices), (20, 20));
    assert_eq!(standing.weights.at(moment(1)), (20.0, 0.0));
}

pub(in crate::contract) async fn edits_and_reports_at_the_same_time_do_not_wait_for_each_other(
    database: TestDatabase,
) {
    let servers = [database.open().await, database.open().await];
    let id = stored_experience(servers[0].as_ref(), "tried").await;
    let first = said(id, 1, "user:first", OutcomeKind::Worked);
    servers[0].report_outcome(&first).await.unwrap();
    let both = (0..20).map(|at| {
        let [one, other] = &servers;
        async move {
            let content = ExperienceContent {
                solution: format!("mend it {at} times"),
                ..content("tried again")
            };
            let changed = ChangedExperience {
                id,
                expected: None,
                change: ExperienceChange::Edit {
                    content: Box::new(content),
                    vector: None,
                },
                now: moment(2),
                event: None,
            };
            let report = said(id, 3, &format!("user:{at}"), OutcomeKind::Worked);
            futures::future::try_join(
                one.change_experience(&changed),
                other.report_outcome(&report),
            )
            .await
            .unwrap();
        }
    });
    futures::future::join_all(both).await;
    let standing = store_standing(servers[0].as_ref(), id).await;
    assert_eq!((standing.worked, standing.voices), (21, 21));
}

pub(super) async fn store_standing(store: &dyn Store, id: Uuid) -> crate::OutcomeStanding {
    store.standings(&[id]).await.unwrap().remove(0)
}

pub(in crate::contract) async fn a_change_of_the_solution_halves_the_voices_before_it(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    store
        .report_outcome(&said(id, 1, "user:a", OutcomeKind::DidNotWork))
        .await
        .unwrap();
    let edit = async |solution: &str| {
        let content = ExperienceContent {
            solution: solution.to_owned(),
            ..content("tried again")
        };
        let changed = ChangedExperience {
            id,
            expected: None,
            change: ExperienceChange::Edit {
                content: Box::new(content),
                vector: None,
            },
            now: moment(2),
            event: None,
        };
        store.change_experience(&changed).await.unwrap();
        store_standing(store.as_ref(), id).await
    };
    let weights = edit("mend  it\n🛠").await.weights;
    assert_eq!(
        weights.at(moment(1)),
        (0.0, 1.0),
        "only white space was changed"
    );
    let changed = edit("replace it").await;
    assert_eq!(changed.weights.at(moment(1)), (0.0, 0.5));
    assert_eq!((changed.did_not_work, changed.last_at), (1, moment(1)));
    let untried = stored_experience(store.as_ref(), "untried").await;
    store
        .change_experience(&ChangedExperience {
            id: untried,
            expected: None,
            change: ExperienceChange::Edit {
                content: Box::new(content("untried still")),
                vector: None,
            },
            now: moment(2),
            event: None,
        })
        .await
        .unwrap();
    assert_eq!(store.standings(&[untried]).await.unwrap(), []);
}

pub(in crate::contract) async fn hidden_and_deleted_experiences_take_no_outcomes(
    database: TestDatabase,
) {
    let store = database.open().await;
    let id = stored_experience(store.as_ref(), "tried").await;
    store
        .report_outcome(&said(id, 1, "user:a", OutcomeKind::Worked))
        .await
        .unwrap();
    let change = async |change| {
        let changed = ChangedExperience {
            id,
            expected: None,
            change,
            now: moment(2),
            event: None,
        };
        store.change_experience(&changed).await.unwrap();
    };
    let refused = async |id| {
        let refused = store
            .report_outcome(&said(id, 3, "user:b", OutcomeKind::Worked))
            .await;
        matches!(refused, Err(StoreError::NoExperience(_)))
    };
    assert!(refused(Uuid::now_v7()).await);
    change(ExperienceChange::Hide).await;
    assert!(refused(id).await);
    change(ExperienceChange::Unhide).await;
    change(ExperienceChange::Delete).await;
    assert!(refused(id).await);
    assert_eq!(store.purge_experiences(moment(9), 9).await.unwrap(), 1);
    assert_eq!(store.outcome_count().await.unwrap(), 0);
    assert_eq!(store.standings(&[id]).await.unwrap(), []);
}

pub(in crate::contract) async fn agreement_with_others_is_counted_by_experience(
    database: TestDatabase,
) {
    let store = database.open().await;
    let mut ids = Vec::new();
    for (title, other) in [
        ("a", Some(OutcomeKind::Worked)),
        ("b", Some(OutcomeKind::DidNotWork)),
        ("c", None),
        ("d", Some(OutcomeKind::WorkedWithChanges)),
    ] {
        let id = stored_experience(store.as_ref(), title).await;
        ids.push(id);
        store
            .report_outcome(&said(id, 1, "key:me", OutcomeKind::Worked))
            .await
            .unwrap();
        if let Some(other) = other {
            store
                .report_outcome(&said(id, 2, "user:a", other))
                .await
                .unwrap();
        }
    }
    assert_eq!(store.agreed_outcomes("key:me", 9).await.unwrap(), 2);
    assert_eq!(store.agreed_outcomes("user:a", 9).await.unwrap(), 2);
    assert_eq!(store.agreed_outcomes("key:nobody", 9).await.unwrap(), 0);
    store
        .report_outcome(&said(ids[2], 5, "key:me", OutcomeKind::Worked))
        .await
        .unwrap();
    assert_eq!(
        store.agreed_outcomes("key:me", 1).await.unwrap(),
        0,
        "only the last one"
    );
}
