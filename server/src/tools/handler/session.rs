//! What one session asked to hear about: changed lists, changed resources, a log level.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use recall_kit_shared_types::RpcError;
use rmcp::{
    Peer, RoleServer,
    model::{LoggingLevel, ResourceUpdatedNotificationParam, SubscriptionFilter},
    service::SubscriptionContext,
};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio_util::sync::CancellationToken;

use crate::{
    service::catalogue::Change,
    tools::{CallError, Features, shown},
};

/// Resources that one session may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// What one session asked for; ends with the session.
pub(super) struct Session {
    features: Arc<Features>,
    level: Mutex<Option<LoggingLevel>>,
    subscribed: Arc<Mutex<HashSet<String>>>,
    ended: CancellationToken,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.ended.cancel();
        let subscribed = self.subscribed.lock();
        for uri in subscribed.unwrap_or_else(PoisonError::into_inner).drain() {
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
            ended: CancellationToken::new(),
        }
    }

    /// Returns the least level of log messages that the client wants; `None` for none at all.
    pub(super) fn level(&self) -> Option<LoggingLevel> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_level(&self, level: LoggingLevel) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    fn exists(&self, uri: &str) -> bool {
        let entries = self.features.app().catalogue.entries();
        entries.resources.iter().any(|resource| resource.has(uri))
    }

    /// Notes that the client wants to hear about a resource.
    ///
    /// *Errors*: [`RpcError::ResourceNotFound`]; [`RpcError::InvalidRequest`] past the limit.
    pub(super) fn subscribe(&self, uri: &str) -> Result<(), CallError> {
        if !self.exists(uri) {
            return Err(CallError {
                cause: RpcError::ResourceNotFound,
                details: format!("there is no resource `{}`", shown(uri)),
            });
        }
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

    fn subscribed(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the client of changes until the session ends.
    pub(super) fn tell_changes_to(&self, peer: Peer<RoleServer>) {
        let mut changes = self.features.app().catalogue.changes();
        let (ended, subscribed) = (self.ended.clone(), Arc::clone(&self.subscribed));
        tokio::spawn(async move {
            let telling = async {
                while let Some(news) = next(&mut changes).await {
                    let wanted = || {
                        let subscribed = subscribed.lock();
                        subscribed.unwrap_or_else(PoisonError::into_inner).clone()
                    };
                    if !tell(&peer, news, wanted).await {
                        return;
                    }
                }
            };
            ended.run_until_cancelled(telling).await;
        });
    }

    /// Returns the part of a filter that this server can serve.
    pub(super) fn acceptable(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.truncate(MAX_SUBSCRIPTIONS);
            uris.retain(|uri| self.exists(uri));
        }
        accepted
    }

    /// Serves one `subscriptions/listen` until it is cancelled.
    pub(super) async fn listen(&self, context: SubscriptionContext) {
        let catalogue = &self.features.app().catalogue;
        let uris = context.accepted().resource_subscriptions.clone();
        let uris: Vec<String> = uris
            .unwrap_or_default()
            .into_iter()
            .filter(|uri| catalogue.watch(uri))
            .collect();
        let mut changes = catalogue.changes();
        let telling = async {
            while let Some(news) = next(&mut changes).await {
                tell_subscription(&context, news, &uris).await;
            }
        };
        tokio::select! {
            () = telling => {}
            () = context.cancelled() => {}
        }
        for uri in &uris {
            catalogue.unwatch(uri);
        }
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
