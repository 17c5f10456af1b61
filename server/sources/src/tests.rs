//! Helpers for the tests of sources.

#![allow(clippy::unwrap_used)]

use std::{fs, ops::ControlFlow, path::Path};

use super::*;

/// Returns options that keep temporary files in a folder of the test.
pub(super) fn options(scratch: &Path) -> SourceOptions {
    SourceOptions {
        scratch: scratch.to_owned(),
        ..SourceOptions::default()
    }
}

/// Paths and contents of files.
type Files = Vec<(String, Vec<u8>)>;

/// Returns the files that a walk visits, and its result.
pub(super) fn walked(source: &Source, at: Option<&str>) -> Result<(Files, Walked), SourceError> {
    let mut files = Vec::new();
    let walked = source.walk(at, &mut |file| {
        files.push((file.path, file.bytes));
        ControlFlow::Continue(())
    })?;
    // `count` must be an upper bound of the files that are read.
    let most = walked.files + walked.skipped.len();
    let count = source.count(at);
    assert!(count.is_none_or(|count| (walked.files..=most).contains(&count)));
    Ok((files, walked))
}

/// Like [`walked`], but returns lines: `path` of a file, `path: reason` of what was skipped.
pub(super) fn lines(source: &Source, at: Option<&str>) -> Result<Vec<String>, SourceError> {
    let (files, walked) = walked(source, at)?;
    let files = files.into_iter().map(|(path, _)| path);
    let skipped = walked.skipped.into_iter();
    let skipped = skipped.map(|Skipped { path, reason }| format!("{path}: {reason}"));
    Ok(files.chain(skipped).collect())
}

/// Writes a file, and creates the folders above it.
pub(super) fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Returns the message of an error with that of its cause.
pub(super) fn error_text<T>(result: Result<T, SourceError>) -> String {
    let Err(error) = result else {
        return "no error".to_owned();
    };
    match std::error::Error::source(&error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

#[test]
fn texts_that_are_not_a_source_are_rejected_with_a_reason() {
    let scratch = tempfile::tempdir().unwrap();
    let check = |typed: &str, expected: &str| {
        let error = error_text(Source::open(typed, &options(scratch.path())));
        assert!(error.contains(expected), "{typed}: {error}");
    };
    check("", "give a path or a URL");
    check(
        "/no/such/folder",
        "there is no file or folder `/no/such/folder`",
    );
    check(
        "file:///etc/passwd",
        "only https:// and http:// are supported",
    );
    check("ssh://git@example.org/a/b.git", "only https:// and http://");
    check("ext::sh -c id", "there is no file or folder");
    check("git@example.org:a/b.git", "ssh is not supported");
    check(
        "git+file:///tmp/a",
        "only https:// and http:// are supported",
    );
    check("https://", "not a valid URL");
    let archive = scratch.path().join("a.tar.xz");
    write(&archive, b"\xfd7zXZ\0rest");
    check(archive.to_str().unwrap(), "xz archives are not supported");
}

#[test]
fn a_named_file_is_read_whatever_its_name_is() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, content: &[u8], expected: &str| {
        let path = folder.path().join(name);
        write(&path, content);
        let source = Source::open(path.to_str().unwrap(), &SourceOptions::default()).unwrap();
        assert_eq!(source.described(None).unwrap().kind, SourceKind::File);
        assert_eq!(lines(&source, None).unwrap(), [expected], "{name}");
    };
    check("CHANGELOG.md", b"# 1.0", "CHANGELOG.md");
    check(".hidden.md", b"# Title", ".hidden.md");
    check("binary.md", b"a\0b", "binary.md: it is binary");
    check("wide.md", b"\xff\xfea\0", "wide.md");
    check("empty.md", b"", "empty.md: it is empty");
    check("main.rs", b"fn", "main.rs: its format is not supported");
}

#[test]
fn limits_and_the_visitor_end_a_walk() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.md", "b.md", "c.md"] {
        write(&folder.path().join(name), "0123456789");
    }
    let open = |limits: Limits| {
        let options = SourceOptions {
            limits,
            ..SourceOptions::default()
        };
        Source::open(folder.path().to_str().unwrap(), &options).unwrap()
    };
    let standard = Limits::default;
    let check = |limits: Limits, expected: &str| {
        let error = error_text(walked(&open(limits), None));
        assert!(error.contains(expected), "{expected}: {error}");
    };
    check(
        Limits {
            files: 2,
            ..standard()
        },
        "more than 2 files;",
    );
    check(
        Limits {
            entries: 2,
            ..standard()
        },
        "more than 2 files and folders",
    );
    check(
        Limits {
            total_bytes: 29,
            ..standard()
        },
        "more than 29 bytes",
    );
    check(
        Limits {
            total_bytes: 30,
            files: 3,
            entries: 3,
            ..standard()
        },
        "no error",
    );
    let small = open(Limits {
        file_bytes: 9,
        ..standard()
    });
    assert_eq!(
        lines(&small, None).unwrap().first().unwrap(),
        "a.md: it is longer than 9 bytes"
    );
    let mut seen = 0;
    let stopped = open(standard()).walk(None, &mut |_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert_eq!((seen, stopped.unwrap().stopped), (1, true));
}
