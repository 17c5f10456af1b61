//! Command lines that are accepted, and those that are rejected.

#![allow(clippy::unwrap_used)]

use clap::CommandFactory as _;

use super::*;

#[test]
fn the_definition_of_the_arguments_is_valid() {
    Args::command().debug_assert();
}

#[test]
fn global_options_may_come_before_and_after_the_command() {
    for line in [
        "recall-kit-client --server mcp://memory --json query two words",
        "recall-kit-client query --server mcp://memory two words --json",
    ] {
        let args = Args::try_parse_from(line.split(' ')).unwrap();
        assert_eq!(args.global.server.as_deref(), Some("mcp://memory"));
        assert!(args.global.json);
        let Command::Query(query) = args.command else {
            panic!("{line}");
        };
        assert_eq!(query.text, ["two", "words"]);
    }
}

#[test]
fn wrong_usage_is_rejected() {
    for line in [
        "recall-kit-client",
        "recall-kit-client query",
        "recall-kit-client query x --limit ten",
        "recall-kit-client query x --limit -1",
        "recall-kit-client query x --limit 0",
        "recall-kit-client query x --limit 51",
        "recall-kit-client query x --offset some",
        "recall-kit-client sanitize --rules remove_everything",
        "recall-kit-client submit --yes --dry-run",
        "recall-kit-client completions dos",
        "recall-kit-client outcome 01a2006f-0eef",
        "recall-kit-client outcome 01a2006f-0eef broken",
        "recall-kit-client outcome 01HX1234 worked",
    ] {
        assert!(Args::try_parse_from(line.split(' ')).is_err(), "{line}");
    }
}

#[test]
fn a_blank_text_does_not_say_that_no_version_matters() {
    let submit = |lines: &str| {
        let line = ["recall-kit-client", "submit", "--applies-to", lines];
        Args::try_parse_from(line).map(|args| match args.command {
            Command::Submit(submit) => submit.applies_to,
            _ => panic!("{lines}"),
        })
    };
    assert_eq!(submit("none").unwrap(), Some(Claims::default()));
    for blank in ["", " ;\n"] {
        let error = submit(blank).unwrap_err().to_string();
        assert!(error.contains("or `none`"), "{error}");
    }
}
