//! The check of `Cargo.lock` against the stored list of advisories: it fails on a match that is not listed with
//! a reason.

use std::{fs, path::Path};

use recall_kit_tests::AdvisoryReport;

const LOCK: &str = "version = 4\n\
    [[package]]\nname = \"gear\"\nversion = \"1.4.2\"\n\
    [[package]]\nname = \"gear\"\nversion = \"2.0.0+spec-1\"\n\
    [[package]]\nname = \"wheel\"\nversion = \"0.3.0\"\n";

fn list(package: &str, ranges: &str) -> String {
    format!(
        "date = \"2026-01-02\"\n[[advisory]]\nid = \"RUSTSEC-2026-9999\"\npackage = \"{package}\"\n\
         date = \"2026-01-01\"\ntitle = \"Teeth break\"\n{ranges}\n"
    )
}

fn deny(ignored: &str) -> String {
    format!("[advisories]\nyanked = \"deny\"\nignore = [{ignored}]\n")
}

#[test]
fn a_match_fails_unless_it_is_listed_with_a_reason() {
    let planted = list("gear", "patched = [\">= 1.5.0\"]");
    let found = AdvisoryReport::of(LOCK, &planted, "[advisories]\n").unwrap();
    assert!(!found.passes());
    assert_eq!(
        found.summary(),
        "advisories: Cargo.lock against the kept list of 2026-01-02 (1 advisories): matched: \
         RUSTSEC-2026-9999 gear 1.4.2 (NOT listed in deny.toml)"
    );
    let listed = deny("{ id = \"RUSTSEC-2026-9999\", reason = \"unused\" }");
    let found = AdvisoryReport::of(LOCK, &planted, &listed).unwrap();
    assert!(found.passes());
    assert!(
        found
            .summary()
            .ends_with("gear 1.4.2 (listed in deny.toml)")
    );
    let other = deny("{ id = \"RUSTSEC-2026-0001\", reason = \"unused\" }");
    assert!(!AdvisoryReport::of(LOCK, &planted, &other).unwrap().passes());
    let without_reason = AdvisoryReport::of(LOCK, &planted, &deny("\"RUSTSEC-2026-9999\""));
    assert!(without_reason.unwrap_err().contains("has no reason"));
}

#[test]
fn ranges_say_which_versions_are_affected() {
    let check = |package: &str, ranges: &str, expected: &[&str]| {
        let found = AdvisoryReport::of(LOCK, &list(package, ranges), "").unwrap();
        let matched: Vec<&str> = found.matches.iter().map(|it| it.package.as_str()).collect();
        assert_eq!(matched, expected, "{ranges}");
    };
    check("gear", "patched = []", &["gear 1.4.2", "gear 2.0.0+spec-1"]);
    check(
        "gear",
        "patched = [\">= 1.4.3, < 2.0.0\", \">= 2.0.0\"]",
        &["gear 1.4.2"],
    );
    check("gear", "patched = [\"^1.4.2\"]", &["gear 2.0.0+spec-1"]);
    check(
        "gear",
        "patched = [\">= 3.0\"]\nunaffected = [\"< 2\"]",
        &["gear 2.0.0+spec-1"],
    );
    check("wheel", "patched = [\">= 0.3.1\"]", &["wheel 0.3.0"]);
    check("axle", "patched = []", &[]);
    for broken in ["patched = [\"none\"]", "patched = [\">= x\"]"] {
        assert!(
            AdvisoryReport::of(LOCK, &list("gear", broken), "").is_err(),
            "{broken}"
        );
    }
}

#[test]
fn the_stored_list_is_consistent_and_the_tree_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let list = read("tests/advisories.toml");
    let report = AdvisoryReport::of(&read("Cargo.lock"), &list, &read("deny.toml")).unwrap();
    assert!(report.passes(), "{}", report.summary());
    assert!(report.advisories >= 40, "{}", report.advisories);
    let list: serde_json::Value = toml::from_str(&list).unwrap();
    let newest = list["date"].as_str().unwrap();
    for advisory in list["advisory"].as_array().unwrap() {
        let id = advisory["id"].as_str().unwrap();
        let year = id
            .strip_prefix("RUSTSEC-")
            .and_then(|it| it.get(..4))
            .unwrap();
        let date = advisory["date"].as_str().unwrap();
        assert!(date.starts_with(year) && date <= newest, "{advisory}");
    }
}
