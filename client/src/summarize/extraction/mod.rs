//! A draft without a model: the last error, what changed then, what worked. Every word of it is the
//! conversation's, but for the few that stand between.

mod names;
#[cfg(test)]
mod tests;

use names::{is_plain, names_in, program_of, title_of};

use super::{
    kept_keywords, shortened,
    signs::{LIKELY, Language, SURE, cause_weight, error_weight, is_error, is_solved},
};
use crate::{Action, ActionKind, Conversation, Draft, Role, Turn, extract_keywords};

/// The most characters of what was said of the problem, of the solution, of a change.
const PROBLEM_CHARS: usize = 600;
const SOLUTION_CHARS: usize = 1_500;
const CHANGE_CHARS: usize = 1_200;
/// Lines of an error that are kept, from the one that says what it is.
const ERROR_LINES: usize = 8;
/// Changes and commands that are kept, the last ones.
const MAX_CHANGES: usize = 4;
const MAX_COMMANDS: usize = 8;

/// Programs that say nothing of a problem.
const EVERYDAY: [&str; 20] = [
    "ls", "cat", "cd", "echo", "pwd", "grep", "rg", "find", "head", "tail", "sed", "awk", "mkdir",
    "rm", "cp", "mv", "touch", "which", "sleep", "sudo",
];

/// The words between the conversation's own.
struct Words {
    changed: &'static str,
    commands: &'static str,
    worked: &'static str,
}

impl Words {
    fn of(language: Language) -> Self {
        match language {
            Language::English => Self {
                changed: "Changed:",
                commands: "Commands:",
                worked: "This worked afterwards:",
            },
            Language::Chinese => Self {
                changed: "修改：",
                commands: "命令：",
                worked: "之后执行成功：",
            },
            Language::French => Self {
                changed: "Modifié :",
                commands: "Commandes :",
                worked: "Ceci a fonctionné ensuite :",
            },
        }
    }
}

/// The last error, and where it came up.
struct LastError {
    /// The turn.
    turn: usize,
    /// The line that says what it is.
    line: String,
    /// The lines from there on.
    lines: String,
    /// What failed, where it was a command.
    command: Option<String>,
}

/// Puts a draft together from a sanitized conversation. The solution is empty where nobody tells one.
pub(super) fn draft(conversation: &Conversation) -> Draft {
    let turns = conversation.turns();
    let asked = turns
        .iter()
        .find(|turn| turn.role == Role::User && !turn.text.is_empty());
    let asked = asked
        .or(turns.first())
        .map_or("", |turn| turn.text.as_str());
    let language = Language::of(asked);
    let error = last_error(turns);
    let since = error.as_ref().map_or(0, |error| error.turn);
    let after = turns.get(since..).unwrap_or_default();
    let words = Words::of(language);
    let (told, alone) = (answer(turns, since), turns.len() == 1);
    let told = match (told, alone) {
        (None, true) => own_solution(asked),
        (told, _) => told,
    };
    Draft {
        root_cause: cause(after),
        context: context(after, &words),
        keywords: keywords(asked, error.as_ref(), after),
        ..Draft::new(
            title(asked, error.as_ref()),
            problem(asked, error.as_ref()),
            solution(told, after, error.as_ref(), &words),
        )
    }
}

/// Finds the last error: of what failed, or what is surely one; else of what merely reads like one.
fn last_error(turns: &[Turn]) -> Option<LastError> {
    let find = |least: u8| {
        let mut turns = turns.iter().enumerate().rev();
        turns.find_map(|(at, turn)| error_of_turn(turn, at, least))
    };
    find(SURE).or_else(|| find(LIKELY))
}

fn error_of_turn(turn: &Turn, at: usize, least: u8) -> Option<LastError> {
    let actions = turn.actions.iter().rev();
    let shown = actions.filter(|action| shows_error(action));
    let shown = shown.filter_map(|action| {
        let command = (action.kind == ActionKind::Command).then(|| action.input.clone());
        // The transcript itself says so.
        let least = if action.failed { 1 } else { least };
        Some((action.output.as_deref()?, command, least))
    });
    let said = (turn.role == Role::User).then_some((turn.text.as_str(), None, least));
    let mut texts = shown.chain(said);
    texts.find_map(|(text, command, least)| error_in(text, least, command, at))
}

/// Says whether an action's output is where an error may stand: what is read and searched has errors of
/// others in it.
fn shows_error(action: &Action) -> bool {
    action.failed || action.kind == ActionKind::Command
}

