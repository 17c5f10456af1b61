//! Verdicts and their reasons.

use recall_kit_shared_types::applicability::{Applies, AppliesSource, Environment, Verdict};

use super::{applies, environment};
use crate::{Claim, Claims, PackageName, Subject, Surroundings, judge};

/// Checks the verdict, whether the major version is the same, and the reason.
fn check(
    claims: &[Applies],
    environment: &Environment,
    verdict: Verdict,
    same_major: bool,
    why: &str,
) {
    let claims = Claims::read(claims).expect("claims");
    let found = judge(
        &claims,
        &Surroundings::read(environment).expect("surroundings"),
    );
    assert_eq!((found.verdict, found.why.as_str()), (verdict, why));
    if verdict == Verdict::OtherVersion {
        assert_eq!(found.same_major, same_major, "{why}");
    }
}

#[test]
fn a_crate_is_the_same_with_either_separator() {
    let claims = [applies("pkg:cargo/serde_json", "vers:cargo/<2")];
    let mine = environment(&[("pkg:cargo/serde-json", "1.0.100")], &[], None);
    let why = "stated for serde_json <2; you have 1.0.100";
    check(&claims, &mine, Verdict::Applies, true, why);
}

#[test]
fn versions_are_judged_with_a_reason() {
    use Verdict::{Applies as Fits, OtherVersion, Unknown};
    let react = |version| {
        environment(
            &[("pkg:npm/react", version), ("pkg:npm/vue", "3.0.0")],
            &[],
            None,
        )
    };
    let below = [applies("pkg:npm/react", "vers:npm/<19")];
    check(
        &below,
        &react("18.2.0"),
        Fits,
        true,
        "stated for react <19; you have 18.2.0",
    );
    check(
        &below,
        &react("19.1"),
        OtherVersion,
        false,
        "stated for react <19; you have 19.1",
    );
    check(
        &below,
        &react("latest"),
        Unknown,
        false,
        "it names no version of what you have",
    );
    check(
        &below,
        &Environment::default(),
        Unknown,
        false,
        "you named no versions",
    );
    check(&[], &react("19.1"), Unknown, false, "it names no versions");
    let patch = [applies("pkg:npm/react", "vers:npm/<18.2.8")];
    check(
        &patch,
        &react("18.3.0"),
        OtherVersion,
        true,
        "stated for react <18.2.8; you have 18.3.0",
    );
    let crates = |version| environment(&[("pkg:cargo/rand", version)], &[], None);
    let zero = [applies("pkg:cargo/rand", "vers:cargo/>=0.7|<0.8")];
    check(
        &zero,
        &crates("0.8.5"),
        OtherVersion,
        false,
        "stated for rand 0.7; you have 0.8.5",
    );
    // Below 1.0, a minor version of Python's packages may break, too.
    check(
        &[applies("pkg:pypi/fastapi", "vers:pypi/>=0.88|<0.89")],
        &environment(&[("pkg:pypi/fastapi", "0.100.0")], &[], None),
        OtherVersion,
        false,
        "stated for fastapi 0.88; you have 0.100.0",
    );
    let torch = |version| environment(&[("pkg:pypi/torch", version)], &[], None);
    let worked = [Applies {
        source: AppliesSource::Observed,
        ..applies("pkg:pypi/torch", "vers:pypi/1.9.0")
    }];
    check(
        &worked,
        &torch("1.9.0"),
        Fits,
        true,
        "worked with torch 1.9.0; you have 1.9.0",
    );
    check(
        &worked,
        &torch("1.10.0"),
        Unknown,
        false,
        "it names no version of what you have",
    );
    // Pins of one package are united, and one of several installed versions is enough.
    let either = [
        applies("pkg:pypi/torch", "vers:pypi/1.9.0"),
        applies("pkg:pypi/torch", "vers:pypi/1.10.0"),
    ];
    check(
        &either,
        &torch("1.11.0"),
        OtherVersion,
        true,
        "stated for torch 1.9.0 or 1.10.0; you have 1.11.0",
    );
    let both = environment(
        &[("pkg:npm/react", "19.0.0"), ("pkg:npm/react", "18.0.0")],
        &[],
        None,
    );
    check(
        &below,
        &both,
        Fits,
        true,
        "stated for react <19; you have 18.0.0",
    );
}

