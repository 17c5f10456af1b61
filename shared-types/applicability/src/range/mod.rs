//! Ranges of versions: read and written as VERS strings, asked whether they contain a version.
//!
//! A range is a list of intervals that ascend and do not touch. Here is only what a range is; [`describe`] writes it
//! for people, [`manifest`] reads the grammars of ecosystems, [`vers`] the strings of the wire.

mod describe;
mod interval;
pub(crate) mod manifest;
#[cfg(test)]
mod tests;
mod vers;

pub(crate) use self::interval::{Bound, Interval, joined};
pub use self::vers::InvalidRange;
use crate::scheme::{Scheme, Version};

/// The most intervals of one range.
pub(crate) const MAX_INTERVALS: usize = 40;

/// A set of versions of one scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    scheme: Scheme,
    /// Never empty, ascending, and neither overlapping nor touching.
    intervals: Vec<Interval>,
}

impl Range {
    /// Every version.
    pub(crate) fn any(scheme: Scheme) -> Self {
        Self {
            scheme,
            intervals: vec![Interval::ALL],
        }
    }

    /// Unites intervals; `None` if there are none, or too many.
    pub(crate) fn of(scheme: Scheme, intervals: Vec<Interval>) -> Option<Self> {
        let intervals = interval::united(intervals);
        (!intervals.is_empty() && intervals.len() <= MAX_INTERVALS)
            .then_some(Self { scheme, intervals })
    }

    /// Returns the scheme of its versions.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns whether it contains a version; `None` if the text is no version of the scheme.
    pub fn contains(&self, version: &str) -> Option<bool> {
        Some(self.contains_version(&Version::parse(self.scheme, version)?))
    }

    pub(crate) fn contains_version(&self, version: &Version) -> bool {
        self.intervals
            .iter()
            .any(|interval| interval.contains(version))
    }

    /// Returns whether it has a version in common with an interval.
    pub(crate) fn meets(&self, other: &Interval) -> bool {
        self.intervals
            .iter()
            .any(|interval| interval.intersection(other).is_some())
    }

    pub(crate) fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Returns the versions of either range.
    pub(crate) fn union(&self, other: &Self) -> Option<Self> {
        Self::of(
            self.scheme,
            self.intervals
                .iter()
                .chain(&other.intervals)
                .cloned()
                .collect(),
        )
    }

    /// Returns the versions of both ranges; `None` if there are none.
    pub(crate) fn intersection(&self, other: &Self) -> Option<Self> {
        let pairs = self
            .intervals
            .iter()
            .flat_map(|left| other.intervals.iter().map(move |right| (left, right)));
        Self::of(
            self.scheme,
            pairs
                .filter_map(|(left, right)| left.intersection(right))
                .collect(),
        )
    }

    /// Returns the versions that are not in the range; `None` if it has all.
    pub(crate) fn complement(&self) -> Option<Self> {
        Self::of(self.scheme, interval::gaps(&self.intervals))
    }

    /// Reads the same range by a scheme, and with other texts for its versions; `None` if that scheme does not know
    /// one.
    pub(crate) fn map_versions(&self, scheme: Scheme, text: impl Fn(&str) -> &str) -> Option<Self> {
        let intervals = self
            .intervals
            .iter()
            .map(|interval| interval.map_versions(scheme, &text));
        Self::of(scheme, intervals.collect::<Option<_>>()?)
    }

    /// Returns whether it has every version.
    pub(crate) fn is_any(&self) -> bool {
        self.intervals == [Interval::ALL]
    }

    /// Returns whether it goes on without an end.
    pub(crate) fn is_open(&self) -> bool {
        self.intervals
            .last()
            .is_some_and(|interval| interval.high.is_none())
    }

    /// Returns whether it has neither a first nor a last version, as `!=18.3.0` has not.
    pub(crate) fn is_open_on_both_sides(&self) -> bool {
        self.is_open()
            && self
                .intervals
                .first()
                .is_some_and(|interval| interval.low.is_none())
    }

    /// Returns whether it names single versions, or versions with the same first numbers, and nothing open.
    pub(crate) fn is_narrow(&self) -> bool {
        self.intervals
            .iter()
            .all(|interval| interval.exact().is_some() || interval.prefix().is_some())
    }
}
