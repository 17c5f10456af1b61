//! The terms of a text that tell one solution from another: identifiers, flags, paths and versions. Plain words count
//! only in code.

use std::{collections::HashSet, sync::LazyLock};

/// Words of code and commands that every solution may have, in lower case.
static COMMON: LazyLock<HashSet<&str>> =
    LazyLock::new(|| COMMON_WORDS.split_whitespace().collect());
const COMMON_WORDS: &str = "the and for with this that from into use using used run running add set get let new not all any \
    var val def fun func pub use mod self this return import export from class struct enum impl type true false none \
    null nil else elif while match case then done echo sudo print println main test tests build install update \
    error errors file files path name value index data item list string number int bool config cargo npm pip git \
    python python3 node docker make bash http https www com org localhost src lib bin usr etc tmp home dev";
/// The fewest characters of a term.
const MIN_CHARS: usize = 3;
/// The most characters of a term.
const MAX_CHARS: usize = 80;
/// The number of terms of a text.
const MAX_TERMS: usize = 400;

/// Different terms in their order, up to a number.
#[derive(Default)]
struct Terms {
    found: Vec<String>,
    seen: HashSet<String>,
}

impl Terms {
    fn is_full(&self) -> bool {
        self.found.len() >= MAX_TERMS
    }

    fn add(&mut self, term: &str) {
        let term = term.to_lowercase();
        if !self.is_full() && self.seen.insert(term.clone()) {
            self.found.push(term);
        }
    }

    fn read(&mut self, text: &str, is_code: bool) {
        let is_end = |c: char| c.is_whitespace() || "()[]{}<>,;\"'|&!?".contains(c);
        for word in text.split(is_end) {
            if self.is_full() {
                break;
            }
            let word = word.trim_matches(['.', ':', '=', '*', '+', '`']);
            if !is_telling(word) {
                continue;
            }
            if is_code || is_technical(word) {
                self.add(word);
            }
            // The parts of `a.b(c)` and `--flag=value` are terms, too.
            let parts = word
                .split(['.', ':', '=', '/', '@'])
                .filter(|part| *part != word);
            let parts = parts.filter(|part| is_telling(part) && (is_code || is_technical(part)));
            parts.for_each(|part| self.add(part));
        }
    }
}

/// Returns the terms of a text for people, in lower case, in their order.
pub(super) fn of_text(text: &str) -> Vec<String> {
    let mut terms = Terms::default();
    let mut is_fence = false;
    for line in text.lines() {
        if terms.is_full() {
            break;
        }
        if line.trim_start().starts_with("```") {
            is_fence = !is_fence;
            continue;
        }
        let mut is_code = false;
        for part in line.split('`') {
            terms.read(part, is_code || is_fence || is_line_of_code(line));
            is_code = !is_code;
        }
    }
    terms.found
}

/// Returns the terms of commands and code: every word of it.
pub(super) fn of_code(text: &str) -> Vec<String> {
    let mut terms = Terms::default();
    terms.read(text, true);
    terms.found
}

fn is_telling(word: &str) -> bool {
    let length = word.chars().count();
    let is_version = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let has_letter = word.chars().any(char::is_alphabetic);
    (MIN_CHARS..=MAX_CHARS).contains(&length)
        && (has_letter || is_version)
        && !COMMON.contains(word.to_ascii_lowercase().as_str())
}

/// Returns whether a word stands in code rather than in a sentence.
fn is_technical(word: &str) -> bool {
    let inner = word.chars().skip(1);
    let has_capital_inside =
        inner.clone().any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let has_digit = word.chars().any(|c| c.is_ascii_digit());
    let has_sign = word.contains(['_', '/', '\\', '=', '@', '$', '#']) || word.contains("::");
    let has_dot = word.split('.').filter(|part| !part.is_empty()).count() > 1;
    word.starts_with('-') && word.len() > 2
        || has_capital_inside
        || has_digit
        || has_sign
        || has_dot
}

/// Returns whether a line is a line of code or a command rather than a sentence.
fn is_line_of_code(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("$ ")
        || line.ends_with(['{', ';', '}'])
        || line.starts_with(['+', '-']) && line.contains('=')
}
