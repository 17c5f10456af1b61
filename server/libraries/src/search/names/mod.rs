//! Scores how well a library's name matches a typed one.

use recall_kit_store::Library;

/// The base score of each kind of match, and how much it may increase with the quality of the match.
const PREFIX: (f64, f64) = (0.8, 0.15);
const CONTAINED: (f64, f64) = (0.6, 0.15);
const DESCRIBED: f64 = 0.5;
const MISSPELT: (f64, f64) = (0.2, 0.3);
/// Less similar names do not match.
const LEAST_SIMILARITY: f64 = 0.6;
/// Shorter words are ignored, since they appear in most descriptions.
const WORD_CHARS: usize = 3;

/// Returns a score of 0–1: 1 for an equal name, less, in this order, for a name that begins with the typed
/// text, one that contains it, a library whose description has all its words, and a misspelt name; 0 for
/// all others. Case and punctuation are ignored.
pub(super) fn score(typed: &str, library: &Library) -> f64 {
    let wanted = plain(typed);
    let name = plain(&library.name);
    if wanted.is_empty() || name.is_empty() {
        return 0.0;
    }
    let share = (wanted.chars().count() as f64 / name.chars().count() as f64).min(1.0);
    let scaled = |(base, more): (f64, f64), share: f64| base + more * share;
    if name == wanted {
        1.0
    } else if name.starts_with(&wanted) {
        scaled(PREFIX, share)
    } else if name.contains(&wanted) {
        scaled(CONTAINED, share)
    } else if is_described(typed, &library.description) {
        DESCRIBED
    } else {
        let similarity = strsim::normalized_damerau_levenshtein(&wanted, &name);
        let above = (similarity - LEAST_SIMILARITY) / (1.0 - LEAST_SIMILARITY);
        if above >= 0.0 {
            scaled(MISSPELT, above)
        } else {
            0.0
        }
    }
}

fn plain(name: &str) -> String {
    let chars = name
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == '+' || *c == '#');
    chars.flat_map(char::to_lowercase).collect()
}

fn is_described(typed: &str, description: &str) -> bool {
    let has: Vec<String> = words(description).collect();
    let mut wanted = words(typed)
        .filter(|word| word.chars().count() >= WORD_CHARS)
        .peekable();
    wanted.peek().is_some() && wanted.all(|word| has.contains(&word))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests;
