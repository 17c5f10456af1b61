//! Names and contents that are skipped, and similar ones that are not.

#![allow(clippy::unwrap_used)]

use super::{SkipReason, content, file, folder, folders_of, printable};

fn check(path: &str, expected: Option<SkipReason>) {
    assert_eq!(file(path), expected, "{path}");
}

#[test]
fn names_reveal_files_that_are_not_documentation() {
    for read in [
        "README.md",
        "README",
        "docs/Guide.MDX",
        "a/b.rst",
        "index.html",
        "page.htm",
        "x.adoc",
        "notes.txt",
        "api.json",
        "openapi.yaml",
        "paper.pdf",
        "n.ipynb",
        "docs/history.md",
        "docs/security.md",
        "docs/license-checker.md",
        "guide/changes-feed.md",
        "docs/news.rst",
        "docs/release.md",
        "v1.2.md",
    ] {
        check(read, None);
    }
    use SkipReason::*;
    check("CHANGELOG.md", Some(Changelog));
    check("docs/changelog.html", Some(Changelog));
    check("docs/HISTORY.rst", Some(Changelog));
    check("news.txt", Some(Changelog));
    check("RELEASE_NOTES.md", Some(Changelog));
    check("LICENSE", Some(Licence));
    check("LICENSE-2.0.txt", Some(Licence));
    check("a/LICENSE-MIT", Some(Licence));
    check("docs/license.md", Some(Licence));
    check("COPYING.LESSER", Some(Licence));
    check("Cargo.lock", Some(LockFile));
    check("web/package-lock.json", Some(LockFile));
    check("CONTRIBUTING.md", Some(Project));
    check("code-of-conduct.md", Some(Project));
    check(".env.md", Some(Hidden));
    check("logo.PNG", Some(Media));
    check("src/main.rs", Some(Unsupported));
    check("Makefile", Some(Unsupported));
    check("src/CMakeLists.txt", Some(Unsupported));
}

#[test]
fn folders_of_third_party_code_tests_and_builds_are_skipped() {
    use SkipReason::*;
    let check =
        |path: &str, expected: Option<SkipReason>| assert_eq!(folder(path), expected, "{path}");
    check("docs", None);
    check("node_modules", Some(Vendored));
    check("docs/vendor", Some(Vendored));
    check("target", Some(TestsOrBuild));
    check("src/Tests", Some(TestsOrBuild));
    check("docs/build", None);
    check("doc/html/test", None);
    check("doc/html/_sources", Some(TestsOrBuild));
    check(".git", Some(Hidden));
    assert_eq!(
        folders_of("a/node_modules/b/.c/d.md"),
        Some(("a/node_modules", Vendored))
    );
    assert_eq!(folders_of("a/b/c.md"), None);
}

#[test]
fn contents_reveal_files_that_are_not_text() {
    assert_eq!(content("a.md", b"text"), None);
    assert_eq!(content("a.md", b"te\0xt"), Some(SkipReason::Binary));
    assert_eq!(content("a.md", b"\xfe\xff\0t"), None);
    assert_eq!(content("a.pdf", b"%PDF\0"), None);
    assert_eq!(content("a.md", b""), Some(SkipReason::Empty));
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n";
    assert_eq!(content("a.md", pointer), Some(SkipReason::LargeFilePointer));
    assert_eq!(printable("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
}
