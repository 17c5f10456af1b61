//! Lines that are read, lines that are not, and that what is written is read again.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use recall_kit_i18n::Language;
use recall_kit_shared_types::applicability::Applies;

use super::*;
use crate::{RecordTexts, claims_in};

fn wire(line: &str) -> (String, Option<String>) {
    let claim = Claim::of_line(line).unwrap_or_else(|problem| panic!("{line}: {problem}"));
    let item = claim.to_wire().unwrap();
    let kinds = [
        ("", &item.purl),
        ("runtime ", &item.runtime),
        ("tool ", &item.tool),
        ("os ", &item.os),
    ];
    let name = kinds.into_iter().find_map(|(kind, name)| {
        let name = name.as_ref()?;
        Some(format!("{kind}{name}"))
    });
    (name.unwrap(), item.range)
}

#[test]
fn lines_name_packages_runtimes_programs_and_systems() {
    let check = |line: &str, name: &str, range: Option<&str>| {
        assert_eq!(
            wire(line),
            (name.to_owned(), range.map(str::to_owned)),
            "{line}"
        );
    };
    check("npm react <19", "pkg:npm/react", Some("vers:npm/<19"));
    check(
        "npm @babel/core ^7.2",
        "pkg:npm/%40babel/core",
        Some("vers:npm/>=7.2|<8"),
    );
    check("react 18", "pkg:npm/react", Some("vers:npm/>=18|<19"));
    check(
        "pypi Flask_Login 0.6.3",
        "pkg:pypi/flask-login",
        Some("vers:pypi/0.6.3"),
    );
    check("pypi x =2.0", "pkg:pypi/x", Some("vers:pypi/2.0"));
    check(
        "cargo serde 1.0.200",
        "pkg:cargo/serde",
        Some("vers:cargo/1.0.200"),
    );
    check(
        "pypi x >= 1.9, <2",
        "pkg:pypi/x",
        Some("vers:pypi/>=1.9|<2"),
    );
    check(
        "pypi x <1.2.8 or 1.3",
        "pkg:pypi/x",
        Some("vers:pypi/<1.2.8|>=1.3|<1.4"),
    );
    check(
        "maven org.slf4j:slf4j-api [1.7,2.0)",
        "pkg:maven/org.slf4j/slf4j-api",
        Some("vers:maven/>=1.7|<2.0"),
    );
    check(
        "golang k8s.io/client-go v0.29.x",
        "pkg:golang/k8s.io/client-go",
        Some("vers:golang/>=0.29|<0.30"),
    );
    check(
        "pkg:npm/react vers:npm/<19",
        "pkg:npm/react",
        Some("vers:npm/<19"),
    );
    check("pkg:github/a/b", "pkg:github/a/b", None);
    check("node 20", "runtime node", Some("vers:generic/>=20|<21"));
    check(
        "Python !=3.12.1",
        "runtime python",
        Some("vers:generic/!=3.12.1"),
    );
    check("npm >=10", "tool npm", Some("vers:generic/>=10"));
    check("maven 3.9", "tool maven", Some("vers:generic/>=3.9|<3.10"));
    check("docker", "tool docker", None);
    check("tool our-linter *", "tool our-linter", None);
    check(
        "ubuntu 22.04",
        "os ubuntu",
        Some("vers:generic/>=22.04|<22.5"),
    );
    check("windows", "os windows", None);
    // Names may begin like versions.
    check(
        "npm v8-compile-cache 2",
        "pkg:npm/v8-compile-cache",
        Some("vers:npm/>=2|<3"),
    );
    check("npm v8-compile-cache", "pkg:npm/v8-compile-cache", None);
    check("tool 7zip 23", "tool 7zip", Some("vers:generic/>=23|<24"));
    check("tool 7zip", "tool 7zip", None);
    check("npm 10", "tool npm", Some("vers:generic/>=10|<11"));
    check(
        "npm 10 or 12",
        "tool npm",
        Some("vers:generic/>=10|<11|>=12|<13"),
    );
    check(
        "npm 10.2.0-beta",
        "tool npm",
        Some("vers:generic/10.2.0-beta"),
    );
}

