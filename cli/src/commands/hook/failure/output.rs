//! Judges whole outputs of commands of which the host tells no exit code, and that hold no report of a known form. A program
//! that fails says so at the beginning or at the end of its output, in its own name (`cp: missing file operand`) or in common
//! phrases; what it says in between may be about anything.
//!
//! Which lines count is a judgement by rules, since a linear model over the same features missed more: see the section on
//! failures in `docs/design/outcomes.md`.

use super::complaint::{Judged, is_end, is_finding};
use crate::commands::hook::command::{self, LinePrograms};

/// The lines at the beginning of an output and at its end that are asked; of a short output, more at its beginning.
const FIRST: usize = 2;
const FIRST_OF_FEW: usize = 5;
const LAST: usize = 3;
/// The same for what a program says in its own name, which is more certain.
const LAST_OWN: usize = 4;
/// The most lines of an output that is short: all of it is about the failure. With a hint on how to get help; with a complaint
/// that something else follows; with a text on usage; with a complaint among its last lines.
const SHORT: usize = 3;
const HELP: usize = 12;
const COMPLAINT: usize = 15;
const USAGE: usize = 25;
const LONG: usize = 40;

/// Returns the lines of reports that count: not those that are only a warning or that are ignored, nor those that the command
/// itself wrote, nor those of a text on how to use the program, nor those of a script that says at its end that it is done.
pub(super) fn relevant_reports<'a>(
    mut found: Vec<&'a str>,
    lines: &[&'a str],
    line: &str,
    programs: &LinePrograms,
) -> Vec<&'a str> {
    found.retain(|line| !line.ends_with("(ignored)") && !line.contains(": Warning: "));
    let is_done = lines.last().is_some_and(|last| is_end(last));
    let written = command::texts(line);
    let is_echoed = found.iter().all(|found| written.contains(*found));
    let is_first = lines.iter().take(LAST).any(|line| found.contains(line));
    let is_help = programs.asks_for_help && !is_first;
    match is_echoed || is_help || is_done && programs.is_script {
        true => Vec::new(),
        false => found,
    }
}

/// Returns the lines that show that a command failed; none if it seems to have worked.
pub(super) fn find_complaints<'a>(
    lines: &[&'a str],
    line: &str,
    programs: &LinePrograms,
    is_viewer: bool,
) -> Vec<&'a str> {
    // What the command itself has written says nothing.
    let written = command::texts(line);
    let lines: Vec<&str> = lines
        .iter()
        .filter(|said| !written.contains(**said))
        .copied()
        .collect();
    let own = in_own_name(&lines, programs, is_viewer);
    if !own.is_empty() || is_viewer || programs.asks_for_help {
        return own;
    }
    let findings: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| is_finding(line))
        .collect();
    if !programs.has_viewer && !findings.is_empty() && findings.len() * 10 >= lines.len() * 8 {
        return findings;
    }
    let judged = judged(&lines);
    let has_good_end = judged.last().is_some_and(|last| {
        last.is_reassuring() && !last.begins_harmlessly() && !last.names_error()
    });
    let mut found: Vec<usize> = Vec::new();
    let ends = ends(lines.len(), LAST + 1, LAST);
    found.extend(
        ends.into_iter()
            .filter(|at| judged.get(*at).is_some_and(Judged::is_headed)),
    );
    if !has_good_end {
        found.extend(complaints(&judged));
    }
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .filter_map(|at| lines.get(at).copied())
        .collect()
}

/// Judges the lines at the beginning and the end; nothing in between is asked.
fn judged<'a>(lines: &[&'a str]) -> Vec<Judged<'a>> {
    let is_asked = |at: usize| at <= FIRST_OF_FEW || at + LAST >= lines.len();
    let all = lines.iter().enumerate();
    all.map(|(at, line)| Judged::new(if is_asked(at) { line } else { "" }))
        .collect()
}

/// Returns where lines at the beginning and at the end complain.
fn complaints(judged: &[Judged<'_>]) -> Vec<usize> {
    let count = judged.len();
    let at = |at: &usize| judged.get(*at);
    let mut found = Vec::new();
    let is_call = |judged: &Judged<'_>| judged.is_usage() || judged.offers_help();
    let has_usage =
        judged.iter().skip(1).take(5).any(is_call) || judged.iter().rev().take(LAST).any(is_call);
    if count <= COMPLAINT || has_usage {
        let first = match count <= COMPLAINT {
            true => FIRST_OF_FEW,
            false => FIRST,
        };
        let is_one = |judged: &Judged<'_>| judged.complains() || judged.names_error();
        found.extend((0..count.min(first)).filter(|line| at(line).is_some_and(is_one)));
    }
    if count <= USAGE {
        let is_one = |judged: &Judged<'_>| judged.is_marked();
        found.extend((0..count.min(LAST)).filter(|line| at(line).is_some_and(is_one)));
        found.extend((0..count.min(1)).filter(|line| at(line).is_some_and(Judged::is_usage)));
    }
    let last = count.saturating_sub(LAST)..count;
    found.extend(last.filter(|line| {
        let is_last = line + 1 == count;
        at(line).is_some_and(|judged| {
            judged.is_marked()
                || judged.names_error()
                || judged.complains() && (count <= LONG || is_last)
                || judged.offers_help() && count <= HELP
        })
    }));
    found
}

/// Returns what programs of the line say of themselves: `prog: text`. That is a complaint unless it is harmless or good news.
fn in_own_name<'a>(lines: &[&'a str], programs: &LinePrograms, is_viewer: bool) -> Vec<&'a str> {
    let mut found = Vec::new();
    for at in ends(lines.len(), FIRST, LAST_OWN) {
        let Some(line) = lines.get(at) else { continue };
        let Some(text) = programs.text_of(line) else {
            continue;
        };
        let judged = Judged::new(text);
        let complains = judged.has_phrase() || judged.names_error() || text.starts_with("***");
        if judged.begins_harmlessly() || judged.is_reassuring() && !complains {
            continue;
        }
        // `vacuuming database`: it says what it does.
        let first = text.split(' ').next().unwrap_or_default();
        let is_alone = lines.len() <= SHORT
            && !first.ends_with("ing")
            && (!is_viewer || at == 0 && programs.is_own(line));
        if complains || is_alone {
            found.push(*line);
        }
    }
    found
}

/// Returns the places of the first and the last of so many lines.
fn ends(count: usize, first: usize, last: usize) -> Vec<usize> {
    let from = count.saturating_sub(last).max(first);
    (0..count.min(first)).chain(from..count).collect()
}

/// Returns whether a run of Ansible failed nowhere, whatever it tolerated.
pub(super) fn is_fine_recap(lines: &[&str]) -> bool {
    let recap = |line: &&&str| line.contains("unreachable=") && line.contains("failed=");
    let mut recaps = lines.iter().filter(recap).peekable();
    recaps.peek().is_some()
        && recaps.all(|line| line.contains("unreachable=0 ") && line.contains("failed=0 "))
}
