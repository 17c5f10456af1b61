//! Real folders with ignore files, links and unusual names.

#![allow(clippy::unwrap_used)]

use std::{fs, os::unix::fs::symlink};

use crate::{
    Limits, Source, SourceOptions,
    tests::{lines, walked, write},
};

#[test]
fn ignore_files_links_and_skip_rules_are_respected() {
    let outside = tempfile::tempdir().unwrap();
    write(&outside.path().join("secret.md"), "not ours");
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    write(&at(".gitignore"), "drafts/\n*.tmp.md\n/top.md\n[\n");
    write(&at("kept/.gitignore"), "!x.tmp.md\n");
    write(&at("kept/.ignore"), "private.md\n");
    for path in [
        "README.md",
        "b/top.md",
        "b/z.md",
        "drafts/a.md",
        "kept/private.md",
        "kept/x.tmp.md",
        "node_modules/a/README.md",
        "top.md",
        "y.tmp.md",
    ] {
        write(&at(path), path);
    }
    symlink(outside.path().join("secret.md"), at("out.md")).unwrap();
    symlink(outside.path(), at("outside")).unwrap();
    symlink(at("README.md"), at("same.md")).unwrap();
    symlink("nowhere", at("broken.md")).unwrap();
    symlink("..", at("b/loop")).unwrap();
    let pipe = at("pipe.md");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let source = Source::open(folder.path().to_str().unwrap(), &SourceOptions::default()).unwrap();
    assert_eq!(
        lines(&source, None).unwrap(),
        [
            "README.md",
            "b/top.md",
            "b/z.md",
            "kept/x.tmp.md",
            ".gitignore: its name begins with a dot",
            "b/loop: it is a link, and links are not followed",
            "broken.md: it cannot be read: entity not found",
            "drafts/: it matches an ignore file",
            "kept/.gitignore: its name begins with a dot",
            "kept/.ignore: its name begins with a dot",
            "kept/private.md: it matches an ignore file",
            "node_modules/: it contains third-party code",
            "out.md: it is a link to something outside the source",
            "outside: it is a link to something outside the source",
            "pipe.md: it is not an ordinary file",
            "same.md: it is a link, and links are not followed",
            "top.md: it matches an ignore file",
            "y.tmp.md: it matches an ignore file",
        ]
    );
}

#[test]
fn deep_folders_and_unusual_names_are_skipped() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a/b/c.md"), "deep enough");
    write(&folder.path().join("a/b/c/d.md"), "too deep");
    write(&folder.path().join("line\nbreak.md"), "odd");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    fs::write(folder.path().join(name), "odd").unwrap();
    let options = SourceOptions {
        limits: Limits {
            depth: 3,
            ..Limits::default()
        },
        ..SourceOptions::default()
    };
    let source = Source::open(folder.path().to_str().unwrap(), &options).unwrap();
    assert_eq!(
        lines(&source, None).unwrap(),
        [
            "a/b/c.md",
            "a/b/c/: it is nested in too many folders",
            "caf\u{fffd}.md: its name is not UTF-8",
            "line\\nbreak.md: its name has control characters",
        ]
    );
    let (files, _) = walked(&source, None).unwrap();
    assert_eq!(files, [("a/b/c.md".to_owned(), b"deep enough".to_vec())]);
}
