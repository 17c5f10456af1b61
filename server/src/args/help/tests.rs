//! Whether the help tells of every command, and what is true of it.

use std::collections::BTreeSet;

use clap::FromArgMatches as _;

use super::*;

/// The paths of a command and of those below it that are shown.
fn paths(command: &Command, path: &str) -> Vec<String> {
    let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let below = shown.flat_map(|sub| {
        let path = format!("{path} {}", sub.get_name());
        paths(sub, path.trim_start())
    });
    let own = (!path.is_empty()).then(|| path.to_owned());
    own.into_iter().chain(below).collect()
}

#[test]
fn every_command_is_in_one_group() {
    let mut grouped: Vec<&str> = GROUPS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    let mut all = names_of(&Cli::command());
    grouped.sort_unstable();
    all.sort_unstable();
    assert_eq!(grouped, all);
}

#[test]
fn every_command_has_an_example_that_is_understood() {
    let with_example: BTreeSet<&str> = EXAMPLES.iter().map(|(path, _)| *path).collect();
    let all = paths(&Cli::command(), "");
    let all: BTreeSet<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(with_example, all);
    for (path, example) in EXAMPLES {
        assert!(example.starts_with(path), "{path}: {example}");
        // Quotes hold words together.
        let words = example
            .split('\'')
            .enumerate()
            .flat_map(|(at, part)| match at % 2 {
                0 => part.split_whitespace().collect(),
                _ => vec![part],
            });
        let typed = ["recall-kit-server"].into_iter().chain(words);
        let understood = command()
            .try_get_matches_from(typed)
            .and_then(|matches| Cli::from_arg_matches(&matches));
        assert!(understood.is_ok(), "{example}: {understood:?}");
    }
}

#[test]
fn flags_that_are_not_shown_are_still_taken() {
    let command = command();
    for (name, flags) in HIDDEN {
        let sub = command.find_subcommand(name).expect("a command");
        for flag in flags {
            let mut arguments = sub.get_arguments();
            let argument = arguments.find(|argument| argument.get_id() == flag);
            assert!(
                argument.is_some_and(clap::Arg::is_hide_set),
                "{name}: {flag}"
            );
        }
    }
    let typed = ["recall-kit-server", "health", "--data-dir", "x"];
    assert!(command.try_get_matches_from(typed).is_ok());
}
