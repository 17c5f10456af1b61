//! Where what a record advises does not help: "the workaround breaks on 3.19", "do not use this on Django 5".
//!
//! A failure is the problem itself, unless the text says it of its advice. A title tells of the problem.

use super::{
    super::{
        Field,
        grammar::Expression,
        items::Item,
        lexicon::{
            Cue,
            prose::{is_about_tests, is_pronoun, names_recipe},
        },
        meaning::{Element, Role},
        names::Mention,
    },
    Reader,
};
use crate::subject::Subject;

/// The most words between what denies and the version.
const MAX_WORDS: usize = 3;
/// How many items before a sentence are looked at.
const MAX_BEFORE: usize = 60;
/// How many items behind a version are looked at.
const LOOK_AHEAD: usize = 5;

impl<'a> Reader<'_, 'a> {
    /// Returns how an expression says where the record's advice does not help; `None` if it does not.
    pub(super) fn denial(&self, found: &Expression<'a>) -> Option<Role> {
        if self.field == Field::Title {
            return None;
        }
        let (start, end) = self.sentence(found.start);
        if self.fails_beside_the_tested(found, start, end) {
            return Some(Role::Denied);
        }
        let (cue, at) = self
            .denied_before(start, found.start)
            .or_else(|| self.denied_behind(found, end))?;
        let before = &self.items[start..at.min(found.start)];
        let clause = before.iter().rposition(|item| {
            matches!(
                item,
                Item::Comma | Item::Semicolon | Item::Colon | Item::Cue(Cue::Prefix(_))
            )
        });
        let subject = &before[clause.map_or(0, |end| end + 1)..];
        let denies = match cue {
            Cue::Forbidden => true,
            Cue::Unfit => {
                let calm = || {
                    let told = |item: &Item<'_>| {
                        matches!(item, Item::Cue(Cue::Fails | Cue::Broken | Cue::Unfit))
                    };
                    !self.said_before(start).iter().any(told)
                };
                let pronoun =
                    |item: &Item<'_>| matches!(item, Item::Word(word) if is_pronoun(word));
                let nothing = |item: &Item<'_>| {
                    matches!(item, Item::Name(_) | Item::Cue(Cue::Filler | Cue::Noun))
                };
                let about_record = matches!(self.field, Field::Context | Field::Solution);
                advises(subject)
                    || subject.iter().any(pronoun) && (about_record || calm())
                    || subject.iter().all(nothing) && about_record
            }
            // "Workaround for the breaking change in 6" tells of the problem.
            _ => advises(subject) && !subject.contains(&Item::Cue(Cue::Purpose)),
        };
        let bare = found
            .elements
            .iter()
            .all(|element| matches!(element, Element::Pin(_)));
        denies.then_some(match cue {
            Cue::Broken if bare => Role::DeniedSince,
            _ => Role::Denied,
        })
    }

    /// Returns what the text says before a sentence, as far as it still counts.
    fn said_before(&self, start: usize) -> &[Item<'a>] {
        &self.items[start.saturating_sub(MAX_BEFORE)..start]
    }

    /// Returns what denies in front of a version, and its place.
    fn denied_before(&self, start: usize, version: usize) -> Option<(Cue, usize)> {
        let mut words = 0;
        for at in (start..version).rev() {
            match &self.items[at] {
                Item::Cue(cue @ (Cue::Unfit | Cue::Forbidden | Cue::Broken | Cue::Fails)) => {
                    return Some((*cue, at));
                }
                Item::Version(_)
                | Item::Comma
                | Item::Semicolon
                | Item::Colon
                | Item::Cue(Cue::Works | Cue::Fixed) => return None,
                Item::Word(_) if words == MAX_WORDS => return None,
                Item::Word(_) => words += 1,
                _ => {}
            }
        }
        None
    }

    /// Returns what denies behind a version, as Japanese and Korean do, and its place.
    fn denied_behind(&self, found: &Expression<'a>, end: usize) -> Option<(Cue, usize)> {
        let last = end.min(found.end + LOOK_AHEAD);
        for at in found.end..last.max(found.end) {
            match &self.items[at] {
                Item::Cue(cue @ (Cue::Unfit | Cue::Forbidden)) => return Some((*cue, at)),
                Item::Cue(Cue::Filler | Cue::Noun) => {}
                _ => return None,
            }
        }
        None
    }

    /// Returns whether a sentence starts with a runtime's version and tells of a failure there, and one before says
    /// with what the record was tested: "Tested with node-sass 7. On Node 20 the installation fails."
    fn fails_beside_the_tested(&self, found: &Expression<'a>, start: usize, end: usize) -> bool {
        let [
            Item::Cue(Cue::Place),
            Item::Name(Mention {
                subject: Subject::Runtime(_) | Subject::Tool(_),
                ..
            }),
        ] = &self.items[start..found.start]
        else {
            return false;
        };
        let tested = self
            .said_before(start)
            .iter()
            .any(|item| matches!(item, Item::Word(word) if is_about_tests(word)));
        let fails = self.items[found.end..end.max(found.end)]
            .iter()
            .any(|item| matches!(item, Item::Cue(Cue::Fails | Cue::Unfit)));
        tested && fails
    }

    /// Returns whether a sentence is a demand of the record itself: "Requires Python 3.10 or newer". That of a message
    /// has a subject.
    pub(super) fn demands(&self, sentence: &[Item<'a>]) -> bool {
        let of_runtime = |item: &Item<'_>| match item {
            Item::Name(mention) => !matches!(mention.subject, Subject::Package(_)),
            _ => false,
        };
        matches!(sentence.first(), Some(Item::Cue(Cue::Requires)))
            && sentence.iter().take(LOOK_AHEAD).any(of_runtime)
    }
}

/// Returns whether items name what the record advises; "the patch release" is none.
pub(super) fn advises(items: &[Item<'_>]) -> bool {
    items.iter().enumerate().any(|(at, item)| match item {
        Item::Word(word) => {
            names_recipe(word)
                && !matches!(
                    items.get(at + 1),
                    Some(Item::Cue(Cue::Noun) | Item::Version(_) | Item::Integer(_))
                )
        }
        Item::Cue(Cue::Recipe) => true,
        _ => false,
    })
}
