//! Expressions of versions: "before 1.2.8 and 1.3.x before 1.3.2", "from 2.1.5 to 2.2.1", `>=1.0, <2.0`.
//!
//! An expression is a list of elements. It says nothing about the package; statements do.

mod elements;

use self::elements::{in_branch, push_element};
use super::{
    items::{Comparison, Item},
    lexicon::{Cue, Limit},
    meaning::Element,
    names::Mention,
};
use crate::subject::Subject;

/// An expression and its place among the items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expression<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) elements: Vec<Element<'a>>,
    /// The name inside: "before Django 1.8".
    pub(super) name: Option<Mention<'a>>,
    /// Whether a word or an operator bounds the versions.
    pub(super) worded: bool,
    /// Whether all versions are whole numbers.
    pub(super) whole: bool,
    /// Whether operators bound the versions.
    pub(super) compared: bool,
}

/// The most items of an aside between the elements of a list.
const MAX_ASIDE: usize = 10;
/// The most elements of one expression.
const MAX_ELEMENTS: usize = 40;

/// Returns the expression that starts at an item.
pub(super) fn expression<'a>(items: &[Item<'a>], start: usize) -> Option<Expression<'a>> {
    let mut parser = Parser {
        items,
        name: None,
        whole: true,
        owner: owner(items, start),
    };
    let (first, mut end) = parser.element(start)?;
    let mut elements = vec![first];
    while elements.len() < MAX_ELEMENTS {
        let Some((element, next)) = parser.following(&elements, end) else {
            break;
        };
        push_element(&mut elements, element);
        end = next;
    }
    let worded = !elements
        .iter()
        .all(|element| matches!(element, Element::Pin(_)));
    Some(Expression {
        start,
        end,
        elements,
        name: parser.name,
        worded,
        whole: parser.whole,
        compared: items[start..end]
            .iter()
            .any(|item| matches!(item, Item::Compare(_))),
    })
}

struct Parser<'i, 'a> {
    items: &'i [Item<'a>],
    name: Option<Mention<'a>>,
    whole: bool,
    /// The name in front of the expression, which a list may repeat: "torch 1.9, torch 1.10".
    owner: Option<&'i Subject>,
}

