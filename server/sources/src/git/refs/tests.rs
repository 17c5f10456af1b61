//! Names and order of versions.

#![allow(clippy::unwrap_used)]

use super::{Ref, Refs};

const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

#[test]
fn tags_are_in_version_order() {
    let check = |ordered: &[&str]| {
        let mut shuffled = ordered.to_vec();
        shuffled.sort_by_key(|tag| tag.bytes().rev().collect::<Vec<_>>());
        let lines = shuffled.iter().map(|tag| format!("{A}  refs/tags/{tag}\n"));
        let refs = Refs::of_local(&lines.collect::<String>(), None);
        assert_eq!(refs.tags(), ordered);
    };
    check(&["v1.8.0", "v1.9.0", "v1.10.0"]);
    check(&[
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-rc.2",
        "1.0.0-rc.10",
        "1.0.0",
        "1.0.1",
    ]);
    check(&["v0.9", "1.0", "v2", "v2.0.1", "10.0"]);
    check(&["release-1.2", "release-1.10"]);
    check(&["2023.9.1", "2023.10.01", "2023.10.2"]);
    check(&["1.99999999999999999999999", "1.100000000000000000000000"]);
}

#[test]
fn names_that_git_does_not_allow_are_ignored() {
    let tags = [
        "v1",
        "-upload-pack=x",
        "a b",
        "a..b",
        "a:b",
        "+x",
        "x.lock",
        "a/../b",
        "*",
        "a@{1}",
        "",
        "a/b",
    ];
    let lines = tags.map(|tag| format!("{A}\trefs/tags/{tag}\n")).concat();
    assert_eq!(Refs::of_remote(&lines).tags(), ["a/b", "+x", "v1"]);
    let odd = format!("--evil\trefs/tags/v1\n{A}\trefs/pull/1/head\nnothing\n");
    assert!(Refs::of_remote(&odd).tags().is_empty());
}

#[test]
fn versions_are_found_by_tag_branch_and_id() {
    let lines = format!(
        "{A}\tHEAD\n{A}\trefs/heads/main\n{A}\trefs/heads/v1\n{A}\trefs/tags/v1\n\
         {B}\trefs/tags/v1^{{}}\n"
    );
    let refs = Refs::of_remote(&lines);
    let check = |at: Option<&str>, name: &str, commit: &str| {
        let expected = Ref {
            name: name.to_owned(),
            commit: commit.to_owned(),
        };
        assert_eq!(refs.find(at).unwrap(), expected, "{at:?}");
    };
    check(None, "HEAD", A);
    check(Some("HEAD"), "HEAD", A);
    check(Some("main"), "refs/heads/main", A);
    check(Some("v1"), "refs/tags/v1", B);
    check(Some(B), "refs/tags/v1", B);
    let message = |at| refs.find(Some(at)).unwrap_err().to_string();
    let unknown = "the repository has no tag, branch or commit";
    assert_eq!(
        message("maim"),
        format!("{unknown} `maim`; did you mean `main`?")
    );
    assert_eq!(message("--output=x"), format!("{unknown} `--output=x`"));
    let empty = Refs::default().find(None).unwrap_err().to_string();
    assert_eq!(empty, format!("{unknown} `HEAD`; it has no commits yet"));
}
