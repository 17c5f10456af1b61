//! An index with its pages, on a web server.

#![allow(clippy::unwrap_used)]

use url::Url;

use super::{links, path_of};
use crate::{
    Limits, Source, SourceKind, SourceOptions,
    fetch::tests::{Response, Server},
    tests::{lines, options, walked},
};

#[test]
fn an_index_and_its_pages_are_read() {
    let scratch = tempfile::tempdir().unwrap();
    let server = Server::start(|path, _| match path {
        "/docs/llms.txt" => Response::ok(
            "text/plain",
            "# Project\n\n- [Start](start.md#first): how\n- [Again](start.md)\n\
             - [Page](/guide/): a page\n- [Gone](gone.md)\n- [Moved](moved.md)\n\
             - [Picture](logo.png)\n- [Other](https://example.org/a.md)\n- [Mail](mailto:a@b)\n\
             - [Last](last.md \"title\")\n- [More](more.md)\n",
        ),
        "/docs/start.md" | "/docs/last.md" => Response::ok("text/markdown", "# Page"),
        "/guide/" => Response::ok("text/html", "<h1>Guide</h1>"),
        "/docs/moved.md" => Response::redirect("http://localhost:9/secret"),
        "/docs/logo.png" => Response::ok("image/png", "\u{1}"),
        _ => Response::status(404),
    });
    let options = SourceOptions {
        allow_private_addresses: true,
        limits: Limits {
            pages: 6,
            ..Limits::default()
        },
        ..options(scratch.path())
    };
    let source = Source::open(&server.url("/docs/llms.txt"), &options).unwrap();
    assert_eq!(source.described(None).unwrap().kind, SourceKind::Pages);
    assert_eq!(
        lines(&source, None).unwrap(),
        [
            "docs/llms.txt",
            "docs/start.md",
            "guide/index.html",
            "docs/last.md",
            "docs/gone.md: it cannot be read: the server answered with status 404 Not Found",
            "docs/moved.md: it cannot be read: it redirects to another host",
            "docs/logo.png: its format is not supported",
            "https://example.org/a.md: it is on another host",
            "docs/more.md: only the first 6 linked pages are read",
        ]
    );
    assert!(!server.requested().contains(&"/docs/more.md".to_owned()));
    let (files, _) = walked(&source, None).unwrap();
    assert_eq!(files.get(1).unwrap().1, b"# Page");
}

#[test]
fn paths_are_derived_from_links() {
    let list = Url::parse("https://example.org/docs/llms.txt").unwrap();
    let check = |link: &str, path: &str| {
        let found = links(&format!("see [it]({link})"), &list);
        assert_eq!(
            found.iter().map(path_of).collect::<Vec<_>>(),
            [path],
            "{link}"
        );
    };
    check("a.md", "docs/a.md");
    check("<a.md>", "docs/a.md");
    check("../../../etc/passwd", "etc/passwd");
    check("%2e%2e/%2E%2E/x.md", "x.md");
    check("/", "index");
    check("//example.org//a//b.md", "a/b.md");
    check("page?id=../x", "docs/page_id=.._x");
    check("https://ann:word@example.org/a.md", "a.md");
    assert!(links("[a](llms.txt) [b](javascript:x) [c](http://[)", &list).is_empty());
}
