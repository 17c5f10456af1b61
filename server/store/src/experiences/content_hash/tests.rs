//! Which differences change the content hash.

use super::*;

fn content(title: &str, root_cause: Option<&str>, solution: &str) -> ExperienceContent {
    ExperienceContent {
        title: title.to_owned(),
        problem_description: "it breaks".to_owned(),
        root_cause: root_cause.map(str::to_owned),
        solution: solution.to_owned(),
        context: None,
        keywords: Vec::new(),
        applies: None,
    }
}

#[test]
fn white_space_and_unicode_composition_do_not_change_the_hash() {
    let one = content("Café schließt nicht", None, "warte\nund schließe");
    let same = [
        content("  Café schließt nicht\t", None, "warte\nund schließe"),
        content("Cafe\u{301} schließt nicht", None, "warte\nund schließe"),
        content(
            "Café  schließt\u{3000}nicht",
            None,
            "\r\nwarte\r\n\r\n  und schließe\u{2028}",
        ),
        content("Café schließt nicht", Some(" "), "warte und schließe"),
        ExperienceContent {
            context: Some(String::new()),
            keywords: vec!["warten".to_owned()],
            ..one.clone()
        },
    ];
    for other in &same {
        assert_eq!(content_hash(other), content_hash(&one), "{other:?}");
    }
}

#[test]
fn words_case_and_field_change_the_hash() {
    let one = content("a b", Some("c"), "d");
    let others = [
        content("ab", Some("c"), "d"),
        content("A b", Some("c"), "d"),
        content("a", Some("b c"), "d"),
        content("a b", None, "c d"),
        content("a b", Some("c"), "d."),
        ExperienceContent {
            context: Some("with version 2".to_owned()),
            ..one.clone()
        },
    ];
    for other in &others {
        assert_ne!(content_hash(other), content_hash(&one), "{other:?}");
    }
}
