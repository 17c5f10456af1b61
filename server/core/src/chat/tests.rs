//! Parsing of answers, and the JSON Schema that is sent to endpoints.

#![allow(clippy::unwrap_used)]

use serde::Deserialize;
use serde_json::json;

use super::*;

/// A shape of two fields.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Shape {
    /// In words.
    title: String,
    tags: Vec<String>,
}

#[test]
fn answers_are_parsed_even_between_words_and_fences() {
    let check = |answer: &str, expected: Result<Shape, ChatError>| {
        assert_eq!(parsed(answer), expected, "{answer}");
    };
    let shape = || {
        let (title, tags) = ("a {b}".to_owned(), vec!["c".to_owned()]);
        Ok(Shape { title, tags })
    };
    check(r#"{"title": "a {b}", "tags": ["c"]}"#, shape());
    check(
        "Here:\n```json\n{\"title\": \"a {b}\", \"tags\": [\"c\"]}\n```\n",
        shape(),
    );
    for wrong in [
        "",
        "}{",
        "no JSON",
        r#"{"title": "a"}"#,
        r#"{"title": "a", "tags": "c"}"#,
        r#"{"title": "a", "tags": [], "more": 1}"#,
    ] {
        check(wrong, Err(ChatError::Unusable));
    }
}

#[test]
fn a_schema_has_only_the_keywords_that_endpoints_accept() {
    let expected = json!({
        "description": "A shape of two fields.",
        "type": "object",
        "properties": {
            "title": {"description": "In words.", "type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["title", "tags"],
        "additionalProperties": false,
    });
    assert_eq!(schema_of::<Shape>(), expected);
}
