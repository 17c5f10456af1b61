//! What a command line is about: the families of its commands, and whether it only shows texts.
//!
//! [`shell`] splits it into commands; [`family`] says what one of them does, [`programs`] which names anybody may know.

mod family;
mod kinds;
mod line_programs;
mod programs;
mod shell;
#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
};

pub(super) use family::Family;
pub(super) use line_programs::LinePrograms;
pub(super) use programs::{OTHER, public_name};
use shell::{Command, Join, Line};

/// The most parts of a text that are compared with command lines.
const MAX_PIECES: usize = 400;
/// The most bytes of a text that says nothing in an output.
const MIN_TEXT: usize = 2;
/// Programs that show texts: errors in their output are usually not their own.
const VIEWERS: [&str; 48] = [
    "cat", "bat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ack",
    "find", "fd", "ls", "tree", "sed", "awk", "cut", "sort", "uniq", "wc", "diff", "cmp", "jq",
    "yq", "echo", "printf", "stat", "file", "du", "df", "which", "type", "pwd", "ps", "env",
    "printenv", "history", "date", "strings", "xxd", "hexdump", "nl", "column", "man", "tr", "tee",
];
/// Commands of git that show texts.
const GIT_VIEWS: [&str; 9] = [
    "log", "diff", "show", "blame", "grep", "status", "branch", "stash", "reflog",
];
/// Programs that only prepare for the next command of a line.
const PREPARING: [&str; 14] = [
    "cd", "source", ".", "export", "set", "pushd", "popd", "ulimit", "sleep", "true", "mkdir",
    "unset", "wait", "umask",
];
/// What may stand before a command without changing what it does.
const PREFIXES: [&str; 2] = ["sudo ", "$ "];
/// What may stand after a command without changing what it does.
const SUFFIXES: [&str; 3] = ["2>&1", ">/dev/null", "> /dev/null"];

/// A command of a line that does something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Main {
    pub(super) family: Family,
    /// Whether it succeeded if the exit code of the line is 0. In `make | tail` it may have failed.
    pub(super) is_known: bool,
}

/// Returns the commands of a line that do something. If it has none, those that show or prepare something.
pub(super) fn mains(line: &str) -> Vec<Main> {
    let line = Line::of(line);
    let known = line.known();
    let all = || line.commands.iter().zip(&known);
    let main = |(command, is_known): (&Command, &bool)| Main {
        family: family::of(&command.words),
        is_known: *is_known,
    };
    let acting: Vec<Main> = all()
        .filter(|(command, _)| !is_preparing(command) && !shows(command))
        .map(main)
        .collect();
    match acting.is_empty() {
        true => all().map(main).collect(),
        false => acting,
    }
}

/// Returns the folder in which the commands of a line run, if it runs in this one.
pub(super) fn folder(line: &str, folder: &Path) -> PathBuf {
    let line = Line::of(line);
    let preparing = line
        .commands
        .iter()
        .take_while(|command| is_preparing(command));
    let changes = preparing.filter(|command| ["cd", "pushd"].map(Some).contains(&first(command)));
    let targets = changes.filter_map(|command| command.words.get(1));
    targets.fold(folder.to_owned(), |folder, target| {
        let mut reached = PathBuf::new();
        for part in folder.join(target).components() {
            match part {
                Component::ParentDir => drop(reached.pop()),
                Component::CurDir => {}
                part => reached.push(part),
            }
        }
        reached
    })
}

/// Returns whether a line only shows texts: each program in it does, also in pipelines.
pub(super) fn is_viewer(line: &str) -> bool {
    let line = Line::of(line);
    let mut main = line
        .commands
        .iter()
        .filter(|command| !is_preparing(command))
        .peekable();
    main.peek().is_some() && main.all(shows)
}

/// Returns the name of the program that a line starts first, after what prepares for it.
pub(super) fn program(line: &str) -> String {
    let line = Line::of(line);
    let main = line.commands.iter().find(|command| !is_preparing(command));
    let words = main.or(line.commands.last()).map(words).unwrap_or_default();
    let words = family::without_wrappers(&words);
    base(words.first().copied().unwrap_or_default()).to_owned()
}

/// Returns the commands of a line as it has them, each with single spaces and without what changes nothing.
pub(super) fn pieces(line: &str) -> Vec<String> {
    let lines = line.lines().flat_map(|line| line.split("&&"));
    let parts = lines.flat_map(|part| part.split([';', '|']));
    let pieces = parts.map(|part| {
        let piece = part.split_whitespace().collect::<Vec<_>>().join(" ");
        let begun = PREFIXES
            .iter()
            .find_map(|prefix| piece.strip_prefix(prefix));
        let mut piece = begun.unwrap_or(&piece);
        while let Some(shorter) = SUFFIXES
            .iter()
            .find_map(|suffix| piece.strip_suffix(suffix))
        {
            piece = shorter.trim_end();
        }
        piece.to_owned()
    });
    pieces
        .filter(|piece| !piece.is_empty())
        .take(MAX_PIECES)
        .collect()
}

/// Returns the texts in a line that its commands may just copy to their output: its lines, those of here-documents among them;
/// what is between quotation marks; its words; and what `echo` has after it.
pub(super) fn texts(line: &str) -> HashSet<String> {
    let escaped = line.replace("\\n", "\n");
    let is_quote = |c: char| "'\"`".contains(c);
    let quoted = escaped.split(|c: char| c == '\n' || is_quote(c));
    let mut texts: HashSet<String> = escaped.lines().chain(quoted).map(trimmed).collect();
    for command in Line::of(&escaped).commands {
        let copied = command.words.get(1..).unwrap_or_default().join(" ");
        let lines = command.words.iter().chain([&copied]);
        texts.extend(lines.flat_map(|text| text.lines()).map(trimmed));
    }
    texts.retain(|text| text.len() > MIN_TEXT);
    texts
}

fn trimmed(text: &str) -> String {
    text.trim().to_owned()
}

fn words(command: &Command) -> Vec<&str> {
    command.words.iter().map(String::as_str).collect()
}

fn shows(command: &Command) -> bool {
    let words = words(command);
    let words = family::without_wrappers(&words);
    let program = base(words.first().copied().unwrap_or_default());
    let mut rest = words.iter().skip(1).filter(|word| !word.starts_with('-'));
    match program {
        "git" => rest
            .next()
            .is_some_and(|command| GIT_VIEWS.contains(command)),
        // In place.
        "sed" => !words.iter().any(|word| word.starts_with("-i")),
        _ => VIEWERS.contains(&program),
    }
}

fn is_preparing(command: &Command) -> bool {
    first(command).is_some_and(|program| PREPARING.contains(&program)) && command.join != Join::Pipe
}

fn first(command: &Command) -> Option<&str> {
    command.words.first().map(String::as_str)
}

/// Returns the name of a program without its folder.
fn base(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}
