//! One result as it is shown.

use recall_kit_client::FormattedExperience;

use super::*;
use crate::printer::RESET;

#[test]
fn a_strangers_record_cannot_steer_the_terminal() {
    let hostile = "\u{1b}[2J\u{1b}]52;c;x\u{7}\u{9b}A\r\u{202e}";
    let text = || hostile.to_owned();
    let experience = FormattedExperience {
        title: text(),
        problem: text(),
        solution: text(),
        code: Some(text()),
        keywords: vec![text()],
        relevance: 0.5,
        id: text(),
        root_cause: Some(text()),
        context: Some(text()),
        query_count: 1,
        created_at: text(),
    };
    let card = card(1, &experience, None, Page::of_stdout());
    let ours = [BOLD, CYAN, DIM, GREEN, RESET];
    let left = ours
        .iter()
        .fold(card.clone(), |card, style| card.replace(style, ""));
    let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!left.contains(steers), "{left:?}");
    assert_eq!(left.matches("\\u{1b}[2J").count(), 8, "{left}");
}
