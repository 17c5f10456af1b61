//! The state that all calls share: the clients, the outbox, the waiting drafts, and background tasks.

use std::{sync::Arc, time::Duration};

use recall_kit_client::{Outbox, RecallKitClient, Recipient, Servers, ToolProfile};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{drafts::Drafts, offer::OfferCache};
use crate::{
    args::GlobalArgs, citations::CitedFiles, commands::outbox::OutboxEntry,
    terminal::printer::Printer, words::Words,
};

/// The state of the program for one agent.
pub(super) struct Agent {
    /// The clients of the remote servers.
    pub(super) servers: Servers,
    /// The outbox; `None` if the platform has no folder for it.
    pub(super) outbox: Option<Arc<Outbox>>,
    /// The files that entries cite.
    pub(super) cited_files: CitedFiles,
    /// Which tools are listed.
    pub(super) profile: ToolProfile,
    /// The texts in the user's language.
    pub(super) words: Words,
    /// The tools, prompts and resource templates of the remote server.
    pub(super) offer: OfferCache,
    /// The drafts that wait for an answer.
    pub(super) drafts: Drafts,
    /// Cancelled when the host is gone.
    pub(super) gone: CancellationToken,
    /// Cancelled when sending must stop.
    pub(super) closing: CancellationToken,
    /// The sends that have to finish before the program ends.
    pub(super) sends: TaskTracker,
    /// The running calls that are passed through to the server.
    calls: TaskTracker,
    /// Notified when the server may be reachable, so that waiting experiences can be sent.
    server_is_reachable: Notify,
}

impl Agent {
    pub(super) fn new(
        global: &GlobalArgs,
        profile: Option<ToolProfile>,
        printer: &Printer,
    ) -> anyhow::Result<Self> {
        let config = global.load_config_unasked(printer)?.config;
        let profile = profile.unwrap_or(config.tools.profile);
        let servers = global.servers(config)?;
        let outbox = Outbox::of_user()
            .inspect_err(|error| tracing::warn!(%error, "there is no outbox"))
            .map(Arc::new)
            .ok();
        Ok(Self {
            servers,
            outbox,
            cited_files: CitedFiles::default(),
            profile,
            words: Words::from_locale(),
            offer: OfferCache::default(),
            drafts: Drafts::default(),
            gone: CancellationToken::new(),
            closing: CancellationToken::new(),
            sends: TaskTracker::new(),
            calls: TaskTracker::new(),
            server_is_reachable: Notify::new(),
        })
    }

    /// Returns the client of the server that submissions and passed-through calls go to.
    pub(super) fn client(&self) -> &RecallKitClient {
        self.servers.chosen()
    }

    /// Returns an empty outbox entry for the next confirmed experience.
    pub(super) fn new_outbox_entry(&self) -> OutboxEntry {
        OutboxEntry::empty_in(self.outbox.clone())
    }

    /// Starts the background tasks: requesting the server's offer, sending waiting experiences, loading the rules. No
    /// call waits for them.
    pub(super) fn start(self: &Arc<Self>) {
        let agent = Arc::clone(self);
        tokio::spawn(async move {
            let gone = agent.gone.clone();
            gone.run_until_cancelled(agent.watch_server()).await;
        });
        let agent = Arc::clone(self);
        // The first use compiles the rules, which takes longer than a query.
        tokio::task::spawn_blocking(move || agent.client().sanitize("").findings.len());
    }

    /// Requests the server's offer and sends waiting experiences: at the start, and whenever the server turns out to be
    /// reachable.
    async fn watch_server(&self) {
        if !self.offer.refresh(self.client()).await {
            self.server_is_reachable.notified().await;
        }
        loop {
            if self.offer.current().is_none() {
                self.offer.refresh(self.client()).await;
            }
            self.flush().await;
            self.server_is_reachable.notified().await;
        }
    }

    /// Sends the experiences in the outbox.
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
                "the outbox was sent"
            ),
            Err(error) => tracing::warn!(%error, "the outbox could not be sent"),
        }
    }

    /// Records that the server is reachable.
    pub(super) fn server_answered(&self) {
        self.server_is_reachable.notify_one();
    }

    /// Runs a call of the server until it ends, the host cancels it, or the host is gone. Dropping the call
    /// cancels it at the server.
    pub(super) async fn run_until_cancelled<T>(
        &self,
        cancelled: &CancellationToken,
        call: impl Future<Output = T>,
    ) -> Option<T> {
        let call = self.calls.track_future(call);
        let call = cancelled.run_until_cancelled(call);
        self.gone.run_until_cancelled(call).await.flatten()
    }

    /// Waits until everything confirmed is sent or in the outbox; after `limit`, sending stops. Then waits for the
    /// cancelled calls to release their connections.
    pub(super) async fn finish(&self, limit: Duration) {
        self.sends.close();
        if tokio::time::timeout(limit, self.sends.wait())
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
