//! A user's own rules and allow list: what they do, and which are refused with which words.

use crate::RuleGroup::{AnonymizeVariables, RemoveApiKeys, RemovePersonalInfo};
use crate::{Custom, CustomRule, Example, RuleGroup, Sanitizer};

use super::joined;

fn staff_number() -> CustomRule {
    CustomRule {
        id: "staff-number".to_owned(),
        kind: "staff number".to_owned(),
        group: RemovePersonalInfo,
        anchors: vec!["OC-".to_owned()],
        pattern: r"\bOC-[0-9]{6}\b".to_owned(),
        replacement: "YOUR_STAFF_NUMBER".to_owned(),
        examples: vec![Example::Whole("by OC-418264".to_owned())],
        negative_examples: vec![Example::Parts(vec!["OC".to_owned(), "-4".to_owned()])],
        why: None,
    }
}

fn custom(rules: Vec<CustomRule>, allow: &[&str]) -> Custom {
    Custom {
        rules,
        allow: allow.iter().map(|entry| (*entry).to_owned()).collect(),
    }
}

#[test]
fn own_rules_act_beside_the_built_in_ones() {
    let sanitizer = Sanitizer::with(custom(vec![staff_number()], &[])).unwrap();
    let text = joined("PASSWORD=hunter-¦86-x # OC-418264, OC-1234567, oc-418265");
    let clean = sanitizer.sanitize(&text, &RuleGroup::REMOVAL);
    let expected = "PASSWORD=YOUR_PASSWORD # YOUR_STAFF_NUMBER, OC-1234567, oc-418265";
    assert_eq!(clean.text, expected);
    assert_eq!(sanitizer.check(expected, &RuleGroup::REMOVAL), []);
    let kinds = crate::summary(&clean.findings);
    assert_eq!(
        kinds,
        [("password".to_owned(), 1), ("staff number".to_owned(), 1)]
    );
    let only = sanitizer.sanitize(&text, &[RemoveApiKeys]).text;
    assert!(only.ends_with("OC-418264, OC-1234567, oc-418265"), "{only}");
}

#[test]
fn what_is_allowed_stays_and_nothing_beside_it() {
    let allow = [
        "ci@oakmere.net",
        "/10\\.104\\.[0-9]+\\.[0-9]+/",
        "rows",
        "/svc-[a-z]+/",
    ];
    let sanitizer = Sanitizer::with(custom(vec![], &allow)).unwrap();
    for (text, expected) in [
        ("ci@oakmere.net", "ci@oakmere.net"),
        ("xci@oakmere.net", "user@example.com"),
        (
            "host 10.104.87.198 and 10.105.87.198",
            "host 10.104.87.198 and 192.0.2.1",
        ),
        (
            "/home/svc-build/x /home/svc-build2/x",
            "/home/svc-build/x /home/USER/x",
        ),
        (
            "let rows = 1; let total = rows;",
            "let rows = 1; let var_002 = rows;",
        ),
    ] {
        let clean = sanitizer.sanitize(text, &RuleGroup::ALL).text;
        assert_eq!(clean, expected);
        assert_eq!(sanitizer.check(&clean, &RuleGroup::ALL), []);
    }
}

/// A change to a rule that works, and the beginning of what is said of it.
type Spoilt = (fn(&mut CustomRule), &'static str);

#[test]
fn rules_that_cannot_work_are_refused_by_name() {
    let spoilt: &[Spoilt] = &[
        (
            |rule| rule.id = "Staff".into(),
            "rule `Staff`: write its id",
        ),
        (
            |rule| rule.id = "github-token".into(),
            "rule `github-token`: there is a rule",
        ),
        (
            |rule| rule.kind = " ".into(),
            "rule `staff-number`: `kind` has",
        ),
        (
            |rule| rule.replacement = "A\nB".into(),
            "rule `staff-number`: `replacement` has",
        ),
        (
            |rule| rule.group = AnonymizeVariables,
            "rule `staff-number`: its group",
        ),
        (
            |rule| rule.pattern = "OC-(".into(),
            "rule `staff-number`: its pattern cannot",
        ),
        (
            |rule| rule.pattern = "(OC-[0-9]{900}){900}".into(),
            "rule `staff-number`: its pattern cannot",
        ),
        (
            |rule| rule.pattern = "OC-(?P<digits>[0-9]+)".into(),
            "rule `staff-number`: the pattern has a group `digits`",
        ),
        (
            |rule| rule.pattern = "(OC-[0-9]+)?".into(),
            "rule `staff-number`: its pattern matches empty",
        ),
        (
            |rule| rule.anchors.push(String::new()),
            "rule `staff-number`: anchor 2 is empty",
        ),
        (
            |rule| rule.anchors = vec!["ST-".into()],
            "rule `staff-number`: example 1 contains none",
        ),
        (
            |rule| rule.examples.clear(),
            "rule `staff-number`: give at least",
        ),
        (
            |rule| rule.pattern = "OC-[0-9]{8}".into(),
            "rule `staff-number`: finds nothing in example 1",
        ),
        (
            |rule| rule.pattern = "OC-[0-9]+".into(),
            "rule `staff-number`: finds something in negative example 1",
        ),
        (
            |rule| rule.replacement = "OC-418265, OC-418266".into(),
            "rule `staff-number`: its replacement is found by the rule `staff-number`",
        ),
        (
            |rule| rule.replacement = "a@oakmere.net".into(),
            "rule `staff-number`: its replacement is found by the rule `email-address`",
        ),
    ];
    for (spoil, expected) in spoilt {
        let mut rule = staff_number();
        spoil(&mut rule);
        let said = Sanitizer::with(custom(vec![rule], &[]))
            .unwrap_err()
            .to_string();
        assert!(said.starts_with(expected), "{said}");
        assert!(!said.contains("418264"), "{said}");
    }
    let twice = vec![staff_number(), staff_number()];
    let said = Sanitizer::with(custom(twice, &[])).unwrap_err().to_string();
    assert!(
        said.starts_with("rule `staff-number`: there is a rule"),
        "{said}"
    );
    assert!(!format!("{:?}", staff_number()).contains("418264"));
}

#[test]
fn entries_that_let_through_too_much_are_refused_by_number() {
    for (entry, expected) in [
        ("", "allow entry 2 is empty"),
        ("/[/", "allow entry 2: the expression"),
        ("/.*/", "allow entry 2 would let through"),
        ("/(?s).{3,}/", "allow entry 2 would let through"),
        ("/[a-z0-9-]+/", "allow entry 2 would let through"),
        ("/(abc)?/", "allow entry 2 would let through"),
    ] {
        let said = Sanitizer::with(custom(vec![], &["fine", entry]))
            .unwrap_err()
            .to_string();
        assert!(said.starts_with(expected), "{entry}: {said}");
    }
}

#[test]
fn configurations_are_read_to_the_letter() {
    let read = |text: &str| serde_json::from_str::<Custom>(text);
    let rule = serde_json::to_value(staff_number()).unwrap();
    assert_eq!(
        serde_json::from_value::<CustomRule>(rule).unwrap(),
        staff_number()
    );
    assert_eq!(read("{}").unwrap(), Custom::default());
    assert!(
        read(r#"{"allowed": []}"#)
            .unwrap_err()
            .to_string()
            .contains("`allowed`")
    );
    let unknown = r#"{"rules": [{"id": "x", "checks": "any"}]}"#;
    assert!(read(unknown).unwrap_err().to_string().contains("`checks`"));
}
