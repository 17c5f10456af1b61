//! Whether a record applies where the asker is, and why.
//!
//! Each subject that both name with a version is compared by itself; then the subjects decide in this order:
//!
//! 1. A version that is excluded, or outside an inferred range, contradicts.
//! 2. A package or tool of another version decides before the platform, because the record is about it.
//! 3. Another operating system decides before a runtime's version.
//! 4. A runtime, or a version of the operating system, that differs decides only if no package matches, or if the
//!    record states an open range (`python <3.8`). "Python 3.7" beside a package that matches only says where it was
//!    written.
//! 5. What was observed only helps: a record that worked with one version is not about that version alone.

use std::fmt::Write as _;

use recall_kit_shared_types::applicability::{AppliesSource, Verdict};

use crate::{
    claims::{Claim, Claims},
    range::{Interval, Range},
    scheme::{Scheme, Version},
    subject::Subject,
    surroundings::{Installed, Surroundings},
};

/// How a record fits surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// A word for it.
    pub verdict: Verdict,
    /// The reason, in one short sentence: the subject that decides, and both sides.
    pub why: String,
    /// Of [`Verdict::OtherVersion`]: whether the nearest version of the record has the same major version.
    pub same_major: bool,
}

/// How the claims about one subject fit.
struct Finding<'a> {
    subject: &'a Subject,
    /// The claims from this one on have the subject; those before do not.
    first: usize,
    fit: Fit,
    /// The version that decided.
    installed: &'a Installed,
    source: AppliesSource,
    narrow: bool,
    same_major: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Matches,
    Differs,
    Contradicts,
    OtherSystem,
}

/// A verdict without its reason, for places that need it of many records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fitness {
    /// A word for it.
    pub verdict: Verdict,
    /// Of [`Verdict::OtherVersion`]: whether the nearest version of the record has the same major version.
    pub same_major: bool,
    /// Whether the record is about what decides: a package, a tool, or a range of versions of a runtime. Otherwise
    /// it may only have been written there.
    pub is_about_it: bool,
}

/// Judges whether a record applies, without saying why.
pub fn verdict(claims: &Claims, surroundings: &Surroundings) -> Fitness {
    let findings = findings(claims, surroundings);
    let (verdict, deciding) = decide(&findings);
    Fitness {
        verdict,
        same_major: deciding.is_some_and(|finding| finding.same_major),
        is_about_it: deciding.is_some_and(|finding| {
            let is_system = matches!(finding.subject, Subject::Os(_));
            is_main(finding.subject) || !(is_system || finding.narrow)
        }),
    }
}

/// Compares each subject by itself.
fn findings<'a>(claims: &'a Claims, surroundings: &'a Surroundings) -> Vec<Finding<'a>> {
    let mut findings: Vec<Finding<'_>> = Vec::with_capacity(claims.len());
    let mut system_known = false;
    for (index, claim) in claims.iter().enumerate() {
        if matches!(claim.subject, Subject::Os(_)) {
            if !system_known {
                system_known = true;
                findings.extend(judge_system(claims, index, surroundings));
            }
        } else if claims
            .iter()
            .take(index)
            .all(|earlier| earlier.subject != claim.subject)
        {
            findings.extend(judge_subject(claims, index, surroundings));
        }
    }
    findings
}

/// Judges whether a record applies.
pub fn judge(claims: &Claims, surroundings: &Surroundings) -> Judgement {
    let findings = findings(claims, surroundings);
    let (verdict, deciding) = decide(&findings);
    let why = match deciding {
        Some(finding) => explain(claims, finding),
        None if claims.is_empty() => "it names no versions".to_owned(),
        None if surroundings.is_empty() => "you named no versions".to_owned(),
        None => "it names no version of what you have".to_owned(),
    };
    Judgement {
        verdict,
        why,
        same_major: deciding.is_some_and(|finding| finding.same_major),
    }
}

