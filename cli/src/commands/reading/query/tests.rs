//! The display of one result.

use recall_kit_client::FormattedExperience;

use super::*;
use crate::terminal::{
    layout::Page,
    printer::{BOLD, CYAN, GREEN, RESET},
};

fn layout(words: Words) -> Layout {
    Layout {
        words,
        page: Page::of_stdout(),
        now: "2026-11-22T12:00:00Z".parse().expect("a time"),
    }
}

#[test]
fn a_record_cannot_control_the_terminal() {
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
        origin: Some(text()),
        standing: Some(text()),
        applies: vec![text()],
        fits: Some(text()),
    };
    let card = layout(Words::from_locale()).card(1, &experience, (hostile, None), None);
    let ours = [BOLD, CYAN, DIM, GREEN, RESET];
    let left = ours
        .iter()
        .fold(card.clone(), |card, style| card.replace(style, ""));
    let controls = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!left.contains(controls), "{left:?}");
    assert_eq!(left.matches("⟨U+001B⟩[2J").count(), 11, "{left}");
}

#[test]
fn a_record_is_formatted_in_each_language() {
    let experience = FormattedExperience {
        title: "状态不更新".to_owned(),
        problem: "p".to_owned(),
        solution: "s".to_owned(),
        code: Some("let x = 1;".to_owned()),
        keywords: vec!["react".to_owned(), "hooks".to_owned()],
        relevance: 0.917,
        id: "01a2006f-0eef-7035-b7ed-2bebae567e13".to_owned(),
        root_cause: None,
        context: None,
        query_count: 3,
        created_at: "2026-11-19T08:00:00Z".to_owned(),
        origin: None,
        standing: None,
        applies: Vec::new(),
        fits: None,
    };
    let check = |locale: &str, expected: &str| {
        let card = layout(Words::of(locale)).card(1, &experience, ("01a2006f-0eef", None), None);
        assert_eq!(console::strip_ansi_codes(&card), expected);
    };
    let english = " 1 状态不更新\n   0.92 very close · 3 days ago · seen 3× · react, hooks · 01a2006f-0eef\n   problem  p\n   \
                   solution s\n            │ let x = 1;\n";
    check("en_US.UTF-8", english);
    let chinese = " 1 状态不更新\n   0.92 非常接近 · 3 天前 · 被查到 3 次 · react, hooks · 01a2006f-0eef\n   问题     p\n   \
                   解决方案 s\n            │ let x = 1;\n";
    check("zh_CN.UTF-8", chinese);
    let french = " 1 状态不更新\n   0.92 très proche · il y a 3 jours · vu 3× · react, hooks · \
                  01a2006f-0eef\n   problème p\n   \
                  solution s\n            │ let x = 1;\n";
    check("fr_FR.UTF-8", french);
}

#[test]
fn a_relevance_is_expressed_in_words() {
    let words = Words::of("en").results;
    for (relevance, word) in [
        (1.0, "very close"),
        (0.85, "very close"),
        (0.84, "close"),
        (0.5, "close"),
        (0.49, "related"),
        (0.2, "related"),
        (0.19, "distant"),
        (0.0, "distant"),
    ] {
        assert_eq!(words.closeness(relevance), word, "{relevance}");
    }
}
