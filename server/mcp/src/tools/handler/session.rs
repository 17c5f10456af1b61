//! The subscriptions of one session: changed lists, changed resources, a log level.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use recall_kit_catalogue::Change;
use recall_kit_shared_types::RpcError;
use rmcp::{
    Peer, RoleServer,
    model::{LoggingLevel, ResourceUpdatedNotificationParam, SubscriptionFilter},
    service::SubscriptionContext,
};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio_util::sync::CancellationToken;

use crate::tools::{CallError, Features, catalogue::resources::check_watchable};

/// The most resources that one session may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// The most subscriptions that are accepted but not served yet.
const MAX_ACCEPTED: usize = 16;

/// The subscriptions of one session; they end with it.
pub(super) struct Session {
    features: Arc<Features>,
    level: Mutex<Option<LoggingLevel>>,
    subscribed: Arc<Mutex<HashSet<String>>>,
    accepted: Mutex<VecDeque<(SubscriptionFilter, Listening)>>,
    /// Cancelled when the connection ends over which a task sends changes.
    connected: Mutex<Option<CancellationToken>>,
    pending: Mutex<Option<Arc<tokio::sync::Mutex<Pending>>>>,
    ended: CancellationToken,
}

/// The changes that the client was not notified of yet; they outlive a connection.
struct Pending {
    changes: Receiver<Change>,
    /// Whether the connection ended while a change was being sent.
    has_missed: bool,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.ended.cancel();
        for uri in lock(&self.subscribed).drain() {
            self.features.app().catalogue.unwatch(&uri);
        }
    }
}

impl Session {
    pub(super) fn new(features: Arc<Features>) -> Self {
        Self {
            features,
            level: Mutex::default(),
            subscribed: Arc::default(),
            accepted: Mutex::default(),
            connected: Mutex::default(),
            pending: Mutex::default(),
            ended: CancellationToken::new(),
        }
    }

    /// Returns the lowest level of log messages that the client requested; `None` if it wants no messages.
    pub(super) fn level(&self) -> Option<LoggingLevel> {
        *lock(&self.level)
    }

    pub(super) fn set_level(&self, level: LoggingLevel) {
        *lock(&self.level) = Some(level);
    }

    fn exists(&self, uri: &str) -> bool {
        check_watchable(&self.features, uri).is_ok()
    }

    /// Subscribes the client to a resource.
    ///
    /// *Errors*: as [`check_watchable`]; [`RpcError::InvalidRequest`] beyond the limit.
    pub(super) async fn subscribe(&self, uri: &str) -> Result<(), CallError> {
        // Finds a library that was added just now. An error of the database is ignored here; reading the
        // resource reports it.
        self.features.libraries().view().await.ok();
        check_watchable(&self.features, uri)?;
        let mut subscribed = self.subscribed();
        if subscribed.contains(uri) {
            return Ok(());
        }
        if subscribed.len() >= MAX_SUBSCRIPTIONS || !self.features.app().catalogue.watch(uri) {
            return Err(CallError {
                cause: RpcError::InvalidRequest,
                details: "too many subscriptions; end some with resources/unsubscribe".to_owned(),
            });
        }
        subscribed.insert(uri.to_owned());
        Ok(())
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        if self.subscribed().remove(uri) {
            self.features.app().catalogue.unwatch(uri);
        }
    }

    fn subscribed(&self) -> MutexGuard<'_, HashSet<String>> {
        lock(&self.subscribed)
    }

    /// Notifies the client of changes until `connected` is cancelled or the session ends. Only one task
    /// does so, even if the client sends `notifications/initialized` again. Changes between two connections
    /// are sent over the later one.
    pub(super) fn send_changes_to(&self, peer: Peer<RoleServer>, connected: CancellationToken) {
        {
            let mut current = lock(&self.connected);
            if current.as_ref().is_some_and(|it| !it.is_cancelled()) {
                return;
            }
            *current = Some(connected.clone());
        }
        let pending = self.pending();
        let (ended, subscribed) = (self.ended.clone(), Arc::clone(&self.subscribed));
        tokio::spawn(async move {
            let sending = async {
                // The task of the previous connection releases the lock when that connection ends.
                let mut pending = pending.lock().await;
                send_all(&peer, &mut pending, &subscribed).await;
            };
            tokio::select! {
                () = sending => {}
                () = connected.cancelled() => {}
                () = ended.cancelled() => {}
            }
        });
    }

    fn pending(&self) -> Arc<tokio::sync::Mutex<Pending>> {
        let mut pending = lock(&self.pending);
        let pending = pending.get_or_insert_with(|| {
            Arc::new(tokio::sync::Mutex::new(Pending {
                changes: self.features.app().catalogue.changes(),
                has_missed: false,
            }))
        });
        Arc::clone(pending)
    }

    /// Returns the part of a filter that this server can serve. Collects changes from now on, so that none
    /// is missed after the client was told that its filter is accepted.
    pub(super) fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut possible = requested.clone();
        if let Some(uris) = &mut possible.resource_subscriptions {
            uris.truncate(MAX_SUBSCRIPTIONS);
            uris.retain(|uri| self.exists(uri));
        }
        let listening = Listening::new(&self.features, &possible);
        // The answer names only the resources that are watched.
        if let Some(uris) = &mut possible.resource_subscriptions {
            uris.clone_from(&listening.uris);
        }
        let filter = requested.intersection(&possible);
        let mut accepted = self.accepted();
        if accepted.len() >= MAX_ACCEPTED {
            accepted.pop_front();
        }
        accepted.push_back((filter.clone(), listening));
        filter
    }

    /// Serves one `subscriptions/listen` until it is cancelled.
    pub(super) async fn listen(&self, context: SubscriptionContext) {
        let mut listening = self.take_accepted(context.accepted());
        let sending = async {
            while let Some(event) = next(&mut listening.changes).await {
                notify_subscription(&context, event, &listening.uris).await;
            }
        };
        tokio::select! {
            () = sending => {}
            () = context.cancelled() => {}
        }
    }

    fn take_accepted(&self, filter: &SubscriptionFilter) -> Listening {
        let mut accepted = self.accepted();
        let index = accepted.iter().position(|(known, _)| known == filter);
        let removed = index.and_then(|index| accepted.remove(index));
        removed.map_or_else(
            || Listening::new(&self.features, filter),
            |(_, listening)| listening,
        )
    }

    fn accepted(&self) -> MutexGuard<'_, VecDeque<(SubscriptionFilter, Listening)>> {
        lock(&self.accepted)
    }
}

