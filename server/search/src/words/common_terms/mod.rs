//! Words that several texts have in common, to explain why the texts are similar.

use std::collections::{HashMap, HashSet};

use super::{
    analysis::{is_fingerprint, terms},
    stop_words::is_stop_word,
};

/// The shortest ASCII word that is informative, in letters.
const MIN_CHARS: usize = 3;

/// Returns the words that more than half of the texts have; those of most texts come first, then long ones.
pub fn shared_words(texts: &[String], count: usize) -> Vec<String> {
    let mut texts_with: HashMap<String, usize> = HashMap::new();
    for text in texts {
        let distinct: HashSet<String> = terms(text)
            .into_iter()
            .filter(|term| is_informative(term))
            .collect();
        for term in distinct {
            *texts_with.entry(term).or_default() += 1;
        }
    }
    let mut shared: Vec<(usize, String)> = texts_with
        .into_iter()
        .filter(|(_, texts_here)| 2 * texts_here > texts.len())
        .map(|(term, texts_here)| (texts_here, term))
        .collect();
    let weight = |(texts_here, term): &(usize, String)| (*texts_here, term.chars().count());
    shared.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.1.cmp(&b.1)));
    let mut words: Vec<String> = Vec::with_capacity(count);
    for (_, word) in shared {
        // A word that is part of one already in the list adds nothing.
        if words.len() < count && !words.iter().any(|named| named.contains(&word)) {
            words.push(word);
        }
    }
    words
}

fn is_informative(term: &str) -> bool {
    let is_short = term.is_ascii() && term.len() < MIN_CHARS;
    let has_letter = term.chars().any(char::is_alphabetic);
    has_letter && !is_short && !is_stop_word(term) && !is_fingerprint(term)
}

#[cfg(test)]
mod tests;
