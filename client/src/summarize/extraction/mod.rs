//! Extracts a draft without a model: the last error, the changes after it, and what worked. All words of the
//! draft are from the conversation, except for a few labels.

mod names;
#[cfg(test)]
mod tests;

use names::{is_plain, names_in, program_of, title_of};

use super::{
    shortened,
    signs::{LIKELY, Language, SURE, cause_weight, error_weight, is_error, is_solved},
    valid_keywords,
};
use crate::{Action, ActionKind, Conversation, Draft, Role, Turn, extract_keywords};

/// The maximum lengths of the problem, of the solution, and of a change. *Unit*: characters.
const PROBLEM_CHARS: usize = 600;
const SOLUTION_CHARS: usize = 1_500;
const CHANGE_CHARS: usize = 1_200;
/// The maximum number of lines of an error, beginning with the line that names it.
const ERROR_LINES: usize = 8;
/// The maximum number of changes and commands; the last ones are used.
const MAX_CHANGES: usize = 4;
const MAX_COMMANDS: usize = 8;

/// Programs that are not characteristic of a problem.
const EVERYDAY: [&str; 20] = [
    "ls", "cat", "cd", "echo", "pwd", "grep", "rg", "find", "head", "tail", "sed", "awk", "mkdir",
    "rm", "cp", "mv", "touch", "which", "sleep", "sudo",
];

/// The labels in a draft.
struct Labels {
    changed: &'static str,
    commands: &'static str,
    worked: &'static str,
}

