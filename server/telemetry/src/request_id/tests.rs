//! What counts as an id, and where it is seen.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use super::{RequestId, current, scope};

#[test]
fn fresh_ids_differ_and_can_be_taken_back() {
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
fn a_given_id_is_short_and_plain() {
    for (given, taken) in [
        ("req_123456", true),
        ("0af7651916cd43dd-8448eb211c80319c.A", true),
        (&"x".repeat(64), true),
        (&"x".repeat(65), false),
        ("", false),
        ("two words", false),
        ("line\nbreak", false),
        ("über", false),
    ] {
        assert_eq!(RequestId::parse(given).is_some(), taken, "{given:?}");
    }
}

#[tokio::test]
async fn the_id_is_known_inside_its_scope_alone() {
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
