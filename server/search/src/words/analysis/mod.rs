//! Text analysis: turns a text into the terms that are indexed and looked up.
//!
//! Records and queries are analysed by the same function, so a query that is typed like a text finds it. There
//! is no query syntax: `OR`, `NEAR(` or `-x` are words like any other. Ranking, stop words and statistics are
//! not decided here: a frequent term has a low weight through its BM25 idf.

mod fingerprint;
mod stem;

use std::collections::HashSet;

pub(crate) use self::fingerprint::is_fingerprint;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The longest term, in bytes; longer ones (encoded blobs) are truncated at a character boundary.
const MAX_TERM_BYTES: usize = 128;

/// The most letters of a name in capitals that is treated like a word: `API`, `JSON`.
const SHORT_NAME: usize = 4;

/// Characters that join the parts of a code token: `std::sync::Arc`, `node.js`, `foo_bar`, `c++`, `--no-verify`,
/// `@scope/package`, `a:b`.
const JOINERS: &str = "_-.:/+#@$";

/// Returns the terms by which a text is indexed and looked up: its [`terms`], with stems for English words.
pub(crate) fn index_terms(text: &str) -> Vec<String> {
    terms(text).into_iter().map(stem::stemmed).collect()
}

/// Returns the terms of a text without stemming, in order of appearance, including repeats.
///
/// A chunk between white space gives its words (letters and digits, lower case, NFKC), the parts of `camelCase`
/// and `letters123` words, and the whole code token if it has more than one word. Runs of Han, Kana and Hangul
/// give overlapping bigrams, a single character gives itself. A chunk of symbols only (`&&`, `!!`) is one term.
///
/// Every line that reads like an error message also gives its fingerprint.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut out = Vec::with_capacity(text.len() / 5);
    let normalized = normalized(text);
    for chunk in chunks(&normalized) {
        push_chunk(chunk, &mut out);
    }
    out.extend(fingerprint::of(&normalized));
    out
}

/// Returns those of a query's [`index_terms`] that are identifiers or codes rather than words: they must match
/// exactly.
pub(crate) fn exact_terms(text: &str) -> HashSet<String> {
    let normalized = normalized(text);
    let mut out = Vec::new();
    for chunk in chunks(&normalized) {
        let tokens = chunk.split(|c: char| !(is_word(c) || JOINERS.contains(c)));
        for token in tokens.map(trim_token).filter(|token| is_code(token)) {
            push_term(token, &mut out);
        }
    }
    out.into_iter().map(stem::stemmed).collect()
}

fn normalized(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text.into(),
        _ => text.nfkc().collect::<String>().into(),
    }
}

fn chunks(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || is_quote(c))
}

/// Whether a token is not a word of a language: `E0502`, `useState`, `foo_bar`, `--no-verify`, `ECONNREFUSED`,
/// but not `2024`, `well-known`, `API`.
fn is_code(token: &str) -> bool {
    let has = |test: fn(char) -> bool| token.chars().any(test);
    if token.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return false;
    }
    let letters = has(char::is_alphabetic);
    let mixed = case_parts(token).len() > 1 && !token.contains('-');
    let joined = has(|c| "_./:#+@$".contains(c)) || token.starts_with('-');
    let shouted = token.chars().count() > SHORT_NAME && !has(char::is_lowercase);
    letters && (has(|c| c.is_ascii_digit()) || mixed || joined || shouted && token.is_ascii())
}

/// Splits one chunk into code tokens at brackets and other separators, and each token into words.
fn push_chunk(chunk: &str, out: &mut Vec<String>) {
    let before = out.len();
    for token in chunk.split(|c: char| !(is_word(c) || JOINERS.contains(c))) {
        push_token(token, out);
    }
    if out.len() == before && !chunk.is_empty() && !chunk.chars().all(is_invisible) {
        push_term(chunk, out);
    }
}

