//! Documentation as Markdown.

use recall_kit_shared_types::libraries::{DocsMode, LibraryDocsData, LibraryDocument};

use super::{fenced, markdown};
use crate::DocsQuery;

fn document(mode: DocsMode, text: &str) -> LibraryDocument {
    let is_code = mode == DocsMode::Code;
    let of = |wanted: bool| wanted.then(|| text.to_owned());
    LibraryDocument {
        library_id: None,
        library_name: None,
        title: "Gin > Routing".to_owned(),
        description: is_code.then(|| "Says hello:".to_owned()),
        source: "README.md#L7".to_owned(),
        version: "v1.9.0".to_owned(),
        mode,
        language: is_code.then(|| "go".to_owned()),
        code: of(is_code),
        content: of(!is_code),
        tokens: 1,
        relevance: 0.5,
        truncated: false,
    }
}

fn written(documents: Vec<LibraryDocument>) -> String {
    let query = DocsQuery {
        topics: vec!["routing".to_owned(), "groups".to_owned()],
        library: Some(1),
        version: None,
        mode: None,
        language: None,
        size: 10,
        max_tokens: None,
        page: 1,
    };
    let found = LibraryDocsData {
        library_id: Some(1),
        library_name: None,
        version: None,
        documents,
        page: 1,
        has_more: false,
        embedding_progress: None,
    };
    markdown(&query, &found)
}

#[test]
fn documents_name_their_source_and_code_is_fenced() {
    let pieces = [
        document(DocsMode::Info, "A route is a *path*.\n\n"),
        document(DocsMode::Code, "r.GET(\"/\")\n"),
    ];
    let expected = "## Gin > Routing\n\nSource: README.md#L7, v1.9.0\n\nA route is a *path*.\n\
                    \n---\n\n\
                    ## Gin > Routing\n\nSource: README.md#L7, v1.9.0\n\nSays hello:\n\n\
                    ```go\nr.GET(\"/\")\n```\n";
    assert_eq!(written(pieces.to_vec()), expected);
    assert_eq!(
        written(Vec::new()),
        "Nothing in this documentation is about routing, groups; try other words.\n"
    );
}

#[test]
fn code_cannot_end_its_own_fence() {
    for (code, expected) in [
        ("", 3),
        ("plain", 3),
        ("a `b` c", 3),
        ("```\nx\n```", 4),
        ("~~~\n`````", 6),
    ] {
        let fenced = fenced(code, "");
        let fence = fenced.split('\n').next().unwrap_or_default();
        assert_eq!(fence, "`".repeat(expected), "{code:?}");
        assert!(fenced.ends_with(&format!("\n{fence}")), "{fenced}");
    }
}
