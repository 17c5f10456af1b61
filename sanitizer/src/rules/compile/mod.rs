//! Reads expressions into matchers. The build script does it for the built-in rules, so that no program
//! has to; the tests do it to compare.

mod behind;
mod classes;
mod edges;
mod firsts;
mod neighbours;
// The build script alone packs.
#[cfg(not(test))]
pub(crate) mod pack;
mod program;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, HirKind, Look};

use super::shape::step::widest;
use super::shape::{Bytes, Origin, Places, Shape};
use behind::Behind;
use firsts::Firsts;

/// A rule that reaches further back than this searches whole windows, so that anchors close
/// together cost no more than one.
const NEAR: usize = 4200;

/// The matcher of a built-in rule; nothing where whole windows have to be searched.
pub(crate) fn of_rule(
    pattern: &str,
    anchors: &[impl AsRef<str>],
    beside: bool,
    before: usize,
) -> Option<Shape> {
    if beside || before > NEAR {
        return None;
    }
    Shape::new(pattern, &lower(anchors), before)
}

/// Keeps a value for as long as the program runs, as matchers have what they share.
fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// What may stand right behind each anchor of a rule where it wakes the rule; nothing where that is unknown.
// The build script alone asks.
#[cfg(not(test))]
pub(crate) fn behind_each(pattern: &str, anchors: &[String], before: usize) -> Option<Vec<Bytes>> {
    let anchors = lower(anchors);
    if before > NEAR || anchors.iter().all(|anchor| anchor.len() == 1) {
        return None;
    }
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut parts = Vec::new();
    flatten(&hir, &mut parts);
    let place = place_of_anchor(&parts, &anchors);
    behind_anchors(&hir, place, &anchors, before).map(|behind| behind.next)
}

/// What may stand behind the anchors from which matches are found; `place` is where they stand in a match.
fn behind_anchors(
    hir: &Hir,
    place: Option<(usize, usize)>,
    anchors: &[String],
    most: usize,
) -> Option<Behind> {
    if anchors.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    flatten(hir, &mut parts);
    match place {
        Some((part, 0)) => behind::of_beginning(parts.get(part..)?, anchors),
        Some(_) => None,
        None => behind::of_first(hir, anchors, most),
    }
}

fn lower(anchors: &[impl AsRef<str>]) -> Vec<String> {
    anchors
        .iter()
        .map(|anchor| anchor.as_ref().to_ascii_lowercase())
        .collect()
}

impl Shape {
    /// Reads an expression whose matches contain one of `anchors`, all in lower case, at most `most`
    /// bytes after their beginning. Nothing where the expression needs another engine.
    pub(crate) fn new(pattern: &str, anchors: &[String], most: usize) -> Option<Self> {
        let hir = regex_syntax::parse(pattern).ok()?;
        let steps = program::program(&hir)?;
        let mut parts = Vec::new();
        flatten(&hir, &mut parts);
        let look = parts.first().and_then(|part| match part.kind() {
            HirKind::Look(look) => Some(*look),
            _ => None,
        });
        let by_line = look == Some(Look::StartLF);
        let inside = !anchors.is_empty() && !by_line;
        let place = place_of_anchor(&parts, anchors);
        let through = match place {
            Some(_) => Bytes::NONE,
            None => edges::all(&hir),
        };
        let mut shape = Self {
            first: program::first(&steps, 0),
            widest: widest(&steps),
            steps,
            origin: Origin::Back {
                through,
                lead: false,
                least: 0,
                most,
            },
            before: Bytes::ALL,
            after: Bytes::ALL,
            ahead: None,
            by_line,
            by_word: look == Some(Look::WordUnicode),
            places: edges::places(&hir, inside),
            inside,
        };
        if let Some((part, offset)) = place {
            shape.narrow(&parts, part, offset, anchors);
        }
        if let Some((before, after)) = neighbours::of_first(&shape.steps, anchors) {
            (shape.before, shape.after) = (before, after);
            shape.come_closer(&hir, anchors);
        } else if let Some(behind) = behind_anchors(&hir, place, anchors, most) {
            let is_told = behind.ahead.iter().take(2).any(|one| *one != Bytes::ALL);
            shape.ahead = is_told.then(|| Box::new(behind.ahead));
        }
        Some(shape)
    }

