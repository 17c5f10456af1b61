//! What a matcher is made of.

use super::set::{Bytes, Set};

/// One step of a matcher; they are tried in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// These bytes.
    Literal(&'static [u8]),
    /// One character.
    One(&'static Set),
    /// Two characters or more.
    Word(Box<[&'static Set]>),
    /// As many characters as there are, then fewer.
    Run {
        set: &'static Set,
        min: u32,
        max: u32,
        /// Fewer would never do: what follows cannot begin inside the run.
        settled: bool,
        /// The bytes that may follow.
        next: &'static Bytes,
    },
    /// As few characters as will do.
    Lazy {
        set: &'static Set,
        min: u32,
        max: u32,
        /// The two bytes that may follow.
        next: [&'static Bytes; 2],
    },
    /// One way, and if it leads nowhere the other; and the bytes that each may begin with.
    Split([usize; 2], [&'static Bytes; 2]),
    /// Go on there.
    Jump(usize),
    /// The secret begins (`false`) or ends (`true`) here.
    Mark(bool),
    /// A condition on the place.
    Place(Place),
    /// The match is complete.
    Done,
}

impl Step {
    /// How many bytes the step may read from where it begins, or behind the characters that it takes.
    fn width(&self) -> usize {
        match self {
            Self::Literal(literal) => literal.len(),
            Self::Word(sets) => sets.len() * char::MAX.len_utf8(),
            _ => char::MAX.len_utf8(),
        }
    }
}

/// How many bytes any of these steps may read behind the place that was reached.
pub(crate) fn widest(steps: &[Step]) -> usize {
    steps.iter().map(Step::width).max().unwrap_or(0)
}

/// A condition on the place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    /// A word begins or ends here.
    WordEdge,
    NoWordEdge,
}
