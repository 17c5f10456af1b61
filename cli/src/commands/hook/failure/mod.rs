//! Decides whether a command failed, and finds the error in its output.
//!
//! Hosts tell the exit code differently, or not at all; then only the output tells. A program that shows texts shows the
//! errors of others, too.

mod lines;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use super::command;
use crate::hosts::{Ran, Status};

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

/// Returns the error of a command; `None` if it did not fail.
pub(super) fn of(ran: &Ran) -> Option<Failure> {
    let output = plain(&ran.output);
    let lines: Vec<&str> = output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !lines::is_exit_code(line))
        .collect();
    let is_viewer = command::is_viewer(&ran.line);
    let hides_failures = ran.line.is_empty() || command::hides_failures(&ran.line);
    let names_error: fn(&str) -> bool = match ran.status {
        Status::Failed if !is_viewer => lines::names_error,
        Status::Passed if !hides_failures => return None,
        _ => lines::is_report,
    };
    let program = command::program(&ran.line);
    let is_own = |line: &&&str| !is_viewer || lines::is_of_program(line, &program);
    let mut found: Vec<&str> = lines
        .iter()
        .filter(|line| names_error(line))
        .filter(is_own)
        .copied()
        .collect();
    if found.is_empty() && ran.status == Status::Failed && !is_viewer {
        let from = lines.len().saturating_sub(LAST_LINES);
        found.extend(lines.iter().skip(from));
    }
    let is_no_failure = ran.status != Status::Failed && lines::is_success(&lines);
    if is_no_failure || lines::is_not_run(&lines) {
        return None;
    }
    let main = lines::main(&found)?;
    let kept: Vec<String> = lines::most_telling(&found, MAX_LINES)
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
    let main = lines::main(&found)?;
    let kept: Vec<String> = lines::most_telling(&found, MAX_LINES)
        .map(|line| line.chars().take(MAX_CHARS).collect())
        .collect();
    Some(Failure {
        message: kept.join("\n"),
        fingerprint: fingerprint(main),
    })
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
    let half = MAX_BYTES / 2;
    if output.len() <= MAX_BYTES {
        return console::strip_ansi_codes(output).into_owned();
    }
    let (mut end, mut start) = (half, output.len() - half);
    while !output.is_char_boundary(end) {
        end -= 1;
    }
    while !output.is_char_boundary(start) {
        start += 1;
    }
    let [first, last] = [output.get(..end), output.get(start..)].map(Option::unwrap_or_default);
    console::strip_ansi_codes(&format!("{first}\n{last}")).into_owned()
}

/// Returns an error without what differs from one occurrence to the next: numbers, paths, and what is in quotation marks.
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
