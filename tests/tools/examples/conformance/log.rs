//! Log messages to the client, at the level that it asked for.
#![expect(deprecated, reason = "versions before 2026-07-28 have logging")]

use std::sync::{Mutex, PoisonError};

use rmcp::{
    RoleServer,
    model::{LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion},
    service::{RequestContext, ServiceError},
};
use serde_json::json;

/// The log level of one session.
#[derive(Default)]
pub(crate) struct Log {
    level: Mutex<Option<LoggingLevel>>,
}

impl Log {
    /// Sends no messages below this level from now on.
    pub(crate) fn set(&self, level: LoggingLevel) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// Sends a message of level `info`, if the client asked for that level.
    pub(crate) async fn info(
        &self,
        context: &RequestContext<RoleServer>,
        message: &str,
    ) -> Result<(), ServiceError> {
        let stateless = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        // In versions without sessions each request states the level; without one nothing is sent.
        let wanted = if stateless {
            context.meta.log_level()
        } else {
            let level = *self.level.lock().unwrap_or_else(PoisonError::into_inner);
            level.or(Some(LoggingLevel::Debug))
        };
        if wanted.is_none_or(|level| level as u8 > LoggingLevel::Info as u8) {
            return Ok(());
        }
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
        context.peer.notify_logging_message(message).await
    }
}
