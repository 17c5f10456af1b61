//! The range that an expression means, by what the words around it say.

use super::{items::Comparison, lexicon::Limit, statements::Stated};
use crate::{
    range::{
        Bound, Interval, Range, joined,
        manifest::{caret, end_of, is_wildcard, pessimistic, tilde, without_wildcard},
    },
    scheme::{Position, Scheme, Version},
};

/// One part of an expression. Versions are as written; wildcards stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element<'a> {
    /// A version by itself.
    Pin(&'a str),
    /// A version behind `==`.
    Exact(&'a str),
    /// Versions between two bounds, which belong to it or not.
    Between {
        low: Option<(&'a str, bool)>,
        high: Option<(&'a str, bool)>,
    },
    /// A range that says "from … to …", which may be an update.
    FromTo {
        low: &'a str,
        high: &'a str,
    },
    /// `2.1.5 -> 2.2.1`.
    Update {
        from: &'a str,
        to: &'a str,
    },
    /// A version of a list after "before": `7.2.4` in "before 6.0.3 and 7.2.4".
    BeforeInBranch(&'a str),
    /// Up to a version and its patch releases: "up to and including 3.1".
    Through(&'a str),
    /// `!=`
    Not(&'a str),
    Caret(&'a str),
    Tilde(&'a str),
    Pessimistic(&'a str),
}

/// What the words around an expression say about its versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The versions are named, or bounded by the expression itself.
    Stated,
    /// The problem ends with the version.
    Fixed,
    /// The problem starts with the version.
    Broken,
    /// The problem is announced with the version.
    Deprecated,
    /// The update to the version brings the problem.
    UpdateBreaks,
    /// The update to the version ends the problem.
    UpdateCures,
    /// The version does not have the problem yet, so that going back to it helps.
    Downgrade,
    /// The versions do not have the problem.
    Unaffected,
    /// The text recommends the versions.
    Recommended,
    /// The title of a failing record names the update to the version.
    Goal,
    /// What the record advises does not help with the versions.
    Denied,
    /// What the record advises does not help since the version.
    DeniedSince,
}

/// Returns what is stated; `None` if the versions are none of the scheme, or no version remains.
pub(super) fn meaning(scheme: Scheme, elements: &[Element<'_>], role: Role) -> Option<Stated> {
    let as_update = elements_of_update(elements, role);
    let elements = as_update.as_deref().unwrap_or(elements);
    if let Some(target) = step_back(scheme, elements) {
        // "not affected from 7 to 6" can be read in two ways.
        let is_step = matches!(
            role,
            Role::Stated | Role::UpdateBreaks | Role::UpdateCures | Role::Downgrade
        );
        return is_step
            .then(|| above(scheme, &[Element::Pin(target)]))?
            .map(Stated::Affected);
    }
    let plain = || plain_range(scheme, elements);
    let ends = ends(elements);
    Some(match (role, ends) {
        (Role::Stated, _) => {
            let bare = elements
                .iter()
                .all(|element| matches!(element, Element::Pin(_) | Element::Exact(_)));
            if bare {
                Stated::Named(plain()?)
            } else {
                Stated::Affected(plain()?)
            }
        }
        (Role::Fixed | Role::UpdateCures, Some(versions)) => {
            Stated::FixedIn(versions.into_iter().map(str::to_owned).collect())
        }
        (Role::UpdateCures, None) => return None,
        (Role::Broken, Some(versions)) => Stated::Affected(since_first(scheme, &versions)?),
        // "deprecated in 1.4 and removed in 2.0": what is removed counts.
        (Role::Deprecated, Some(versions)) => Stated::Named(since_first(scheme, &versions)?),
        (Role::Fixed | Role::Broken | Role::Deprecated, None) => Stated::Affected(plain()?),
        (Role::UpdateBreaks, _) => Stated::Affected(broken_by_update(scheme, elements)?),
        (Role::Downgrade, _) => Stated::Affected(above(scheme, elements)?),
        (Role::DeniedSince, Some(versions)) => Stated::Denied(since_first(scheme, &versions)?),
        (Role::Denied | Role::DeniedSince, _) => Stated::Denied(plain()?),
        (Role::Goal, Some(versions)) => Stated::Goal {
            breaks: broken_by_update(scheme, elements)?,
            version: (*versions.first()?).to_owned(),
        },
        (Role::Goal, None) => return None,
        (Role::Recommended, _) => Stated::Recommended(plain()?),
        (Role::Unaffected, _) => Stated::Affected(plain()?.complement()?),
    })
}

/// Returns where a step back goes: `6` of "from 7 to 6".
fn step_back<'a>(scheme: Scheme, elements: &[Element<'a>]) -> Option<&'a str> {
    let (Element::FromTo {
        low: from,
        high: to,
    }
    | Element::Update { from, to }) = *elements.first()?
    else {
        return None;
    };
    let older = scheme
        .compare(without_wildcard(from), without_wildcard(to))
        .is_some_and(std::cmp::Ordering::is_gt);
    (elements.len() == 1 && older).then_some(to)
}

/// Returns the versions from the first of some on.
fn since_first(scheme: Scheme, versions: &[&str]) -> Option<Range> {
    let versions = versions
        .iter()
        .filter_map(|version| Version::parse(scheme, without_wildcard(version)));
    let first = versions.min_by(Version::cmp_in_scheme)?;
    Range::of(scheme, vec![Interval::from(first)])
}

/// Reads "from 1.0 to before 2.0" as an update where the sentence is about one: "с 1.0 до 2.0".
fn elements_of_update<'a>(elements: &[Element<'a>], role: Role) -> Option<Vec<Element<'a>>> {
    match (role, elements) {
        (
            Role::UpdateBreaks | Role::UpdateCures | Role::Fixed,
            [
                Element::Between {
                    low: Some((from, true)),
                    high: Some((to, false)),
                },
            ],
        ) => Some(vec![Element::Update { from, to }]),
        _ => None,
    }
}

/// Returns the versions that a step back, or a pin, avoids.
fn above(scheme: Scheme, elements: &[Element<'_>]) -> Option<Range> {
    let [Element::Pin(version) | Element::Exact(version)] = elements else {
        return plain_range(scheme, elements)?.complement();
    };
    let end = pinned(scheme, version)?.high?;
    let low = Bound {
        inclusive: !end.inclusive,
        version: end.version,
    };
    Range::of(
        scheme,
        vec![Interval {
            low: Some(low),
            high: None,
        }],
    )
}

impl<'a> Element<'a> {
    /// Returns the versions on one side of a version.
    pub(super) fn bounded(limit: Limit, version: &'a str) -> Self {
        match limit {
            Limit::Before => Self::Between {
                low: None,
                high: Some((version, false)),
            },
            Limit::UpTo => Self::Between {
                low: None,
                high: Some((version, true)),
            },
            Limit::Since => Self::Between {
                low: Some((version, true)),
                high: None,
            },
            Limit::After => Self::Between {
                low: Some((version, false)),
                high: None,
            },
        }
    }

    /// Returns the versions that an operator compares.
    pub(super) fn compared(comparison: Comparison, version: &'a str) -> Self {
        match comparison {
            Comparison::Equal => Self::Exact(version),
            Comparison::NotEqual => Self::Not(version),
            Comparison::Bound(limit) => Self::bounded(limit, version),
            Comparison::Caret => Self::Caret(version),
            Comparison::Tilde => Self::Tilde(version),
            Comparison::Pessimistic | Comparison::Compatible => Self::Pessimistic(version),
        }
    }

    /// Returns it with the patch releases of its end, where prose names that by one number or two.
    pub(super) fn through_releases(self) -> Self {
        match self {
            Self::Between {
                low: None,
                high: Some((version, true)),
            } if version.bytes().filter(|b| *b == b'.').count() <= 1
                && version.bytes().all(|b| b.is_ascii_digit() || b == b'.') =>
            {
                Self::Through(version)
            }
            element => element,
        }
    }

    /// Returns its first version, as written.
    pub(super) fn first_version(&self) -> &'a str {
        match *self {
            Element::Pin(version)
            | Element::Exact(version)
            | Element::BeforeInBranch(version)
            | Element::Through(version)
            | Element::Not(version)
            | Element::Caret(version)
            | Element::Tilde(version)
            | Element::Pessimistic(version) => version,
            Element::FromTo { low, .. } => low,
            Element::Update { from, .. } => from,
            Element::Between { low, high } => low.or(high).map_or("", |(version, _)| version),
        }
    }

    /// Returns how many numbers its first version has.
    pub(super) fn numbers(&self) -> usize {
        self.first_version()
            .split('.')
            .take_while(|part| part.starts_with(|c: char| c.is_ascii_digit() || c == 'v'))
            .count()
    }
}

/// Variants of images of containers.
const IMAGES: [&str; 6] = ["alpine", "slim", "bookworm", "bullseye", "buster", "lts"];

/// Returns the versions that a pin in prose names: two numbers are a prefix, three a version.
fn pinned(scheme: Scheme, version: &str) -> Option<Interval> {
    let text = version.trim_start_matches(['v', 'V']);
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    // `node:18-alpine`
    let image = text
        .split_once('-')
        .filter(|(_, variant)| IMAGES.contains(variant));
    if let Some((version, _)) = image
        && version.split('.').count() <= 2
    {
        return Interval::starting_with(scheme, version);
    }
    if is_wildcard(text) || (plain && text.split('.').count() <= 2) {
        return Interval::starting_with(scheme, without_wildcard(text));
    }
    Some(Interval::exactly(Version::parse(scheme, text)?))
}

/// Returns the interval between two bounds; of `1.3.x` to `1.3.0b2`, whose end is before its start, the end.
fn between(low: Option<Bound>, high: Option<Bound>) -> Option<Interval> {
    Interval::between(low.clone(), high.clone()).or_else(|| {
        let (low, high) = (low?, high?);
        let pre_release = high.version.position(&low.version) == Position::PreRelease;
        (pre_release && high.inclusive).then(|| Interval::exactly(high.version))
    })
}

/// Returns the union of what the elements say by themselves.
fn plain_range(scheme: Scheme, elements: &[Element<'_>]) -> Option<Range> {
    let mut intervals = Vec::with_capacity(elements.len());
    let mut without = None;
    // "before 2.7.4 and 2.9.3": each ends its own branch.
    let mut ends = Vec::new();
    for element in elements {
        match *element {
            Element::Not(text) => {
                without = Range::of(scheme, vec![pinned(scheme, text)?])?.complement()
            }
            Element::Between {
                low: None,
                high: Some((text, false)),
            } => ends.push(text.to_owned()),
            // "before 15.0.1, and 16.0.0": nothing of the branch is before its first version.
            Element::BeforeInBranch(text) => match branch_before(scheme, text) {
                Some(_) => ends.push(text.to_owned()),
                None => intervals.extend(
                    Version::parse(scheme, text)
                        .filter(Version::is_plain)
                        .map(Interval::exactly),
                ),
            },
            element => intervals.extend(interval_of(scheme, element)?),
        }
    }
    if !ends.is_empty() {
        intervals.extend_from_slice(fixed_range(scheme, &ends)?.intervals());
    }
    match (Range::of(scheme, intervals), without) {
        (Some(range), Some(without)) => range.intersection(&without),
        (range, without) => range.or(without),
    }
}

/// Returns the interval of an element; `Some(None)` if no version is in it.
fn interval_of(scheme: Scheme, element: Element<'_>) -> Option<Option<Interval>> {
    let version = |text: &str| Version::parse(scheme, without_wildcard(text));
    Some(match element {
        Element::Exact(text) if !is_wildcard(text) => Some(Interval::exactly(version(text)?)),
        Element::Pin(text) | Element::Exact(text) => Some(pinned(scheme, text)?),
        Element::FromTo { low, high }
        | Element::Update {
            from: low,
            to: high,
        } => between(
            Some(Bound::including(version(low)?)),
            Some(end_of(scheme, high)?),
        ),
        Element::Between { low, high } => {
            let low = match low {
                // After all of `1.2.x` is from 1.3 on.
                Some((text, false)) if is_wildcard(text) => {
                    Some(Bound::including(pinned(scheme, text)?.high?.version))
                }
                Some((text, inclusive)) => Some(Bound {
                    version: version(text)?,
                    inclusive,
                }),
                None => None,
            };
            let high = match high {
                Some((text, true)) => Some(end_of(scheme, text)?),
                Some((text, false)) => Some(Bound::excluding(version(text)?)),
                None => None,
            };
            between(low, high)
        }
        Element::BeforeInBranch(text) => branch_before(scheme, text),
        Element::Through(text) => Some(Interval {
            low: None,
            high: pinned(scheme, text)?.high,
        }),
        Element::Not(_) => None,
        Element::Caret(text) => Some(caret(scheme, text)?),
        Element::Tilde(text) if scheme == Scheme::Composer => Some(pessimistic(scheme, text)?),
        Element::Tilde(text) => Some(tilde(scheme, text)?),
        Element::Pessimistic(text) => Some(pessimistic(scheme, text)?),
    })
}

/// Returns the versions by which a problem ends or starts; `None` if the elements bound it themselves.
fn ends<'a>(elements: &[Element<'a>]) -> Option<Vec<&'a str>> {
    let end = |element: &Element<'a>| match *element {
        Element::Pin(version) | Element::Exact(version) | Element::BeforeInBranch(version) => {
            Some(version)
        }
        Element::Caret(version) | Element::Tilde(version) | Element::Pessimistic(version) => {
            Some(version)
        }
        Element::Between {
            low: Some((version, _)),
            high: None,
        } => Some(version),
        Element::FromTo { high, .. } => Some(high),
        Element::Update { to, .. } => Some(to),
        _ => None,
    };
    elements.iter().map(end).collect()
}

