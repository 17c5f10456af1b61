//! Which entries are turns, and which turns are around an entry.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::knowledge::EntryType;
use recall_kit_store::{EntryLabels, Projects};
use uuid::Uuid;

use super::*;
use crate::indexing::labels::{EntryFilter, Labels};

const MINUTE: u64 = 60_000;

/// An entry added so many minutes after the first.
struct Added {
    minute: u64,
    project: Option<&'static str>,
    content: &'static str,
    context: Option<&'static str>,
}

fn turn(minute: u64, content: &'static str) -> Added {
    Added {
        minute,
        project: Some("Shop"),
        content,
        context: None,
    }
}

fn id(minute: u64) -> Ulid {
    Ulid::from_parts(1_800_000_000_000 + minute * MINUTE, 7)
}

fn labels(all: Vec<Added>) -> Labels {
    let labels = Labels::default();
    labels.put(all.into_iter().map(|one| EntryLabels {
        id: id(one.minute),
        kind: EntryType::Reference,
        project: one.project.map(str::to_owned),
        status: EntryStatus::Active,
        short: Some(ShortText {
            content: one.content.to_owned(),
            context: one.context.map(str::to_owned),
        }),
    }));
    labels
}

/// Returns the minutes of the turns before and after one, as search sees them.
fn minutes(labels: &Labels, minute: u64) -> (Vec<u64>, Vec<u64>) {
    let filter = EntryFilter::default();
    let around = labels
        .filtered(&Projects::All, &filter)
        .around(id(minute).into());
    let of = |ids: Vec<Uuid>| {
        let ids = ids.into_iter().map(Ulid::from);
        ids.map(|one| (one.timestamp_ms() - id(0).timestamp_ms()) / MINUTE)
            .collect()
    };
    (of(around.before), of(around.after))
}

fn conversation() -> Vec<Added> {
    vec![
        turn(0, "The export gives 504s since Friday."),
        turn(3, "Only the export, or everything behind the gateway?"),
        turn(4, "Only the export."),
        turn(64, "Then it is the proxy."),
    ]
}

#[test]
fn turns_within_an_hour_are_neighbours() {
    let mut all = conversation();
    all.push(turn(126, "What about the upload?"));
    // Another project in between, and one without.
    all.push(Added {
        project: Some("Till"),
        ..turn(5, "Is the till open?")
    });
    all.push(Added {
        project: None,
        ..turn(6, "Who asked?")
    });
    let labels = labels(all);
    assert_eq!(minutes(&labels, 3), (vec![0], vec![4, 64]));
    assert_eq!(minutes(&labels, 64), (vec![4, 3, 0], vec![]));
    for alone in [126, 5, 6, 9] {
        assert_eq!(minutes(&labels, alone), (vec![], vec![]), "{alone}");
    }
}

#[test]
fn notes_are_not_a_conversation() {
    let mut all = conversation();
    for one in &mut all {
        one.content = "Set retries?=3 in `client?.toml`; see https://example.org/?page=2.";
    }
    let labels = labels(all);
    assert!(labels.has_turns());
    assert_eq!(minutes(&labels, 3), (vec![], vec![]));
    // They are still shown beside each other.
    let around = labels.around(&Projects::All, id(3));
    assert_eq!((around.before.len(), around.after.len()), (1, 2));
}

#[test]
fn entries_with_a_common_context_are_a_conversation_over_any_time() {
    let all = [0, 400, 900, 1_500].map(|minute| Added {
        context: Some("Thread 71"),
        ..turn(minute, "Set retries to 3.")
    });
    let labels = labels(all.into());
    assert_eq!(minutes(&labels, 400), (vec![0], vec![900, 1_500]));
}

#[test]
fn changes_take_effect_at_once() {
    let labels = labels(conversation());
    assert_eq!(minutes(&labels, 4), (vec![3, 0], vec![64]));
    let change = |minute, status, content: &str| EntryLabels {
        id: id(minute),
        kind: EntryType::Reference,
        project: Some("Shop".to_owned()),
        status,
        short: Some(ShortText {
            content: content.to_owned(),
            context: None,
        }),
    };
    labels.put([change(0, EntryStatus::Obsolete, "Never mind.")]);
    // Three turns are too few.
    assert_eq!(minutes(&labels, 4), (vec![], vec![]));
    labels.put([change(70, EntryStatus::Active, "Which one?")]);
    assert_eq!(minutes(&labels, 4), (vec![3], vec![64, 70]));
}

#[test]
fn callers_limited_to_other_projects_see_no_neighbours() {
    let labels = labels(conversation());
    let till = Projects::only(["Till".to_owned()]).unwrap();
    assert_eq!(labels.around(&till, id(3)), Around::default());
}

#[test]
fn long_texts_are_not_turns() {
    let of = |content: &str| {
        Turn::of(&ShortText {
            content: content.to_owned(),
            context: None,
        })
    };
    assert!(of(&"word ".repeat(64)).is_some());
    assert_eq!(of(&"word ".repeat(70)), None);
    assert!(of(&"字".repeat(80)).is_some());
    assert_eq!(of(&"字".repeat(90)), None);
}
