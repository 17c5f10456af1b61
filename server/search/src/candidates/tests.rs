//! Candidates are ranked as in an index of all records, and queries search for the terms that are selective.

#![allow(clippy::unwrap_used)]

use uuid::Uuid;

use super::super::{Allowed, Hit, Index, quantize};
use super::*;

const DIMENSIONS: usize = 16;

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

    fn embedding(&mut self) -> Vec<f32> {
        let values: Vec<f32> = (0..DIMENSIONS)
            .map(|_| self.below(2_001) as f32 / 1_000.0 - 1.0)
            .collect();
        let length = values.iter().map(|x| x * x).sum::<f32>().sqrt();
        values.into_iter().map(|x| x / length).collect()
    }

    fn words(&mut self, count: u64) -> String {
        let mut words = Vec::new();
        for _ in 0..count {
            let range = 1 << self.below(9);
            words.push(format!("w{}", self.below(range)));
        }
        words.join(" ")
    }

    fn record(&mut self, seq: u64) -> (Row, Text) {
        let vectors: Vec<_> = (0..self.below(4)).map(|_| self.embedding()).collect();
        let row = Row {
            seq,
            id: Uuid::from_u128(seq.into()),
            created_at: self.below(1_000_000) as i64,
            query_count: self.below(50),
            popularity: self.below(50),
            vector: (!vectors.is_empty()).then(|| quantize(&vectors)),
            language: Default::default(),
            is_gone: false,
        };
        let text = Text {
            title: self.words(4),
            keywords: self.words(2),
            body: format!(
                "{}\nerror: cannot open the w{} file",
                self.words(40),
                seq % 7
            ),
        };
        (row, text)
    }
}

/// Statistics over all records.
fn statistics(records: &[(Row, Text)]) -> Statistics {
    let mut statistics = Statistics {
        records: records.len() as u64,
        ..Statistics::default()
    };
    for (row, text) in records {
        let words = words(text);
        statistics.length += u64::from(words.length);
        statistics.with_vector += u64::from(row.vector.is_some());
        for term in words.terms {
            *statistics.frequencies.entry(term).or_default() += 1;
        }
    }
    statistics
}

fn retrieved((row, text): &(Row, Text)) -> Retrieved {
    let words = words(text);
    Retrieved {
        row: row.clone(),
        frequencies: words.frequencies,
        length: words.length,
    }
}

fn places(hits: &[Hit]) -> Vec<(Uuid, u64, u64)> {
    hits.iter()
        .map(|hit| (hit.id, hit.seq, hit.query_count))
        .collect()
}

#[test]
fn all_records_as_candidates_are_ranked_as_in_an_index() {
    let mut sequence = Sequence(7);
    let records: Vec<_> = (1..=400).map(|seq| sequence.record(seq)).collect();
    let index = Index::open(None).unwrap();
    index.apply(&records);
    let statistics = statistics(&records);
    let vectors = records
        .iter()
        .filter_map(|(row, _)| Some((row.vector.clone()?, row.language)));
    let sample = Sample::of(vectors);
    let found = records.iter().map(retrieved).collect();
    let candidates = Candidates::new(&statistics, &sample, found);
    let mut compared = 0;
    for round in 0..60 {
        let text = match round % 6 {
            0 => "error: cannot open the w3 file".to_owned(),
            _ => sequence.words(1 + round % 5),
        };
        let (embedding, context) = (sequence.embedding(), sequence.embedding());
        let allows = |id: Uuid| !id.as_u128().is_multiple_of(3);
        let query = Query {
            text: &text,
            embedding: (round % 2 == 0).then_some(&embedding[..]),
            everyday: 0.1,
            turns: None,
            factors: None,
            language: Default::default(),
            context: (round % 4 == 0).then_some(&context[..]),
            allowed: match round % 5 {
                0 => Allowed::Filter(&allows),
                _ => Allowed::Everything,
            },
            now: 2_000_000,
            offset: (round % 3) as usize,
            limit: 10,
        };
        let (expected, expected_parts) = index.search_with_parts(&query).unwrap();
        let (hits, parts) = candidates.search_with_parts(&query).unwrap();
        assert_eq!(hits.total, expected.total, "{text}");
        assert_eq!(places(&hits.hits), places(&expected.hits), "{text}");
        for (hit, expected) in hits.hits.iter().zip(&expected.hits) {
            assert!((hit.relevance - expected.relevance).abs() < 1e-5, "{text}");
        }
        for (part, expected) in parts.iter().zip(&expected_parts) {
            assert!((part.lexical - expected.lexical).abs() < 1e-5, "{text}");
            assert!((part.fingerprint - expected.fingerprint).abs() < 1e-5);
        }
        compared += hits.hits.len();
    }
    assert!(compared > 200, "only {compared} hits were compared");
}

/// Returns the term that a word is indexed as.
fn indexed(word: &str) -> String {
    query_terms(word).remove(0)
}

#[test]
fn common_words_are_only_searched_for_together() {
    let frequencies = [("rare", 3), ("common", 900), ("usual", 800), ("the", 990)];
    let statistics = Statistics {
        records: 1_000,
        frequencies: frequencies.map(|(word, n)| (indexed(word), n)).into(),
        ..Statistics::default()
    };
    let looked_for = |text: &str| {
        let query = Query {
            text,
            embedding: None,
            everyday: 0.0,
            turns: None,
            factors: None,
            language: Default::default(),
            context: None,
            allowed: Allowed::Everything,
            now: 0,
            offset: 0,
            limit: 10,
        };
        let words = query.looked_for(&statistics, 100).unwrap().words;
        words
            .into_iter()
            .map(|words| words.terms.join("+").replace('\u{1f}', ""))
            .collect::<Vec<_>>()
    };
    for (text, expected) in [
        ("rare", &["rare"][..]),
        ("the common rare", &["rare", "rare+common"]),
        ("the common", &["common"]),
        ("common usual", &["usual", "usual+common"]),
        // A word that no record has does not change the groups.
        ("rare unheard", &["rare"]),
        ("rare common unheard", &["rare", "rare+common"]),
        ("unheard", &[]),
    ] {
        assert_eq!(looked_for(text), expected, "{text}");
    }
}

#[test]
fn of_a_record_with_too_many_words_the_first_are_stored() {
    let many: Vec<String> = (0..90_000).map(|n| format!("word{n:09}")).collect();
    let text = Text {
        title: "headline".to_owned(),
        keywords: String::new(),
        body: many.join(" "),
    };
    let stored = words(&text);
    let bytes: usize = stored.terms.iter().map(String::len).sum();
    assert!((890_000..=MAX_TERM_BYTES).contains(&bytes), "{bytes}");
    assert_eq!(stored.length, 90_003);
    assert_eq!(
        frequency(&stored.frequencies, hash(&indexed("headline"))),
        Some(3)
    );
    assert_eq!(frequency(&stored.frequencies, hash("word000089999")), None);
}
