//! Texts that no rule was written against: what is found of them, and what stays, has a floor.

#![allow(missing_docs)]

#[path = "../examples/held_out/dice.rs"]
mod dice;
#[path = "../examples/held_out/frames.rs"]
mod frames;
#[path = "../examples/held_out/harmless.rs"]
mod harmless;
#[path = "../examples/held_out/sample.rs"]
mod sample;
#[path = "../examples/held_out/values.rs"]
mod values;

#[test]
fn unseen_secrets_go_and_harmless_texts_stay() {
    const SEED: u64 = 20_261_122;
    let scores = sample::scores(SEED, 4000);
    let (mut texts, mut right) = (0, 0);
    for (kind, score) in &scores {
        let floor = if *kind == sample::HARMLESS {
            0.99
        } else {
            0.95
        };
        assert!(
            score.right as f64 >= floor * score.texts as f64,
            "{kind}: {} of {}, wrong in {:?}",
            score.right,
            score.texts,
            score.wrong
        );
        texts += score.texts;
        right += score.right;
    }
    assert!(
        right * 1000 >= texts * 995,
        "{right} of {texts} are right in all"
    );
}
