//! What each expression of versions says: about which package, and whether the problem is there, ends there or starts
//! there.

mod clauses;
mod denials;

use self::denials::advises;
use super::{
    Field,
    around::Around,
    grammar::{Expression, expression},
    items::Item,
    lexicon::{
        Cue, Limit,
        prose::{UNITS, is_about_security, is_modal, is_person, is_verb_of_change},
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
        // "Node is too old (< 18)"
        if found.compared && around.adjacent {
            return false;
        }
        let noun =
            found.start.checked_sub(1).map(|at| &self.items[at]) == Some(&Item::Cue(Cue::Noun));
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
            Some(Item::Mark | Item::Colon | Item::Close) => false,
            _ => false,
        };
        unit || !noun && (weak || !(around.touching || found.name.is_some()))
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
    fn role(&self, found: &Expression<'a>, around: &Around<'a>, subject: &Subject) -> Option<Role> {
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
        let named = found
            .elements
            .iter()
            .all(|element| matches!(element, Element::Pin(_) | Element::Exact(_)));
        let behind_to = self.items[..found.start]
            .iter()
            .rev()
            .take(3)
            .find(|item| **item != Item::Cue(Cue::Noun))
            == Some(&Item::Cue(Cue::To));
        let cue = match around.cue {
            Some(Cue::Needed) => Some(Cue::Requires),
            // "Update the call due to lodash >= 4.2"
            Some(Cue::Update | Cue::Updating)
                if found.compared && around.adjacent && around.cue_has_object && !behind_to =>
            {
                None
            }
            Some(Cue::Updated | Cue::UpdateTo | Cue::Updating) => Some(Cue::Update),
            Some(Cue::Gone) => Some(self.gone(found)),
            None if bare && !solution => self.predicate_behind(found),
            cue => cue,
        };
        let told = around.afterwards || (around.cue == Some(Cue::Updating) && self.fails && !cures);
        let update_behind = matches!(self.items.get(found.end), Some(Item::Cue(Cue::Update)));
        match cue {
            Some(Cue::Beside) => None,
            Some(Cue::Update) if self.worked_until(found) => Some(Role::UpdateBreaks),
            _ if self.is_before_update(found) => None,
            // "fix: it fails with 5" is the title of a change.
            Some(Cue::Fixed)
                if bare
                    && !solution
                    && (self.field == Field::Title || says(Cue::Fails) || says(Cue::Unfit))
                    && is_kind_of_change(sentence) =>
            {
                Some(Role::Stated)
            }
            Some(Cue::Update | Cue::Downgrade) if !solution && is_question(sentence) => None,
            Some(Cue::Requires) if self.threatens(found) => Some(Role::Fixed),
            // "The workaround works with 3.17": the record is for these versions.
            Some(Cue::Works) if named && !advises(sentence) => None,
            // "worked up to 2.3"
            Some(Cue::Works)
                if self.fails
                    && sentence.first() != Some(&Item::Cue(Cue::Works))
                    && !advises(sentence)
                    && is_upper_bound(&found.elements) =>
            {
                Some(Role::Unaffected)
            }
            _ if self.lacks(found, subject) => Some(Role::Unaffected),
            // "supports it since 2.4"
            Some(Cue::Requires) if around.cue_has_object && self.starts_with_since(found) => {
                Some(Role::Stated)
            }
            Some(Cue::Requires)
                if !matches!(self.field, Field::Solution | Field::Context)
                    && (bare && !self.fails_behind(found) || !bare && !self.demands(sentence)) =>
            {
                None
            }
            Some(Cue::Unaffected) => Some(Role::Unaffected),
            Some(Cue::Downgrade) => Some(Role::Downgrade),
            // "change the dependency to >= 1.4"
            _ if behind_to
                && is_lower_bound(&found.elements)
                && !told
                && (found.compared || !(says(Cue::Fails) || says(Cue::Broken))) =>
            {
                Some(Role::Fixed)
            }
            Some(Cue::Update) if self.is_step_back(found, subject) => Some(Role::Downgrade),
            Some(Cue::Update) if update => Some(if solution || (cures && !self.fails) {
                Role::UpdateCures
            } else {
                Role::UpdateBreaks
            }),
            Some(Cue::Update) if !solution && told => Some(Role::UpdateBreaks),
            Some(Cue::Update) if !solution && self.is_broken_update(found.start) => {
                Some(Role::UpdateBreaks)
            }
            // A title names the update that a failing record is about.
            Some(Cue::Update) if self.field == Field::Title && !cures => {
                self.fails.then_some(Role::Goal)
            }
            Some(Cue::Update) if solution || cures || !(says(Cue::Fails) || says(Cue::Broken)) => {
                Some(Role::Fixed)
            }
            Some(Cue::Update) => Some(Role::UpdateBreaks),
            // "fixes 3.2 support"
            Some(Cue::Fixed)
                if bare && !solution && around.adjacent && self.support_is_fixed(found) =>
            {
                Some(Role::Stated)
            }
            // "Resolves the leak of sessions in Django 1.8" does not say that 1.8 does.
            Some(Cue::Fixed) if around.cue_has_object && bare && !around.cue_is_behind => None,
            // "lodash<4.2 fixes it"
            Some(Cue::Fixed)
                if found.compared && around.cue_is_behind && is_upper_bound(&found.elements) =>
            {
                Some(Role::Downgrade)
            }
            Some(Cue::Fixed) => Some(Role::Fixed),
            // "Version 1.4 removes it" in a solution may tell of the problem or of its cause.
            Some(Cue::Broken) if bare && around.cue_is_behind && solution => None,
            Some(Cue::Added) if bare && !solution && self.goes_on_with_fix(found) => {
                Some(Role::Fixed)
            }
            Some(Cue::Broken | Cue::Added)
                if bare && around.cue_is_behind && !solution && is_for_security(sentence) =>
            {
                Some(Role::Fixed)
            }
            Some(Cue::Broken) if !around.cue_is_behind && self.breaks_later(found) => None,
            // "is planned to be removed in 3.12", in languages that put the verb last
            Some(Cue::Broken) if self.items[found.end..end].contains(&Item::Cue(Cue::Future)) => {
                Some(Role::Fixed)
            }
            Some(Cue::Broken) => Some(Role::Broken),
            Some(Cue::Deprecated) => Some(Role::Deprecated),
            Some(Cue::Added) if bare && solution => (!around.cue_is_behind).then_some(Role::Broken),
            // What a failing record lacks may be what was added.
            Some(Cue::Added) if bare => {
                (!self.fails && !self.about_security).then_some(Role::Deprecated)
            }
            // What a solution installs is the cure.
            _ if solution && found.elements.iter().all(is_of_manifest) => None,
            Some(Cue::Install) if solution && !bare => Some(Role::Downgrade),
            Some(Cue::Install) if solution || self.recommends(found) => Some(Role::Recommended),
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

/// Returns whether a sentence starts with "fix:".
fn is_kind_of_change(sentence: &[Item<'_>]) -> bool {
    let mut items = sentence.iter().filter(|item| **item != Item::Mark);
    items.next() == Some(&Item::Cue(Cue::Fixed)) && items.next() == Some(&Item::Colon)
}

/// Returns whether a sentence asks what to do: "should we upgrade to 2?"
fn is_question(sentence: &[Item<'_>]) -> bool {
    matches!(sentence, [Item::Word(verb), Item::Word(person), ..] if is_modal(verb) && is_person(person))
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
