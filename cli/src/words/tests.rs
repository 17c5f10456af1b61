//! The confirmation screen against the protocol's words.

use recall_kit_client::{ConfiguredSanitizer, Draft, SanitizerConfig};

use super::*;

fn configured(settings: SanitizerConfig) -> ConfiguredSanitizer {
    ConfiguredSanitizer::new(settings).expect("the settings are sound")
}

#[test]
fn the_screen_says_what_the_protocol_says() {
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
fn a_switched_off_sanitizer_is_announced() {
    let shown = Draft::new("t", "p", "s").sanitize(&configured(SanitizerConfig {
        enabled: false,
        ..SanitizerConfig::default()
    }));
    assert_eq!(ENGLISH.removal_note(&shown), ENGLISH.sanitizer_off);
}

#[test]
fn an_overruled_allow_entry_is_announced() {
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
         Removed although the allow list lets it through, because servers refuse it: \
         e-mail address (context, allow entry 2)"
    );
}

#[test]
fn a_context_cannot_steer_the_terminal() {
    let draft = Draft {
        context: Some("kept\u{1b}[8m hidden\rover".to_owned()),
        ..Draft::new("t", "p", "s")
    };
    let shown = draft.sanitize(&ConfiguredSanitizer::default());
    let screen = ENGLISH.fields(&shown);
    assert!(!screen.contains(['\u{1b}', '\r']), "{screen:?}");
    assert!(screen.contains("kept\\u{1b}[8m hidden"), "{screen}");
}
