//! Every state of the search has an address, and every address a state.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::{knowledge::EntryType, libraries::DocsMode};

use super::{Asked, Typed, Where};

#[test]
fn an_address_gives_back_what_it_was_made_of() {
    let asked = Asked {
        text: "C++ & \"E0502\" 错误".to_owned(),
        place: Where::Knowledge,
        kind: Some(EntryType::Bug),
        project: Some("shop & cart".to_owned()),
        library: None,
        mode: Some(DocsMode::Code),
        language: Some("rust"),
        size: 50,
        page: 3,
    };
    let address = asked.address(Where::Knowledge, 3);
    let typed: Typed = axum::extract::Query::try_from_uri(&address.parse().unwrap())
        .unwrap()
        .0;
    assert_eq!(Asked::of(typed).unwrap(), asked);
}

#[test]
fn what_is_no_choice_is_named() {
    let check = |typed: Typed, part: &str| {
        let refusal = Asked::of(typed).unwrap_err();
        assert!(refusal.contains(part), "{refusal}");
    };
    let typed = |set: fn(&mut Typed)| {
        let mut typed = Typed::default();
        set(&mut typed);
        typed
    };
    check(
        typed(|t| t.r#in = "mars".to_owned()),
        "in knows no \"mars\"",
    );
    check(typed(|t| t.r#type = "<b>".to_owned()), "type knows no");
    check(typed(|t| t.mode = "x".to_owned()), "mode knows no");
    check(
        typed(|t| t.language = "klingon".to_owned()),
        "language knows no",
    );
    check(typed(|t| t.n = "51".to_owned()), "n must be 20 or 50");
    check(typed(|t| t.page = "0".to_owned()), "page must be");
    check(typed(|t| t.page = "-1".to_owned()), "page must be");
    check(typed(|t| t.q = "q".repeat(10_001)), "10,000");
}
