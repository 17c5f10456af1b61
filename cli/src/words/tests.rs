//! The confirmation screen against the protocol's words.

use recall_kit_client::{Draft, SanitizerConfig};

use super::*;

#[test]
fn the_screen_says_what_the_protocol_says() {
    let draft = Draft::new(
        "React useState not updating state",
        "State variable not updating after setState call",
        "Use functional update form",
    );
    let shown = draft.sanitize(&SanitizerConfig::default());
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
    let settings = SanitizerConfig {
        enabled: false,
        ..SanitizerConfig::default()
    };
    let shown = Draft::new("t", "p", "s").sanitize(&settings);
    assert_eq!(ENGLISH.removal_note(&shown), ENGLISH.sanitizer_off);
}

#[test]
fn a_context_cannot_steer_the_terminal() {
    let draft = Draft {
        context: Some("kept\u{1b}[8m hidden\rover".to_owned()),
        ..Draft::new("t", "p", "s")
    };
    let shown = draft.sanitize(&SanitizerConfig::default());
    let screen = ENGLISH.fields(&shown);
    assert!(!screen.contains(['\u{1b}', '\r']), "{screen:?}");
    assert!(screen.contains("kept\\u{1b}[8m hidden"), "{screen}");
}
