//! Files that are malformed, malicious or without documentation.

use super::{Reading, Skip, chunks_of, cut, readers};

fn fails(path: &str, bytes: &[u8], expected: &str) {
    let error = chunks_of(path, bytes).expect_err(path);
    assert_eq!(error.to_string(), expected, "{path}");
}

#[test]
fn errors_name_the_problem_and_the_line() {
    fails(
        "a.md",
        b"one\ntwo\0",
        "line 2: a zero byte: this is a binary file, not text",
    );
    fails(
        "a.ipynb",
        b"{\n\"cells\": 1}",
        "line 1: not a notebook: it has no list of cells",
    );
    fails(
        "a.ipynb",
        b"{\n\"cells\": [",
        "line 2: not a notebook: not valid JSON: EOF while parsing a list at line 2 column 10",
    );
    fails(
        "a.json",
        b"{\"openapi\": \"3.0.0\",\n\"paths\": {",
        "line 2: not valid JSON: EOF while parsing an object at line 2 column 10",
    );
    fails(
        "a.pdf",
        b"GIF89a",
        "line 1: not a PDF file: it does not begin with %PDF-",
    );
    let large = vec![b'a'; 11 * 1024 * 1024];
    fails(
        "a.md",
        &large,
        "the file has 11 MB, more than the limit of 10 MB",
    );
    for (path, text) in [
        ("a.yaml", "openapi: 3.0.0\npaths:\n  a: [1\nb: }"),
        ("a.yaml", "openapi: 3.0.0\npaths: &a [*a, *a]\n"),
    ] {
        let error = chunks_of(path, text.as_bytes()).expect_err(text);
        assert!(error.line.is_some_and(|it| it >= 2), "{error}");
    }
}

#[test]
fn old_encodings_are_decoded() {
    fn check(path: &str, bytes: &[u8], expected: &str) {
        let chunks = chunks_of(path, bytes).expect("no error").expect("read");
        assert_eq!(chunks.first().map(|it| it.text.as_str()), Some(expected));
    }
    check("a.txt", b"\xef\xbb\xbfone", "one");
    check("a.txt", b"\xff\xfeo\0n\0e\0", "one");
    check("a.txt", b"\xfe\xff\0o\0n\0e", "one");
    check(
        "a.html",
        b"<meta charset=ISO-8859-1><p>caf\xe9 \x80",
        "caf\u{e9} \u{20ac}",
    );
    check("a.md", b"one\r\ntwo\r\n", "one two");
    let noted = readers::read("a.rst", b"na\xc3\xafve \xc3\xa9t\xc3\xa9 \xff");
    let Ok(Reading::Document(document)) = noted else {
        panic!("{noted:?}");
    };
    let note = "one place is not valid UTF-8 and reads \u{fffd}";
    assert_eq!(document.note.as_deref(), Some(note));
}

#[test]
fn files_without_documentation_are_skipped() {
    fn check(path: &str, text: &str, expected: Skip) {
        assert_eq!(
            chunks_of(path, text.as_bytes()),
            Ok(Err(expected)),
            "{path}"
        );
    }
    check("a.rs", "fn main() {}", Skip::Format);
    check("CMakeLists.txt", "project(x)", Skip::Format);
    check("package.json", "{\"name\": \"x\"}", Skip::Data);
    check("ci.yaml", "on: push", Skip::Data);
    check("a.md", "\n\n", Skip::Empty);
    check(
        "a.html",
        "<html><head><script>x</script></head><body></body></html>",
        Skip::Empty,
    );
    check(
        "a.html",
        "<meta http-equiv=Refresh content='0; url=b.html'><p>Moved",
        Skip::Redirect,
    );
    check("genindex.html", "<p>A", Skip::Index);
    check("search.html", "<div id=search-results></div>", Skip::Search);
    check(
        "_modules/os.html",
        "<pre>import os</pre>",
        Skip::SourceListing,
    );
    check(
        "print.html",
        "<div id=mdbook-body-container><main>x</main></div>",
        Skip::Duplicate,
    );
    check(
        "x/all.html",
        "<body class='rustdoc mod sys'><main>x</main>",
        Skip::Index,
    );
    check(
        "src/a.html",
        "<body class='rustdoc src'><main>x</main>",
        Skip::SourceListing,
    );
}

/// The malicious files that are rejected; the others are read and stay within the limits.
const REFUSED: [&str; 6] = [
    "tags.mdx",
    "comment.mdx",
    "roles.rst",
    "a.json",
    "a.yaml",
    "b.pdf",
];

