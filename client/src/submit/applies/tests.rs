//! What is proposed, and what never is.

use recall_kit_shared_types::applicability::PackageVersion;

use super::*;
use crate::{Answer, Decision, Draft, SanitizedDraft};

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
        ..Installed::default()
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
fn a_package_that_only_the_texts_name_is_proposed_if_everybody_may_know_it() {
    let problem = "quasar-ledger==1.2.0, @quasar/ui@3.0.0, zope.quasar==2.0 and react 18 fail";
    // Nothing is known of the project: a lock file may have been unreadable.
    assert_eq!(lines(problem, Installed::default()), ["npm react 18"]);
    let public = Installed {
        public: ["pkg:pypi/quasar-ledger", "pkg:npm/%40quasar/ui"]
            .map(str::to_owned)
            .to_vec(),
        ..Installed::default()
    };
    let all = lines(problem, public.clone()).join("; ");
    for line in ["pypi quasar-ledger 1.2.0", "npm @quasar/ui 3.0.0"] {
        assert!(all.contains(line), "{line}: {all}");
    }
    assert!(!all.contains("zope"), "{all}");
    // What is private somewhere is private in every ecosystem and spelling, even if it is popular.
    let private = Installed {
        private: [
            "pkg:cargo/Quasar_Ledger",
            "pkg:npm/%40quasar/ui",
            "pkg:gem/react",
        ]
        .map(str::to_owned)
        .to_vec(),
        ..public
    };
    assert!(lines(problem, private).is_empty());
}

#[test]
fn crates_are_compared_as_their_registry_does() {
    let public = Installed {
        public: vec!["pkg:cargo/quasar-ledger".to_owned()],
        ..Installed::default()
    };
    let names = Names::of(&public);
    let is_public = |line: &str| {
        let claim = Claim::of_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        names.are_public(&claim.subject)
    };
    assert!(is_public("cargo quasar_ledger 1"));
    assert!(!is_public("npm quasar-ledger 1"));
    let public = Installed {
        public: vec!["pkg:npm/quasar-ledger".to_owned()],
        ..Installed::default()
    };
    let names = Names::of(&public);
    let other = PackageName::of_familiar("npm", "quasar_ledger").map(Subject::Package);
    assert!(other.is_ok_and(|other| !names.are_public(&other)));
}

#[test]
fn a_proposal_that_is_left_as_it_is_follows_an_edit_of_the_texts() {
    let shown = Draft::new("It fails", "react before 19 fails", "We go on");
    let shown = shown.sanitize(&ConfiguredSanitizer::default());
    let shown = shown.propose(Installed::default());
    let after = |edit: &dyn Fn(&mut Draft)| {
        let mut draft = shown.to_draft();
        edit(&mut draft);
        match shown.clone().confirm(Answer::Edit(draft)) {
            Decision::Review(edited) => edited,
            other => panic!("{other:?}"),
        }
    };
    let lines = |shown: &SanitizedDraft| shown.applies().map(Claims::to_lines).unwrap_or_default();
    assert_eq!(lines(&shown), ["npm react <19"]);
    let other_text =
        |draft: &mut Draft| draft.problem_description = "lodash before 5 fails".to_owned();
    let edited = after(&other_text);
    assert_eq!(lines(&edited), ["npm lodash <5"]);
    assert!(!edited.is_stated(), "another edit is followed, too");
    // Lines that a person changed or removed stay.
    let edited = after(&|draft| {
        other_text(draft);
        draft.applies = "npm react <20".parse().ok();
    });
    assert_eq!(lines(&edited), ["npm react <20"]);
    assert!(edited.is_stated());
    let edited = after(&|draft| {
        other_text(draft);
        draft.applies = Some(Claims::default());
    });
    assert_eq!(edited.applies(), Some(&Claims::default()));
}

fn stated(lines: &str) -> Draft {
    Draft {
        applies: Some(lines.parse().expect("lines")),
        ..Draft::new("t", "p", "s")
    }
}

