//! Listens for notifications that other servers send when they commit writes.
//!
//! A notification only wakes the reader earlier: if one is missed, the next poll of the heads finds the
//! writes.

use std::{sync::Arc, time::Duration};

use sqlx::{Executor as _, postgres::PgListener};
use tokio::{sync::watch, task::JoinHandle};
use uuid::Uuid;

use super::cluster::Cluster;

/// The channel; the payload is the id of the server that wrote.
pub(crate) const CHANNEL: &str = "recall_kit_written";
/// The connection is tested after this time without a notification.
const SILENCE: Duration = Duration::from_secs(60);
/// How long the test may take.
const ANSWER: Duration = Duration::from_secs(5);
/// The pause between two attempts to listen.
const PAUSE: Duration = Duration::from_secs(1);

/// Listens until it is stopped.
pub(crate) struct Listener {
    changes: watch::Receiver<u64>,
    task: JoinHandle<()>,
}

impl Listener {
    /// Begins to listen for writes of servers other than `server`.
    pub(crate) fn start(cluster: &Arc<Cluster>, server: Uuid) -> Self {
        let (sender, changes) = watch::channel(0);
        let cluster = Arc::clone(cluster);
        let task = tokio::spawn(async move {
            let own = server.to_string();
            while !cluster.pool().is_closed() {
                if let Err(error) = listen(&cluster, &own, &sender).await {
                    tracing::debug!(%error, "not listening for writes of other servers");
                }
                // Notifications may have been missed, so readers check for writes.
                sender.send_modify(|count| *count += 1);
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self { changes, task }
    }

    /// Returns a number that changes when another server has written.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    pub(crate) fn stop(&self) {
        self.task.abort();
    }
}

async fn listen(
    cluster: &Cluster,
    own: &str,
    sender: &watch::Sender<u64>,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(cluster.pool()).await?;
    listener.ignore_pool_close_event(false);
    listener.listen(CHANNEL).await?;
    loop {
        match tokio::time::timeout(SILENCE, listener.recv()).await {
            Ok(notification) => {
                if notification?.payload() != own {
                    sender.send_modify(|count| *count += 1);
                }
            }
            Err(_) => match tokio::time::timeout(ANSWER, listener.execute("select 1")).await {
                Ok(answered) => {
                    answered?;
                }
                Err(_) => return Err(sqlx::Error::PoolTimedOut),
            },
        }
    }
}
