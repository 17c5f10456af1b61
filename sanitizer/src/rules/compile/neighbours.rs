//! What stands right before and after the first occurrence of an anchor of one byte in a match,
//! read off the steps of the matcher.

use super::super::shape::{Bytes, Set, Step};
use super::program::first;

/// The bytes that may stand before and after the first of these bytes in a match; nothing where
/// another anchor is longer.
pub(super) fn of_first(steps: &[Step], anchors: &[String]) -> Option<(Bytes, Bytes)> {
    let mut wanted = Bytes::NONE;
    for anchor in anchors {
        let [byte] = anchor.as_bytes() else {
            return None;
        };
        wanted.insert(byte.to_ascii_lowercase());
        wanted.insert(byte.to_ascii_uppercase());
    }
    let mut walk = Walk {
        steps,
        wanted,
        before: Bytes::NONE,
        after: Bytes::NONE,
    };
    let mut seen = vec![Bytes::NONE; steps.len()];
    let mut open = vec![(0, Bytes::ALL)];
    while let Some((step, last)) = open.pop() {
        let place = seen.get_mut(step)?;
        if last.is_within(place) && *place != Bytes::NONE {
            continue;
        }
        place.unite(&last);
        walk.visit(step, last, &mut open);
    }
    (walk.after != Bytes::NONE).then_some((walk.before, walk.after))
}

struct Walk<'s> {
    steps: &'s [Step],
    wanted: Bytes,
    before: Bytes,
    after: Bytes,
}

impl Walk<'_> {
    /// Goes on from a step that is reached behind one of the bytes `last`, none of them wanted.
    fn visit(&mut self, step: usize, last: Bytes, open: &mut Vec<(usize, Bytes)>) {
        match self.steps.get(step) {
            Some(Step::Literal(literal)) => self.literal(step, literal, last, open),
            Some(Step::One(set)) => {
                self.meet(set.bytes, last, step + 1);
                self.pass(set.bytes, step + 1, open);
            }
            Some(Step::Word(sets)) => self.word(step, sets, last, open),
            Some(Step::Run { set, min, max, .. } | Step::Lazy { set, min, max, .. }) => {
                let mut before = last;
                if *max > 1 {
                    before.unite(&set.bytes);
                    self.meet(set.bytes, before, step);
                }
                self.meet(set.bytes, before, step + 1);
                self.pass(set.bytes, step + 1, open);
                if *min == 0 {
                    open.push((step + 1, last));
                }
            }
            Some(Step::Split(ways, _)) => open.extend(ways.map(|way| (way, last))),
            Some(Step::Jump(to)) => open.push((*to, last)),
            Some(Step::Mark(_) | Step::Place(_)) => open.push((step + 1, last)),
            Some(Step::Done) | None => {}
        }
    }

    fn literal(
        &mut self,
        step: usize,
        literal: &[u8],
        last: Bytes,
        open: &mut Vec<(usize, Bytes)>,
    ) {
        let mut before = last;
        for (index, byte) in literal.iter().enumerate() {
            if self.wanted.contains(*byte) {
                self.before.unite(&before);
                match literal.get(index + 1) {
                    Some(next) => self.after.insert(*next),
                    None => self.after.unite(&first(self.steps, step + 1)),
                }
                return;
            }
            before = [*byte].into_iter().collect();
        }
        open.push((step + 1, before));
    }

    fn word(
        &mut self,
        step: usize,
        sets: &[&Set],
        mut last: Bytes,
        open: &mut Vec<(usize, Bytes)>,
    ) {
        for (index, set) in sets.iter().enumerate() {
            if !set.bytes.is_disjoint(&self.wanted) {
                self.before.unite(&last);
                match sets.get(index + 1) {
                    Some(next) => self.after.unite(&next.bytes),
                    None => self.after.unite(&first(self.steps, step + 1)),
                }
            }
            last = set.bytes.without(&self.wanted);
            if last == Bytes::NONE {
                return;
            }
        }
        open.push((step + 1, last));
    }

    /// Notes the neighbours of a wanted byte that may be one of `bytes`.
    fn meet(&mut self, bytes: Bytes, before: Bytes, next: usize) {
        if !bytes.is_disjoint(&self.wanted) {
            self.before.unite(&before);
            self.after.unite(&first(self.steps, next));
        }
    }

    /// Goes on behind a byte that is none of the wanted.
    fn pass(&self, bytes: Bytes, next: usize, open: &mut Vec<(usize, Bytes)>) {
        let others = bytes.without(&self.wanted);
        if others != Bytes::NONE {
            open.push((next, others));
        }
    }
}
