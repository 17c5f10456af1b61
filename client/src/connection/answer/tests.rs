//! Answers that follow the contract, and others.

use recall_kit_shared_types::{ErrorCode, SubmitExperienceData};
use rmcp::model::ContentBlock;
use serde_json::json;

use super::*;

fn read_submit(result: CallToolResult) -> Result<SubmitExperienceData, Error> {
    read(result, &ServerUrl::Local)
}

fn stored() -> Value {
    json!({"success": true, "data": {
        "id": "550e8400-e29b-41d4-a716-446655440000",
        "status": "published",
        "message": "Experience record created and published successfully"
    }})
}

#[test]
fn an_answer_is_read_from_structured_content_or_text() {
    for result in [
        CallToolResult::structured(stored()),
        CallToolResult::success(vec![ContentBlock::text(stored().to_string())]),
    ] {
        let data = read_submit(result);
        assert!(
            data.as_ref()
                .is_ok_and(|data| data.id.starts_with("550e8400")),
            "{data:?}"
        );
    }
}

#[test]
fn relevance_parts_are_returned_if_they_are_readable() {
    let part = json!({"id": "a", "lexical": 0.1, "semantic": 0.2, "fingerprint": 0, "popularity": 0,
        "recency": 1, "rank": 0.2, "of_a_later_version": 1});
    for (meta, expected) in [
        (json!({}), None),
        (json!({RELEVANCE_PARTS_META: "none"}), None),
        (json!({RELEVANCE_PARTS_META: [{}]}), None),
        (json!({RELEVANCE_PARTS_META: []}), Some(0)),
        (json!({RELEVANCE_PARTS_META: [part]}), Some(1)),
    ] {
        let mut result = CallToolResult::success(Vec::new());
        result.meta = serde_json::from_value(meta.clone()).ok();
        let parts = relevance_parts(&mut result);
        assert_eq!(parts.map(|parts| parts.len()), expected, "{meta}");
    }
}

#[test]
fn errors_keep_their_code() {
    let answer = json!({"success": false, "error": {"code": "DATABASE_ERROR", "message": "no"}});
    let outcome = read_submit(CallToolResult::structured_error(answer));
    assert!(
        matches!(&outcome, Err(Error::Server(body)) if body.code == ErrorCode::DatabaseError),
        "{outcome:?}"
    );
}

#[test]
fn any_other_answer_is_an_error() {
    for result in [
        CallToolResult::structured(json!({"found": true})),
        CallToolResult::success(vec![ContentBlock::text("done")]),
        CallToolResult::success(Vec::new()),
    ] {
        let outcome = read_submit(result);
        assert!(matches!(outcome, Err(Error::Answer { .. })), "{outcome:?}");
    }
}
