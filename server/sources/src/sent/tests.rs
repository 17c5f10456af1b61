//! Names of files that were sent.

#![allow(clippy::unwrap_used)]

use tempfile::NamedTempFile;

use super::{Input, SentFile};
use crate::{Source, SourceOptions, tests::words};

#[test]
fn a_name_says_no_folder_and_nothing_that_cannot_be_shown() {
    let check = |typed: &str, expected: &str| {
        let sent = SentFile::new(typed, NamedTempFile::new().unwrap());
        assert_eq!(sent.name(), expected, "{typed:?}");
        assert_eq!(sent.origin(), format!("upload:{expected}"));
    };
    check("docs.zip", "docs.zip");
    check("/etc/passwd", "passwd");
    check("C:\\docs\\manual.md", "manual.md");
    check("../../docs.tar.gz", "docs.tar.gz");
    check("a\u{1b}[2J.md", "a\\u{1b}[2J.md");
    check("", "file");
    check("docs/", "file");
    let long = format!("{}.md", "a".repeat(300));
    check(&long, &format!("{}.md", "a".repeat(97)));
}

#[test]
fn addresses_are_shown_without_what_is_secret_in_them() {
    let address = "git+https://zoe:word@example.com/project";
    let shown = Input::Typed(address.to_owned()).shown();
    assert_eq!(shown, "https://example.com/project");
    assert_eq!(Input::Typed("docs".to_owned()).shown(), "docs");
}

#[test]
fn what_was_sent_is_not_looked_for_among_files() {
    let options = SourceOptions::default();
    let said = words(Source::of(
        &Input::Typed("upload:docs.zip".to_owned()),
        &options,
    ));
    assert!(said.contains("send it again"), "{said}");
}
