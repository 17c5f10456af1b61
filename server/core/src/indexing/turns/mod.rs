//! Finds which entries are turns of a conversation, and the turns before and after an entry.
//!
//! Turns are short entries of one project that were added within an hour of each other, or that have the
//! same context. Search lets neighbouring turns count for each other only in a conversation, that is, if
//! enough of them ask a question. Consecutive notes do not.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Bound::{Excluded, Unbounded},
};

use recall_kit_search::{Around, NEIGHBOURS};
use recall_kit_shared_types::knowledge::EntryStatus;
use recall_kit_store::ShortText;
use ulid::Ulid;

use super::labels::Label;

/// The approximate maximum number of tokens of a turn.
const MOST_TOKENS: usize = 80;
/// Approximate length of a token: characters of ASCII text, and bytes of other scripts.
const ASCII_CHARS_OF_TOKEN: usize = 4;
const OTHER_BYTES_OF_TOKEN: usize = 3;
/// The most milliseconds between turns without a common context.
const MOST_BETWEEN_MS: u64 = 60 * 60 * 1_000;
/// The most entries that are checked in each direction: entries of other projects may be in between.
const MOST_STEPS: usize = 256;
/// The fewest turns of a conversation.
const LEAST_TURNS: usize = 4;
/// At least one in so many turns must ask a question, or share its context with a neighbour.
const TURNS_TO_A_QUESTION: usize = 8;

/// The properties of an entry that may be a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// A hash of the context, if there is one.
    context: Option<u64>,
    /// Whether it asks a question.
    asks: bool,
}

impl Turn {
    /// Returns the properties of a text; `None` if it is too long for a turn.
    pub(crate) fn of(text: &ShortText) -> Option<Self> {
        if tokens(&text.content) > MOST_TOKENS {
            return None;
        }
        let context = text.context.as_deref().map(str::trim);
        let context = context.filter(|context| !context.is_empty());
        Some(Self {
            context: context.map(|context| {
                // Only ever compared within this process.
                let mut hasher = DefaultHasher::new();
                context.hash(&mut hasher);
                hasher.finish()
            }),
            asks: asks(&text.content),
        })
    }
}

/// Estimates the number of tokens of a text.
fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii / ASCII_CHARS_OF_TOKEN + (text.len() - ascii) / OTHER_BYTES_OF_TOKEN
}

/// Whether a text contains a question. Question marks in code are at other positions than at the end of a
/// sentence.
fn asks(text: &str) -> bool {
    let marks = text.match_indices(['?', '？', '؟']);
    let mut ends = marks.map(|(at, mark)| (text.get(..at), text.get(at + mark.len()..)));
    ends.any(|(before, after)| {
        let last = before.and_then(|before| before.chars().next_back());
        let next = after.and_then(|after| after.chars().next());
        last.is_some_and(|last| last.is_alphanumeric() || "\"')]»”".contains(last))
            && next.is_none_or(|next| next.is_whitespace() || "\"')]»”".contains(next))
    })
}

/// Returns the turns before and after an entry, the nearest first.
pub(crate) fn around(all: &BTreeMap<Ulid, Label>, id: Ulid) -> Around {
    walk(all, id).map_or_else(Around::default, |walked| walked.around)
}

/// Returns the same for search: nothing for an entry that is not part of a conversation.
pub(crate) fn conversation_around(all: &BTreeMap<Ulid, Label>, id: Ulid) -> Around {
    let walked = walk(all, id).filter(|walked| {
        walked.turns >= LEAST_TURNS && walked.signs * TURNS_TO_A_QUESTION >= walked.turns
    });
    walked.map_or_else(Around::default, |walked| walked.around)
}

/// The turns around an entry.
struct Walked {
    around: Around,
    turns: usize,
    /// The number of turns that ask a question, or share their context with their neighbour.
    signs: usize,
}

/// Walks from an entry in both directions; `None` if it is not a turn.
fn walk(all: &BTreeMap<Ulid, Label>, id: Ulid) -> Option<Walked> {
    let start = (id, all.get(&id)?);
    let turn = turn_of(start.1)?;
    let before = all.range(..id).rev();
    let after = all.range((Excluded(id), Unbounded));
    let mut walked = Walked {
        around: Around::default(),
        turns: 1,
        signs: usize::from(turn.asks),
    };
    let before = side(&mut before.take(MOST_STEPS), start, &mut walked);
    let after = side(&mut after.take(MOST_STEPS), start, &mut walked);
    walked.around = Around { before, after };
    Some(walked)
}

/// Walks in one direction, turn by turn.
fn side<'a>(
    entries: &mut dyn Iterator<Item = (&'a Ulid, &'a Label)>,
    start: (Ulid, &'a Label),
    walked: &mut Walked,
) -> Vec<uuid::Uuid> {
    let mut here = start;
    let mut found = Vec::new();
    for (id, label) in entries {
        let is_near = id.timestamp_ms().abs_diff(here.0.timestamp_ms()) <= MOST_BETWEEN_MS;
        let (Some(turn), Some(last)) = (turn_of(label), turn_of(here.1)) else {
            continue;
        };
        let same_context = turn.context.is_some() && turn.context == last.context;
        if label.project == start.1.project && (same_context || is_near && label.project.is_some())
        {
            found.push((*id).into());
            walked.turns += 1;
            walked.signs += usize::from(turn.asks || same_context);
            here = (*id, label);
        } else if !is_near && last.context.is_none() {
            break;
        }
        if found.len() == NEIGHBOURS {
            break;
        }
    }
    found
}

/// Returns an entry's properties as a turn; `None` for an obsolete entry.
fn turn_of(label: &Label) -> Option<Turn> {
    label.turn.filter(|_| label.status == EntryStatus::Active)
}

#[cfg(test)]
mod tests;
