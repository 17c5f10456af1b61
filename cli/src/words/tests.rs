//! The texts of the confirmation screen, and the completeness of each language.

use recall_kit_client::{ConfiguredSanitizer, Draft, SanitizerConfig};
use recall_kit_sanitizer::RuleGroup;

use super::*;

fn configured(settings: SanitizerConfig) -> ConfiguredSanitizer {
    ConfiguredSanitizer::new(settings).expect("the settings are valid")
}

#[test]
fn the_confirmation_screen_has_the_documented_texts() {
    let draft = Draft::new(
        "React useState not updating state",
        "State variable not updating after setState call",
        "Use functional update form",
    );
    let shown = draft.sanitize(&ConfiguredSanitizer::default());
    let screen = format!("{}\n\n{}", CHINESE.question, CHINESE.fields(&shown));
    assert_eq!(
        screen,
        "检测到您刚刚解决了一个问题，是否要保存这次经验？\n\n\
         标题: React useState not updating state\n\
         问题: State variable not updating after setState call\n\
         解决方案: Use functional update form"
    );
    let answers = [CHINESE.confirm, CHINESE.cancel, CHINESE.edit];
    assert_eq!(answers, ["确认", "取消", "编辑"]);
}

#[test]
fn a_disabled_sanitizer_is_reported() {
    let shown = Draft::new("t", "p", "s").sanitize(&configured(SanitizerConfig {
        enabled: false,
        ..SanitizerConfig::default()
    }));
    assert_eq!(ENGLISH.removal_note(&shown), ENGLISH.sanitizer_off);
}

#[test]
fn an_overruled_allow_entry_is_reported() {
    let mail = ["build", "oakmere-clinic.net"].join("@");
    let sanitizer = configured(SanitizerConfig {
        allow: vec!["unrelated".to_owned(), mail.clone()],
        ..SanitizerConfig::default()
    });
    let draft = Draft {
        context: Some(format!("sent by {mail}")),
        ..Draft::new("t", "p", "s")
    };
    assert_eq!(
        ENGLISH.removal_note(&draft.sanitize(&sanitizer)),
        "Removed: 1 × e-mail address\n\
         Removed although the allow list permits it, because servers reject it: \
         e-mail address (context, allow entry 2)"
    );
}

#[test]
fn removals_beyond_the_configured_rules_are_reported() {
    let sanitizer = configured(SanitizerConfig {
        rules: vec![RuleGroup::RemoveApiKeys],
        ..SanitizerConfig::default()
    });
    let draft = Draft {
        context: Some(["curl http://10.20.", "30.40:8080/"].concat()),
        ..Draft::new("t", "p", "s")
    };
    let shown = draft.sanitize(&sanitizer);
    let context = shown.request().context.as_deref();
    assert_eq!(context, Some("curl http://192.0.2.1:8080/"));
    assert_eq!(
        ENGLISH.removal_note(&shown),
        "Removed: 1 × IP address\n\
         Removed although sanitizer.rules does not list it, because servers reject it: \
         1 × IP address"
    );
}

#[test]
fn a_context_cannot_control_the_terminal() {
    let draft = Draft {
        context: Some("kept\u{1b}[8m hidden\rover".to_owned()),
        ..Draft::new("t", "p", "s")
    };
    let shown = draft.sanitize(&ConfiguredSanitizer::default());
    let screen = ENGLISH.fields(&shown);
    assert!(!screen.contains(['\u{1b}', '\r']), "{screen:?}");
    assert!(screen.contains("kept⟨U+001B⟩[8m hidden"), "{screen}");
}

#[test]
fn the_locale_selects_the_language() {
    for (locale, language) in [
        ("zh_CN.UTF-8", CHINESE),
        ("zh", CHINESE),
        ("fr_CH.UTF-8", FRENCH),
        ("fr", FRENCH),
        ("en_GB.UTF-8", ENGLISH),
        ("frr_DE", ENGLISH),
        ("C", ENGLISH),
        ("", ENGLISH),
    ] {
        assert_eq!(Words::of(locale).question, language.question, "{locale}");
    }
}

/// Returns every text of a language, with its name.
fn texts(words: Words) -> Vec<String> {
    let all = format!("{words:#?}");
    let is_text = |line: &&str| line.contains('"');
    let lines = all.lines().map(str::trim).filter(is_text);
    lines.map(str::to_owned).collect()
}

#[test]
fn every_language_has_the_same_placeholders() {
    let [english, chinese, french] = Words::ALL.map(texts);
    assert!(english.len() > 150, "{english:#?}");
    for language in [chinese, french] {
        assert_eq!(language.len(), english.len());
        for (text, english) in language.iter().zip(&english) {
            let places = |text: &str| text.matches("{}").count();
            assert_eq!(places(text), places(english), "{text} for {english}");
        }
    }
}

#[test]
fn no_text_is_left_in_english() {
    let [english, chinese, french] = Words::ALL.map(texts);
    let is_chinese = |text: &str| text.contains(|c: char| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let left: Vec<_> = chinese.iter().filter(|text| !is_chinese(text)).collect();
    assert_eq!(left, [""; 0]);
    let same = french.iter().filter(|text| english.contains(text));
    let same: Vec<&String> = same.collect();
    let cognates = [
        "solution: \"Solution\",",
        "cause: \"cause\",",
        "solution: \"solution\",",
        "score: \"score\",",
    ];
    assert_eq!(same, cognates);
}

#[test]
fn french_punctuation_stays_with_its_word() {
    for text in texts(FRENCH) {
        for mark in [" :", " ;", " ?", " !"] {
            assert!(!text.contains(mark), "{text}");
        }
    }
    let shown = Draft::new("t", "p", "s").sanitize(&ConfiguredSanitizer::default());
    assert!(FRENCH.fields(&shown).starts_with("Titre\u{a0}: t\n"));
    assert!(ENGLISH.fields(&shown).starts_with("Title: t\n"));
}
