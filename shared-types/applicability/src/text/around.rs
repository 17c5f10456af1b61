//! The words around an expression of versions: the name that it belongs to, and what happens with it.

use super::{
    grammar::Expression,
    items::Item,
    lexicon::{Cue, Limit, prose::is_name_like},
    names::Mention,
};
use crate::subject::Subject;

/// The words around an expression.
#[derive(Debug, Default)]
pub(super) struct Around<'a> {
    pub(super) name: Option<Mention<'a>>,
    /// Whether only words such as "version" and "in" stand between the name and the expression.
    pub(super) adjacent: bool,
    /// Whether nothing but "version" does.
    pub(super) touching: bool,
    /// The unknown word directly before the expression.
    pub(super) unknown: Option<&'a str>,
    /// The nearest cue that says what happens with the version.
    pub(super) cue: Option<Cue>,
    /// Whether other words stand between that cue and the version: "updates its parser to 8.44".
    pub(super) cue_has_object: bool,
    /// Whether "after" precedes that cue: "after upgrading to 19".
    pub(super) afterwards: bool,
    /// Whether that cue follows the version: "1.2 removes …".
    pub(super) cue_is_behind: bool,
    /// A name in parentheses: "the feed parser (aka feedparser) before 5.1".
    aside: Option<Mention<'a>>,
    /// How many words without a meaning were passed.
    words: usize,
}

/// How many items before an expression are looked at.
const LOOK_BACK: usize = 12;
/// The most items between parentheses that are passed.
const MAX_ASIDE: usize = 20;
/// How many items behind an expression are looked at.
const LOOK_AHEAD: usize = 5;
/// How many words may stand between a name and an expression that is about it.
const MAX_WORDS: usize = 4;

