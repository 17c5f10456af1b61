//! Where an experience applies: proposed from its sanitized texts and from what is installed, for a person to change
//! and confirm. Nothing private is proposed.

use std::collections::HashSet;

use recall_kit_applicability::{Claim, Claims, PackageName, RecordTexts, Subject, claims_in};
use recall_kit_sanitizer::{Finding, RuleGroup};
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
const ORDINARY: [&str; 4] = ["go", "r", "net", "py"];

/// What is installed where an experience was made, as far as a proposal may name it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    /// Versions of the public packages that the texts mention, and of runtimes.
    pub environment: Environment,
    /// Package URLs that are never proposed, even if the texts name them: those of private packages.
    pub private: Vec<String>,
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
    let private = installed.private.iter();
    let private: HashSet<PackageName> = private
        .filter_map(|purl| PackageName::parse(purl).ok())
        .collect();
    claims.retain(|claim| match &claim.subject {
        Subject::Package(name) => !private.contains(name),
        _ => true,
    });
    claims.sort_by_key(|claim| !matches!(claim.subject, Subject::Package(_)));
    claims.truncate(MAX_APPLIES);
    claims.into()
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
        let mut words = super::texts_of(request)
            .into_iter()
            .flat_map(|(_, text)| text.split(|c: char| !(c.is_alphanumeric() || c == '.')))
            .map(|word| word.trim_matches('.').to_lowercase());
        words.any(|word| {
            !ORDINARY.contains(&word.as_str())
                && !word.is_empty()
                && Subject::runtime(&word) == subject
        })
    };
    let runtimes = environment.runtimes.iter().filter(is_named);
    let runtimes = runtimes.filter_map(|it| {
        let name = format!("runtime {}", it.name);
        line(&name, &it.version, BY_MAJOR.contains(&it.name.as_str()))
    });
    packages.chain(runtimes).collect()
}

/// Returns the numbers of a version that stay while it is compatible: `18` of `18.2.0`, `0.8` of `0.8.5`. Without
/// `is_major` it is always two. `0.0` says nothing.
fn compatible(version: &str, is_major: bool) -> Option<String> {
    let version = version.strip_prefix('v').unwrap_or(version);
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

/// Leaves out claims in which there are secrets, whatever the settings are: nobody needs one there.
pub(super) fn without_secrets(
    claims: Claims,
    sanitizer: &ConfiguredSanitizer,
) -> (Claims, Vec<Finding>) {
    let mut findings = Vec::new();
    let kept = claims.iter().filter(|claim| {
        let Some(item) = claim.to_wire() else {
            return false;
        };
        let text = text_of(&item);
        let clean = sanitizer.sanitize_outgoing(&[RuleGroup::RemoveApiKeys], &[&text]);
        if clean == [text.as_str()] {
            return true;
        }
        let found = sanitizer.with(&[RuleGroup::RemoveApiKeys], &text);
        findings.extend(found.findings);
        false
    });
    let kept: Vec<Claim> = kept.cloned().collect();
    (kept.into(), findings)
}

/// Returns an item as a server checks it.
fn text_of(item: &Applies) -> String {
    let subject = [&item.purl, &item.runtime, &item.tool, &item.os];
    let subject = subject.into_iter().flatten().cloned().collect::<String>();
    format!("{subject} {}", item.range.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    //! What is proposed, and what never is.

    use recall_kit_shared_types::applicability::PackageVersion;

    use super::*;
    use crate::Draft;

    fn installed(packages: &[(&str, &str)], private: &[&str]) -> Installed {
        let packages = packages.iter().map(|(purl, version)| PackageVersion {
            purl: (*purl).to_owned(),
            version: Some((*version).to_owned()),
        });
        Installed {
            environment: Environment {
                packages: packages.collect(),
                runtimes: [("node", "20.11.0"), ("python", "3.11.4"), ("go", "1.22.1")]
                    .map(|(name, version)| NamedVersion {
                        name: name.to_owned(),
                        version: Some(version.to_owned()),
                    })
                    .to_vec(),
                os: Some("linux".to_owned()),
                ..Environment::default()
            },
            private: private.iter().map(|purl| (*purl).to_owned()).collect(),
        }
    }

    fn lines(problem: &str, installed: Installed) -> Vec<String> {
        let draft = Draft::new("It fails", problem, "We go on");
        let shown = draft.sanitize(&ConfiguredSanitizer::default());
        let shown = shown.propose(installed);
        shown.applies().map(Claims::to_lines).unwrap_or_default()
    }

    #[test]
    fn texts_and_installed_versions_are_proposed() {
        let packages = [
            ("pkg:npm/react", "18.2.0"),
            ("pkg:npm/zustand", "4.5.1"),
            ("pkg:cargo/rand", "0.8.5"),
            (
                "pkg:golang/golang.org/x/net",
                "v0.0.0-20210921155107-089bfa567519",
            ),
        ];
        let check = |problem: &str, expected: &[&str]| {
            let found = lines(problem, installed(&packages, &[]));
            assert_eq!(found, expected, "{problem}");
        };
        // The text goes before what is installed.
        check(
            "react before 19 and Python fail",
            &[
                "npm react <19",
                "npm zustand 4",
                "cargo rand 0.8",
                "python 3.11",
            ],
        );
        check(
            "Node.js 22 fails",
            &["npm react 18", "npm zustand 4", "cargo rand 0.8", "node 22"],
        );
        let of_text = lines("react 16 fails", Installed::default());
        assert_eq!(of_text, ["npm react 16"]);
        assert!(lines("it fails", Installed::default()).is_empty());
    }

    #[test]
    fn private_packages_are_never_proposed() {
        let problem = "quasar-ledger==1.2.0 and @quasar/ui@3.0.0 and react 18 fail";
        let private = ["pkg:pypi/quasar-ledger", "pkg:npm/%40quasar/ui"];
        assert_eq!(lines(problem, installed(&[], &private)), ["npm react 18"]);
        let unknown = lines(problem, Installed::default()).join("; ");
        assert!(unknown.contains("pypi quasar-ledger 1.2.0"), "{unknown}");
    }

    #[test]
    fn versions_are_cut_where_compatibility_ends() {
        let check = |version, is_major, expected: Option<&str>| {
            assert_eq!(
                compatible(version, is_major).as_deref(),
                expected,
                "{version}"
            );
        };
        check("18.2.0", true, Some("18"));
        check("v5.0.0-rc.1", true, Some("5"));
        check("0.8.5", true, Some("0.8"));
        check("0.0.3", true, None);
        check("3.11.4", false, Some("3.11"));
        check("21", false, Some("21"));
        check("1!2.0", true, Some("1"));
        check("latest", true, None);
    }

    #[test]
    fn claims_with_secrets_are_left_out() {
        // Put together here, so that scanners do not take it for one.
        let token = ["ghp", "_", "x7Kq2LmN9pRs4TuV6wXy8ZaB1cDe3FgH5jKl"].concat();
        let draft = Draft {
            applies: Some(
                format!("npm react <19; npm {token} 1")
                    .parse()
                    .expect("lines"),
            ),
            ..Draft::new("t", "p", "s")
        };
        let shown = draft.sanitize(&ConfiguredSanitizer::default());
        let lines = shown.applies().map(Claims::to_lines);
        assert_eq!(lines, Some(vec!["npm react <19".to_owned()]));
        assert!(!shown.removed().is_empty());
    }
}
