//! The lists of words before `key` contradict neither each other nor themselves.

use std::collections::BTreeSet;

use crate::keys::key_words::{OTHER_KEYS, SECRET_KEYS};

#[test]
fn every_word_before_key_stands_in_one_list_once() {
    let words: Vec<&str> = SECRET_KEYS.iter().chain(OTHER_KEYS).copied().collect();
    let mut seen = BTreeSet::new();
    let repeated: Vec<&str> = words
        .into_iter()
        .filter(|word| !seen.insert(*word))
        .collect();
    assert_eq!(repeated, [""; 0]);
}
