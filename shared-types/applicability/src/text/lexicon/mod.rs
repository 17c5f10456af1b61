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
    /// "no longer": the problem starts with the version, or ends, if a failure is what no longer occurs.
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
    /// A word that means "under" before a name, and "below" before a version.
    Under,
    /// "planned": what the sentence tells is still to come.
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
/// The most characters of a phrase without spaces.
const MAX_IDEOGRAPHS: usize = 8;

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

static IDEOGRAPHS: LazyLock<HashMap<&'static str, Cue>> = LazyLock::new(|| {
    let phrases = |(cue, phrases): &Phrases| {
        let cue = *cue;
        phrases
            .split(';')
            .map(|phrase| (phrase.trim(), cue))
            .collect::<Vec<_>>()
    };
    east_asian::PHRASES.iter().flat_map(phrases).collect()
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
    let starts: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let mut cues = Vec::new();
    let mut at = 0;
    while at + 1 < starts.len() {
        let longest = (1..=MAX_IDEOGRAPHS.min(starts.len() - 1 - at))
            .rev()
            .find_map(|count| {
                let cue = IDEOGRAPHS.get(&text[starts[at]..starts[at + count]])?;
                Some((*cue, count))
            });
        match longest {
            Some((cue, count)) => {
                cues.push(cue);
                at += count;
            }
            None => at += 1,
        }
    }
    cues
}
