//! Collects the turns that a reader finds, and limits their size.
//!
//! A text that is too long is left out completely, not cut: the sanitizer would not recognize half a key.

use std::collections::HashMap;

use super::{Action, ActionKind, Reading, Role, Turn};

/// The maximum size of one text. *Unit*: bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The maximum size of a conversation. The oldest turns are dropped, except for the first one, which states the
/// problem. *Unit*: bytes.
const MAX_BYTES: usize = 8 << 20;
/// The maximum number of turns of a conversation.
const MAX_TURNS: usize = 20_000;

/// The turns that a reader has found so far.
#[derive(Default)]
pub(super) struct Collected {
    turns: Vec<Turn>,
    /// The calls without an output, by id: the index of the turn, and of the action in it.
    open: HashMap<String, (usize, usize)>,
    reading: Reading,
    /// Whether the next text belongs to the last action.
    expects_output: bool,
}

impl Collected {
    pub(super) fn of(turns: Vec<Turn>) -> Self {
        Self {
            turns,
            ..Self::default()
        }
    }

    /// Counts a damaged or unknown record.
    pub(super) fn skip(&mut self) {
        self.reading.skipped += 1;
    }

    /// Sets the number of other conversations in the file.
    pub(super) fn others(&mut self, count: usize) {
        self.reading.others = count;
    }

    /// Returns whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Adds a message; successive messages of one side are joined to one turn.
    pub(super) fn say(&mut self, role: Role, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if text.len() > MAX_TEXT_BYTES {
            self.reading.left_out += 1;
            return;
        }
        match self.turns.last_mut() {
            // A message after an action belongs to another turn.
            Some(last) if last.role == role && last.actions.is_empty() => {
                last.text.push_str("\n\n");
                last.text.push_str(text);
            }
            _ => self.turns.push(Turn {
                role,
                text: text.to_owned(),
                actions: Vec::new(),
            }),
        }
    }

    /// Adds an action of the agent; its output may follow later with the same id.
    pub(super) fn act(&mut self, id: Option<&str>, mut action: Action) {
        if action.input.len() > MAX_TEXT_BYTES {
            self.reading.left_out += 1;
            action.input.clear();
        }
        let follows = self
            .turns
            .last()
            .is_some_and(|last| last.role == Role::Assistant);
        if !follows {
            self.turns.push(Turn {
                role: Role::Assistant,
                text: String::new(),
                actions: Vec::new(),
            });
        }
        let turn = self.turns.len().saturating_sub(1);
        if let Some(last) = self.turns.last_mut() {
            if let Some(id) = id {
                self.open.insert(id.to_owned(), (turn, last.actions.len()));
            }
            last.actions.push(action);
        }
    }

    /// Adds the output of an action; without an id, of the last action, if that has no output yet.
    pub(super) fn output(&mut self, id: Option<&str>, text: &str, failed: bool) {
        self.expects_output = false;
        let place = id.and_then(|id| self.open.remove(id));
        let action = match (place, id) {
            (Some((turn, at)), _) => {
                let turn = self.turns.get_mut(turn);
                turn.and_then(|turn| turn.actions.get_mut(at))
            }
            (None, Some(_)) => None,
            (None, None) => self.last_action().filter(|action| action.output.is_none()),
        };
        let Some(action) = action else {
            self.skip();
            return;
        };
        action.failed |= failed || exit_code(text).is_some_and(|code| code != "0");
        if text.len() > MAX_TEXT_BYTES {
            self.reading.left_out += 1;
        } else if action.kind == ActionKind::Edit && action.input.ends_with('\n') {
            // In a screen export the change is shown as the output.
            action.input.push_str(text.trim_end());
        } else if !text.trim().is_empty() {
            action.output = Some(text.trim_end().to_owned());
        }
    }

    /// Appends to the output of the last action.
    pub(super) fn more_output(&mut self, text: &str) {
        let Some(action) = self.last_action() else {
            self.skip();
            return;
        };
        let output = action.output.get_or_insert_default();
        if output.len() + text.len() > MAX_TEXT_BYTES {
            self.reading.left_out += 1;
            return;
        }
        if !output.is_empty() {
            output.push('\n');
        }
        output.push_str(text.trim_end());
        action.failed |= exit_code(text).is_some_and(|code| code != "0");
    }

    /// Marks the next text as the last action's output.
    pub(super) fn expect_output(&mut self) {
        self.expects_output = true;
    }

    /// Returns whether the next text is the last action's output.
    pub(super) fn expects_output(&self) -> bool {
        self.expects_output
    }

    /// Returns whether the last action has no output yet.
    pub(super) fn lacks_output(&mut self) -> bool {
        let last = self.last_action();
        last.is_some_and(|action| action.output.is_none())
    }

    /// Marks the last action as failed.
    pub(super) fn last_action_failed(&mut self) {
        if let Some(action) = self.last_action() {
            action.failed = true;
        }
    }

    /// Returns the last action of the last turn, or of the one before it.
    fn last_action(&mut self) -> Option<&mut Action> {
        let mut latest = self.turns.iter_mut().rev().take(2);
        latest.find_map(|turn| turn.actions.last_mut())
    }

    /// Returns the turns that are not empty, and what could not be read.
    pub(super) fn finish(mut self) -> (Vec<Turn>, Reading) {
        self.turns
            .retain(|turn| !turn.text.trim().is_empty() || !turn.actions.is_empty());
        // Text of the agent before the first message of the user is a greeting.
        if let Some(first) = self.turns.iter().position(|turn| turn.role == Role::User) {
            let is_greeting = self
                .turns
                .iter()
                .take(first)
                .all(|turn| turn.actions.is_empty());
            self.turns.drain(..if is_greeting { first } else { 0 });
        }
        let mut bytes: usize = self.turns.iter().map(Turn::bytes).sum();
        let mut excess = self.turns.len().saturating_sub(MAX_TURNS);
        let mut at = 0;
        self.turns.retain(|turn| {
            let first = at == 0;
            at += 1;
            if first || (bytes <= MAX_BYTES && excess == 0) {
                return true;
            }
            bytes = bytes.saturating_sub(turn.bytes());
            excess = excess.saturating_sub(1);
            self.reading.left_out += 1;
            false
        });
        (self.turns, self.reading)
    }
}

/// Returns the exit code in an output's first or last three lines.
fn exit_code(output: &str) -> Option<&str> {
    let (first, last) = (output.lines().take(3), output.lines().rev().take(3));
    first.chain(last).find_map(|line| {
        let at = line.to_ascii_lowercase().find("exit code")?;
        let after = line.get(at + "exit code".len()..)?;
        let after = after.trim_start_matches([':', ' ', '=']);
        let code = after
            .split(|c: char| !c.is_ascii_digit() && c != '-')
            .next()?;
        (!code.is_empty()).then_some(code)
    })
}
