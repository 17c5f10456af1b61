//! Turns for large responses: a few are built and written at once, with a fair share for each caller.
//!
//! A caller that requests many large responses at once would otherwise keep the runtime's threads busy
//! copying and writing them, and every other call waits for these threads. A turn lasts until the
//! transport has written the response: the code that runs a use case receives it from [`holding`].

use std::cell::RefCell;

use recall_kit_fair_queue::{Turn, Urgency};

use super::Admission;

/// Responses of up to this many bytes need no turn.
pub const SMALL: usize = 256 * 1024;

tokio::task_local! {
    /// The turn of this task's response, once it has one.
    static HELD: RefCell<Option<Turn>>;
}

/// Runs a use case, and returns its output together with the turn that a large response holds.
// The use case is a closure, not a future, which would be stored twice.
pub async fn holding<F: Future>(use_case: impl FnOnce() -> F) -> (F::Output, Option<Turn>) {
    let holding = async {
        let output = use_case().await;
        (output, HELD.with(RefCell::take))
    };
    HELD.scope(RefCell::default(), holding).await
}

/// Waits for a turn if a response of so many bytes is larger than [`SMALL`]; see [`wait`].
pub(crate) async fn wait_if_large(admission: &Admission, bytes: usize) {
    if bytes > SMALL {
        wait(admission).await;
    }
}

/// Waits for the turn of a large response, unless the task holds one. Returns at once outside of
/// [`holding`].
pub async fn wait(admission: &Admission) {
    let needs_turn = HELD.try_with(|held| held.borrow().is_none());
    if !needs_turn.unwrap_or(false) {
        return;
    }
    let turn = admission.answer_turns.turn(Urgency::Urgent, 1).await;
    HELD.with(|held| held.replace(Some(turn)));
}
