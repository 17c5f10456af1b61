//! Flows: on whose behalf work is done, so that it can be shared out fairly.
//!
//! The term is that of fair queueing. A flow travels with the task that serves a request; work
//! outside of any request belongs to the program.

use std::{
    hash::{BuildHasher as _, Hash, RandomState},
    sync::LazyLock,
};

tokio::task_local! {
    static CURRENT: Flow;
}

/// Whose work it is; the default is the program's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow {
    whose: Option<u64>,
    voice: Voice,
}

/// Whose interest in a record counts as one caller's; the default is the program's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Voice(Option<u64>);

impl Flow {
    /// Returns the flow of a caller, identified by `whose`, such as an API key or an address. Several
    /// flows may have one voice.
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

/// Hashes with random keys: nobody can make up a name that has another's hash.
fn hashed(whose: &impl Hash) -> u64 {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    HASHER.hash_one(whose)
}

/// Returns the flow that came with a request, else that of this task.
pub fn of(request: &http::Extensions) -> Flow {
    request.get::<Flow>().copied().unwrap_or_else(current)
}

/// Runs a future whose work belongs to a flow.
pub async fn scope<F: Future>(flow: Flow, future: F) -> F::Output {
    CURRENT.scope(flow, future).await
}

/// Returns the flow that this task works for.
pub fn current() -> Flow {
    CURRENT.try_with(|flow| *flow).unwrap_or_default()
}
