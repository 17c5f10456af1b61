//! The clock that use cases read; tests inject their own.

use std::{fmt, sync::Arc};

use jiff::Timestamp;

/// Tells the time, rounded as the database stores it. Clones share the same source.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// Creates a clock that gets the time from a function.
    pub fn new(time: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(time))
    }

    /// Creates a clock that gets the time from the system.
    pub fn system() -> Self {
        Self::new(Timestamp::now)
    }

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        recall_kit_store::rounded_time((self.0)())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

/// Returns the system's time, rounded as the database stores it, for code without an application.
pub fn now() -> Timestamp {
    Clock::system().now()
}
