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
        applies: "npm react >=16.8 <19; node 20".parse().ok(),
        ..Draft::new("Stale state", "It stays\non two lines", "Use the updater")
    }
}

#[test]
fn a_written_draft_is_read_back() {
    for draft in [full(), Draft::new("t", "p", "s")] {
        assert_eq!(read(&write(&draft), draft.applies.as_ref()), Ok(draft));
    }
}

#[test]
fn a_damaged_form_is_rejected() {
    let check = |old: &str, new: &str, expected: FormError| {
        let form = write(&full()).replacen(old, new, 1);
        assert_eq!(read(&form, None), Err(expected));
    };
    check("Stale state", " ", FormError::Blank("title"));
    check("Use the updater", "", FormError::Blank("solution"));
    check(
        "=== root cause ===",
        "=== cause ===",
        FormError::HeadingMissing("root cause"),
    );
    check(
        "=== applies to ===",
        "",
        FormError::HeadingMissing("applies to"),
    );
    assert_eq!(read("", None), Err(FormError::HeadingMissing("title")));
}

#[test]
fn lines_are_changed_removed_and_added() {
    let applies = |lines: &str| {
        let form = write(&full());
        let (begin, _) = form.rsplit_once("npm react").unwrap();
        read(&format!("{begin}{lines}"), full().applies.as_ref()).map(|draft| draft.applies)
    };
    let lines = |lines: &str| Some(lines.parse().unwrap());
    assert_eq!(
        applies("npm react <20\nwindows\n"),
        Ok(lines("npm react <20; windows"))
    );
    // What a person removed is not read from the texts again.
    assert_eq!(applies(" \n"), Ok(Some(Claims::default())));
    let Err(FormError::Applies(error)) = applies("npm react >2 <1") else {
        panic!("the range is empty");
    };
    assert_eq!(
        FormError::Applies(error).message(&Words::ALL[0]),
        "`npm react >2 <1` cannot be read: no version is in the range `>2 <1`"
    );
    // What was not stated before is not stated by an empty field.
    let draft = Draft::new("t", "p", "s");
    assert_eq!(read(&write(&draft), None), Ok(draft));
}
