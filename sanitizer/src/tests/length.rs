//! Secrets longer than their rules know go to the last character.

use super::senseless::senseless;
use super::{holds_promises, joined};
use crate::RuleGroup::RemoveApiKeys;
use crate::{RuleGroup, Sanitizer, check, sanitize};

fn gone(text: &str, secret: &str) {
    let clean = sanitize(text, &RuleGroup::REMOVAL).text;
    let head: String = text.chars().take(60).collect();
    let mut parts = secret.as_bytes().chunks(8);
    assert!(
        parts.all(|part| !clean.contains(std::str::from_utf8(part).unwrap())),
        "a part is left of {head}… in {clean}"
    );
    assert_eq!(check(&clean, &RuleGroup::REMOVAL), [], "{clean}");
}

/// One more character, and it is none: an id of twenty characters, a public id with a domain, a code of
/// few digits, a phrase.
const EXACT: &[&str] = &[
    "aws-access-key-id",
    "google-oauth-client",
    "one-time-code",
    "lock-code",
    "transaction-number",
    "told-code",
    "code-before-its-name",
    "backup-code",
    "pin",
    "bracketed-code",
    "code-and-what-it-is-for",
    "spoken-code",
    "code-argument",
    "typed-code",
    "code-set",
    "listed-code",
    "steam-guard-code",
    "code-to-use",
    "code-of-a-thing",
    "code-in-other-words",
    "code-before-its-word",
    "code-behind-its-name",
    "code-and-whose-it-is",
    "code-to-enter",
    "code-of-letters",
    "code-that-came",
    "combination-of-a-safe",
    "code-of-a-voucher",
    "code-checked",
    "code-in-the-next-line",
    "code-beside-a-code",
    "encoded-password-nearby",
    "licence-key",
    "phrase-behind-a-label",
    "phrase-in-a-printed-file",
    "foreign-password-told",
    "encoded-password-in-a-pipe",
];

#[test]
fn lengthened_examples_of_every_token_rule_go_entirely() {
    let more = senseless(1000, 7);
    for compiled in &Sanitizer::builtin().rules.rules {
        let rule = &compiled.rule;
        if rule.group != RemoveApiKeys || EXACT.contains(&&*rule.id) {
            continue;
        }
        let mut text = rule.examples[0].concat();
        let clues = crate::rules::scan::alone(&Sanitizer::builtin().rules, &text, &[RemoveApiKeys]);
        let found = clues.iter().find(|clue| clue.rule == rule.id).unwrap();
        let end = text[..found.span.end].trim_end().len();
        text.insert_str(end, &more);
        gone(&text, &more);
    }
}

#[test]
fn copies_of_long_secrets_go_each_for_itself() {
    let (one, other) = (senseless(200, 7), senseless(190, 7) + "q83kDl2Nf9");
    let cut = &one[..100];
    let text = format!("TOKEN={one}\nAPI_TOKEN={other}\n`{one}` `{other}` `{cut}`");
    let expected = "TOKEN=YOUR_TOKEN\nAPI_TOKEN=YOUR_TOKEN\n`YOUR_TOKEN` `YOUR_TOKEN` `YOUR_TOKEN`";
    assert_eq!(sanitize(&text, &RuleGroup::REMOVAL).text, expected);
}

#[test]
fn long_secrets_go_entirely() {
    for (before, length, after) in [
        ("sk-¦proj-", 300, ""),
        ("k: sk-¦proj-", 20_000, " x"),
        ("xox¦b-", 900, ""),
        ("postgres://bob:", 520, "@localhost/x"),
        ("PASSWORD=", 2000, "\nPORT=1"),
        ("password: \"", 2000, "\""),
        ("{\"api_token\": \"", 12_000, "\"}"),
        ("api_token = ", 12_000, ""),
        ("-----BEGIN PRIVATE¦ KEY-----\n", 30_000, ""),
        (
            "-----BEGIN PRIVATE¦ KEY-----\n",
            30_000,
            "\n-----END PRIVATE KEY-----\n",
        ),
    ] {
        let secret = senseless(length, 7);
        gone(&format!("{}{secret}{after}", joined(before)), &secret);
    }
    let symbols = senseless(1800, 7).replace('a', "(").replace('c', "&") + "%s$(Zq8";
    gone(&format!("PASSWORD={symbols}\nPORT=1"), &symbols);
    gone(&format!("password: \"{symbols}\""), &symbols);
    let lines: Vec<String> = senseless(32_000, 7)
        .as_bytes()
        .chunks(64)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    let body = lines.join("\n");
    for (before, after) in [
        ("-----BEGIN PRIVATE¦ KEY-----\n", ""),
        (
            "-----BEGIN PRIVATE¦ KEY-----\nProc-Type: 4,ENCRYPTED\n\n",
            "",
        ),
        (
            "-----BEGIN PRIVATE¦ KEY-----\n",
            "\nabc=\n-----END PRIVATE KEY-----",
        ),
        ("", "\n-----END PRIVATE¦ KEY-----"),
        ("Private-Lines: 500\n", ""),
    ] {
        gone(&format!("{}{body}{}", joined(before), joined(after)), &body);
    }
}

/// What is replaced in a long text is looked at again only around the replacements.
#[test]
fn long_texts_of_every_rule_hold_the_promises() {
    /// Between two examples, so that most of the text stays as it is.
    const BETWEEN: usize = 700;
    let harmless = sanitize(include_str!("../../README.md"), &RuleGroup::REMOVAL).text;
    let mut lines = harmless.lines().cycle();
    let rules = &Sanitizer::builtin().rules.rules;
    for some in rules.chunks(16) {
        let mut text = String::new();
        for compiled in some {
            let begin = text.len();
            while text.len() < begin + BETWEEN {
                text.extend(lines.next().into_iter().chain(["\n"]));
            }
            for example in compiled.rule.examples {
                text.push_str(&example.concat());
                text.push('\n');
            }
        }
        holds_promises(&text, &RuleGroup::REMOVAL);
    }
}
