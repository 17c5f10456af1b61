//! An expression that is matched where a text begins, by the same matcher.

use std::cell::RefCell;
use std::ops::Range;

use super::{Bytes, Outcome, PLACES, Pool, Shape, Turns};

/// An expression.
#[derive(Debug)]
pub(crate) struct Regex(Shape);

thread_local! {
    static TURNS: RefCell<Turns> = RefCell::default();
}

impl Regex {
    /// Reads what the build script made of an expression; nothing where the bytes are none.
    pub(crate) fn read(packed: &'static [u8], pool: &'static Pool) -> Option<Self> {
        Shape::read(packed, pool).map(Self)
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
        match TURNS.with_borrow_mut(|turns| self.0.at(text, 0, turns)) {
            Outcome::Found { whole, secret } => Some((whole, secret)),
            Outcome::Nothing | Outcome::GivenUp => None,
        }
    }
}
