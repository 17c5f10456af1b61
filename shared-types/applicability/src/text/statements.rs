//! What each expression of versions says: about which package, and whether the problem is there, ends there or starts
//! there.

use super::{
    Field,
    around::Around,
    denials::advises,
    grammar::{Expression, expression},
    items::Item,
    lexicon::{
        Cue, Limit,
        prose::{UNITS, is_about_security, is_verb_of_change},
    },
    meaning::{Element, Role, meaning},
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
            None => self.role(found, &around)?,
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
        let before = found.start.checked_sub(1).map(|before| &self.items[before]);
        found.whole
            && !found.worded
            && before == Some(&Item::OpenBracket)
            && self.items.get(found.end) == Some(&Item::CloseBracket)
    }

    /// Returns whether a whole number counts things: "Python 3 times", "Docker 5 containers".
    fn counts_things(&self, found: &Expression<'a>, around: &Around<'a>) -> bool {
        // "Upgrading Jest to 29"
        let goal = matches!(
            found.start.checked_sub(1).map(|at| &self.items[at]),
            Some(Item::Cue(Cue::To))
        );
        if goal && around.adjacent && matches!(around.cue, Some(Cue::Update | Cue::Updating)) {
            return false;
        }
        if found.worded && found.name.is_none() && !around.touching {
            return true;
        }
        let weak = found
            .name
            .as_ref()
            .or(around.name.as_ref())
            .is_none_or(|mention| mention.weak);
        let unit = match self.items.get(found.end) {
            Some(Item::Word(word)) => UNITS.contains(&word.to_lowercase().as_str()),
            Some(Item::Mark | Item::Colon | Item::Close) => false,
            _ => false,
        };
        weak || unit || !(around.touching || found.name.is_some())
    }

    /// Returns whether a version is that of a build's plugin in a message: `…:maven-compiler-plugin:3.10.1:compile`. The
    /// plugin that reports a failure is seldom its cause.
    fn names_goal(&self, found: &Expression<'a>) -> bool {
        let before = found.start.checked_sub(1).map(|before| &self.items[before]);
        let behind = (self.items.get(found.end), self.items.get(found.end + 1));
        before == Some(&Item::Colon)
            && matches!(
                behind,
                (Some(Item::Colon), Some(Item::Word(_) | Item::Cue(_)))
            )
    }

    /// Decides what an expression says about its versions; `None` if nothing that bounds the record.
    fn role(&self, found: &Expression<'a>, around: &Around<'a>) -> Option<Role> {
        let solution = self.field == Field::Solution;
        let (start, end) = self.sentence(found.start);
        let sentence = &self.items[start..end];
        let says = |cue: Cue| sentence.contains(&Item::Cue(cue));
        let cures = says(Cue::Fixed) || is_for_security(sentence);
        let update = matches!(
            found.elements.as_slice(),
            [Element::FromTo { .. } | Element::Update { .. }]
        );
        let bare = !found.worded;
        let cue = match around.cue {
            Some(Cue::Updated | Cue::UpdateTo | Cue::Updating) => Some(Cue::Update),
            cue => cue,
        };
        let told = around.afterwards || (around.cue == Some(Cue::Updating) && self.fails && !cures);
        let update_behind = matches!(self.items.get(found.end), Some(Item::Cue(Cue::Update)));
        match cue {
            Some(Cue::Beside) => None,
            // "The workaround works with 3.17": the record is for these versions.
            Some(Cue::Works) if bare && !advises(sentence) => None,
            Some(Cue::Requires)
                if !matches!(self.field, Field::Solution | Field::Context)
                    && (bare || !self.demands(sentence)) =>
            {
                None
            }
            Some(Cue::Unaffected) => Some(Role::Unaffected),
            Some(Cue::Downgrade) => Some(Role::Downgrade),
            Some(Cue::Update) if update => Some(if solution || (cures && !self.fails) {
                Role::UpdateCures
            } else {
                Role::UpdateBreaks
            }),
            Some(Cue::Update) if !solution && told => Some(Role::UpdateBreaks),
            Some(Cue::Update) if solution || cures || !(says(Cue::Fails) || says(Cue::Broken)) => {
                Some(Role::Fixed)
            }
            Some(Cue::Update) => Some(Role::UpdateBreaks),
            // "Resolves the leak of sessions in Django 1.8" does not say that 1.8 does.
            Some(Cue::Fixed) if around.cue_has_object && bare && !around.cue_is_behind => None,
            Some(Cue::Fixed) => Some(Role::Fixed),
            Some(Cue::Broken | Cue::Added)
                if bare && around.cue_is_behind && !solution && is_for_security(sentence) =>
            {
                Some(Role::Fixed)
            }
            Some(Cue::Broken) => Some(Role::Broken),
            Some(Cue::Deprecated) => Some(Role::Deprecated),
            Some(Cue::Added) if bare => solution.then_some(Role::Broken),
            // What a solution installs is the cure.
            _ if solution && found.elements.iter().all(is_of_manifest) => None,
            Some(Cue::Install) if solution && bare => None,
            Some(Cue::Install) if solution => Some(Role::Downgrade),
            _ if update
                && (update_behind || matches!(found.elements[0], Element::Update { .. })) =>
            {
                Some(if solution {
                    Role::UpdateCures
                } else {
                    Role::UpdateBreaks
                })
            }
            _ if bare && self.changes_for_security(found.end, sentence) => Some(Role::Fixed),
            _ => Some(Role::Stated),
        }
    }

    /// Returns whether a version brings a change for the sake of security: "8.0.3 uses safe_load for security
    /// reasons".
    fn changes_for_security(&self, end: usize, sentence: &[Item<'a>]) -> bool {
        let verb = match self.items.get(end) {
            Some(Item::Word(word)) => is_verb_of_change(word),
            Some(
                Item::Cue(Cue::Update | Cue::Updating | Cue::Install | Cue::Added | Cue::Broken)
                | Item::Colon
                | Item::Dash,
            ) => true,
            _ => false,
        };
        verb && is_for_security(sentence)
    }
}

/// Returns whether an element is written as manifests write dependencies: `==1.2`, `^1.2`.
fn is_of_manifest(element: &Element<'_>) -> bool {
    matches!(
        element,
        Element::Exact(_) | Element::Caret(_) | Element::Tilde(_) | Element::Pessimistic(_)
    )
}

/// Returns whether a sentence is about security.
pub(super) fn is_for_security(sentence: &[Item<'_>]) -> bool {
    sentence
        .iter()
        .any(|item| matches!(item, Item::Word(word) if is_about_security(word)))
}