fn error_in(text: &str, least: u8, command: Option<String>, turn: usize) -> Option<LastError> {
    let lines: Vec<&str> = text.lines().collect();
    // The first of the surest: what follows it follows from it.
    let weights = lines.iter().map(|line| error_weight(line));
    let surest = weights.max().filter(|weight| *weight >= least)?;
    let at = lines.iter().position(|line| error_weight(line) == surest)?;
    let line = lines.get(at)?;
    // A person who says that it is gone shows none.
    if command.is_none() && is_solved(line) {
        return None;
    }
    let following = lines.iter().skip(at).take(ERROR_LINES).copied();
    let following = following.take_while(|line| !line.trim().is_empty());
    Some(LastError {
        turn,
        line: without_prefix(line).to_owned(),
        lines: following
            .map(|line| shortened(line, 300))
            .collect::<Vec<_>>()
            .join("\n"),
        command,
    })
}

/// Returns a line of a log without step, time and level before the message: `#12 63.41 error: x`.
fn without_prefix(line: &str) -> &str {
    let is_prefix = |word: &str| {
        let word = word.trim_matches(['[', ']', '#', '|', ':']);
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        word.is_empty() || (word.starts_with(|c: char| c.is_ascii_digit()) && letters <= 2)
    };
    let mut rest = line.trim();
    while let Some((word, after)) = rest.split_once(' ')
        && is_prefix(word)
    {
        rest = after.trim_start();
    }
    rest
}

/// Returns the last thing the agent said since the error; what a person said where it is a solution.
fn answer(turns: &[Turn], since: usize) -> Option<String> {
    let said = |role: Role| {
        let turns = turns.iter().enumerate().rev();
        let turns = turns.take_while(move |(at, _)| *at >= since);
        turns.filter(move |(_, turn)| turn.role == role && !turn.text.is_empty())
    };
    let agent = said(Role::Assistant)
        .map(|(_, turn)| turn.text.as_str())
        .next();
    let person = || {
        let mut texts = said(Role::User)
            .filter(|(at, _)| *at > since)
            .map(|(_, turn)| &turn.text);
        texts.find(|text| is_solved(text)).map(String::as_str)
    };
    agent
        .or_else(person)
        .map(|text| shortened(text, SOLUTION_CHARS))
}

/// Returns the paragraphs of a text by one hand that tell the solution.
fn own_solution(text: &str) -> Option<String> {
    let paragraphs: Vec<&str> = text.split("\n\n").map(str::trim).collect();
    let from = paragraphs.iter().position(|paragraph| {
        let first = paragraph.lines().next().unwrap_or_default().to_lowercase();
        let heads = ["solution", "fix", "解决", "résolution", "correctif"];
        heads
            .iter()
            .any(|head| first.trim_start_matches(['#', '*', ' ']).starts_with(head))
            || is_solved(paragraph)
    })?;
    let told = paragraphs.get(from..)?.join("\n\n");
    Some(shortened(&told, SOLUTION_CHARS))
}

fn title(asked: &str, error: Option<&LastError>) -> String {
    match error {
        Some(error) => title_of(&error.line, ""),
        None => {
            let first = asked.lines().map(str::trim).find(|line| !line.is_empty());
            title_of(first.unwrap_or_default(), asked)
        }
    }
}

fn problem(asked: &str, error: Option<&LastError>) -> String {
    let asked = shortened(asked, PROBLEM_CHARS);
    match error {
        Some(error) if !asked.contains(&error.line) => {
            let command = error.command.as_ref().map(|line| format!("$ {line}\n"));
            let command = command.unwrap_or_default();
            format!("{asked}\n\n```\n{command}{}\n```", error.lines)
        }
        _ => asked,
    }
}

/// Returns the sentence of the agent that says why most surely.
fn cause(after: &[Turn]) -> Option<String> {
    let said = after.iter().filter(|turn| turn.role == Role::Assistant);
    let sentences = said.flat_map(|turn| sentences(&turn.text));
    let weighed = sentences.map(|sentence| (cause_weight(sentence), sentence));
    let best = weighed.filter(|(weight, sentence)| *weight > 0 && !is_solved(sentence));
    let best = best.max_by_key(|(weight, _)| *weight);
    best.map(|(_, sentence)| shortened(sentence, 400))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("```"));
    let sentences = lines.flat_map(|line| {
        let marked = line.split_inclusive(['。', '！']);
        marked.flat_map(|part| part.split_inclusive(". "))
    });
    sentences
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

