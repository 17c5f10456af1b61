//! Shares are proportional to the evidence and add up to 1.

#![allow(clippy::unwrap_used)]

use super::*;

fn score(slot: u32, score: f32) -> TextScore {
    TextScore {
        slot,
        score,
        exact: 0.0,
        has_all_terms: false,
    }
}

#[test]
fn each_signal_has_the_share_of_its_evidence() {
    let scores = TextScores {
        scores: vec![score(3, 12.0), score(0, 12.0), score(2, 4.0)],
        ideal: 40.0,
    };
    let signals = Signals {
        scores: &scores,
        fingerprints: &[score(3, 9.0)],
        cosines: Some(Cosines::of(&[f32::NAN, 0.5, 0.5, -0.2])),
        everyday: 0.0,
        language: None,
    };
    // The slots come in another order than the scores, and one is behind the last vector.
    let shares = signals.shares(&[0, 1, 2, 3, 4]);
    for share in &shares {
        let all = [share.lexical, share.semantic, share.fingerprint];
        assert!(
            all.iter().all(|part| (0.0..=1.0).contains(part)),
            "{share:?}"
        );
        assert!((all.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{share:?}");
    }
    let [words, meaning, both, message, ..] = shares[..] else {
        panic!("{shares:?}");
    };
    assert_eq!((words.lexical, words.semantic), (1.0, 0.0));
    assert_eq!((meaning.lexical, meaning.semantic), (0.0, 1.0));
    assert!(
        both.lexical > 0.1 && both.semantic > both.lexical,
        "{both:?}"
    );
    assert_eq!((message.lexical, message.fingerprint), (0.25, 0.75));
}
