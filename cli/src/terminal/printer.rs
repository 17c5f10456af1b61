//! Writes to the two streams: data on stdout, talk on stderr.
//!
//! Colour is written always and taken away where the stream is no terminal, or `NO_COLOR` or
//! `CLICOLOR` says so.

use std::io::{self, Write};

use recall_kit_sanitizer::visible_json;
use serde::Serialize;

/// Bold text.
pub(crate) const BOLD: &str = "\u{1b}[1m";
/// Text that steps back.
pub(crate) const DIM: &str = "\u{1b}[2m";
/// Good news.
pub(crate) const GREEN: &str = "\u{1b}[32m";
/// Bad news.
pub(crate) const RED: &str = "\u{1b}[31m";
/// News to look at.
pub(crate) const YELLOW: &str = "\u{1b}[33m";
/// What leads the eye.
pub(crate) const CYAN: &str = "\u{1b}[36m";
/// What carries meaning.
pub(crate) const BLUE: &str = "\u{1b}[34m";
/// Ends any of them.
pub(crate) const RESET: &str = "\u{1b}[0m";

/// Where and how much to write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    json: bool,
    quiet: bool,
}

impl Printer {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet }
    }

    /// Says whether stdout is to carry JSON and nothing else.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Says whether only results and errors are to be written.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Writes a line of data.
    pub(crate) fn data(&self, line: &str) -> io::Result<()> {
        writeln!(anstream::stdout(), "{line}")
    }

    /// Writes data as it is, without a line break of its own.
    pub(crate) fn raw(&self, data: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(data.as_bytes())?;
        stdout.flush()
    }

    /// Writes data as JSON, with marks for what a terminal obeys or does not show.
    pub(crate) fn json(&self, data: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(data).map_err(io::Error::from)?;
        writeln!(io::stdout(), "{}", visible_json(&text))
    }

    /// Writes a line of talk, unless it is to be quiet.
    pub(crate) fn talk(&self, line: &str) {
        if !self.quiet {
            self.urgent(line);
        }
    }

    /// Writes a line that quiet does not silence.
    pub(crate) fn urgent(&self, line: &str) {
        // Nowhere is left to report that stderr is gone.
        let _ = writeln!(anstream::stderr(), "{line}");
    }
}

/// Puts text in a style.
pub(crate) fn styled(style: &str, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{RESET}")
}
