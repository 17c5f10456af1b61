//! The language that a browser gets.

#![allow(clippy::unwrap_used)]

use axum::http::{HeaderMap, HeaderValue, header};

use super::{Language, accepted};

fn check(accept: &str, expected: Language) {
    let mut headers = HeaderMap::new();
    let value = HeaderValue::from_str(accept).unwrap();
    headers.insert(header::ACCEPT_LANGUAGE, value);
    assert_eq!(accepted(&headers), expected, "{accept}");
}

#[test]
fn the_preferred_available_language_is_used() {
    check("", Language::English);
    check("fr", Language::French);
    check("FR-ch, en;q=0.9", Language::French);
    check("de, zh-Hans-CN;q=0.7, en;q=0.3", Language::Chinese);
    check("en;q=0.3, zh;q=0.3", Language::English);
    check("fr;q=0, zh;q=0.1", Language::Chinese);
    check("fr;q=x, *", Language::English);
}
