//! Versions in text: claims of records, surroundings of questions, and hostile texts.

mod advice;
mod clauses;
mod languages;

use proptest::prelude::*;
use recall_kit_shared_types::applicability::{Applies, applicability_limits::MAX_APPLIES};

use super::{RecordTexts, Vocabulary, claims_in, surroundings_in};
use crate::{Claims, PackageName, Surroundings};

/// Knows two names of a project.
struct Known;

impl Vocabulary for Known {
    fn package(&self, name: &str) -> Option<PackageName> {
        match name {
            "frobnicate" => PackageName::parse("pkg:pypi/frobnicate").ok(),
            "acme-core" => PackageName::parse("pkg:npm/%40acme/core").ok(),
            _ => None,
        }
    }
}

/// Finds the claims of `text || solution: text || …`; without a field, the text is the problem.
fn claims(text: &str, vocabulary: &dyn Vocabulary) -> Vec<Applies> {
    let mut texts = RecordTexts::default();
    for part in text.split(" || ") {
        match part.split_once(": ") {
            Some(("title", rest)) => texts.title = rest,
            Some(("cause", rest)) => texts.cause = rest,
            Some(("solution", rest)) => texts.solution = rest,
            Some(("context", rest)) => texts.context = rest,
            _ => texts.problem = part,
        }
    }
    claims_in(&texts, vocabulary)
}

/// Writes a claim: `react >=16|<17`.
fn written(item: &Applies) -> String {
    let purl = item
        .purl
        .as_deref()
        .and_then(|purl| purl.split_once('/'))
        .map(|(_, name)| name.replace("%40", "@"));
    let named = purl
        .or(item.runtime.clone())
        .or(item.tool.clone())
        .or(item.os.clone())
        .unwrap_or_default();
    match item
        .range
        .as_deref()
        .and_then(|range| range.split_once('/'))
    {
        Some((_, range)) => format!("{named} {range}"),
        None => named,
    }
}

