//! How the budget for large answers is divided among callers.

use uuid::Uuid;

use super::{MAX_WAITING_BYTES, ResponseBudget, SMALL, SMALL_QUEUED, Waiting};
use crate::transports::guard::rate::Counted;

const MIB: u64 = 1024 * 1024;

/// Reserves answers of 7 MiB until no more are allowed.
fn exhaust(budget: &ResponseBudget, caller: Counted) -> Vec<Waiting> {
    std::iter::from_fn(|| budget.reserve(7 * MIB, caller)).collect()
}

#[test]
fn a_caller_with_many_waiting_answers_leaves_budget_for_others() {
    let budget = ResponseBudget::default();
    let callers = [1, 2, 3].map(|id| Counted::Key(Uuid::from_u128(id)));
    let [first, second, third] = callers.map(|caller| exhaust(&budget, caller));
    let half = u64::from(MAX_WAITING_BYTES) / 2 / (7 * MIB);
    assert_eq!(first.len() as u64, half);
    assert_eq!(second.len() as u64, half / 2);
    assert_eq!(third.len() as u64, half / 4);
    let modest = Counted::Key(Uuid::from_u128(4));
    assert!(budget.reserve(7 * MIB, modest).is_some());
    let local = Counted::address([127, 0, 0, 1].into());
    assert!(budget.reserve(7 * MIB, local).is_some());

    assert!(budget.reserve(7 * MIB, callers[0]).is_none());
    drop(first);
    assert!(
        budget.reserve(7 * MIB, callers[0]).is_some(),
        "sent answers free their share"
    );
    drop((second, third));
}

#[test]
fn small_answers_do_not_count_against_the_budget() {
    let budget = ResponseBudget::default();
    let caller = Counted::Key(Uuid::from_u128(1));
    let _all = exhaust(&budget, caller);
    assert!(budget.reserve(SMALL, caller).is_some());
    assert!(budget.reserve_queued(SMALL_QUEUED, caller).is_some());
    let large = u64::from(MAX_WAITING_BYTES);
    assert!(budget.reserve(large, caller).is_none());
    assert!(budget.reserve(u64::MAX, caller).is_none());
}
