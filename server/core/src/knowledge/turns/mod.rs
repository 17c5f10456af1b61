//! Which entries are turns of a conversation, and what stands before and after one.
//!
//! Turns are short entries of one project that were added within an hour of each other, or with the same
//! context. Search lets them count for each other only where it is a conversation by its words: where
//! enough of them ask something. Notes that were taken one after the other do not.

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

/// Tokens of a turn at most, about.
const MOST_TOKENS: usize = 80;
/// Characters of a token in a word of ASCII letters, and bytes in other scripts, about.
const ASCII_CHARS_OF_TOKEN: usize = 4;
const OTHER_BYTES_OF_TOKEN: usize = 3;
/// The most milliseconds between turns without a common context.
const MOST_BETWEEN_MS: u64 = 60 * 60 * 1_000;
/// Entries that are looked at in each direction: other projects may be between.
const MOST_STEPS: usize = 256;
/// The fewest turns of a conversation.
const LEAST_TURNS: usize = 4;
/// Of so many turns at least one must ask something, or have its context in common with another.
const TURNS_TO_A_QUESTION: usize = 8;

/// What is remembered of an entry that may be a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// A hash of the context; none where there is none.
    context: Option<u64>,
    /// Whether it asks something.
    asks: bool,
}

impl Turn {
    /// Tells a turn by its text; `None` of a text that is too long for one.
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

/// About how many tokens a model makes of a text.
fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii / ASCII_CHARS_OF_TOKEN + (text.len() - ascii) / OTHER_BYTES_OF_TOKEN
}

/// Whether a sentence of a text is a question: code has its question marks elsewhere.
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

/// Returns the same for search: nothing around an entry that is not said in a conversation.
pub(crate) fn conversation_around(all: &BTreeMap<Ulid, Label>, id: Ulid) -> Around {
    let walked = walk(all, id).filter(|walked| {
        walked.turns >= LEAST_TURNS && walked.signs * TURNS_TO_A_QUESTION >= walked.turns
    });
    walked.map_or_else(Around::default, |walked| walked.around)
}

/// An entry's surroundings.
struct Walked {
    around: Around,
    turns: usize,
    /// Turns that ask something, or share their context with the one beside them.
    signs: usize,
}

/// Walks from an entry to both sides; `None` for one that is no turn.
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

/// Walks to one side, turn by turn.
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

/// What an entry is as a turn; none of one that does not hold any more.
fn turn_of(label: &Label) -> Option<Turn> {
    label.turn.filter(|_| label.status == EntryStatus::Active)
}

#[cfg(test)]
mod tests;
