//! Logging: to standard error, one line an event, readable alone.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::settings::{Settings, Transport};

/// Engines that log what they carry: whatever the level, no request may come into the log.
const CARRIERS: [&str; 6] = [
    "rmcp=warn",
    "jsonrpsee=warn",
    "hyper=warn",
    "sqlx=warn",
    "async_openai=warn",
    "tantivy=warn",
];

/// Starts logging as the settings say. On stdio only failures are logged by default: hosts show what
/// comes there as errors. A filter that cannot be read counts as the default, and is reported.
pub fn start(settings: &Settings) {
    let default = match settings.transport {
        Transport::Http => "info",
        Transport::Stdio => "error",
    };
    let wanted = settings.log.level.as_deref().unwrap_or(default);
    let (filter, refused) = match EnvFilter::try_new(wanted) {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new(default), Some(error)),
    };
    let carriers = CARRIERS.iter().filter_map(|carrier| carrier.parse().ok());
    let filter = carriers.fold(filter, EnvFilter::add_directive);
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .try_init();
    if let (Ok(()), Some(error)) = (started, refused) {
        tracing::error!(error = %error, "the log level could not be read; using `{default}`");
    }
}
