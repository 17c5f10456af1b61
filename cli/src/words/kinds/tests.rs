//! Translations of kinds, with the names that the sanitizer really uses.

use recall_kit_sanitizer::{RuleGroup, sanitize, summary};

use super::*;

#[test]
fn kinds_are_named_in_the_users_language() {
    let key = ["sk", "1234567890"].join("-");
    let token = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_");
    let mail = ["ada", "oakmere-clinic.net"].join("@");
    let text = format!("apiKey = \"{key}\"\n{token}\nask {mail} or 10.20.30.40\n");
    let found = summary(&sanitize(&text, &RuleGroup::REMOVAL).findings);
    let mut names = [ENGLISH, CHINESE, FRENCH].map(|kinds| {
        let list = kinds.list(&found);
        let mut kinds: Vec<String> = list.split(", ").map(str::to_owned).collect();
        kinds.sort();
        kinds
    });
    for kinds in &mut names {
        assert_eq!(kinds.len(), 4, "{kinds:?}");
    }
    let [english, chinese, french] = names;
    let english_too = |other: &Vec<String>| other.iter().any(|kind| english.contains(kind));
    assert!(!english_too(&chinese), "{chinese:?}");
    assert!(!english_too(&french), "{french:?}");
    for (names, kind) in [
        (&chinese, "1 × GitHub 令牌"),
        (&chinese, "1 × 邮箱地址"),
        (&french, "1 × jeton GitHub"),
        (&french, "1 × adresse électronique"),
    ] {
        assert!(names.contains(&kind.to_owned()), "{kind}: {names:?}");
    }
}

#[test]
fn longer_ends_take_precedence_and_own_names_are_not_translated() {
    let check = |kind: &str, expected: [&str; 3]| {
        let names = [ENGLISH, CHINESE, FRENCH].map(|kinds| kinds.name_of(kind));
        assert_eq!(names, expected, "{kind}");
    };
    let own = "Ticket number";
    check(own, [own; 3]);
    check("name", ["name", "姓名", "nom"]);
    check(
        "OpenAI API key",
        ["OpenAI API key", "OpenAI API 密钥", "clé d'API OpenAI"],
    );
    check("Riot key", ["Riot key", "Riot 密钥", "clé Riot"]);
}
