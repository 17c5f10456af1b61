//! Decides whether a command failed or worked, and finds the error in its output.
//!
//! The host's exit code is taken as given, but it may be that of another command: in `make | tail` it is that of
//! `tail`. Only then, and if the host says nothing, does the output decide. A program that shows texts shows the errors
//! of others, too.

mod complaint;
mod lines;
mod output;
mod phrases;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use super::command::{self, LinePrograms, Main};
use crate::hosts::{Ran, Status, head_and_tail};

/// The maximum number of lines of an error that are used.
const MAX_LINES: usize = 6;
/// The number of last lines that are used if no line names an error.
const LAST_LINES: usize = 3;
/// The length to which a line is cut. *Unit*: characters.
const MAX_CHARS: usize = 300;
/// The part of an output that is read, half of it from its beginning and half from its end. *Unit*: bytes.
const MAX_BYTES: usize = 256 << 10;
/// The number of lines with errors of which an output's fingerprints are taken.
const MAX_ERRORS: usize = 200;
/// The number of words of an error that make its fingerprint.
const FINGERPRINT_WORDS: usize = 30;

/// The error of a command that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// The lines that describe the error.
    pub(super) message: String,
    /// The error without what differs from one occurrence to the next.
    pub(super) fingerprint: String,
}

/// How a command line ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// The host did not run it, or not to its end.
    NotRun,
    /// It failed, and this is the error.
    Failed(Failure),
    /// It failed, and said nothing about it.
    Silently,
    /// These commands of it succeeded. It is certain if the host or the output says so; otherwise the output only shows
    /// no error.
    Worked { mains: Vec<Main>, is_certain: bool },
    /// Nobody knows.
    Unknown,
}

/// Returns how a command line ended.
pub(super) fn ended(ran: &Ran) -> Ended {
    let output = plain(&ran.output);
    let lines: Vec<&str> = output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !lines::is_exit_code(line))
        .collect();
    if ran.status != Status::Passed && lines::is_not_run(&lines) {
        return Ended::NotRun;
    }
    let is_viewer = command::is_viewer(&ran.line);
    let mains = command::mains(&ran.line);
    let hides_failures = mains.iter().any(|main| !main.is_known);
    if ran.status == Status::Passed && (!hides_failures || is_viewer) {
        return Ended::Worked {
            mains,
            is_certain: true,
        };
    }
    let is_success = ran.status != Status::Failed && lines::is_success(&lines);
    match error(&ran.line, ran.status, &lines, is_viewer).filter(|_| !is_success) {
        Some(failure) => Ended::Failed(failure),
        None if ran.status == Status::Failed => Ended::Silently,
        None => worked(mains, ran.status, &lines),
    }
}

/// Returns which commands worked, as their output shows no error. Those whose exit code is not that of the line may
/// have said nothing because of a filter after them, so that the output has to say that the only one of them succeeded.
fn worked(mains: Vec<Main>, status: Status, lines: &[&str]) -> Ended {
    let (known, hidden): (Vec<Main>, Vec<Main>) = mains.into_iter().partition(|main| main.is_known);
    let mut worked = known;
    let tells_success = lines::tells_success(lines);
    if hidden.len() == 1 && tells_success {
        worked.extend(hidden);
    }
    match worked.is_empty() {
        true => Ended::Unknown,
        false => Ended::Worked {
            mains: worked,
            is_certain: status == Status::Passed || tells_success,
        },
    }
}

/// Returns the error of a command in the lines of its output.
fn error(line: &str, status: Status, lines: &[&str], is_viewer: bool) -> Option<Failure> {
    let names_error: fn(&str) -> bool = match status {
        Status::Failed if !is_viewer => lines::names_error,
        _ => lines::is_report,
    };
    let program = command::program(line);
    let is_own = |line: &&&str| !is_viewer || lines::is_of_program(line, &program);
    let mut found: Vec<&str> = lines
        .iter()
        .filter(|line| names_error(line))
        .filter(is_own)
        .copied()
        .collect();
    if found.is_empty() && status == Status::Failed && !is_viewer {
        let from = lines.len().saturating_sub(LAST_LINES);
        found.extend(lines.iter().skip(from));
    }
    if status == Status::Unknown && !output::is_fine_recap(lines) {
        let programs = LinePrograms::of(line);
        found = output::relevant_reports(found, lines, line, &programs);
        if found.is_empty() && !lines::tells_success(lines) {
            found = output::find_complaints(lines, line, &programs, is_viewer);
        }
    } else if status == Status::Unknown {
        found.clear();
    }
    failure_from(&found)
}

/// Returns the failure that these lines describe.
fn failure_from(found: &[&str]) -> Option<Failure> {
    let main = lines::main(found)?;
    let kept: Vec<String> = lines::most_telling(found, MAX_LINES)
        .map(|line| line.chars().take(MAX_CHARS).collect())
        .collect();
    Some(Failure {
        message: kept.join("\n"),
        fingerprint: fingerprint(main),
    })
}

/// Returns the error message in what a user said: lines that report an error as programs do.
pub(super) fn in_prompt(prompt: &str) -> Option<Failure> {
    let prompt = plain(prompt);
    let lines = prompt.lines().map(str::trim);
    let found: Vec<&str> = lines.filter(|line| lines::is_report(line)).collect();
    failure_from(&found)
}

/// Returns the fingerprints of the errors that an output shows, even if the command did not fail.
pub(super) fn fingerprints(output: &str) -> HashSet<String> {
    let output = plain(output);
    let lines = output.lines().map(str::trim);
    let errors = lines.filter(|line| lines::names_error(line));
    errors.take(MAX_ERRORS).map(fingerprint).collect()
}

/// Returns the beginning and the end of an output, without colours.
fn plain(output: &str) -> String {
    console::strip_ansi_codes(&head_and_tail(output, MAX_BYTES)).into_owned()
}

/// Returns an error without what differs from one occurrence to the next: numbers, paths, and what is in quotation
/// marks.
fn fingerprint(error: &str) -> String {
    let mut words = Vec::new();
    let mut quote = None;
    for word in error.split_whitespace() {
        let opens = word
            .trim_start_matches(['(', '['])
            .chars()
            .next()
            .filter(|c| "'\"`‘“".contains(*c));
        let is_inside = quote.is_some() || opens.is_some();
        let open = quote.or(opens.map(closing));
        let after_first = word
            .trim_start_matches(['(', '['])
            .chars()
            .skip(usize::from(quote.is_none()));
        quote = open.filter(|close| !after_first.clone().any(|c| c == *close));
        let is_variable = word.contains(['/', '\\']) || word.chars().any(|c| c.is_ascii_digit());
        // Codes such as `E0502` and `TS2304` tell errors apart.
        let is_code = lines::is_code(word);
        let word = match (is_inside || is_variable) && !is_code {
            true => "_".to_owned(),
            false => word.to_lowercase(),
        };
        if words.last() != Some(&word) || word != "_" {
            words.push(word);
        }
    }
    words.truncate(FINGERPRINT_WORDS);
    words.join(" ")
}

fn closing(quote: char) -> char {
    match quote {
        '‘' => '’',
        '“' => '”',
        other => other,
    }
}
