//! Which callers count, and how much.

#![allow(clippy::unwrap_used)]

use super::*;

const START: i64 = 1_790_000_000;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(START + 60 * minute).unwrap()
}

fn voice(name: &str) -> Voice {
    Voice::new(&name)
}

#[test]
fn a_voice_counts_once_an_hour_and_opening_counts_more_than_listing() {
    let mut voices = Voices::default();
    let id = Uuid::from_u128(1);
    let mut hear = |name, exposure, minute| voices.hear(voice(name), id, exposure, at(minute));
    assert_eq!(hear("one", Exposure::Listed, 0), 1);
    assert_eq!(hear("one", Exposure::Listed, 1), 0, "again");
    assert_eq!(hear("one", Exposure::Opened, 2), 2, "3 in all");
    assert_eq!(hear("one", Exposure::Opened, 59), 0);
    assert_eq!(hear("other", Exposure::Opened, 59), 3, "another caller");
    assert_eq!(hear("one", Exposure::Listed, 60), 1, "an hour later");
    assert_eq!(hear("other", Exposure::Listed, 60), 0);
}

#[test]
fn one_voice_cannot_use_up_the_capacity() {
    let mut voices = Voices::default();
    let ids = (0..).map(Uuid::from_u128).take(2 * RECORDS_OF_VOICE);
    let added = ids.map(|id| voices.hear(voice("greedy"), id, Exposure::Listed, at(0)));
    assert_eq!(added.sum::<u64>(), RECORDS_OF_VOICE as u64);
    let id = Uuid::from_u128(u128::MAX);
    assert_eq!(voices.hear(voice("other"), id, Exposure::Listed, at(0)), 1);
}

#[test]
fn the_number_of_pairs_is_bounded_and_they_are_removed_after_an_hour() {
    let mut voices = Voices::default();
    let mut fill = |minute| -> u64 {
        let names = 0..2 * MAX_PAIRS / RECORDS_OF_VOICE;
        let pairs = names.flat_map(|name| (0..RECORDS_OF_VOICE as u128).map(move |id| (name, id)));
        pairs
            .map(|(name, id)| {
                let voice = Voice::new(&name);
                voices.hear(voice, Uuid::from_u128(id), Exposure::Listed, at(minute))
            })
            .sum()
    };
    assert_eq!(fill(0), MAX_PAIRS as u64);
    assert_eq!(fill(30), 0, "nothing is forgotten yet");
    assert_eq!(fill(61), MAX_PAIRS as u64);
}
