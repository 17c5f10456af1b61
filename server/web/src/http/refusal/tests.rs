//! Messages about every flaw that the form of an entry may have, in every language.

#![allow(clippy::unwrap_used)]

use recall_kit_core::{
    access::limit_to,
    validation::{AddInput, validate_add},
};
use recall_kit_i18n::Language;
use serde_json::json;

use super::*;

#[test]
fn fields_are_named_like_in_the_form_and_no_sentence_is_repeated() {
    let refused = validate_add(AddInput {
        kind: Some("saga".to_owned()),
        title: Some("t".repeat(101)),
        content: Some("x".repeat(1_000_001)),
        tags: Some(vec!["t".repeat(101), "u".repeat(101)]),
        project: Some("p".repeat(101)),
        confidence: Some(json!(6)),
        memory_type: Some("forever".to_owned()),
        ..AddInput::default()
    });
    let refusal = Refusal::Fields(refused.unwrap_err());
    let english = "“Type” must be one of the listed values. “Title” may have 100 characters at most. \
                   “Content” may have 1000000 bytes at most. \
                   “Tags”: each may have 100 characters at most. \
                   “Project” may have 100 characters at most. \
                   “Confidence” must be a whole number from 0 to 5. \
                   “Memory” must be one of the listed values.";
    assert_eq!(refusal.message(Words::of(Language::English)), english);
    for language in [Language::Chinese, Language::French] {
        let words = Words::of(language);
        let message = refusal.message(words);
        assert_eq!(
            message.matches(words.knowledge.tags).count(),
            1,
            "{message}"
        );
        assert!(
            !message.contains("{}") && !message.contains("must"),
            "{message}"
        );
    }
}

#[test]
fn too_many_tags_and_personal_data_are_reported() {
    let mail = ["jane.doe", "@", "mailbox.org"].concat();
    let refused = validate_add(AddInput {
        kind: Some("bug".to_owned()),
        title: Some("title".to_owned()),
        tags: Some(vec!["tag".to_owned(); 1_000]),
        context: Some(format!("said {mail}")),
        ..AddInput::default()
    });
    let message = Refusal::Fields(refused.unwrap_err()).message(Words::of(Language::French));
    assert!(message.contains("« Étiquettes » :"), "{message}");
    assert!(message.contains("données personnelles"), "{message}");
    assert!(!message.contains(&mail), "{message}");
}

#[test]
fn an_invalid_project_name_is_named_in_the_message() {
    for name in ["p".repeat(101), "bell\u{7}".to_owned()] {
        let refused = limit_to(&["shop".to_owned(), name.clone()]).unwrap_err();
        let refusal = Refusal::from(refused);
        for language in [Language::English, Language::Chinese, Language::French] {
            let message = refusal.message(Words::of(language));
            assert!(
                message.contains(&name[..4]) && !message.contains("shop"),
                "{message}"
            );
            assert!(
                !message.contains('\u{7}') && !message.contains("{}"),
                "{message}"
            );
        }
    }
}
