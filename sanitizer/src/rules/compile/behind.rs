//! What may stand behind an anchor of several bytes in a match, byte by byte: reasons not to try a rule
//! where its anchor stands.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::super::shape::{AHEAD, Bytes};

/// The place behind those that are told.
const PAST: u32 = 1 << AHEAD;

/// A class that is repeated more often than this is a gap: anchors in it do not count.
const GAP: u32 = 3;

/// Letters that case folding equates with ASCII ones and that nobody writes in anchors: the long s and the
/// Kelvin sign.
const OUTLANDISH: [char; 2] = ['ſ', '\u{212a}'];

/// Largest class whose characters beyond ASCII are told apart.
const FEW: u32 = 64;

/// What may stand behind the anchors of an expression.
#[derive(Debug)]
pub(crate) struct Behind {
    /// Place by place, behind any of them.
    pub(crate) ahead: [Bytes; AHEAD],
    /// Right behind each of them.
    pub(crate) next: Vec<Bytes>,
}

/// What may stand behind the first anchors of a match that are in no gap. Nothing where a match may have none
/// of them within `most` bytes from its beginning but be found from another place.
pub(super) fn of_first(hir: &Hir, anchors: &[String], most: usize) -> Option<Behind> {
    Walk::over(&[hir], anchors, most, true)
}

/// What may stand behind an anchor with which these parts begin whatever way they are read.
pub(super) fn of_beginning(parts: &[&Hir], anchors: &[String]) -> Option<Behind> {
    Walk::over(parts, anchors, usize::MAX, false)
}

/// The anchors as a tree of bytes, ASCII in lower case; the root is the first node.
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    next: BTreeMap<u8, usize>,
    depth: usize,
    /// The node of the longest end of what leads here that begins an anchor too.
    other: usize,
    /// The anchors that end here.
    anchors: Vec<usize>,
}

impl Tree {
    /// Makes the tree; anchors that end in others count too where those may begin anywhere.
    fn new(anchors: &[String], anywhere: bool) -> Self {
        let mut tree = Self {
            nodes: vec![Node::default()],
        };
        for (number, anchor) in anchors.iter().enumerate() {
            let mut at = 0;
            for byte in anchor.bytes() {
                at = tree.child(at, byte.to_ascii_lowercase());
            }
            tree.nodes[at].anchors.push(number);
        }
        // Nodes nearer to the root come first.
        let mut open = VecDeque::from([0]);
        while let Some(at) = open.pop_front() {
            for (byte, child) in tree.nodes[at].next.clone() {
                let other = match at {
                    0 => 0,
                    _ => tree.step(tree.nodes[at].other, byte),
                };
                tree.nodes[child].other = other;
                if anywhere {
                    let shorter = tree.nodes[other].anchors.clone();
                    tree.nodes[child].anchors.extend(shorter);
                }
                open.push_back(child);
            }
        }
        tree
    }

    fn child(&mut self, at: usize, byte: u8) -> usize {
        let count = self.nodes.len();
        let depth = self.nodes[at].depth + 1;
        let child = *self.nodes[at].next.entry(byte).or_insert(count);
        if child == count {
            self.nodes.push(Node {
                depth,
                ..Node::default()
            });
        }
        child
    }

    /// The node behind a byte, wherever anchors may begin.
    fn step(&self, mut at: usize, byte: u8) -> usize {
        loop {
            match self.nodes[at].next.get(&byte) {
                Some(next) => return *next,
                None if at == 0 => return 0,
                None => at = self.nodes[at].other,
            }
        }
    }
}

/// Where a part of an expression may begin or end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Ends {
    /// No anchor has come: the node that was reached, and how far from the beginning that is.
    before: BTreeMap<usize, Length>,
    /// Counted from behind the anchor, as bits.
    after: u32,
    /// The anchors that have just ended.
    ended: BTreeSet<usize>,
}

/// How many bytes stand before a place in a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Length {
    least: usize,
    most: usize,
    /// The same of the first anchor that may begin or end in a gap.
    hidden: usize,
}

impl Length {
    fn and(self, least: usize, most: usize) -> Self {
        Self {
            least: self.least.saturating_add(least),
            most: self.most.saturating_add(most),
            ..self
        }
    }
}

impl Ends {
    fn add(&mut self, node: usize, length: Length) {
        let known = self.before.entry(node).or_insert(length);
        known.least = known.least.min(length.least);
        known.most = known.most.max(length.most);
        known.hidden = known.hidden.min(length.hidden);
    }

    fn unite(&mut self, other: &Self) {
        other
            .before
            .iter()
            .for_each(|(node, length)| self.add(*node, *length));
        self.after |= other.after;
        self.ended.extend(&other.ended);
    }
}

