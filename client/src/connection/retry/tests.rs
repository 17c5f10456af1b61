//! How often and how far apart calls are retried, on a paused clock.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;

use tokio::time::Instant;

use super::*;

fn network() -> Error {
    Error::Network {
        server: "mcp://memory".to_owned(),
        reason: "connection refused".to_owned(),
        attempts: 1,
        unsent: true,
    }
}

fn timeout() -> Error {
    Error::Timeout {
        server: "mcp://memory".to_owned(),
        after: Duration::from_secs(5),
    }
}

/// Runs an attempt that fails `failures` times, on a paused clock.
///
/// Returns whether it succeeded, how often it was tried, and the seconds that passed.
async fn run(failures: u32, error: fn() -> Error) -> (Result<u32, Error>, u32, u64) {
    let started = Instant::now();
    let attempts = Cell::new(0);
    let outcome = RetryPolicy::PROTOCOL
        .run(|| async {
            attempts.set(attempts.get() + 1);
            match attempts.get() {
                tried if tried <= failures => Err(error()),
                tried => Ok(tried),
            }
        })
        .await;
    (outcome, attempts.get(), started.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn network_errors_are_retried_three_times_a_second_apart() {
    for failures in 0..=3 {
        let (outcome, attempts, seconds) = run(failures, network).await;
        assert!(outcome.is_ok(), "{failures} failures");
        assert_eq!(attempts, failures + 1);
        assert_eq!(seconds, u64::from(failures));
    }

    let (outcome, attempts, seconds) = run(u32::MAX, network).await;
    assert!(matches!(outcome, Err(Error::Network { attempts: 4, .. })));
    assert_eq!((attempts, seconds), (4, 3));
}

#[tokio::test(start_paused = true)]
async fn one_attempt_that_may_have_been_sent_leaves_the_outcome_unknown() {
    for (sent, unsent) in [(5, true), (2, false), (4, false)] {
        let tried = Cell::new(0);
        let outcome = RetryPolicy::PROTOCOL.run(|| async {
            tried.set(tried.get() + 1);
            let Error::Network {
                server,
                reason,
                attempts,
                ..
            } = network()
            else {
                unreachable!()
            };
            let unsent = tried.get() != sent;
            Err::<(), _>(Error::Network {
                server,
                reason,
                attempts,
                unsent,
            })
        });
        let error = outcome.await.unwrap_err();
        assert_eq!(error.leaves_unknown(), !unsent, "{sent}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn other_errors_are_not_retried() {
    let (outcome, attempts, seconds) = run(1, timeout).await;
    assert!(matches!(outcome, Err(Error::Timeout { .. })));
    assert_eq!((attempts, seconds), (1, 0));
}
