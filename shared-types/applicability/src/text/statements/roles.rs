//! What an expression says about its versions: that the problem is there, ends there or starts there, or nothing.

use std::ops::ControlFlow::{self, Break, Continue};

use super::{
    super::{
        Field,
        around::Around,
        grammar::Expression,
        items::Item,
        lexicon::{
            Cue,
            prose::{is_modal, is_person, is_verb_of_change},
        },
        meaning::{Element, Role},
    },
    Reader,
    denials::advises,
    is_for_security, is_lower_bound, is_upper_bound,
};
use crate::subject::Subject;

/// An expression and what is said of it.
struct Said<'r, 'a> {
    found: &'r Expression<'a>,
    around: &'r Around<'a>,
    /// What happens with the version.
    cue: Option<Cue>,
    sentence: &'r [Item<'a>],
    in_solution: bool,
    /// Whether the versions stand without words such as "before".
    bare: bool,
    /// Whether "to" precedes the versions.
    behind_to: bool,
    /// Whether an update was made, rather than advised.
    told: bool,
}

impl Said<'_, '_> {
    /// Returns whether the sentence has a cue.
    fn says(&self, cue: Cue) -> bool {
        self.sentence.contains(&Item::Cue(cue))
    }

    /// Returns whether the sentence tells of a failure.
    fn fails(&self) -> bool {
        self.says(Cue::Fails) || self.says(Cue::Broken)
    }

    /// Returns whether the sentence tells of a cure.
    fn cures(&self) -> bool {
        self.says(Cue::Fixed) || is_for_security(self.sentence)
    }

    /// Returns whether the expression is an update from one version to another.
    fn is_update(&self) -> bool {
        matches!(
            self.found.elements.as_slice(),
            [Element::FromTo { .. } | Element::Update { .. }]
        )
    }

    /// Returns whether the versions are merely named.
    fn is_named(&self) -> bool {
        let named = |element: &Element<'_>| matches!(element, Element::Pin(_) | Element::Exact(_));
        self.found.elements.iter().all(named)
    }
}