/// Chooses the verdict and the finding that decides.
fn decide<'f, 'a>(findings: &'f [Finding<'a>]) -> (Verdict, Option<&'f Finding<'a>>) {
    let first = |fit: Fit, main: Option<bool>| {
        findings.iter().find(|finding| {
            finding.fit == fit && main.is_none_or(|main| main == is_main(finding.subject))
        })
    };
    if let Some(finding) = first(Fit::Contradicts, None) {
        return (Verdict::Contradicted, Some(finding));
    }
    let main_match = first(Fit::Matches, Some(true));
    let differs = |main: bool| {
        findings.iter().find(|finding| {
            let counts = finding.source != AppliesSource::Observed;
            let counts = counts && (main || main_match.is_none() || !finding.narrow);
            finding.fit == Fit::Differs && is_main(finding.subject) == main && counts
        })
    };
    if let Some(finding) = differs(true) {
        return (Verdict::OtherVersion, Some(finding));
    }
    if let Some(finding) = first(Fit::OtherSystem, None) {
        return (Verdict::OtherPlatform, Some(finding));
    }
    if let Some(finding) = differs(false) {
        return (Verdict::OtherVersion, Some(finding));
    }
    match main_match.or_else(|| first(Fit::Matches, None)) {
        Some(finding) => (Verdict::Applies, Some(finding)),
        None => (Verdict::Unknown, None),
    }
}

/// Returns whether a record with this subject is about it, and not only written there.
fn is_main(subject: &Subject) -> bool {
    matches!(subject, Subject::Package(_) | Subject::Tool(_))
}

/// Compares the claims about the subject of one claim, the first about it.
fn judge_subject<'a>(
    claims: &'a Claims,
    first: usize,
    surroundings: &'a Surroundings,
) -> Option<Finding<'a>> {
    let subject = &claims.iter().nth(first)?.subject;
    let of_subject = || {
        claims
            .iter()
            .skip(first)
            .filter(|claim| claim.subject == *subject)
    };
    let mut best: Option<Finding<'a>> = None;
    for installed in surroundings.of(subject) {
        let Some(version) = &installed.version else {
            continue;
        };
        let finding = |fit, claim: &Claim, same_major| Finding {
            subject,
            first,
            fit,
            installed,
            source: claim.source,
            narrow: claim.range.as_ref().is_some_and(Range::is_narrow),
            same_major,
        };
        let inside = |claim: &&Claim| {
            claim
                .range
                .as_ref()
                .is_some_and(|range| installed.is_in(range))
        };
        let denies = |claim: &&Claim| match &claim.range {
            Some(range) if claim.excluded => installed.is_in(range),
            Some(range) => claim.source == AppliesSource::Inferred && !installed.is_in(range),
            None => claim.excluded,
        };
        // What only excludes some versions says nothing about the others.
        let counts = |claim: &&Claim| {
            let only_excludes = |range: &Range| {
                claim.source == AppliesSource::Inferred && range.is_open_on_both_sides()
            };
            let range = claim.range.as_ref();
            !claim.excluded && range.is_some_and(|range| !only_excludes(range))
        };
        let found = if let Some(claim) = of_subject().find(denies) {
            finding(Fit::Contradicts, claim, false)
        } else if let Some(claim) = of_subject()
            .filter(counts)
            .filter(inside)
            .max_by_key(|claim| claim.range.as_ref().is_some_and(Range::is_narrow))
        {
            finding(Fit::Matches, claim, true)
        } else if let Some(claim) = of_subject()
            .filter(counts)
            .min_by_key(|claim| claim.source == AppliesSource::Observed)
        {
            let ranges = of_subject()
                .filter(counts)
                .filter_map(|claim| claim.range.as_ref());
            finding(
                Fit::Differs,
                claim,
                has_same_major(subject.scheme(), ranges, version),
            )
        } else {
            continue;
        };
        // Of several versions of a package, one that matches is enough.
        if best.as_ref().is_none_or(|best| best.fit != Fit::Matches) {
            best = Some(found);
        }
    }
    best
}

