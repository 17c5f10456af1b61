//! Lexical search: words are found wherever they occur, whatever syntax they resemble.

use recall_kit_tests::{Home, Server, experience};
use serde_json::json;

/// A query and the title of its expected first result.
const CASES: &[(&str, &str)] = &[
    ("C++", "C++ template errors fill the screen"),
    ("c++", "C++ template errors fill the screen"),
    ("C#", "C# nullable warnings in old projects"),
    ("rm -rf", "A script with rm -rf deleted the home directory"),
    ("a:b", "Mount option a:b is refused"),
    ("-x", "tar does not know the flag -x any more"),
    ("OR", "Use OR instead of a union"),
    ("NEAR(", "The macro NEAR( does not expand"),
    (
        "\"quoted phrase\"",
        "A \"quoted phrase\" in YAML loses its quotes",
    ),
    ("glob*", "The pattern glob* matches nothing"),
    ("node.js", "Memory leak in node.js streams"),
    ("E0502", "Borrow checker says E0502 in a loop"),
    (
        "std::sync::Arc",
        "Clones of std::sync::Arc are never dropped",
    ),
    ("foo_bar", "Undefined name foo_bar after the import"),
    ("--no-verify", "Hooks run in spite of --no-verify"),
    ("useEffect", "useEffect runs twice in development"),
    ("10.0.19041.1", "Build 10.0.19041.1 lacks the driver"),
    ("数据库", "连接数据库超时"),
    ("データベース", "データベースの接続が切れる"),
    ("Größe", "Die Größe des Fensters springt"),
    ("GRÖSSE FENSTERS", "Die Größe des Fensters springt"),
];

#[tokio::test]
async fn words_are_found_whatever_is_around_them() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for title in ["Something else entirely", "Yet another thing"] {
        server.wire.submit(experience(title)).await;
    }
    for (_, title) in CASES {
        server.wire.submit(experience(title)).await;
    }
    for (query, title) in CASES {
        let found = server.wire.titles(query).await;
        assert_eq!(found.first().map(String::as_str), Some(*title), "{query}");
    }
}

#[tokio::test]
async fn queries_of_syntax_alone_find_nothing_and_cause_no_error() {
    let home = Home::new();
    let server = Server::start(&home).await;
    server.wire.submit(experience("An ordinary record")).await;
    for query in [
        "\"",
        "*",
        "(",
        ")",
        "NEAR(",
        "^",
        "title:",
        "{",
        "AND",
        "' OR 1=1 --",
        "%",
        "\\",
        "!?",
    ] {
        assert_eq!(server.wire.titles(query).await, [""; 0], "{query:?}");
    }
}

#[tokio::test]
async fn every_field_is_searched_and_the_total_counts_only_matches() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let record = json!({
        "title": "Titleword",
        "problem_description": "problemword",
        "root_cause": "causeword",
        "solution": "solutionword",
        "context": "contextword",
        "keywords": ["keyword-word"],
    });
    let id = server.wire.submit(record).await;
    for number in 0..20 {
        let title = format!("Filler {number} about nothing in particular");
        server.wire.submit(experience(&title)).await;
    }
    for word in [
        "titleword",
        "problemword",
        "causeword",
        "solutionword",
        "contextword",
        "keyword-word",
    ] {
        let data = server.wire.query(word).await;
        assert_eq!(data["total"], 1, "{word}: {data}");
        assert_eq!(data["experiences"][0]["id"], id.as_str());
    }
    let none = server.wire.query("chromodynamics").await;
    assert_eq!(
        (&none["total"], &none["experiences"]),
        (&json!(0), &json!([]))
    );
}

#[tokio::test]
async fn a_record_is_found_by_the_very_next_query() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for number in 0..40 {
        let word = format!("freshword{number}");
        let id = server.wire.submit(experience(&word)).await;
        let data = server.wire.query(&word).await;
        assert_eq!(data["experiences"][0]["id"], id.as_str(), "{word}");
    }
}
