//! Stems: English words are indexed and looked up by their stems, so that `borrowed` finds `borrow`.
//!
//! The stem takes the place of the word, behind a mark that no word has. Every term in ASCII letters
//! alone gets an English stem, also a word of another language or an identifier such as `useState`:
//! records and queries are treated alike, so they still match. Stop words, terms with digits or other
//! characters, and other scripts stay as they are. Source: Porter, "The English (Porter2) stemming
//! algorithm".

use std::{cell::RefCell, collections::HashMap};

use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::words::stop_words::is_stop_word;

/// Stands in front of a stem.
const MARK: char = '\u{1f}';
/// The shortest word that has a stem of its own, in letters.
const LEAST_LETTERS: usize = 3;
/// Words whose stems a thread keeps.
const KEPT: usize = 8_192;

thread_local! {
    static STEMS: RefCell<HashMap<String, String>> = RefCell::default();
}

/// Returns the stem of a term, behind its mark; a term that has other characters than ASCII
/// letters, is short, or is a stop word stays as it is.
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
        if stems.len() >= KEPT {
            stems.clear();
        }
        stems.insert(term, stem.clone());
        stem
    })
}

#[cfg(test)]
mod tests;
