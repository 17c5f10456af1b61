//! Logging: to standard error, one line an event, readable alone.

use std::io::IsTerminal as _;

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::{
    EnvFilter, Layer as _, Registry,
    filter::{FilterExt as _, filter_fn},
    fmt::MakeWriter,
    layer::SubscriberExt as _,
};

use crate::settings::{Settings, Transport};

/// Engines that log what they carry.
const CARRIERS: [&str; 6] = [
    "rmcp",
    "jsonrpsee",
    "hyper",
    "sqlx",
    "async_openai",
    "tantivy",
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
    let ansi = std::io::stderr().is_terminal();
    let started = tracing::subscriber::set_global_default(log(filter, std::io::stderr, ansi));
    if let (Ok(()), Some(error)) = (started, refused) {
        tracing::error!(error = %error, "the log level could not be read; using `{default}`");
    }
}

/// Makes the log of what a filter lets through, short of what could carry a request.
fn log<W>(filter: EnvFilter, writer: W, ansi: bool) -> impl Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(writer)
        .with_ansi(ansi)
        .with_target(false);
    Registry::default().with(lines.with_filter(filter.and(filter_fn(carries_no_request))))
}

/// Whatever the level: below a warning, an engine's words may repeat what a client sent.
fn carries_no_request(event: &Metadata<'_>) -> bool {
    let engine = event.target().split("::").next().unwrap_or_default();
    let is_carrier = CARRIERS.iter().any(|carrier| engine.starts_with(carrier));
    !is_carrier || *event.level() <= Level::WARN
}

#[cfg(test)]
mod tests;
