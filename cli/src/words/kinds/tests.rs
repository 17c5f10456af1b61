//! Kinds as they are said, against what the sanitizer really calls them.

use recall_kit_sanitizer::{RuleGroup, sanitize, summary};

use super::*;

#[test]
fn what_is_removed_is_said_in_the_users_language() {
    let key = ["sk", "1234567890"].join("-");
    let token = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_");
    let mail = ["ada", "oakmere-clinic.net"].join("@");
    let text = format!("apiKey = \"{key}\"\n{token}\nask {mail} or 10.20.30.40\n");
    let found = summary(&sanitize(&text, &RuleGroup::REMOVAL).findings);
    let mut said = [ENGLISH, CHINESE, FRENCH].map(|kinds| {
        let list = kinds.list(&found);
        let mut kinds: Vec<String> = list.split(", ").map(str::to_owned).collect();
        kinds.sort();
        kinds
    });
    for kinds in &mut said {
        assert_eq!(kinds.len(), 4, "{kinds:?}");
    }
    let [english, chinese, french] = said;
    let english_too = |other: &Vec<String>| other.iter().any(|kind| english.contains(kind));
    assert!(!english_too(&chinese), "{chinese:?}");
    assert!(!english_too(&french), "{french:?}");
    for (said, kind) in [
        (&chinese, "1 × GitHub 令牌"),
        (&chinese, "1 × 邮箱地址"),
        (&french, "1 × jeton GitHub"),
        (&french, "1 × adresse électronique"),
    ] {
        assert!(said.contains(&kind.to_owned()), "{kind}: {said:?}");
    }
}

#[test]
fn longer_ends_win_and_names_of_ones_own_stay() {
    let check = |kind: &str, expected: [&str; 3]| {
        let said = [ENGLISH, CHINESE, FRENCH].map(|kinds| kinds.said(kind));
        assert_eq!(said, expected, "{kind}");
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