/// Compares the operating systems that are named: one that matches is enough.
fn judge_system<'a>(
    claims: &'a Claims,
    first: usize,
    surroundings: &'a Surroundings,
) -> Option<Finding<'a>> {
    let mut other = None;
    for (index, claim) in claims.iter().enumerate().skip(first) {
        let Subject::Os(named) = &claim.subject else {
            continue;
        };
        if let Some(finding) = judge_subject(claims, index, surroundings) {
            return Some(finding);
        }
        for installed in surroundings.installed() {
            let Subject::Os(mine) = &installed.subject else {
                continue;
            };
            let finding = |fit| Finding {
                subject: &claim.subject,
                first: index,
                fit,
                installed,
                source: claim.source,
                narrow: false,
                same_major: false,
            };
            if mine == named || Subject::family(mine) == named {
                // Only the name of the system is known of both.
                return (claim.range.is_none()).then(|| finding(Fit::Matches));
            }
            let related = Subject::family(named) == mine || !Subject::is_known_os(mine);
            if !related && claim.source != AppliesSource::Observed {
                other = Some(finding(Fit::OtherSystem));
            }
        }
    }
    other
}

/// Returns whether the version in the ranges that is nearest to `version` has the same major version.
fn has_same_major<'a>(
    scheme: Scheme,
    ranges: impl Iterator<Item = &'a Range>,
    version: &Version,
) -> bool {
    let mine = major(scheme, &version.numbers());
    ranges
        .flat_map(Range::intervals)
        .flat_map(ends)
        .any(|end| major(scheme, &end) == mine)
}

/// Returns the numbers of the first and the last version of an interval. The last version below 19 is one of 18.
fn ends(interval: &Interval) -> Vec<Vec<u64>> {
    let mut ends = Vec::with_capacity(2);
    ends.extend(interval.low.as_ref().map(|low| low.version.numbers()));
    if let Some(high) = &interval.high {
        let mut numbers = high.version.numbers();
        while numbers.len() > 1 && numbers.last() == Some(&0) {
            numbers.pop();
        }
        if !high.inclusive
            && let Some(last) = numbers.last_mut()
        {
            *last = last.saturating_sub(1);
        }
        ends.push(numbers);
    }
    ends
}

/// Returns the numbers that change when compatibility breaks.
fn major(scheme: Scheme, numbers: &[u64]) -> (u64, u64) {
    match numbers {
        [0, minor, ..] if scheme.minor_is_major_below_one() => (0, *minor),
        [major, ..] => (*major, 0),
        [] => (0, 0),
    }
}

/// Writes the reason: `stated for react <19; you have 19.1`.
fn explain(claims: &Claims, finding: &Finding<'_>) -> String {
    let Finding {
        subject,
        fit,
        installed,
        source,
        ..
    } = finding;
    let mut why = String::with_capacity(64);
    let excluded = *fit == Fit::Contradicts
        && claims.iter().skip(finding.first).any(|claim| {
            let inside = |range: &Range| installed.is_in(range);
            claim.excluded && claim.subject == **subject && claim.range.as_ref().is_none_or(inside)
        });
    // Reports have voices.
    let is_from_text = claims
        .iter()
        .skip(finding.first)
        .filter(|claim| claim.subject == **subject && claim.source == *source)
        .all(|claim| claim.support.is_none());
    why.push_str(match source {
        _ if excluded => "known not to work with ",
        AppliesSource::Stated => "stated for ",
        AppliesSource::Observed => "worked with ",
        AppliesSource::Inferred if is_from_text => "its text rules it out: ",
        AppliesSource::Inferred => "reports suggest ",
    });
    let _ = write!(why, "{subject}");
    let mut separator = " ";
    for claim in claims
        .iter()
        .skip(finding.first)
        .filter(|claim| claim.subject == **subject)
    {
        if let Some(range) = &claim.range
            && claim.source == *source
            && claim.excluded == excluded
        {
            let _ = write!(why, "{separator}{}", range.describe());
            separator = " or ";
        }
    }
    let mine = match (&installed.subject, &installed.text) {
        (mine, Some(text)) if mine == *subject => text.clone(),
        (Subject::Os(name), Some(text)) => format!("{name} {text}"),
        (mine, _) => mine.to_string(),
    };
    let _ = write!(why, "; you have {mine}");
    why
}
