//! What was tried for an error and did not help: knowledge, too.

use super::{error_line, program_of};
use crate::{Action, ActionKind, Conversation, Draft};

/// What begins the part of a context about what did not work.
const LABEL: &str = "Did not work:";
/// The maximum number of ways.
const MAX_WAYS: usize = 6;
/// The maximum length of a way and of the part. *Unit*: characters.
const MAX_WAY_CHARS: usize = 80;
const MAX_CHARS: usize = 240;
/// Programs that change nothing.
const LOOKING: [&str; 14] = [
    "ls", "cat", "cd", "echo", "pwd", "grep", "rg", "find", "head", "tail", "which", "sleep",
    "git", "sed",
];

/// Adds to the context of a draft what was tried and did not work, unless it says so already.
pub(crate) fn add(draft: &mut Draft, conversation: &Conversation) {
    let context = draft.context.as_deref().unwrap_or_default();
    if context.contains(LABEL) {
        return;
    }
    if let Some(failed) = of(conversation) {
        let gap = if context.is_empty() { "" } else { "\n\n" };
        draft.context = Some(format!("{context}{gap}{LABEL} {failed}"));
    }
}

/// Returns what was run and changed between two failures of the command that passed in the end, the first way first.
/// Only what came before the last failure counts: the rest is what helped. A step after which another error came was
/// needed, so both failures have the same error.
fn of(conversation: &Conversation) -> Option<String> {
    let actions: Vec<&Action> = conversation
        .turns()
        .iter()
        .flat_map(|turn| &turn.actions)
        .collect();
    let commands = |action: &&&Action| action.kind == ActionKind::Command;
    let passed = actions.iter().filter(commands).rev().find(|action| {
        let program = program_of(&action.input);
        let of_program = actions.iter().filter(commands);
        let mut failures = of_program.filter(|it| it.failed && program_of(&it.input) == program);
        !action.failed && action.output.is_some() && failures.next().is_some()
    })?;
    let program = program_of(&passed.input);
    let is_failure = |action: &&Action| {
        action.kind == ActionKind::Command && action.failed && program_of(&action.input) == program
    };
    let failures = actions.iter().enumerate();
    let failures = failures.filter(|(_, action)| is_failure(action));
    let failures: Vec<(usize, Option<String>)> = failures
        .map(|(at, action)| (at, error_without_places(action)))
        .collect();
    let mut ways: Vec<String> = Vec::new();
    for (one, next) in failures.iter().zip(failures.iter().skip(1)) {
        if one.1.is_none() || one.1 != next.1 {
            continue;
        }
        let tried = actions.get(one.0 + 1..next.0).unwrap_or_default();
        for way in tried.iter().filter_map(|action| way(action)) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    let mut text = String::new();
    for way in ways.iter().take(MAX_WAYS) {
        let longer = match text.is_empty() {
            true => way.clone(),
            false => format!("{text}; {way}"),
        };
        if longer.chars().count() > MAX_CHARS {
            break;
        }
        text = longer;
    }
    (!text.is_empty()).then_some(text)
}

/// Returns the error line of a command that failed, without the numbers of lines and columns, which an edit moves;
/// `None` if no line names an error.
fn error_without_places(action: &Action) -> Option<String> {
    let error = error_line(action)?;
    let mut text = String::new();
    let mut is_place = false;
    for c in error.chars() {
        is_place = match c {
            ':' | '(' | ',' => true,
            c => is_place && c.is_ascii_digit(),
        };
        if !(is_place && c.is_ascii_digit()) {
            text.push(c);
        }
    }
    Some(text)
}

/// Describes a command or a change in a few words; `None` if it changes nothing.
fn way(action: &Action) -> Option<String> {
    let line = action
        .input
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    let short: String = line.chars().take(MAX_WAY_CHARS).collect();
    match action.kind {
        ActionKind::Command => {
            let program = program_of(line);
            let program = program.split(' ').next().unwrap_or_default();
            (!LOOKING.contains(&program)).then(|| format!("`{short}`"))
        }
        ActionKind::Edit => {
            let name = short.rsplit(['/', '\\']).next().unwrap_or_default().trim();
            (!name.is_empty()).then(|| format!("a change of {name}"))
        }
        _ => None,
    }
}
