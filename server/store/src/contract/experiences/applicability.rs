//! Where experiences apply: read from texts in order, and observed by outcomes.

use recall_kit_shared_types::{
    applicability::{Applies, AppliesSource, Environment, PackageVersion},
    outcomes::OutcomeKind,
};
use uuid::Uuid;

use super::outcomes::{said, stored_experience};
use crate::{
    ChangedExperience, ExperienceChange, ExperienceContent, NewOutcome, ReadTexts, Report, Store,
    contract::{content, knowledge::moment, place::TestDatabase},
};

const READER: u32 = 3;

fn react(range: &str) -> Applies {
    Applies {
        purl: Some("pkg:npm/react".to_owned()),
        range: Some(range.to_owned()),
        ..Applies::default()
    }
}

/// Reads all texts with a reader that finds the same in each.
async fn read_all(store: &dyn Store, reader: u32, found: &Applies) -> Vec<Uuid> {
    let mut read = Vec::new();
    loop {
        let unread = store.unread_experiences(reader, 2).await.unwrap();
        let Some(last) = unread.experiences.last() else {
            return read;
        };
        let applies = unread
            .experiences
            .iter()
            .map(|one| (one.id, vec![found.clone()]));
        let texts = ReadTexts {
            reader,
            after: unread.after,
            up_to: last.seq,
            applies: applies.collect(),
        };
        assert!(store.put_read_texts(&texts).await.unwrap());
        // Another process that read the same ones stores nothing.
        assert!(!store.put_read_texts(&texts).await.unwrap());
        read.extend(unread.experiences.iter().map(|one| one.id));
    }
}

pub(in crate::contract) async fn texts_are_read_once_and_again_after_an_edit(
    database: TestDatabase,
) {
    let store = database.open().await;
    let store = store.as_ref();
    let mut ids = Vec::new();
    for title in ["a", "b", "c"] {
        ids.push(stored_experience(store, title).await);
    }
    let below_19 = react("vers:npm/<19");
    assert_eq!(read_all(store, READER, &below_19).await, ids);
    let stored = store.applicability_after(0, 10).await.unwrap();
    let known: Vec<_> = stored.iter().map(|one| one.experience).collect();
    assert_eq!(known, ids);
    assert!(stored.iter().all(|one| one.applies == [below_19.clone()]));
    let revision = stored.last().unwrap().revision;
    // What is found again is not stored again.
    let edit = ChangedExperience {
        id: ids[1],
        expected: None,
        change: ExperienceChange::Edit {
            content: Box::new(content("b, edited")),
            vector: None,
        },
        now: moment(1),
        event: None,
    };
    store.change_experience(&edit).await.unwrap();
    assert_eq!(read_all(store, READER, &below_19).await, [ids[1]]);
    assert_eq!(store.applicability_after(revision, 10).await.unwrap(), []);
    // What is stated can be withdrawn.
    let stated = async || {
        let stored = store.stored_experience(ids[1]).await.unwrap().unwrap();
        stored.experience.content.applies
    };
    assert_eq!(stated().await, content("b").applies);
    let withdrawn = ExperienceContent {
        applies: None,
        ..content("b, edited")
    };
    let withdrawal = ChangedExperience {
        change: ExperienceChange::Edit {
            content: Box::new(withdrawn),
            vector: None,
        },
        ..edit
    };
    store.change_experience(&withdrawal).await.unwrap();
    assert_eq!(stated().await, None);
    assert_eq!(read_all(store, READER, &below_19).await, [ids[1]]);
    // A later reader reads everything, an earlier one nothing any more.
    let below_20 = react("vers:npm/<20");
    assert_eq!(
        read_all(store, READER + 1, &below_20).await,
        [ids[0], ids[2], ids[1]]
    );
    assert_eq!(read_all(store, READER, &below_19).await, [] as [Uuid; 0]);
    let changed = store.applicability_after(revision, 10).await.unwrap();
    assert_eq!(changed.len(), 3);
}

pub(in crate::contract) async fn outcomes_show_with_which_versions_it_worked(
    database: TestDatabase,
) {
    let store = database.open().await;
    let store = store.as_ref();
    let id = stored_experience(store, "tried").await;
    read_all(store, READER, &react("vers:npm/<20")).await;
    let report = |at: i64, voice: &str, kind, version: Option<&str>| {
        let new = said(id, at, voice, kind);
        let package = version.map(|version| PackageVersion {
            purl: "pkg:npm/react".to_owned(),
            version: Some(version.to_owned()),
        });
        NewOutcome {
            report: Report {
                environment: package.map(|package| Environment {
                    packages: vec![package],
                    ..Environment::default()
                }),
                ..new.report
            },
            ..new
        }
    };
    for new in [
        report(1, "user:a", OutcomeKind::Worked, Some("18.2.0")),
        report(2, "user:b", OutcomeKind::DidNotWork, Some("19.0.0")),
        report(3, "user:c", OutcomeKind::DidNotWork, Some("19.1.0")),
        report(4, "user:d", OutcomeKind::Worked, None),
    ] {
        store.report_outcome(&new).await.unwrap();
    }
    let stored = store.applicability(&[id]).await.unwrap().pop().unwrap();
    assert_eq!(stored.applies, [react("vers:npm/<20")]);
    let inferred = Applies {
        source: AppliesSource::Inferred,
        support: Some(3),
        ..react("vers:npm/<19.0.0")
    };
    let worked = Applies {
        source: AppliesSource::Observed,
        support: Some(1),
        ..react("vers:npm/18.2.0")
    };
    assert_eq!(stored.observed, [inferred, worked]);
    let outcomes = store.outcomes_of(id, 10).await.unwrap();
    let environments = outcomes.iter().filter_map(|outcome| {
        let report = outcome.report.as_ref()?;
        report.environment.as_ref()
    });
    assert_eq!(environments.count(), 3);
}
