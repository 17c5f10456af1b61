//! How well a library's name fits what somebody typed.

use recall_kit_store::Library;

/// Of a name that holds, or nearly is, what was typed; each is followed by how much more it may be.
const PREFIX: (f64, f64) = (0.8, 0.15);
const CONTAINED: (f64, f64) = (0.6, 0.15);
const DESCRIBED: f64 = 0.5;
const MISSPELT: (f64, f64) = (0.2, 0.3);
/// Names less similar than this are other names.
const LEAST_SIMILARITY: f64 = 0.6;
/// Words shorter than this stand in every description.
const WORD_CHARS: usize = 3;

/// Returns 0–1: 1 for the name itself, less for one that begins with it, that holds it, whose
/// description has all its words, that is spelt alike; 0 for all others. Case and punctuation do not
/// count.
pub(super) fn score(typed: &str, library: &Library) -> f64 {
    let wanted = plain(typed);
    let name = plain(&library.name);
    if wanted.is_empty() || name.is_empty() {
        return 0.0;
    }
    let share = (wanted.chars().count() as f64 / name.chars().count() as f64).min(1.0);
    let within = |(least, more): (f64, f64), share: f64| least + more * share;
    if name == wanted {
        1.0
    } else if name.starts_with(&wanted) {
        within(PREFIX, share)
    } else if name.contains(&wanted) {
        within(CONTAINED, share)
    } else if is_described(typed, &library.description) {
        DESCRIBED
    } else {
        let similarity = strsim::normalized_damerau_levenshtein(&wanted, &name);
        let above = (similarity - LEAST_SIMILARITY) / (1.0 - LEAST_SIMILARITY);
        if above >= 0.0 {
            within(MISSPELT, above)
        } else {
            0.0
        }
    }
}

fn plain(name: &str) -> String {
    let kept = name
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == '+' || *c == '#');
    kept.flat_map(char::to_lowercase).collect()
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
