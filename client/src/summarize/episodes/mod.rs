//! Finds the problems that were solved in a conversation: a command failed, and later the same one passed.

mod failed_ways;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::{Action, ActionKind, Conversation, Draft, RecallKitClient, Role, Turn};

use super::{clean, extraction, signs::error_weight};
pub(super) use failed_ways::add as add_failed_ways;

/// The maximum number of turns between failing and passing; what takes longer is rarely one problem.
const MAX_TURNS: usize = 60;
/// The maximum size of an episode. *Unit*: bytes.
const MAX_BYTES: usize = 256 << 10;
/// How many of the first and of the last lines of an output are searched for the error.
const ERROR_LINES: usize = 40;

/// A problem that was solved in a conversation. It is not sanitized; `Debug` shows only sizes.
#[derive(Clone, PartialEq, Eq)]
pub struct Episode {
    /// The part of the conversation from the request to the success.
    conversation: Conversation,
    /// The line with the error.
    error: String,
    /// How many commands failed until it passed.
    pub failures: usize,
}

impl fmt::Debug for Episode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Episode")
            .field("conversation", &self.conversation)
            .field("error", &self.error.len())
            .field("failures", &self.failures)
            .finish()
    }
}

impl Conversation {
    /// Returns the problems that were solved: a command failed with an error message, and the same program
    /// passed later, within a bounded number of turns.
    pub fn episodes(&self) -> Vec<Episode> {
        let mut found = Vec::new();
        let mut open: Option<Open> = None;
        for (at, turn) in self.turns.iter().enumerate() {
            open.take_if(|open| at - open.turn > MAX_TURNS);
            for action in turn
                .actions
                .iter()
                .filter(|it| it.kind == ActionKind::Command)
            {
                match &mut open {
                    _ if action.failed => failed(&mut open, action, at),
                    Some(begun) if begun.is_ended_by(action) => {
                        let done = open.take().and_then(|open| self.episode(&open, at));
                        found.extend(done);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Returns the episode that ended in a turn: the last request before it, and what followed the success
    /// until the person spoke again.
    fn episode(&self, open: &Open, end: usize) -> Option<Episode> {
        let before = self.turns.get(..=open.turn)?;
        let request = before.iter().rposition(|turn| turn.role == Role::User);
        let first = request.unwrap_or(open.turn);
        let after = self.turns.get(end + 1..).unwrap_or_default();
        let answers = after.iter().take_while(|turn| turn.role == Role::Assistant);
        // Actions after the success are about something else.
        let answers = answers.take_while(|turn| turn.actions.is_empty()).count();
        let turns: Vec<Turn> = self.turns.get(first..=end + answers)?.to_vec();
        if turns.iter().map(Turn::bytes).sum::<usize>() > MAX_BYTES {
            return None;
        }
        Some(Episode {
            conversation: Conversation::from_turns(turns).ok()?,
            error: open.error.clone(),
            failures: open.failures,
        })
    }
}

impl RecallKitClient {
    /// Returns the error of an episode without what the sanitizer removes, and without numbers, paths and names: two
    /// episodes with the same one are about the same problem.
    pub fn fingerprint_of(&self, episode: &Episode) -> String {
        fingerprint(&clean::line(&episode.error, &self.sanitizer))
    }

    /// Creates a draft of an episode, without a model: the error, the changes after it, and what worked. It
    /// is extracted from the sanitized conversation.
    pub fn draft_of(&self, episode: &Episode) -> Draft {
        let clean = clean::sanitized(&episode.conversation, &self.sanitizer);
        let mut draft = extraction::draft(&clean);
        add_failed_ways(&mut draft, &clean);
        draft
    }
}

/// A command that failed and has not passed yet.
struct Open {
    turn: usize,
    /// The program with its first argument: `cargo test`.
    program: String,
    error: String,
    failures: usize,
}

impl Open {
    fn is_ended_by(&self, action: &Action) -> bool {
        action.output.is_some() && program_of(&action.input) == self.program
    }
}

/// Opens an episode, or counts a further failure of the same command.
fn failed(open: &mut Option<Open>, action: &Action, turn: usize) {
    let program = program_of(&action.input);
    if let Some(begun) = open.as_mut().filter(|open| open.program == program) {
        begun.failures += 1;
        return;
    }
    if let Some(error) = error_line(action) {
        *open = Some(Open {
            turn,
            program,
            error: error.to_owned(),
            failures: 1,
        });
    }
}

/// Returns the line of a command's output that is most certainly the error; `None` if no line names one.
fn error_line(action: &Action) -> Option<&str> {
    let output = action.output.as_deref().unwrap_or_default();
    let lines: Vec<&str> = output.lines().collect();
    let last = lines.len().saturating_sub(ERROR_LINES);
    let lines = lines.into_iter().enumerate();
    let lines = lines.filter(|(at, _)| *at < ERROR_LINES || *at >= last);
    let lines = lines.map(|(_, line)| (error_weight(line), line.trim()));
    let best = lines.rev().max_by_key(|(weight, _)| *weight);
    best.filter(|(weight, _)| *weight > 0)
        .map(|(_, error)| error)
}

/// Returns the program of a command line with its first argument that is no option, without a change of
/// folder and variables before it.
fn program_of(line: &str) -> String {
    let last = line
        .rsplit("&&")
        .find(|part| !part.trim().starts_with("cd "));
    let words = last.unwrap_or(line).split_whitespace();
    let mut words = words.skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let program = words.next().unwrap_or_default();
    let first = words
        .find(|word| !word.starts_with('-'))
        .unwrap_or_default();
    format!("{program} {first}")
}

/// Returns an error message without what differs from one occurrence to the next: numbers, paths, what is in quotation
/// marks or brackets, and names. A capitalised word within a sentence is taken for a name, so that no person is in it.
fn fingerprint(error: &str) -> String {
    let mut begins_sentence = true;
    let words = error.split_whitespace().map(|word| {
        let is_capitalised = word.starts_with(char::is_uppercase);
        let is_name = is_capitalised && !begins_sentence && !is_identifier(word);
        begins_sentence = word.ends_with([':', '.', '!', '?']);
        let is_enclosed = word.starts_with(['\'', '"', '`', '‘', '“', '<', '[', '(', '{']);
        let is_place = word.contains(['/', '\\', '@', '~']);
        // The sanitizer's placeholders begin like this.
        let is_removed = word.contains("YOUR_");
        match is_name
            || is_removed
            || is_enclosed
            || is_place
            || word.chars().any(|c| c.is_ascii_digit())
        {
            true => "_".to_owned(),
            false => word.to_lowercase(),
        }
    });
    let mut words: Vec<String> = words.take(30).collect();
    // A name may have one word or several.
    words.dedup_by(|word, before| word == "_" && before == "_");
    words.join(" ")
}

/// Returns whether a capitalised word is no name: `ENOENT`, `MAX_SIZE`, `NullPointerException`.
fn is_identifier(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_shouted = !word.chars().any(char::is_lowercase);
    let is_class = ["Error", "Exception", "Warning"]
        .iter()
        .any(|end| word.ends_with(end));
    is_shouted || is_class || word.contains('_')
}
