//! Fingerprints of error messages: one term for a message, whatever path, line, address, version or name it
//! contains.

/// The first character of a fingerprint; no other term begins with it.
const MARK: char = '\u{1}';
/// Longer lines, in bytes, are ignored: messages are shorter.
const MAX_LINE: usize = 500;
/// The most fingerprints of a text.
const MAX_FINGERPRINTS: usize = 50;
/// The most lines of a text that are read.
const MAX_LINES: usize = 2_000;
/// The fewest constant words of a message; with fewer it would not be specific.
const LEAST_WORDS: usize = 3;

/// Parts of words, in lower case, at least one of which every error message contains.
const SIGNS: &str = "error exception panic fatal fail cannot can't couldn't unable undefined denied \
    refused timeout timed segmentation unexpected invalid traceback abort missing unresolved \
    mismatch overflow illegal expected unknown conflict deadlock corrupt \
    fehler erreur errore erro échec ошибк исключени 错误 異常 异常 失败 失敗 エラー 例外 오류 예외 실패";
/// Words that tools put in front of a message or leave out; they are not part of a fingerprint.
const LABELS: &str = "error errors warning fatal uncaught exception panic caused by err e failed \
    traceback info debug warn";

/// Returns the fingerprints of a text's lines.
pub(super) fn of(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().take(MAX_LINES);
    lines.filter_map(of_line).take(MAX_FINGERPRINTS)
}

/// Whether a term is a fingerprint.
pub(crate) fn is_fingerprint(term: &str) -> bool {
    term.starts_with(MARK)
}

/// Returns the fingerprint of a line, if it reads like an error message.
fn of_line(line: &str) -> Option<String> {
    let has_words = line.split_whitespace().nth(LEAST_WORDS - 1).is_some();
    if line.len() > MAX_LINE || !has_words {
        return None;
    }
    let line = line.to_lowercase();
    if !SIGNS.split_whitespace().any(|sign| line.contains(sign)) {
        return None;
    }
    let constant = without_quotations(&line);
    let words: Vec<&str> = constant
        .split_whitespace()
        .filter_map(constant_word)
        .filter(|word| !LABELS.split_whitespace().any(|label| label == *word))
        .collect();
    (words.len() >= LEAST_WORDS).then(|| format!("{MARK}{:016x}", hash(&words)))
}

/// Removes what is in quotation marks: names, values, paths.
fn without_quotations(line: &str) -> String {
    let mut constant = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let (before, quoted) = rest.split_at(at);
        constant.push_str(before);
        let mark = quoted.get(..1).unwrap_or_default();
        let inner = quoted.get(1..).unwrap_or_default();
        // In `can't` it is an apostrophe.
        let opens = !before.ends_with(char::is_alphanumeric);
        match inner.find(mark).filter(|_| opens) {
            Some(end) => {
                constant.push(' ');
                rest = inner.get(end + 1..).unwrap_or_default();
            }
            None => rest = inner,
        }
    }
    constant.push_str(rest);
    constant
}

/// Returns the word of a chunk, unless it varies between occurrences of a message: a number, an address, a
/// version, a path, a qualified name.
fn constant_word(chunk: &str) -> Option<&str> {
    let word = chunk.trim_matches(|c: char| !c.is_alphanumeric());
    let is_constant = !word.is_empty()
        && word.chars().all(|c| c.is_alphabetic() || c == '-')
        && !chunk.contains(['/', '\\', '_', '@']);
    is_constant.then_some(word)
}

/// Returns the FNV-1a hash of the words, 64 bits. Source: Fowler, Noll and Vo.
fn hash(words: &[&str]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([b' ']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