fn actions(after: &[Turn], kind: ActionKind) -> Vec<&Action> {
    let actions = after.iter().flat_map(|turn| &turn.actions);
    actions
        .filter(|action| action.kind == kind && !action.failed)
        .collect()
}

/// Returns whether a command succeeded as far as one sees.
fn worked(action: &Action) -> bool {
    let output = action.output.as_deref();
    !action.failed && output.is_some_and(|output| !output.lines().any(is_error))
}

fn solution(
    told: Option<String>,
    after: &[Turn],
    error: Option<&LastError>,
    words: &Words,
) -> String {
    let mut parts: Vec<String> = told.into_iter().collect();
    let edits = actions(after, ActionKind::Edit);
    let mut files: Vec<&str> = edits.iter().filter_map(|edit| file_of(edit)).collect();
    files.dedup();
    if !files.is_empty() {
        parts.push(format!("{} {}", words.changed, files.join(", ")));
    }
    let commands = actions(after, ActionKind::Command);
    let failed = error.and_then(|error| error.command.as_deref());
    // The best sign is that what failed does not fail any more.
    let again = commands
        .iter()
        .rev()
        .find(|it| worked(it) && Some(it.input.as_str()) == failed);
    let good = again.or_else(|| commands.iter().rev().find(|it| worked(it)));
    if let Some(good) = good {
        parts.push(format!("{} `{}`", words.worked, good.input));
    }
    parts.join("\n\n")
}

/// Returns the file of a change: its first line, or the one that a patch names.
fn file_of(edit: &Action) -> Option<&str> {
    let named = ["*** Update File: ", "*** Add File: ", "+++ b/", "+++ "];
    let mut lines = edit.input.lines();
    let patched = lines.find_map(|line| named.iter().find_map(|name| line.strip_prefix(name)));
    let path = patched.or_else(|| edit.input.lines().next())?;
    path.rsplit(['/', '\\'])
        .next()
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

fn context(after: &[Turn], words: &Words) -> Option<String> {
    let edits = actions(after, ActionKind::Edit);
    let late = edits.iter().skip(edits.len().saturating_sub(MAX_CHANGES));
    let mut parts: Vec<String> = late
        .map(|edit| format!("```diff\n{}\n```", shortened(&edit.input, CHANGE_CHARS)))
        .collect();
    let mut commands: Vec<&str> = Vec::new();
    for action in actions(after, ActionKind::Command) {
        if !commands.contains(&action.input.as_str()) {
            commands.push(&action.input);
        }
    }
    let late = commands.split_off(commands.len().saturating_sub(MAX_COMMANDS));
    if !late.is_empty() {
        let lines = shortened(&late.join("\n"), CHANGE_CHARS);
        parts.push(format!("{}\n```sh\n{lines}\n```", words.commands));
    }
    if parts.is_empty() {
        // Where nothing was done, people copied what the agent said.
        let said = after.iter().filter(|turn| turn.role == Role::Assistant);
        parts.extend(said.flat_map(|turn| fences(&turn.text)).take(MAX_CHANGES));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Returns the fenced blocks of a text.
fn fences(text: &str) -> Vec<String> {
    let (mut blocks, mut open) = (Vec::new(), None::<String>);
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        match (&mut open, is_fence) {
            (None, true) => open = Some(line.trim().to_owned()),
            (None, false) => {}
            (Some(block), _) => {
                block.push('\n');
                block.push_str(line);
                if is_fence {
                    blocks.extend(open.take().filter(|block| block.len() <= CHANGE_CHARS));
                }
            }
        }
    }
    blocks
}

/// Returns the programs that ran, the files that changed, and what looks like a name in the error and the
/// question.
fn keywords(asked: &str, error: Option<&LastError>, after: &[Turn]) -> Vec<String> {
    let mut words: Vec<&str> = Vec::new();
    let commands = actions(after, ActionKind::Command);
    let programs = commands.iter().filter_map(|it| program_of(&it.input));
    words.extend(programs.filter(|program| !EVERYDAY.contains(program)));
    let error = error
        .map(|error| extract_keywords(&error.line))
        .unwrap_or_default();
    let asked = extract_keywords(&shortened(asked, PROBLEM_CHARS));
    words.extend(names_in(&error).chain(names_in(&asked)));
    let edits = actions(after, ActionKind::Edit);
    let files = edits.iter().filter_map(|edit| file_of(edit));
    words.extend(files.filter(|file| is_plain(file)));
    kept_keywords(words)
}