#[test]
fn names_that_look_like_versions_are_written_and_read_again() {
    let package = |name| Subject::Package(PackageName::of_familiar("npm", name).unwrap());
    let tool = Subject::tool("7");
    for subject in [
        package("7"),
        package("v8-compile-cache"),
        package("10.2.0-beta"),
        tool,
    ] {
        let claim = Claim {
            subject,
            range: None,
            source: AppliesSource::Stated,
            support: None,
            excluded: false,
        };
        let line = claim.to_line();
        assert_eq!(Claim::of_line(&line), Ok(claim), "{line}");
    }
}

#[test]
fn what_is_wrong_with_a_line_is_named() {
    let check = |line: &str, expected: LineProblem| {
        assert_eq!(Claim::of_line(line), Err(expected), "{line}");
    };
    check(
        "npm react >2 <1",
        LineProblem::EmptyRange(">2 <1".to_owned()),
    );
    check(
        "npm react >=2, <2",
        LineProblem::EmptyRange(">=2, <2".to_owned()),
    );
    check(
        "npm react > 2 < 1",
        LineProblem::EmptyRange("> 2 < 1".to_owned()),
    );
    check("npm react <", LineProblem::Range("<".to_owned()));
    check("npm react 1 or", LineProblem::Range(String::new()));
    check("npm react <x", LineProblem::Range("<x".to_owned()));
    check("node 20 and 22", LineProblem::Range("20 and 22".to_owned()));
    check("foo bar <2", LineProblem::Ecosystem("foo".to_owned()));
    check(
        "our-own-thing <2",
        LineProblem::Name("our-own-thing".to_owned()),
    );
    check(
        "maven guava <2",
        LineProblem::Package(InvalidName::NoNamespace),
    );
    check(
        "pkg:npm/react@18",
        LineProblem::Package(InvalidName::MoreThanAName),
    );
    check(
        "npm react vers:pypi/<2",
        LineProblem::Vers(InvalidRange::OtherType {
            range: "pypi",
            package: "npm",
        }),
    );
    check(
        "tool näme 2",
        LineProblem::Word(InvalidWord::WrongCharacters),
    );
    let long = format!("npm react {}", vec!["1.2.3"; 100].join(" or "));
    assert!(Claim::of_line(&long).is_ok(), "the same version again");
    let long = format!("npm react {}", vec!["1.2.3"; 300].join(" or "));
    let error = long.parse::<Claims>().unwrap_err();
    assert_eq!(error.problem, LineProblem::TooLong);
    assert_eq!(error.line.chars().count(), MAX_ECHO_CHARS + 1);
    let error = format!("npm react <{}", "x".repeat(900));
    let error = error.parse::<Claims>().unwrap_err();
    assert!(error.to_string().chars().count() < 300, "{error}");
    let many: Vec<String> = (0..30)
        .map(|at| format!("<{at}.1000000000.10000000"))
        .collect();
    assert!(Claim::of_line(&format!("npm react {}", many.join(" or "))).is_ok());
    let lines = "docker\n".repeat(200);
    assert_eq!(lines.parse::<Claims>().unwrap().len(), 1);
    let lines: Vec<String> = (0..51).map(|at| format!("npm a{at}")).collect();
    let error = lines.join(";").parse::<Claims>().unwrap_err();
    assert_eq!(error.problem, LineProblem::TooMany);
    assert_eq!(error.line, "npm a50");
}

