//! Where an experience applies: proposed from its sanitized texts and from what is installed, for a person to change
//! and confirm. Nothing private is proposed.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use recall_kit_applicability::{Claim, Claims, PackageName, RecordTexts, Subject, claims_in};
use recall_kit_sanitizer::{Finding, RuleGroup, Sanitized};
use recall_kit_shared_types::{
    SubmitExperienceRequest,
    applicability::{
        Applies, AppliesSource, Environment, NamedVersion, applicability_limits::MAX_APPLIES,
    },
};

use crate::sanitizer::ConfiguredSanitizer;

/// The most packages that are proposed only because they are installed.
const MAX_INSTALLED: usize = 10;
/// Runtimes whose first number alone says what is compatible.
const BY_MAJOR: [&str; 5] = ["bun", "deno", "dotnet", "java", "node"];
/// Ordinary words that are also names of runtimes.
const ORDINARY: [&str; 7] = ["go", "r", "net", "py", "node", "swift", "dart"];
/// Those that name the runtime if they begin with a capital inside a sentence.
const CAPITALIZED: [&str; 4] = ["Go", "Node", "Swift", "Dart"];

/// What is installed where an experience was made, and which names of packages everybody may know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    /// Versions of the public packages that the texts mention, and of runtimes.
    pub environment: Environment,
    /// Package URLs of packages that are certainly public. A package that only the texts name is proposed if it is one
    /// of these or a popular one.
    pub public: Vec<String>,
    /// Package URLs that are never proposed, even if the texts name them: those of private packages.
    pub private: Vec<String>,
}

/// The names of [`Installed`], by which claims are looked up.
struct Names {
    public: HashSet<PackageName>,
    /// In whatever ecosystem and spelling: a text may have another one than the lock file.
    private: HashSet<String>,
}

impl Names {
    fn of(installed: &Installed) -> Self {
        let names = |purls: &[String]| -> Vec<PackageName> {
            let names = purls.iter().map(|purl| PackageName::parse(purl));
            names.filter_map(Result::ok).collect()
        };
        let of_environment = installed.environment.packages.iter();
        let of_environment: Vec<String> = of_environment.map(|it| it.purl.clone()).collect();
        let public = [names(&installed.public), names(&of_environment)].concat();
        let private = names(&installed.private);
        Self {
            public: public.into_iter().collect(),
            private: private.iter().map(|it| folded(&it.familiar())).collect(),
        }
    }

    /// Returns whether everybody may know what a claim is about. A name that nothing is known of may be private.
    fn are_public(&self, subject: &Subject) -> bool {
        if self.private.contains(&folded(&subject.to_string())) {
            return false;
        }
        match subject {
            Subject::Package(name) => name.is_popular() || self.public.contains(name),
            _ => true,
        }
    }
}

/// Returns a name without the differences of its spellings: in lower case, with one `-` for any of `-`, `_` and `.`.
fn folded(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Proposes where an experience applies: as its texts say, and with the packages and runtimes that they name in the
/// versions that are installed.
pub(super) fn proposed(request: &SubmitExperienceRequest, installed: &Installed) -> Claims {
    let mut claims = of_texts(request);
    for claim in of_environment(&installed.environment, request) {
        if claims.iter().all(|known| known.subject != claim.subject) {
            claims.push(claim);
        }
    }
    let names = Names::of(installed);
    claims.retain(|claim| names.are_public(&claim.subject));
    claims.sort_by_key(|claim| !matches!(claim.subject, Subject::Package(_)));
    claims.truncate(MAX_APPLIES);
    claims.into()
}

/// Splits claims into those whose names everybody may know, and others.
pub(super) fn public_and_others(claims: &Claims, installed: &Installed) -> (Claims, Claims) {
    let names = Names::of(installed);
    let claims = claims.iter().cloned();
    let (public, others): (Vec<Claim>, Vec<Claim>) =
        claims.partition(|claim| names.are_public(&claim.subject));
    (public.into(), others.into())
}

/// Returns what is left of a list. One of which nothing is left says nothing; only one that was empty before says that
/// no version matters.
pub(crate) fn left_of(before: usize, left: Claims) -> Option<Claims> {
    Some(left).filter(|left| before == 0 || !left.is_empty())
}

/// Returns what the texts say, as its author would state it.
fn of_texts(request: &SubmitExperienceRequest) -> Vec<Claim> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let (cause, context) = (text(&request.root_cause), text(&request.context));
    let texts = RecordTexts {
        title: &request.title,
        problem: &request.problem_description,
        cause: &cause,
        solution: &request.solution,
        context: &context,
        keywords: request.keywords.as_deref().unwrap_or_default(),
    };
    let read = Claims::read_known(&claims_in(&texts, &()));
    // What a text rules out matters only where it does not say what it is for.
    let is_stated = |claim: &Claim| claim.source == AppliesSource::Stated;
    let has_stated = |subject: &Subject| {
        let mut stated = read.iter().filter(|claim| is_stated(claim));
        stated.any(|claim| claim.subject == *subject)
    };
    let claims = read
        .iter()
        .filter(|claim| is_stated(claim) || !has_stated(&claim.subject));
    claims
        .map(|claim| Claim {
            source: AppliesSource::Stated,
            support: None,
            ..claim.clone()
        })
        .collect()
}

