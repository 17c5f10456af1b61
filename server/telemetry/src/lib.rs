//! Observability of the server: log lines on standard error, optional traces, metrics, request ids.
//!
//! A log line that belongs to a request ends with the request's id, whichever code logs it. `text.rs` and
//! `json.rs` format the lines, `writer.rs` writes them; `spans.rs` defines what is traced, `otlp/` sends it.

mod error_chain;
mod json;
pub mod metrics;
#[cfg(feature = "otlp")]
mod otlp;
pub mod request_id;
pub mod spans;
mod text;
mod writer;

use std::io;

use recall_kit_settings::{LogFormat, Settings, TelemetrySettings, Transport};
use tracing::{Level, Metadata, level_filters::LevelFilter};
use tracing_subscriber::{
    Layer, Registry,
    filter::{FilterExt as _, Targets, filter_fn},
    fmt::MakeWriter,
    layer::SubscriberExt as _,
    reload,
};

#[cfg(feature = "otlp")]
use self::otlp::Traces;
pub use self::{error_chain::chain, writer::dropped_lines};
use self::{json::Json, text::Text, writer::LineWriter};
/// Without the feature there are no traces.
#[cfg(not(feature = "otlp"))]
enum Traces {}

type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// The field that carries a request's id.
const REQUEST_ID: &str = "request_id";
/// Prefix of the log targets of our own crates.
const OWN_CRATES: &str = "recall_kit_";
/// The program's name in log filters.
const PROGRAM: &str = "recall_kit_server";
/// Prefix of the log targets of the MCP library.
const MCP_ENGINE: &str = "rmcp";
const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];

/// Why logging could not start or its level could not change.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The text is not a log level.
    #[error(
        "`{given}` is not a log level; use {}, or PART=LEVEL for one part of the program, separated by commas",
        LEVELS.join(", ")
    )]
    Level {
        /// What was given.
        given: String,
    },
    /// The address of the collector cannot be used.
    #[error("telemetry.otlp_endpoint `{given}` cannot be used: {why}")]
    Endpoint {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: String,
    },
    /// The thread that writes the log could not be started.
    #[error("cannot start the log")]
    Thread(#[from] io::Error),
}

/// The running log; dropping it writes the remaining lines.
pub struct Telemetry {
    level: LogLevel,
    // Dropped before the log is closed, since it may log while it shuts down.
    traces: Option<Traces>,
    writer: LineWriter,
}

impl Telemetry {
    /// Returns a handle that changes the level while the program runs.
    pub fn level(&self) -> LogLevel {
        self.level.clone()
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        self.traces.take();
        self.writer.close();
    }
}

/// Changes the level while the program runs.
#[derive(Clone)]
pub struct LogLevel(reload::Handle<Targets, Registry>);

impl LogLevel {
    /// Replaces the level or filter.
    ///
    /// *Errors*: [`TelemetryError::Level`]; the old level then stays in force.
    pub fn set_level(&self, level: &str) -> Result<(), TelemetryError> {
        let filter = filter(level)?;
        // Fails only after the log was dropped, and then there is nothing to change.
        self.0.reload(filter).ok();
        Ok(())
    }
}

/// Starts logging as the settings say.
///
/// *Errors*: an invalid level or collector address, or no thread to write the log.
pub fn start(settings: &Settings) -> Result<Telemetry, TelemetryError> {
    let (filter, level) = reload::Layer::new(filter(level(settings))?);
    let format = settings.log.format;
    let notice = match format {
        LogFormat::Text => text::dropped,
        LogFormat::Json => json::dropped,
    };
    let writer = LineWriter::start(io::stderr(), notice)?;
    let log = log(filter, format, writer.clone());
    let (traces, spans) = traces(&settings.telemetry)?.unzip();
    let layers: Vec<BoxedLayer> = std::iter::once(log).chain(spans).collect();
    // Fails if this process already has a logger, which a program that embeds this library may.
    tracing::subscriber::set_global_default(Registry::default().with(layers)).ok();
    Ok(Telemetry {
        level: LogLevel(level),
        traces,
        writer,
    })
}

#[cfg(feature = "otlp")]
fn traces(settings: &TelemetrySettings) -> Result<Option<(Traces, BoxedLayer)>, TelemetryError> {
    let started = settings.otlp_endpoint.as_deref();
    started
        .map(|endpoint| otlp::start(endpoint, settings))
        .transpose()
}

#[cfg(not(feature = "otlp"))]
fn traces(settings: &TelemetrySettings) -> Result<Option<(Traces, BoxedLayer)>, TelemetryError> {
    match &settings.otlp_endpoint {
        None => Ok(None),
        Some(given) => Err(TelemetryError::Endpoint {
            given: given.clone(),
            why: "this program was built without the feature `otlp`".to_owned(),
        }),
    }
}

/// Returns the level that the settings choose. On stdio the default is `off`, since MCP hosts show
/// lines on standard error as errors.
pub fn level(settings: &Settings) -> &str {
    let default = match settings.transport {
        Transport::Http => "info",
        Transport::Stdio => "off",
    };
    settings.log.level.as_deref().unwrap_or(default)
}

/// Parses a level or filter.
fn filter(level: &str) -> Result<Targets, TelemetryError> {
    let refused = || TelemetryError::Level {
        given: level.to_owned(),
    };
    let is_level = |word: &str| LEVELS.iter().any(|name| name.eq_ignore_ascii_case(word));
    // A single word that is not a level would otherwise be read as a target.
    let reads = |part: &str| is_level(part.rsplit('=').next().unwrap_or_default().trim());
    if !level.split(',').all(reads) {
        return Err(refused());
    }
    let directives: Vec<String> = level.split(',').map(of_all_crates).collect();
    directives.join(",").parse().map_err(|_| refused())
}

/// Replaces the program's name by the common prefix of its crates in one directive of a filter.
fn of_all_crates(directive: &str) -> String {
    match directive.trim().split_once('=') {
        Some((PROGRAM, level)) => format!("{OWN_CRATES}={level}"),
        _ => directive.to_owned(),
    }
}

/// Creates the log layer for what passes the filter, without events that could contain request data.
fn log<W>(filter: reload::Layer<Targets, Registry>, format: LogFormat, writer: W) -> BoxedLayer
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let lines: BoxedLayer = match format {
        LogFormat::Text => lines.event_format(Text).boxed(),
        LogFormat::Json => lines.event_format(Json).boxed(),
    };
    let carries_no_request = filter_fn(carries_no_request).with_max_level_hint(LevelFilter::TRACE);
    lines.with_filter(filter.and(carries_no_request)).boxed()
}

/// Whether an event cannot contain what a client sent. Libraries may repeat it in messages below a
/// warning, so these are dropped at every level.
fn carries_no_request(event: &Metadata<'_>) -> bool {
    // The MCP library repeats ids, which clients choose, in its warnings as well.
    let is_engine = event.target().starts_with(MCP_ENGINE);
    let least = if is_engine { Level::ERROR } else { Level::WARN };
    event.is_event() && (*event.level() <= least || event.target().starts_with(OWN_CRATES))
}

#[cfg(test)]
mod tests;
