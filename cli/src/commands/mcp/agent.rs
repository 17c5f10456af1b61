//! What every call works with: the client, the outbox, the drafts that wait, what runs besides.

use std::{sync::Arc, time::Duration};

use recall_kit_client::{Outbox, RecallKitClient, Recipient, Servers};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{drafts::Drafts, offer::Offered};
use crate::{args::GlobalArgs, commands::outbox::Held, terminal::printer::Printer, words::Words};

/// The program beside one agent.
pub(super) struct Agent {
    /// The ways to the remote servers.
    pub(super) servers: Servers,
    /// Where confirmed experiences wait; none where the platform has no place for it.
    pub(super) outbox: Option<Arc<Outbox>>,
    /// The user's language.
    pub(super) words: Words,
    /// What the remote server offers.
    pub(super) offered: Offered,
    /// What waits for an answer.
    pub(super) drafts: Drafts,
    /// Cancelled when the host is gone.
    pub(super) gone: CancellationToken,
    /// Cancelled when nothing may take any longer.
    pub(super) closing: CancellationToken,
    /// What has to be finished before the program ends.
    pub(super) sends: TaskTracker,
    /// The calls of the server that are passed through now.
    calls: TaskTracker,
    /// Told when the server may be there: what waits can be sent.
    server_is_there: Notify,
}

impl Agent {
    pub(super) fn new(global: &GlobalArgs, printer: &Printer) -> anyhow::Result<Self> {
        let servers = global.servers(global.load_config_unasked(printer)?.config)?;
        let outbox = Outbox::of_user()
            .inspect_err(|error| tracing::warn!(%error, "there is no outbox"))
            .map(Arc::new)
            .ok();
        Ok(Self {
            servers,
            outbox,
            words: Words::from_locale(),
            offered: Offered::default(),
            drafts: Drafts::default(),
            gone: CancellationToken::new(),
            closing: CancellationToken::new(),
            sends: TaskTracker::new(),
            calls: TaskTracker::new(),
            server_is_there: Notify::new(),
        })
    }

    /// The server that submissions go to, and whatever else is called.
    pub(super) fn client(&self) -> &RecallKitClient {
        self.servers.chosen()
    }

    /// Returns the outbox's place for what is confirmed next.
    pub(super) fn nothing_held(&self) -> Held {
        Held::nothing_in(self.outbox.clone())
    }

    /// Starts what goes on beside the calls: learning what the server offers, sending what waits,
    /// loading the rules. No call waits for any of it.
    pub(super) fn start(self: &Arc<Self>) {
        let agent = Arc::clone(self);
        tokio::spawn(async move {
            let gone = agent.gone.clone();
            gone.run_until_cancelled(agent.look_after_server()).await;
        });
        let agent = Arc::clone(self);
        // The first sanitizing compiles the rules, which takes longer than a query.
        tokio::task::spawn_blocking(move || agent.client().sanitize("").findings.len());
    }

    /// Learns what the server offers and sends what waits: at first, and whenever the server turned
    /// out to be there.
    async fn look_after_server(&self) {
        if !self.offered.learn(self.client()).await {
            self.server_is_there.notified().await;
        }
        loop {
            if self.offered.now().is_none() {
                self.offered.learn(self.client()).await;
            }
            self.flush().await;
            self.server_is_there.notified().await;
        }
    }

    /// Sends what waits in the outbox.
    async fn flush(&self) {
        let Some(outbox) = &self.outbox else { return };
        if outbox.is_empty() {
            return;
        }
        match self.servers.flush(outbox, Recipient::Same).await {
            Ok(flushed) => tracing::info!(
                sent = flushed.sent.len(),
                refused = flushed.refused.len(),
                waiting = flushed.waiting,
                "the outbox was gone through"
            ),
            Err(error) => tracing::warn!(%error, "the outbox could not be gone through"),
        }
    }

    /// Notes that the server is there.
    pub(super) fn server_answered(&self) {
        self.server_is_there.notify_one();
    }

    /// Runs a call of the server until nobody waits for it any more: the host cancelled it, or is
    /// gone. To be dropped is to be cancelled at the server.
    pub(super) async fn while_wanted<T>(
        &self,
        cancelled: &CancellationToken,
        call: impl Future<Output = T>,
    ) -> Option<T> {
        let call = self.calls.track_future(call);
        let call = cancelled.run_until_cancelled(call);
        self.gone.run_until_cancelled(call).await.flatten()
    }

    /// Waits until everything confirmed is sent or kept; after `patience` it is kept. Calls that
    /// nobody waits for let go of their connection.
    pub(super) async fn finish(&self, patience: Duration) {
        self.sends.close();
        if tokio::time::timeout(patience, self.sends.wait())
            .await
            .is_err()
        {
            self.closing.cancel();
            self.sends.wait().await;
        }
        self.calls.close();
        self.calls.wait().await;
    }
}
