//! Snippets: the part of a text in which a query's terms are closest together.
//!
//! Works on characters, so that no multi-byte character is split. The caller decides which texts are shown.

use std::collections::HashMap;

use super::{analysis::terms, stop_words::is_stop_word};

/// Only this many terms of a query are searched for.
const MAX_TERMS: usize = 64;
/// Marks text that was left out.
const ELLIPSIS: char = '…';
/// One part in this many of a snippet comes before the first hit.
const LEAD: usize = 4;

/// The terms of a query, prepared for searching in texts; created once for all texts of a response.
pub struct SnippetTerms {
    /// In lower case, sorted, so that terms with the same first character are adjacent.
    terms: Vec<Vec<char>>,
    /// A bit for each ASCII character that a term begins with: most characters of a text begin none.
    beginnings: u128,
}

impl SnippetTerms {
    /// Reads a query; stop words are not searched for, unless there is nothing else.
    pub fn of(query: &str) -> Self {
        let mut wanted = terms(query);
        wanted.sort();
        wanted.dedup();
        let is_informative = |term: &String| !is_stop_word(term);
        if wanted.iter().any(is_informative) {
            wanted.retain(is_informative);
        }
        wanted.truncate(MAX_TERMS);
        let terms: Vec<Vec<char>> = wanted.iter().map(|term| term.chars().collect()).collect();
        let first = terms.iter().filter_map(|term| term.first());
        let ascii = first.filter(|first| first.is_ascii());
        let beginnings = ascii.fold(0, |all, first| all | 1 << u32::from(*first));
        Self { terms, beginnings }
    }

    /// Returns about `length` characters of a text around the best hit, or its beginning if there is no hit.
    /// White space becomes single spaces; `…` marks what was left out.
    pub fn snippet(&self, text: &str, length: usize) -> String {
        let text: Vec<char> = single_spaced(text);
        if text.len() <= length {
            return text.into_iter().collect();
        }
        let hits = self.hits(&text);
        let window = length.saturating_sub(2);
        let start = best_start(&hits, window).unwrap_or(0);
        let start = start.saturating_sub(window / LEAD);
        // Space that is left at the end of the text is used at the front.
        let start = start.min(text.len().saturating_sub(window));
        let start = word_start(&text, start, window / LEAD);
        let end = word_end(&text, (start + window).min(text.len()), window / 2);
        let shown = text.get(start..end).unwrap_or_default();
        let shown: String = shown.iter().collect();
        let mut snippet = String::with_capacity(shown.len() + 2 * ELLIPSIS.len_utf8());
        if start > 0 {
            snippet.push(ELLIPSIS);
        }
        snippet.push_str(shown.trim());
        if end < text.len() {
            snippet.push(ELLIPSIS);
        }
        snippet
    }

    /// Splits a text at the hits; each piece comes with whether it is a hit. The joined pieces are the text.
    pub fn marked<'a>(&self, text: &'a str) -> Vec<(&'a str, bool)> {
        let chars: Vec<char> = text.chars().collect();
        let mut places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        places.push(text.len());
        let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
        let mut pieces = Vec::new();
        let mut cut = |from: usize, to: usize, is_hit: bool| {
            let piece = text.get(place(from)..place(to)).unwrap_or_default();
            if !piece.is_empty() {
                pieces.push((piece, is_hit));
            }
        };
        let mut done = 0;
        for (at, end) in joined(&self.hits(&chars)) {
            cut(done, at, false);
            cut(at, end, true);
            done = end;
        }
        cut(done, chars.len(), false);
        pieces
    }

    /// Finds the terms in a text, in order.
    fn hits(&self, text: &[char]) -> Vec<Hit> {
        let lower: Vec<char> = text.iter().map(lowercase).collect();
        let mut hits = Vec::new();
        for (at, first) in lower.iter().enumerate() {
            for (term, chars) in self.beginning_with(*first) {
                let end = at + chars.len();
                if lower.get(at..end) == Some(chars) && is_apart(&lower, at, end) {
                    hits.push(Hit {
                        at,
                        end,
                        term,
                        weight: chars.len(),
                    });
                }
            }
        }
        hits
    }

    /// Returns the terms that begin with a character, and their indices.
    fn beginning_with(&self, first: char) -> impl Iterator<Item = (usize, &[char])> {
        let is_one = match first.is_ascii() {
            true => self.beginnings & (1 << u32::from(first)) != 0,
            false => true,
        };
        let from = match is_one {
            true => self
                .terms
                .partition_point(|term| term.first() < Some(&first)),
            false => self.terms.len(),
        };
        let terms = self.terms.iter().enumerate().skip(from);
        terms
            .take_while(move |(_, term)| term.first() == Some(&first))
            .map(|(place, term)| (place, term.as_slice()))
    }
}

