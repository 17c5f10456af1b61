//! The properties the crate promises, and what goes and what stays, one line a case.
//!
//! `¦` marks where a made-up secret is broken, so that no scanner takes the file for a leak.

#![allow(clippy::unwrap_used)]

use crate::RuleGroup::{AnonymizeVariables, RemoveApiKeys, RemovePersonalInfo, RemoveUrls};
use crate::{Finding, RuleGroup, Sanitizer, check, sanitize, sanitize_all, summary};

mod anchored;
mod chosen;
mod custom;
mod hidden;
mod hostile;
mod invisible;
mod length;
mod places;
mod properties;
mod senseless;
mod streams;
mod texts;
mod variables;

/// The text without its seams.
fn joined(text: &str) -> String {
    text.replace('¦', "")
}

fn removed(text: &str, expected: &str) {
    let input = joined(text);
    assert_eq!(
        sanitize(&input, &RuleGroup::REMOVAL).text,
        joined(expected),
        "from {text}"
    );
    holds_promises(&input, &RuleGroup::REMOVAL);
}

fn kept(text: &str) {
    removed(text, text);
}

/// What holds for every text and every choice of groups.
fn holds_promises(text: &str, groups: &[RuleGroup]) {
    let clean = sanitize(text, groups);
    assert_eq!(clean, sanitize(text, groups), "deterministic: {text}");
    assert_eq!(
        clean.findings,
        check(text, groups),
        "check tells what sanitize does: {text}"
    );
    let again = sanitize(&clean.text, groups);
    assert_eq!(again.text, clean.text, "idempotent: {text}");
    assert_eq!(again.findings, [], "rescan-clean: {}", clean.text);
    assert_eq!(
        text.split('\n').count(),
        clean.text.split('\n').count(),
        "lines: {text}"
    );
    let mut end = 0;
    for finding in &clean.findings {
        assert!(
            finding.span.start >= end && finding.span.end <= text.len(),
            "ordered: {text}"
        );
        assert!(
            text.get(finding.span.clone()).is_some(),
            "on boundaries: {text}"
        );
        assert!(
            finding.group.is_none_or(|group| groups.contains(&group)),
            "asked for: {text}"
        );
        if finding.group != Some(AnonymizeVariables) {
            end = finding.span.end;
        }
    }
}

#[test]
fn every_rule_finds_its_examples_and_nothing_in_the_others() {
    let mut ids = std::collections::BTreeSet::new();
    let mut wrong = Vec::new();
    for compiled in &Sanitizer::builtin().rules.rules {
        let rule = &compiled.rule;
        compiled.regex();
        assert!(ids.insert(&*rule.id), "{} stands twice", rule.id);
        assert!(
            !rule.why.is_empty() && !rule.kind.is_empty(),
            "{} says why",
            rule.id
        );
        assert!(
            !rule.examples.is_empty() && !rule.negative_examples.is_empty(),
            "{} has examples",
            rule.id
        );
        let found = |text: &str| {
            let clues = crate::rules::scan::alone(&Sanitizer::builtin().rules, text, &[rule.group]);
            clues.iter().any(|clue| clue.rule == rule.id)
        };
        for example in rule.examples {
            let text = example.concat();
            if !found(&text) {
                wrong.push(format!("{} does not find {text}", rule.id));
            } else if let Some(secret) = text.strip_prefix("key: ")
                && !matches!(&*check(&text, &[rule.group]), [one] if one.span.len() == secret.len())
            {
                wrong.push(format!("{} leaves a part of {text}", rule.id));
            }
            holds_promises(&text, &RuleGroup::REMOVAL);
        }
        for example in rule.negative_examples {
            let text = example.concat();
            if found(&text) {
                wrong.push(format!("{} finds something in {text}", rule.id));
            }
        }
        assert!(
            !found(&rule.replacement),
            "{} leaves its own placeholder",
            rule.id
        );
    }
    assert_eq!(wrong, [""; 0]);
    assert!(ids.len() > 400);
}