impl<'a> Reader<'_, 'a> {
    /// Decides what an expression says about its versions; `None` if nothing that bounds the record.
    pub(super) fn role(
        &self,
        found: &Expression<'a>,
        around: &Around<'a>,
        subject: &Subject,
    ) -> Option<Role> {
        let said = self.said(found, around);
        match self.role_by_cue(&said, subject) {
            Break(role) => role,
            Continue(()) => self.role_of_mention(&said),
        }
    }

    /// Collects what is said of an expression.
    fn said<'r>(&'r self, found: &'r Expression<'a>, around: &'r Around<'a>) -> Said<'r, 'a> {
        let in_solution = self.field == Field::Solution;
        let (start, end) = self.sentence(found.start);
        let bare = !found.worded;
        let before = self.items[..found.start].iter().rev().take(3);
        let mut before = before.skip_while(|item| **item == Item::Cue(Cue::Noun));
        let behind_to = before.next() == Some(&Item::Cue(Cue::To));
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
            None if bare && !in_solution => self.predicate_behind(found),
            cue => cue,
        };
        let mut said = Said {
            found,
            around,
            cue,
            sentence: &self.items[start..end],
            in_solution,
            bare,
            behind_to,
            told: around.afterwards,
        };
        said.told |= around.cue == Some(Cue::Updating) && self.fails && !said.cures();
        said
    }

    /// Decides by the cue of an expression and by its clause.
    fn role_by_cue(&self, said: &Said<'_, 'a>, subject: &Subject) -> ControlFlow<Option<Role>> {
        self.role_in_clause(said, subject)?;
        match said.cue {
            Some(Cue::Requires) => self.role_of_demand(said)?,
            Some(Cue::Unaffected) => return Break(Some(Role::Unaffected)),
            Some(Cue::Downgrade) => return Break(Some(Role::Downgrade)),
            _ => {}
        }
        // "change the dependency to >= 1.4"
        if said.behind_to
            && is_lower_bound(&said.found.elements)
            && !said.told
            && (said.found.compared || !said.fails())
        {
            return Break(Some(Role::Fixed));
        }
        match said.cue {
            Some(Cue::Update) => Break(self.role_of_update(said, subject)),
            Some(Cue::Fixed) => Break(self.role_of_fix(said)),
            Some(Cue::Broken) => Break(self.role_of_removal(said)),
            Some(Cue::Deprecated) => Break(Some(Role::Deprecated)),
            Some(Cue::Added) if said.bare => Break(self.role_of_addition(said)),
            _ => Continue(()),
        }
    }

    /// Decides by the clause, where that counts more than the cue.
    fn role_in_clause(&self, said: &Said<'_, 'a>, subject: &Subject) -> ControlFlow<Option<Role>> {
        let found = said.found;
        let sentence = said.sentence;
        match said.cue {
            Some(Cue::Beside) => return Break(None),
            Some(Cue::Update) if self.worked_until(found) => {
                return Break(Some(Role::UpdateBreaks));
            }
            _ if self.is_before_update(found) => return Break(None),
            // "fix: it fails with 5" is the title of a change.
            Some(Cue::Fixed)
                if said.bare
                    && !said.in_solution
                    && (self.field == Field::Title
                        || said.says(Cue::Fails)
                        || said.says(Cue::Unfit))
                    && is_kind_of_change(sentence) =>
            {
                return Break(Some(Role::Stated));
            }
            Some(Cue::Update | Cue::Downgrade) if !said.in_solution && is_question(sentence) => {
                return Break(None);
            }
            Some(Cue::Requires) if self.threatens(found) => return Break(Some(Role::Fixed)),
            // "The workaround works with 3.17": the record is for these versions.
            Some(Cue::Works) if said.is_named() && !advises(sentence) => return Break(None),
            // "worked up to 2.3"
            Some(Cue::Works)
                if self.fails
                    && sentence.first() != Some(&Item::Cue(Cue::Works))
                    && !advises(sentence)
                    && is_upper_bound(&found.elements) =>
            {
                return Break(Some(Role::Unaffected));
            }
            _ => {}
        }
        if self.lacks(found, subject) {
            return Break(Some(Role::Unaffected));
        }
        // What a failing record lacks may be what exists since a version.
        if said.cue.is_none() && self.exists_since(found) {
            let says_something = !self.fails && !self.about_security;
            return Break(says_something.then_some(Role::Deprecated));
        }
        Continue(())
    }

    /// Decides what a demand of versions says.
    fn role_of_demand(&self, said: &Said<'_, 'a>) -> ControlFlow<Option<Role>> {
        // "supports it since 2.4"
        if said.around.cue_has_object && self.starts_with_since(said.found) {
            return Break(Some(Role::Stated));
        }
        let of_record = matches!(self.field, Field::Solution | Field::Context);
        let of_message = match said.bare {
            true => !self.fails_behind(said.found),
            false => !self.demands(said.sentence),
        };
        if !of_record && of_message {
            return Break(None);
        }
        Continue(())
    }

    /// Decides what an update to a version brings.
    fn role_of_update(&self, said: &Said<'_, 'a>, subject: &Subject) -> Option<Role> {
        let in_solution = said.in_solution;
        let cures = said.cures();
        if self.is_step_back(said.found, subject) {
            return Some(Role::Downgrade);
        }
        if said.is_update() {
            return Some(match in_solution || (cures && !self.fails) {
                true => Role::UpdateCures,
                false => Role::UpdateBreaks,
            });
        }
        if !in_solution && (said.told || self.is_broken_update(said.found.start)) {
            return Some(Role::UpdateBreaks);
        }
        // A title names the update that a failing record is about.
        if self.field == Field::Title && !cures {
            return self.fails.then_some(Role::Goal);
        }
        Some(match in_solution || cures || !said.fails() {
            true => Role::Fixed,
            false => Role::UpdateBreaks,
        })
    }

    /// Decides what a version is of which a fix is told.
    fn role_of_fix(&self, said: &Said<'_, 'a>) -> Option<Role> {
        let Said { found, around, .. } = *said;
        // "fixes 3.2 support"
        if said.bare && !said.in_solution && around.adjacent && self.support_is_fixed(found) {
            return Some(Role::Stated);
        }
        // "Resolves the leak of sessions in Django 1.8" does not say that 1.8 does.
        if around.cue_has_object && said.bare && !around.cue_is_behind {
            return None;
        }
        // "lodash<4.2 fixes it"
        if found.compared && around.cue_is_behind && is_upper_bound(&found.elements) {
            return Some(Role::Downgrade);
        }
        Some(Role::Fixed)
    }

    /// Decides what a version is with which something was removed or broke.
    fn role_of_removal(&self, said: &Said<'_, 'a>) -> Option<Role> {
        let Said { found, around, .. } = *said;
        if said.bare && around.cue_is_behind {
            // "Version 1.4 removes it" in a solution may tell of the problem or of its cause.
            if said.in_solution {
                return None;
            }
            if is_for_security(said.sentence) {
                return Some(Role::Fixed);
            }
        }
        if !around.cue_is_behind && self.breaks_later(found) {
            return None;
        }
        // "is planned to be removed in 3.12", in languages that put the verb last
        let (_, end) = self.sentence(found.start);
        let behind = &self.items[found.end..end.max(found.end)];
        Some(match behind.contains(&Item::Cue(Cue::Future)) {
            true => Role::Fixed,
            false => Role::Broken,
        })
    }

    /// Decides what a version is that added something.
    fn role_of_addition(&self, said: &Said<'_, 'a>) -> Option<Role> {
        let is_behind = said.around.cue_is_behind;
        if said.in_solution {
            return (!is_behind).then_some(Role::Broken);
        }
        if self.goes_on_with_fix(said.found) || is_behind && is_for_security(said.sentence) {
            return Some(Role::Fixed);
        }
        // What a failing record lacks may be what was added.
        (!self.fails && !self.about_security).then_some(Role::Deprecated)
    }

    /// Decides what versions are of which nothing is said, or only that they are used.
    fn role_of_mention(&self, said: &Said<'_, 'a>) -> Option<Role> {
        let found = said.found;
        // What a solution installs is the cure.
        if said.in_solution && found.elements.iter().all(is_of_manifest) {
            return None;
        }
        if said.cue == Some(Cue::Install) {
            if said.in_solution && !said.bare {
                return Some(Role::Downgrade);
            }
            if said.in_solution || self.recommends(found) {
                return Some(Role::Recommended);
            }
        }
        let update_behind = matches!(self.items.get(found.end), Some(Item::Cue(Cue::Update)));
        if said.is_update()
            && (update_behind || matches!(found.elements[0], Element::Update { .. }))
        {
            return Some(match said.in_solution {
                true => Role::UpdateCures,
                false => Role::UpdateBreaks,
            });
        }
        if said.bare && self.changes_for_security(found.end, said.sentence) {
            return Some(Role::Fixed);
        }
        Some(Role::Stated)
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

/// Returns whether an element is written as manifests write dependencies: `==1.2`, `^1.2`.
fn is_of_manifest(element: &Element<'_>) -> bool {
    matches!(
        element,
        Element::Exact(_) | Element::Caret(_) | Element::Tilde(_) | Element::Pessimistic(_)
    )
}