/// Returns what is below the first version that fixes a problem, and in each later branch below its own.
pub(super) fn fixed_range(scheme: Scheme, versions: &[String]) -> Option<Range> {
    let read = |text: &String| {
        Some((
            Version::parse(scheme, without_wildcard(text))?,
            text.clone(),
        ))
    };
    let mut versions: Vec<(Version, String)> = versions.iter().filter_map(read).collect();
    versions.sort_by(|left, right| left.0.cmp_in_scheme(&right.0));
    let mut last = versions.first()?.0.clone();
    let mut intervals = vec![Interval::below(last.clone())];
    for (version, text) in versions.into_iter().skip(1) {
        // "0.56.1 or 0.57": the branch of the second has the first, which is fixed.
        let branch = branch_before(scheme, &text).filter(|branch| !branch.contains(&last));
        intervals.extend(branch);
        last = version;
    }
    Range::of(scheme, intervals)
}

/// Returns the versions of a branch before one of it: `>=1.8|<1.8.15` of `1.8.15`, `>=4|<4.2.0` of `4.2.0`; `None` if
/// it is the first of its branch, as `4.0.0` is.
fn branch_before(scheme: Scheme, text: &str) -> Option<Interval> {
    let version = Version::parse(scheme, text)?;
    let mut numbers = version.numbers();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers.pop();
    if numbers.is_empty() {
        return None;
    }
    let low = Version::parse(scheme, &joined(&numbers))?;
    Interval::between(Some(Bound::including(low)), Some(Bound::excluding(version)))
}

/// Returns the versions above the one before an update, up to the next major version.
fn broken_by_update(scheme: Scheme, elements: &[Element<'_>]) -> Option<Range> {
    let (low, to) = match *elements {
        [
            Element::FromTo {
                low: from,
                high: to,
            }
            | Element::Update { from, to },
        ] => (
            // After "4" come the versions from 5 on.
            pinned(scheme, from)?.high.map(|end| Bound {
                inclusive: !end.inclusive,
                version: end.version,
            })?,
            to,
        ),
        _ => {
            let to = *ends(elements)?.first()?;
            (
                Bound::including(Version::parse(scheme, without_wildcard(to))?),
                to,
            )
        }
    };
    let numbers = Version::parse(scheme, without_wildcard(to))?.numbers();
    let next = match numbers.as_slice() {
        [0, minor, ..] if scheme.minor_is_major_below_one() => {
            format!("0.{}", minor.checked_add(1)?)
        }
        [major, ..] => major.checked_add(1)?.to_string(),
        [] => return None,
    };
    let high = Bound::excluding(Version::parse(scheme, &next)?);
    Range::of(scheme, vec![Interval::between(Some(low), Some(high))?])
}
