//! The events of ingesting a version, for programs: JSON on standard output, one object per line.

use std::{
    cell::Cell,
    io,
    time::{Duration, Instant},
};

use recall_kit_libraries::ingest::{IngestError, Progress, Report, Request};
use recall_kit_telemetry::chain;
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::print;

/// The shortest time between two progress events.
const INTERVAL: Duration = Duration::from_millis(500);

/// The fields of a progress event, besides the common ones.
#[derive(Serialize)]
struct ProgressFields<'a> {
    #[serde(flatten)]
    progress: &'a Progress,
    /// Since ingesting the version started.
    seconds: f64,
}

/// The fields of a failure event, besides the common ones.
#[derive(Serialize)]
struct Failed {
    error: String,
}

/// The events of one version.
pub(super) struct Events {
    library: String,
    version: String,
    started: Instant,
    last_progress: Cell<Option<Instant>>,
}

impl Events {
    /// Writes the event that ingesting a version starts.
    pub(super) fn begin(request: &Request) -> io::Result<Self> {
        let events = Self {
            library: request.library.clone(),
            version: request.version.clone(),
            started: Instant::now(),
            last_progress: Cell::new(None),
        };
        events.write("reading", ())?;
        Ok(events)
    }

    /// Writes a progress event, unless the last one was less than [`INTERVAL`] ago.
    pub(super) fn progress(&self, progress: &Progress) -> io::Result<()> {
        let is_due = |last: Instant| last.elapsed() >= INTERVAL;
        if !self.last_progress.get().is_none_or(is_due) {
            return Ok(());
        }
        self.last_progress.set(Some(Instant::now()));
        let seconds = self.started.elapsed().as_secs_f64();
        self.write("progress", ProgressFields { progress, seconds })
    }

    /// Writes the event that the version was ingested.
    pub(super) fn done(&self, report: &Report) -> io::Result<()> {
        self.write("done", report)
    }

    /// Writes the event that ingesting the version failed.
    pub(super) fn failed(&self, error: &IngestError) -> io::Result<()> {
        let error = chain(error);
        self.write("failed", Failed { error })
    }

    fn write(&self, event: &str, fields: impl Serialize) -> io::Result<()> {
        let Self {
            library, version, ..
        } = self;
        let mut line = json!({"event": event, "library": library, "version": version});
        if let (Some(line), Value::Object(fields)) =
            (line.as_object_mut(), serde_json::to_value(fields)?)
        {
            line.extend(fields);
        }
        print(&line.to_string())
    }
}
