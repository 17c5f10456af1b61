//! Runs a program from one place of a text: the first way that leads to its end, as in the notation
//! of expressions. What takes too many steps is given up, never guessed.

use std::ops::Range;

use super::set::{Bytes, Set};
use super::step::{Place, Step};

/// Steps after which a search is given up; a linear-time engine takes over.
const MAX_STEPS: usize = 20_000;

/// Characters of a run that count as one step.
const STRIDE: usize = 16;

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The whole match, and the part to be replaced.
    Found {
        whole: Range<usize>,
        secret: Range<usize>,
    },
    Nothing,
    /// Too many steps.
    GivenUp,
}

/// A place to come back to.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// The other way of a split.
    Way { step: usize, at: usize },
    /// A run that may end anywhere between `low` and `at`.
    Back { step: usize, low: usize, at: usize },
    /// A lazy run that may take `left` more.
    More { step: usize, at: usize, left: u32 },
    /// A mark as it was.
    Mark { end: bool, at: usize },
}

/// The places to come back to, kept from search to search, and the steps taken.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    places: Vec<Turn>,
    /// All steps since the text began.
    pub(crate) spent: usize,
    /// Where `spent` has to stop.
    limit: usize,
    /// Where the last search came to in the text.
    reached: usize,
    /// What was read of the text since that was asked last.
    read: Range<usize>,
}

impl Turns {
    /// Grants the steps of one search.
    pub(super) fn grant(&mut self) {
        self.limit = self.spent + MAX_STEPS;
    }

    /// Begins to note what is read of the text around a place.
    pub(crate) fn note(&mut self, place: Range<usize>) {
        self.read = place;
    }

    /// What has been read since, but for the characters beside it.
    pub(crate) fn read(&self) -> &Range<usize> {
        &self.read
    }

    /// Notes that the text was read from here on.
    pub(super) fn read_from(&mut self, start: usize) {
        self.read.start = self.read.start.min(start);
    }

    /// Notes that the text was read so far behind the place that the last search came to.
    pub(super) fn read_to(&mut self, behind: usize) {
        self.read.end = self.read.end.max(self.reached + behind);
    }

    /// Counts bytes that were looked at one by one.
    pub(super) fn count_bytes(&mut self, bytes: usize) {
        self.spent += bytes / STRIDE;
    }
}

/// A text, the steps and what is known so far.
struct Search<'s> {
    steps: &'s [Step],
    text: &'s str,
    turns: &'s mut Vec<Turn>,
    spent: usize,
    /// The furthest place.
    reached: usize,
    secret: [usize; 2],
}

/// Runs the steps from `start`.
pub(super) fn run(steps: &[Step], text: &str, start: usize, turns: &mut Turns) -> Outcome {
    turns.places.clear();
    let mut search = Search {
        steps,
        text,
        turns: &mut turns.places,
        spent: turns.spent,
        reached: start,
        secret: [usize::MAX; 2],
    };
    let outcome = search.run(start, turns.limit);
    turns.spent = search.spent;
    turns.reached = search.reached;
    outcome
}

