//! What outcomes with versions add up to.

use jiff::Timestamp;
use recall_kit_shared_types::{
    applicability::{Environment, PackageVersion},
    outcomes::{Evidence, OutcomeKind},
};
use uuid::Uuid;

use super::observed;
use crate::{Report, StoredOutcome};

fn outcome(voice: &str, kind: OutcomeKind, version: &str, tier: f64) -> StoredOutcome {
    let react = PackageVersion {
        purl: "pkg:npm/react".to_owned(),
        version: Some(version.to_owned()),
    };
    StoredOutcome {
        id: Uuid::now_v7(),
        experience: Uuid::nil(),
        at: Timestamp::UNIX_EPOCH,
        report: Some(Report {
            kind,
            principal: voice.to_owned(),
            tier,
            evidence: Evidence::Agent,
            recall_id: None,
            note: None,
            environment: Some(Environment {
                packages: vec![react],
                ..Environment::default()
            }),
        }),
    }
}

/// Returns the ranges, each with its source and its support.
fn ranges(outcomes: &[StoredOutcome]) -> Vec<String> {
    let all = observed(outcomes).into_iter();
    all.map(|one| {
        let range = one.range.unwrap_or_default();
        let support = one.support.unwrap_or_default();
        format!("{} {range} {support}", one.source.as_str())
    })
    .collect()
}

const WORKED: OutcomeKind = OutcomeKind::Worked;
const FAILED: OutcomeKind = OutcomeKind::DidNotWork;

#[test]
fn three_strong_voices_show_from_which_version_it_fails() {
    let outcomes = [
        outcome("a", WORKED, "18.2.0", 1.0),
        outcome("b", FAILED, "19.0.0", 1.0),
        outcome("c", FAILED, "19.1.0", 1.0),
    ];
    assert_eq!(
        ranges(&outcomes),
        ["inferred vers:npm/<19.0.0 3", "observed vers:npm/18.2.0 1"]
    );
    // The other way round: it needs a later version.
    let outcomes = [
        outcome("a", FAILED, "9.9.0", 1.0),
        outcome("b", FAILED, "10.1.0", 1.0),
        outcome("c", WORKED, "11.0.0", 1.0),
    ];
    assert_eq!(
        ranges(&outcomes),
        ["inferred vers:npm/>10.1.0 3", "observed vers:npm/11.0.0 1"]
    );
}

#[test]
fn nothing_is_inferred_from_weak_few_or_divided_voices() {
    let worked = "observed vers:npm/18.2.0 1";
    let weak = [
        outcome("e", WORKED, "1.0.0", 0.1),
        outcome("a", WORKED, "18.2.0", 1.0),
        outcome("b", FAILED, "19.0.0", 0.1),
        outcome("c", FAILED, "19.1.0", 0.1),
        outcome("d", FAILED, "19.1.0", 0.0),
    ];
    assert_eq!(ranges(&weak), [worked]);
    let one_voice = [
        outcome("a", WORKED, "18.2.0", 1.0),
        outcome("b", FAILED, "19.0.0", 1.0),
        outcome("b", FAILED, "19.0.0", 1.0),
    ];
    assert_eq!(ranges(&one_voice), [worked]);
    // One voice about several versions is one voice.
    let many_versions = [
        outcome("b", WORKED, "17.0.0", 1.0),
        outcome("a", WORKED, "18.2.0", 1.0),
        outcome("b", FAILED, "19.0.0", 1.0),
        outcome("b", FAILED, "19.1.0", 1.0),
    ];
    assert_eq!(ranges(&many_versions), [worked]);
    // What is no version says nothing.
    let words = [
        outcome("a", WORKED, "18.2.0", 1.0),
        outcome("b", WORKED, "*", 1.0),
        outcome("c", WORKED, ">=0", 1.0),
        outcome("d", WORKED, "latest", 1.0),
    ];
    assert_eq!(ranges(&words), [worked]);
    let divided = [
        outcome("a", WORKED, "18.2.0", 1.0),
        outcome("b", FAILED, "18.0.0", 1.0),
        outcome("c", FAILED, "19.0.0", 1.0),
    ];
    assert_eq!(ranges(&divided), [worked]);
}

#[test]
fn the_last_word_of_a_voice_counts_and_several_failures_exclude_a_version() {
    let outcomes = [
        outcome("a", FAILED, "18.2.0", 1.0),
        outcome("a", WORKED, "18.2.0", 1.0),
        outcome("b", FAILED, "18.3.0", 1.0),
        outcome("c", FAILED, "18.3.0", 1.0),
        outcome("d", WORKED, "18.4.0", 1.0),
    ];
    assert_eq!(
        ranges(&outcomes),
        [
            "inferred vers:npm/!=18.3.0 2",
            "observed vers:npm/18.4.0 1",
            "observed vers:npm/18.2.0 1",
        ]
    );
}
