//! Progress and log messages to the client while its call runs.

use std::{sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleServer,
    model::{
        LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
    },
    service::RequestContext,
};
use serde_json::json;
use tokio::sync::mpsc;

use super::LINE_LEVEL;
use crate::tools::calls::context::Client;

/// The length of the queue of messages; if a tool reports faster than they are sent, some are dropped.
const WAITING: usize = 64;
/// How long sending the remaining messages may delay the answer.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// A message of a tool.
pub(super) enum Message {
    Progress {
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    },
    Line {
        logger: String,
        line: String,
    },
}

struct MessageSender(mpsc::Sender<Message>);

impl Client for MessageSender {
    fn progress(&self, progress: f64, total: Option<f64>, message: Option<String>) {
        let message = Message::Progress {
            progress,
            total,
            message,
        };
        drop(self.0.try_send(message));
    }

    fn log(&self, logger: &str, line: &str) {
        let message = Message::Line {
            logger: logger.to_owned(),
            line: line.to_owned(),
        };
        drop(self.0.try_send(message));
    }
}

/// Creates a queue of messages: the sender for the tool, and the receiver for the handler.
pub(super) fn channel() -> (Arc<dyn Client>, mpsc::Receiver<Message>) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (Arc::new(MessageSender(sender)), receiver)
}

/// Runs a call and sends its messages meanwhile. A client that does not read them does not delay the
/// call, and delays its answer by at most [`FLUSH_TIMEOUT`].
pub(super) async fn send_while_running<T>(
    mut notifier: Notifier,
    mut messages: mpsc::Receiver<Message>,
    calling: impl Future<Output = T>,
) -> T {
    let sending = async move {
        while let Some(message) = messages.recv().await {
            notifier.send(message).await;
        }
    };
    tokio::pin!(sending, calling);
    let outcome = tokio::select! {
        outcome = &mut calling => outcome,
        // The queue is closed when the call ends.
        () = &mut sending => return calling.await,
    };
    tokio::time::timeout(FLUSH_TIMEOUT, sending).await.ok();
    outcome
}

/// Sends the messages that the client has requested.
pub(super) struct Notifier {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    level: Option<LoggingLevel>,
    /// The last progress that was sent; MCP requires that progress increases.
    last_progress: f64,
}

impl Notifier {
    /// Creates the notifier of a request. `level` is the session's log level; from version 2026-07-28 on
    /// the request has its own.
    pub(super) fn new(context: &RequestContext<RoleServer>, level: Option<LoggingLevel>) -> Self {
        Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            level: context.meta.log_level().or(level),
            last_progress: f64::NEG_INFINITY,
        }
    }

    pub(super) async fn send(&mut self, message: Message) {
        match message {
            Message::Progress {
                progress,
                total,
                message,
            } => {
                let is_new = progress > self.last_progress;
                let Some(token) = self.token.clone().filter(|_| is_new) else {
                    return;
                };
                self.last_progress = progress;
                let mut params = ProgressNotificationParam::new(token, progress);
                params.total = total;
                params.message = message;
                // An error means that the client is gone.
                self.peer.notify_progress(params).await.ok();
            }
            Message::Line { logger, line } => {
                if self
                    .level
                    .is_none_or(|level| rank(level) > rank(LINE_LEVEL))
                {
                    return;
                }
                let mut params = LoggingMessageNotificationParam::new(LINE_LEVEL, json!(line));
                params.logger = Some(logger);
                self.peer.notify_logging_message(params).await.ok();
            }
        }
    }
}

/// Returns the severity of a level. Source: RFC 5424.
fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
