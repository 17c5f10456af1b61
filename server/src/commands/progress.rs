//! How far a long command has come, on standard error: a bar on a terminal, else a line now and
//! then.

use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is written where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// The progress of one command.
pub(super) struct Progress {
    doing: &'static str,
    /// What is counted, such as "records".
    counted: &'static str,
    /// What the whole is, in whatever `advance` counts; unknown for a pipe.
    total: Option<u64>,
    bar: Option<ProgressBar>,
    started: Instant,
    last_line: Instant,
}

impl Progress {
    /// Begins with records; `doing` is a word such as "importing".
    pub(super) fn new(doing: &'static str, total: Option<u64>) -> Self {
        Self::of(doing, "records", total)
    }

    /// Begins; `doing` is a word such as "reading", `counted` one such as "chunks".
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

    /// Learns what the whole is, once.
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

    /// Tells how much of the whole is done, and how many records or the like that is.
    pub(super) fn advance(&mut self, done: u64, records: u64) {
        let elapsed = self.started.elapsed();
        if let Some(bar) = &self.bar {
            bar.set_message(self.so_far(records, elapsed));
            bar.set_position(done);
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            let left = self.total.map(|total| left(elapsed, done, total));
            let so_far = self.so_far(records, elapsed);
            super::tell(&format!("{so_far}{}", left.unwrap_or_default()));
            self.last_line = Instant::now();
        }
    }

    fn so_far(&self, records: u64, elapsed: Duration) -> String {
        let rate = records as f64 / elapsed.as_secs_f64().max(0.001);
        let Self { doing, counted, .. } = self;
        format!("{doing}: {records} {counted}, {rate:.0} a second")
    }

    /// Writes a line beside the progress.
    pub(super) fn tell(&self, words: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| super::tell(words)),
            None => super::tell(words),
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
