//! Base and delta are searched as one index, also after restarts and with several processes.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use uuid::Uuid;

use super::{Allowed, Counts, Hits, Index, IndexError, Language, Query, Row, Text, quantize};
use crate::storage::{base::Base, grow::DELTA_LIMIT};

const NOW: i64 = 1_800_000_000;

/// Returns a record with a number as its id; `seq` and id need not be equal.
fn record(id: u64, seq: u64, title: &str, body: &str) -> (Row, Text) {
    let row = Row {
        seq,
        id: Uuid::from_u128(u128::from(id)),
        created_at: NOW,
        query_count: 0,
        popularity: 0,
        vector: None,
        language: Default::default(),
        is_gone: false,
    };
    (
        row,
        Text {
            title: title.to_owned(),
            keywords: String::new(),
            body: body.to_owned(),
        },
    )
}

/// Returns a record that was removed.
fn gone(id: u64, seq: u64) -> (Row, Text) {
    let (row, _) = record(id, seq, "", "");
    let row = Row {
        is_gone: true,
        ..row
    };
    (row, Text::default())
}

/// Returns records that share common words and have one of their own: `word7` belongs to record 7.
fn corpus(count: u64) -> Vec<(Row, Text)> {
    let body = |n: u64| {
        format!(
            "the build fails with word{n} in module m{} every time",
            n % 7
        )
    };
    (1..=count)
        .map(|n| record(n, n, &format!("Problem {n}"), &body(n)))
        .collect()
}

fn of_text(text: &str) -> Query<'_> {
    Query {
        text,
        embedding: None,
        everyday: 0.0,
        turns: None,
        factors: None,
        language: Language::default(),
        context: None,
        allowed: Allowed::Everything,
        now: NOW,
        offset: 0,
        limit: 50,
    }
}

fn search(index: &Index, text: &str) -> Hits {
    index.search(&of_text(text)).unwrap()
}

fn ids(hits: &Hits) -> Vec<u128> {
    hits.hits.iter().map(|hit| hit.id.as_u128()).collect()
}

fn open(folder: &Path) -> Index {
    Index::open(Some(folder.to_owned())).unwrap()
}

fn rows(records: &[(Row, Text)], up_to: u64) -> Vec<Row> {
    records
        .iter()
        .map(|(row, _)| row.clone())
        .filter(|row| row.seq <= up_to)
        .collect()
}

#[test]
fn a_record_is_found_as_soon_as_it_is_added() {
    let index = Index::open(None).unwrap();
    assert!(index.is_empty());
    assert_eq!(
        search(&index, "word3"),
        Hits {
            hits: Vec::new(),
            total: 0
        }
    );
    index.apply(&corpus(3));
    assert_eq!((index.len(), index.last_seq()), (3, 3));
    assert_eq!(ids(&search(&index, "word3")), [3]);
}

#[test]
fn results_do_not_depend_on_what_is_in_the_base() {
    let folder = tempfile::tempdir().unwrap();
    let records = corpus(DELTA_LIMIT as u64 + 50);
    let (early, late) = records.split_at(DELTA_LIMIT + 10);
    let moved = open(folder.path());
    moved.apply(early);
    moved.extend_base().unwrap();
    assert_eq!(moved.base_seq(), early.len() as u64);
    moved.apply(late);
    let complete = Index::open(None).unwrap();
    complete.apply(&records);
    for text in [
        "word2005",
        "word2031 module",
        "build fails m3",
        "Problem 12",
    ] {
        let (moved, complete) = (search(&moved, text), search(&complete, text));
        assert_eq!(
            (moved.total, ids(&moved)),
            (complete.total, ids(&complete)),
            "{text}"
        );
    }
}

#[test]
fn a_restart_reads_the_base_and_needs_only_the_records_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let records = corpus(DELTA_LIMIT as u64 + 1);
    let before = open(folder.path());
    before.apply(&records);
    before.extend_base().unwrap();
    let expected = search(&before, "word17 m3");
    drop(before);

    let after = open(folder.path());
    after.restore(&rows(&records, after.base_seq())).unwrap();
    assert_eq!(after.last_seq(), records.len() as u64);
    assert_eq!(search(&after, "word17 m3"), expected);

    let incomplete = open(folder.path());
    let mut more = rows(&records, u64::MAX);
    more.first_mut().unwrap().seq = 0;
    assert!(matches!(
        incomplete.restore(&more),
        Err(IndexError::Incomplete { missing: 1, .. })
    ));
    incomplete.reset().unwrap();
    incomplete.apply(&records);
    assert_eq!(
        ids(&search(&incomplete, "word17")),
        ids(&search(&after, "word17"))
    );
}

