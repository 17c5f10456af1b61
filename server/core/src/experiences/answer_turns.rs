//! Turns for answers of megabytes: a few are made at once, and each caller gets its share of these.
//!
//! A caller that asks for many large answers at once would otherwise keep the runtime's threads
//! busy copying and writing them, and every other call waits for these threads. A turn lasts until the
//! transport has written the answer: whoever runs a use case gets it from [`holding`].

use std::cell::RefCell;

use recall_kit_fair_queue::{Turn, Urgency};

use crate::app::App;

/// Answers of up to this many bytes need no turn.
pub const SMALL: usize = 256 * 1024;

tokio::task_local! {
    /// The turn of this task's answer, once it has one.
    static HELD: RefCell<Option<Turn>>;
}

/// Runs a use case, and returns with its output the turn that a large answer has.
pub async fn holding<F: Future>(use_case: F) -> (F::Output, Option<Turn>) {
    let holding = async {
        let output = use_case.await;
        (output, HELD.with(RefCell::take))
    };
    HELD.scope(RefCell::default(), holding).await
}

/// Waits for a turn if an answer of so many bytes is large, that is, over [`SMALL`]; see [`wait`].
pub async fn wait_if_large(app: &App, bytes: usize) {
    if bytes > SMALL {
        wait(app).await;
    }
}

/// Waits for the turn of a large answer, unless the task holds one. Returns at once outside of [`holding`].
pub async fn wait(app: &App) {
    let needs_turn = HELD.try_with(|held| held.borrow().is_none());
    if !needs_turn.unwrap_or(false) {
        return;
    }
    let turn = app.answer_turns.turn(Urgency::Urgent, 1).await;
    HELD.with(|held| held.replace(Some(turn)));
}
