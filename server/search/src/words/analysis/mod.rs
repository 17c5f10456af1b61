//! Text analysis: turns a text into the terms that are indexed and looked up.
//!
//! The same function serves records and queries, so whatever stands in a record is found by typing
//! it. There is no query syntax: `OR`, `NEAR(` or `-x` are words like any other. Ranking, stop words
//! and statistics are not decided here: a frequent term weighs little through its BM25 idf.

mod fingerprint;
mod stem;

use std::collections::HashSet;

pub(crate) use self::fingerprint::is_fingerprint;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The longest term, in bytes; longer ones (encoded blobs) are cut at a character boundary.
const MAX_TERM_BYTES: usize = 128;

/// The most letters of a name in capitals that is as good as a word: `API`, `JSON`.
const SHORT_NAME: usize = 4;

/// Characters that hold a code token together: `std::sync::Arc`, `node.js`, `foo_bar`, `c++`,
/// `--no-verify`, `@scope/package`, `a:b`.
const JOINERS: &str = "_-.:/+#@$";

/// Returns what a text is indexed and looked up by: its [`terms`], English words by their stems.
pub(crate) fn index_terms(text: &str) -> Vec<String> {
    terms(text).into_iter().map(stem::stemmed).collect()
}

/// Returns the terms of a text as they stand there, in order of appearance, repeats included.
///
/// A white-space separated chunk gives its words (letters and digits, lower case, NFKC), the parts
/// of `camelCase` and `letters123` words, and the whole code token when it is more than one word.
/// Runs of Han, Kana and Hangul give overlapping bigrams, a lone character itself. A chunk of
/// symbols alone (`&&`, `!!`) is a term as it stands.
///
/// Every line that reads like an error message gives its fingerprint as well.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut out = Vec::with_capacity(text.len() / 5);
    let normalized = normalized(text);
    for chunk in chunks(&normalized) {
        push_chunk(chunk, &mut out);
    }
    out.extend(fingerprint::of(&normalized));
    out
}

/// Returns those of a query's [`index_terms`] that are identifiers or codes rather than words: who types
/// them wants them to the letter.
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

/// Whether a token is no word of a language: `E0502`, `useState`, `foo_bar`, `--no-verify`,
/// `ECONNREFUSED`; not `2024`, `well-known`, `API`.
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

/// Pushes the words of a code token and, when they are more than one, the token as a whole.
fn push_token(token: &str, out: &mut Vec<String>) {
    let whole = trim_token(token);
    if !whole.chars().any(is_word) {
        return;
    }
    let mut words = 0;
    for word in whole
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
    {
        words += 1;
        push_word(word, out);
    }
    let decorated = whole.chars().any(|c| !is_word(c));
    if (words > 1 || decorated) && !whole.chars().any(is_unspaced) {
        push_term(whole, out);
        if words > 1 && whole.chars().all(|c| is_word(c) || c == '_') {
            // `use_state` is what others write as `useState`.
            push_term(&whole.replace('_', ""), out);
        }
    }
}

/// Cuts what surrounds a code token in prose: `(foo)`, `end.`, `key:`; keeps `c++`, `c#`,
/// `--flag`, `.gitignore`.
fn trim_token(token: &str) -> &str {
    token
        .trim_end_matches(['.', ':', '/', '-', '_', '@', '$'])
        .trim_start_matches([':', '/', '+', '#'])
}

/// Pushes a word: scripts without spaces as bigrams, the rest whole and by its parts.
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

/// Pushes overlapping pairs of characters; a lone character stands for itself.
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

/// Pushes a word of a spaced script, and its parts when its case or digits show some.
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

/// Splits `useState` into `use`, `State` and `HTTPServer` into `HTTP`, `Server`; digits stay with
/// the letters before them (`E0502`, `utf8`, `x86`).
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

/// Pushes one term in lower case, cut to [`MAX_TERM_BYTES`].
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

/// Combining marks that NFKC leaves alone: they belong to the letter before them.
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

/// Quotation marks separate chunks: `"useState"` is `useState`.
fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '«' | '»' | '“' | '”' | '‘' | '’' | '「' | '」'
    )
}

/// Characters without a shape (zero-width, direction marks, controls): no term by themselves.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c), 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x2069 | 0xFEFF)
}

#[cfg(test)]
mod tests;
