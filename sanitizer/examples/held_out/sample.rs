//! Throws texts and scores the sanitizer on them.

use std::collections::BTreeMap;

use recall_kit_sanitizer::{RuleGroup, sanitize};

use super::dice::Dice;
use super::frames::{BARE, KEYED, PASSWORD_NAMES, SECRET_NAMES, fits};
use super::harmless::TEXTS;
use super::values::{KINDS, Needs, secret_part};

/// How texts of a kind came out.
#[derive(Default)]
pub(crate) struct Score {
    pub(crate) texts: usize,
    /// The secret went; of harmless ones: nothing changed.
    pub(crate) right: usize,
    /// Frames in which it did not.
    pub(crate) wrong: BTreeMap<&'static str, usize>,
}

/// The score of harmless texts.
pub(crate) const HARMLESS: &str = "harmless";

/// Scores so many texts that follow from a seed.
pub(crate) fn scores(seed: u64, count: usize) -> BTreeMap<&'static str, Score> {
    let mut dice = Dice::new(seed);
    let mut scores = BTreeMap::<&'static str, Score>::new();
    for number in 0..count {
        let (kind, frame, right) = match number % 4 {
            0 => harmless(&mut dice),
            _ => secret(&mut dice),
        };
        let score = scores.entry(kind).or_default();
        score.texts += 1;
        score.right += usize::from(right);
        if !right {
            *score.wrong.entry(frame).or_default() += 1;
        }
    }
    scores
}

fn harmless(dice: &mut Dice) -> (&'static str, &'static str, bool) {
    let (frame, make) = TEXTS[dice.below(TEXTS.len())];
    let text = make(dice);
    let same = sanitize(&text, &RuleGroup::REMOVAL).text == text;
    (HARMLESS, frame, same)
}

fn secret(dice: &mut Dice) -> (&'static str, &'static str, bool) {
    let kind = &KINDS[dice.below(KINDS.len())];
    let value = (kind.make)(dice);
    let (frame, text) = match kind.needs {
        Needs::Nothing => {
            let (frame, text) = BARE[dice.below(BARE.len())];
            (frame, text.replace("{v}", &value))
        }
        _ => keyed(dice, kind.needs, &value),
    };
    let clean = sanitize(&text, &RuleGroup::REMOVAL).text;
    (
        kind.name,
        frame,
        !survives(&secret_part(kind, &value), &clean),
    )
}

fn keyed(dice: &mut Dice, needs: Needs, value: &str) -> (&'static str, String) {
    let (frame, spelling, text) = loop {
        let frame = KEYED[dice.below(KEYED.len())];
        if fits(frame.0, needs) {
            break frame;
        }
    };
    let names = match needs {
        Needs::PasswordKey => PASSWORD_NAMES,
        _ => SECRET_NAMES,
    };
    let owner = *dice.one_of(&[&"acme", &"billing", &"pylonix", &"search"]);
    let words = [&[owner], names[dice.below(names.len())]].concat();
    let text = text.replace("{k}", &spelling.spell(&words));
    (frame, text.replace("{v}", value))
}

/// Whether more than half of a secret still stands in a text.
fn survives(secret: &str, text: &str) -> bool {
    let window = secret.len().min(12.max(secret.len() * 6 / 10));
    let mut starts = 0..=secret.len() - window;
    starts.any(|start| text.contains(&secret[start..start + window]))
}
