//! Which ids are valid, and where the current id is visible.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use super::{RequestId, current, scope};

#[test]
fn fresh_ids_differ_and_can_be_parsed() {
    let ids: HashSet<String> = (0..10_000)
        .map(|_| RequestId::fresh().to_string())
        .collect();
    assert_eq!(ids.len(), 10_000);
    for id in &ids {
        assert!(id.starts_with("req_") && id.len() == 16, "{id}");
        assert_eq!(RequestId::parse(id).unwrap().as_str(), id);
    }
}

#[test]
fn only_short_ids_of_allowed_characters_are_valid() {
    for (text, is_valid) in [
        ("req_123456", true),
        ("0af7651916cd43dd-8448eb211c80319c.A", true),
        (&"x".repeat(64), true),
        (&"x".repeat(65), false),
        ("", false),
        ("two words", false),
        ("line\nbreak", false),
        ("über", false),
    ] {
        assert_eq!(RequestId::parse(text).is_some(), is_valid, "{text:?}");
    }
}

#[tokio::test]
async fn an_id_is_visible_only_inside_its_scope() {
    let id = RequestId::parse("outer").unwrap();
    let seen = scope(id, async {
        let inner = scope(RequestId::parse("inner").unwrap(), async { current() }).await;
        (inner, current())
    });
    let (inner, outer) = seen.await;
    assert_eq!(inner, RequestId::parse("inner"));
    assert_eq!(outer, RequestId::parse("outer"));
    assert_eq!(current(), None);
}