#[test]
fn what_is_wrong_is_said_in_every_language_with_its_limit() {
    let many: Vec<String> = (0..51).map(|at| format!("npm a{at}")).collect();
    let intervals: Vec<String> = (0..41).map(|at| format!("{at}.1")).collect();
    let long = |what: &str, length| format!("{what}{}", "x".repeat(length));
    for (lines, named) in [
        (many.join("\n"), "50"),
        (long("npm react <", MAX_LINE_CHARS), "1024"),
        (long("npm react vers:npm/<", MAX_RANGE_CHARS), "500"),
        (format!("npm react vers:npm/{}", intervals.join("|")), "40"),
        (long("npm ", 400), "300"),
        (long("tool ", 101), "100"),
        ("tool näme".to_owned(), "`.+-_`"),
        ("maven guava <2".to_owned(), "`pkg:"),
        ("cargo a/b <2".to_owned(), "`pkg:"),
        ("pkg:npm <2".to_owned(), "`pkg:npm/react`"),
        ("pkg:npm/react@18".to_owned(), "`#`"),
        ("npm ..".to_owned(), ""),
        ("npm react <x".to_owned(), "`<x`"),
        ("npm react >2 <1".to_owned(), "`>2 <1`"),
        ("npm react vers:npm/>2|<1".to_owned(), ""),
        ("npm react vers:npm/<x".to_owned(), "`x`"),
        ("npm react vers:npm/>1|>1".to_owned(), "`1`"),
        ("npm react vers:pypi/<2".to_owned(), "`vers:npm/…`"),
        ("npm react vers:".to_owned(), "`vers:npm/>=16.8.0|<19`"),
        ("foo bar <2".to_owned(), "`foo`"),
        ("our-own-thing <2".to_owned(), "`our-own-thing`"),
    ] {
        let problem = lines.parse::<Claims>().unwrap_err().problem;
        let said = Language::ALL.map(|language| problem.in_language(language));
        for one in &said {
            assert!(one.contains(named) && !one.contains("{}"), "{lines}: {one}");
        }
        let [english, chinese, french] = said;
        assert!(
            english != chinese && english != french,
            "{lines}: {english}"
        );
        let is_chinese = |c: char| ('\u{4e00}'..'\u{a000}').contains(&c);
        assert!(chinese.contains(is_chinese), "{lines}: {chinese}");
        for sign in [" :", " ;", " ?", " !"] {
            assert!(!french.contains(sign), "{lines}: {french}");
        }
    }
}

#[test]
fn what_texts_say_is_written_and_read_again() {
    let texts = [
        "react 16, Node 12",
        "torch==1.9.0 and pandas>=2,<3 on Ubuntu 22.04",
        "lodash: fixed in 4.17.21; before 4.17.21 it fails",
        "The build fails with org.apache.mina:mina-core from 2.0.0 to 2.1.3",
        "Only on Windows, with Docker 24.0 and Python 3.7",
        "golang.org/x/net v0.20.0, github.com/spf13/cobra v1.8",
    ];
    for problem in texts {
        let texts = RecordTexts {
            problem,
            ..RecordTexts::default()
        };
        let claims = Claims::read(&claims_in(&texts, &())).unwrap();
        assert!(!claims.is_empty(), "{problem}");
        let lines = claims.to_lines();
        assert!(!lines.concat().contains("vers:"), "{lines:?}");
        assert_eq!(lines.join("; ").parse(), Ok(claims), "{lines:?}");
    }
}

proptest! {
    #[test]
    fn every_claim_is_read_as_it_was_written(
        kind in prop::sample::select(vec!["npm", "pypi", "cargo", "gem", "nuget", "golang", "hex"]),
        name in "[a-z0-9][a-z0-9-]{0,8}",
        bounds in prop::collection::vec((0u8..6, 0u32..30, 0u32..30, 0u32..4), 0..4),
    ) {
        let comparisons = bounds.iter().map(|(sign, major, minor, parts)| {
            let sign = ["", "<", "<=", ">", ">=", "!="][usize::from(*sign)];
            let version = ["", ".0", ".3.1", ".3.1.7"][*parts as usize];
            format!("{sign}{major}.{minor}{version}")
        });
        let vers = format!("vers:{kind}/{}", comparisons.collect::<Vec<_>>().join("|"));
        let item = Applies {
            purl: Some(format!("pkg:{kind}/{name}")),
            range: (!bounds.is_empty()).then_some(vers),
            ..Applies::default()
        };
        if let Ok(claims) = Claims::read(&[item]) {
            let lines = claims.to_lines();
            prop_assert_eq!(lines.join("\n").parse(), Ok(claims), "{:?}", lines);
        }
    }

    #[test]
    fn no_text_makes_it_fail(text in ".{0,60}") {
        let _ = text.parse::<Claims>();
    }
}
