//! Ranges as manifests write them, in the grammar of each ecosystem: `^1.2`, `~=1.4`, `~> 2.1`, `[1.0,2.0)`, `>=1,<2`.

use super::{Bound, Interval, MAX_INTERVALS, Range, interval::joined};
use crate::scheme::{Scheme, Version};

/// The most characters of a range in a manifest.
const MAX_CHARS: usize = 500;

/// Reads a range as the manifests of the scheme's ecosystem write it; `None` if it is none, such as `workspace:*`.
pub(crate) fn read(scheme: Scheme, text: &str) -> Option<Range> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_CHARS {
        return None;
    }
    if matches!(scheme, Scheme::Maven | Scheme::Nuget) && text.starts_with(['[', '(']) {
        return bracketed(scheme, text);
    }
    let mut intervals = Vec::new();
    for alternative in text.split("||").take(MAX_INTERVALS) {
        intervals.extend(all_of(scheme, alternative)?.intervals);
    }
    Range::of(scheme, intervals)
}

/// Reads comparisons that all hold, separated by commas or spaces.
fn all_of(scheme: Scheme, text: &str) -> Option<Range> {
    let text = text.trim();
    if text.is_empty() || text == "*" {
        return Some(Range::any(scheme));
    }
    if let Some((low, high)) = text.split_once(" - ") {
        let low = Bound::including(Version::parse(scheme, low)?);
        return Range::of(
            scheme,
            vec![Interval::between(Some(low), Some(end_of(scheme, high)?))?],
        );
    }
    let mut range = Range::any(scheme);
    let mut operator = String::new();
    for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
        let length = word
            .find(|c: char| !"<>=~^!".contains(c))
            .unwrap_or(word.len());
        let (sign, version) = word.split_at(length);
        if version.is_empty() {
            operator.push_str(sign);
            continue;
        }
        operator.push_str(sign);
        range = range.intersection(&comparison(scheme, &operator, version)?)?;
        operator.clear();
    }
    operator.is_empty().then_some(range)
}

/// Reads one comparison.
fn comparison(scheme: Scheme, operator: &str, version: &str) -> Option<Range> {
    let one = |interval: Interval| Range::of(scheme, vec![interval]);
    let parsed = || Version::parse(scheme, without_wildcard(version));
    match operator {
        "<" => one(Interval::below(parsed()?)),
        "<=" => one(Interval {
            low: None,
            high: Some(end_of(scheme, version)?),
        }),
        ">" => one(Interval::above(parsed()?)),
        ">=" => one(Interval::from(parsed()?)),
        "!=" => Range::of(scheme, vec![pin(scheme, version)?])?.complement(),
        "^" => one(caret(scheme, version)?),
        "~=" | "~>" => one(pessimistic(scheme, version)?),
        "~" if scheme == Scheme::Composer => one(pessimistic(scheme, version)?),
        "~" => one(tilde(scheme, version)?),
        "" if scheme == Scheme::Cargo && !is_wildcard(version) => one(caret(scheme, version)?),
        "" | "=" | "==" | "===" => one(pin(scheme, version)?),
        _ => None,
    }
}

/// Returns the versions that a pin of a manifest names: npm and Composer read `1.2` as `1.2.*`.
fn pin(scheme: Scheme, version: &str) -> Option<Interval> {
    let open = is_wildcard(version)
        || (matches!(scheme, Scheme::Npm | Scheme::Generic)
            && version.split('.').count() < 3
            && version.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    if open {
        return Interval::starting_with(scheme, without_wildcard(version));
    }
    Some(Interval::exactly(Version::parse(scheme, version)?))
}

/// Reads the intervals of Maven and NuGet: `[1.0,2.0)`, `(,1.0],[1.2,)`.
pub(crate) fn bracketed(scheme: Scheme, text: &str) -> Option<Range> {
    let mut intervals = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find([']', ')'])?;
        let (body, behind) = rest.split_at(end);
        let closed = behind.starts_with(']');
        let open = body.starts_with('[');
        let body = body.strip_prefix(['[', '('])?;
        let bound = |text: &str, inclusive| -> Option<Option<Bound>> {
            match text.trim() {
                "" => Some(None),
                text => Some(Some(Bound {
                    version: Version::parse(scheme, text)?,
                    inclusive,
                })),
            }
        };
        intervals.push(match body.split_once(',') {
            Some((low, high)) => Interval::between(bound(low, open)?, bound(high, closed)?)?,
            None => Interval::exactly(Version::parse(scheme, body)?),
        });
        if intervals.len() > MAX_INTERVALS {
            return None;
        }
        rest = behind[1..].trim_start_matches([',', ' ']);
    }
    Range::of(scheme, intervals)
}

/// Returns the versions that are compatible with one: up to the next change of the first number that is not zero.
pub(crate) fn caret(scheme: Scheme, version: &str) -> Option<Interval> {
    let low = Version::parse(scheme, without_wildcard(version))?;
    let numbers = low.numbers();
    let breaking = numbers
        .iter()
        .position(|number| *number > 0)
        .unwrap_or(numbers.len().checked_sub(1)?);
    bumped(scheme, low, &numbers[..=breaking])
}

/// `~1.2.3` and `~1.2` are versions of `1.2`, `~1` those of `1`.
pub(crate) fn tilde(scheme: Scheme, version: &str) -> Option<Interval> {
    let low = Version::parse(scheme, without_wildcard(version))?;
    let numbers = low.numbers();
    let kept = numbers.len().min(2);
    bumped(scheme, low, &numbers[..kept])
}

/// `~> 2.1` and `~=2.1` are versions of `2` since `2.1`.
pub(crate) fn pessimistic(scheme: Scheme, version: &str) -> Option<Interval> {
    let low = Version::parse(scheme, without_wildcard(version))?;
    let numbers = low.numbers();
    let kept = numbers.len().checked_sub(1)?.max(1);
    bumped(scheme, low, &numbers[..kept])
}

/// Returns the interval from a version up to the successor of its first numbers.
fn bumped(scheme: Scheme, low: Version, kept: &[u64]) -> Option<Interval> {
    let mut next = kept.to_vec();
    let last = next.last_mut()?;
    *last = last.checked_add(1)?;
    let high = Version::parse(scheme, &joined(&next))?;
    Interval::between(Some(Bound::including(low)), Some(Bound::excluding(high)))
}

/// Returns the inclusive end of a range: all of `1.6.x`, or just `1.6`.
pub(crate) fn end_of(scheme: Scheme, version: &str) -> Option<Bound> {
    if is_wildcard(version) {
        return Interval::starting_with(scheme, without_wildcard(version))?.high;
    }
    Some(Bound::including(Version::parse(scheme, version)?))
}

/// Returns whether a version ends with a wildcard.
pub(crate) fn is_wildcard(version: &str) -> bool {
    version.ends_with(".x") || version.ends_with(".X") || version.ends_with(".*")
}

/// Returns a version without its wildcards: `1.2` of `1.2.x`.
pub(crate) fn without_wildcard(version: &str) -> &str {
    let mut version = version;
    while is_wildcard(version) {
        version = &version[..version.len() - 2];
    }
    version
}
