//! Fusion of hand-made signals into relevances.

#![allow(clippy::unwrap_used)]

use super::*;

/// Returns relevances by slot, best first, for BM25 scores by slot (0: no match) and cosines.
fn ranked(scores: &[f32], ideal: f32, cosines: Option<&[f32]>) -> Vec<(u32, f32)> {
    fused(scores, 0.0, ideal, cosines)
}

/// The same for terms that are identifiers (`exact` of 1) or words (0).
fn fused(scores: &[f32], exact: f32, ideal: f32, cosines: Option<&[f32]>) -> Vec<(u32, f32)> {
    let scores = (0..)
        .zip(scores.iter().copied())
        .filter(|(_, score)| *score > 0.0)
        .map(|(slot, score)| TextScore {
            slot,
            score,
            exact: 2.2 * score * exact,
            has_all_terms: false,
        })
        .collect();
    let mut found = relevances(&TextScores { scores, ideal }, cosines, 0.0);
    assert!(
        found
            .iter()
            .all(|(_, relevance)| (0.0..=1.0).contains(relevance))
    );
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

/// Returns slot and relevance of each match.
fn relevances(scores: &TextScores, cosines: Option<&[f32]>, everyday: f32) -> Vec<(u32, f32)> {
    let options = MatchOptions {
        everyday,
        ..MatchOptions::default()
    };
    let matches = matches(scores, cosines.map(Cosines::of), &options);
    let order_scores = matches.order_scores();
    order_scores
        .map(|(slot, order_score)| (slot, matches.relevance(order_score)))
        .collect()
}

fn slots(found: &[(u32, f32)]) -> Vec<u32> {
    found.iter().map(|(slot, _)| *slot).collect()
}

#[test]
fn a_clear_answer_has_a_high_relevance_in_stores_of_every_size() {
    for strangers in [0, 1, 7, 49, 1_999] {
        // A question in another language than the record: no word in common.
        let mut cosines = vec![0.45];
        cosines.extend((0..strangers).map(|i| -0.08 + 0.02 * (i % 10) as f32));
        let found = ranked(&[], 40.0, Some(&cosines));
        assert_eq!(slots(&found), [0], "{strangers} strangers");
        assert!(found[0].1 > 0.9, "{strangers} strangers: {}", found[0].1);
    }
}

#[test]
fn queries_about_other_things_match_nothing() {
    let off_topic = [-0.04, 0.06, 0.0, 0.11, 0.13, 0.01, -0.13, 0.12];
    for count in 1..=off_topic.len() {
        assert_eq!(ranked(&[], 30.0, Some(&off_topic[..count])), []);
    }
    // A question that is a little similar to everything: the same cosine counts for less.
    let mut cosines = vec![0.0; 1_000];
    cosines.push(0.25);
    assert_eq!(slots(&ranked(&[], 30.0, Some(&cosines))), [1_000]);
    cosines.fill(0.15);
    cosines.push(0.25);
    assert_eq!(ranked(&[], 30.0, Some(&cosines)), []);
    // An everyday question: only records that are very similar to it match.
    let no_words = TextScores {
        scores: Vec::new(),
        ideal: 30.0,
    };
    assert_eq!(relevances(&no_words, Some(&[0.3]), 0.5), []);
    assert_eq!(relevances(&no_words, Some(&[0.3]), 0.0).len(), 1);
    assert_eq!(relevances(&no_words, Some(&[0.5]), 9.0).len(), 1);
    assert_eq!(ranked(&[], 0.0, None), []);
    assert_eq!(ranked(&[], 0.0, Some(&[])), []);
    assert_eq!(ranked(&[], 0.0, Some(&[f32::NAN, f32::NAN])), []);
}

#[test]
fn shared_words_do_not_make_a_match_but_an_identifier_does() {
    // With five other words, in 24 and in 1,625 records.
    for (score, ideal) in [(5.6, 46.0), (11.0, 52.0)] {
        let with_vectors = |exact| fused(&[0.0, score], exact, ideal, Some(&[0.05, -0.02]));
        assert_eq!(with_vectors(0.0), [], "words");
        assert_eq!(slots(&with_vectors(1.0)), [1], "an identifier");
        assert_eq!(slots(&ranked(&[0.0, score], ideal, None)), [1]);
    }
    // `E0502` alone, whose vector says nothing.
    let found = fused(&[0.0, 7.1, 0.0], 1.0, 10.0, Some(&[-0.1, 0.0, 0.1]));
    assert_eq!(slots(&found), [1]);
    assert!(ranked(&[7.1], 10.0, None)[0].1 > 0.6);
}

#[test]
fn stop_words_alone_match_nothing() {
    for ideal in [1.5, 5.0, 11.0, 40.0] {
        assert_eq!(ranked(&[1.5, 0.6], ideal, None), [], "ideal {ideal}");
        let found = ranked(&[1.5, 0.6], ideal, Some(&[0.15, 0.1]));
        assert_eq!(found, [], "ideal {ideal}");
    }
}

#[test]
fn a_record_with_the_whole_query_matches_however_common_its_words_are() {
    let score = |slot, score, has_all_terms| TextScore {
        slot,
        score,
        exact: 0.0,
        has_all_terms,
    };
    let scores = vec![
        score(0, 0.4, true),
        score(1, 0.3, false),
        score(2, 0.8, true),
    ];
    let scores = TextScores { scores, ideal: 0.9 };
    for cosines in [None, Some(&[0.0, 0.01, 0.0][..])] {
        let mut found = relevances(&scores, cosines, 0.0);
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        assert_eq!(slots(&found), [2, 0], "{cosines:?}");
    }
}

#[test]
fn similar_records_have_similar_relevances_and_weaker_records_fall_behind() {
    let found = ranked(&[0.0; 5], 40.0, Some(&[0.55, 0.54, 0.50, 0.38, 0.1]));
    assert_eq!(slots(&found), [0, 1, 2, 3]);
    let relevance: Vec<f32> = found.iter().map(|hit| hit.1).collect();
    assert!(relevance[0] > 0.8, "{relevance:?}");
    assert!(relevance[0] - relevance[1] < 0.05, "{relevance:?}");
    assert!(relevance[1] - relevance[2] > 0.1, "{relevance:?}");
    // A record that is clearly behind has a low relevance, but not 0.
    assert!((0.01..0.2).contains(&relevance[3]), "{relevance:?}");
    // With a lead, the same evidence is a more certain answer.
    let alone = ranked(&[0.0; 5], 40.0, Some(&[0.55, 0.34, 0.30, 0.30, 0.1]));
    assert!(alone[0].1 > relevance[0]);
}

#[test]
fn records_below_the_floor_are_not_returned() {
    for best in 0..60_u8 {
        let best = f32::from(best) / 100.0;
        let cosines = [best, best - 0.02, best - 0.1, best - 0.24, best - 0.25, 0.0];
        let found = ranked(&[], 30.0, Some(&cosines));
        assert!(found.iter().all(|(_, relevance)| *relevance >= 0.005));
        // If the best record is below the floor, nothing is returned; a much weaker record never is.
        assert_eq!(found.is_empty(), best < 0.175, "{best}: {found:?}");
        assert!(!slots(&found).contains(&4), "{best}: {found:?}");
    }
}

#[test]
fn words_decide_between_equal_vectors() {
    assert_eq!(
        slots(&ranked(&[4.0, 16.0], 40.0, Some(&[0.4, 0.4]))),
        [1, 0]
    );
}

#[test]
fn words_count_by_their_share_of_the_query() {
    // The same words: most of a short query, little of a long one, where the vector decides.
    let cosines = [0.45, 0.35];
    let of = |ideal| slots(&ranked(&[0.0, 8.0], ideal, Some(&cosines)));
    assert_eq!(of(20.0)[0], 1);
    assert_eq!(of(200.0)[0], 0);
}

#[test]
fn a_record_without_a_vector_is_compared_by_its_words() {
    let found = ranked(&[12.0, 0.0, 12.0], 20.0, Some(&[f32::NAN, 0.1, -0.1]));
    assert_eq!(found[0].0, 0);
    // Slots behind the last vector, too.
    assert_eq!(slots(&ranked(&[0.0, 12.0], 20.0, Some(&[0.1])))[0], 1);
}

#[test]
fn models_with_wide_and_with_compressed_cosines_are_recognised() {
    assert_eq!(slots(&ranked(&[], 30.0, Some(&[0.52]))), [0]);
    assert_eq!(ranked(&[], 30.0, Some(&[0.15, 0.08, 0.17])), []);
    let mut cosines = vec![0.12; 500];
    cosines.push(0.55);
    assert_eq!(slots(&ranked(&[], 30.0, Some(&cosines))), [500]);
    cosines = vec![0.72; 500];
    cosines.push(0.86);
    assert_eq!(slots(&ranked(&[], 30.0, Some(&cosines))), [500]);
}

#[test]
fn a_record_without_a_vector_is_ranked_by_its_words() {
    // Other records, which have vectors, share a few of the question's words and are somewhat similar to it.
    let mut scores = vec![6.0; 20];
    let mut cosines = vec![0.25; 20];
    // This one has most of the words.
    scores.push(30.0);
    cosines.push(f32::NAN);
    let found = ranked(&scores, 40.0, Some(&cosines));
    assert_eq!(found[0].0, 20, "{found:?}");
    // Among records with as many words, one with a high cosine comes first.
    scores.push(30.0);
    cosines.push(0.8);
    let found = ranked(&scores, 40.0, Some(&cosines));
    assert_eq!(slots(&found)[..2], [21, 20], "{found:?}");
    // The record without a vector does not come before one with few words and a high cosine.
    scores[20] = 12.0;
    cosines[21] = 0.6;
    scores[21] = 3.0;
    let found = ranked(&scores, 40.0, Some(&cosines));
    assert_eq!(found[0].0, 21, "{found:?}");
}

#[test]
fn the_more_vectors_are_missing_the_more_words_decide() {
    // The answer has most of the words; the other record has a few of them and the higher cosine.
    let (answer, other) = ((20.0, 0.3), (8.0, 0.6));
    let first = |answer_has_vector: bool, missing: usize| {
        let mut scores = vec![4.0; 40];
        let mut cosines = vec![0.1; 40];
        cosines[..missing].fill(f32::NAN);
        scores.extend([answer.0, other.0]);
        cosines.extend([
            if answer_has_vector {
                answer.1
            } else {
                f32::NAN
            },
            other.1,
        ]);
        slots(&ranked(&scores, 40.0, Some(&cosines)))[0]
    };
    for (has_vector, missing, expected) in [
        (true, 0, 41),
        (true, 1, 41),
        (true, 30, 40),
        (false, 20, 40),
        (false, 36, 40),
    ] {
        let found = first(has_vector, missing);
        assert_eq!(found, expected, "{has_vector}, {missing} missing");
    }
}
