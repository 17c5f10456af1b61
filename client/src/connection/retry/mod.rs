//! The protocol's retries: network errors are tried again 3 times, 1 second apart.
//!
//! Nothing else is: a timeout may mean that the work was done, and a refusal stays one.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::Error;

/// How often and how far apart a call is tried again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPolicy {
    /// How many times after the first.
    pub(crate) retries: u32,
    /// The time between two attempts.
    pub(crate) pause: Duration,
}

impl RetryPolicy {
    /// The protocol's figures.
    pub(crate) const PROTOCOL: Self = Self {
        retries: 3,
        pause: Duration::from_secs(1),
    };

    /// Runs `attempt` until it succeeds, fails for another reason than the network, or has been
    /// retried often enough. The last error tells how often it was tried.
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
