//! Every flaw that an entry's form may have, in every language.

#![allow(clippy::unwrap_used)]

use recall_kit_core::{
    access::limit_to,
    validation::{AddInput, validate_add},
};
use serde_json::json;

use super::*;
use crate::i18n::language::Language;

#[test]
fn every_field_is_named_as_in_its_form_and_no_sentence_stands_twice() {
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
    let english = "“Type” must be one of the list. “Title” may have 100 characters at most. \
                   “Content” may have 1000000 bytes at most. \
                   “Tags”: each may have 100 characters at most. \
                   “Project” may have 100 characters at most. \
                   “Confidence” must be a whole number from 0 to 5. \
                   “Memory” must be one of the list.";
    assert_eq!(refusal.in_words(Words::of(Language::English)), english);
    for language in [Language::Chinese, Language::French] {
        let words = Words::of(language);
        let said = refusal.in_words(words);
        assert_eq!(said.matches(words.knowledge.tags).count(), 1, "{said}");
        assert!(!said.contains("{}") && !said.contains("must"), "{said}");
    }
}

#[test]
fn many_tags_and_what_is_not_sanitized_are_told() {
    let mail = ["jane.doe", "@", "mailbox.org"].concat();
    let refused = validate_add(AddInput {
        kind: Some("bug".to_owned()),
        title: Some("title".to_owned()),
        tags: Some(vec!["tag".to_owned(); 1_000]),
        context: Some(format!("said {mail}")),
        ..AddInput::default()
    });
    let said = Refusal::Fields(refused.unwrap_err()).in_words(Words::of(Language::French));
    assert!(said.contains("« Étiquettes » :"), "{said}");
    assert!(said.contains("données personnelles"), "{said}");
    assert!(!said.contains(&mail), "{said}");
}

#[test]
fn a_project_that_cannot_be_is_named() {
    for name in ["p".repeat(101), "bell\u{7}".to_owned()] {
        let refused = limit_to(&["shop".to_owned(), name.clone()]).unwrap_err();
        let refusal = Refusal::from(refused);
        for language in [Language::English, Language::Chinese, Language::French] {
            let said = refusal.in_words(Words::of(language));
            assert!(
                said.contains(&name[..4]) && !said.contains("shop"),
                "{said}"
            );
            assert!(!said.contains('\u{7}') && !said.contains("{}"), "{said}");
        }
    }
}
