//! Outcomes are only added, and the standing of an experience is computed in the same transaction.

use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind, StandingState};

use super::*;
use crate::{
    Actor, ActorKind, AuditEvent, ChangedExperience, ExperienceChange, NewOutcome, OutcomeImport,
    Report, StoredOutcome, contract::knowledge::moment,
};

/// Returns a report by a trusted person.
fn said(experience: Uuid, at: i64, principal: &str, kind: OutcomeKind) -> NewOutcome {
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
        },
        idempotency_key: None,
        event: None,
    }
}

fn stored(new: &NewOutcome) -> StoredOutcome {
    StoredOutcome {
        id: new.id,
        experience: new.experience,
        at: new.at,
        report: Some(new.report.clone()),
    }
}

async fn stored_experience(store: &dyn Store, title: &str) -> Uuid {
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
            event: Some(AuditEvent {
                at: moment(2),
                actor: Actor {
                    kind: ActorKind::Local,
                    id: None,
                    name: None,
                },
                action: "outcome.reported".to_owned(),
                subject: None,
                details: None,
            }),
            ..said(id, 2, "user:b", OutcomeKind::DidNotWork)
        },
    );
    let first = store.report_outcome(&worked).await.unwrap();
    assert_eq!((first.id, first.is_new, first.tier), (worked.id, true, 1.0));
    assert_eq!(first.standing.weights.limited(), (1.0, 0.0));
    let second = store.report_outcome(&failed).await.unwrap().standing;
    assert_eq!(
        (second.worked, second.did_not_work, second.voices),
        (1, 1, 2)
    );
    assert_eq!(second.state(moment(2)), StandingState::Contested);
    assert_eq!(second.last_worked_at, Some(moment(1)));
    assert_eq!(
        store.standings(&[id]).await.unwrap(),
        std::slice::from_ref(&second)
    );
    assert_eq!(
        store.standings_since(moment(2)).await.unwrap(),
        std::slice::from_ref(&second)
    );
    assert_eq!(store.standings_since(moment(3)).await.unwrap(), []);
    let page = store.standings_by_id(Uuid::nil(), 9).await.unwrap();
    assert_eq!(page, [second]);
    assert_eq!(store.standings_by_id(id, 9).await.unwrap(), []);
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
    assert_eq!((again.standing.worked, again.standing.voices), (1, 1));
    let other = store
        .report_outcome(&keyed(OutcomeKind::DidNotWork, 0.1))
        .await;
    assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
    assert_eq!(store.outcome_count().await.unwrap(), 1);
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
    assert_eq!(standing.weights.limited(), (20.0, 0.0));
}

async fn store_standing(store: &dyn Store, id: Uuid) -> crate::OutcomeStanding {
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
        weights.limited(),
        (0.0, 1.0),
        "only white space was changed"
    );
    let changed = edit("replace it").await;
    assert_eq!(changed.weights.limited(), (0.0, 0.5));
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
        assert_eq!(standing, store_standing(store.as_ref(), id).await);
    }
    let mut other = outcomes[0].clone();
    other.at = moment(3);
    assert_eq!(import(&[other]).await, [OutcomeImport::Conflict]);
}
