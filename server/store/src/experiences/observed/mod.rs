//! What outcomes say about where an experience applies: the versions with which it worked or failed, and the version at
//! which that changes.
//!
//! A voice is a principal, and says about a thing what it said last. Only strong voices count, and what says that an
//! experience fails needs several of them: the first that come along could otherwise claim that it fails everywhere.

#[cfg(test)]
mod tests;

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, HashMap},
};

use recall_kit_applicability::{PackageName, Range, Scheme};
use recall_kit_shared_types::{
    applicability::{Applies, AppliesSource, Environment},
    outcomes::OutcomeKind,
};

use crate::{Report, StoredOutcome};

/// The tier from which a voice is strong, as in standings.
const STRONG: f64 = 0.5;
/// The voices that a change between versions needs, of both sides together.
const CHANGE_VOICES: usize = 3;
/// The voices that a failure needs, with one version or on the side of a change that fails.
const FAILURE_VOICES: usize = 2;
/// The most versions of one thing with which it worked, and the most with which it failed.
const VERSIONS_MAX: usize = 3;
/// The most things of one experience: those with the most voices.
const THINGS_MAX: usize = 6;

/// What an experience depends on: a package or a runtime, whose versions can be compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Package(PackageName),
    Runtime(String),
}

impl Thing {
    /// Returns the name of the version scheme in a VERS string.
    fn scheme(&self) -> &str {
        match self {
            Self::Package(name) => name.kind(),
            Self::Runtime(_) => "generic",
        }
    }

    /// Orders two versions; `None` if one of them is no version.
    fn compare(&self, one: &str, other: &str) -> Option<Ordering> {
        Scheme::of_purl_type(self.scheme()).compare(one, other)
    }

    /// Returns a statement about a range of versions; `None` if it cannot be written as a range.
    fn applies(&self, range: &str, source: AppliesSource, support: usize) -> Option<Applies> {
        let range: Range = format!("vers:{}/{range}", self.scheme()).parse().ok()?;
        let mut applies = Applies {
            range: Some(range.to_string()),
            source,
            support: Some(u32::try_from(support).unwrap_or(u32::MAX)),
            ..Applies::default()
        };
        match self {
            Self::Package(name) => applies.purl = Some(name.to_string()),
            Self::Runtime(name) => applies.runtime = Some(name.clone()),
        }
        Some(applies)
    }
}

/// What each principal said last about a thing: with which version, and whether it worked.
type LastWords<'a> = HashMap<&'a str, (String, bool)>;

/// What the voices say about one version.
#[derive(Debug)]
struct Verdicts {
    version: String,
    worked: usize,
    failed: usize,
}

/// Returns what outcomes say about where their experience applies. `outcomes` are sorted by time, the last one last.
pub(crate) fn observed(outcomes: &[StoredOutcome]) -> Vec<Applies> {
    let mut last: BTreeMap<Thing, LastWords<'_>> = BTreeMap::new();
    for report in outcomes
        .iter()
        .filter_map(|outcome| outcome.report.as_ref())
    {
        let (Some(worked), Some(environment)) = (worked(report), &report.environment) else {
            continue;
        };
        for (thing, version) in versions(environment) {
            let voices = last.entry(thing).or_default();
            voices.insert(&report.principal, (version, worked));
        }
    }
    let mut things: Vec<(Thing, LastWords<'_>)> = last.into_iter().collect();
    things.sort_by_key(|(_, voices)| Reverse(voices.len()));
    things.truncate(THINGS_MAX);
    things
        .into_iter()
        .flat_map(|(thing, voices)| of_thing(&thing, voices.into_values()))
        .collect()
}

/// Whether a report of a strong voice says that the experience worked; `None` if it says neither.
fn worked(report: &Report) -> Option<bool> {
    if report.tier < STRONG {
        return None;
    }
    match report.kind {
        OutcomeKind::Worked | OutcomeKind::WorkedWithChanges => Some(true),
        OutcomeKind::DidNotWork => Some(false),
        OutcomeKind::NotApplicable => None,
    }
}

/// Returns the things of an environment, each with one version that its scheme knows.
fn versions(environment: &Environment) -> BTreeMap<Thing, String> {
    let packages = environment.packages.iter().filter_map(|one| {
        let name = PackageName::parse(&one.purl).ok()?;
        Some((Thing::Package(name), one.version.clone()?))
    });
    let runtimes = environment
        .runtimes
        .iter()
        .filter_map(|one| Some((Thing::Runtime(one.name.clone()), one.version.clone()?)));
    packages
        .chain(runtimes)
        .filter(|(thing, version)| thing.compare(version, version).is_some())
        .collect()
}

fn of_thing(thing: &Thing, voices: impl Iterator<Item = (String, bool)>) -> Vec<Applies> {
    let mut versions: Vec<Verdicts> = Vec::new();
    for (version, worked) in voices {
        let same = |one: &Verdicts| thing.compare(&one.version, &version) == Some(Ordering::Equal);
        let at = versions.iter().position(same).unwrap_or_else(|| {
            versions.push(Verdicts {
                version,
                worked: 0,
                failed: 0,
            });
            versions.len() - 1
        });
        if let Some(verdicts) = versions.get_mut(at) {
            verdicts.worked += usize::from(worked);
            verdicts.failed += usize::from(!worked);
        }
    }
    // All of them can be compared, see `versions`.
    versions.sort_by(|one, other| {
        let order = thing.compare(&one.version, &other.version);
        order.unwrap_or(Ordering::Equal)
    });
    let mut found: Vec<Applies> = change(thing, &versions).into_iter().collect();
    let failed = versions
        .iter()
        .filter(|one| one.failed >= FAILURE_VOICES && one.worked == 0);
    found.extend(failed.rev().take(VERSIONS_MAX).filter_map(|one| {
        let range = format!("!={}", one.version);
        thing.applies(&range, AppliesSource::Inferred, one.failed)
    }));
    versions.retain(|one| one.worked > 0);
    // With the most voices first; of equal ones the latest version.
    versions.reverse();
    versions.sort_by_key(|one| Reverse(one.worked));
    versions.truncate(VERSIONS_MAX);
    found.extend(
        versions
            .iter()
            .filter_map(|one| thing.applies(&one.version, AppliesSource::Observed, one.worked)),
    );
    found
}

/// Returns the range up to the version from which it fails, or from the one after which it works; `None` if the voices do
/// not agree on such a version. `versions` are sorted, and each voice speaks of one of them.
fn change(thing: &Thing, versions: &[Verdicts]) -> Option<Applies> {
    let worked = |side: &[Verdicts]| -> usize { side.iter().map(|one| one.worked).sum() };
    let failed = |side: &[Verdicts]| -> usize { side.iter().map(|one| one.failed).sum() };
    let voices = worked(versions) + failed(versions);
    if voices < CHANGE_VOICES || failed(versions) < FAILURE_VOICES {
        return None;
    }
    (1..versions.len()).find_map(|at| {
        let (below, above) = versions.split_at(at);
        let range = if failed(below) == 0 && worked(above) == 0 && worked(below) > 0 {
            format!("<{}", above.first()?.version)
        } else if worked(below) == 0 && failed(above) == 0 && worked(above) > 0 {
            format!(">{}", below.last()?.version)
        } else {
            return None;
        };
        thing.applies(&range, AppliesSource::Inferred, voices)
    })
}
