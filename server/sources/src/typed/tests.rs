//! Texts that users give.

#![allow(clippy::unwrap_used)]

use super::{Location, without_credentials};

fn check(text: &str, expected: &str) {
    let meant = match Location::parse(text) {
        Ok(Location::Path(path)) => format!("path {}", path.display()),
        Ok(Location::Git(url)) => format!("git {}", without_credentials(&url)),
        Ok(Location::Web(url)) => format!("web {}", without_credentials(&url)),
        Err(error) => error.to_string(),
    };
    assert_eq!(meant, expected, "{text}");
}

#[test]
fn paths_pages_and_repositories_are_distinguished() {
    check("docs", "path docs");
    check(" ../docs ", "path ../docs");
    check("a:b.md", "path a:b.md");
    check(
        "https://github.com/rust-lang/book",
        "git https://github.com/rust-lang/book",
    );
    check(
        "https://www.github.com/a/b/",
        "git https://www.github.com/a/b/",
    );
    check(
        "https://github.com/a/b/archive/v1.zip",
        "web https://github.com/a/b/archive/v1.zip",
    );
    check("https://github.com/a", "web https://github.com/a");
    check(
        "https://example.org/a/b.git",
        "git https://example.org/a/b.git",
    );
    check("git+https://example.org/a", "git https://example.org/a");
    check("https://example.org/a/b", "web https://example.org/a/b");
    check(
        "https://name:word@example.org/llms.txt#x",
        "web https://example.org/llms.txt",
    );
    let about = "cannot be a source: it is a page about files; give the address of the \
                 repository, or of the file itself (raw)";
    for page in [
        "https://github.com/a/b/tree/main/docs",
        "https://gitlab.com/a/b/-/blob/main/x.md",
    ] {
        check(page, &format!("`{page}` {about}"));
    }
    let raw = "https://gitlab.com/a/b/-/raw/main/x.md";
    check(raw, &format!("web {raw}"));
    check(
        "ftp://name:word@example.org/a",
        "`ftp://example.org/a` cannot be a source: only https:// and http:// are supported; give a \
         path for files on this machine",
    );
}
