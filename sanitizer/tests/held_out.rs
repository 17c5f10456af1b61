//! Texts that no rule was written against: what is found of them, and what stays, has a floor.

#![allow(missing_docs)]

#[path = "../examples/held_out/chosen/mod.rs"]
mod chosen;
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

use std::collections::BTreeSet;

use chosen::{GAP, Set, Tables, expand, samples, wrong};
use dice::Dice;

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

const SETS: [Set; 7] = [
    Set::Tuning,
    Set::Development,
    Set::Development2,
    Set::Development3,
    Set::Development4,
    Set::Reported,
    Set::Development5,
];

/// The least share of secrets that go, and of harmless texts that stay.
const FLOORS: &[(Set, f64, f64)] = &[
    (Set::Tuning, 0.98, 0.995),
    (Set::Development, 0.975, 0.99),
    (Set::Development2, 0.95, 0.99),
    (Set::Development3, 0.94, 0.99),
    (Set::Development4, 0.92, 0.99),
    (Set::Development5, 0.78, 0.99),
    (Set::Reported, 0.80, 0.985),
];

#[test]
fn what_people_choose_goes_and_its_look_alikes_stay() {
    for (set, secrets, harmless) in FLOORS {
        let scores = chosen::scores(&Tables::of(*set), 20_261_125, 10_000, |_, _, _| {});
        for (kind, floor) in [(chosen::SECRETS, secrets), (chosen::HARMLESS, harmless)] {
            let chosen::Score { texts, right, .. } = scores[kind];
            let share = right as f64 / texts as f64;
            // Without the frames: nobody reads those of the reported set while fitting.
            assert!(share >= *floor, "{set:?}, {kind}: {share}");
        }
    }
}

#[test]
fn the_sets_of_what_people_choose_share_no_frame_and_no_value() {
    let texts = SETS.map(|set| {
        let tables = Tables::of(set);
        let frames = tables.frames.iter().chain(&tables.harmless);
        let frames: BTreeSet<String> = frames.map(|frame| frame.text.to_lowercase()).collect();
        assert_eq!(frames.len(), tables.frames.len() + tables.harmless.len());
        let mut dice = Dice::new(set as u64);
        let lists = tables
            .lists
            .keys()
            .filter(|list| !OPEN_LISTS.contains(list));
        let values: BTreeSet<String> = lists
            .flat_map(|list| std::iter::repeat_n(list, 500))
            .map(|list| expand(&tables, list, &mut dice).to_lowercase())
            .collect();
        (frames, values)
    });
    let pairs = (0..SETS.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    for (one, other) in pairs {
        let [(frames, values), (other_frames, other_values)] = [&texts[one], &texts[other]];
        // Counts alone: whoever sees this fail shall not read the texts of the reported set.
        let shared = [
            frames.intersection(other_frames).count(),
            values.intersection(other_values).count(),
        ];
        assert_eq!(shared, [0, 0], "{:?}, {:?}", SETS[one], SETS[other]);
    }
}

/// Lists of digits and marks, of words that a standard gives, of parts of values, of the lines that frame keys, and of what is no secret.
const OPEN_LISTS: &[&str] = &[
    "a1",
    "a2",
    "a3",
    "a4",
    "account",
    "bang",
    "bip",
    "bip_es",
    "bip_fr",
    "code",
    "code4",
    "code6",
    "code8",
    "codegap",
    "defaultpw",
    "doc_address",
    "dochost",
    "docip",
    "en_m",
    "env",
    "hint",
    "hport",
    "hword",
    "ini",
    "ip",
    "kb_rsa",
    "kbec",
    "ke_rsa",
    "kersa",
    "lineword",
    "mark",
    "meaning",
    "num",
    "o16",
    "obj",
    "oct",
    "octet",
    "otp",
    "p172",
    "pin",
    "pk",
    "port",
    "pubhost",
    "pword",
    "service",
    "stars",
    "svc",
    "svc1",
    "sym",
    "sysacct",
    "sysuser",
    "uword",
    "v2",
    "ver",
    "x5",
];

#[test]
fn the_judge_demands_that_secrets_go_and_that_the_rest_stays() {
    for set in SETS {
        for sample in samples(&Tables::of(set), 3, 4000) {
            let (harmless, text) = (sample.frame.harmless, sample.text.as_str());
            let as_it_was = wrong(&sample, text);
            assert_eq!(as_it_was, (!harmless).then_some("left"), "{text:?}");
            let cleaned = sample.rest.replace(GAP, "YOUR_PASSWORD");
            assert_eq!(wrong(&sample, &cleaned), None, "{cleaned:?}");
            let emptied = wrong(&sample, "YOUR_PASSWORD\n");
            let expected = match (harmless, sample.kept.is_empty()) {
                (true, _) => Some("changed"),
                (false, false) => Some("harmed"),
                (false, true) => None,
            };
            assert_eq!(emptied, expected, "{text:?}");
        }
    }
}
