//! What is logged, by level and target, and what the lines look like.

#![allow(clippy::unwrap_used)]

use std::{
    io::Write,
    sync::{Arc, Mutex, mpsc},
};

use jiff::Timestamp;
use recall_kit_settings::LogFormat;
use serde_json::Value;
use tracing::Subscriber;
use tracing_subscriber::{Registry, layer::SubscriberExt as _, reload};

use super::{LogLevel, filter, log, text, writer::LineWriter};
use crate::request_id::{RequestId, scope};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Creates a log with the level; returns it with its output and a handle that changes the level.
fn log_at(level: &str, format: LogFormat) -> (impl Subscriber + Send + Sync, Lines, LogLevel) {
    let lines = Lines::default();
    let writer = lines.clone();
    let (filter, handle) = reload::Layer::new(filter(level).unwrap());
    let log = log(filter, format, move || writer.clone());
    (Registry::default().with(log), lines, LogLevel(handle))
}

/// Returns the lines that `action` logs, without their times.
fn logged(level: &str, action: impl FnOnce()) -> Vec<String> {
    let (log, lines, _) = log_at(level, LogFormat::Text);
    tracing::subscriber::with_default(log, action);
    let text = lines.text();
    text.lines()
        .map(|line| {
            let (time, rest) = line.split_at("2024-01-01 12:00:00".len());
            Timestamp::strptime("%Y-%m-%d %H:%M:%S %z", format!("{time} +0000")).unwrap();
            rest.trim_start().to_owned()
        })
        .collect()
}

fn log_samples() {
    tracing::info!("own-info");
    tracing::debug!("own-debug");
    tracing::warn!(target: "sqlx::query", "engine-warn");
    tracing::warn!(target: "rmcp::service", "an id that a client chose");
    tracing::info!(target: "tower_http::trace", "engine-info");
    tracing::debug!(target: "rmcp::service", "engine-debug");
    tracing::trace!(target: "jsonrpsee_server::transport", "engine-trace");
}

fn check(level: &str, expected: &[&str]) {
    assert_eq!(logged(level, log_samples), expected, "at {level}");
}

#[test]
fn library_messages_below_a_warning_are_never_logged() {
    check("off", &[]);
    check("error", &[]);
    check("info", &["INFO - own-info", "WARN - engine-warn"]);
    let all = ["INFO - own-info", "DEBUG - own-debug", "WARN - engine-warn"];
    check("TRACE", &all);
    check("error,sqlx::query=trace", &["WARN - engine-warn"]);
    // The program's name stands for all of its crates, and this is one of them.
    check("off,recall_kit_server=debug", &all[..2]);
    check("off,recall_kit_store=debug", &[]);
}

#[test]
fn an_invalid_level_is_rejected_with_the_list_of_levels() {
    for wrong in ["", "loud", "info,loud", "recall_kit_server=loud", "info,,"] {
        let words = filter(wrong).unwrap_err().to_string();
        assert!(words.contains("trace, off"), "{wrong:?}: {words}");
    }
}

#[test]
fn the_level_changes_while_the_program_runs() {
    let (log, lines, level) = log_at("off", LogFormat::Text);
    tracing::subscriber::with_default(log, || {
        tracing::error!("before");
        level.set_level("info").unwrap();
        tracing::info!("meanwhile");
        assert!(level.set_level("loud").is_err());
        tracing::info!("still");
        level.set_level("off").unwrap();
        tracing::error!("after");
    });
    let text = lines.text();
    let messages: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split(" - ").nth(1))
        .collect();
    assert_eq!(messages, ["meanwhile", "still"]);
}

#[test]
fn text_lines_have_the_documented_format() {
    let lines = logged("info", || {
        let duration = format_args!("{:.3}s", 0.0234);
        tracing::info!(%duration, request_id = "req_123456", "Tool called: {}", "calculator_add");
        tracing::warn!(error = "disk full", count = 3, ok = false, "not stored");
    });
    assert_eq!(
        lines,
        [
            "INFO - Tool called: calculator_add, duration: 0.023s, request_id: req_123456",
            "WARN - not stored, error: disk full, count: 3, ok: false",
        ]
    );
}

#[tokio::test]
async fn each_line_of_a_request_ends_with_its_id() {
    let (log, lines, _) = log_at("info", LogFormat::Text);
    let _guard = tracing::subscriber::set_default(log);
    let id = || RequestId::parse("req_abc").unwrap();
    scope(id(), async { tracing::info!(count = 1, "found") }).await;
    scope(id(), async { tracing::info!(request_id = "own", "found") }).await;
    tracing::info!("found");
    let text = lines.text();
    let ends: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split(" - ").nth(1))
        .collect();
    assert_eq!(
        ends,
        [
            "found, count: 1, request_id: req_abc",
            "found, request_id: own",
            "found"
        ]
    );
}

#[test]
fn a_value_cannot_forge_a_line() {
    let forged = "x\n2024-01-01 12:00:00 INFO - forged\r\u{1b}[2K\u{2028}\u{202e}\u{85}";
    let lines = logged("info", || {
        tracing::info!(value = forged, shown = %forged, debugged = ?forged, "said: {forged}");
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    let dangerous = |c: char| c.is_control() || "\u{2028}\u{202e}".contains(c);
    assert!(!lines[0].contains(dangerous), "{lines:?}");
    assert!(lines[0].starts_with(r"INFO - said: x\n2024-01-01"));
}

#[test]
fn json_lines_hold_every_field_with_its_type() {
    let (log, lines, _) = log_at("info", LogFormat::Json);
    tracing::subscriber::with_default(log, || {
        tracing::info!(
            text = "a\nb",
            count = 3,
            ok = true,
            share = 0.5,
            "said {}",
            1
        );
    });
    let text = lines.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    let mut line: Value = serde_json::from_str(&text).unwrap();
    let timestamp = line["timestamp"].take();
    timestamp
        .as_str()
        .unwrap()
        .parse::<Timestamp>()
        .expect("RFC 3339");
    let expected = serde_json::json!({
        "timestamp": null, "level": "INFO", "message": "said 1",
        "text": "a\nb", "count": 3, "ok": true, "share": 0.5,
    });
    assert_eq!(line, expected);
}

/// An output that blocks until the sender sends or is dropped.
struct Stuck {
    released: mpsc::Receiver<()>,
    lines: Lines,
}

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Returns at once when the other end is gone.
        self.released.recv().ok();
        self.lines.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_stuck_output_drops_lines_and_reports_how_many() {
    let (release, released) = mpsc::channel();
    let lines = Lines::default();
    let output = Stuck {
        released,
        lines: lines.clone(),
    };
    let writer = LineWriter::start(output, text::dropped).unwrap();
    let line = [[b'x'; 1023].as_slice(), b"\n"].concat();
    // 1 MiB fits beside what the thread has already taken; the rest is dropped without waiting.
    for _ in 0..4096 {
        (&writer).write_all(&line).unwrap();
    }
    drop(release);
    writer.close();
    let text = lines.text();
    let written = text.lines().filter(|line| line.starts_with('x')).count();
    assert!((1024..4096).contains(&written), "{written}");
    let reported: usize = text
        .lines()
        .filter_map(|line| line.split("dropped, lines: ").nth(1))
        .map(|count| count.parse::<usize>().unwrap())
        .sum();
    assert_eq!(written + reported, 4096, "every line is written or counted");
}
