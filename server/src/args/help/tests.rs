//! The help covers every command, and its examples are valid.

use std::collections::BTreeSet;

use clap::FromArgMatches as _;

use super::*;

/// Returns the paths of a command and its visible subcommands.
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
fn every_command_has_a_valid_example() {
    let with_example: BTreeSet<&str> = EXAMPLES.iter().map(|(path, _)| *path).collect();
    let all = paths(&Cli::command(), "");
    let all: BTreeSet<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(with_example, all);
    for (path, example) in EXAMPLES {
        assert!(example.starts_with(path), "{path}: {example}");
        // Words in quotes are one argument.
        let words = example
            .split('\'')
            .enumerate()
            .flat_map(|(index, part)| match index % 2 {
                0 => part.split_whitespace().collect(),
                _ => vec![part],
            });
        let arguments = ["recall-kit-server"].into_iter().chain(words);
        let parsed = command()
            .try_get_matches_from(arguments)
            .and_then(|matches| Cli::from_arg_matches(&matches));
        assert!(parsed.is_ok(), "{example}: {parsed:?}");
    }
}

#[test]
fn the_flat_list_names_every_command_on_a_line() {
    let list = flat_list();
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines, paths(&Cli::command(), ""));
    assert!(lines.contains(&"records list"), "{list}");
    let list = ["recall-kit-server", "--list"];
    assert!(command().try_get_matches_from(list).is_ok());
    let both = ["recall-kit-server", "--list", "health"];
    assert!(command().try_get_matches_from(both).is_err());
}

#[test]
fn hidden_flags_are_still_accepted() {
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
    let arguments = ["recall-kit-server", "health", "--data-dir", "x"];
    assert!(command.try_get_matches_from(arguments).is_ok());
}
