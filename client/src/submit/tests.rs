//! From a draft to a confirmation: what is removed, and who may confirm.

#![allow(clippy::unwrap_used)]

use recall_kit_sanitizer::RuleGroup;

use super::*;
use crate::SanitizerConfig;

fn configured(settings: SanitizerConfig) -> ConfiguredSanitizer {
    ConfiguredSanitizer::new(settings).unwrap()
}

/// A key, put together so that scanners do not find it in this file.
fn fake_key() -> String {
    ["sk", "1234567890"].join("-")
}

fn draft_with_key() -> Draft {
    Draft {
        root_cause: Some("  ".to_owned()),
        context: Some(format!("const apiKey = \"{}\";", fake_key())),
        keywords: vec![" React ".to_owned(), " ".to_owned()],
        ..Draft::new(" Stale state ", "It stays", "Use the updater")
    }
}

#[test]
fn a_draft_is_sanitized_before_it_is_shown() {
    let shown = draft_with_key().sanitize(&ConfiguredSanitizer::default());
    let request = shown.request();
    assert_eq!(request.title, "Stale state");
    assert_eq!(request.root_cause, None);
    assert_eq!(request.keywords, Some(vec!["React".to_owned()]));
    let context = request.context.clone().unwrap();
    assert!(!context.contains(&fake_key()), "{context}");
    assert_eq!(shown.removed().len(), 1);
    assert_eq!(shown.removed()[0].1, 1);
}

#[test]
fn a_secret_found_in_one_field_is_removed_from_all_fields() {
    let secret = ["hunter", "86", "x"].join("-");
    let draft = Draft {
        root_cause: Some(format!("{secret} has expired")),
        context: Some(format!("DB_PASSWORD={secret}\n")),
        keywords: vec!["login".to_owned(), secret.clone()],
        ..Draft::new(format!("Login with {secret}"), secret.clone(), "Renew it")
    };
    let shown = draft.sanitize(&ConfiguredSanitizer::default());
    let sent = serde_json::to_string(shown.request()).unwrap();
    assert!(!sent.contains(&secret), "{sent}");
    assert_eq!(shown.request().solution, "Renew it");
    let keywords = shown.request().keywords.as_deref().unwrap();
    assert_eq!(keywords.first().map(String::as_str), Some("login"));
}

#[test]
fn debug_of_a_draft_shows_only_lengths() {
    let draft = draft_with_key();
    let shown = format!("{draft:?} {:?}", Answer::Edit(draft.clone()));
    for text in [&fake_key(), "Stale", "It stays", "updater", "React"] {
        assert!(!shown.contains(text), "{shown}");
    }
    assert!(shown.contains("solution: 15"), "{shown}");
}

#[test]
fn the_first_line_keeps_its_indentation() {
    let draft = Draft {
        context: Some("\n \n    if ready:\n        go()\n\n".to_owned()),
        ..Draft::new("t", "p", "s")
    };
    let shown = draft.sanitize(&ConfiguredSanitizer::default());
    let context = shown.request().context.as_deref();
    assert_eq!(context, Some("    if ready:\n        go()"));
}

#[test]
fn api_keys_are_removed_whatever_rules_are_configured() {
    let sanitizer = configured(SanitizerConfig {
        rules: vec![RuleGroup::RemoveUrls],
        ..SanitizerConfig::default()
    });
    assert!(!draft_with_key().sanitize(&sanitizer).removed().is_empty());
}

#[test]
fn a_disabled_sanitizer_changes_nothing_and_reports_it() {
    let shown = draft_with_key().sanitize(&configured(SanitizerConfig {
        enabled: false,
        ..SanitizerConfig::default()
    }));
    assert!(!shown.is_sanitizer_on());
    assert!(
        shown
            .request()
            .context
            .as_ref()
            .unwrap()
            .contains(&fake_key())
    );
}

#[test]
fn each_answer_has_its_consequence() {
    let shown = || Draft::new("t", "p", "s").sanitize(&ConfiguredSanitizer::default());

    assert_eq!(shown().confirm(Answer::Cancel), Decision::Drop);

    let Decision::Send(confirmed) = shown().confirm(Answer::Confirm) else {
        panic!("a confirmed draft is sent");
    };
    assert_eq!(confirmed.request(), shown().request());

    let Decision::Review(edited) = shown().confirm(Answer::Edit(draft_with_key())) else {
        panic!("an edited draft is shown again");
    };
    assert!(
        !edited
            .request()
            .context
            .as_ref()
            .unwrap()
            .contains(&fake_key())
    );
}

#[test]
fn only_the_settings_can_confirm_without_a_person() {
    let confirm = |auto_submit: bool, prompt_on_submit: bool| {
        let config = ClientConfig {
            auto_submit,
            prompt_on_submit,
            ..ClientConfig::default()
        };
        let shown = Draft::new("t", "p", "s").sanitize(&configured(config.sanitizer.clone()));
        shown.confirm_unasked(&config).is_ok()
    };
    assert!(confirm(true, false));
    assert!(!confirm(true, true));
    assert!(!confirm(false, false));
    assert!(!confirm(false, true));
}

#[test]
fn every_confirmation_has_its_own_idempotency_key() {
    let confirm = || match Draft::new("t", "p", "s")
        .sanitize(&ConfiguredSanitizer::default())
        .confirm(Answer::Confirm)
    {
        Decision::Send(confirmed) => confirmed.idempotency_key(),
        other => panic!("{other:?}"),
    };
    assert_ne!(confirm(), confirm());
}
