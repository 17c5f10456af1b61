//! What the versions of an expression belong to: the name beside it, or else the package of the sentence or the record.

use super::{
    around::Around,
    grammar::Expression,
    items::Item,
    lexicon::{
        Cue,
        prose::{is_name_like, is_ordinary},
    },
    meaning::Element,
    names::Mention,
    statements::Reader,
};
use crate::subject::Subject;

impl<'a> Reader<'_, 'a> {
    /// Finds what the versions of an expression belong to.
    pub(super) fn subject(&self, found: &Expression<'a>, around: &Around<'a>) -> Option<Subject> {
        if let Some(mention) = &found.name {
            return Some(mention.subject.clone());
        }
        if let Some(mention) = around.name.as_ref().filter(|_| around.adjacent) {
            return Some(mention.subject.clone());
        }
        if let Some(word) = around.unknown {
            let numbers = found.elements.first().map_or(0, Element::numbers);
            if let Some(package) = self.names.guess(word, numbers) {
                return Some(Subject::Package(package));
            }
            let versioned = matches!(self.items[found.start], Item::Version(_) | Item::Integer(_));
            if is_name_like(word) || !is_ordinary(word, versioned) {
                return None;
            }
        }
        if let Some(mention) = self.name_behind(found.end) {
            return Some(mention.subject.clone());
        }
        let decides = matches!(
            around.cue,
            Some(
                Cue::Fixed
                    | Cue::Broken
                    | Cue::Gone
                    | Cue::Deprecated
                    | Cue::Added
                    | Cue::Downgrade
                    | Cue::Unaffected
                    | Cue::Update
                    | Cue::Updated
                    | Cue::Updating
                    | Cue::UpdateTo
            )
        );
        // What is updated is named, but unknown: "sets parser to 8.44".
        let to_another = matches!(self.before(found.start), Some(Item::Cue(Cue::To)))
            && !matches!(
                around.cue,
                Some(Cue::Update | Cue::Updated | Cue::Updating | Cue::Downgrade)
            );
        let of_another = match around.cue {
            Some(Cue::Update | Cue::Updating) => around.cue_has_object,
            Some(Cue::Updated) => around.name.as_ref().is_none_or(|mention| mention.weak),
            _ => false,
        };
        let unclear = around.name.as_ref().is_some_and(|mention| mention.weak);
        let tells_of_failure = self.is_told_of(found);
        if (!found.worded && !decides && !tells_of_failure) || of_another || to_another || unclear {
            return None;
        }
        let is_package = |subject: &Subject| matches!(subject, Subject::Package(_));
        let near = around
            .name
            .as_ref()
            .filter(|mention| !mention.weak)
            .map(|mention| &mention.subject);
        if let Some(subject) = near.filter(|subject| is_package(subject)) {
            return Some(subject.clone());
        }
        if tells_of_failure && let Some(subject) = self.last_versioned(found.start) {
            return Some(subject.clone());
        }
        match self.packages_of_sentence(found.start).as_slice() {
            // "I use Debian 7. … until I upgraded to 8."
            [] if matches!(around.cue, Some(Cue::Updating | Cue::Downgrade)) => {
                let last = self.last_versioned(found.start);
                last.or(self.topic).cloned()
            }
            [] => self.topic.cloned(),
            [only] => Some((*only).clone()),
            _ => None,
        }
    }

    /// Returns whether a version without a name says where something works or fails: "does not work with 2.0.0", or is
    /// called a version in a sentence about a failure.
    fn is_told_of(&self, found: &Expression<'a>) -> bool {
        let before = &self.items[..found.start];
        let noun = before.last() == Some(&Item::Cue(Cue::Noun));
        let told = before
            .iter()
            .rev()
            .take(4)
            .find(|item| !matches!(item, Item::Cue(Cue::Filler | Cue::Noun | Cue::Place)));
        let works_or_fails = matches!(told, Some(Item::Cue(Cue::Fails | Cue::Unfit | Cue::Works)));
        let numbers = found.elements.first().map_or(0, Element::numbers);
        if works_or_fails && (noun || numbers >= 2) {
            return true;
        }
        let (start, end) = self.sentence(found.start);
        noun && self.items[start..end].iter().any(|item| {
            matches!(
                item,
                Item::Cue(Cue::Fails | Cue::Unfit | Cue::Broken | Cue::Gone)
            )
        })
    }

    /// Returns what the last version before an item belongs to.
    fn last_versioned(&self, at: usize) -> Option<&Subject> {
        const REACH: usize = 30;
        let before = &self.items[at.saturating_sub(REACH)..at];
        (0..before.len()).rev().find_map(|at| {
            if !matches!(before[at], Item::Version(_) | Item::Integer(_)) {
                return None;
            }
            let name = before[..at].iter().rev().find(|item| {
                !matches!(
                    item,
                    Item::Cue(Cue::Noun | Cue::Filler) | Item::Compare(_) | Item::At | Item::Open
                )
            })?;
            match name {
                Item::Name(mention) if !mention.weak => Some(&mention.subject),
                _ => None,
            }
        })
    }

    /// Returns the item in front of an expression that is more than a word such as "version".
    fn before(&self, start: usize) -> Option<&Item<'a>> {
        self.items[..start]
            .iter()
            .rev()
            .take(4)
            .find(|item| !matches!(item, Item::Cue(Cue::Filler | Cue::Noun)))
    }

    /// Returns the name that follows an expression: "versions before 2.0 of torch".
    fn name_behind(&self, end: usize) -> Option<&Mention<'a>> {
        let mut at = end;
        while let Some(Item::Cue(Cue::Filler | Cue::Noun)) = self.items.get(at) {
            at += 1;
        }
        match self.items.get(at)? {
            Item::Name(mention) if at <= end + 3 => {
                let next = self.items.get(at + 1);
                let has_version = matches!(
                    next,
                    Some(Item::Version(_) | Item::Integer(_) | Item::Compare(_) | Item::At)
                );
                // "1.35 for Perl" says where the unnamed module runs.
                let whose = at == end || matches!(mention.subject, Subject::Package(_));
                (whose && !has_version).then_some(mention)
            }
            _ => None,
        }
    }

    /// Returns the packages that a sentence names, without repetition, up to three.
    fn packages_of_sentence(&self, at: usize) -> Vec<&Subject> {
        let (start, end) = self.sentence(at);
        let mut packages: Vec<&Subject> = Vec::new();
        for (at, item) in self.items[start..end].iter().enumerate() {
            let Item::Name(Mention {
                subject: subject @ Subject::Package(_),
                weak,
                ..
            }) = item
            else {
                continue;
            };
            // An ordinary word is a name beside a version: "requests to 2.20".
            let next = self.items.get(start + at + 1);
            let versioned = matches!(
                next,
                Some(Item::Version(_) | Item::Compare(_) | Item::Cue(Cue::To | Cue::Noun))
            );
            if (!weak || versioned) && !packages.contains(&subject) {
                packages.push(subject);
                if packages.len() > 2 {
                    break;
                }
            }
        }
        packages
    }
}
