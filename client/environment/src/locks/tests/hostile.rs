//! Broken, cyclic and hostile files are errors or say nothing; they never take long and never lead outside.

use std::time::Instant;

use super::{super::LOCK_FILES, Problem, read_with, shown};
use crate::package::Origin;

#[test]
fn damage_is_no_panic() {
    let deep = ["[", "{\"a\":", "- ", "<a>"].map(|open| open.repeat(100_000));
    let mut texts: Vec<String> = [
        "",
        "{",
        "[",
        "\u{feff}",
        "null",
        "[]",
        "{}",
        "\"",
        ": :",
        "<a",
        "package: [",
        "[[package]]",
        "&a [*a]",
    ]
    .map(str::to_owned)
    .into();
    texts.extend(deep);
    texts.push(
        "{\"packages\": {\"node_modules/\": 1, \"\": [], \"node_modules/a\": {\"resolved\": 3}}}"
            .to_owned(),
    );
    texts.push(
        "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\npackages: [*c, *c]\n".to_owned(),
    );
    texts.push(
        "<!DOCTYPE p [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><project>&b;</project>"
            .to_owned(),
    );
    for kind in LOCK_FILES {
        for text in &texts {
            let name = kind.name.replace('*', "x");
            let started = Instant::now();
            let found = read_with(&name, &[(&name, text)]);
            let public = found.unwrap_or_default().into_iter();
            let public = public.filter(|package| package.origin == Origin::Registry);
            let shown: String = text.chars().take(40).collect();
            assert_eq!(public.count(), 0, "{name}: {shown}");
            assert!(started.elapsed().as_secs() < 5, "{name}: {shown}");
        }
    }
}

#[test]
fn hostile_names_and_versions_are_left_out() {
    let lock = "[[package]]\nname = \"a b\"\nversion = \"1.0.0\"\n[[package]]\nname = \"../x\"\nversion = \"1.0.0\"\n[[package]]\nname = \"ok\"\n\
        version = \"1.0.0 https://user:pass@host\"\n[[package]]\nname = \"\\u001b[31m\"\nversion = \"1\"\n";
    assert_eq!(
        shown(read_with("Cargo.lock", &[("Cargo.lock", lock)])),
        ["ok - local transitive"]
    );
}

#[test]
fn files_that_lead_elsewhere_are_refused() {
    let check = |name: &str, text: &str, expected: Problem| {
        assert_eq!(
            read_with(name, &[(name, text)]).unwrap_err(),
            expected,
            "{text}"
        );
    };
    check(
        "requirements.txt",
        "-r ../../etc/passwd\n",
        Problem::Outside,
    );
    check("requirements.txt", "-r /etc/passwd\n", Problem::Outside);
    // A parent outside of the repository comes from a registry.
    let pom = "<project><parent><groupId>org.other</groupId><artifactId>p</artifactId><version>1</version>\
        <relativePath>../../../pom.xml</relativePath></parent><groupId>g</groupId><artifactId>a</artifactId></project>";
    let found = shown(read_with("pom.xml", &[("pom.xml", pom)]));
    assert_eq!(
        found,
        ["org.other:p 1 registry direct", "g:a - local direct"]
    );
    // Parents in a circle.
    let circle = "<project><parent><groupId>g</groupId><artifactId>b</artifactId><version>1</version>\
        <relativePath>../b/pom.xml</relativePath></parent><artifactId>a</artifactId></project>";
    let files = [
        ("a/pom.xml", circle),
        ("b/pom.xml", &circle.replace("../b", "../a")),
    ];
    assert!(read_with("a/pom.xml", &files).is_ok());
    // A chain that is too long.
    let chain: Vec<(String, String)> = (0..60)
        .map(|at| {
            (
                format!("r{at}.txt"),
                format!("-r r{}.txt\nx{at}==1.0\n", at + 1),
            )
        })
        .collect();
    let mut files: Vec<(&str, &str)> = vec![("requirements.txt", "-r r0.txt\n")];
    files.extend(
        chain
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    assert_eq!(
        read_with("requirements.txt", &files).unwrap_err(),
        Problem::TooManyFiles
    );
}

#[test]
fn too_many_packages_are_refused() {
    let lines: String = (0..50_001).map(|at| format!("x{at}==1.0\n")).collect();
    let found = read_with("requirements.txt", &[("requirements.txt", &lines)]);
    assert_eq!(found.unwrap_err(), Problem::TooManyPackages);
}
