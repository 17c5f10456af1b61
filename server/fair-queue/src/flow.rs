//! Flows: on whose behalf work is done, so that it can be scheduled fairly.
//!
//! The term is from fair queueing. A flow is attached to the task that serves a request; work outside of any
//! request belongs to the program.

use std::{
    hash::{BuildHasher as _, Hash, RandomState},
    sync::LazyLock,
};

use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static CURRENT: Flow;
}

/// On whose behalf work is done; the default is the program itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow {
    whose: Option<u64>,
    voice: Voice,
}

/// Identifies a caller when interest in a record is counted; the default is the program itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Voice(Option<u64>);

impl Flow {
    /// Returns the flow of a caller, identified by `whose`, such as an API key or an address. Several flows may
    /// have the same voice.
    pub fn new(whose: &impl Hash, voice: Voice) -> Self {
        let whose = Some(hashed(whose));
        Self { whose, voice }
    }

    /// Returns the voice of the caller.
    pub fn voice(self) -> Voice {
        self.voice
    }
}

impl Voice {
    /// Returns the voice of a caller, identified by `whose`.
    pub fn new(whose: &impl Hash) -> Self {
        Self(Some(hashed(whose)))
    }
}

/// Hashes with random keys, so that nobody can construct a name with another caller's hash.
fn hashed(whose: &impl Hash) -> u64 {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    HASHER.hash_one(whose)
}

/// Returns the flow that is attached to a request, else that of this task.
pub fn of(request: &http::Extensions) -> Flow {
    request.get::<Flow>().copied().unwrap_or_else(current)
}

/// Runs a future on behalf of a flow.
// Not an `async fn`: its future would have room for `future` twice, as an argument and as what it awaits.
pub fn scope<F: Future>(flow: Flow, future: F) -> TaskLocalFuture<Flow, F> {
    CURRENT.scope(flow, future)
}

/// Returns the flow on whose behalf this task runs.
pub fn current() -> Flow {
    CURRENT.try_with(|flow| *flow).unwrap_or_default()
}
