//! What a failure or a success is about: the commands of a line, what they are applied to, and their folder.

use serde::{Deserialize, Serialize};

use super::super::{
    command::{self, Family},
    hash::{Hash, Hasher},
};

/// The number of commands of a line whose failures are told apart, and of what one is applied to. Of a line with more, nobody
/// could say what has to work again.
pub(super) const MAX_PARTS: usize = 4;
pub(super) const MAX_ITEMS: usize = 8;

/// The commands that a failure or a success is about, and their folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in super::super) struct Place {
    pub(in super::super) parts: Vec<Part>,
    pub(in super::super) folder: Hash,
}

/// A command, and what it is applied to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in super::super) struct Part {
    pub(in super::super) name: Hash,
    pub(in super::super) items: Vec<Hash>,
    /// The options that make it do more, or the same with something else.
    pub(in super::super) options: Vec<Hash>,
    /// Whether it is applied to everything if there are no items.
    pub(in super::super) is_all: bool,
    /// The program, if its name is [public](super::super::command::public_name).
    pub(in super::super) program: String,
}

impl Part {
    /// Creates it from what is known of a command.
    pub(in super::super) fn of(family: &Family, hasher: &Hasher) -> Self {
        let hashes = |words: &[String]| words.iter().map(|word| hasher.hash(word)).collect();
        Self {
            name: hasher.hash(&family.name),
            items: hashes(&family.items),
            options: hashes(&family.options),
            is_all: family.is_all,
            program: command::public_name(family.program()).to_owned(),
        }
    }

    /// Returns whether one of two failures may be that of the other command.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.covers(other) || other.covers(self)
    }

    /// Returns whether a success of this command says that another one, which failed, works now.
    pub(super) fn covers(&self, failed: &Self) -> bool {
        let is_whole = self.is_all && self.items.is_empty();
        let has_items = failed.items.iter().all(|item| self.items.contains(item))
            && failed.items.is_empty() == self.items.is_empty();
        let has_options = failed
            .options
            .iter()
            .all(|option| self.options.contains(option));
        self.name == failed.name && has_options && (is_whole || has_items)
    }
}

impl Place {
    pub(in super::super) fn new(parts: Vec<Part>, folder: Hash) -> Self {
        Self { parts, folder }
    }

    /// Returns whether a failure here can be remembered: with all that has to work again.
    pub(super) fn is_traceable(&self) -> bool {
        let is_short =
            |part: &Part| part.items.len() <= MAX_ITEMS && part.options.len() <= MAX_ITEMS;
        (1..=MAX_PARTS).contains(&self.parts.len()) && self.parts.iter().all(is_short)
    }
}