#[test]
fn lines_that_may_be_private_are_named_and_left_out() {
    let draft = stated("npm react 18; npm @quasar/ui 1; tool quasar-cli 2; node 20");
    let shown = draft.sanitize(&ConfiguredSanitizer::default());
    let private = Installed {
        private: vec!["pkg:npm/quasar-cli".to_owned()],
        ..Installed::default()
    };
    let named = shown.maybe_private(&private);
    assert_eq!(named, ["npm @quasar/ui 1", "tool quasar-cli 2"]);
    let left = shown.without_private(&private);
    let left = left.applies().map(Claims::to_lines);
    assert_eq!(
        left,
        Some(vec!["npm react 18".to_owned(), "node 20".to_owned()])
    );
    // What is left of private lines says nothing, while an empty list says that no version matters.
    let shown = stated("npm @quasar/ui 1").sanitize(&ConfiguredSanitizer::default());
    assert_eq!(shown.without_private(&private).applies(), None);
    let none = stated("").sanitize(&ConfiguredSanitizer::default());
    assert_eq!(
        none.without_private(&private).applies(),
        Some(&Claims::default())
    );
}

#[test]
fn claims_with_personal_data_are_left_out_and_named() {
    let draft = Draft {
        problem_description: "It fails in /home/rsmirnova/bin/deploy".to_owned(),
        ..stated("tool /home/rsmirnova/bin/deploy 2; os build-07.acme-corp.internal; npm react <19")
    };
    let shown = draft.sanitize(&ConfiguredSanitizer::default());
    let lines = shown.applies().map(Claims::to_lines);
    assert_eq!(lines, Some(vec!["npm react <19".to_owned()]));
    assert_eq!(shown.left_out().len(), 2, "{:?}", shown.left_out());
    assert!(
        !shown.left_out().concat().contains("rsmirnova"),
        "{:?}",
        shown.left_out()
    );
    let only =
        stated("tool /home/rsmirnova/bin/deploy 2").sanitize(&ConfiguredSanitizer::default());
    assert_eq!(only.applies(), None);
    // Names and versions of packages are no personal data.
    let all = "maven org.slf4j:slf4j-api 1.7; npm @babel/core 7; golang k8s.io/client-go 0.29; \
        golang github.com/spf13/cobra 1.8; nuget Newtonsoft.Json 13.0.3.27908; tool our-linter 2; node 20; \
        os ubuntu 22.04; composer symfony/console 6; pypi zope.interface 5.0";
    let all = all.replace("os ubuntu", "ubuntu");
    let shown = stated(&all).sanitize(&ConfiguredSanitizer::default());
    assert!(shown.left_out().is_empty(), "{:?}", shown.left_out());
    assert_eq!(shown.applies().map(Claims::len), Some(10));
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
    check("1!2.0", true, None);
    check("latest", true, None);
    let runtime = |name: &str, version: &str| NamedVersion {
        name: name.to_owned(),
        version: Some(version.to_owned()),
    };
    let environment = Environment {
        runtimes: vec![runtime("java", "1.8.0_292"), runtime("node", "v20.1.0")],
        ..Environment::default()
    };
    let installed = Installed {
        environment,
        ..Installed::default()
    };
    assert_eq!(
        lines("It fails with Java and in Node", installed),
        ["java 8", "node 20"]
    );
}

#[test]
fn ordinary_words_name_no_runtime() {
    let check = |text: &str, runtime: &str, expected: bool| {
        let found = names_runtime(text, &Subject::runtime(runtime));
        assert_eq!(found, expected, "{text}");
    };
    check("a node of the tree is lost", "node", false);
    check("It fails. Node 3 of the cluster is away", "node", false);
    check("It fails in Node", "node", true);
    check("Node.js fails", "node", true);
    check("nodejs fails", "node", true);
    check("a swift answer\nDart throws", "swift", false);
    check("the apps in Swift/Dart fail", "dart", true);
    check("they go on", "go", false);
    check("python fails", "python", true);
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
