//! VERS strings: `vers:pypi/>=1.9|<2.0`.
//!
//! *Source*: the VERS specification of package URLs.

use std::{fmt, str::FromStr};

use recall_kit_shared_types::applicability::applicability_limits::MAX_RANGE_CHARS;

use super::{Bound, Interval, MAX_INTERVALS, Range, interval};
use crate::scheme::{Scheme, Version};

/// Why a text is no range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRange {
    /// It does not start with `vers:` and a scheme.
    #[error("not a range; write `vers:TYPE/` and comparisons, such as `vers:npm/>=16.8.0|<19`")]
    NoVers,
    /// A version is none of the scheme.
    #[error("`{0}` is not a version of this type")]
    WrongVersion(String),
    /// No version satisfies it.
    #[error(
        "no version is in this range; write its lower end before its upper end, and the lower one must be lower"
    )]
    Empty,
    /// Two comparisons say different things about the same version, or one of two is useless.
    #[error("`{0}` is named twice, or a comparison beside it has no effect; leave one of them out")]
    Redundant(String),
    /// It has too many characters.
    #[error("the range is longer than {MAX_RANGE_CHARS} characters")]
    TooLong,
    /// It has too many intervals.
    #[error("the range has more than {MAX_INTERVALS} intervals")]
    TooManyIntervals,
    /// It is one of another ecosystem than the package.
    #[error(
        "the range is of type `{range}`, the package of type `{package}`; write `vers:{package}/…`"
    )]
    OtherType {
        /// The type of the range.
        range: &'static str,
        /// The type of the package.
        package: &'static str,
    },
    /// A version of a range without a type is none of the package's type.
    #[error("a version in it is not one of type `{0}`")]
    NotOfType(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl FromStr for Range {
    type Err = InvalidRange;

    fn from_str(text: &str) -> Result<Self, InvalidRange> {
        if text.len() > MAX_RANGE_CHARS {
            return Err(InvalidRange::TooLong);
        }
        let rest = text
            .trim()
            .strip_prefix("vers:")
            .ok_or(InvalidRange::NoVers)?;
        let (scheme, constraints) = rest.split_once('/').ok_or(InvalidRange::NoVers)?;
        if scheme.is_empty()
            || !scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.')
        {
            return Err(InvalidRange::NoVers);
        }
        let scheme = Scheme::of_purl_type(&scheme.to_ascii_lowercase());
        if constraints.trim() == "*" {
            return Ok(Self::any(scheme));
        }
        let mut parsed = Vec::new();
        for constraint in constraints.split('|') {
            parsed.push(constraint_of(scheme, constraint.trim())?);
        }
        range_of(scheme, parsed)
    }
}

/// Reads one comparison.
fn constraint_of(scheme: Scheme, text: &str) -> Result<(Comparator, Version), InvalidRange> {
    const WORDS: [(&str, Comparator); 6] = [
        ("!=", Comparator::NotEqual),
        ("<=", Comparator::LessOrEqual),
        (">=", Comparator::GreaterOrEqual),
        ("<", Comparator::Less),
        (">", Comparator::Greater),
        ("=", Comparator::Equal),
    ];
    let found = WORDS
        .iter()
        .find_map(|(word, comparator)| Some((*comparator, text.strip_prefix(word)?)));
    let (comparator, version) = found.unwrap_or((Comparator::Equal, text));
    let version = decode(version.trim());
    match Version::parse(scheme, &version) {
        Some(version) => Ok((comparator, version)),
        None => Err(InvalidRange::WrongVersion(
            version.chars().take(40).collect(),
        )),
    }
}

/// Makes intervals of comparisons.
fn range_of(
    scheme: Scheme,
    mut constraints: Vec<(Comparator, Version)>,
) -> Result<Range, InvalidRange> {
    use Comparator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    for pair in constraints.windows(2) {
        if let [(Greater | GreaterOrEqual, low), (Less | LessOrEqual, high)] = pair
            && low.cmp_in_scheme(high).is_gt()
        {
            return Err(InvalidRange::Empty);
        }
    }
    constraints.sort_by(|left, right| left.1.cmp_in_scheme(&right.1));
    for pair in constraints.windows(2) {
        if let [(left, version), (right, other)] = pair
            && version == other
        {
            let crossed = matches!(
                (left, right),
                (Greater, Less | LessOrEqual) | (GreaterOrEqual, Less)
            );
            return Err(if crossed {
                InvalidRange::Empty
            } else {
                InvalidRange::Redundant(version.text().into())
            });
        }
    }
    let mut intervals = Vec::new();
    let mut holes = Vec::new();
    let mut low: Option<Bound> = None;
    let mut closed = false;
    for (comparator, version) in constraints {
        match comparator {
            Equal => intervals.push(Interval::exactly(version)),
            NotEqual => holes.push(Interval::exactly(version)),
            Greater | GreaterOrEqual => {
                if low.is_some() {
                    return Err(InvalidRange::Redundant(version.text().into()));
                }
                low = Some(Bound {
                    version,
                    inclusive: comparator == GreaterOrEqual,
                });
            }
            Less | LessOrEqual => {
                if low.is_none() && closed {
                    return Err(InvalidRange::Redundant(version.text().into()));
                }
                let high = Bound {
                    version,
                    inclusive: comparator == LessOrEqual,
                };
                intervals.extend(Interval::between(low.take(), Some(high)));
                closed = true;
            }
        }
    }
    if low.is_some() || (intervals.is_empty() && !holes.is_empty()) {
        intervals.push(Interval { low, high: None });
    }
    let range = Range::of(scheme, intervals).ok_or(InvalidRange::TooManyIntervals)?;
    let outside = Range::of(scheme, interval::gaps(&interval::united(holes)));
    match outside {
        Some(outside) => range.intersection(&outside).ok_or(InvalidRange::Empty),
        None => Ok(range),
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vers:{}/", self.scheme().name())?;
        let mut separator = "";
        let mut write = |comparator: &str, version: &Version| {
            let result = write!(f, "{separator}{comparator}{}", encode(version.text()));
            separator = "|";
            result
        };
        if self.intervals() == [Interval::ALL] {
            return f.write_str("*");
        }
        let mut hole: Option<&Version> = None;
        for (index, interval) in self.intervals().iter().enumerate() {
            if let Some(version) = interval.exact() {
                write("", version)?;
                continue;
            }
            let next = self
                .intervals()
                .get(index + 1)
                .and_then(|next| next.low.as_ref());
            match &interval.low {
                Some(low) if hole == Some(&low.version) => write("!=", &low.version)?,
                Some(low) => write(if low.inclusive { ">=" } else { ">" }, &low.version)?,
                None => {}
            }
            // Two intervals that leave out one version between them are written `!=`.
            hole = interval
                .high
                .as_ref()
                .zip(next)
                .and_then(|(high, low)| (high.version == low.version).then_some(&high.version));
            match &interval.high {
                Some(high) if hole.is_none() => {
                    write(if high.inclusive { "<=" } else { "<" }, &high.version)?
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Encodes the characters of versions that VERS uses itself.
fn encode(version: &str) -> String {
    version
        .replace('!', "%21")
        .replace('+', "%2B")
        .replace(':', "%3A")
}

/// Decodes what [`encode`] and other writers encode.
fn decode(version: &str) -> String {
    if !version.contains('%') {
        return version.to_owned();
    }
    [
        ("%21", "!"),
        ("%2B", "+"),
        ("%2b", "+"),
        ("%3A", ":"),
        ("%3a", ":"),
        ("%7E", "~"),
        ("%7e", "~"),
    ]
    .iter()
    .fold(version.to_owned(), |text, (code, character)| {
        text.replace(code, character)
    })
}
