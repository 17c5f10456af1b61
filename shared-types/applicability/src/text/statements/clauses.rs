//! Reads what the clause around a version says: that something was removed, exists only in some versions, or that the
//! text recommends the version.

use std::cmp::Ordering;

use super::{
    super::{
        Field,
        around::takes_version,
        grammar::Expression,
        items::Item,
        lexicon::{
            Cue, Limit,
            prose::{
                asks, exists, gives_reason, is_not, is_only, is_relative, is_support,
                names_problem, occurs, tells_of_future,
            },
        },
        meaning::Element,
    },
    Reader, is_for_security, is_lower_bound, is_upper_bound,
};
use crate::{range::manifest::without_wildcard, subject::Subject};

/// How many items behind a version a clause can reach.
const MAX_CLAUSE: usize = 16;
/// How many items around a version are searched for other versions of the same thing.
const MAX_APART: usize = 120;

/// What a clause says of existence.
struct Existence {
    /// Whether something is said to exist.
    stated: bool,
    /// Whether "only" limits it.
    limited: bool,
    /// Whether it is the problem that exists or occurs.
    of_problem: bool,
}

impl<'a> Reader<'_, 'a> {
    /// Returns what a clause that starts with a version says: "In 1.24 `parse` no longer exists".
    pub(super) fn predicate_behind(&self, found: &Expression<'a>) -> Option<Cue> {
        if !self.starts_clause(found) {
            return None;
        }
        let clause = self.clause_behind(found.end);
        let at = clause
            .iter()
            .position(|item| matches!(item, Item::Cue(Cue::Gone | Cue::Broken)))?;
        // "is no longer allowed with OpenSSL 3"
        let of_another = clause[at..]
            .windows(2)
            .any(|pair| matches!(pair, [Item::Name(_), Item::Version(_) | Item::Integer(_)]));
        let other = of_another
            || clause[..at].iter().any(|item| {
                matches!(item, Item::Word(word) if is_relative(word))
                    || matches!(
                        item,
                        Item::Version(_)
                            | Item::Cue(
                                Cue::Fails
                                    | Cue::Works
                                    | Cue::Fixed
                                    | Cue::Update
                                    | Cue::Updating
                                    | Cue::Downgrade
                                    | Cue::Prefix(_)
                            )
                    )
            });
        let taken = |cue| takes_version(clause, at, cue);
        (!other && !matches!(clause[at], Item::Cue(cue) if taken(cue))).then(|| match clause[at] {
            Item::Cue(Cue::Gone) => self.gone(found),
            _ => Cue::Broken,
        })
    }

    /// Decides what no longer exists: a failure, which the version ends, or anything else, whose loss starts the
    /// problem.
    pub(super) fn gone(&self, found: &Expression<'a>) -> Cue {
        const REACH: usize = 4;
        let (start, end) = self.sentence(found.start);
        let is_gone = |item: &Item<'_>| *item == Item::Cue(Cue::Gone);
        let at = self.items[start..found.start]
            .iter()
            .rposition(is_gone)
            .or_else(|| self.items[start..end].iter().position(is_gone))
            .map_or(found.start, |at| start + at);
        // "It fails because the option no longer exists": the failure is not what is gone.
        let clause = |item: &&Item<'_>| match item {
            Item::Colon => false,
            Item::Word(word) => !gives_reason(word),
            item => !ends_clause(item),
        };
        let before = self.items[start..at]
            .iter()
            .rev()
            .take(REACH)
            .take_while(clause);
        let behind = self.items[at..end.max(at)]
            .iter()
            .take(REACH)
            .take_while(clause);
        let fails = before.chain(behind).any(is_problem);
        let clause = self.clause_around(at);
        let is_planned = clause.contains(&Item::Cue(Cue::Future)) || self.is_future_before(at);
        if fails || is_planned || is_for_security(clause) {
            Cue::Fixed
        } else {
            Cue::Broken
        }
    }

    /// Returns the clause around an item.
    fn clause_around(&self, at: usize) -> &[Item<'a>] {
        let (start, end) = self.sentence(at);
        let first = self.items[start..at].iter().rposition(ends_clause);
        let last = self.items[at..end].iter().position(ends_clause);
        &self.items
            [first.map_or(start, |first| start + first + 1)..last.map_or(end, |last| at + last)]
    }

    /// Returns whether the words before a cue tell of the future: "will no longer work".
    fn is_future_before(&self, at: usize) -> bool {
        const REACH: usize = 3;
        let before = self.items[..at].iter().rev().take(REACH);
        before.take_while(|item| **item != Item::End).any(is_future)
    }

    /// Returns whether a failure is still to come: "will be unsupported in 11".
    pub(super) fn breaks_later(&self, found: &Expression<'a>) -> bool {
        let (start, _) = self.sentence(found.start);
        self.items[start..found.start]
            .iter()
            .rposition(|item| *item == Item::Cue(Cue::Broken))
            .is_some_and(|at| self.is_future_before(start + at))
    }

    /// Returns the items from one on up to the end of the clause; a comma directly there is passed.
    fn clause_behind(&self, at: usize) -> &[Item<'a>] {
        let at = match self.items.get(at) {
            Some(Item::Comma) => at + 1,
            _ => at,
        };
        let last = (at + MAX_CLAUSE).min(self.items.len());
        let items = self.items.get(at..last).unwrap_or_default();
        let end = items.iter().position(ends_clause).unwrap_or(items.len());
        &items[..end]
    }

    /// Returns whether nothing but a name and words such as "in" precede an expression in its clause.
    fn starts_clause(&self, found: &Expression<'a>) -> bool {
        let mut before = self.items[..found.start].iter().rev().skip_while(|item| {
            matches!(
                item,
                Item::Name(_)
                    | Item::Cue(
                        Cue::Filler
                            | Cue::Noun
                            | Cue::Place
                            | Cue::Purpose
                            | Cue::Prefix(Limit::Since)
                    )
            )
        });
        let starts = |item: Option<&Item<'_>>| match item {
            None | Some(Item::Colon | Item::Open | Item::Dash | Item::Mark | Item::Arrow) => true,
            Some(item) => ends_clause(item),
        };
        match before.next() {
            // "Perhaps with 8 …": one word may precede.
            Some(Item::Word(_) | Item::Cue(Cue::Future)) => starts(before.next()),
            item => starts(item),
        }
    }

    /// Returns whether the sentence names a version of the same thing outside a bound: "only up to 3.9, while he used
    /// Python 3.10", "Python 3.10 does not know it (only since 3.11)".
    fn names_outside(&self, found: &Expression<'a>, subject: &Subject) -> bool {
        let (start, end) = self.sentence(found.start);
        let (items, outside) = if is_upper_bound(&found.elements) {
            (&self.items[found.end.min(end)..end], Ordering::Less)
        } else if is_lower_bound(&found.elements) {
            (&self.items[start..found.start], Ordering::Greater)
        } else {
            return false;
        };
        let version = found.elements[0].first_version();
        names_version(items, subject, version, |order| order == outside)
    }

    /// Returns whether an update to the versions is still to come: "before you upgrade to 3".
    pub(super) fn is_before_update(&self, found: &Expression<'a>) -> bool {
        let update = |item: Option<&Item<'_>>| {
            matches!(
                item,
                Some(Item::Cue(Cue::Update | Cue::Updating | Cue::UpdateTo))
            )
        };
        let (start, _) = self.sentence(found.start);
        let mut before = self.items[start..found.start]
            .iter()
            .rev()
            .skip_while(|item| {
                matches!(
                    item,
                    Item::Name(_) | Item::Cue(Cue::To | Cue::Filler | Cue::Noun)
                )
            });
        let bounded = matches!(
            found.elements.as_slice(),
            [Element::Between {
                low: None,
                high: Some((_, false))
            }]
        );
        if !update(before.next()) {
            return false;
        }
        let prefixed = self.items[found.start] == Item::Cue(Cue::Prefix(Limit::Before));
        let earlier = before.find(|item| !matches!(item, Item::Word(_) | Item::Cue(Cue::Filler)));
        bounded && !prefixed || earlier == Some(&Item::Cue(Cue::Prefix(Limit::Before)))
    }

    /// Returns whether something worked until an update to the versions: "it worked until I upgraded to 4.2".
    pub(super) fn worked_until(&self, found: &Expression<'a>) -> bool {
        let (start, _) = self.sentence(found.start);
        let mut cues = self.items[start..found.start].iter().filter(|item| {
            matches!(
                item,
                Item::Cue(Cue::Works | Cue::Prefix(Limit::Before) | Cue::Update | Cue::Updating)
            )
        });
        cues.any(|item| *item == Item::Cue(Cue::Works))
            && cues.next() == Some(&Item::Cue(Cue::Prefix(Limit::Before)))
            && cues.next().is_some()
    }

    /// Returns whether a version is followed by a failure: "depends on 1.2.9, which fails to compile".
    pub(super) fn fails_behind(&self, found: &Expression<'a>) -> bool {
        let goes_on = self.items.get(found.end) == Some(&Item::Comma);
        goes_on
            && self
                .clause_behind(found.end)
                .iter()
                .any(|item| matches!(item, Item::Cue(Cue::Fails | Cue::Broken | Cue::Unfit)))
    }

    /// Returns whether a failing record says that something exists only in some versions: "the method exists only since
    /// 3.11", "there are wheels only up to 3.10". The problem is in the others.
    pub(super) fn lacks(&self, found: &Expression<'a>, subject: &Subject) -> bool {
        let outside = || self.names_outside(found, subject);
        let in_problem = matches!(self.field, Field::Cause | Field::Problem | Field::Title);
        let existence = self.existence(found);
        let bounded = if is_lower_bound(&found.elements) {
            self.field == Field::Cause || existence.stated && in_problem || outside()
        } else {
            is_upper_bound(&found.elements) && in_problem
        };
        bounded
            && existence.limited
            && !existence.of_problem
            && (self.fails || self.field == Field::Cause || outside())
    }

    /// Returns whether a text says since when something exists that is no failure: "the method exists since 3.11".
    pub(super) fn exists_since(&self, found: &Expression<'a>) -> bool {
        let existence = self.existence(found);
        // "existiert seit 6 nicht mehr"
        let denied = |item: &Item<'_>| match item {
            Item::Cue(Cue::Gone) => true,
            Item::Word(word) => is_not(word),
            _ => false,
        };
        self.starts_with_since(found)
            && existence.stated
            && !existence.of_problem
            && !self.clause_behind(found.end).iter().any(denied)
    }

    /// Reads what the clause before an expression says of existence.
    fn existence(&self, found: &Expression<'a>) -> Existence {
        const REACH: usize = 4;
        let only = |item: &Item<'_>| matches!(item, Item::Word(word) if is_only(word, false));
        let is_stated = |item: &&Item<'_>| matches!(item, Item::Word(word) if exists(word));
        let (start, _) = self.sentence(found.start);
        let mut clause = self.items[start..found.start]
            .iter()
            .rev()
            .skip_while(|item| matches!(item, Item::Cue(Cue::Place | Cue::Noun)))
            .take(REACH)
            .take_while(|item| !ends_clause(item) && **item != Item::Colon)
            .peekable();
        let exists_since = clause.next_if(is_stated).is_some();
        let only_before = clause.next_if(|item| only(item)).is_some();
        let only_since = clause.next_if(is_stated).is_some();
        let is_denied = matches!(clause.peek(), Some(Item::Word(word)) if is_not(word));
        let behind = self.items.get(found.end);
        Existence {
            stated: (exists_since || only_since) && !is_denied,
            limited: only_before || behind.is_some_and(only),
            // "The leak exists only since 5.2"
            of_problem: clause.any(|item| match item {
                Item::Cue(Cue::Broken) => true,
                Item::Word(word) if occurs(word) => true,
                item => is_problem(item),
            }),
        }
    }

    /// Returns whether a text recommends the versions of an expression: "Use Python 3.12". A version that somebody
    /// merely uses is not recommended.
    pub(super) fn recommends(&self, found: &Expression<'a>) -> bool {
        let (start, _) = self.sentence(found.start);
        let Some(at) = self.items[start..found.start]
            .iter()
            .rposition(|item| *item == Item::Cue(Cue::Install))
        else {
            return false;
        };
        match self.items[start..start + at].last() {
            None
            | Some(
                Item::Colon | Item::Dash | Item::Arrow | Item::Close | Item::Comma | Item::Mark,
            ) => true,
            Some(Item::Word(word)) => asks(word),
            Some(Item::Cue(Cue::And | Cue::Requires)) => true,
            _ => false,
        }
    }

    /// Returns whether an expression starts with a word such as "since".
    pub(super) fn starts_with_since(&self, found: &Expression<'a>) -> bool {
        matches!(
            self.items[found.start],
            Item::Cue(Cue::Prefix(Limit::Since))
        )
    }

    /// Returns whether a sentence goes on from a fix to the release that has it: "is patched, and is released in 1.2".
    pub(super) fn goes_on_with_fix(&self, found: &Expression<'a>) -> bool {
        let (start, _) = self.sentence(found.start);
        let before = &self.items[start..found.start];
        let Some(added) = before
            .iter()
            .rposition(|item| *item == Item::Cue(Cue::Added))
        else {
            return false;
        };
        let link = before[..added]
            .iter()
            .rev()
            .find(|item| **item != Item::Cue(Cue::Filler));
        matches!(link, Some(Item::Comma | Item::Cue(Cue::And)))
            && before[..added].contains(&Item::Cue(Cue::Fixed))
    }

    /// Returns whether a demand is followed by the consequence of not meeting it: "needs 2.3, otherwise it fails".
    pub(super) fn threatens(&self, found: &Expression<'a>) -> bool {
        const REACH: usize = 12;
        let last = (found.end + REACH).min(self.items.len());
        let behind = &self.items[found.end.min(last)..last];
        let Some(at) = behind
            .iter()
            .position(|item| *item == Item::Cue(Cue::Otherwise))
        else {
            return false;
        };
        let ends = |items: &[Item<'_>]| items.iter().filter(|item| **item == Item::End).count();
        ends(&behind[..at]) <= 1
            && behind[at..]
                .iter()
                .take_while(|item| **item != Item::End)
                .any(|item| matches!(item, Item::Cue(Cue::Fails | Cue::Broken)))
    }

    /// Returns whether what is fixed is the support of the versions themselves: "fixes 3.2 compatibility".
    pub(super) fn support_is_fixed(&self, found: &Expression<'a>) -> bool {
        let (start, _) = self.sentence(found.start);
        let mut before = self.items[start..found.start]
            .iter()
            .rev()
            .skip_while(|item| matches!(item, Item::Name(_) | Item::Cue(Cue::Noun)));
        before.next() == Some(&Item::Cue(Cue::Fixed))
            && matches!(self.items.get(found.end), Some(Item::Word(word)) if is_support(word))
    }

    /// Returns whether a failure is said of the update to a version: "the broken upgrade to 6.1".
    pub(super) fn is_broken_update(&self, at: usize) -> bool {
        const REACH: usize = 3;
        let (start, _) = self.sentence(at);
        let update = self.items[start..at]
            .iter()
            .rposition(|item| matches!(item, Item::Cue(Cue::Update | Cue::Updating)));
        update.is_some_and(|update| {
            self.items[start..start + update]
                .iter()
                .rev()
                .take(REACH)
                .any(|item| *item == Item::Cue(Cue::Fails))
        })
    }

    /// Returns whether the text names a later version of the same thing nearby: "fails with 8.4; I switched to 7".
    pub(super) fn is_step_back(&self, found: &Expression<'a>, subject: &Subject) -> bool {
        let [Element::Pin(version)] = found.elements.as_slice() else {
            return false;
        };
        let first = found.start.saturating_sub(MAX_APART);
        names_version(
            &self.items[first..found.start],
            subject,
            version,
            Ordering::is_lt,
        )
    }
}

