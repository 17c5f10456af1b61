//! Intervals of versions and the sets that they make.

use std::cmp::Ordering;

use crate::scheme::{Position, Scheme, Version};

/// Where an interval starts or ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) version: Version,
    /// Whether the version itself belongs to the interval.
    pub(crate) inclusive: bool,
}

/// Versions between two bounds; without a bound, it is open to that side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) low: Option<Bound>,
    pub(crate) high: Option<Bound>,
}

impl Bound {
    pub(crate) fn including(version: Version) -> Self {
        Self {
            version,
            inclusive: true,
        }
    }

    pub(crate) fn excluding(version: Version) -> Self {
        Self {
            version,
            inclusive: false,
        }
    }
}

impl Interval {
    pub(crate) const ALL: Self = Self {
        low: None,
        high: None,
    };

    /// Returns the interval between two bounds; `None` if nothing is between them.
    pub(crate) fn between(low: Option<Bound>, high: Option<Bound>) -> Option<Self> {
        let empty = match (&low, &high) {
            (Some(low), Some(high)) => match low.version.cmp_in_scheme(&high.version) {
                Ordering::Less => false,
                Ordering::Equal => !(low.inclusive && high.inclusive),
                Ordering::Greater => true,
            },
            _ => false,
        };
        (!empty).then_some(Self { low, high })
    }

    pub(crate) fn exactly(version: Version) -> Self {
        Self {
            low: Some(Bound::including(version.clone())),
            high: Some(Bound::including(version)),
        }
    }

    pub(crate) fn below(version: Version) -> Self {
        Self {
            low: None,
            high: Some(Bound::excluding(version)),
        }
    }

    pub(crate) fn above(version: Version) -> Self {
        Self {
            low: Some(Bound::excluding(version)),
            high: None,
        }
    }

    pub(crate) fn from(version: Version) -> Self {
        Self {
            low: Some(Bound::including(version)),
            high: None,
        }
    }

    /// The versions that start with the numbers of a prefix.
    pub(crate) fn starting_with(scheme: Scheme, prefix: &str) -> Option<Self> {
        let low = Version::parse(scheme, prefix)?;
        let mut numbers = low.numbers();
        let last = numbers.last_mut()?;
        *last = last.checked_add(1)?;
        let high = Version::parse(scheme, &joined(&numbers))?;
        Self::between(Some(Bound::including(low)), Some(Bound::excluding(high)))
    }

    pub(crate) fn contains(&self, version: &Version) -> bool {
        let above = self
            .low
            .as_ref()
            .is_none_or(|low| match version.position(&low.version) {
                Position::Below => false,
                // `1.0rc1` is no exact `1.0`, but it is among the versions since 1.0.
                Position::PreRelease => low.inclusive && self.exact().is_none(),
                Position::At => low.inclusive,
                Position::Above => true,
            });
        above
            && self
                .high
                .as_ref()
                .is_none_or(|high| match version.position(&high.version) {
                    Position::Below => true,
                    Position::PreRelease | Position::At => high.inclusive,
                    Position::Above => false,
                })
    }

    pub(crate) fn intersection(&self, other: &Self) -> Option<Self> {
        let low = match (&self.low, &other.low) {
            (Some(left), Some(right)) if is_later_start(right, left) => Some(right),
            (Some(left), _) => Some(left),
            (None, right) => right.as_ref(),
        };
        let high = match (&self.high, &other.high) {
            (Some(left), Some(right)) if is_later_end(left, right) => Some(right),
            (Some(left), _) => Some(left),
            (None, right) => right.as_ref(),
        };
        Self::between(low.cloned(), high.cloned())
    }

    pub(super) fn map_versions(&self, scheme: Scheme, text: impl Fn(&str) -> &str) -> Option<Self> {
        let read = |bound: &Option<Bound>| match bound {
            None => Some(None),
            Some(bound) => {
                let version = Version::parse(scheme, text(bound.version.text()))?;
                Some(Some(Bound {
                    version,
                    inclusive: bound.inclusive,
                }))
            }
        };
        Self::between(read(&self.low)?, read(&self.high)?)
    }

    /// Returns the only version of the interval.
    pub(crate) fn exact(&self) -> Option<&Version> {
        match (&self.low, &self.high) {
            (Some(low), Some(high))
                if low.inclusive && high.inclusive && low.version == high.version =>
            {
                Some(&low.version)
            }
            _ => None,
        }
    }

    /// Returns the version whose numbers all versions of the interval start with: `3.7` of `>=3.7|<3.8`.
    pub(crate) fn prefix(&self) -> Option<&Version> {
        let (low, high) = (self.low.as_ref()?, self.high.as_ref()?);
        if !low.inclusive || high.inclusive || !low.version.is_plain() || !high.version.is_plain() {
            return None;
        }
        let mut numbers = low.version.numbers();
        *numbers.last_mut()? += 1;
        (numbers == high.version.numbers()).then_some(&low.version)
    }
}

/// Writes numbers with dots between them.
pub(crate) fn joined(numbers: &[u64]) -> String {
    numbers
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(".")
}

/// Returns whether an interval starts later at `left` than at `right`.
fn is_later_start(left: &Bound, right: &Bound) -> bool {
    left.version
        .cmp_in_scheme(&right.version)
        .then(right.inclusive.cmp(&left.inclusive))
        .is_gt()
}

/// Returns whether an interval ends later at `left` than at `right`.
fn is_later_end(left: &Bound, right: &Bound) -> bool {
    left.version
        .cmp_in_scheme(&right.version)
        .then(left.inclusive.cmp(&right.inclusive))
        .is_gt()
}

/// Returns whether an interval that starts at `low` overlaps or touches one that ends at `high`.
fn reaches(high: &Bound, low: &Bound) -> bool {
    match low.version.cmp_in_scheme(&high.version) {
        Ordering::Less => true,
        Ordering::Equal => low.inclusive || high.inclusive,
        Ordering::Greater => false,
    }
}

/// Sorts intervals and unites those that overlap or touch.
pub(super) fn united(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_by(|left, right| match (&left.low, &right.low) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(left), Some(right)) => left
            .version
            .cmp_in_scheme(&right.version)
            .then(right.inclusive.cmp(&left.inclusive)),
    });
    let mut united: Vec<Interval> = Vec::with_capacity(intervals.len());
    for interval in intervals {
        let Some(last) = united.last_mut() else {
            united.push(interval);
            continue;
        };
        let joins = match (&last.high, &interval.low) {
            (Some(high), Some(low)) => reaches(high, low),
            _ => true,
        };
        if !joins {
            united.push(interval);
            continue;
        }
        match (&last.high, &interval.high) {
            (Some(left), Some(right)) if !is_later_end(right, left) => {}
            (None, _) => {}
            _ => last.high = interval.high,
        }
    }
    united
}

/// Returns what lies between and around united intervals.
pub(super) fn gaps(intervals: &[Interval]) -> Vec<Interval> {
    let flipped = |bound: &Bound| Bound {
        version: bound.version.clone(),
        inclusive: !bound.inclusive,
    };
    let mut gaps = Vec::with_capacity(intervals.len() + 1);
    let mut low: Option<Bound> = None;
    let mut open = true;
    for interval in intervals {
        if let Some(start) = &interval.low {
            gaps.extend(Interval::between(low.take(), Some(flipped(start))));
        }
        match &interval.high {
            Some(end) => low = Some(flipped(end)),
            None => open = false,
        }
    }
    if open {
        gaps.push(Interval { low, high: None });
    }
    gaps
}
