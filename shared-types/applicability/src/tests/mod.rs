//! Names, claims and surroundings on the wire.

mod judgements;

use std::{cmp::Ordering, collections::HashSet};

use recall_kit_shared_types::applicability::{
    Applies, AppliesSource, Environment, NamedVersion, PackageVersion,
    applicability_limits::{MAX_APPLIES, MAX_ENVIRONMENT_ITEMS},
};

use crate::{Claims, PackageName, Surroundings, compared_name};

#[test]
fn names_have_one_spelling() {
    let check = |text: &str, expected: &str| {
        let name = PackageName::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(name.to_string(), expected);
        assert_eq!(PackageName::parse(expected).as_ref(), Ok(&name));
    };
    check("pkg:pypi/Scikit_Learn", "pkg:pypi/scikit-learn");
    check("pkg:pypi/ruamel.yaml", "pkg:pypi/ruamel-yaml");
    check("pkg:pypi/a._-B", "pkg:pypi/a-b");
    check("pkg:npm/@Babel/core", "pkg:npm/%40babel/core");
    check("pkg:npm/%40babel/core", "pkg:npm/%40babel/core");
    check("pkg:NPM/React", "pkg:npm/react");
    check(
        "pkg:maven/org.Apache.mina/mina-core",
        "pkg:maven/org.Apache.mina/mina-core",
    );
    check(
        "pkg:golang/github.com/Gin-Gonic/gin",
        "pkg:golang/github.com/gin-gonic/gin",
    );
    check(
        "pkg:composer/Laravel/Framework",
        "pkg:composer/laravel/framework",
    );
    check("pkg:cargo/serde_json", "pkg:cargo/serde_json");
    check("pkg:nuget/Newtonsoft.Json", "pkg:nuget/newtonsoft.json");
    let scoped = PackageName::parse("pkg:npm/%40babel/core").expect("a scoped name");
    assert_eq!(
        (scoped.kind(), scoped.namespace(), scoped.name()),
        ("npm", Some("@babel"), "core")
    );
}

#[test]
fn names_are_compared_as_their_registries_do() {
    let name =
        |text: &str| PackageName::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let crates = ["pkg:cargo/serde_json", "pkg:cargo/Serde-JSON"].map(name);
    assert_eq!(crates[0], crates[1]);
    assert_eq!(crates[0].cmp(&crates[1]), Ordering::Equal);
    assert_eq!(
        crates[1].to_string(),
        "pkg:cargo/Serde-JSON",
        "shown as it is written"
    );
    let known: HashSet<PackageName> = [crates[0].clone()].into();
    assert!(known.contains(&crates[1]));
    assert_ne!(name("pkg:npm/a_b"), name("pkg:npm/a-b"));
    assert_ne!(name("pkg:cargo/a-b"), name("pkg:cargo/ab"));
    // PEP 503 keeps the ends, which no package has.
    assert_eq!(compared_name("pypi", "_A.-_b-"), "-a-b-");
}

#[test]
fn hostile_names_are_rejected() {
    let long = format!("pkg:npm/{}", "a".repeat(400));
    let names = [
        "",
        "react",
        "pkg:",
        "pkg:npm",
        "pkg:npm/",
        "pkg:npm/react@18",
        "pkg:npm/react?x=1",
        "pkg:npm/react#lib",
        "pkg:npm/../etc",
        "pkg:npm/a b",
        "pkg:npm/<script>",
        "pkg:npm/a%2Fb",
        "pkg:npm/a%00b",
        "pkg:npm/a%",
        "pkg:npm/réact",
        "pkg:npm/scope/name",
        "pkg:maven/guava",
        "pkg:pypi/a/b",
        "pkg:pypi/_a",
        "pkg:pypi/a-",
        "pkg:np m/a",
        "pkg:npm/a..b",
        "pkg:npm/-x",
        "pkg:npm/a\nb",
        &long,
    ];
    for name in names {
        assert!(PackageName::parse(name).is_err(), "{name}");
    }
}

fn applies(purl: &str, range: &str) -> Applies {
    Applies {
        purl: Some(purl.to_owned()),
        range: Some(range.to_owned()),
        ..Applies::default()
    }
}

fn environment(
    packages: &[(&str, &str)],
    runtimes: &[(&str, &str)],
    os: Option<&str>,
) -> Environment {
    Environment {
        packages: packages
            .iter()
            .map(|(purl, version)| PackageVersion {
                purl: (*purl).to_owned(),
                version: Some((*version).to_owned()),
            })
            .collect(),
        runtimes: runtimes
            .iter()
            .map(|(name, version)| NamedVersion {
                name: (*name).to_owned(),
                version: Some((*version).to_owned()),
            })
            .collect(),
        os: os.map(str::to_owned),
        ..Environment::default()
    }
}

