//! Ranges: VERS strings, what they contain, descriptions, and the grammars of manifests.

use proptest::prelude::*;

use super::{Range, manifest};
use crate::scheme::Scheme;

fn range(text: &str) -> Range {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn ranges_contain_their_versions() {
    let check = |text: &str, inside: &[&str], outside: &[&str]| {
        let range = range(text);
        for version in inside {
            assert_eq!(range.contains(version), Some(true), "{text} {version}");
        }
        for version in outside {
            assert_eq!(range.contains(version), Some(false), "{text} {version}");
        }
    };
    check(
        "vers:pypi/>=1.9|<2.0",
        &["1.9", "1.9.0", "1.99", "1.9rc1"],
        &["1.8.9", "2.0", "2.0rc1", "2.0.dev3"],
    );
    check(
        "vers:npm/<19",
        &["18.2.0", "0.0.1"],
        &["19.0.0", "19.0.0-rc.1", "20"],
    );
    check(
        "vers:pypi/1.9",
        &["1.9.0", "1.9.0+cu111"],
        &["1.9.1", "1.9rc1", "1.9.post1"],
    );
    check(
        "vers:maven/31.1",
        &["31.1-jre", "31.1"],
        &["31.1-rc1", "31.1.1-jre"],
    );
    check("vers:maven/<=31.1", &["31.1-jre", "31.0"], &["31.1.1"]);
    check(
        "vers:npm/<1.2.8|>=1.3|<1.3.2",
        &["1.2.7", "1.3.0"],
        &["1.2.8", "1.2.9", "1.3.2"],
    );
    check(
        "vers:npm/>=1|!=1.5|<2",
        &["1.4.9", "1.5.1"],
        &["1.5.0", "2.0.0"],
    );
    check("vers:npm/!=1.5", &["0.1.0", "9.0.0"], &["1.5.0"]);
    check("vers:npm/<1|>2", &["0.9.0", "2.0.1"], &["1.0.0", "2.0.0"]);
    check("vers:npm/1.0.0|2.0.0", &["1.0.0", "2.0.0"], &["1.5.0"]);
    check("vers:cargo/*", &["0.1.0", "9.9.9"], &[]);
    assert_eq!(range("vers:npm/<19").contains("latest"), None);
}

#[test]
fn wrong_ranges_are_rejected() {
    let long = format!("vers:npm/{}", "1.0.0|".repeat(100));
    let wrong = [
        "",
        "1.0",
        ">=1",
        "vers:",
        "vers:npm",
        "vers:npm/",
        "vers:npm/|",
        "vers:npm/latest",
        "vers:npm/>2|<1",
        "vers:npm/>1|<1",
        "vers:npm/>=1|<1.0.0",
        "vers:npm/1|1.0",
        "vers:npm/>1|>2",
        "vers:npm/<1|<2",
        "vers:npm/>=",
        "vers:np m/1",
        "vers:npm/1 2",
        &long,
    ];
    for text in wrong {
        assert!(text.parse::<Range>().is_err(), "{text}");
    }
    let error = "vers:npm/>2|<1".parse::<Range>().expect_err("empty");
    assert!(
        error.to_string().contains("no version is in this range"),
        "{error}"
    );
}

#[test]
fn ranges_are_written_for_people() {
    let check = |text: &str, expected: &str| assert_eq!(range(text).describe(), expected, "{text}");
    check("vers:npm/<19", "<19");
    check("vers:pypi/1.9", "1.9");
    check("vers:pypi/>=1.9|<1.10", "1.9");
    check("vers:npm/>=16|<17", "16");
    check("vers:pypi/>=1.9|<2.0", "≥1.9 and <2.0");
    check("vers:npm/<1.2.8|>=1.3|<1.3.2", "<1.2.8 or ≥1.3 and <1.3.2");
    check("vers:npm/>1|<=2", ">1 and ≤2");
    check("vers:npm/1|2|3|4|5|6", "1 or 2 or 3 or 4 or 2 more");
    check("vers:npm/*", "any version");
}

#[test]
fn manifests_are_read_in_their_own_grammar() {
    let check = |kind: &str, text: &str, expected: &str| {
        let found = manifest::read(Scheme::of_purl_type(kind), text).map(|range| range.to_string());
        assert_eq!(
            found.as_deref(),
            Some(format!("vers:{kind}/{expected}").as_str()),
            "{kind} {text}"
        );
    };
    check("npm", "^1.2.3", ">=1.2.3|<2");
    check("npm", "^0.2.3", ">=0.2.3|<0.3");
    check("npm", "^0.0.3", ">=0.0.3|<0.0.4");
    check("npm", "~1.2.3", ">=1.2.3|<1.3");
    check("npm", "1.2.x", ">=1.2|<1.3");
    check("npm", "1.2.3 - 2.0.0", ">=1.2.3|<=2.0.0");
    check(
        "npm",
        "^1.0.0 || >=3.0.0 <4.0.0",
        ">=1.0.0|<2|>=3.0.0|<4.0.0",
    );
    check("npm", ">= 1.2.3", ">=1.2.3");
    check("cargo", "1.2", ">=1.2|<2");
    check("cargo", "=1.2.3", "1.2.3");
    check("pypi", "~=1.4.2", ">=1.4.2|<1.5");
    check("pypi", "==1.9", "1.9");
    check("pypi", "==1.9.*", ">=1.9|<1.10");
    check("pypi", ">=1,<2,!=1.5", ">=1|!=1.5|<2");
    check("gem", "~> 2.1", ">=2.1|<3");
    check("gem", "~> 2.1.0", ">=2.1.0|<2.2");
    check("composer", "~1.2", ">=1.2|<2");
    check("composer", "^8.0||^9.0", ">=8.0|<10");
    check("maven", "[1.0,2.0)", ">=1.0|<2.0");
    check("maven", "(,1.0],[1.2,)", "<=1.0|>=1.2");
    check("nuget", "[1.0]", "1.0");
    for text in [
        "workspace:*",
        "latest",
        "^",
        ">=",
        "git+ssh://x",
        "[1.0",
        "(,",
        "1.0 -",
    ] {
        assert_eq!(manifest::read(Scheme::Npm, text), None, "{text}");
        assert_eq!(manifest::read(Scheme::Maven, text), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn vers_strings_round_trip_and_complements_divide_all_versions(
        kind in prop::sample::select(vec!["npm", "pypi", "maven", "gem", "generic"]),
        constraints in prop::collection::vec(("(<|<=|>|>=|!=|)", "[0-3]\\.[0-3](-?rc1)?"), 1..5),
        version in "[0-3]\\.[0-3](\\.[0-2])?(-?rc1)?",
    ) {
        let joined: Vec<String> = constraints.iter().map(|(sign, version)| format!("{sign}{version}")).collect();
        let text = format!("vers:{kind}/{}", joined.join("|"));
        if let Ok(range) = text.parse::<Range>() {
            let written = range.to_string();
            let again = written.parse::<Range>();
            prop_assert_eq!(again.as_ref().ok(), Some(&range), "{} {}", text, written);
            prop_assert!(range.contains(&version).is_some());
            if let Some(complement) = range.complement() {
                prop_assert!(range.intersection(&complement).is_none(), "{}", written);
                prop_assert_eq!(range.union(&complement), Some(Range::any(range.scheme())), "{}", written);
            }
        }
    }

    #[test]
    fn no_text_makes_parsing_panic(text in "(vers:)?[a-z]{0,4}/?.{0,60}") {
        let _ = text.parse::<Range>();
        for scheme in [Scheme::Npm, Scheme::Pypi, Scheme::Maven, Scheme::Composer] {
            let _ = manifest::read(scheme, &text);
        }
    }
}
