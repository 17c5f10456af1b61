//! What each expression of versions says: about which package, and whether the problem is there, ends there or starts
//! there.

mod clauses;
mod denials;
mod roles;

use super::{
    Field,
    around::Around,
    grammar::{Expression, expression},
    items::Item,
    lexicon::{
        Cue, Limit,
        prose::{UNITS, is_about_security},
    },
    meaning::{Element, meaning},
    names::Names,
};
use crate::{range::Range, subject::Subject};

/// What one expression says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statement {
    pub(super) subject: Subject,
    pub(super) bound: Stated,
}

/// What a statement says about versions.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stated {
    /// Where the problem is.
    Affected(Range),
    /// Where the problem ends, in each branch of versions.
    FixedIn(Vec<String>),
    /// Versions that are merely named.
    Named(Range),
    /// Where what the record advises does not help.
    Denied(Range),
    /// What the record recommends instead of the versions with the problem.
    Recommended(Range),
    /// What a title says is updated to: the update brings the problem, unless versions before it have it.
    Goal { breaks: Range, version: String },
}

/// The statements of one text.
pub(super) struct Reader<'i, 'a> {
    pub(super) items: &'i [Item<'a>],
    pub(super) names: &'i Names<'i>,
    pub(super) field: Field,
    /// The package that the whole record is about.
    pub(super) topic: Option<&'i Subject>,
    /// Whether the record tells of a failure.
    pub(super) fails: bool,
    /// Whether the record is about security, whose reports name the last release before a fix.
    pub(super) about_security: bool,
}

impl<'a> Reader<'_, 'a> {
    /// Returns what the text states.
    pub(super) fn statements(&self) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut at = 0;
        while at < self.items.len() {
            match expression(self.items, at) {
                Some(found) => {
                    at = found.end.max(at + 1);
                    statements.extend(self.statement(&found));
                }
                None => at += 1,
            }
        }
        statements
    }

    /// Goes through the pins of the text, with the names beside them.
    pub(super) fn pins(&self) -> Vec<(Subject, &'a str)> {
        let mut pins = Vec::new();
        let mut at = 0;
        while at < self.items.len() {
            let Some(found) = expression(self.items, at) else {
                at += 1;
                continue;
            };
            at = found.end.max(at + 1);
            if self.names_goal(&found) || self.is_index(&found) {
                continue;
            }
            let around = Around::read(self.items, &found);
            let Some(subject) = self.subject(&found, &around) else {
                continue;
            };
            if around.cue == Some(Cue::Works)
                || (found.whole && self.counts_things(&found, &around))
            {
                continue;
            }
            let version = match found.elements.last() {
                Some(
                    Element::Pin(version)
                    | Element::Exact(version)
                    | Element::Caret(version)
                    | Element::Tilde(version),
                ) => version,
                Some(Element::FromTo { high, .. }) => high,
                Some(Element::Update { to, .. }) => to,
                _ => continue,
            };
            pins.push((subject, *version));
        }
        pins
    }

    fn statement(&self, found: &Expression<'a>) -> Option<Statement> {
        if self.names_goal(found) || self.is_index(found) {
            return None;
        }
        let around = Around::read(self.items, found);
        let subject = self.subject(found, &around)?;
        if found.whole && self.counts_things(found, &around) {
            return None;
        }
        let role = match self.denial(found) {
            Some(role) => role,
            None => self.role(found, &around, &subject)?,
        };
        // "1.5 and earlier" is how reports name the last release before a fix, too.
        let up_to = matches!(
            self.items[found.start],
            Item::Cue(Cue::Prefix(Limit::UpTo) | Cue::Through)
        );
        let as_written = found.compared
            || self.about_security
            || matches!(subject, Subject::Package(_)) && !up_to;
        let elements: Vec<Element<'a>> = found
            .elements
            .iter()
            .map(|element| match as_written {
                true => *element,
                false => element.through_releases(),
            })
            .collect();
        let bound = meaning(subject.scheme(), &elements, role)?;
        Some(Statement { subject, bound })
    }

    /// Returns the item directly before an expression.
    fn item_before(&self, found: &Expression<'a>) -> Option<&Item<'a>> {
        self.items[..found.start].last()
    }

    /// Returns where the sentence around an item starts and ends. Long sentences are cut.
    pub(super) fn sentence(&self, at: usize) -> (usize, usize) {
        const REACH: usize = 60;
        let first = at.saturating_sub(REACH);
        let start = self.items[first..at]
            .iter()
            .rposition(|item| *item == Item::End)
            .map_or(first, |end| first + end + 1);
        let last = (at + REACH).min(self.items.len());
        let end = self.items[at..last]
            .iter()
            .position(|item| *item == Item::End)
            .map_or(last, |end| at + end);
        (start, end)
    }

    /// Returns whether a whole number in brackets is an index, or the number of a process: `worker[12]`.
    fn is_index(&self, found: &Expression<'a>) -> bool {
        found.whole
            && !found.worded
            && self.item_before(found) == Some(&Item::OpenBracket)
            && self.items.get(found.end) == Some(&Item::CloseBracket)
    }

    /// Returns whether a whole number counts things: "Python 3 times", "Docker 5 containers".
    fn counts_things(&self, found: &Expression<'a>, around: &Around<'a>) -> bool {
        // "Upgrading Jest to 29"
        let goal = self.item_before(found) == Some(&Item::Cue(Cue::To));
        if goal && around.adjacent && matches!(around.cue, Some(Cue::Update | Cue::Updating)) {
            return false;
        }
        // "Node is too old (< 18)"
        if found.compared && around.adjacent {
            return false;
        }
        let noun = self.item_before(found) == Some(&Item::Cue(Cue::Noun));
        if found.worded && found.name.is_none() && !around.touching && !noun {
            return true;
        }
        let weak = found
            .name
            .as_ref()
            .or(around.name.as_ref())
            .is_none_or(|mention| mention.weak);
        let unit = match self.items.get(found.end) {
            Some(Item::Word(word)) => UNITS.contains(&word.to_lowercase().as_str()),
            _ => false,
        };
        unit || !noun && (weak || !(around.touching || found.name.is_some()))
    }

    /// Returns whether a version is that of a build's plugin in a message: `…:maven-compiler-plugin:3.10.1:compile`.
    /// The plugin that reports a failure is seldom its cause.
    fn names_goal(&self, found: &Expression<'a>) -> bool {
        let behind = (self.items.get(found.end), self.items.get(found.end + 1));
        self.item_before(found) == Some(&Item::Colon)
            && matches!(
                behind,
                (Some(Item::Colon), Some(Item::Word(_) | Item::Cue(_)))
            )
    }
}

/// Returns whether an expression is nothing but a lower bound.
fn is_lower_bound(elements: &[Element<'_>]) -> bool {
    matches!(
        elements,
        [Element::Between {
            low: Some(_),
            high: None
        }]
    )
}

/// Returns whether an expression is nothing but an upper bound.
fn is_upper_bound(elements: &[Element<'_>]) -> bool {
    matches!(
        elements,
        [Element::Between {
            low: None,
            high: Some(_)
        } | Element::Through(_)]
    )
}

/// Returns whether a sentence is about security.
pub(super) fn is_for_security(sentence: &[Item<'_>]) -> bool {
    sentence
        .iter()
        .any(|item| matches!(item, Item::Word(word) if is_about_security(word)))
}
