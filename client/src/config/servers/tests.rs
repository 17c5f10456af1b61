//! Which servers are rejected, and with which messages.

#![allow(clippy::unwrap_used)]

use crate::config::{NamedServer, tests::load};

#[test]
fn servers_are_read_and_invalid_ones_are_rejected() {
    let config = load(
        r#"{"servers": [{"name": "team", "url": "mcp://team", "timeout": 9},
                        {"name": "public", "url": "https://example.org/mcp"}],
            "submitTo": "public", "queryDeadline": 700}"#,
        &[],
    )
    .unwrap();
    let named = |one: &NamedServer| (one.name.clone(), one.server.timeout);
    let servers: Vec<_> = config.servers.iter().map(named).collect();
    assert_eq!(
        servers,
        [("team".to_owned(), 9), ("public".to_owned(), 5000)]
    );
    assert_eq!(
        (config.submission_server(), config.query_deadline),
        (1, 700)
    );

    let json = r#"[{"name": "x", "url": "mcp://x"}]"#;
    let config = load("{}", &[("RECALL_KIT_CLIENT_SERVERS", json)]).unwrap();
    assert_eq!(config.servers.len(), 1);
    let two = r#"{"servers": [{"name": "a", "url": "mcp://a"}, {"name": "a", "url": "mcp://b"}]}"#;
    for (file, words) in [
        (
            r#"{"servers": {}}"#,
            "`servers` in the configuration has to be a list of servers",
        ),
        (
            r#"{"servers": [{"name": "a"}]}"#,
            "`servers[0].url` is missing",
        ),
        (
            r#"{"servers": [{"name": "a", "uri": "x", "url": "y"}]}"#,
            "unknown setting `servers[0].uri` in the configuration; did you mean `url`?",
        ),
        (
            r#"{"servers": [{"name": "a", "url": "x", "timeout": 0}]}"#,
            "`servers[0].timeout` in the configuration has to be a whole number",
        ),
        (two, "two are called `a`"),
        (
            r#"{"servers": [{"name": " ", "url": "mcp://a"}]}"#,
            "a name is blank",
        ),
        (r#"{"submitTo": "a"}"#, "there are none"),
        (
            r#"{"servers": [{"name": "a", "url": "mcp://a"}], "submitTo": "b"}"#,
            "submitTo names `b`, which is none of them: a",
        ),
        (r#"{"queryDeadline": 0}"#, "queryDeadline is 0"),
        (
            r#"{"servers": [{"name": "a", "url": "${HOME}"}]}"#,
            "uses `${` in `servers`",
        ),
    ] {
        let error = load(file, &[]).unwrap_err();
        assert!(error.contains(words), "{file}: {error}");
    }
}
