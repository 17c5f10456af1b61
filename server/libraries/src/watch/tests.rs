//! Which addresses a change concerns.

use jiff::Timestamp;
use recall_kit_store::{Library, LibraryVersion};

use super::Changes;
use crate::LibraryView;

/// Returns a view of libraries with these ids and versions; each version has the second of its ingest.
fn view(libraries: &[(u64, &[(&str, i64)])]) -> LibraryView {
    let version = |(name, second): &(&str, i64)| LibraryVersion {
        id: 1,
        version: (*name).to_owned(),
        source: String::new(),
        at: None,
        revision: None,
        files: 1,
        chunks: 1,
        tokens: 1,
        ingested_at: Timestamp::constant(*second, 0),
    };
    let libraries = libraries.iter().map(|(id, versions)| Library {
        id: *id,
        name: format!("library {id}"),
        description: String::new(),
        default_version: versions.first().map_or("", |(name, _)| name).to_owned(),
        versions: versions.iter().map(version).collect(),
    });
    LibraryView::from(recall_kit_store::LibrarySnapshot {
        edition: 1,
        libraries: libraries.collect(),
        placed: Vec::new(),
    })
}

#[test]
fn a_change_concerns_exactly_the_changed_addresses() {
    type Versions<'a> = &'a [(&'a str, i64)];
    let check =
        |old: &[(u64, Versions)], new: &[(u64, Versions)], list: bool, expected: &[&str]| {
            let changes = Changes::between(&view(old), &view(new));
            assert_eq!(changes.list, list, "{old:?} → {new:?}");
            let addresses = [
                "library/1",
                "library/2",
                "docs/chunk/1/a/x",
                "docs/chunk/1/b/x",
                "docs/chunk/2/a/x",
            ];
            let concerned = addresses
                .into_iter()
                .filter(|path| changes.concern(&format!("recall-kit:///{path}")));
            assert_eq!(concerned.collect::<Vec<_>>(), expected, "{old:?} → {new:?}");
            assert!(!changes.concern("file:///library/1"));
        };
    let one: Versions = &[("a", 1)];
    check(&[(1, one)], &[(1, one)], false, &[]);
    check(&[], &[(1, one)], true, &["library/1", "docs/chunk/1/a/x"]);
    check(&[(1, one)], &[], true, &["library/1", "docs/chunk/1/a/x"]);
    check(
        &[(1, one), (2, one)],
        &[(1, &[("a", 2)]), (2, one)],
        false,
        &["library/1", "docs/chunk/1/a/x"],
    );
    check(
        &[(1, one)],
        &[(1, &[("a", 1), ("b", 1)])],
        false,
        &["library/1", "docs/chunk/1/b/x"],
    );
    // Only the default version changed.
    check(
        &[(1, &[("a", 1), ("b", 1)])],
        &[(1, &[("b", 1), ("a", 1)])],
        false,
        &["library/1"],
    );
}
