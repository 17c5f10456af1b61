//! An expression that is matched where a text begins, by the same matcher.

use std::cell::Cell;
use std::ops::Range;

use super::{Bytes, Outcome, PLACES, Shape, Turns};

/// An expression.
#[derive(Debug)]
pub(crate) struct Regex(Shape);

thread_local! {
    static TURNS: Cell<Turns> = Cell::default();
}

impl Regex {
    /// Reads an expression; nothing where it needs another engine.
    pub(crate) fn new(pattern: &str) -> Option<Self> {
        Shape::new(pattern, &[], 0).map(Self)
    }

    /// What may stand at the first places of a match.
    pub(crate) fn places(&self) -> &[Bytes; PLACES] {
        self.0.places()
    }

    /// Finds the match at the beginning of a text: all of it, and its group `secret`.
    pub(crate) fn find(&self, text: &str) -> Option<(Range<usize>, Range<usize>)> {
        if !self.0.may_begin(text, 0) {
            return None;
        }
        let mut turns = TURNS.take();
        let outcome = self.0.at(text, 0, &mut turns);
        TURNS.set(turns);
        match outcome {
            Outcome::Found { whole, secret } => Some((whole, secret)),
            Outcome::Nothing | Outcome::GivenUp => None,
        }
    }
}