#[test]
fn a_new_version_replaces_the_old_one_in_base_and_delta() {
    let folder = tempfile::tempdir().unwrap();
    let records = corpus(DELTA_LIMIT as u64);
    let last = records.len() as u64;
    let index = open(folder.path());
    index.apply(&records);
    index.extend_base().unwrap();
    for (version, word) in ["apricot", "blueberry"].into_iter().enumerate() {
        index.apply(&[record(5, last + 1 + version as u64, "Problem 5", word)]);
        assert_eq!(ids(&search(&index, word)), [5]);
        assert_eq!(
            search(&index, "word5").total,
            0,
            "the first version is gone"
        );
    }
    assert_eq!(search(&index, "apricot").total, 0, "so is the second");
    assert_eq!(index.len(), records.len());
}

#[test]
fn another_process_loads_what_one_moved_into_the_base() {
    let folder = tempfile::tempdir().unwrap();
    let records = corpus(DELTA_LIMIT as u64);
    let (one, other) = (open(folder.path()), open(folder.path()));
    one.apply(&records);
    other.apply(&records);
    one.extend_base().unwrap();
    assert_eq!(other.base_seq(), 0);
    other.extend_base().unwrap();
    assert_eq!(other.base_seq(), one.base_seq());
    assert_eq!(search(&other, "word7 m2"), search(&one, "word7 m2"));
}

#[test]
fn changes_while_a_base_is_opened_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let records = corpus(20);
    let index = open(folder.path());
    index.apply(&records);
    let (handle, documents) = {
        let state = index.read();
        let handle = state.base.handle(&state.delta).unwrap();
        (handle, state.delta.in_commit_order())
    };
    Base::extend(&handle, &documents, 20).unwrap();
    let snapshot = index.prepare(&handle).unwrap().unwrap();
    index.apply(&[record(5, 21, "Problem 5", "apricot"), gone(6, 22)]);
    index.apply(&[record(21, 23, "Problem 21", "blueberry")]);
    index.show(&handle, snapshot);
    assert_eq!((index.base_seq(), index.status().delta_records), (20, 2));
    for (text, expected) in [
        ("word4", vec![4]),
        ("word5", vec![]),
        ("apricot", vec![5]),
        ("word6", vec![]),
        ("blueberry", vec![21]),
    ] {
        assert_eq!(ids(&search(&index, text)), expected, "{text}");
    }
}

#[test]
fn replaced_records_take_no_space() {
    let index = Index::open(None).unwrap();
    let count = DELTA_LIMIT as u64;
    let mut seq = 0;
    for round in 0..4 {
        let first = round * count;
        let body = |n: u64| format!("the build fails with word{n}");
        let added = (first..first + count).zip(seq + 1..);
        let added: Vec<_> = added
            .map(|(id, seq)| record(id, seq, "Problem", &body(id)))
            .collect();
        index.apply(&added);
        seq += count;
        let replaced = first.saturating_sub(count)..first;
        let replaced: Vec<_> = replaced
            .zip(seq + 1..)
            .map(|(id, at)| gone(id, at))
            .collect();
        index.apply(&replaced);
        seq += replaced.len() as u64;
        index.extend_base().unwrap();
        assert_eq!(index.len() as u64, count);
        assert_eq!(index.base_len(), count, "round {round}");
        let slots = index.read().records.all().len() as u64;
        assert!(slots <= 2 * count, "round {round}: {slots}");
        for id in [first, first + 17, first + count - 1] {
            let found = search(&index, &format!("word{id}"));
            assert_eq!(ids(&found), [u128::from(id)], "round {round}");
        }
        let before = search(&index, &format!("word{}", first.saturating_sub(1)));
        assert_eq!(before.total, u64::from(round == 0), "round {round}");
    }
}

#[test]
fn a_folder_of_another_program_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("meta.json"), "{\"not\": \"ours\"}").unwrap();
    assert!(Index::open(Some(folder.path().to_owned())).is_err());
    Index::erase(folder.path()).unwrap();
    assert!(open(folder.path()).is_empty());
}

#[test]
fn pages_are_parts_of_one_order_and_the_total_is_exact() {
    let index = Index::open(None).unwrap();
    index.apply(&corpus(30));
    let complete = search(&index, "word4 m4");
    let mut paged = Vec::new();
    for offset in (0..complete.total as usize).step_by(3) {
        let query = Query {
            text: "word4 m4",
            embedding: None,
            everyday: 0.0,
            turns: None,
            factors: None,
            language: Default::default(),
            context: None,
            allowed: Allowed::Everything,
            now: NOW,
            offset,
            limit: 3,
        };
        let page = index.search(&query).unwrap();
        assert_eq!(page.total, complete.total);
        paged.extend(page.hits);
    }
    assert_eq!(paged, complete.hits);
    assert_eq!(complete.total as usize, complete.hits.len());
}

#[test]
fn counts_that_are_set_later_change_the_order_of_equal_records() {
    let index = Index::open(None).unwrap();
    index.apply(&[record(1, 1, "disk full", ""), record(2, 2, "disk full", "")]);
    assert_eq!(ids(&search(&index, "disk full")), [1, 2]);
    let counts = |query_count| Counts {
        query_count,
        popularity: query_count,
    };
    index.set_counts([
        (Uuid::from_u128(2), counts(40)),
        (Uuid::from_u128(9), counts(1)),
    ]);
    assert_eq!(ids(&search(&index, "disk full")), [2, 1]);
}