struct Walk {
    tree: Tree,
    /// Anchors may begin anywhere, not only where the walk does.
    anywhere: bool,
    /// How far from the beginning of a match an anchor may begin that it is found from.
    most: usize,
    /// An anchor may be missing.
    is_lost: bool,
    behind: Behind,
    /// The lengths of the anchors.
    lengths: Vec<usize>,
}

impl Walk {
    fn over(parts: &[&Hir], anchors: &[String], most: usize, anywhere: bool) -> Option<Behind> {
        let mut walk = Self {
            tree: Tree::new(anchors, anywhere),
            anywhere,
            most,
            is_lost: false,
            behind: Behind {
                ahead: [Bytes::NONE; AHEAD],
                next: vec![Bytes::NONE; anchors.len()],
            },
            lengths: anchors.iter().map(String::len).collect(),
        };
        let mut ends = Ends::default();
        let start = Length {
            least: 0,
            most: 0,
            hidden: usize::MAX,
        };
        ends.add(0, start);
        for part in parts {
            ends = walk.part(part, ends);
        }
        let shortest = ends.after.trailing_zeros() as usize;
        let Behind { ahead, next } = &mut walk.behind;
        ahead
            .iter_mut()
            .skip(shortest)
            .for_each(|behind| *behind = Bytes::ALL);
        for ended in ends.ended {
            next[ended] = Bytes::ALL;
        }
        let holds = ends.before.is_empty() && !walk.is_lost;
        holds.then_some(walk.behind)
    }