    /// Uses that a match is found from the first of its anchors, all of one byte: that stands only at
    /// some places of a match, and not before anything.
    fn come_closer(&mut self, hir: &Hir, anchors: &[String]) {
        let bytes = anchors.iter().flat_map(|anchor| anchor.bytes());
        let wanted: Bytes = bytes
            .flat_map(|byte| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()])
            .collect();
        let Some(firsts) = Firsts::of(hir, wanted) else {
            return;
        };
        self.ahead = Some(Box::new(firsts.ahead));
        if let (Origin::Back { .. }, Some(places)) = (&self.origin, firsts.places) {
            self.origin = Origin::Among(places);
        }
    }

    /// Uses that every match holds an anchor in one of its parts.
    fn narrow(&mut self, parts: &[&Hir], part: usize, offset: usize, anchors: &[String]) {
        let (head, tail) = parts.split_at(part);
        let longest: Option<usize> = head
            .iter()
            .map(|part| part.properties().maximum_len())
            .sum::<Option<usize>>();
        let one_char = offset == 0 && is_one_char(head);
        self.origin = match longest {
            Some(0) if offset == 0 => Origin::Anchor,
            _ if one_char => Origin::Lead,
            _ => {
                let Origin::Back { most, .. } = self.origin else {
                    return;
                };
                let longest = longest.map_or(usize::MAX, |longest| longest + offset);
                let lead = head.split_first();
                let lead = lead.filter(|(first, _)| is_one_char(&[first]));
                let body = lead.map_or(head, |(_, body)| body);
                let mut inside = Bytes::NONE;
                body.iter().for_each(|part| inside.unite(&edges::all(part)));
                if let Some(HirKind::Literal(literal)) = tail.first().map(|part| part.kind()) {
                    literal
                        .0
                        .iter()
                        .take(offset)
                        .for_each(|b| inside.insert(*b));
                }
                let shortest = head
                    .iter()
                    .map(|part| part.properties().minimum_len())
                    .sum::<Option<usize>>();
                Origin::Back {
                    through: inside,
                    lead: lead.is_some(),
                    least: shortest.unwrap_or(0) + offset,
                    most: longest.min(most),
                }
            }
        };
        if let Origin::Back { least, most, .. } = self.origin
            && least == most
            && let Some(place) = 1_u32.checked_shl(most as u32)
        {
            self.origin = Origin::Among(Places {
                ascii: place,
                any: place,
            });
        }
        self.before = self.before_anchor(head, tail, offset, anchors);
        self.after = after_anchor(tail, offset, anchors);
    }

    fn before_anchor(
        &self,
        head: &[&Hir],
        tail: &[&Hir],
        offset: usize,
        anchors: &[String],
    ) -> Bytes {
        if let (Some(HirKind::Literal(literal)), Some(before)) =
            (tail.first().map(|part| part.kind()), offset.checked_sub(1))
        {
            return literal.0.get(before).copied().into_iter().collect();
        }
        let mut bytes = Bytes::NONE;
        for next in anchors.iter().filter_map(|anchor| anchor.bytes().next()) {
            bytes.unite(&edges::last(head, next).known());
        }
        bytes
    }
}

/// The parts of an expression that follow each other, groups opened.
fn flatten<'h>(hir: &'h Hir, parts: &mut Vec<&'h Hir>) {
    match hir.kind() {
        HirKind::Concat(subs) => subs.iter().for_each(|sub| flatten(sub, parts)),
        HirKind::Capture(capture) => flatten(&capture.sub, parts),
        _ => parts.push(hir),
    }
}

/// The first part that begins with an anchor whatever way it is read, or the literal that has one
/// inside; and where in it the anchor stands.
fn place_of_anchor(parts: &[&Hir], anchors: &[String]) -> Option<(usize, usize)> {
    if anchors.is_empty() {
        return None;
    }
    let begins = |bytes: &[u8]| {
        anchors.iter().any(|anchor| {
            bytes
                .get(..anchor.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(anchor.as_bytes()))
        })
    };
    let beginnings: Bytes = anchors
        .iter()
        .filter_map(|anchor| anchor.bytes().next())
        .flat_map(|byte| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()])
        .collect();
    for (index, part) in parts.iter().enumerate() {
        if let HirKind::Literal(literal) = part.kind()
            && let Some(offset) =
                (0..literal.0.len()).find(|offset| literal.0.get(*offset..).is_some_and(begins))
        {
            return Some((index, offset));
        }
        let following = parts.get(index..).unwrap_or_default();
        let first = edges::first(following).known();
        if matches!(part.kind(), HirKind::Look(_)) || !first.is_within(&beginnings) {
            continue;
        }
        let rest = Hir::concat(
            parts
                .iter()
                .skip(index)
                .take(3)
                .map(|part| (*part).clone())
                .collect(),
        );
        let literals = Extractor::new().extract(&rest);
        let all = literals
            .literals()
            .is_some_and(|all| !all.is_empty() && all.iter().all(|one| begins(one.as_bytes())));
        if all {
            return Some((index, 0));
        }
    }
    None
}

/// Whether parts in a row are at most one character.
fn is_one_char(parts: &[&Hir]) -> bool {
    let chars = |hir: &&Hir| match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(0),
        HirKind::Class(_) => Some(1),
        HirKind::Alternation(ways) => ways
            .iter()
            .all(|way| {
                matches!(
                    way.kind(),
                    HirKind::Empty | HirKind::Look(_) | HirKind::Class(_)
                )
            })
            .then_some(1),
        _ => None,
    };
    parts
        .iter()
        .map(chars)
        .sum::<Option<usize>>()
        .is_some_and(|sum| sum <= 1)
}

/// The bytes that may follow an anchor which stands in the first of `tail`.
fn after_anchor(tail: &[&Hir], offset: usize, anchors: &[String]) -> Bytes {
    let Some((part, rest)) = tail.split_first() else {
        return Bytes::ALL;
    };
    let HirKind::Literal(literal) = part.kind() else {
        return Bytes::ALL;
    };
    let mut bytes = Bytes::NONE;
    let from = literal.0.get(offset..).unwrap_or_default();
    for anchor in anchors {
        match from.get(..anchor.len()) {
            Some(head) if head.eq_ignore_ascii_case(anchor.as_bytes()) => {}
            Some(_) => continue,
            // The anchor goes on in the next part.
            None => return Bytes::ALL,
        }
        match from.get(anchor.len()) {
            Some(next) => bytes.insert(*next),
            None => bytes.unite(&edges::first(rest).known()),
        }
    }
    bytes
}