impl<'a> Around<'a> {
    /// Reads the items before and behind an expression.
    pub(super) fn read(items: &[Item<'a>], found: &Expression<'a>) -> Self {
        let mut around = Self {
            adjacent: true,
            touching: true,
            ..Self::default()
        };
        let mut at = found.start;
        for _ in 0..LOOK_BACK {
            let Some(before) = at.checked_sub(1) else {
                break;
            };
            match around.step(items, before, found) {
                Some(next) => at = next,
                None => break,
            }
        }
        if around.aside.is_some() && !(around.adjacent && around.name.is_some()) {
            around.name = around.aside.take();
            around.adjacent = true;
        }
        around.adjacent &= around.name.is_some();
        around.touching &= around.adjacent;
        if around
            .cue
            .is_none_or(|cue| matches!(cue, Cue::Install | Cue::Requires))
        {
            let behind = cue_behind(items, found.end);
            // "Use 2.0.3, which added it"
            let behind =
                behind.filter(|cue| *cue != Cue::Added || around.cue != Some(Cue::Install));
            around.cue_is_behind = behind.is_some();
            around.cue = behind.or(around.cue);
        }
        around
    }

    /// Takes one item into account and returns where to go on; `None` ends the look back.
    fn step(&mut self, items: &[Item<'a>], at: usize, found: &Expression<'a>) -> Option<usize> {
        let named = self.name.is_some();
        match &items[at] {
            Item::End | Item::Version(_) => return None,
            Item::Integer(_) | Item::Semicolon if !named => return None,
            Item::Comma if !named && !found.worded || named && self.adjacent => return None,
            Item::Close | Item::CloseBracket => return self.skip_aside(items, at),
            Item::Name(mention) => {
                if describes(items, at, found.start, mention) {
                    return Some(at);
                }
                if named || self.words > MAX_WORDS {
                    return None;
                }
                self.name = Some(mention.clone());
                self.adjacent &= self.words == 0;
            }
            Item::Cue(cue) if happens(*cue) => {
                if self.cue.is_none() {
                    self.take_cue(*cue, items, at);
                }
                self.touching &= named;
            }
            Item::Cue(Cue::Noun)
            | Item::At
            | Item::Colon
            | Item::OpenBracket
            | Item::Compare(_) => {}
            Item::Cue(_) | Item::Open => self.touching &= named,
            Item::Word(word) => {
                if !named && self.words == 0 && self.touching {
                    self.unknown = Some(word);
                }
                self.touching &= named;
                self.words += 1;
            }
            _ => {
                self.touching &= named;
                self.adjacent &= named;
            }
        }
        Some(at)
    }

    /// Notes what happens with the version.
    fn take_cue(&mut self, cue: Cue, items: &[Item<'a>], at: usize) {
        let before = items[at.saturating_sub(3)..at]
            .iter()
            .rev()
            .find(|item| **item != Item::Cue(Cue::Filler));
        self.afterwards = matches!(
            before,
            Some(Item::Cue(Cue::Prefix(Limit::After | Limit::Since)))
        );
        // "2.1.11 fixes a leak in 2.1.10"
        let clause = items[at.saturating_sub(3)..at]
            .iter()
            .rev()
            .take_while(|item| !matches!(item, Item::End | Item::Comma | Item::Cue(Cue::And)));
        let of_version = clause
            .into_iter()
            .any(|item| matches!(item, Item::Version(_)));
        self.cue_has_object = match cue {
            Cue::Fixed => self.words > 2 || of_version,
            _ => self.words > 0,
        };
        self.cue = Some(cue);
    }

    /// Goes to the start of parentheses that end at `at`; a name in them may be another name of what precedes them.
    fn skip_aside(&mut self, items: &[Item<'a>], at: usize) -> Option<usize> {
        let first = at.saturating_sub(MAX_ASIDE);
        let mut depth = 0_usize;
        let open = (first..at).rev().find(|index| match items[*index] {
            Item::Close | Item::CloseBracket => {
                depth += 1;
                false
            }
            Item::Open | Item::OpenBracket if depth > 0 => {
                depth -= 1;
                false
            }
            Item::Open | Item::OpenBracket => true,
            _ => false,
        })?;
        // A link: its text may be the name.
        if open + 2 == at && matches!(items[open + 1], Item::Name(_)) {
            return Some(at);
        }
        let inside = items[open..at].iter().rev().find_map(|item| match item {
            Item::Name(mention)
                if !mention.weak && matches!(mention.subject, Subject::Package(_)) =>
            {
                Some(mention.clone())
            }
            _ => None,
        });
        // "a policy server (Postgrey) 1.18": the version is that of an unknown name.
        let unknown = items[open..at].iter().rev().find_map(|item| match item {
            Item::Word(word) if is_name_like(word) => Some(*word),
            _ => None,
        });
        if inside.is_none() && self.touching && self.name.is_none() {
            self.unknown = self.unknown.or(unknown);
        }
        self.aside = self.aside.take().or(inside);
        Some(open)
    }
}

/// Returns whether a cue says what happens with a version.
fn happens(cue: Cue) -> bool {
    matches!(
        cue,
        Cue::Fixed
            | Cue::Broken
            | Cue::Gone
            | Cue::Deprecated
            | Cue::Added
            | Cue::Update
            | Cue::Updated
            | Cue::Updating
            | Cue::UpdateTo
            | Cue::Beside
            | Cue::Downgrade
            | Cue::Works
            | Cue::Requires
            | Cue::Unaffected
            | Cue::Install
    )
}

/// Returns whether a runtime only describes the package before it: "the Archive::Zip Perl module before 1.14".
fn describes(items: &[Item<'_>], at: usize, start: usize, mention: &Mention<'_>) -> bool {
    let before = at.checked_sub(1).map(|before| &items[before]);
    matches!(mention.subject, Subject::Runtime(_))
        && at + 1 < start
        && matches!(
            before,
            Some(Item::Name(Mention {
                subject: Subject::Package(_),
                ..
            }))
        )
}

/// Returns whether what happens is said of another version behind: "2.3.0 is incompatible with Django 8".
pub(super) fn takes_version(items: &[Item<'_>], at: usize, cue: Cue) -> bool {
    let behind = items[at + 1..]
        .iter()
        .find(|item| !matches!(item, Item::Cue(Cue::Filler | Cue::Noun)));
    cue == Cue::Broken && matches!(behind, Some(Item::Name(_) | Item::Version(_)))
}

/// Returns the cue that follows a version: "2.6.0 fixes …".
fn cue_behind(items: &[Item<'_>], end: usize) -> Option<Cue> {
    for (at, item) in items.iter().enumerate().skip(end).take(LOOK_AHEAD) {
        match item {
            Item::Cue(
                cue @ (Cue::Fixed
                | Cue::Broken
                | Cue::Deprecated
                | Cue::Needed
                | Cue::Works
                | Cue::Unaffected
                | Cue::Added),
            ) => {
                return (!takes_version(items, at, *cue)).then_some(*cue);
            }
            // "2.7.5 に下げる": languages that put the verb behind the version.
            Item::Cue(Cue::Downgrade)
                if at > end
                    && items[end..at].iter().all(|item| {
                        matches!(item, Item::Cue(Cue::To | Cue::Noun | Cue::Filler))
                    }) =>
            {
                return Some(Cue::Downgrade);
            }
            Item::Cue(Cue::Fails | Cue::And)
            | Item::Name(_)
            | Item::Version(_)
            | Item::End
            | Item::Comma => {
                return None;
            }
            _ => {}
        }
    }
    None
}
