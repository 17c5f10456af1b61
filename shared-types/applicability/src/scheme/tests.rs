//! Orders of versions, scheme by scheme.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use proptest::prelude::*;

use super::Scheme;

const ALL: [Scheme; 11] = [
    Scheme::Cargo,
    Scheme::Composer,
    Scheme::Gem,
    Scheme::Generic,
    Scheme::Golang,
    Scheme::Hex,
    Scheme::Maven,
    Scheme::Npm,
    Scheme::Nuget,
    Scheme::Pub,
    Scheme::Pypi,
];

#[test]
fn versions_are_ordered_as_their_ecosystem_orders_them() {
    let check = |kind: &str, left: &str, right: &str, expected: Ordering| {
        let scheme = Scheme::of_purl_type(kind);
        assert_eq!(
            scheme.compare(left, right),
            Some(expected),
            "{kind}: {left} {right}"
        );
        assert_eq!(
            scheme.compare(right, left),
            Some(expected.reverse()),
            "{kind}: {right} {left}"
        );
    };
    for scheme in ALL {
        check(scheme.name(), "1.13", "1.2", Greater);
        check(scheme.name(), "2", "v2.0.0", Equal);
        check(scheme.name(), "1.2.3", "1.2.3.4", Less);
        check(scheme.name(), "1.0.0-rc1", "1.0.0", Less);
        check(scheme.name(), "0.0.0", "0", Equal);
    }
    check("npm", "1.0.0-alpha.1", "1.0.0-alpha", Greater);
    check("npm", "1.0.0-alpha.9", "1.0.0-alpha.10", Less);
    check("npm", "1.0.0-alpha.beta", "1.0.0-alpha.1", Greater);
    check("npm", "1.0.0+build", "1.0.0", Equal);
    check("cargo", "1.0.0-beta", "1.0.0-rc", Less);
    check(
        "golang",
        "v0.0.0-20190101000000-abcdef",
        "v0.0.0-20200101000000-012345",
        Less,
    );
    check("nuget", "1.0.0-Beta", "1.0.0-beta", Equal);
    check("pypi", "1.0.dev1", "1.0a1", Less);
    check("pypi", "1.0rc1", "1.0", Less);
    check("pypi", "1.0.post1", "1.0", Greater);
    check("pypi", "1!1.0", "2.0", Greater);
    check("pypi", "1.9.0+cu111", "1.9.0", Equal);
    check("maven", "5.3.24.RELEASE", "5.3.24", Equal);
    check("maven", "1.0-alpha-1", "1.0-beta-1", Less);
    check("maven", "1.0-SNAPSHOT", "1.0", Less);
    check("maven", "1.0-sp1", "1.0", Greater);
    check("maven", "9.4.35.v20201120", "9.4.36.v20210114", Less);
    check("maven", "31.1-jre", "32.0.0-jre", Less);
    check("maven", "1.0.1", "1-1", Greater);
    check(
        "maven",
        "5504.v485694f31cdf",
        "5541.va_c0a_36b_b_f825",
        Less,
    );
    check("gem", "1.0.a", "1.0", Less);
    check("gem", "1.0.a.1", "1.0.a", Greater);
    check("gem", "2.0.0.rc1", "2.0.0.beta2", Greater);
    check("composer", "1.0.0-beta1", "1.0.0-RC1", Less);
    check("composer", "1.0.0-p1", "1.0.0", Greater);
    check("generic", "17.0.8+7", "17.0.8", Equal);
    check("deb", "1.2-3", "1.2-4", Less);
}

#[test]
fn texts_that_are_no_versions_have_no_order() {
    let long = "1.".repeat(80);
    for text in [
        "",
        "latest",
        "main",
        "workspace:*",
        "1.0 beta",
        "１.0",
        "99999999999999999999999",
        "1/2",
        &long,
    ] {
        for scheme in ALL {
            assert_eq!(
                scheme.compare(text, "1.0"),
                None,
                "{} {text}",
                scheme.name()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn orders_are_total(
        scheme in prop::sample::select(ALL.to_vec()),
        versions in prop::array::uniform3(
            "[0-2](\\.[0-2]){0,3}([-.]?(a|alpha|beta|rc|dev|jre|RELEASE|p|sp|x|post)?[.-]?[0-2]?){0,2}(\\+[a-b])?"
        ),
    ) {
        let [a, b, c] = &versions;
        let compare = |left: &str, right: &str| scheme.compare(left, right);
        prop_assert_eq!(compare(a, a), compare(a, a).map(|_| Equal));
        prop_assert_eq!(compare(a, b), compare(b, a).map(Ordering::reverse));
        if let (Some(ab), Some(bc), Some(ac)) = (compare(a, b), compare(b, c), compare(a, c)) {
            // Transitive, for what is equal, too.
            if ab == bc || bc == Equal {
                prop_assert_eq!(ac, ab, "{} {:?}", scheme.name(), &versions);
            }
            if ab == Equal {
                prop_assert_eq!(ac, bc, "{} {:?}", scheme.name(), &versions);
            }
        }
    }
}