fn check(cases: &[(&str, &str)], vocabulary: &dyn Vocabulary) {
    for (text, expected) in cases {
        let found = claims(text, vocabulary);
        assert!(Claims::read(&found).is_ok(), "{text}");
        let mut found: Vec<String> = found.iter().map(written).collect();
        let mut expected: Vec<&str> = expected
            .split("; ")
            .filter(|claim| !claim.is_empty())
            .collect();
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn records_say_where_they_apply() {
    let cases = [
        ("React 16 hooks warn in StrictMode", "react >=16|<17"),
        (
            "TypeError after upgrading to React 19: ReactDOM.render is not a function",
            "react >=19|<20",
        ),
        (
            "title: Build fails after updating org.apache.mina:mina-core from 2.1.5 to 2.2.1 || cannot find symbol",
            "org.apache.mina/mina-core >2.1.5|<3",
        ),
        (
            "title: Bump org.jenkins-ci:acceptance-test-harness from 5504.v485694f31cdf to 5541.va_c0a_36b_b_f825 || COMPILATION ERROR: package com.gargoylesoftware.htmlunit does not exist",
            "org.jenkins-ci/acceptance-test-harness >5504.v485694f31cdf|<5542",
        ),
        (
            "org.springframework:spring-core 5.3.24 -> 6.0.2 breaks compilation",
            "org.springframework/spring-core >5.3.24|<7",
        ),
        (
            "AttributeError: module 'numpy' has no attribute 'float' || cause: np.float was removed in NumPy 1.24 || solution: Use float, or pin numpy<1.24",
            "numpy >=1.24",
        ),
        (
            "pydantic validation error in FastAPI || solution: Upgrade FastAPI to 0.100.0",
            "fastapi <0.100.0",
        ),
        (
            "Celery 5.2 crashes with Python 3.11 || solution: Downgrade to Python 3.10",
            "python >=3.11; celery >=5.2|<5.3",
        ),
        (
            "context: torch 1.9.0, Python 3.7",
            "torch 1.9.0; python >=3.7|<3.8",
        ),
        ("context: pip install torch==1.9", "torch 1.9"),
        (
            "Fails with Node.js 18.17.0 on Windows 11",
            "node 18.17.0; windows >=11|<12",
        ),
        (
            "The build fails under macOS 14 with Xcode 15.2",
            "macos >=14|<15; xcode >=15.2|<15.3",
        ),
        (
            "Works in Django 3.2 but fails in Django 4.0",
            "django >=4.0|<4.1",
        ),
        (
            "Since Spring Boot 3.0 javax.servlet is missing",
            "org.springframework.boot/spring-boot >=3.0",
        ),
        (
            "Log4Shell affects log4j-core 2.0 through 2.14.1 in Java",
            "org.apache.logging.log4j/log4j-core >=2.0|<=2.14.1",
        ),
        (
            "lodash versions before 4.17.21 are vulnerable",
            "lodash <4.17.21",
        ),
        (
            "\"react\": \"^18.2.0\" in package.json",
            "react >=18.2.0|<19",
        ),
        ("react@18.2.0 throws in useEffect", "react 18.2.0"),
        ("context: gem 'rails', '~> 7.0'", "rails >=7.0|<8"),
        ("context: [dependencies]\nserde = \"1.0\"", "serde >=1.0|<2"),
        (
            "implementation 'com.google.guava:guava:31.1-jre' conflicts",
            "com.google.guava/guava 31.1-jre",
        ),
        (
            "| package | affected | fixed |\n|---|---|---|\n| pkg:npm/minimist | <1.2.6 | 1.2.6 |\n| lodash | >= 4.0, < 4.17.21 | 4.17.21 |",
            "minimist <1.2.6; lodash >=4.0|<4.17.21",
        ),
        (
            "pandas 2.0 or later no longer has DataFrame.append",
            "pandas >=2.0",
        ),
        (
            "DataFrame.append no longer works in pandas 2.0",
            "pandas >=2.0",
        ),
        ("TypeScript 4.9+ rejects this overload", "typescript >=4.9"),
        (
            "webpack ≥ 5 does not polyfill node core modules",
            "webpack >=5",
        ),
        (
            "Requires Python 3.8 or newer but the server listens on port 8080, HTTP 1.1, see RFC 7231, step 2, 192.168.1.10",
            "python >=3.8",
        ),
        (
            "On 2021-07-17 the model GPT 4 returned error 500 in Figure 3.2 after 10 retries with Python",
            "",
        ),
        ("Python 3 times slower than Docker 5 containers", ""),
        (
            "github.com/gin-gonic/gin v1.7.0 panics with Go 1.20",
            "github.com/gin-gonic/gin 1.7.0; go >=1.20|<1.21",
        ),
        (
            "Laravel 9.x queue jobs fail || context: PHP 8.1, composer 2.4",
            "laravel/framework >=9|<10; php >=8.1|<8.2; composer >=2.4|<2.5",
        ),
        (
            "urllib3 v2.0 breaks botocore; between 1.25 and 1.26 it worked || solution: pin urllib3<2",
            "urllib3 >=2",
        ),
        (
            "Affected versions: >= 2.0, < 2.3.1 of werkzeug",
            "werkzeug >=2.0|<2.3.1",
        ),
        (
            "Hibernate 5.6 to 6.1 migration: Query has no method setParameterList",
            "org.hibernate/hibernate-core >=5.7|<7",
        ),
        (
            "ESLint 8 cannot read flat config || solution: Upgrade to ESLint 9",
            "eslint <9",
        ),
        (
            "Kubernetes 1.25 removed PodSecurityPolicy",
            "kubernetes >=1.25",
        ),
        (
            "JDK 17 cannot access class sun.misc, Java 8 works",
            "java >=17|<18",
        ),
    ];
    check(&cases, &());
}

#[test]
fn advisories_bound_each_branch() {
    let cases = [
        (
            "Django before 1.4.21, 1.5.x through 1.6.x, 1.7.x before 1.7.9, and 1.8.x before 1.8.3 uses a wrong pattern",
            "django <1.4.21|>=1.5|<1.7.9|>=1.8|<1.8.3",
        ),
        (
            "In Django 1.2.x before 1.2.8 and 1.3.x before 1.3.2 the session leaks",
            "django >=1.2|<1.2.8|>=1.3|<1.3.2",
        ),
        (
            "The fix is in TensorFlow 2.5.0. We will also cherrypick this commit on TensorFlow 2.4.2, TensorFlow 2.3.3 and TensorFlow 2.2.3",
            "tensorflow <2.2.3|>=2.3|<2.3.3|>=2.4|<2.4.2",
        ),
        (
            "Pillow versions 7.0 and earlier and 8.x up to and including 8.1.0 are affected",
            "pillow <=7.0|>=8|<=8.1.0",
        ),
        (
            "Versions of lodash before 4.0.0 are not affected",
            "lodash >=4.0.0",
        ),
        (
            "The problem has been in urllib3 since 1.25. It is fixed in version 1.25.9.",
            "urllib3 >=1.25|<1.25.9",
        ),
        (
            "lodash 4.17.21 updates its parser to 8.44 for security reasons",
            "lodash <4.17.21",
        ),
        ("A flaw in libpng before 1.6.37 affects Pillow", ""),
        (
            "Celery (aka celeryd) between 4.0 and 4.2 loses tasks",
            "celery >=4.0|<=4.2",
        ),
        ("axios 0.21.1 fixes a leak in 0.21.0", "axios <0.21.1"),
    ];
    check(&cases, &());
}

#[test]
fn messages_and_cures_are_told_from_the_problem() {
    let cases = [
        (
            "TypeError in pandas || cause: DataFrame.append was deprecated in 1.4.0 and removed in 2.0.0.",
            "pandas >=2.0.0",
        ),
        (
            "Node 17+ fails || cause: webpack 4 uses md4, which OpenSSL 3 no longer provides || solution: Upgrade webpack to 5.54.0 or later",
            "webpack <5.54.0; openssl >=3; node >=17",
        ),
        (
            "cannot import name Markup || cause: jinja2 3.1 removed Markup || solution: pip install jinja2==3.0.3 || context: Flask 1.1.4",
            "jinja2 >=3.1; flask 1.1.4",
        ),
        (
            "useHistory is missing || solution: Stay on react-router-dom@5.3.0 with npm",
            "react-router-dom >5.3.0",
        ),
        (
            "binary incompatibility || solution: pip install 'numpy<2' or upgrade pandas to 2.2.2",
            "numpy >=2; pandas <2.2.2",
        ),
        (
            "tensorflow 2.13.0 requires typing-extensions<4.6.0,>=3.6.6, but you have typing-extensions 4.8.0",
            "tensorflow 2.13.0; typing-extensions 4.8.0",
        ),
        (
            "npm ERR! peer react@\"^17.0.0\" from react-select@4.3.1; Found: react@18.2.0",
            "react 18.2.0; react-select 4.3.1",
        ),
        ("The build fails with node:18-alpine", "node >=18|<19"),
        (
            "The flaw of Django is fixed in 4.2.1 and backported to 3.2.19",
            "django <3.2.19|>=4.2|<4.2.1",
        ),
        (
            "aiohttp leaks since 3.5.0; it was introduced in 3.5.0 and fixed in 3.8.2",
            "aiohttp >=3.5.0|<3.8.2",
        ),
        (
            "git 2.34.1 fails with Python 3.9 and serial 3.5",
            "git 2.34.1; python >=3.9|<3.10",
        ),
    ];
    check(&cases, &());
}

#[test]
fn names_come_from_the_vocabulary_and_the_ecosystem() {
    let cases = [
        ("frobnicate 1.2 fails", "frobnicate >=1.2|<1.3"),
        ("acme-core before 3.0.0 fails", "@acme/core <3.0.0"),
        ("unknown-thing 1.2.3 fails", ""),
        (
            "unknown-thing 1.2.3 fails with Python",
            "unknown-thing 1.2.3",
        ),
        (
            "unknown-thing==1.2.3 fails; unknown-thing is slow",
            "unknown-thing 1.2.3",
        ),
        ("cv2 4.5.1 fails with Python", "opencv-python 4.5.1"),
        (
            "React Native 0.72 fails, not React",
            "react-native >=0.72|<0.73",
        ),
        (
            "```python\nimport torch\nx = torch.quantile(y, 0.5)\nscale = 2.0\n```\ntorch 1.9.0",
            "torch 1.9.0",
        ),
        ("x = numpy.percentile(data, 98.0)", ""),
        (
            "<dependency>\n<groupId>org.slf4j</groupId>\n<artifactId>slf4j-api</artifactId>\n<version>2.0.7</version>",
            "org.slf4j/slf4j-api 2.0.7",
        ),
        (
            "<PackageReference Include=\"Serilog\" Version=\"3.0.1\" />",
            "serilog 3.0.1",
        ),
        ("Java 1.8 fails", "java >=8|<9"),
        ("The path is wrong on Windows", "windows"),
        ("It works on Windows", ""),
        (
            "It fails || solution: pip install numpy==1.21, and \"react\": \"^18.2.0\" in package.json",
            "",
        ),
        (
            "It fails || solution: Run pip install \"numpy<2\"",
            "numpy >=2",
        ),
        (
            "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.0:compile (default)",
            "",
        ),
        (
            "Bump com.google.apis:google-api-services-storage from v1-rev20220705-2.0.0 to v1-rev20230301-2.0.0 fails",
            "com.google.apis/google-api-services-storage >1-rev20220705-2.0.0|<2",
        ),
    ];
    check(&cases, &Known);
}

#[test]
fn questions_say_what_is_installed() {
    let check = |question: &str, expected: &str| {
        let found = surroundings_in(question, &());
        assert!(Surroundings::read(&found).is_ok(), "{question}");
        let packages = found.packages.iter().map(|package| {
            format!(
                "{} {}",
                package.purl.trim_start_matches("pkg:"),
                package.version.as_deref().unwrap_or("-")
            )
        });
        let named = found.runtimes.iter().chain(&found.tools);
        let named = named
            .map(|named| format!("{} {}", named.name, named.version.as_deref().unwrap_or("-")));
        let all: Vec<String> = packages.chain(named).chain(found.os.clone()).collect();
        assert_eq!(all.join("; "), expected, "{question}");
    };
    check(
        "How do I use log_ndtr with torch 1.9.0 on Python 3.7?",
        "pypi/torch 1.9.0; python 3.7",
    );
    check(
        "def erf(x: torch.Tensor):\n torch 1.9.0",
        "pypi/torch 1.9.0",
    );
    check(
        "After upgrading React from 17.0.2 to 18.2.0 on Windows 11 hydration fails",
        "npm/react 18.2.0; windows 11",
    );
    check(
        "pip install numpy==1.21 fails with pip 23.1",
        "pypi/numpy 1.21; pip 23.1",
    );
    check(
        "\"react\": \"^18.2.0\" and vite@4.5.1",
        "npm/vite 4.5.1; npm/react 18.2.0",
    );
    check(
        "It works in Django 3.2 but not on port 8080 with HTTP 1.1",
        "",
    );
}

#[test]
fn long_lists_are_bounded() {
    let text: String = (0..2000)
        .map(|number| format!("some-package-{number}==1.{number} with Python\n"))
        .collect();
    assert!(claims(&text, &()).len() <= MAX_APPLIES);
    let versions: Vec<String> = (0..2000).map(|number| format!("1.{number}.5")).collect();
    let versions = versions.join(", ");
    let cues = [
        "removed in",
        "introduced in",
        "fixed in",
        "no longer works in",
        "upgrade to",
        "requires",
        "exists only since",
        "",
    ];
    for cue in cues {
        let found = claims(&format!("{cue} lodash {versions} fail"), &());
        assert!(Claims::read(&found).is_ok(), "{cue}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_reading_panic(
        words in prop::collection::vec(
            prop_oneof![
                "\\PC{0,8}",
                "[0-9.xv*+-]{1,8}",
                prop::sample::select(vec![
                    "torch", "Python", "before", "1.2.3", "from", "to", "<", ">=", "(", ")", "[", "]", ",", "and", "fixed in", "以上",
                    "から", "\n", "|", "```", "==", "@", ":", ".", "->", "pkg:npm/a", "до", "-", "::", "https://", "é", "이상", "between",
                    "](", "**", "[v", "no longer", "only up to", "worked until", "is required", "更", "unter", "'s", "go ", "fix:",
                    "will be", "升级到了", "jdk-", "otherwise", "should we",
                    "qu'", "n'existe", "exists", "only", "`", "[```](x/y)", "4.2.**", "workaround for", "removed in", "voraussichtlich",
                ]).prop_map(str::to_owned),
            ],
            0..120,
        ),
        spaced in any::<bool>(),
    ) {
        let text = words.join(if spaced { " " } else { "" });
        let found = claims(&text, &Known);
        prop_assert!(Claims::read(&found).is_ok(), "{:?}", found);
        let environment = surroundings_in(&text, &Known);
        prop_assert!(Surroundings::read(&environment).is_ok(), "{:?}", environment);
    }
}
