//! Validation of entries, and notes about what was changed.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;

#[test]
fn tags_become_kebab_case() {
    for (given, expected) in [
        ("auth", "auth"),
        ("React Hooks", "react-hooks"),
        ("reactHooks", "react-hooks"),
        ("react_hooks", "react-hooks"),
        (" --API.Gateway-- ", "api-gateway"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("HTTPServer", "httpserver"),
        ("数据库", "数据库"),
        ("Größe", "größe"),
        ("!?", ""),
    ] {
        assert_eq!(kebab_case(given), expected, "{given:?}");
    }
}

#[test]
fn notes_say_what_was_changed() {
    let added = validate_add(AddInput {
        kind: Some("bug".to_owned()),
        title: Some("t".to_owned()),
        tags: Some(vec!["Auth".to_owned(), "auth".to_owned(), "api".to_owned()]),
        context: Some("é".repeat(10_001)),
        ..AddInput::default()
    });
    let added = added.unwrap();
    assert_eq!(added.content.tags, ["auth", "api"]);
    assert_eq!(added.content.context.unwrap().chars().count(), 8_000);
    assert_eq!(added.notes.len(), 2, "{:?}", added.notes);
    assert!(
        added.notes[0].contains("\"Auth\" → \"auth\""),
        "{:?}",
        added.notes
    );
    let edge = Some("é".repeat(10_000));
    assert_eq!(cut_context(edge.clone()), (edge, None));
}

#[test]
fn every_problem_of_a_call_is_reported() {
    let refused = validate_add(AddInput {
        kind: Some("bugs".to_owned()),
        title: Some("x".repeat(101)),
        content: Some("x".repeat(1_000_001)),
        tags: Some(vec!["t".repeat(101)]),
        context: None,
        project: Some("p".repeat(101)),
        confidence: Some(json!(6)),
        memory_type: Some("forever".to_owned()),
        citations: Some(json!([{"path": "/a", "sha256": ""}])),
        idempotency_key: Some("a key".to_owned()),
    });
    let refused = refused.unwrap_err().body();
    assert_eq!(refused.code, ErrorCode::ValidationError);
    let errors = refused.validation_errors.unwrap();
    let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
    let expected = [
        "type",
        "title",
        "content",
        "tags[0]",
        "project",
        "confidence",
        "memory_type",
        "citations[0].path",
        "idempotency_key",
    ];
    assert_eq!(fields, expected);
}
