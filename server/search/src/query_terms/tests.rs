//! The output of a build finds what has its cause, not what has its paths; other texts are searched as they are.

#![allow(clippy::unwrap_used)]

use uuid::Uuid;

use super::QueryTerms;
use crate::{Allowed, Index, Language, Query, Row, Text, words::analysis::index_terms};

/// Returns the log of a build of `project` that misses a package.
fn log(project: &str, missing: &str) -> String {
    let path = format!("/{project}/{project}-core/src/main/java/com/acme/{project}/web");
    format!(
        "[ERROR] COMPILATION ERROR :\n\
         [ERROR] {path}/CartController.java:[12,38] package {missing} does not exist\n\
         [ERROR] {path}/CartService.java:[40,9] cannot find symbol\n\
         [ERROR]   symbol:   class CartResponse\n\
         [ERROR]   location: class com.acme.{project}.web.CartService\n\
         [ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.0:compile (default-compile) on \
         project {project}-core: Compilation failure: Compilation failure:\n\
         [ERROR] Re-run Maven using the -X switch to enable full debug logging."
    )
}

fn record(id: u128, title: &str, body: &str) -> (Row, Text) {
    let row = Row {
        seq: id as u64,
        id: Uuid::from_u128(id),
        created_at: 0,
        query_count: 0,
        popularity: 0,
        vector: None,
        language: Language::default(),
        is_gone: false,
    };
    let text = Text {
        title: title.to_owned(),
        keywords: String::new(),
        body: body.to_owned(),
    };
    (row, text)
}

/// Returns the ids of the records that a text finds among some, best first.
fn found(records: &[(Row, Text)], text: &str) -> Vec<u128> {
    let index = Index::open(None).unwrap();
    index.apply(records);
    let query = Query {
        text,
        embedding: None,
        everyday: 0.0,
        language: Language::default(),
        context: None,
        turns: None,
        factors: None,
        allowed: Allowed::Everything,
        now: 0,
        offset: 0,
        limit: 10,
    };
    let hits = index.search(&query).unwrap().hits;
    hits.iter().map(|hit| hit.id.as_u128()).collect()
}

#[test]
fn the_output_of_a_build_finds_its_cause_in_other_projects() {
    let query = log("shop", "org.springframework.http");
    let mut records = vec![
        record(1, "Build fails", &log("shop", "javax.mail.internet")),
        record(2, "Build fails", &log("bank", "org.springframework.http")),
        record(
            3,
            "A dependency is missing",
            "Add org.springframework:spring-web to the module.",
        ),
        record(4, "Build fails", &log("clinic", "org.jooq.impl")),
    ];
    let ids = found(&records, &query);
    assert_eq!(ids.first(), Some(&2), "{ids:?}");
    assert!(ids.contains(&3), "{ids:?}");
    // The same log of the same project is better, and does not hide the others.
    for copy in 5..9 {
        records.push(record(copy, "Build fails", &query));
    }
    let ids = found(&records, &query);
    assert!(ids.iter().take(4).all(|id| (5..9).contains(id)), "{ids:?}");
    assert!(ids.contains(&2), "{ids:?}");
}

#[test]
fn other_texts_are_searched_as_they_are() {
    for text in [
        "package org.springframework.http does not exist",
        "error[E0502]: cannot borrow `x` as mutable\nwhat does it mean?",
        "Maven: [ERROR] COMPILATION",
    ] {
        let query = QueryTerms::of(text);
        assert!(!query.is_build_output(), "{text}");
        let terms: Vec<String> = query.terms.iter().cloned().collect();
        let mut expected = index_terms(text);
        let mut known = std::collections::HashSet::new();
        expected.retain(|term| known.insert(term.clone()));
        assert_eq!(terms, expected);
        assert!(terms.iter().all(|term| query.weight(term) == 1.0));
    }
}
