//! What comes into the log, by level and by who speaks.

#![allow(clippy::unwrap_used)]

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use tracing_subscriber::EnvFilter;

use super::log;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn check(level: &str, expected: &[&str]) {
    let lines = Lines::default();
    let writer = lines.clone();
    let log = log(EnvFilter::new(level), move || writer.clone(), false);
    tracing::subscriber::with_default(log, || {
        tracing::info!("own-info");
        tracing::debug!("own-debug");
        tracing::warn!(target: "rmcp::service", "engine-warn");
        tracing::debug!(target: "rmcp::service", "engine-debug");
        tracing::trace!(target: "jsonrpsee_server::transport", "engine-trace");
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let said: Vec<&str> = text
        .split_whitespace()
        .filter(|word| word.contains('-'))
        .collect();
    let said: Vec<&str> = said
        .into_iter()
        .filter(|word| !word.contains(':'))
        .collect();
    assert_eq!(said, expected, "at {level}: {text}");
}

#[test]
fn engines_are_kept_down_and_never_raised() {
    check("off", &[]);
    check("error", &[]);
    check("info", &["own-info", "engine-warn"]);
    check("trace", &["own-info", "own-debug", "engine-warn"]);
    check("error,rmcp::service=trace", &["engine-warn"]);
}