impl Search<'_> {
    fn run(&mut self, start: usize, limit: usize) -> Outcome {
        let (mut step, mut at) = (0, start);
        while self.spent < limit {
            self.spent += 1;
            match self.advance(step, at) {
                Some((usize::MAX, end)) => {
                    let whole = start..end;
                    let [from, to] = self.secret;
                    let marked = from != usize::MAX && to != usize::MAX;
                    let secret = if marked { from..to } else { whole.clone() };
                    return Outcome::Found { whole, secret };
                }
                Some(next) => {
                    (step, at) = next;
                    self.reached = self.reached.max(at);
                }
                None => match self.turn_back() {
                    Some(next) => (step, at) = next,
                    None => return Outcome::Nothing,
                },
            }
        }
        Outcome::GivenUp
    }

    /// Takes one step; nothing where it leads nowhere. The step past the end has the greatest number.
    #[inline]
    fn advance(&mut self, step: usize, at: usize) -> Option<(usize, usize)> {
        let steps = self.steps;
        match steps.get(step)? {
            Step::Literal(literal) => {
                let rest = self.text.as_bytes().get(at..)?;
                rest.starts_with(literal)
                    .then(|| (step + 1, at + literal.len()))
            }
            Step::One(set) => set.step(self.text, at).map(|next| (step + 1, next)),
            Step::Word(sets) => {
                let mut sets = sets.iter();
                let end = sets.try_fold(at, |at, set| set.step(self.text, at));
                end.map(|end| (step + 1, end))
            }
            Step::Run {
                set,
                min,
                max,
                settled,
                ..
            } => {
                let (low, end) = self.run_of(set, at, [*min, *max])?;
                if !settled && end > low {
                    self.turns.push(Turn::Back { step, low, at: end });
                }
                Some((step + 1, end))
            }
            Step::Lazy { set, min, max, .. } => {
                let (_, at) = self.run_of(set, at, [*min, *min])?;
                let left = max - min;
                self.turns.push(Turn::More { step, at, left });
                Some((step + 1, at))
            }
            Step::Split(ways, begin) => self.choose(*ways, begin, at),
            Step::Jump(to) => Some((*to, at)),
            Step::Mark(end) => {
                self.mark(*end, at);
                Some((step + 1, at))
            }
            Step::Place(place) => holds(*place, self.text, at).then_some((step + 1, at)),
            Step::Done => Some((usize::MAX, at)),
        }
    }

    /// Goes the first way that the next byte allows, and notes the other where it allows both. An alternation
    /// of many ways is a split behind the other, most of which the byte passes over.
    #[inline]
    fn choose(
        &mut self,
        ways: [usize; 2],
        begin: &[&Bytes; 2],
        at: usize,
    ) -> Option<(usize, usize)> {
        let (mut ways, mut begin) = (ways, begin);
        let Some(&byte) = self.text.as_bytes().get(at) else {
            let [first, second] = ways;
            self.turns.push(Turn::Way { step: second, at });
            return Some((first, at));
        };
        let steps = self.steps;
        loop {
            let ([first, second], [one, two]) = (ways, begin);
            match (one.contains(byte), two.contains(byte)) {
                (true, both) => {
                    if both {
                        self.turns.push(Turn::Way { step: second, at });
                    }
                    return Some((first, at));
                }
                (false, true) => match steps.get(second) {
                    Some(Step::Split(further, next)) => {
                        self.spent += 1;
                        (ways, begin) = (*further, next);
                    }
                    _ => return Some((second, at)),
                },
                (false, false) => return None,
            }
        }
    }

    /// Takes at most `max` members; where the fewest end that will do, and where all do.
    #[inline]
    fn run_of(&mut self, set: &Set, at: usize, [min, max]: [u32; 2]) -> Option<(usize, usize)> {
        let rest = self.text.as_bytes().get(at..)?;
        let rest = rest.get(..max as usize).unwrap_or(rest);
        let other = |byte: &u8| !set.bytes.contains_ascii(*byte);
        let ascii = rest.iter().position(other).unwrap_or(rest.len());
        let (mut count, mut end) = (ascii as u32, at + ascii);
        let mut low = if count >= min { at + min as usize } else { at };
        while count < max
            && let Some(next) = set.step(self.text, end)
        {
            end = next;
            count += 1;
            if count == min {
                low = end;
            }
        }
        self.spent += (end - at) / STRIDE;
        self.reached = self.reached.max(end);
        (count >= min).then_some((low, end))
    }

    fn mark(&mut self, end: bool, at: usize) {
        if let Some(place) = self.secret.get_mut(usize::from(end)) {
            if !self.turns.is_empty() {
                self.turns.push(Turn::Mark { end, at: *place });
            }
            *place = at;
        }
    }

    fn turn_back(&mut self) -> Option<(usize, usize)> {
        loop {
            match self.turns.pop()? {
                Turn::Way { step, at } => return Some((step, at)),
                Turn::Back { step, low, at } => {
                    let Some(Step::Run { next, .. }) = self.steps.get(step) else {
                        continue;
                    };
                    let Some(at) = self.fewer(next, low, at) else {
                        continue;
                    };
                    if at > low {
                        self.turns.push(Turn::Back { step, low, at });
                    }
                    return Some((step + 1, at));
                }
                Turn::More { step, at, left } => {
                    let Some(Step::Lazy { set, next, .. }) = self.steps.get(step) else {
                        continue;
                    };
                    let Some((at, left)) = self.more(set, next, (at, left)) else {
                        continue;
                    };
                    self.turns.push(Turn::More { step, at, left });
                    return Some((step + 1, at));
                }
                Turn::Mark { end, at } => {
                    if let Some(place) = self.secret.get_mut(usize::from(end)) {
                        *place = at;
                    }
                }
            }
        }
    }
}

impl Search<'_> {
    /// Gives back characters of a run that ends at `at`, to where one of `next` follows.
    fn fewer(&mut self, next: &Bytes, low: usize, at: usize) -> Option<usize> {
        let run = self.text.as_bytes().get(low..at)?;
        let kept = run.iter().rposition(|byte| next.contains(*byte))?;
        self.spent += (run.len() - kept) / STRIDE;
        let at = self.text.floor_char_boundary(low + kept);
        (at >= low).then_some(at)
    }

    /// Takes at least one and at most `left` characters more, to where `next` may follow or the text
    /// ends; returns where, and how many may still be taken.
    fn more(
        &mut self,
        set: &Set,
        [first, second]: &[&Bytes; 2],
        (from, left): (usize, u32),
    ) -> Option<(usize, u32)> {
        let mut at = from;
        let bytes = self.text.as_bytes();
        let may_be =
            |at: usize, next: &Bytes| bytes.get(at).is_none_or(|byte| next.contains(*byte));
        for left in (0..left).rev() {
            let Some(next) = set.step(self.text, at) else {
                break;
            };
            at = next;
            if may_be(at, first) && may_be(at + 1, second) {
                self.spent += (at - from) / STRIDE;
                self.reached = self.reached.max(at);
                return Some((at, left));
            }
        }
        self.reached = self.reached.max(at);
        None
    }
}

/// Whether a condition holds of the place before the byte at `at`.
fn holds(place: Place, text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    match place {
        Place::TextStart => at == 0,
        Place::TextEnd => at == text.len(),
        Place::LineStart => before.is_none_or(|byte| *byte == b'\n'),
        Place::LineEnd => bytes.get(at).is_none_or(|byte| *byte == b'\n'),
        Place::WordEdge => word_before(text, at) != word_after(text, at),
        Place::NoWordEdge => word_before(text, at) == word_after(text, at),
    }
}

fn word_before(text: &str, at: usize) -> bool {
    match at.checked_sub(1).and_then(|at| text.as_bytes().get(at)) {
        None => false,
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric() || *byte == b'_',
        Some(_) => text
            .get(..at)
            .and_then(|before| before.chars().next_back())
            .is_some_and(regex_syntax::is_word_character),
    }
}

fn word_after(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None => false,
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric() || *byte == b'_',
        Some(_) => text
            .get(at..)
            .and_then(|after| after.chars().next())
            .is_some_and(regex_syntax::is_word_character),
    }
}