#[test]
fn the_protocols_example_comes_out_as_printed_there() {
    removed(
        "const apiKey = \"sk-¦1234567890\";\nfetch(\"https://api.example.com/data\", {\n  headers: { \
         \"Authorization\": `Bearer ${apiKey}` }\n});\n",
        "const apiKey = \"YOUR_API_KEY\";\nfetch(\"https://api.example.com/data\", {\n  headers: { \
         \"Authorization\": `Bearer ${apiKey}` }\n});\n",
    );
}

#[test]
fn groups_act_alone() {
    let text = joined(
        "curl -H 'X-Api-Key: 9f86d081¦884c7d65' https://db.prod.oakmere.net/x # nadia.k@oakmere.net\n",
    );
    let only = |group| sanitize(&text, &[group]).text;
    assert!(
        only(RemoveApiKeys)
            .contains("X-Api-Key: YOUR_API_KEY' https://db.prod.oakmere.net/x # nadia.k@")
    );
    assert!(only(RemoveUrls).contains("https://host.example.com/x"));
    assert!(only(RemovePersonalInfo).contains("https://db.prod.oakmere.net/x # user@example.com"));
    assert_eq!(sanitize(&text, &[]).text, text);
}

#[test]
fn what_one_text_gives_away_goes_from_all_of_them() {
    let texts = [
        "login fails with hunter-¦86-x for nkurosawa",
        "DB_PASSWORD=hunter-¦86-x\n",
        "see /home/nkurosawa/x and postgres://app:hunter-¦86-x@localhost",
        "",
    ]
    .map(joined);
    let texts = texts.each_ref().map(String::as_str);
    let clean = sanitize_all(&texts, &RuleGroup::ALL);
    let clean: Vec<&str> = clean.iter().map(|clean| clean.text.as_str()).collect();
    assert_eq!(
        clean,
        [
            "login fails with YOUR_PASSWORD for USER",
            "DB_PASSWORD=YOUR_PASSWORD\n",
            "see /home/USER/x and postgres://app:YOUR_PASSWORD@localhost",
            ""
        ]
    );
    for again in sanitize_all(&clean, &RuleGroup::ALL) {
        assert_eq!(again.findings, [], "idempotent: {}", again.text);
    }
    assert_eq!(sanitize_all(&[], &RuleGroup::ALL), []);
}

#[test]
fn findings_say_what_and_where_but_never_the_secret() {
    let text = joined(
        "a: 1\nDB_PASSWORD=hunter-¦86-x\nmail nadia.k@oakmere-clinic.net or nadia.k@oakmere-clinic.net\n",
    );
    let findings = check(&text, &RuleGroup::REMOVAL);
    let [password, mail, ..] = findings.as_slice() else {
        unreachable!("{findings:?}")
    };
    assert_eq!(
        text.get(password.span.clone()),
        Some(joined("hunter-¦86-x").as_str())
    );
    assert_eq!(
        (password.group, password.kind.as_str()),
        (Some(RemoveApiKeys), "password")
    );
    assert_eq!(mail.replacement, "user@example.com");
    assert!(!format!("{findings:?}").contains("hunter"));
    assert_eq!(
        summary(&findings),
        [("e-mail address".to_owned(), 2), ("password".to_owned(), 1)]
    );
    assert_eq!(summary(&[] as &[Finding]), []);
}

#[test]
fn group_names_are_the_configurations() {
    for group in RuleGroup::ALL {
        assert_eq!(group.as_str().parse::<RuleGroup>(), Ok(group));
        assert_eq!(
            serde_json::to_string(&group).unwrap(),
            format!("\"{group}\"")
        );
    }
    let error = "remove_url".parse::<RuleGroup>().unwrap_err().to_string();
    assert!(
        error.contains("`remove_url`") && error.contains("remove_urls"),
        "{error}"
    );
}