#[test]
fn claims_and_surroundings_go_over_the_wire() {
    let items = vec![
        applies("pkg:npm/react", "vers:npm/<19"),
        Applies {
            runtime: Some("Python3".into()),
            range: Some("vers:pypi/>=3.7|<3.8".into()),
            ..Applies::default()
        },
        Applies {
            os: Some("Darwin".into()),
            source: AppliesSource::Observed,
            support: Some(3),
            ..Applies::default()
        },
    ];
    let claims = Claims::read(&items).expect("claims");
    let written = claims.to_wire();
    assert_eq!(written[0], items[0]);
    assert_eq!(written[1].runtime.as_deref(), Some("python"));
    assert_eq!(written[1].range.as_deref(), Some("vers:generic/>=3.7|<3.8"));
    assert_eq!(
        (written[2].os.as_deref(), written[2].support),
        (Some("macos"), Some(3))
    );
    assert_eq!(Claims::read(&written).as_ref(), Ok(&claims));

    let given = environment(
        &[("pkg:pypi/PyYAML", "6.0")],
        &[("nodejs", "18.2")],
        Some("ubuntu 22.04"),
    );
    let read = Surroundings::read(&given).expect("surroundings");
    let written = read.to_wire();
    assert_eq!(written.packages[0].purl, "pkg:pypi/pyyaml");
    assert_eq!(written.runtimes[0].name, "node");
    assert_eq!(written.os.as_deref(), Some("ubuntu 22.04"));
    assert!(!read.is_empty() && Surroundings::default().is_empty());
}

#[test]
fn wrong_claims_and_surroundings_say_what_is_wrong() {
    let check = |item: Applies, field: &str, words: &str| {
        let error = Claims::read(&[
            Applies {
                os: Some("linux".into()),
                ..Applies::default()
            },
            item,
        ])
        .expect_err(words);
        assert_eq!((error.index, error.field), (1, field));
        assert!(error.to_string().contains(words), "{error}");
    };
    check(
        Applies::default(),
        "purl",
        "one of purl, runtime, tool and os",
    );
    check(
        Applies {
            os: Some("linux".into()),
            ..applies("pkg:npm/react", "vers:npm/1")
        },
        "purl",
        "both given",
    );
    check(applies("react", "vers:npm/1"), "purl", "pkg:npm/react");
    check(
        applies("pkg:npm/react", "vers:npm/>2|<1"),
        "range",
        "no version is in this range",
    );
    check(
        applies("pkg:npm/react", "vers:pypi/1"),
        "range",
        "vers:npm/",
    );
    check(
        applies("pkg:npm/react", "vers:npm/newest"),
        "range",
        "newest",
    );
    check(
        Applies {
            tool: Some("ev<il".into()),
            ..Applies::default()
        },
        "tool",
        "characters",
    );
    let many = vec![
        Applies {
            os: Some("linux".into()),
            ..Applies::default()
        };
        MAX_APPLIES + 1
    ];
    assert!(Claims::read(&many).is_err());

    let check = |environment: Environment, field: &str| {
        let error = Surroundings::read(&environment).expect_err(field);
        assert_eq!(error.field, field, "{error}");
    };
    check(
        environment(&[("react", "1")], &[], None),
        "packages[0].purl",
    );
    check(
        environment(&[("pkg:npm/react", &"1".repeat(101))], &[], None),
        "packages[0].version",
    );
    check(environment(&[], &[("", "1")], None), "runtimes[0].name");
    check(environment(&[], &[], Some("a\u{0}")), "os");
    check(
        environment(
            &vec![("pkg:npm/react", "1"); MAX_ENVIRONMENT_ITEMS + 1],
            &[],
            None,
        ),
        "packages",
    );
}

#[test]
fn the_first_surroundings_win_when_merged() {
    let read = |environment: &Environment| Surroundings::read(environment).expect("surroundings");
    let mut mine = read(&environment(
        &[("pkg:npm/react", "19.1.0")],
        &[],
        Some("linux"),
    ));
    mine.merge(read(&environment(
        &[("pkg:npm/react", "18.0.0"), ("pkg:npm/vue", "3.2.0")],
        &[],
        Some("windows"),
    )));
    let packages: Vec<_> = mine
        .packages()
        .map(|(name, version)| (name.name(), version))
        .collect();
    assert_eq!(
        packages,
        [("react", Some("19.1.0")), ("vue", Some("3.2.0"))]
    );
    assert_eq!(mine.os(), Some("linux"));
}