/// The changes that one subscription waits for. Its resources are watched until it is dropped.
struct Listening {
    features: Arc<Features>,
    changes: Receiver<Change>,
    uris: Vec<String>,
}

impl Listening {
    fn new(features: &Arc<Features>, filter: &SubscriptionFilter) -> Self {
        let catalogue = &features.app().catalogue;
        let changes = catalogue.changes();
        let uris = filter.resource_subscriptions.iter().flatten();
        Self {
            features: Arc::clone(features),
            changes,
            uris: uris.filter(|uri| catalogue.watch(uri)).cloned().collect(),
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        for uri in &self.uris {
            self.features.app().catalogue.unwatch(uri);
        }
    }
}

/// Notifies a session's client of changes until the client is gone.
async fn send_all(
    peer: &Peer<RoleServer>,
    pending: &mut Pending,
    subscribed: &Mutex<HashSet<String>>,
) {
    loop {
        let event = if pending.has_missed {
            Event::Missed
        } else {
            match next(&mut pending.changes).await {
                Some(event) => event,
                None => return,
            }
        };
        // The connection may end before the notification is sent; this function is then cancelled.
        pending.has_missed = true;
        if !notify(peer, event, || lock(subscribed).clone()).await {
            return;
        }
        pending.has_missed = false;
    }
}

/// One change, or the fact that some were missed.
enum Event {
    Change(Change),
    Missed,
}

/// Waits for the next event; `None` when there will be no more.
async fn next(changes: &mut Receiver<Change>) -> Option<Event> {
    match changes.recv().await {
        Ok(change) => Some(Event::Change(change)),
        Err(RecvError::Lagged(_)) => Some(Event::Missed),
        Err(RecvError::Closed) => None,
    }
}

/// Notifies a session's client of an event; returns `false` if the client is gone.
async fn notify(
    peer: &Peer<RoleServer>,
    event: Event,
    subscribed: impl FnOnce() -> HashSet<String>,
) -> bool {
    let updated =
        |uri: &str| peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri));
    let sent = match event {
        Event::Change(Change::Tools) => peer.notify_tool_list_changed().await,
        Event::Change(Change::Resources) => peer.notify_resource_list_changed().await,
        Event::Change(Change::Prompts) => peer.notify_prompt_list_changed().await,
        Event::Change(Change::Resource(uri)) => {
            if !subscribed().contains(uri.as_ref()) {
                return true;
            }
            updated(&uri).await
        }
        Event::Missed => {
            for uri in subscribed() {
                updated(&uri).await.ok();
            }
            peer.notify_tool_list_changed().await.ok();
            peer.notify_prompt_list_changed().await.ok();
            peer.notify_resource_list_changed().await
        }
    };
    sent.is_ok()
}

/// Notifies one subscription of an event; rmcp does not send what the filter does not cover.
async fn notify_subscription(context: &SubscriptionContext, event: Event, uris: &[String]) {
    let sink = context.sink();
    match event {
        Event::Change(Change::Tools) => drop(sink.notify_tool_list_changed().await),
        Event::Change(Change::Resources) => drop(sink.notify_resource_list_changed().await),
        Event::Change(Change::Prompts) => drop(sink.notify_prompt_list_changed().await),
        Event::Change(Change::Resource(uri)) => {
            drop(sink.notify_resource_updated(uri.as_ref()).await);
        }
        Event::Missed => {
            drop(sink.notify_tool_list_changed().await);
            drop(sink.notify_resource_list_changed().await);
            drop(sink.notify_prompt_list_changed().await);
            for uri in uris {
                drop(sink.notify_resource_updated(uri.as_str()).await);
            }
        }
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
