//! Short ids and filters.

#![allow(clippy::unwrap_used)]

use super::*;

fn labels(id: &str) -> EntryLabels {
    EntryLabels {
        id: Ulid::from_string(id).unwrap(),
        kind: EntryType::Bug,
        project: Some("Shop".to_owned()),
        status: EntryStatus::Active,
        short: None,
    }
}

#[test]
fn a_short_id_is_as_long_as_necessary() {
    let all = Labels::default();
    let check = |id: &str, expected: &str| {
        assert_eq!(
            all.short(&Projects::All, Ulid::from_string(id).unwrap()),
            expected
        );
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
fn an_entry_passes_a_filter_if_all_labels_match() {
    let all = Labels::default();
    let known = labels("01KAN4Q3VX8J5T2M7N4P6R8S0A");
    all.put([known.clone()]);
    let check = |kind, project: Option<&str>, status, expected| {
        let filter = EntryFilter {
            kind,
            project: project.map(str::to_owned),
            status,
        };
        let filtered = all.filtered(&Projects::All, &filter);
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

#[test]
fn entries_of_other_projects_leave_no_trace() {
    let all = Labels::default();
    let of = |id: &str, project: Option<&str>| EntryLabels {
        project: project.map(str::to_owned),
        ..labels(id)
    };
    let own = of("01KAN4Q3VX8J5T2M7N4P6R8S0B", Some("SHOP"));
    let far = of("01KAN4Q3VX9J5T2M7N4P6R8S0B", Some("shop"));
    all.put([
        of("01KAN4Q3VX8J5T2M7N4P6R8S0A", Some("Bank")),
        own.clone(),
        of("01KAN4Q3VX8J5T2M7N4P6R8S0C", None),
        far.clone(),
    ]);
    let shop = Projects::only(["Shop".to_owned()]).unwrap();
    // With the two nearer ids of other projects, the full id would be necessary.
    assert_eq!(all.short(&shop, own.id), "01KAN4Q3VX8");
    assert_eq!(all.short(&Projects::All, own.id), own.id.to_string());
    let listed = all.list(&shop, &EntryFilter::default());
    assert_eq!(listed, [own.clone(), far.clone()]);
    let bank = EntryFilter {
        project: Some("Bank".to_owned()),
        ..EntryFilter::default()
    };
    assert_eq!(all.list(&shop, &bank), []);
    let projects = all.projects(&shop).into_iter();
    assert_eq!(
        projects.map(|one| one.to_string()).collect::<Vec<_>>(),
        ["SHOP", "shop"]
    );

    let check = |projects, prefix, expected: &[Ulid]| {
        assert_eq!(all.with_prefix(projects, prefix, 2), expected, "{prefix}");
    };
    check(&shop, "01KAN", &[own.id, far.id]);
    check(&shop, "01KAN4Q3VX8J5T2M7N4P6R8S0A", &[]);
    check(&shop, "01KAN4Q3VX8J5T2M7N4P6R8S0B", &[own.id]);
    for none in ["01KAM", "01KAO", "U1KAN", "é", &"0".repeat(27)] {
        check(&Projects::All, none, &[]);
    }
    assert!(all.are_within(&shop, own.id) && !all.are_within(&shop, Ulid::nil()));
    assert!(all.are_within(&Projects::All, Ulid::nil()));
}
