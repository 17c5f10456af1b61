//! The terms of texts.

#![allow(clippy::unwrap_used)]

use super::terms;

fn check(text: &str, expected: &[&str]) {
    assert_eq!(terms(text), expected, "terms of {text:?}");
}

/// Asserts that a record has all terms of a query.
fn check_found(query: &str, record: &str) {
    let record_terms = terms(record);
    let query_terms = terms(query);
    assert!(!query_terms.is_empty(), "{query:?} has terms");
    for term in query_terms {
        assert!(
            record_terms.contains(&term),
            "{query:?} in {record:?}: {term:?} in {record_terms:?}"
        );
    }
}

#[test]
fn words_and_code_tokens_become_terms() {
    check("State not updating", &["state", "not", "updating"]);
    check("useState", &["usestate", "use", "state"]);
    check("HTTPServer", &["httpserver", "http", "server"]);
    check("foo_bar()", &["foo", "bar", "foo_bar", "foobar"]);
    check("std::sync::Arc", &["std", "sync", "arc", "std::sync::arc"]);
    check("node.js,", &["node", "js", "node.js"]);
    check("C++ and C#.", &["c", "c++", "and", "c", "c#"]);
    check("--no-verify", &["no", "verify", "--no-verify"]);
    check("rm -rf /", &["rm", "rf", "-rf", "/"]);
    check("error[E0502]: x", &["error", "e0502", "x"]);
    check("0x80070005", &["0x80070005"]);
    check("a && b", &["a", "&&", "b"]);
    check("", &[]);
    check(" \u{200b} \u{0} ", &[]);
}

#[test]
fn scripts_without_spaces_become_bigrams() {
    check("不更新的", &["不更", "更新", "新的"]);
    check("React不更新", &["react", "不更", "更新"]);
    check("锁", &["锁"]);
    check("ＡＰＩ", &["api"]);
}

#[test]
fn a_query_finds_what_was_typed_in_a_record() {
    for (query, record) in [
        ("\"C++\"", "a C++ template"),
        ("rm -rf", "never run `rm -rf /`"),
        ("a:b", "the pair a:b, twice"),
        ("-x", "bash -x traces"),
        ("OR", "this or that"),
        ("NEAR(", "stand near the door"),
        ("use state", "useState hook"),
        ("use state", "the use_state hook"),
        ("E0502", "error[E0502]: cannot borrow"),
        ("更新", "状态不更新"),
        ("Übergröße", "die ÜBERGRÖSSE übergröße"),
    ] {
        check_found(query, record);
    }
}

#[test]
fn long_blobs_are_truncated_at_a_character() {
    let blob = "é".repeat(5_000);
    let found = terms(&blob);
    assert_eq!(found.len(), 1);
    assert!(found.first().unwrap().len() <= 128);
}

#[test]
fn codes_and_identifiers_are_distinguished_from_words() {
    let exact = |text: &str| {
        let mut all: Vec<String> = super::exact_terms(text).into_iter().collect();
        all.sort();
        all
    };
    assert_eq!(
        exact("E0502 with useState and foo_bar in std::sync::Arc"),
        ["\u{1f}usest", "e0502", "foo_bar", "std::sync::arc"]
    );
    assert_eq!(
        exact("rm -rf gave EADDRINUSE or 0x80070005, node.js C++"),
        ["\u{1f}eaddrinus", "-rf", "0x80070005", "c++", "node.js"]
    );
    assert_eq!(
        exact("How do I cook rice for 12 people in 2024? A well-known API, says Anna"),
        Vec::<String>::new()
    );
    assert_eq!(exact("error: borrow of moved value: `x`"), [""; 0]);
    let message = terms("error: borrow of moved value: `x`");
    assert!(message.iter().any(|term| super::is_fingerprint(term)));
}