/// Each of them would take minutes if anything were quadratic, or overflow the stack if anything recursed
/// without bound.
#[test]
fn malicious_files_are_read_in_linear_time() {
    let deep = 10_000;
    let nested_list = |mark: &str| -> String {
        (0..1_000)
            .map(|it| format!("{}{mark}x\n", "  ".repeat(it)))
            .collect()
    };
    let line = "word ".repeat(300_000);
    let attributes = |count: u32| (0..count).map(|it| format!("a{it}=1 ")).collect::<String>();
    let files = [
        ("quotes.md", ">".repeat(deep) + " x"),
        ("lists.md", "- ".repeat(deep) + "x"),
        ("indents.md", nested_list("- ")),
        (
            "lazy.md",
            format!("{}x\n{}", "> ".repeat(20_000), "y\n".repeat(40_000)),
        ),
        (
            "lazy_lists.md",
            format!("{}x\n{}", "- 1. ".repeat(20_000), "y\n".repeat(40_000)),
        ),
        ("brackets.md", "[".repeat(50_000) + "x"),
        ("links.md", "[a](".repeat(20_000) + "x"),
        ("stars.md", "*a **b ".repeat(20_000)),
        ("ticks.md", "`a``b".repeat(20_000)),
        (
            "unclosed.md",
            format!("# T\n\n```rust\n{}", "let a = 1;\n".repeat(20_000)),
        ),
        ("line.md", line.clone()),
        ("letters.md", "a".repeat(1_500_000)),
        ("spaces.md", format!("a{}b", " ".repeat(2_000_000))),
        ("tags.mdx", "<A ".repeat(50_000) + "x"),
        ("comment.mdx", "{/* ".repeat(50_000)),
        ("boxes.md", "!!! note\n".repeat(20_000) + "    x"),
        ("div.html", "<div>".repeat(200_000) + "x"),
        ("p.html", "<p>x".repeat(200_000)),
        ("li.html", "<ul><li>".repeat(100_000) + "x"),
        ("b.html", "<b><i><a>".repeat(100_000) + "x"),
        ("td.html", "<table><tr><td>".repeat(deep) + "x"),
        ("close.html", format!("<p>x{}", "</div>".repeat(200_000))),
        ("attributes.html", format!("<p {}>x", attributes(200_000))),
        ("end.html", format!("<p>x</p {}>", attributes(200_000))),
        (
            "anchors.html",
            format!(
                "<div id={}>{}",
                "a".repeat(500_000),
                "<h2>x</h2>y".repeat(50_000)
            ),
        ),
        (
            "languages.html",
            format!(
                "<div class=highlight-{}>{}",
                "a".repeat(500_000),
                "<div><pre>x".repeat(50_000)
            ),
        ),
        ("line.html", format!("<p>{line}")),
        ("pre.html", format!("<pre>{line}")),
        ("lists.rst", nested_list("- ")),
        ("bullets.rst", "- ".repeat(deep) + "x"),
        (
            "notes.rst",
            (0..1_000)
                .map(|it| format!("{}.. note::\n\n", "  ".repeat(it)))
                .collect(),
        ),
        ("roles.rst", ":a:`b ".repeat(50_000)),
        ("stars.rst", "*a ``b |c ".repeat(50_000)),
        ("line.rst", line.clone()),
        ("notes_open.rst", format!("*{}", "[".repeat(1_000_000))),
        (
            "long_role.rst",
            format!("{}{}", "a".repeat(500_000), ":`b`".repeat(100_000)),
        ),
        (
            "highlight.rst",
            format!(
                ".. highlight:: {}\n\n{}",
                "a".repeat(500_000),
                "::\n\n  x y\n\n".repeat(50_000)
            ),
        ),
        (
            "cells.adoc",
            format!("|===\n|a |b\n{}", "|".repeat(300_000)),
        ),
        ("links_open.adoc", "[".repeat(1_000_000)),
        ("marks.adoc", "*a `b [c <<d ".repeat(50_000)),
        ("fence.adoc", format!("----\n{}", "x y\n".repeat(50_000))),
        ("line.txt", line),
        (
            "a.json",
            format!("{{\"openapi\": \"3\", \"paths\": {}", "[".repeat(100_000)),
        ),
        (
            "a.yaml",
            format!("openapi: 3\npaths: {}", "[".repeat(100_000)),
        ),
        (
            "b.pdf",
            "%PDF-1.4\n1 0 obj << /Length 5 >> stream\ntrailer".to_owned(),
        ),
    ];
    let mut refused = Vec::new();
    for (path, text) in files {
        match chunks_of(path, text.as_bytes()) {
            Ok(Ok(chunks)) => {
                assert!(chunks.iter().all(|it| it.tokens <= 4_096), "{path}");
                assert!(!chunks.is_empty(), "{path}");
            }
            Ok(Err(_)) | Err(_) => refused.push(path),
        }
    }
    assert_eq!(refused, REFUSED);
}

#[test]
fn an_unclosed_fence_ends_with_its_file() {
    let chunks = cut("a.md", "# T\n\nText before it. Run:\n\n```sh\nls -l\n");
    let texts: Vec<&str> = chunks.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(
        texts,
        ["Text before it. Run:\n\n```bash\nls -l\n```", "ls -l"]
    );
}

#[test]
fn invisible_characters_are_removed() {
    let hidden = "\u{e0072}\u{e0075}\u{e006e}\u{200b}\u{202e}";
    let markdown = format!(
        "# Wom{hidden}bats\n\nThey dig{hidden} 👩\u{200d}👧 tunnels.\n\n{hidden}\n\n\
         ```sh\ndig{hidden} --deep\necho {hidden}done\n```\n\n| a{hidden} | b |\n|---|---|\n| c | d{hidden} |\n"
    );
    let html = "<h1>Wom&shy;bats</h1><p>They dig&#x202e;&#x200b; <b>tun&#x2060;nels</b>.</p>";
    for (path, text) in [("a.md", markdown.as_str()), ("a.html", html)] {
        let chunks = cut(path, text);
        assert!(!chunks.is_empty(), "{path}");
        for chunk in chunks {
            let all = format!("{} {:?} {}", chunk.title, chunk.description, chunk.text);
            let unseen = |c: char| {
                matches!(
                    c,
                    '\u{200b}' | '\u{202e}' | '\u{ad}' | '\u{2060}' | '\u{e0072}'
                )
            };
            assert!(!all.contains(unseen), "{path}: {all:?}");
            assert!(all.contains("Wombats"), "{path}: {all:?}");
        }
    }
}
