//! Names of uploaded files.

#![allow(clippy::unwrap_used)]

use tempfile::NamedTempFile;

use super::{Input, SentFile};
use crate::{Source, SourceOptions, tests::error_text};

#[test]
fn a_name_has_no_folders_and_no_unprintable_characters() {
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
fn addresses_are_displayed_without_credentials() {
    let address = "git+https://zoe:word@example.com/project";
    let shown = Input::Typed(address.to_owned()).shown();
    assert_eq!(shown, "https://example.com/project");
    assert_eq!(Input::Typed("docs".to_owned()).shown(), "docs");
}

#[test]
fn an_uploaded_file_is_not_searched_for_on_disk() {
    let options = SourceOptions::default();
    let message = error_text(Source::of(
        &Input::Typed("upload:docs.zip".to_owned()),
        &options,
    ));
    assert!(message.contains("upload it there again"), "{message}");
}