fn lowercase(c: &char) -> char {
    match c.is_ascii() {
        true => c.to_ascii_lowercase(),
        false => c.to_lowercase().next().unwrap_or(*c),
    }
}

/// Merges hits that overlap or touch, in order.
fn joined(hits: &[Hit]) -> Vec<(usize, usize)> {
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for hit in hits {
        match joined.last_mut() {
            Some((_, end)) if hit.at <= *end => *end = hit.end.max(*end),
            _ => joined.push((hit.at, hit.end)),
        }
    }
    joined
}

fn single_spaced(text: &str) -> Vec<char> {
    let mut spaced = Vec::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.extend(word.chars().filter(|c| !c.is_control()));
    }
    spaced
}

/// An occurrence of a term.
struct Hit {
    at: usize,
    end: usize,
    /// The index of the term.
    term: usize,
    /// The length of the term: long terms are mostly rare.
    weight: usize,
}

/// Whether a hit is a whole word: no ASCII word continues at either end.
fn is_apart(text: &[char], at: usize, end: usize) -> bool {
    let joined = |left: Option<usize>, right: usize| {
        let left = left.and_then(|left| text.get(left));
        let (Some(left), Some(right)) = (left, text.get(right)) else {
            return false;
        };
        [left, right].iter().all(|c| c.is_ascii_alphanumeric())
    };
    !joined(at.checked_sub(1), at) && !joined(end.checked_sub(1), end)
}

/// Returns the start of the part of `window` characters with the heaviest distinct terms.
fn best_start(hits: &[Hit], window: usize) -> Option<usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let (mut weight, mut first) = (0, 0);
    let mut best: Option<(usize, usize)> = None;
    for hit in hits {
        let count = counts.entry(hit.term).or_default();
        *count += 1;
        weight += if *count == 1 { hit.weight } else { 0 };
        while let Some(old) = hits.get(first).filter(|old| hit.end > old.at + window) {
            if let Some(count) = counts.get_mut(&old.term) {
                *count -= 1;
                weight -= if *count == 0 { old.weight } else { 0 };
            }
            first += 1;
        }
        let at = hits.get(first).map_or(hit.at, |hit| hit.at);
        if best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, at));
        }
    }
    best.map(|(_, at)| at)
}

/// Moves a start to the beginning of a word, by at most `max_shift` characters.
fn word_start(text: &[char], start: usize, max_shift: usize) -> usize {
    if start == 0 {
        return 0;
    }
    let near = text.get(start - 1..(start + max_shift).min(text.len()));
    let space = near.unwrap_or_default().iter().position(|c| *c == ' ');
    space.map_or(start, |at| start + at)
}

/// Moves an end to before the word that it would cut, by at most `max_shift` characters; a longer word is cut.
fn word_end(text: &[char], end: usize, max_shift: usize) -> usize {
    let from = end.saturating_sub(max_shift);
    let mut ends = (from..=end).rev();
    ends.find(|at| !cuts_word(text, *at)).unwrap_or(end)
}

/// Whether a cut would split a word, in scripts with spaces between words.
fn cuts_word(text: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    match (before, text.get(at)) {
        (Some(before), Some(after)) => is_spaced(*before) && is_spaced(*after),
        _ => false,
    }
}

/// Whether a character belongs to a word that is delimited by spaces: neither a space itself nor a character of
/// Chinese, Japanese, Thai, Lao, Khmer or Burmese text, which has no spaces between words.
fn is_spaced(c: char) -> bool {
    let is_unspaced = matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}');
    c != ' ' && !is_unspaced
}

#[cfg(test)]
mod tests;
