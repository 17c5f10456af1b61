//! The words by which texts bound versions, in nine languages.
//!
//! Each language is a list of phrases by meaning. Phrases of languages with spaces are matched word by word, those of
//! Chinese, Japanese and Korean character by character; the longest wins.

mod east_asian;
mod english;
mod european;
mod european_changes;
pub(super) mod prose;

use std::{collections::HashMap, sync::LazyLock};

/// What a phrase says about the version beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// A bound in front of the version: "before 1.2".
    Prefix(Limit),
    /// A bound behind the version: "1.2 or later".
    Suffix(Limit),
    /// "from": the start of a range, or of an update.
    From,
    /// "to": the end of a range, or of an update.
    To,
    /// "through": the end of a range, which belongs to it.
    Through,
    /// "between".
    Between,
    /// "and", "or": the next of several.
    And,
    /// Words between a name and its version: "the", "in".
    Filler,
    /// "version".
    Noun,
    /// "fixed in": the problem ends with the version.
    Fixed,
    /// "removed in", "broken since": the problem starts with the version.
    Broken,
    /// "no longer": the version starts the problem, or ends it if the failure is what no longer occurs.
    Gone,
    /// "deprecated in": the problem is announced.
    Deprecated,
    /// "added in": what the text is about exists since the version.
    Added,
    /// "upgrade": whether it cures or breaks, the sentence tells.
    Update,
    /// "upgraded to", as one word.
    UpdateTo,
    /// "upgrading", "upgraded": an update that was made, rather than advice to make it.
    Updating,
    /// "has been updated": what is updated is named before.
    Updated,
    /// "downgrade to": the problem is above the version.
    Downgrade,
    /// "works with": the version does not have the problem.
    Works,
    /// "requires": a demand, not where the problem is.
    Requires,
    /// "is required", behind the version.
    Needed,
    /// "not affected".
    Unaffected,
    /// "fails", "error": the sentence tells of a problem.
    Fails,
    /// "changes since": the version is that of something else, or bounds nothing.
    Beside,
    /// "install", "use".
    Install,
    /// "does not work with": of a recipe, where it does not help; else the problem itself.
    Unfit,
    /// "do not use with": where a recipe does not help.
    Forbidden,
    /// A recipe, in languages without spaces: 该方法.
    Recipe,
    /// "for" behind a recipe: what follows is what it is for.
    Purpose,
    /// A word that means "under" before a name, and "below" before a version.
    Under,
    /// "planned": the sentence announces a change.
    Future,
    /// "otherwise": what happens where a demand is not met.
    Otherwise,
    /// "on", "under": where something runs.
    Place,
}

/// A side of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// `<`
    Before,
    /// `<=`
    UpTo,
    /// `>=`
    Since,
    /// `>`
    After,
}

/// Phrases of one meaning, separated by semicolons.
type Phrases = (Cue, &'static str);

/// The most words of a phrase.
const MAX_WORDS: usize = 7;

/// The phrases that start with a word: their other words, and what they mean.
type Continuations = Vec<(Vec<&'static str>, Cue)>;

static WORDS: LazyLock<HashMap<&'static str, Continuations>> = LazyLock::new(|| {
    let mut words: HashMap<&str, Continuations> = HashMap::new();
    let all = [
        english::PHRASES,
        european::PHRASES,
        european_changes::PHRASES,
    ];
    for (cue, phrases) in all.into_iter().flatten() {
        for phrase in phrases.split(';') {
            let mut parts = phrase.split_whitespace();
            let Some(first) = parts.next() else { continue };
            words
                .entry(first)
                .or_default()
                .push((parts.collect(), *cue));
        }
    }
    for phrases in words.values_mut() {
        phrases.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
    }
    words
});

/// The phrases without spaces by their first character, the longest first.
static IDEOGRAPHS: LazyLock<HashMap<char, Vec<(&'static str, Cue)>>> = LazyLock::new(|| {
    let mut ideographs: HashMap<char, Vec<(&str, Cue)>> = HashMap::new();
    for (cue, phrases) in east_asian::PHRASES {
        for phrase in phrases.split(';') {
            let Some(first) = phrase.chars().next() else {
                continue;
            };
            ideographs.entry(first).or_default().push((phrase, *cue));
        }
    }
    for phrases in ideographs.values_mut() {
        phrases.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
    }
    ideographs
});

/// Returns the longest phrase at the start of some words in lower case, and how many of them it takes.
pub(super) fn phrase(words: &[&str]) -> Option<(Cue, usize)> {
    let (first, rest) = words.split_first()?;
    let candidates = WORDS.get(first)?;
    candidates
        .iter()
        .find(|(phrase, _)| {
            rest.len() >= phrase.len() && rest.iter().zip(phrase).all(|(word, part)| word == part)
        })
        .map(|(phrase, cue)| (*cue, phrase.len() + 1))
}

/// Returns how many words [`phrase`] needs to see.
pub(super) const fn window() -> usize {
    MAX_WORDS
}

/// Goes through the phrases in a run of ideographs; what lies between them is skipped.
pub(super) fn ideographs(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let longest = IDEOGRAPHS
            .get(&first)
            .and_then(|phrases| phrases.iter().find(|(phrase, _)| rest.starts_with(phrase)));
        let length = match longest {
            Some((phrase, cue)) => {
                cues.push(*cue);
                phrase.len()
            }
            None => first.len_utf8(),
        };
        rest = &rest[length..];
    }
    cues
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{
        super::tokens::{Kind, tokens},
        *,
    };

    fn each_phrase(lists: &[&[Phrases]], check: impl Fn(&'static str, Cue)) {
        for (cue, phrases) in lists.iter().copied().flatten() {
            let mut seen = HashSet::new();
            for phrase in phrases.split(';').map(str::trim) {
                assert!(seen.insert(phrase), "twice: {phrase}");
                check(phrase, *cue);
            }
        }
    }

    #[test]
    fn phrases_of_words_are_found() {
        let lists = [
            english::PHRASES,
            european::PHRASES,
            european_changes::PHRASES,
        ];
        each_phrase(&lists, |text, cue| {
            let words: Vec<&str> = text.split_whitespace().collect();
            assert!(words.len() <= window(), "{text}");
            // Texts are read with plain apostrophes.
            assert!(!text.contains(['’', '´']), "{text}");
            assert_eq!(phrase(&words), Some((cue, words.len())), "{text}");
        });
    }

    #[test]
    fn phrases_without_spaces_are_found() {
        each_phrase(&[east_asian::PHRASES], |text, cue| {
            let whole =
                matches!(tokens(text).as_slice(), [token] if token.kind == Kind::Ideographs);
            assert!(whole, "no run of ideographs: {text}");
            assert_eq!(ideographs(text), [cue], "{text}");
        });
    }
}
