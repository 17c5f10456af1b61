//! The server's metrics, for `GET /metrics`.
//!
//! Recording costs an atomic addition or a short lock. No label has a value that a client chose, so the
//! number of series is bounded by the program and its settings. Numbers that other parts already have
//! (index, queues, database) are gauges that are set just before the text is produced.

mod gauges;

use std::{
    borrow::Cow,
    fmt,
    time::{Duration, Instant},
};

use prometheus_client::{
    encoding::text::encode,
    metrics::{
        counter::Counter,
        family::{Family, MetricConstructor},
        gauge::Gauge,
        histogram::Histogram,
        info::Info,
    },
    registry::{Metric, Registry},
};

pub use self::gauges::{Gauges, whole};

/// The media type of [`Metrics::text`]. Source: OpenMetrics 1.0.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of a call's duration, in seconds.
const DURATIONS: [f64; 14] = [
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// Replaces names and codes that the program does not know.
const UNKNOWN: &str = "unknown";

type Labels<const N: usize> = [(&'static str, Cow<'static, str>); N];
type Counters<const N: usize> = Family<Labels<N>, Counter>;

/// The counters and gauges of one running server.
pub struct Metrics {
    registry: Registry,
    started: Instant,
    calls: Counters<2>,
    durations: Family<Labels<1>, Histogram, Durations>,
    errors: Counters<1>,
    requests: Counters<2>,
    refused: Counters<1>,
    cache_hits: Counters<1>,
    cache_misses: Counters<1>,
    /// HTTP requests whose response has not started yet.
    pub in_flight: Gauge,
    /// Open MCP sessions.
    pub sessions: Gauge,
    /// Open event streams.
    pub streams: Gauge,
    /// Open WebSockets.
    pub sockets: Gauge,
    /// Gauges that are read only when metrics are scraped.
    pub read: Gauges,
}

/// Creates the histogram of a tool on its first call.
#[derive(Clone)]
struct Durations;

impl MetricConstructor<Histogram> for Durations {
    fn new_metric(&self) -> Histogram {
        Histogram::new(DURATIONS)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("recall_kit");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program", build);
        let mut make = Maker(&mut registry);
        Self {
            started: Instant::now(),
            calls: make.one("tool_calls", "Calls of tools"),
            errors: make.one("errors", "Calls that failed, by error code"),
            requests: make.one("http_requests", "HTTP requests answered"),
            refused: make.one("refused", "Requests refused before they were read"),
            cache_hits: make.one("cache_hits", "Look-ups that a cache answered"),
            cache_misses: make.one("cache_misses", "Look-ups that a cache could not answer"),
            in_flight: make.one("http_requests_in_flight", "HTTP requests being answered"),
            sessions: make.one("sessions", "Open MCP sessions"),
            streams: make.one("streams", "Open event streams"),
            sockets: make.one("sockets", "Open WebSockets"),
            durations: make.put(
                "tool_call_duration_seconds",
                "How long calls of tools took",
                Family::new_with_constructor(Durations),
            ),
            read: Gauges::new(&mut make),
            registry,
        }
    }
}

/// Creates metrics and registers them.
struct Maker<'a>(&'a mut Registry);

impl Maker<'_> {
    fn one<M: Metric + Default + Clone>(&mut self, name: &str, help: &str) -> M {
        self.put(name, help, M::default())
    }

    fn put<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: M) -> M {
        self.0.register(name, help, metric.clone());
        metric
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Counts a call of a tool. `tool` is `None` for a tool that does not exist; `error` is the error code of
    /// a failed call.
    pub fn tool_called(&self, tool: Option<&str>, error: Option<&str>, took: Duration) {
        let tool = ("tool", Cow::Owned(tool.unwrap_or(UNKNOWN).to_owned()));
        let outcome = if error.is_some() { "error" } else { "ok" };
        let labels = [tool, ("outcome", Cow::Borrowed(outcome))];
        self.calls.get_or_create(&labels).inc();
        let [tool, _] = labels;
        let durations = self.durations.get_or_create(&[tool]);
        durations.observe(took.as_secs_f64());
        drop(durations);
        if let Some(code) = error {
            self.failed(code);
        }
    }

    /// Counts an error by its code; a code that is not one of ours counts as unknown.
    pub fn failed(&self, code: &str) {
        let code = if is_known(code) { code } else { UNKNOWN };
        let code = ("code", Cow::Owned(code.to_owned()));
        self.errors.get_or_create(&[code]).inc();
    }

    /// Counts an HTTP request by the part of the server that answered it (the label `face`) and by the class
    /// of its status, such as `2xx`.
    pub fn answered(&self, face: &'static str, status: u16) {
        let class = match status / 100 {
            1 => "1xx",
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            _ => "5xx",
        };
        count(&self.requests, [("face", face), ("status", class)]);
    }

    /// Counts a request that was refused before it was read, such as for `rate_limit` or `origin`.
    pub fn refused(&self, reason: &'static str) {
        count(&self.refused, [("reason", reason)]);
    }

    /// Counts a look-up in a cache, such as `tool_list`.
    pub fn looked_up(&self, cache: &'static str, found: bool) {
        let counters = if found {
            &self.cache_hits
        } else {
            &self.cache_misses
        };
        count(counters, [("cache", cache)]);
    }

    /// Returns all metrics as OpenMetrics text, with the memory of the process and the time since its start.
    pub fn text(&self) -> String {
        self.read.read_process(self.started.elapsed());
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string cannot fail");
        text
    }
}

/// Adds one to a gauge until it is dropped.
pub struct Counted(Gauge);

impl Counted {
    /// Adds one to the gauge.
    pub fn on(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn count<const N: usize>(counters: &Counters<N>, labels: [(&'static str, &'static str); N]) {
    let labels = labels.map(|(name, value)| (name, Cow::Borrowed(value)));
    counters.get_or_create(&labels).inc();
}

/// Whether a code belongs to the contract or to the protocol.
fn is_known(code: &str) -> bool {
    use recall_kit_shared_types::{ErrorCode, RpcError};
    let contract = serde_json::from_value::<ErrorCode>(code.into());
    let is_contract = contract.is_ok_and(|known| known != ErrorCode::Unknown);
    is_contract || RpcError::ALL.iter().any(|error| error.name() == code)
}

#[cfg(test)]
mod tests;
