//! A line to the client while its call runs: progress and log messages.

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

/// Messages that wait to be sent; a tool that reports faster loses some.
const WAITING: usize = 64;
/// How long what was reported may take to be told once the answer is there.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Something a tool reports.
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

struct Line(mpsc::Sender<Message>);

impl Client for Line {
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

/// Makes the tool's end and the handler's end.
pub(super) fn channel() -> (Arc<dyn Client>, mpsc::Receiver<Message>) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (Arc::new(Line(sender)), receiver)
}

/// Answers a call and passes on what it reports meanwhile. A client that takes nothing delays
/// neither the call nor, by more than a moment, its answer.
pub(super) async fn telling_meanwhile<T>(
    mut teller: Teller,
    mut told: mpsc::Receiver<Message>,
    calling: impl Future<Output = T>,
) -> T {
    let telling = async move {
        while let Some(message) = told.recv().await {
            teller.tell(message).await;
        }
    };
    tokio::pin!(telling, calling);
    let outcome = tokio::select! {
        outcome = &mut calling => outcome,
        // The line is open for as long as the call runs.
        () = &mut telling => return calling.await,
    };
    tokio::time::timeout(LAST_WORDS, telling).await.ok();
    outcome
}

/// Sends the messages that this client asked for.
pub(super) struct Teller {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    level: Option<LoggingLevel>,
    /// Progress only ever grows.
    reached: f64,
}

impl Teller {
    /// `level` is the session's; from 2026-07-28 on the request carries its own.
    pub(super) fn new(context: &RequestContext<RoleServer>, level: Option<LoggingLevel>) -> Self {
        Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            level: context.meta.log_level().or(level),
            reached: f64::NEG_INFINITY,
        }
    }

    pub(super) async fn tell(&mut self, message: Message) {
        match message {
            Message::Progress {
                progress,
                total,
                message,
            } => {
                let Some(token) = self.token.clone().filter(|_| progress > self.reached) else {
                    return;
                };
                self.reached = progress;
                let mut params = ProgressNotificationParam::new(token, progress);
                params.total = total;
                params.message = message;
                // A client that is gone needs no report.
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

/// The order of levels. Source: RFC 5424.
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
