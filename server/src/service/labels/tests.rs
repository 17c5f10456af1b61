//! Short ids and filters.

#![allow(clippy::unwrap_used)]

use super::*;

fn labels(id: &str) -> EntryLabels {
    EntryLabels {
        id: Ulid::from_string(id).unwrap(),
        kind: EntryType::Bug,
        project: Some("Shop".to_owned()),
        status: EntryStatus::Active,
    }
}

#[test]
fn a_short_id_is_as_long_as_it_must_be() {
    let all = Labels::default();
    let check = |id: &str, expected: &str| {
        assert_eq!(all.short(Ulid::from_string(id).unwrap()), expected);
    };
    all.put([labels("01KAN4Q3VX8J5T2M7N4P6R8S0A")]);
    check("01KAN4Q3VX8J5T2M7N4P6R8S0A", "01KAN4Q3");
    all.put([
        labels("01KAN4Q3VX8J5T2M7N4P6R8S0B"),
        labels("01KAN4Q3VX9J5T2M7N4P6R8S0B"),
        labels("01KAN4Q5VX9J5T2M7N4P6R8S0B"),
    ]);
    check("01KAN4Q3VX8J5T2M7N4P6R8S0A", "01KAN4Q3VX8J5T2M7N4P6R8S0A");
    check("01KAN4Q3VX9J5T2M7N4P6R8S0B", "01KAN4Q3VX9");
    check("01KAN4Q5VX9J5T2M7N4P6R8S0B", "01KAN4Q5");
}

#[test]
fn filters_let_pass_what_has_every_label() {
    let all = Labels::default();
    let known = labels("01KAN4Q3VX8J5T2M7N4P6R8S0A");
    all.put([known.clone()]);
    let check = |kind, project: Option<&str>, status, expected| {
        let filter = EntryFilter {
            kind,
            project: project.map(str::to_owned),
            status,
        };
        let filtered = all.filtered(&filter);
        assert_eq!(filtered.allows(known.id.into()), expected, "{filter:?}");
        assert!(!filtered.allows(Uuid::nil()), "an unknown entry");
    };
    check(None, None, None, true);
    check(
        Some(EntryType::Bug),
        Some("shop"),
        Some(EntryStatus::Active),
        true,
    );
    check(Some(EntryType::Config), None, None, false);
    check(None, Some("other"), None, false);
    check(None, None, Some(EntryStatus::Obsolete), false);
}
