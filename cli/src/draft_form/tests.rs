//! Forms that are read back, and damaged forms.

#![allow(clippy::unwrap_used)]

use super::*;

fn full() -> Draft {
    Draft {
        root_cause: Some("The closure is stale".to_owned()),
        context: Some(
            "  React 18\n\n# not a comment\n=== title ===\n=== keywords ===\n  indented".to_owned(),
        ),
        keywords: vec!["react".to_owned(), "hooks".to_owned()],
        ..Draft::new("Stale state", "It stays\non two lines", "Use the updater")
    }
}

#[test]
fn a_written_draft_is_read_back() {
    for draft in [full(), Draft::new("t", "p", "s")] {
        assert_eq!(read(&write(&draft)), Ok(draft));
    }
}

#[test]
fn a_damaged_form_is_rejected() {
    let check = |old: &str, new: &str, expected: FormError| {
        assert_eq!(read(&write(&full()).replacen(old, new, 1)), Err(expected));
    };
    check("Stale state", " ", FormError::Blank("title"));
    check("Use the updater", "", FormError::Blank("solution"));
    check(
        "=== root cause ===",
        "=== cause ===",
        FormError::HeadingMissing("root cause"),
    );
    assert_eq!(read(""), Err(FormError::HeadingMissing("title")));
}
