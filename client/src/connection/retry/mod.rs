//! Retries: after a network error a call is retried 3 times, 1 second apart.
//!
//! Other errors are not retried: after a timeout the call may have been executed, and a rejected call would
//! be rejected again.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::Error;

/// How often a call is retried, and after what pause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPolicy {
    /// The maximum number of attempts after the first.
    pub(crate) retries: u32,
    /// The time between two attempts.
    pub(crate) pause: Duration,
}

impl RetryPolicy {
    /// The policy of the client protocol.
    pub(crate) const PROTOCOL: Self = Self {
        retries: 3,
        pause: Duration::from_secs(1),
    };

    /// Runs `attempt` until it succeeds, fails with another error than a network error, or the retries
    /// are used up. The last error contains the number of attempts.
    pub(crate) async fn run<T, F>(self, mut attempt: impl FnMut() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let mut tried = 0;
        let mut all_unsent = true;
        loop {
            let error = match attempt().await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            tried += 1;
            let Error::Network {
                server,
                reason,
                unsent,
                ..
            } = error
            else {
                return Err(error);
            };
            all_unsent &= unsent;
            if tried > self.retries {
                return Err(Error::Network {
                    server,
                    reason,
                    attempts: tried,
                    unsent: all_unsent,
                });
            }
            tracing::warn!(%server, %reason, attempt = tried, "cannot reach the server, trying again");
            tokio::time::sleep(self.pause).await;
        }
    }
}