impl Labels {
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

/// The last error, and where it occurred.
struct LastError {
    /// The index of the turn.
    turn: usize,
    /// The line that names the error.
    line: String,
    /// This line and the following ones.
    lines: String,
    /// The command that failed, if it was one.
    command: Option<String>,
}

/// Extracts a draft from a sanitized conversation. The solution is empty if the conversation contains none.
pub(super) fn draft(conversation: &Conversation) -> Draft {
    let turns = conversation.turns();
    let request = turns
        .iter()
        .find(|turn| turn.role == Role::User && !turn.text.is_empty());
    let request = request
        .or(turns.first())
        .map_or("", |turn| turn.text.as_str());
    let language = Language::of(request);
    let error = last_error(turns);
    let since = error.as_ref().map_or(0, |error| error.turn);
    let after = turns.get(since..).unwrap_or_default();
    let labels = Labels::of(language);
    let (answer, is_single) = (answer(turns, since), turns.len() == 1);
    let answer = match (answer, is_single) {
        (None, true) => own_solution(request),
        (answer, _) => answer,
    };
    Draft {
        root_cause: cause(after),
        context: context(after, &labels),
        keywords: keywords(request, error.as_ref(), after),
        ..Draft::new(
            title(request, error.as_ref()),
            problem(request, error.as_ref()),
            solution(answer, after, error.as_ref(), &labels),
        )
    }
}

/// Finds the last error: in a failed action or a certain one; otherwise a likely one.
fn last_error(turns: &[Turn]) -> Option<LastError> {
    let find = |least: u8| {
        let mut turns = turns.iter().enumerate().rev();
        turns.find_map(|(at, turn)| error_of_turn(turn, at, least))
    };
    find(SURE).or_else(|| find(LIKELY))
}

fn error_of_turn(turn: &Turn, at: usize, least: u8) -> Option<LastError> {
    let actions = turn.actions.iter().rev();
    let outputs = actions.filter(|action| may_show_error(action));
    let outputs = outputs.filter_map(|action| {
        let command = (action.kind == ActionKind::Command).then(|| action.input.clone());
        // The transcript itself marks it as failed.
        let least = if action.failed { 1 } else { least };
        Some((action.output.as_deref()?, command, least))
    });
    let message = (turn.role == Role::User).then_some((turn.text.as_str(), None, least));
    let mut texts = outputs.chain(message);
    texts.find_map(|(text, command, least)| error_in(text, least, command, at))
}

/// Returns whether an action's output may contain an error of this problem. What was read or searched may
/// contain errors of other problems.
fn may_show_error(action: &Action) -> bool {
    action.failed || action.kind == ActionKind::Command
}

fn error_in(text: &str, least: u8, command: Option<String>, turn: usize) -> Option<LastError> {
    let lines: Vec<&str> = text.lines().collect();
    // Of the most certain lines the first one: the following ones are its consequences.
    let weights = lines.iter().map(|line| error_weight(line));
    let highest = weights.max().filter(|weight| *weight >= least)?;
    let at = lines
        .iter()
        .position(|line| error_weight(line) == highest)?;
    let line = lines.get(at)?;
    // A message that reports success does not contain an error.
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

/// Returns a line of a log without the step and time before the message: `#12 63.41 error: x`.
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

/// Returns the last message of the agent since the error, else the last message of the person that reports
/// success.
fn answer(turns: &[Turn], since: usize) -> Option<String> {
    let messages = |role: Role| {
        let turns = turns.iter().enumerate().rev();
        let turns = turns.take_while(move |(at, _)| *at >= since);
        turns.filter(move |(_, turn)| turn.role == role && !turn.text.is_empty())
    };
    let agent = messages(Role::Assistant)
        .map(|(_, turn)| turn.text.as_str())
        .next();
    let person = || {
        let mut texts = messages(Role::User)
            .filter(|(at, _)| *at > since)
            .map(|(_, turn)| &turn.text);
        texts.find(|text| is_solved(text)).map(String::as_str)
    };
    agent
        .or_else(person)
        .map(|text| shortened(text, SOLUTION_CHARS))
}

/// Returns the paragraphs with the solution in a text by a single author.
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
    let solution = paragraphs.get(from..)?.join("\n\n");
    Some(shortened(&solution, SOLUTION_CHARS))
}

fn title(request: &str, error: Option<&LastError>) -> String {
    match error {
        Some(error) => title_of(&error.line, ""),
        None => {
            let first = request.lines().map(str::trim).find(|line| !line.is_empty());
            title_of(first.unwrap_or_default(), request)
        }
    }
}

fn problem(request: &str, error: Option<&LastError>) -> String {
    let request = shortened(request, PROBLEM_CHARS);
    match error {
        Some(error) if !request.contains(&error.line) => {
            let command = error.command.as_ref().map(|line| format!("$ {line}\n"));
            let command = command.unwrap_or_default();
            format!("{request}\n\n```\n{command}{}\n```", error.lines)
        }
        _ => request,
    }
}

/// Returns the sentence of the agent that most certainly names the cause.
fn cause(after: &[Turn]) -> Option<String> {
    let agent = after.iter().filter(|turn| turn.role == Role::Assistant);
    let sentences = agent.flat_map(|turn| sentences(&turn.text));
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

/// Returns whether a command apparently succeeded.
fn worked(action: &Action) -> bool {
    let output = action.output.as_deref();
    !action.failed && output.is_some_and(|output| !output.lines().any(is_error))
}

fn solution(
    answer: Option<String>,
    after: &[Turn],
    error: Option<&LastError>,
    labels: &Labels,
) -> String {
    let mut parts: Vec<String> = answer.into_iter().collect();
    let edits = actions(after, ActionKind::Edit);
    let mut files: Vec<&str> = edits.iter().filter_map(|edit| file_of(edit)).collect();
    files.dedup();
    if !files.is_empty() {
        parts.push(format!("{} {}", labels.changed, files.join(", ")));
    }
    let commands = actions(after, ActionKind::Command);
    let failed = error.and_then(|error| error.command.as_deref());
    // The best sign is that the failed command succeeds now.
    let again = commands
        .iter()
        .rev()
        .find(|it| worked(it) && Some(it.input.as_str()) == failed);
    let succeeded = again.or_else(|| commands.iter().rev().find(|it| worked(it)));
    if let Some(succeeded) = succeeded {
        parts.push(format!("{} `{}`", labels.worked, succeeded.input));
    }
    parts.join("\n\n")
}

/// Returns the name of the changed file: from the patch, else from the first line.
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

fn context(after: &[Turn], labels: &Labels) -> Option<String> {
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
        parts.push(format!("{}\n```sh\n{lines}\n```", labels.commands));
    }
    if parts.is_empty() {
        // Without actions, the code is in the messages of the agent.
        let agent = after.iter().filter(|turn| turn.role == Role::Assistant);
        parts.extend(agent.flat_map(|turn| fences(&turn.text)).take(MAX_CHANGES));
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

/// Returns the programs that ran, the names in the error and in the request, and the files that changed.
fn keywords(request: &str, error: Option<&LastError>, after: &[Turn]) -> Vec<String> {
    let mut words: Vec<&str> = Vec::new();
    let commands = actions(after, ActionKind::Command);
    let programs = commands.iter().filter_map(|it| program_of(&it.input));
    words.extend(programs.filter(|program| !EVERYDAY.contains(program)));
    let error = error
        .map(|error| extract_keywords(&error.line))
        .unwrap_or_default();
    let request = extract_keywords(&shortened(request, PROBLEM_CHARS));
    words.extend(names_in(&error).chain(names_in(&request)));
    let edits = actions(after, ActionKind::Edit);
    let files = edits.iter().filter_map(|edit| file_of(edit));
    words.extend(files.filter(|file| is_plain(file)));
    valid_keywords(words)
}
