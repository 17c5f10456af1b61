//! Writes to the two streams: data to stdout, messages to stderr.
//!
//! Colours are always written, and removed if the stream is not a terminal or if `NO_COLOR` or `CLICOLOR` says
//! so.

use std::io::{self, Write};

use recall_kit_sanitizer::visible_json;
use serde::Serialize;

/// Bold text.
pub(crate) const BOLD: &str = "\u{1b}[1m";
/// Dimmed text, for less important parts.
pub(crate) const DIM: &str = "\u{1b}[2m";
/// For success.
pub(crate) const GREEN: &str = "\u{1b}[32m";
/// For errors.
pub(crate) const RED: &str = "\u{1b}[31m";
/// For warnings.
pub(crate) const YELLOW: &str = "\u{1b}[33m";
/// For labels and numbers that guide the eye.
pub(crate) const CYAN: &str = "\u{1b}[36m";
/// For keywords of code.
pub(crate) const BLUE: &str = "\u{1b}[34m";
/// Ends any of them.
pub(crate) const RESET: &str = "\u{1b}[0m";

/// The output of the program, with the options `--json` and `--quiet`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    json: bool,
    quiet: bool,
}

impl Printer {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet }
    }

    /// Returns whether stdout must contain only JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Returns whether only results and errors are written.
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

    /// Writes data as JSON, with escapes for control characters and invisible characters.
    pub(crate) fn json(&self, data: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(data).map_err(io::Error::from)?;
        writeln!(io::stdout(), "{}", visible_json(&text))
    }

    /// Writes a message, unless `--quiet` is set.
    pub(crate) fn info(&self, line: &str) {
        if !self.quiet {
            self.urgent(line);
        }
    }

    /// Writes a message, even if `--quiet` is set.
    pub(crate) fn urgent(&self, line: &str) {
        // If stderr is closed, there is nowhere to report it.
        let _ = writeln!(anstream::stderr(), "{line}");
    }
}

/// Puts text in a style.
pub(crate) fn styled(style: &str, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{RESET}")
}
