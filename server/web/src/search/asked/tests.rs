//! Parsing addresses of the search page, and building them.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::{knowledge::EntryType, libraries::DocsMode};

use super::{Params, SearchQuery, Where};

#[test]
fn the_address_of_a_search_parses_to_the_same_search() {
    let query = SearchQuery {
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
    let address = query.address(Where::Knowledge, 3);
    let params: Params = axum::extract::Query::try_from_uri(&address.parse().unwrap())
        .unwrap()
        .0;
    assert_eq!(SearchQuery::of(params).unwrap(), query);
}

#[test]
fn invalid_parameters_are_named_in_the_message() {
    let check = |params: Params, part: &str| {
        let refusal = SearchQuery::of(params).unwrap_err();
        assert!(refusal.contains(part), "{refusal}");
    };
    let params = |set: fn(&mut Params)| {
        let mut params = Params::default();
        set(&mut params);
        params
    };
    check(
        params(|p| p.r#in = "mars".to_owned()),
        "in must be one of the listed values, not \"mars\"",
    );
    check(params(|p| p.r#type = "<b>".to_owned()), "type must be one");
    check(params(|p| p.mode = "x".to_owned()), "mode must be one");
    check(
        params(|p| p.language = "klingon".to_owned()),
        "language must be one",
    );
    check(params(|p| p.n = "51".to_owned()), "n must be 20 or 50");
    check(params(|p| p.page = "0".to_owned()), "page must be");
    check(params(|p| p.page = "-1".to_owned()), "page must be");
    check(params(|p| p.q = "q".repeat(10_001)), "10,000");
}
