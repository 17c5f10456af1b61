//! The addresses that are guessed, and the entries that are checked.

use recall_kit_client::ServerUrl;

use super::{
    check::has_entry,
    server::{guesses, host},
};
use crate::agents::{Agent, call::Call, piece::Piece};

fn url(text: &str) -> ServerUrl {
    text.parse().expect("the URL is valid")
}

#[test]
fn what_was_typed_for_https_is_not_sent_over_http() {
    for (typed, expected) in [
        (
            "http://memory.example.org",
            &[
                "http://memory.example.org/mcp",
                "https://memory.example.org/mcp",
                "https://memory.example.org/",
            ][..],
        ),
        (
            "https://127.0.0.1:8090",
            &[
                "https://127.0.0.1:8090/mcp",
                "http://127.0.0.1:8090/mcp",
                "http://127.0.0.1:8090/",
            ],
        ),
        (
            "https://memory.example.org",
            &["https://memory.example.org/mcp"],
        ),
        (
            "https://ada:pw@localhost:1/",
            &["https://ada:pw@localhost:1/mcp"],
        ),
        (
            "https://localhost:1/mcp?token=x",
            &["https://localhost:1/mcp"],
        ),
        ("https://memory.example.org/mcp", &[]),
        ("mcp://recall-kit-server", &[]),
    ] {
        assert_eq!(guesses(&url(typed)), expected, "{typed}");
    }
    assert_eq!(
        host(&url("https://ada:pw@memory.example.org:1/a@b")),
        "memory.example.org:1"
    );
}

#[test]
fn only_the_entry_of_this_setup_is_started() {
    let call = |program: &str, options: &[&str]| Call {
        program: program.to_owned(),
        options: options.iter().map(|it| (*it).to_owned()).collect(),
    };
    let ours = call("/usr/bin/recall-kit-client", &[]);
    for agent in Agent::ALL {
        let text = |call: &Call| {
            let added = Piece::server(agent, call.clone()).added("", false);
            added.expect("an empty file can be changed")
        };
        assert!(has_entry(agent, &text(&ours), &ours), "{agent:?}");
        for other in [
            call("./tools/recall-kit-client", &[]),
            call("/usr/bin/recall-kit-client", &["--config", "theirs.json"]),
        ] {
            assert!(!has_entry(agent, &text(&other), &ours), "{agent:?}");
        }
        assert!(!has_entry(agent, "", &ours), "{agent:?}");
    }
}
