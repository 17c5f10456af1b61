//! Hears of what other servers wrote, the moment they did.
//!
//! Only wakes: what is missed here is found by the next look at the heads.

use std::{sync::Arc, time::Duration};

use sqlx::{Executor as _, postgres::PgListener};
use tokio::{sync::watch, task::JoinHandle};
use uuid::Uuid;

use super::cluster::Cluster;

/// The channel; a message names the server that wrote.
pub(crate) const CHANNEL: &str = "recall_kit_written";
/// After a silence of this length it is looked whether the connection still works.
const SILENCE: Duration = Duration::from_secs(60);
/// How long that may take.
const ANSWER: Duration = Duration::from_secs(5);
/// Between two tries to listen.
const PAUSE: Duration = Duration::from_secs(1);

/// Listens until it is stopped.
pub(crate) struct Listener {
    heard: watch::Receiver<u64>,
    task: JoinHandle<()>,
}

impl Listener {
    /// Begins to listen for others than this server.
    pub(crate) fn start(cluster: &Arc<Cluster>, server: Uuid) -> Self {
        let (tell, heard) = watch::channel(0);
        let cluster = Arc::clone(cluster);
        let task = tokio::spawn(async move {
            let own = server.to_string();
            while !cluster.pool().is_closed() {
                if let Err(error) = listen(&cluster, &own, &tell).await {
                    tracing::debug!(%error, "not listening for what other servers write");
                }
                // What was missed meanwhile is looked for.
                tell.send_modify(|count| *count += 1);
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self { heard, task }
    }

    /// Returns a number that changes when another server wrote.
    pub(crate) fn heard(&self) -> watch::Receiver<u64> {
        self.heard.clone()
    }

    pub(crate) fn stop(&self) {
        self.task.abort();
    }
}

async fn listen(
    cluster: &Cluster,
    own: &str,
    tell: &watch::Sender<u64>,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(cluster.pool()).await?;
    listener.ignore_pool_close_event(false);
    listener.listen(CHANNEL).await?;
    loop {
        match tokio::time::timeout(SILENCE, listener.recv()).await {
            Ok(heard) => {
                if heard?.payload() != own {
                    tell.send_modify(|count| *count += 1);
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
