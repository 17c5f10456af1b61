//! A scope is searched as if there were no other records.

#![allow(clippy::unwrap_used)]

use uuid::Uuid;

use crate::{Allowed, Hits, Index, Query, Row, Text, quantize, storage::grow::DELTA_LIMIT};

const WORDS: [&str; 12] = [
    "pool", "timeout", "docker", "volume", "cache", "token", "index", "vector", "shard", "queue",
    "latency", "proxy",
];
const NOW: i64 = 1_800_000_000;

/// A deterministic sequence of pseudorandom numbers.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, end: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    fn embedding(&mut self) -> Vec<f32> {
        let values: Vec<f32> = (0..16).map(|_| self.below(1_000) as f32 - 500.0).collect();
        let length = values.iter().map(|x| x * x).sum::<f32>().sqrt();
        values.iter().map(|x| x / length).collect()
    }

    fn record(&mut self, seq: u64, id: u128) -> (Row, Text) {
        let words = 3 + self.below(40);
        let body: Vec<&str> = (0..words).map(|_| WORDS[self.below(WORDS.len())]).collect();
        let row = Row {
            seq,
            id: Uuid::from_u128(id),
            created_at: NOW,
            query_count: 0,
            popularity: 0,
            vector: (self.below(4) > 0).then(|| quantize(&[self.embedding()])),
            language: Default::default(),
            is_gone: false,
        };
        let text = Text {
            title: WORDS[self.below(WORDS.len())].to_owned(),
            keywords: String::new(),
            body: body.join(" "),
        };
        (row, text)
    }
}

fn is_inside(id: Uuid) -> bool {
    id.as_u128().is_multiple_of(5)
}

/// Returns an index with most of its records in the base and the last ones in the delta.
fn index_of(folder: &std::path::Path, records: &[(Row, Text)]) -> Index {
    let index = Index::open(Some(folder.to_owned())).unwrap();
    let (most, last) = records.split_at(records.len() * 3 / 4);
    index.apply(most);
    index.extend_base().unwrap();
    index.apply(last);
    index
}

#[test]
fn a_scope_is_searched_as_if_nothing_else_existed() {
    let mut sequence = Sequence(7);
    // More than the delta holds, so that both base and delta have records; some records are replaced.
    let count = DELTA_LIMIT as u64 + 900;
    let mut all: Vec<_> = (1..=count)
        .map(|seq| sequence.record(seq, u128::from(seq)))
        .collect();
    let replaced = (1..=200).map(|n| sequence.record(count + n, u128::from(n * 3)));
    all.extend(replaced.collect::<Vec<_>>());
    let inside: Vec<_> = all
        .iter()
        .filter(|(row, _)| is_inside(row.id))
        .cloned()
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let full = index_of(&folder.path().join("full"), &all);
    let alone = index_of(&folder.path().join("alone"), &inside);
    assert!(full.base_len() > 0 && full.status().delta_records > 0);
    let mut compared = 0;

    for round in 0..60 {
        let words: Vec<&str> = (0..=sequence.below(3))
            .map(|_| WORDS[sequence.below(WORDS.len())])
            .collect();
        let (text, embedding) = (words.join(" "), sequence.embedding());
        let around = sequence.embedding();
        let ask = |index: &Index, allowed| -> Hits {
            let query = Query {
                text: &text,
                embedding: (round % 3 > 0).then_some(embedding.as_slice()),
                everyday: 0.0,
                turns: None,
                factors: None,
                language: Default::default(),
                context: (round % 3 == 2).then_some(around.as_slice()),
                allowed,
                now: NOW,
                offset: 0,
                limit: 50,
            };
            index.search(&query).unwrap()
        };
        let (limited, expected) = (
            ask(&full, Allowed::Scope(&is_inside)),
            ask(&alone, Allowed::Everything),
        );
        assert_eq!(limited.total, expected.total, "{text}");
        assert_eq!(limited.hits.len(), expected.hits.len(), "{text}");
        compared += expected.hits.len();
        for (one, other) in limited.hits.iter().zip(&expected.hits) {
            // The mean length is computed from the rounded lengths that the index stores.
            assert!((one.relevance - other.relevance).abs() < 0.02, "{text}");
        }
        let near = full.nearest(&embedding, 9, Allowed::Scope(&is_inside));
        assert_eq!(near, alone.nearest(&embedding, 9, Allowed::Everything));
    }
    assert!(compared > 500, "only {compared} hits were compared");
}

#[test]
fn records_outside_change_no_score_inside() {
    let mut sequence = Sequence(11);
    let record = |sequence: &mut Sequence, seq| sequence.record(seq, u128::from(seq));
    let few: Vec<_> = (1..=100).map(|seq| record(&mut sequence, seq)).collect();
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &few);
    let ask = |text: &str| {
        let query = Query {
            text,
            embedding: None,
            everyday: 0.0,
            turns: None,
            factors: None,
            language: Default::default(),
            context: None,
            allowed: Allowed::Scope(&is_inside),
            now: NOW,
            offset: 0,
            limit: 50,
        };
        index.search(&query).unwrap()
    };
    let before = WORDS.map(&ask);
    let more: Vec<_> = (101..=300)
        .filter(|seq| !is_inside(Uuid::from_u128(u128::from(*seq))))
        .map(|seq| record(&mut sequence, seq))
        .collect();
    index.apply(&more);
    assert!(before.iter().any(|hits| hits.total > 0));
    assert_eq!(WORDS.map(&ask), before);
}
