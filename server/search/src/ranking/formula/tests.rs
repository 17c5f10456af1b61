//! The contract's formula, tested by explicit orders.

use uuid::Uuid;

use super::{Best, Candidate, Contributions, Prior};

const NOW: i64 = 1_800_000_000;
const DAY: i64 = 86_400;

fn candidate(id: u128, relevance: f32, popularity: u64, age_days: i64) -> Candidate {
    Candidate {
        id: Uuid::from_u128(id),
        seq: 1,
        relevance,
        placed_by: relevance,
        closeness: relevance,
        query_count: 0,
        popularity,
        created_at: NOW - age_days * DAY,
    }
}

fn check_score(relevance: f32, popularity: u64, age_days: i64, expected: f64) {
    let score = candidate(1, relevance, popularity, age_days).place_score(NOW);
    assert!(
        (score - expected).abs() < 1e-4,
        "{relevance} {popularity} {age_days}: {score}, not {expected}"
    );
}

/// Returns the ids of a page.
fn page(candidates: &[Candidate], offset: usize, limit: usize) -> Vec<u128> {
    let mut best = Best::new(NOW, offset + limit);
    for candidate in candidates {
        best.offer(*candidate);
    }
    let page = best.all().into_iter().skip(offset);
    page.map(|candidate| candidate.id.as_u128()).collect()
}

fn check_order(candidates: Vec<Candidate>, expected: &[u128]) {
    assert_eq!(page(&candidates, 0, 50), expected);
}

#[test]
fn place_scores_follow_the_contract_weights() {
    check_score(1.0, 1_000, 0, 1.0);
    check_score(1.0, 1_000_000, 0, 1.0);
    check_score(1.0, 0, 180, 0.65);
    check_score(0.5, 0, 0, 0.35);
    check_score(
        1.0,
        31,
        360,
        0.6 + 0.3 * 32.0_f64.ln() / 1001.0_f64.ln() + 0.025,
    );
    check_score(0.2, 0, -5, 0.14);
    check_score(0.0, 1_000, 0, 0.0);
}

#[test]
fn pages_follow_the_place_score_and_ties_the_id() {
    check_order(
        vec![candidate(1, 0.2, 0, 0), candidate(2, 0.9, 0, 0)],
        &[2, 1],
    );
    check_order(
        vec![candidate(1, 0.9, 0, 0), candidate(2, 0.8, 1_000, 0)],
        &[2, 1],
    );
    // Neither popularity nor recency moves a record before a better answer.
    check_order(
        vec![candidate(1, 0.9, 0, 4_000), candidate(2, 0.5, 1_000_000, 0)],
        &[1, 2],
    );
    check_order(
        vec![candidate(1, 0.9, 0, 400), candidate(2, 0.9, 0, 1)],
        &[2, 1],
    );
    check_order(
        vec![
            candidate(9, 0.5, 3, 3),
            candidate(4, 0.5, 3, 3),
            candidate(6, 0.5, 3, 3),
        ],
        &[4, 6, 9],
    );
    let all: Vec<Candidate> = (0..7_u8)
        .map(|i| candidate(u128::from(i), 0.9 - f32::from(i) / 10.0, 0, 0))
        .collect();
    let pages: Vec<u128> = (0..4)
        .flat_map(|number| page(&all, number * 2, 2))
        .collect();
    assert_eq!(pages, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn candidates_that_are_not_admitted_are_not_among_the_best() {
    // Every relevance with every popularity and age, in an order in which good ones come late.
    let all: Vec<Candidate> = (0..5_000_u32)
        .map(|i| {
            let relevance = (f64::from(i) * 0.618_034).fract() as f32;
            candidate(
                u128::from(i),
                relevance,
                u64::from(i % 997),
                i64::from(i % 731),
            )
        })
        .collect();
    let mut best = Best::new(NOW, 20);
    let (mut too_low, mut not_admitted) = (0, 0);
    for candidate in &all {
        let prior = Prior::of(
            candidate.created_at,
            candidate.popularity,
            Default::default(),
        );
        if candidate.closeness < best.least_closeness() {
            too_low += 1;
        } else if !best.admits(candidate.closeness, prior) {
            not_admitted += 1;
        } else {
            best.offer(*candidate);
        }
    }
    let found: Vec<u128> = best.all().iter().map(|c| c.id.as_u128()).collect();
    let mut by_score = all.clone();
    by_score.sort_by(|a, b| b.place_score(NOW).total_cmp(&a.place_score(NOW)));
    let expected: Vec<u128> = by_score.iter().take(20).map(|c| c.id.as_u128()).collect();
    assert_eq!(found, expected);
    assert!(too_low > 2_500, "{too_low}");
    assert!(not_admitted > 200, "{not_admitted}");
}

#[test]
fn the_final_score_is_the_contracts_sum_and_has_the_order_of_the_place_scores() {
    let mut seen: Vec<(f64, f64)> = Vec::new();
    for step in 0..400_u16 {
        let closeness = (-f32::from(step % 20) / 4.0).exp();
        let relevance = 0.9 * super::share(f32::from(step % 20) / 4.0);
        let candidate = Candidate {
            relevance,
            placed_by: relevance,
            closeness,
            ..candidate(1, 0.0, u64::from(step) * u64::from(step), i64::from(step))
        };
        let contributions = Contributions::of(&candidate, NOW);
        let relevance = f64::from(candidate.relevance);
        let sum = 0.6 * relevance + 0.3 * contributions.popularity + 0.1 * contributions.recency;
        assert!((sum - contributions.rank).abs() < 1e-9, "{contributions:?}");
        let (popularity, recency) = super::priors(&candidate, NOW);
        // Never more than the relevance times each, and exactly that for the first record.
        let most = (popularity * relevance, recency * relevance);
        assert!(
            contributions.popularity <= most.0 + 1e-6,
            "{contributions:?}"
        );
        assert!(contributions.recency <= most.1 + 1e-6, "{contributions:?}");
        if step % 20 == 0 {
            assert!(
                (contributions.popularity - most.0).abs() < 1e-6,
                "{contributions:?}"
            );
        }
        seen.push((candidate.place_score(NOW), contributions.rank));
    }
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(seen.windows(2).all(|two| two[0].1 <= two[1].1 + 1e-6));
}
