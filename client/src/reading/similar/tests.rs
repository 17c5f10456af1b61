//! How long a draft waits for what it resembles.

use tokio::time::Instant;

use super::*;
use crate::{ClientConfig, Draft, connection::remote::tests::client_of};

/// Returns how long looking takes, and how many experiences are found, if a call takes `takes` and the settings are
/// changed like this.
async fn looked(takes: Duration, change: impl FnOnce(&mut ClientConfig)) -> (Duration, usize) {
    let (mut client, _receiver) = client_of(60_000, takes).await;
    change(&mut client.config);
    let draft = client.prepare(Draft::new("title", "problem", "solution"));
    let servers = Servers::new(vec![client], 0, TIMEOUT);
    let started = Instant::now();
    let found = servers.similar(&draft).await;
    (started.elapsed(), found.len())
}

#[tokio::test(start_paused = true)]
async fn a_draft_waits_two_seconds_at_most() {
    let minute = Duration::from_secs(60);
    assert_eq!(looked(minute, |_| {}).await, (TIMEOUT, 0));
    // An answer without records, or one that cannot be read, ends the wait at once.
    let second = Duration::from_secs(1);
    assert_eq!(looked(second, |_| {}).await, (second, 0));
    let off = |config: &mut ClientConfig| config.search_on_submit = false;
    assert_eq!(looked(minute, off).await, (Duration::ZERO, 0));
}
