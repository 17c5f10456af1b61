//! The words that names of accounts are made of which belong to nobody.

use std::sync::LazyLock;

use crate::words::word_set::WordSet;

/// Words that make up names of accounts that belong to nobody: roles, services, examples, keywords of code.
pub(super) static ROLES: LazyLock<WordSet> = LazyLock::new(|| {
    let words: Vec<&str> = include_str!("roles.txt").split_whitespace().collect();
    WordSet::new(&words)
});

/// First names that stand for anybody when nothing stands beside them.
pub(super) const FIRST_NAMES: &[&str] = &[
    "alice", "bob", "john", "jane", "joe", "carol", "jdoe", "johndoe", "janedoe", "doe",
];
