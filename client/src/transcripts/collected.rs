//! Turns as a reader finds them, put together and kept within bounds.
//!
//! A text is kept whole or left out whole: half a key would no longer look like one to the sanitizer.

use std::collections::HashMap;

use super::{Action, Reading, Role, Turn};

/// The most bytes of one text.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The most bytes of a conversation; the oldest go first, but not the first, which states the problem.
const MAX_BYTES: usize = 8 << 20;
/// The most turns of a conversation.
const MAX_TURNS: usize = 20_000;

/// What a reader has found so far.
#[derive(Default)]
pub(super) struct Collected {
    turns: Vec<Turn>,
    /// Where the call of an id stands: its turn, and its place in it.
    open: HashMap<String, (usize, usize)>,
    reading: Reading,
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

    /// Notes how many other conversations the file has.
    pub(super) fn others(&mut self, count: usize) {
        self.reading.others = count;
    }

    /// Says whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Adds what somebody said; what one side says in a row is one turn.
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
            // What was said after something was done belongs to another turn.
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

    /// Adds what the agent did; its output may come later under the same id.
    pub(super) fn call(&mut self, id: Option<&str>, mut call: Action) {
        if call.input.len() > MAX_TEXT_BYTES {
            self.reading.left_out += 1;
            call.input.clear();
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
            last.actions.push(call);
        }
    }

    /// Adds what came back from a call; without an id, from the last one that still waits.
    pub(super) fn output(&mut self, id: Option<&str>, text: &str, failed: bool) {
        let place = id.and_then(|id| self.open.remove(id));
        let call = match (place, id) {
            (Some((turn, at)), _) => {
                let turn = self.turns.get_mut(turn);
                turn.and_then(|turn| turn.actions.get_mut(at))
            }
            (None, Some(_)) => None,
            (None, None) => {
                let mut latest = self.turns.iter_mut().rev().take(2);
                let waiting = latest.find_map(|turn| turn.actions.last_mut());
                waiting.filter(|call| call.output.is_none())
            }
        };
        let Some(call) = call else {
            self.skip();
            return;
        };
        call.failed |= failed;
        if text.len() > MAX_TEXT_BYTES {
            self.reading.left_out += 1;
        } else if !text.trim().is_empty() {
            call.output = Some(text.trim_end().to_owned());
        }
    }

    /// Marks the last call as one that failed.
    pub(super) fn last_call_failed(&mut self) {
        let calls = self.turns.last_mut().map(|turn| &mut turn.actions);
        if let Some(call) = calls.and_then(|calls| calls.last_mut()) {
            call.failed = true;
        }
    }

    /// Returns the turns in which something stands, and what was left out of them.
    pub(super) fn finish(mut self) -> (Vec<Turn>, Reading) {
        self.turns
            .retain(|turn| !turn.text.trim().is_empty() || !turn.actions.is_empty());
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