/// Returns whether items name another version of a thing to which a version is in an order.
fn names_version(
    items: &[Item<'_>],
    subject: &Subject,
    version: &str,
    in_order: impl Fn(Ordering) -> bool,
) -> bool {
    let compared = |other: &str| {
        let (version, other) = (without_wildcard(version), without_wildcard(other));
        subject.scheme().compare(version, other)
    };
    let mut current = None;
    items.iter().any(|item| match item {
        Item::Name(mention) => {
            current = Some(&mention.subject);
            false
        }
        Item::Version(other) | Item::Integer(other) => {
            current == Some(subject) && compared(other).is_some_and(&in_order)
        }
        _ => false,
    })
}

/// Returns whether an item tells of the future.
fn is_future(item: &Item<'_>) -> bool {
    match item {
        Item::Cue(Cue::Future) => true,
        Item::Word(word) => tells_of_future(word),
        _ => false,
    }
}

/// Returns whether an item names a problem.
fn is_problem(item: &Item<'_>) -> bool {
    match item {
        Item::Cue(Cue::Fails) => true,
        Item::Word(word) => names_problem(word),
        _ => false,
    }
}

/// Returns whether an item ends a clause.
fn ends_clause(item: &Item<'_>) -> bool {
    matches!(item, Item::End | Item::Semicolon | Item::Comma)
}
