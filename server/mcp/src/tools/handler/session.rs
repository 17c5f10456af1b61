//! What one session asked to hear about: changed lists, changed resources, a log level.

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

/// Resources that one session may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// Subscriptions that were accepted and are about to be served.
const MAX_ACCEPTED: usize = 16;

/// What one session asked for; ends with the session.
pub(super) struct Session {
    features: Arc<Features>,
    level: Mutex<Option<LoggingLevel>>,
    subscribed: Arc<Mutex<HashSet<String>>>,
    accepted: Mutex<VecDeque<(SubscriptionFilter, Listening)>>,
    /// Until when a task tells the client of changes.
    told_until: Mutex<Option<CancellationToken>>,
    untold: Mutex<Option<Arc<tokio::sync::Mutex<Untold>>>>,
    ended: CancellationToken,
}

/// What the client was not told yet; outlives the connection that it is told over.
struct Untold {
    changes: Receiver<Change>,
    /// Whether something was not told before the connection ended.
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
            told_until: Mutex::default(),
            untold: Mutex::default(),
            ended: CancellationToken::new(),
        }
    }

    /// Returns the least level of log messages that the client wants; `None` for none at all.
    pub(super) fn level(&self) -> Option<LoggingLevel> {
        *lock(&self.level)
    }

    pub(super) fn set_level(&self, level: LoggingLevel) {
        *lock(&self.level) = Some(level);
    }

    fn exists(&self, uri: &str) -> bool {
        check_watchable(&self.features, uri).is_ok()
    }

    /// Notes that the client wants to hear about a resource.
    ///
    /// *Errors*: as [`check_watchable`]; [`RpcError::InvalidRequest`] past the limit.
    pub(super) async fn subscribe(&self, uri: &str) -> Result<(), CallError> {
        // A library that came just now is there. What the database says of it is said by a read.
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

    /// Tells the client of changes until `connected` is cancelled or the session ends; once, however often
    /// it says hello. What changes between two connections is told over the later one.
    pub(super) fn tell_changes_to(&self, peer: Peer<RoleServer>, connected: CancellationToken) {
        {
            let mut told_until = lock(&self.told_until);
            if told_until.as_ref().is_some_and(|it| !it.is_cancelled()) {
                return;
            }
            *told_until = Some(connected.clone());
        }
        let untold = self.untold();
        let (ended, subscribed) = (self.ended.clone(), Arc::clone(&self.subscribed));
        tokio::spawn(async move {
            let telling = async {
                // Whoever told over the connection before lets go of it when that ends.
                let mut untold = untold.lock().await;
                tell_all(&peer, &mut untold, &subscribed).await;
            };
            tokio::select! {
                () = telling => {}
                () = connected.cancelled() => {}
                () = ended.cancelled() => {}
            }
        });
    }

    fn untold(&self) -> Arc<tokio::sync::Mutex<Untold>> {
        let mut untold = lock(&self.untold);
        let untold = untold.get_or_insert_with(|| {
            Arc::new(tokio::sync::Mutex::new(Untold {
                changes: self.features.app().catalogue.changes(),
                has_missed: false,
            }))
        });
        Arc::clone(untold)
    }

    /// Returns the part of a filter that this server can serve, and listens from now on: what
    /// changes once the client was told so must not be missed.
    pub(super) fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut possible = requested.clone();
        if let Some(uris) = &mut possible.resource_subscriptions {
            uris.truncate(MAX_SUBSCRIPTIONS);
            uris.retain(|uri| self.exists(uri));
        }
        let listening = Listening::new(&self.features, &possible);
        // No more is promised than is watched.
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
        let telling = async {
            while let Some(news) = next(&mut listening.changes).await {
                tell_subscription(&context, news, &listening.uris).await;
            }
        };
        tokio::select! {
            () = telling => {}
            () = context.cancelled() => {}
        }
    }

    fn take_accepted(&self, filter: &SubscriptionFilter) -> Listening {
        let mut accepted = self.accepted();
        let at = accepted.iter().position(|(known, _)| known == filter);
        let taken = at.and_then(|at| accepted.remove(at));
        taken.map_or_else(
            || Listening::new(&self.features, filter),
            |(_, listening)| listening,
        )
    }

    fn accepted(&self) -> MutexGuard<'_, VecDeque<(SubscriptionFilter, Listening)>> {
        lock(&self.accepted)
    }
}

/// The changes that one subscription waits for; the resources are watched for as long.
struct Listening {
    features: Arc<Features>,
    changes: Receiver<Change>,
    uris: Vec<String>,
}

impl Listening {
    fn new(features: &Arc<Features>, filter: &SubscriptionFilter) -> Self {
        let catalogue = &features.app().catalogue;
        let changes = catalogue.changes();
        let wanted = filter.resource_subscriptions.iter().flatten();
        Self {
            features: Arc::clone(features),
            changes,
            uris: wanted.filter(|uri| catalogue.watch(uri)).cloned().collect(),
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

/// Tells a session of changes until nobody is there any more.
async fn tell_all(
    peer: &Peer<RoleServer>,
    untold: &mut Untold,
    subscribed: &Mutex<HashSet<String>>,
) {
    loop {
        let news = if untold.has_missed {
            News::Missed
        } else {
            match next(&mut untold.changes).await {
                Some(news) => news,
                None => return,
            }
        };
        // The connection may end before this is told.
        untold.has_missed = true;
        if !tell(peer, news, || lock(subscribed).clone()).await {
            return;
        }
        untold.has_missed = false;
    }
}

/// One change, or word that some were missed.
enum News {
    Change(Change),
    Missed,
}

/// Waits for the next news; `None` when there will be none.
async fn next(changes: &mut Receiver<Change>) -> Option<News> {
    match changes.recv().await {
        Ok(change) => Some(News::Change(change)),
        Err(RecvError::Lagged(_)) => Some(News::Missed),
        Err(RecvError::Closed) => None,
    }
}

/// Tells a session; `false` when nobody is there any more.
async fn tell(
    peer: &Peer<RoleServer>,
    news: News,
    subscribed: impl FnOnce() -> HashSet<String>,
) -> bool {
    let updated =
        |uri: &str| peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri));
    let told = match news {
        News::Change(Change::Tools) => peer.notify_tool_list_changed().await,
        News::Change(Change::Resources) => peer.notify_resource_list_changed().await,
        News::Change(Change::Prompts) => peer.notify_prompt_list_changed().await,
        News::Change(Change::Resource(uri)) => {
            if !subscribed().contains(uri.as_ref()) {
                return true;
            }
            updated(&uri).await
        }
        News::Missed => {
            for uri in subscribed() {
                updated(&uri).await.ok();
            }
            peer.notify_tool_list_changed().await.ok();
            peer.notify_prompt_list_changed().await.ok();
            peer.notify_resource_list_changed().await
        }
    };
    told.is_ok()
}

/// Tells one subscription; what its filter does not cover is not sent.
async fn tell_subscription(context: &SubscriptionContext, news: News, uris: &[String]) {
    let sink = context.sink();
    match news {
        News::Change(Change::Tools) => drop(sink.notify_tool_list_changed().await),
        News::Change(Change::Resources) => drop(sink.notify_resource_list_changed().await),
        News::Change(Change::Prompts) => drop(sink.notify_prompt_list_changed().await),
        News::Change(Change::Resource(uri)) => {
            drop(sink.notify_resource_updated(uri.as_ref()).await);
        }
        News::Missed => {
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
