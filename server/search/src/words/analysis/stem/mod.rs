//! English words are indexed and looked up by their stems, so that `borrowed` finds `borrow`.
//!
//! The stem, with a mark in front that no word has, replaces the word. Every term of ASCII letters only gets an
//! English stem, even a word of another language or an identifier such as `useState`: records and queries are
//! treated alike, so they still match. Stop words, terms with digits or other characters, and other scripts are
//! not changed. Source: Porter, "The English (Porter2) stemming algorithm".

use std::{cell::RefCell, collections::HashMap};

use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::words::stop_words::is_stop_word;

/// The first character of a stem.
const MARK: char = '\u{1f}';
/// The shortest word that is stemmed, in letters.
const LEAST_LETTERS: usize = 3;
/// The most words whose stems a thread caches.
const CACHE_SIZE: usize = 8_192;

thread_local! {
    static STEMS: RefCell<HashMap<String, String>> = RefCell::default();
}

/// Returns the stem of a term, with its mark; a term that is short, is a stop word or has characters other than
/// ASCII letters is returned unchanged.
pub(crate) fn stemmed(term: String) -> String {
    let is_word = term.len() >= LEAST_LETTERS && term.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_word || is_stop_word(&term) {
        return term;
    }
    STEMS.with_borrow_mut(|stems| {
        if let Some(stem) = stems.get(&term) {
            return stem.clone();
        }
        let mut stem = String::from(MARK);
        stem.push_str(&Stemmer::create(Algorithm::English).stem(&term));
        if stems.len() >= CACHE_SIZE {
            stems.clear();
        }
        stems.insert(term, stem.clone());
        stem
    })
}

#[cfg(test)]
mod tests;
