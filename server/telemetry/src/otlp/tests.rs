//! Which collector addresses are accepted, and how they are completed.

#![allow(clippy::unwrap_used)]

use super::traces_url;

#[test]
fn an_address_is_completed_or_rejected() {
    for (given, expected) in [
        (
            "http://localhost:4318",
            Ok("http://localhost:4318/v1/traces"),
        ),
        (
            "http://localhost:4318/",
            Ok("http://localhost:4318/v1/traces"),
        ),
        (
            "https://a.example/otlp/traces",
            Ok("https://a.example/otlp/traces"),
        ),
        ("localhost:4318", Err("begin with http")),
        ("4318", Err("relative URL")),
        ("http://user:word@a.example", Err("credentials")),
    ] {
        match (traces_url(given), expected) {
            (Ok(url), Ok(expected)) => assert_eq!(url, expected),
            (Err(why), Err(expected)) => assert!(why.contains(expected), "{given}: {why}"),
            (other, _) => panic!("{given}: {other:?}"),
        }
    }
}