/// Returns the packages that are installed, and the runtimes that the texts name, each with the versions that are
/// compatible.
fn of_environment(environment: &Environment, request: &SubmitExperienceRequest) -> Vec<Claim> {
    let line = |name: &str, version: &Option<String>, is_major: bool| {
        let version = compatible(version.as_deref()?, is_major)?;
        Claim::of_line(&format!("{name} {version}")).ok()
    };
    let packages = environment.packages.iter().take(MAX_INSTALLED);
    let packages = packages.filter_map(|it| line(&it.purl, &it.version, true));
    let is_named = |runtime: &&NamedVersion| {
        let subject = Subject::runtime(&runtime.name);
        let texts = super::texts_of(request);
        texts.iter().any(|(_, text)| names_runtime(text, &subject))
    };
    let runtimes = environment.runtimes.iter().filter(is_named);
    let runtimes = runtimes.filter_map(|it| {
        let subject = Subject::runtime(&it.name);
        let version = it.version.as_deref()?;
        let version = Some(subject.comparable_version(version).to_owned());
        let name = format!("runtime {}", it.name);
        line(&name, &version, BY_MAJOR.contains(&it.name.as_str()))
    });
    packages.chain(runtimes).collect()
}

/// Returns whether a text names a runtime.
fn names_runtime(text: &str, runtime: &Subject) -> bool {
    text.lines().any(|line| {
        let mut begins_sentence = true;
        line.split_whitespace().any(|token| {
            let mut words = token
                .split(|c: char| !(c.is_alphanumeric() || c == '.'))
                .map(|word| word.trim_matches('.'))
                .filter(|word| !word.is_empty());
            let is_named = words.any(|word| {
                let lower = word.to_lowercase();
                let is_ordinary = ORDINARY.contains(&lower.as_str())
                    && (begins_sentence || !CAPITALIZED.contains(&word));
                !is_ordinary && Subject::runtime(&lower) == *runtime
            });
            begins_sentence = token.ends_with(['.', '!', '?', ':']);
            is_named
        })
    })
}

/// Returns the numbers of a version that stay while it is compatible: `18` of `18.2.0`, `0.8` of `0.8.5`. Without
/// `is_major` it is always two. `0.0` and a version with an epoch say nothing.
fn compatible(version: &str, is_major: bool) -> Option<String> {
    let version = version.strip_prefix('v').unwrap_or(version);
    // An epoch goes before all numbers.
    if version.contains('!') {
        return None;
    }
    let end = version.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let numbers: Vec<&str> = version
        .get(..end.unwrap_or(version.len()))?
        .split('.')
        .collect();
    match numbers[..] {
        ["", ..] | [] => None,
        ["0"] | ["0", "" | "0", ..] => None,
        [first, ..] if is_major && first != "0" => Some(first.to_owned()),
        [first, second, ..] if !second.is_empty() => Some(format!("{first}.{second}")),
        [first, ..] => Some(first.to_owned()),
    }
}

/// Claims after the sanitizer.
pub(super) struct Checked {
    /// The claims in which it found nothing.
    pub(super) claims: Claims,
    /// The others, with what was found replaced.
    pub(super) left_out: Vec<String>,
    /// What it found.
    pub(super) findings: Vec<Finding>,
}

/// Returns what claims are about, for the sanitizer to look at.
pub(super) fn names_in(claims: &Claims) -> Vec<String> {
    let names = claims.iter().map(|claim| claim.subject.to_string());
    names.collect()
}

/// Leaves out claims whose [names](names_in) the sanitizer changed, and those with a secret, whatever the settings are:
/// nobody needs one there.
pub(super) fn checked(
    claims: &Claims,
    names: Vec<Sanitized>,
    sanitizer: &ConfiguredSanitizer,
) -> Checked {
    let (mut kept, mut left_out, mut findings) = (Vec::new(), Vec::new(), Vec::new());
    for (claim, name) in claims.iter().zip(names) {
        let Some(item) = claim.to_wire() else {
            continue;
        };
        if !name.findings.is_empty() || name.text != claim.subject.to_string() {
            left_out.push(name.text);
            findings.extend(name.findings);
            continue;
        }
        let text = text_of(&item);
        let clean = sanitizer.sanitize_outgoing_text(&[RuleGroup::RemoveApiKeys], &text);
        if clean == text {
            kept.push(claim.clone());
            continue;
        }
        left_out.push(clean);
        findings.extend(sanitizer.with(&[RuleGroup::RemoveApiKeys], &text).findings);
    }
    Checked {
        claims: kept.into(),
        left_out,
        findings,
    }
}

/// Returns an item as a server checks it.
fn text_of(item: &Applies) -> String {
    let subject = [&item.purl, &item.runtime, &item.tool, &item.os];
    let subject = subject.into_iter().flatten().cloned().collect::<String>();
    format!("{subject} {}", item.range.as_deref().unwrap_or_default())
}
