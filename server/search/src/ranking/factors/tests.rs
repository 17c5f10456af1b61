//! Outcomes move records among similar ones, and nothing else.

#![allow(clippy::unwrap_used)]

use crate::{Allowed, Factors, Hits, Index, Language, Parts, Query, Row, Text};

const NOW: i64 = 1_800_000_000;

fn index(texts: impl IntoIterator<Item = String>) -> Index {
    let record = |(id, body): (u64, String)| {
        let row = Row {
            seq: id,
            id: uuid::Uuid::from_u128(u128::from(id)),
            created_at: NOW,
            query_count: 0,
            popularity: 0,
            vector: None,
            language: Language::default(),
            is_gone: false,
        };
        let text = Text {
            title: "Problem".to_owned(),
            keywords: String::new(),
            body,
        };
        (row, text)
    };
    let index = Index::open(None).unwrap();
    let records: Vec<_> = (1..).zip(texts).map(record).collect();
    index.apply(&records);
    index
}

fn search(index: &Index, text: &str, limit: usize, factor: &(dyn Fn(u128) -> f32 + Sync)) -> Hits {
    let (hits, parts) = search_with_parts(index, text, limit, factor);
    let ranks = parts.windows(2);
    assert!(
        ranks
            .into_iter()
            .all(|two| two[0].rank >= two[1].rank - 1e-6),
        "hits are sorted by rank"
    );
    hits
}

fn search_with_parts(
    index: &Index,
    text: &str,
    limit: usize,
    factor: &(dyn Fn(u128) -> f32 + Sync),
) -> (Hits, Vec<Parts>) {
    let of_id = |id: uuid::Uuid| factor(id.as_u128());
    let query = Query {
        text,
        embedding: None,
        everyday: 0.0,
        turns: None,
        factors: Some(Factors {
            factor: &of_id,
            most: 1.15,
            fit: None,
        }),
        language: Language::default(),
        context: None,
        allowed: Allowed::Everything,
        now: NOW,
        offset: 0,
        limit,
    };
    index.search_with_parts(&query).unwrap()
}

fn ids(hits: &Hits) -> Vec<u128> {
    hits.hits.iter().map(|hit| hit.id.as_u128()).collect()
}

#[test]
fn outcomes_decide_among_equally_relevant_records_and_leave_the_shown_relevance() {
    let same = "the linker fails with an undefined symbol";
    let index = index([same, same, same].map(str::to_owned));
    let without = search(&index, "undefined symbol", 3, &|_| 1.0);
    assert_eq!(ids(&without), [1, 2, 3]);
    let with = search(&index, "undefined symbol", 3, &|id| {
        [1.0, 0.9, 1.0, 1.1][id as usize]
    });
    assert_eq!(ids(&with), [3, 2, 1]);
    for hit in &with.hits {
        assert_eq!(hit.relevance, without.hits[0].relevance);
    }
    assert_eq!(with.total, without.total);
}

#[test]
fn a_bad_standing_does_not_bury_the_exact_error_message() {
    let exact = "error[E0499]: cannot borrow `buffer` as mutable more than once at a time";
    let near = (0..30)
        .map(|n| format!("cannot borrow the value {n} of a buffer in a loop, it is mutable"));
    let index = index([exact.to_owned()].into_iter().chain(near));
    let found = search(&index, exact, 5, &|id| if id == 1 { 0.75 } else { 1.15 });
    assert_eq!(ids(&found)[0], 1);
}

#[test]
fn no_record_is_lost_because_a_good_standing_was_not_expected() {
    let body = |n: u64| {
        let words = (0..n % 9)
            .map(|word| format!(" w{word}"))
            .collect::<String>();
        format!("the build fails in module m{}{words}", n % 7)
    };
    let index = index((0..6_000).map(body));
    let factor = |id: u128| match id % 13 {
        0 => 1.15,
        1 => 1.05,
        2 => 0.75,
        _ => 1.0,
    };
    let query = "build fails w1 w3 w5 w7";
    let all = search(&index, query, 6_000, &factor);
    assert!(all.hits.len() > 500, "{}", all.hits.len());
    let first = search(&index, query, 20, &factor);
    assert_eq!(ids(&first), ids(&all)[..20]);
    let place = |id| ids(&all).iter().position(|one| *one == id);
    let moved = ids(&first)
        .into_iter()
        .filter(|id| id % 13 == 0 && place(*id) < Some(20));
    assert!(moved.count() > 5);
}