#[test]
fn a_vector_finds_a_record_that_shares_no_word() {
    let index = Index::open(None).unwrap();
    let with_vector = |id: u64, title: &str, vector: [f32; 4]| {
        let (row, text) = record(id, id, title, "");
        (
            Row {
                vector: Some(quantize(&[vector])),
                ..row
            },
            text,
        )
    };
    index.apply(&[
        with_vector(1, "the disk is full", [1.0, 0.0, 0.0, 0.0]),
        with_vector(2, "cats", [0.6, 0.8, 0.0, 0.0]),
    ]);
    let query = Query {
        text: "磁盘满了",
        embedding: Some(&[1.0, 0.0, 0.0, 0.0]),
        everyday: 0.0,
        turns: None,
        factors: None,
        language: Default::default(),
        context: None,
        allowed: Allowed::Everything,
        now: NOW,
        offset: 0,
        limit: 5,
    };
    assert_eq!(ids(&index.search(&query).unwrap()).first(), Some(&1));
}

#[test]
fn the_parts_of_a_hit_add_up_to_its_relevance() {
    let index = Index::open(None).unwrap();
    let mut records = vec![
        record(1, 1, "Build", "error[E0502]: cannot borrow `a` as mutable"),
        record(
            2,
            2,
            "Borrow checker",
            "cannot borrow as mutable twice, says it",
        ),
        record(3, 3, "Popular", "the disk is full"),
        record(4, 4, "Faint", "the disk is full"),
    ];
    let vectors = [[0.6, 0.8], [0.8, 0.6], [0.28, 0.96], [-0.6, 0.8]];
    for ((row, _), vector) in records.iter_mut().zip(vectors) {
        row.vector = Some(quantize(&[vector]));
        row.popularity = row.seq * 300;
        row.created_at = NOW - i64::try_from(row.seq).unwrap() * 180 * 86_400;
    }
    index.apply(&records);
    for embedding in [None, Some(&[0.8, 0.6][..])] {
        let query = Query {
            text: "error[E0502]: cannot borrow `b` as mutable",
            embedding,
            context: None,
            allowed: Allowed::Everything,
            everyday: 0.0,
            turns: None,
            factors: None,
            language: Default::default(),
            now: NOW,
            offset: 0,
            limit: 50,
        };
        let (hits, parts) = index.search_with_parts(&query).unwrap();
        assert_eq!(hits, index.search(&query).unwrap());
        assert_eq!(parts.len(), hits.hits.len());
        assert!(parts.len() >= 2);
        for (hit, parts) in hits.hits.iter().zip(&parts) {
            let relevance = parts.lexical + parts.semantic + parts.fingerprint;
            assert!(
                (relevance - hit.relevance).abs() < 1e-6,
                "{hit:?} {parts:?}"
            );
            let rank = 0.6 * relevance + 0.3 * parts.popularity + 0.1 * parts.recency;
            assert!((rank - parts.rank).abs() < 1e-6, "{hit:?} {parts:?}");
            let is_same_error = hit.id.as_u128() == 1;
            assert_eq!(parts.fingerprint > 0.1, is_same_error, "{hit:?} {parts:?}");
            assert_eq!(
                parts.semantic > 0.0,
                embedding.is_some(),
                "{hit:?} {parts:?}"
            );
        }
        assert!(parts.is_sorted_by(|a, b| a.rank >= b.rank));
    }
}

/// The records are in two languages, one of which is the question's; the answer is in the other.
#[test]
fn words_in_the_questions_language_do_not_hide_an_answer_in_another() {
    let index = Index::open(None).unwrap();
    let language = |number| Language::of(Some(number));
    let mut records: Vec<(Row, Text)> = (1..=8)
        .map(|id| {
            let (mut row, text) = record(id, id, "how to find the right place", "for it");
            row.vector = Some(quantize(&[[0.05 * id as f32, 1.0, 0.0]]));
            row.language = language(1);
            (row, text)
        })
        .collect();
    for id in 9..=30 {
        let (mut row, text) = record(id, id, "выпуск сборки", "для всех");
        let angle = if id == 9 { 0.8 } else { 0.1 };
        row.vector = Some(quantize(&[[angle, 1.0, 0.3]]));
        row.language = language(2);
        records.push((row, text));
    }
    index.apply(&records);
    let first_hit = |language| {
        let query = Query {
            embedding: Some(&[0.6, 0.8, 0.0]),
            language,
            ..of_text("find the right place")
        };
        index.search(&query).unwrap().hits[0].id.as_u128()
    };
    assert!(
        first_hit(Language::default()) <= 8,
        "by words of its own language"
    );
    assert_eq!(first_hit(language(1)), 9);
}