/// Returns the name in front of an expression.
fn owner<'i>(items: &'i [Item<'_>], start: usize) -> Option<&'i Subject> {
    let mut before = items[..start]
        .iter()
        .rev()
        .take(3)
        .filter(|item| !matches!(item, Item::Cue(Cue::Noun)));
    match before.next()? {
        Item::Name(mention) => Some(&mention.subject),
        _ => None,
    }
}

impl<'i, 'a> Parser<'i, 'a> {
    fn item(&self, at: usize) -> Option<&'i Item<'a>> {
        self.items.get(at)
    }

    /// Reads the version at an item.
    fn version(&mut self, at: usize) -> Option<(&'a str, usize)> {
        match self.item(at)? {
            Item::Version(text) => {
                self.whole = false;
                Some((text, at + 1))
            }
            Item::Integer(text) => Some((text, at + 1)),
            _ => None,
        }
    }

    /// Skips words such as "version", and a name in front of a version.
    fn skip_to_version(&mut self, mut at: usize, with_name: bool) -> Option<(&'a str, usize)> {
        for _ in 0..5 {
            match self.item(at)? {
                Item::Cue(Cue::Filler | Cue::Noun | Cue::Place) | Item::Colon | Item::Open => {
                    at += 1
                }
                Item::Compare(Comparison::Equal) => at += 1,
                // "pre-7.1"
                Item::Dash
                    if at > 0 && self.items[at - 1] == Item::Cue(Cue::Prefix(Limit::Before)) =>
                {
                    at += 1;
                }
                Item::Name(mention) if with_name && self.name.is_none() => {
                    let mention = mention.clone();
                    let found = self.skip_to_version(at + 1, false)?;
                    self.name = Some(mention);
                    return Some(found);
                }
                _ => return self.version(at),
            }
        }
        self.version(at)
    }

    /// Reads an element at an item.
    fn element(&mut self, at: usize) -> Option<(Element<'a>, usize)> {
        match self.item(at)? {
            Item::Compare(comparison) => {
                let comparison = *comparison;
                let (version, next) = self.skip_to_version(at + 1, false)?;
                Some((Element::compared(comparison, version), next))
            }
            Item::Cue(Cue::Between) => {
                let (low, next) = self.skip_to_version(at + 1, true)?;
                let Item::Cue(Cue::And | Cue::To) = self.item(next)? else {
                    return None;
                };
                let (high, next) = self.skip_to_version(next + 1, false)?;
                Some((
                    Element::Between {
                        low: Some((low, true)),
                        high: Some((high, true)),
                    },
                    next,
                ))
            }
            Item::Cue(cue @ (Cue::Prefix(_) | Cue::From | Cue::Through)) => {
                let cue = *cue;
                let (version, next) = self.skip_to_version(at + 1, true)?;
                if let Cue::From | Cue::Prefix(Limit::Since) = cue
                    && let Some((high, next, inclusive)) = self.connected(next)
                {
                    let updates = self.items[at..next].contains(&Item::Cue(Cue::UpdateTo));
                    let element = match inclusive {
                        _ if updates => Element::Update {
                            from: version,
                            to: high,
                        },
                        Some(true) => Element::FromTo { low: version, high },
                        _ => Element::Between {
                            low: Some((version, true)),
                            high: Some((high, false)),
                        },
                    };
                    return Some((element, next));
                }
                // "not before 1.2 or later": the words behind the version decide.
                if let Some((limit, next)) = self.suffix(next)
                    && cue == Cue::From
                {
                    return Some((Element::bounded(limit, version), next));
                }
                let limit = match cue {
                    Cue::Prefix(limit) => limit,
                    Cue::Through => Limit::UpTo,
                    _ => Limit::Since,
                };
                let next = if limit == Limit::UpTo {
                    self.suffix(next).map_or(next, |(_, next)| next)
                } else {
                    next
                };
                Some((Element::bounded(limit, version), next))
            }
            Item::OpenBracket | Item::Open => self.bracketed(at),
            Item::Version(_) | Item::Integer(_) => self.starting_with_version(at),
            _ => None,
        }
    }

    /// Reads an element that starts with a version.
    fn starting_with_version(&mut self, at: usize) -> Option<(Element<'a>, usize)> {
        let (version, next) = self.version(at)?;
        if let Some(update) = self.update_without_preposition(at, version, next) {
            return Some(update);
        }
        if let Some((limit, next)) = self.suffix(next) {
            return Some((Element::bounded(limit, version), next));
        }
        if self.item(next) == Some(&Item::Arrow)
            && let Some((to, next)) = self.skip_to_version(next + 1, false)
        {
            return Some((Element::Update { from: version, to }, next));
        }
        // `1.0 <= x < 2.0`
        if let Some(Item::Compare(Comparison::Bound(first @ (Limit::Before | Limit::UpTo)))) =
            self.item(next)
            && let Some(Item::Cue(Cue::Filler | Cue::Noun) | Item::Word(_) | Item::Name(_)) =
                self.item(next + 1)
            && let Some(Item::Compare(Comparison::Bound(second @ (Limit::Before | Limit::UpTo)))) =
                self.item(next + 2)
        {
            let (low, high) = (*first == Limit::UpTo, *second == Limit::UpTo);
            if let Some((upper, next)) = self.version(next + 3) {
                return Some((
                    Element::Between {
                        low: Some((version, low)),
                        high: Some((upper, high)),
                    },
                    next,
                ));
            }
        }
        if let Some((high, next, inclusive)) = self.connected(next) {
            let element = match inclusive {
                None => Element::Between {
                    low: Some((version, true)),
                    high: Some((high, false)),
                },
                Some(true) if self.items[at..next].contains(&Item::Cue(Cue::UpdateTo)) => {
                    Element::Update {
                        from: version,
                        to: high,
                    }
                }
                Some(true) => Element::FromTo { low: version, high },
                Some(false) => Element::Between {
                    low: Some((version, true)),
                    high: Some((high, true)),
                },
            };
            return Some((element, next));
        }
        Some((Element::Pin(version), next))
    }

    /// Reads two versions that languages other than English put side by side: "4.46.0 から 5.0.0 に", "de 17.0 a 18.0".
    fn update_without_preposition(
        &mut self,
        start: usize,
        from: &'a str,
        at: usize,
    ) -> Option<(Element<'a>, usize)> {
        let between = self.item(at)?;
        let (Item::Version(to) | Item::Integer(to)) = self.item(at + 1)? else {
            return None;
        };
        let behind = matches!(self.item(at + 2), Some(Item::Cue(Cue::To | Cue::UpdateTo)));
        let before =
            start > 0 && matches!(self.items[start - 1], Item::Cue(Cue::Filler | Cue::From));
        match between {
            Item::Cue(Cue::Suffix(Limit::Since) | Cue::Filler) if behind => {
                Some((Element::Update { from, to }, at + 3))
            }
            Item::Cue(Cue::Filler) if before => Some((
                Element::FromTo {
                    low: from,
                    high: to,
                },
                at + 2,
            )),
            _ => None,
        }
    }

    /// Reads the second version of a range: "to 1.5" (`Some(true)`), "through 1.5" (`Some(false)`), "before 1.5"
    /// (`None`).
    fn connected(&mut self, at: usize) -> Option<(&'a str, usize, Option<bool>)> {
        let mut at = at;
        // "1.2.x versions before 1.2.8", "1.2.x (before 1.2.8)"
        while let Some(Item::Cue(Cue::Filler | Cue::Noun) | Item::Open) = self.item(at) {
            at += 1;
        }
        let limit = match self.item(at)? {
            Item::Cue(Cue::To | Cue::UpdateTo) => Some(true),
            Item::Dash | Item::Cue(Cue::Through | Cue::Prefix(Limit::UpTo)) => Some(false),
            Item::Cue(Cue::Prefix(Limit::Before))
            | Item::Compare(Comparison::Bound(Limit::Before)) => None,
            Item::Compare(Comparison::Bound(Limit::UpTo)) => Some(false),
            _ => return None,
        };
        // "from jest 4 to jest 5"
        let again = match self.item(at + 1) {
            Some(Item::Name(mention)) => self.is_owner(&mention.subject),
            _ => false,
        };
        let (version, next) = self.skip_to_version(at + 1 + usize::from(again), false)?;
        let next = self
            .suffix(next)
            .filter(|(limit, _)| *limit == Limit::UpTo)
            .map_or(next, |(_, next)| next);
        Some((version, next, limit))
    }

    /// Returns whether the versions belong to a subject.
    fn is_owner(&self, subject: &Subject) -> bool {
        let inside = self.name.as_ref().map(|mention| &mention.subject);
        inside.or(self.owner) == Some(subject)
    }

    /// Reads a bound behind a version.
    fn suffix(&self, at: usize) -> Option<(Limit, usize)> {
        let mut at = at;
        if self.item(at) == Some(&Item::Plus) {
            return Some((Limit::Since, at + 1));
        }
        // "1.2 and before", but not "1.2 and before 1.3".
        if let (Some(Item::Cue(Cue::And)), Some(Item::Cue(Cue::Prefix(limit)))) =
            (self.item(at), self.item(at + 1))
        {
            let limit = match limit {
                Limit::Before | Limit::UpTo => Limit::UpTo,
                Limit::Since | Limit::After => Limit::Since,
            };
            let bounds_another = matches!(
                self.item(at + 2),
                Some(
                    Item::Version(_)
                        | Item::Integer(_)
                        | Item::Name(_)
                        | Item::Cue(Cue::Filler | Cue::Noun)
                )
            );
            return (!bounds_another).then_some((limit, at + 2));
        }
        for _ in 0..3 {
            match self.item(at)? {
                Item::Cue(Cue::Suffix(limit)) => {
                    let closed = matches!(self.item(at + 1), Some(Item::Close));
                    return Some((*limit, at + 1 + usize::from(closed)));
                }
                Item::Cue(Cue::Filler | Cue::Noun) | Item::Open => at += 1,
                // "1.08, 1.17, and earlier"
                Item::Comma if matches!(self.item(at + 1), Some(Item::Cue(Cue::Suffix(_)))) => {
                    at += 1
                }
                _ => return None,
            }
        }
        None
    }

    /// Reads `[1.0,2.0)`.
    fn bracketed(&mut self, at: usize) -> Option<(Element<'a>, usize)> {
        let included = self.item(at) == Some(&Item::OpenBracket);
        let (low, comma) = match self.version(at + 1) {
            Some((version, next)) => (Some((version, included)), next),
            None => (None, at + 1),
        };
        if self.item(comma) != Some(&Item::Comma) {
            return None;
        }
        let (high, close) = match self.version(comma + 1) {
            Some((version, next)) => (Some(version), next),
            None => (None, comma + 1),
        };
        let included = match self.item(close)? {
            Item::CloseBracket => true,
            Item::Close => false,
            _ => return None,
        };
        if low.is_none() && high.is_none()
            || (self.item(at) == Some(&Item::Open) && !included && low.is_none())
        {
            return None;
        }
        Some((
            Element::Between {
                low,
                high: high.map(|high| (high, included)),
            },
            close + 1,
        ))
    }

    /// Reads the next element of a list.
    fn following(&mut self, elements: &[Element<'a>], end: usize) -> Option<(Element<'a>, usize)> {
        let mut at = end;
        let mut separated = false;
        let mut joined = false;
        loop {
            match self.item(at)? {
                Item::Cue(Cue::And) => (separated, joined) = (true, true),
                Item::Comma | Item::Semicolon | Item::Bar => separated = true,
                // ", in 1.2" starts another clause.
                Item::Cue(Cue::Filler) if separated && joined => {}
                Item::Cue(Cue::Noun) if separated => {}
                Item::Name(mention) if separated && self.owner == Some(&mention.subject) => {}
                // "2.11.7 (for the LTS branch) and 2.12.4"
                Item::Open if !separated => {
                    let inside = self.items[at..].iter().take(MAX_ASIDE);
                    at += inside
                        .take_while(|item| !matches!(item, Item::Close | Item::End))
                        .count();
                    if self.item(at) != Some(&Item::Close) {
                        return None;
                    }
                }
                Item::Close
                    if matches!(self.item(at + 1), Some(Item::Comma | Item::Cue(Cue::And))) => {}
                _ => break,
            }
            at += 1;
        }
        let last = elements.last()?;
        let bound = matches!(
            self.item(at)?,
            Item::Compare(Comparison::Bound(_) | Comparison::NotEqual)
        );
        let bracket = matches!(self.item(at)?, Item::OpenBracket);
        let goes_on = bound && !matches!(last, Element::Pin(_));
        if !separated && !goes_on {
            return None;
        }
        let (whole, name) = (self.whole, self.name.clone());
        let found = match self.item(at)? {
            // A whole number goes on with a list of whole numbers only: not "Python 3.7, 8 GB".
            Item::Integer(_) if !whole => {
                let found = self.starting_with_version(at);
                found.filter(|(element, _)| !matches!(element, Element::Pin(_)))
            }
            Item::Version(_) | Item::Integer(_) => self.starting_with_version(at),
            Item::Cue(Cue::Prefix(_) | Cue::From | Cue::Between | Cue::Through)
            | Item::Compare(_) => {
                let found = self.element(at);
                // "before 1.8, since Flask 2": another name starts another expression.
                if self.name != name { None } else { found }
            }
            _ if bracket => self.element(at),
            _ => None,
        };
        let Some((element, next)) = found else {
            (self.whole, self.name) = (whole, name);
            return None;
        };
        Some((in_branch(elements, element), next))
    }
}
