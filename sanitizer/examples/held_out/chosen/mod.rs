//! Texts with what people choose: passwords, names, places, and secrets that a text hides.
//!
//! Each set has its own frames and values. Rules may be fitted to `tuning`. The sets whose names begin with
//! `development` have been read by those who write rules, so they only guard against a loss. Figures come from
//! `reported`, which nobody who writes rules reads.

mod compose;
mod disguise;
mod judge;
mod set;
mod slot;

use std::collections::BTreeMap;

use recall_kit_sanitizer::{RuleGroup, sanitize};

pub(crate) use compose::Sample;
#[cfg(test)]
pub(crate) use compose::{GAP, expand};
#[cfg(test)]
pub(crate) use judge::wrong;
pub(crate) use set::{Set, Tables};

use super::dice::Dice;

/// How texts of a kind came out.
#[derive(Debug, Default)]
pub(crate) struct Score {
    pub(crate) texts: usize,
    pub(crate) right: usize,
    /// What went wrong in which frame, and how often.
    pub(crate) wrong: BTreeMap<String, usize>,
}

/// The name under which the scores of all texts with secrets are summed.
pub(crate) const SECRETS: &str = "all secrets";
/// The name under which the scores of all texts without are.
pub(crate) const HARMLESS: &str = "all harmless";

/// So many texts that follow from a seed: half of them hold secrets.
pub(crate) fn samples(
    tables: &Tables,
    seed: u64,
    count: usize,
) -> impl Iterator<Item = Sample<'_>> {
    let mut dice = Dice::new(seed);
    (0..count).map(move |number| {
        let frames = match number % 2 {
            0 => &tables.frames,
            _ => &tables.harmless,
        };
        let frame = &frames[dice.below(frames.len())];
        compose::compose(tables, frame, &mut dice)
    })
}

/// Sanitizes the samples, scores them by kind, and shows the caller each with its output and what is wrong.
pub(crate) fn scores(
    tables: &Tables,
    seed: u64,
    count: usize,
    mut show: impl FnMut(&Sample<'_>, &str, Option<&str>),
) -> BTreeMap<String, Score> {
    let mut scores = BTreeMap::<String, Score>::new();
    for sample in samples(tables, seed, count) {
        let clean = sanitize(&sample.text, &RuleGroup::REMOVAL).text;
        let wrong = judge::wrong(&sample, &clean);
        show(&sample, &clean, wrong);
        let (kind, sum) = match sample.frame.harmless {
            true => (format!("harmless: {}", sample.frame.kind), HARMLESS),
            false => (sample.frame.kind.to_owned(), SECRETS),
        };
        for name in [kind.as_str(), sum] {
            let score = scores.entry(name.to_owned()).or_default();
            score.texts += 1;
            score.right += usize::from(wrong.is_none());
        }
        if let Some(wrong) = wrong {
            let frame = format!("{wrong}: {}", sample.frame.label);
            let score = scores.entry(kind).or_default();
            *score.wrong.entry(frame).or_default() += 1;
        }
    }
    scores
}