#[test]
fn evidence_contradicts() {
    let react = environment(&[("pkg:npm/react", "19.1.0")], &[], None);
    let inferred = Applies {
        source: AppliesSource::Inferred,
        support: Some(3),
        ..applies("pkg:npm/react", "vers:npm/<19")
    };
    let stated = applies("pkg:npm/react", "vers:npm/>=16");
    check(
        &[stated, inferred],
        &react,
        Verdict::Contradicted,
        false,
        "reports suggest react <19; you have 19.1.0",
    );
    let subject = Subject::Package(PackageName::parse("pkg:npm/react").expect("a name"));
    let range = "vers:npm/>=19|<20".parse().expect("a range");
    let claims = Claims::from(vec![Claim {
        excluded: true,
        ..Claim::stated(subject, range)
    }]);
    let surroundings = Surroundings::read(&react).expect("surroundings");
    let found = judge(&claims, &surroundings);
    assert_eq!(
        (found.verdict, found.why.as_str()),
        (
            Verdict::Contradicted,
            "known not to work with react 19; you have 19.1.0"
        )
    );
    // A version that failed says nothing about the others.
    let without = Applies {
        source: AppliesSource::Inferred,
        ..applies("pkg:npm/react", "vers:npm/!=18.3.0")
    };
    let alone = Claims::read(&[without]).expect("claims");
    assert_eq!(judge(&alone, &surroundings).verdict, Verdict::Unknown);
    // On the wire it is the complement, which contradicts alike.
    let sent = Claims::read(&claims.to_wire()).expect("claims");
    assert_eq!(judge(&sent, &surroundings).verdict, Verdict::Contradicted);
}

#[test]
fn the_package_weighs_more_than_runtime_and_platform() {
    use Verdict::{Applies as Fits, OtherPlatform, OtherVersion, Unknown};
    let runtime = |range: &str| Applies {
        runtime: Some("python".into()),
        range: Some(range.into()),
        ..Applies::default()
    };
    let os = |name: &str| Applies {
        os: Some(name.into()),
        ..Applies::default()
    };
    let torch = applies("pkg:pypi/torch", "vers:pypi/1.9.0");
    let mine = |version, python, system| {
        environment(
            &[("pkg:pypi/torch", version)],
            &[("python", python)],
            system,
        )
    };
    let record = [runtime("vers:generic/>=3.7|<3.8"), torch.clone()];
    check(
        &record,
        &mine("1.9.0", "3.10", None),
        Fits,
        true,
        "stated for torch 1.9.0; you have 1.9.0",
    );
    check(
        &record,
        &mine("1.10.0", "3.7", None),
        OtherVersion,
        true,
        "stated for torch 1.9.0; you have 1.10.0",
    );
    check(
        &[runtime("vers:generic/<3.8"), torch.clone()],
        &mine("1.9.0", "3.10", None),
        OtherVersion,
        true,
        "stated for python <3.8; you have 3.10",
    );
    check(
        &record[..1],
        &mine("1.9.0", "3.10.4", None),
        OtherVersion,
        true,
        "stated for python 3.7; you have 3.10.4",
    );
    // A runtime that is given by its first numbers fits each version that starts with them.
    check(
        &[runtime("vers:generic/3.7.4")],
        &mine("1", "3.7", None),
        Fits,
        true,
        "stated for python 3.7.4; you have 3.7",
    );
    check(
        &[os("windows"), torch.clone()],
        &mine("1.9.0", "3.7", Some("linux")),
        OtherPlatform,
        false,
        "stated for windows; you have linux",
    );
    check(
        &[os("linux")],
        &mine("1.9.0", "3.7", Some("ubuntu 22.04")),
        Fits,
        true,
        "stated for linux; you have ubuntu 22.04",
    );
    check(
        &[os("ubuntu")],
        &mine("1.9.0", "3.7", Some("linux")),
        Unknown,
        false,
        "it names no version of what you have",
    );
    check(
        &[os("windows"), os("linux")],
        &mine("1.9.0", "3.7", Some("linux")),
        Fits,
        true,
        "stated for linux; you have linux",
    );
    // What was observed only helps where something is stated.
    let numpy = Applies {
        source: AppliesSource::Observed,
        ..applies("pkg:pypi/numpy", "vers:pypi/1.20.0")
    };
    let both = environment(
        &[("pkg:pypi/torch", "1.9.0"), ("pkg:pypi/numpy", "2.0.0")],
        &[],
        None,
    );
    check(
        &[numpy, torch],
        &both,
        Fits,
        true,
        "stated for torch 1.9.0; you have 1.9.0",
    );
    let java = Applies {
        runtime: Some("java".into()),
        range: Some("vers:generic/>=8|<9".into()),
        ..Applies::default()
    };
    check(
        &[java],
        &environment(&[], &[("jdk", "1.8.0_292")], None),
        Fits,
        true,
        "stated for java 8; you have 1.8.0_292",
    );
}
