//! Pruning does not change any result.

#![allow(clippy::unwrap_used)]

use uuid::Uuid;

use super::super::{Index, Row, Text, ranking::least_score};
use super::{Lexical as _, QueryTerms, Scratch, Texts};
use crate::{ranking::fuse, storage::grow::DELTA_LIMIT};

const STOP_WORDS: [&str; 6] = ["the", "to", "of", "is", "in", "and"];

/// A deterministic sequence of pseudorandom numbers.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }

    /// Returns `count` words, distributed by Zipf's law.
    fn words(&mut self, count: u64) -> String {
        let word = |sequence: &mut Self| {
            let range = 1 << sequence.below(11);
            match sequence.below(range) {
                rank @ 0..6 => STOP_WORDS[rank as usize].to_owned(),
                rank => format!("w{rank}"),
            }
        };
        let words: Vec<String> = (0..count).map(|_| word(self)).collect();
        words.join(" ")
    }
}

fn records(sequence: &mut Sequence, count: u64) -> Vec<(Row, Text)> {
    let record = |seq: u64, sequence: &mut Sequence| {
        let (title, body) = (1 + sequence.below(6), 2 + sequence.below(60));
        let text = Text {
            title: sequence.words(title),
            keywords: String::new(),
            body: sequence.words(body),
        };
        let row = Row {
            seq,
            id: Uuid::from_u128(u128::from(seq)),
            created_at: 0,
            query_count: 0,
            popularity: 0,
            vector: None,
            language: Default::default(),
            is_gone: false,
        };
        (row, text)
    };
    (1..=count).map(|seq| record(seq, sequence)).collect()
}

#[test]
fn pruned_records_would_not_have_matched() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(Some(folder.path().to_owned())).unwrap();
    let mut sequence = Sequence(1);
    let all = records(&mut sequence, 2 * DELTA_LIMIT as u64 + 500);
    for part in all.chunks(DELTA_LIMIT) {
        index.apply(part);
        index.extend_base().unwrap();
    }
    assert_eq!(index.status().delta_records, 500);
    let state = index.read();
    let texts = Texts {
        base: &state.base,
        delta: &state.delta,
        records: all.len(),
        scope: None,
    };
    let (mut scratch, mut left_out) = (Scratch::default(), 0);
    for round in 0..600 {
        let count = 1 + sequence.below(6);
        let query = match round {
            0 => "the to of".to_owned(),
            1 => "the unknown".to_owned(),
            _ => sequence.words(count),
        };
        let terms = QueryTerms::of(&query);
        let every = texts.score(&terms, &|_, _| 0.0, &mut scratch).unwrap();
        let some = texts.score(&terms, &least_score, &mut scratch).unwrap();
        left_out += every.scores.len() - some.scores.len();
        let matches = |scores| {
            let matches = fuse::matches(scores, None, &fuse::MatchOptions::default());
            let mut order_scores: Vec<(u32, f32)> = matches.order_scores().collect();
            order_scores.sort_unstable_by_key(|(slot, _)| *slot);
            order_scores
        };
        assert_eq!(matches(&some), matches(&every), "{query:?}");
    }
    assert!(left_out > 100_000, "only {left_out} were left out");
}
