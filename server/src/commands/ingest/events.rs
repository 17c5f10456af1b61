//! What happens while a version is read in, for programs: JSON on standard output, an object a line.

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

/// The least time between two lines of progress.
const INTERVAL: Duration = Duration::from_millis(500);

/// The rest of a line of progress.
#[derive(Serialize)]
struct SoFar<'a> {
    #[serde(flatten)]
    progress: &'a Progress,
    /// Since the version was begun.
    seconds: f64,
}

/// The rest of a line about a version that was not read in.
#[derive(Serialize)]
struct Failed {
    error: String,
}

/// The events of one version.
pub(super) struct Events {
    library: String,
    version: String,
    begun: Instant,
    last_progress: Cell<Option<Instant>>,
}

impl Events {
    /// Says that a version is begun.
    pub(super) fn begin(request: &Request) -> io::Result<Self> {
        let events = Self {
            library: request.library.clone(),
            version: request.version.clone(),
            begun: Instant::now(),
            last_progress: Cell::new(None),
        };
        events.write("reading", ())?;
        Ok(events)
    }

    /// Says how far it is, now and then.
    pub(super) fn progress(&self, progress: &Progress) -> io::Result<()> {
        let is_due = |last: Instant| last.elapsed() >= INTERVAL;
        if !self.last_progress.get().is_none_or(is_due) {
            return Ok(());
        }
        self.last_progress.set(Some(Instant::now()));
        let seconds = self.begun.elapsed().as_secs_f64();
        self.write("progress", SoFar { progress, seconds })
    }

    /// Says what came of it.
    pub(super) fn done(&self, report: &Report) -> io::Result<()> {
        self.write("done", report)
    }

    /// Says why nothing came of it.
    pub(super) fn failed(&self, error: &IngestError) -> io::Result<()> {
        let error = chain(error);
        self.write("failed", Failed { error })
    }

    fn write(&self, event: &str, rest: impl Serialize) -> io::Result<()> {
        let Self {
            library, version, ..
        } = self;
        let mut line = json!({"event": event, "library": library, "version": version});
        if let (Some(line), Value::Object(rest)) =
            (line.as_object_mut(), serde_json::to_value(rest)?)
        {
            line.extend(rest);
        }
        print(&line.to_string())
    }
}