/// Pushes the words of a code token and, if there are several, the whole token.
fn push_token(token: &str, out: &mut Vec<String>) {
    let trimmed = trim_token(token);
    if !trimmed.chars().any(is_word) {
        return;
    }
    let mut words = 0;
    for word in trimmed
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
    {
        words += 1;
        push_word(word, out);
    }
    let decorated = trimmed.chars().any(|c| !is_word(c));
    if (words > 1 || decorated) && !trimmed.chars().any(is_unspaced) {
        push_term(trimmed, out);
        if words > 1 && trimmed.chars().all(|c| is_word(c) || c == '_') {
            // `use_state` also matches `useState`.
            push_term(&trimmed.replace('_', ""), out);
        }
    }
}

/// Removes the punctuation around a code token in prose: `(foo)`, `end.`, `key:`. Does not change `c++`, `c#`,
/// `--flag`, `.gitignore`.
fn trim_token(token: &str) -> &str {
    token
        .trim_end_matches(['.', ':', '/', '-', '_', '@', '$'])
        .trim_start_matches([':', '/', '+', '#'])
}

/// Pushes a word: scripts without spaces as bigrams, others as the word and its parts.
fn push_word(word: &str, out: &mut Vec<String>) {
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest
            .find(|c| is_unspaced(c) != unspaced)
            .unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        if unspaced {
            push_bigrams(run, out)
        } else {
            push_spaced_word(run, out)
        }
        rest = tail;
    }
}

/// Pushes overlapping pairs of characters, or a single character.
fn push_bigrams(run: &str, out: &mut Vec<String>) {
    let starts: Vec<usize> = run
        .char_indices()
        .map(|(at, _)| at)
        .chain([run.len()])
        .collect();
    match starts.len() {
        0 | 1 => {}
        2 => push_term(run, out),
        _ => out.extend(
            starts
                .windows(3)
                .filter_map(|w| run.get(*w.first()?..*w.last()?))
                .map(str::to_owned),
        ),
    }
}

/// Pushes a word of a script with spaces, and its parts if case or digits separate some.
fn push_spaced_word(word: &str, out: &mut Vec<String>) {
    push_term(word, out);
    if !word.chars().any(char::is_uppercase) {
        return;
    }
    let parts = case_parts(word);
    if parts.len() > 1 {
        for part in parts {
            push_term(part, out);
        }
    }
}

/// Splits `useState` into `use`, `State` and `HTTPServer` into `HTTP`, `Server`; digits stay with the letters
/// before them (`E0502`, `utf8`, `x86`).
fn case_parts(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let mut cuts = vec![0];
    for window in chars.windows(2) {
        let [(_, a), (at, b)] = window else { continue };
        if b.is_uppercase() && (a.is_lowercase() || a.is_numeric()) {
            cuts.push(*at);
        }
    }
    for window in chars.windows(3) {
        let [(_, a), (at, b), (_, c)] = window else {
            continue;
        };
        if a.is_uppercase() && b.is_uppercase() && c.is_lowercase() {
            cuts.push(*at);
        }
    }
    cuts.push(word.len());
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2)
        .filter_map(|w| word.get(*w.first()?..*w.last()?))
        .collect()
}

/// Pushes one term in lower case, truncated to [`MAX_TERM_BYTES`].
fn push_term(term: &str, out: &mut Vec<String>) {
    let mut lower = term.to_lowercase();
    if lower.len() > MAX_TERM_BYTES {
        let cut = (0..=MAX_TERM_BYTES)
            .rev()
            .find(|at| lower.is_char_boundary(*at))
            .unwrap_or(0);
        lower.truncate(cut);
    }
    out.push(lower);
}

/// Whether a character belongs to a word.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// Whether a character is a combining mark that NFKC does not compose: it belongs to the letter before it.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Whether a character belongs to a script that is written without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0E7F      // Thai
        | 0x1100..=0x11FF    // Hangul Jamo
        | 0x3040..=0x30FF    // Hiragana, Katakana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Han
        | 0xAC00..=0xD7AF    // Hangul syllables
        | 0x20000..=0x3FFFF) // Han, further planes
}

/// Whether a character is a quotation mark. They separate chunks: `"useState"` gives `useState`.
fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '«' | '»' | '“' | '”' | '‘' | '’' | '「' | '」'
    )
}

/// Whether a character has no shape (zero-width, direction marks, controls): such characters alone are not a
/// term.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c), 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x2069 | 0xFEFF)
}

#[cfg(test)]
mod tests;
