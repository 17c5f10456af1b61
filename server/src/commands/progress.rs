//! The progress of a long command, on standard error: a bar on a terminal, otherwise a line at intervals.

use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is written if there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// The progress of one command.
pub(super) struct Progress {
    /// The activity, such as "importing".
    doing: &'static str,
    /// The things that are counted, such as "records".
    counted: &'static str,
    /// The total, in the unit of `done` of [`Progress::advance`]; `None` if it is not known, as for a pipe.
    total: Option<u64>,
    bar: Option<ProgressBar>,
    started: Instant,
    last_line: Instant,
}

impl Progress {
    /// Starts the progress of an activity that counts records; `doing` is a word such as "importing".
    pub(super) fn new(doing: &'static str, total: Option<u64>) -> Self {
        Self::of(doing, "records", total)
    }

    /// Starts the progress of an activity; `doing` is a word such as "reading", `counted` such as "chunks".
    pub(super) fn of(doing: &'static str, counted: &'static str, total: Option<u64>) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| bar(total));
        let now = Instant::now();
        Self {
            doing,
            counted,
            total,
            bar,
            started: now,
            last_line: now,
        }
    }

    /// Sets the total when it becomes known; later calls have no effect.
    pub(super) fn expect(&mut self, total: Option<u64>) {
        if self.total.is_some() || total.is_none() {
            return;
        }
        self.total = total;
        if let (Some(bar), Some(total)) = (&self.bar, total) {
            bar.set_style(style(self.total));
            bar.set_length(total);
        }
    }

    /// Sets how much of the total is done, and how many records (or other things) that is.
    pub(super) fn advance(&mut self, done: u64, records: u64) {
        let elapsed = self.started.elapsed();
        if let Some(bar) = &self.bar {
            bar.set_message(self.message(records, elapsed));
            bar.set_position(done);
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            let left = self.total.map(|total| left(elapsed, done, total));
            let message = self.message(records, elapsed);
            super::eprint(&format!("{message}{}", left.unwrap_or_default()));
            self.last_line = Instant::now();
        }
    }

    fn message(&self, records: u64, elapsed: Duration) -> String {
        let rate = records as f64 / elapsed.as_secs_f64().max(0.001);
        let Self { doing, counted, .. } = self;
        format!("{doing}: {records} {counted}, {rate:.0} a second")
    }

    /// Writes a line to standard error without disturbing the bar.
    pub(super) fn eprint(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| super::eprint(message)),
            None => super::eprint(message),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    total
        .map_or_else(ProgressBar::new_spinner, ProgressBar::new)
        .with_style(style(total))
}

fn style(total: Option<u64>) -> ProgressStyle {
    let template = match total {
        Some(_) => "{msg} {wide_bar} {percent} % · {eta} left",
        None => "{spinner} {msg}",
    };
    ProgressStyle::with_template(template).expect("the templates are well-formed")
}

fn left(elapsed: Duration, done: u64, total: u64) -> String {
    let share = done as f64 / total.max(1) as f64;
    let left = elapsed.as_secs_f64() * (1.0 / share.max(1e-9) - 1.0);
    format!(", {:.0} %, {:.0} s left", share * 100.0, left.max(0.0))
}