    /// Goes over an expression that begins at any of `begins`; returns where it ends.
    fn part(&mut self, hir: &Hir, begins: Ends) -> Ends {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => begins,
            HirKind::Literal(literal) => literal
                .0
                .iter()
                .fold(begins, |begins, byte| self.step(&one(*byte), &begins)),
            HirKind::Class(class) => self.character(class, &begins),
            HirKind::Repetition(repetition) => self.repeat(repetition, begins),
            HirKind::Capture(capture) => self.part(&capture.sub, begins),
            HirKind::Concat(parts) => parts
                .iter()
                .fold(begins, |begins, part| self.part(part, begins)),
            HirKind::Alternation(ways) => {
                let mut ends = Ends::default();
                for way in ways {
                    ends.unite(&self.part(way, begins.clone()));
                }
                ends
            }
        }
    }

    fn repeat(&mut self, repetition: &Repetition, begins: Ends) -> Ends {
        let mut ends = begins;
        let most = repetition.max.unwrap_or(u32::MAX);
        if let HirKind::Class(class) = repetition.sub.kind()
            && most > GAP
        {
            return self.gap(class, [repetition.min, most], &ends);
        }
        for time in 0..most {
            let before = ends.clone();
            let mut more = self.part(&repetition.sub, before.clone());
            if time >= repetition.min {
                if repetition.max.is_none() {
                    more.before
                        .values_mut()
                        .for_each(|length| length.most = usize::MAX);
                }
                more.unite(&before);
            }
            ends = more;
            if ends == before {
                break;
            }
        }
        ends
    }

    /// Passes a gap: what may end in it begins no anchor.
    fn gap(&mut self, class: &Class, [min, max]: [u32; 2], begins: &Ends) -> Ends {
        let mut ends = Ends::default();
        if min == 0 {
            ends.unite(begins);
        }
        self.ended(&bytes_of(class), begins);
        let bytes = bytes_of(class);
        let longest = match max {
            u32::MAX => usize::MAX,
            max => max as usize,
        };
        self.pass_gap(begins, (min.max(1) as usize, longest), &mut ends);
        // What stands behind an anchor, character by character.
        let mut after = begins.after;
        for time in 0..max {
            let before = after;
            let more = self.behind_character(&bytes, after);
            after = if time < min { more } else { before | more };
            if after == before {
                break;
            }
        }
        ends.after |= after;
        ends
    }

    /// Notes a character behind the anchor.
    fn behind_character(&mut self, bytes: &Bytes, after: u32) -> u32 {
        let mut ends = self.behind(bytes, after);
        if !bytes.is_within(&Bytes::ASCII) {
            let mut inner = ends;
            for _ in 1..char::MAX.len_utf8() {
                inner = self.behind(&Bytes::INNER, inner);
                ends |= inner;
            }
        }
        ends
    }

    /// Notes a byte behind the anchor. Past the last place nothing is told apart.
    fn behind(&mut self, bytes: &Bytes, after: u32) -> u32 {
        for (place, behind) in self.behind.ahead.iter_mut().enumerate() {
            if after >> place & 1 == 1 {
                behind.unite(bytes);
            }
        }
        ((after << 1) & (PAST | (PAST - 1))) | (after & PAST)
    }

    /// Goes over one character.
    fn character(&mut self, class: &Class, begins: &Ends) -> Ends {
        let Class::Unicode(unicode) = class else {
            return self.gap(class, [1, 1], begins);
        };
        let wide = unicode
            .ranges()
            .iter()
            .filter(|range| !range.end().is_ascii());
        let count: u32 = wide
            .clone()
            .map(|range| range.end() as u32 - (range.start() as u32).max(0x80) + 1)
            .sum();
        if count > FEW {
            return self.many(class, begins);
        }
        let mut ascii = Bytes::NONE;
        let mut ends = Ends::default();
        for range in unicode.ranges() {
            for c in range.start()..=range.end() {
                match c.is_ascii() {
                    true => ascii.insert(c as u8),
                    false if OUTLANDISH.contains(&c) => {}
                    false => {
                        let bytes = c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
                        let end = bytes.iter().fold(begins.clone(), |begins, byte| {
                            self.step(&one(*byte), &begins)
                        });
                        ends.unite(&end);
                    }
                }
            }
        }
        if ascii != Bytes::NONE {
            ends.unite(&self.step(&ascii, begins));
        }
        ends
    }

    /// Goes over a character of a large class: those beyond ASCII end no anchor.
    fn many(&mut self, class: &Class, begins: &Ends) -> Ends {
        let bytes = bytes_of(class);
        self.ended(&bytes, begins);
        let mut ends = Ends {
            after: self.behind_character(&bytes, begins.after),
            ..Ends::default()
        };
        let ascii = bytes.without(&Bytes::ALL.without(&Bytes::ASCII));
        let plain = Ends {
            before: begins.before.clone(),
            ..Ends::default()
        };
        if ascii != Bytes::NONE {
            ends.unite(&self.step(&ascii, &plain));
        }
        self.pass_gap(begins, (1, 1), &mut ends);
        ends
    }

    /// Goes on behind a gap of so many characters, which are counted as one byte each.
    fn pass_gap(&mut self, begins: &Ends, (least, most): (usize, usize), ends: &mut Ends) {
        for (node, length) in &begins.before {
            let mut length = length.and(least, most);
            let begun = length.least - least - self.tree.nodes[*node].depth;
            length.hidden = length.hidden.min(begun);
            match self.anywhere {
                true => self.go_on(0, length, ends),
                false => self.is_lost = true,
            }
        }
    }

    /// Goes on without an anchor, unless any that could come begins too far from the beginning.
    fn go_on(&self, node: usize, length: Length, ends: &mut Ends) {
        let begun = length.least - self.tree.nodes[node].depth;
        if begun.min(length.hidden) <= self.most {
            ends.add(node, length);
        }
    }

    /// Notes what may stand right behind the anchors that have just ended.
    fn ended(&mut self, bytes: &Bytes, begins: &Ends) {
        for ended in &begins.ended {
            self.behind.next[*ended].unite(bytes);
        }
    }

    /// Goes over one byte.
    fn step(&mut self, bytes: &Bytes, begins: &Ends) -> Ends {
        self.ended(bytes, begins);
        let mut ends = Ends {
            after: self.behind(bytes, begins.after),
            ..Ends::default()
        };
        for (node, length) in &begins.before {
            for byte in (0..=u8::MAX).filter(|byte| bytes.contains(*byte)) {
                let byte = byte.to_ascii_lowercase();
                let next = match self.anywhere {
                    true => Some(self.tree.step(*node, byte)),
                    false => self.tree.nodes[*node].next.get(&byte).copied(),
                };
                match next {
                    None => self.is_lost = true,
                    Some(next) => self.come_to(next, length.and(1, 1), &mut ends),
                }
            }
        }
        ends
    }

    /// Notes the anchors that end at a node; goes on where none of them may be near enough.
    fn come_to(&mut self, node: usize, length: Length, ends: &mut Ends) {
        let anchors = &self.tree.nodes[node].anchors;
        let is_near = |anchor: &usize| length.most - self.lengths[*anchor] <= self.most;
        let is_found = anchors.iter().any(is_near);
        if !anchors.is_empty() {
            ends.after |= 1;
            ends.ended.extend(anchors);
        }
        if !is_found {
            self.go_on(node, length, ends);
        }
    }
}

/// A set of one byte.
fn one(byte: u8) -> Bytes {
    [byte].into_iter().collect()
}

fn bytes_of(class: &Class) -> Bytes {
    match class {
        Class::Unicode(class) => Bytes::of(class),
        Class::Bytes(_) => Bytes::ALL,
    }
}
