//! Who gets room for large answers.

use uuid::Uuid;

use super::{ROOM, ResponseBudget, SMALL, SMALL_QUEUED, Waiting};
use crate::transports::guard::rate::Counted;

const MIB: u64 = 1024 * 1024;

/// Takes room for answers of 7 MiB until there is none.
fn hoard(answers: &ResponseBudget, caller: Counted) -> Vec<Waiting> {
    std::iter::from_fn(|| answers.take(7 * MIB, caller)).collect()
}

#[test]
fn whoever_hoards_answers_leaves_room_for_everybody_else() {
    let answers = ResponseBudget::default();
    let callers = [1, 2, 3].map(|id| Counted::Key(Uuid::from_u128(id)));
    let [first, second, third] = callers.map(|caller| hoard(&answers, caller));
    let half = u64::from(ROOM) / 2 / (7 * MIB);
    assert_eq!(first.len() as u64, half);
    assert_eq!(second.len() as u64, half / 2);
    assert_eq!(third.len() as u64, half / 4);
    let modest = Counted::Key(Uuid::from_u128(4));
    assert!(answers.take(7 * MIB, modest).is_some());
    let local = Counted::address([127, 0, 0, 1].into());
    assert!(answers.take(7 * MIB, local).is_some());

    assert!(answers.take(7 * MIB, callers[0]).is_none());
    drop(first);
    assert!(
        answers.take(7 * MIB, callers[0]).is_some(),
        "what was sent makes room"
    );
    drop((second, third));
}

#[test]
fn small_answers_need_no_room() {
    let answers = ResponseBudget::default();
    let caller = Counted::Key(Uuid::from_u128(1));
    let _all = hoard(&answers, caller);
    assert!(answers.take(SMALL, caller).is_some());
    assert!(answers.take_queued(SMALL_QUEUED, caller).is_some());
    let large = u64::from(ROOM);
    assert!(answers.take(large, caller).is_none());
    assert!(answers.take(u64::MAX, caller).is_none());
}
