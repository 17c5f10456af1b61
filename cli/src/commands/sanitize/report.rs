//! The positions of findings, for people and programs. A report does not contain what was found.

use std::{fmt::Write as _, ops::Range};

use recall_kit_sanitizer::{Finding, PART, Reason, RuleGroup, Streamed};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use serde_json::json;

use super::parts::Tally;
use crate::{
    terminal::controls::visible,
    words::{Words, filled},
};

/// The findings of several files.
#[derive(Debug, Default)]
pub(super) struct Report {
    places: Vec<Place>,
    findings: Vec<Finding>,
    unjudged: Vec<UnjudgedAt>,
    tally: Tally,
    file: String,
    reader: Reader,
}

/// The first place in a file where something could not be checked for a reason.
#[derive(Debug, Serialize)]
struct UnjudgedAt {
    file: String,
    line: usize,
    reason: Reason,
}

/// The position of a finding. Lines and columns count from 1; columns and lengths are in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    file: String,
    line: usize,
    column: usize,
    length: usize,
}

/// A finding and its position, for programs.
#[derive(Serialize)]
struct Entry<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    length: usize,
    group: Option<RuleGroup>,
    rule: &'a str,
    kind: &'a str,
    replacement: &'a str,
}

impl Report {
    /// Starts the report of a file.
    pub(super) fn begin(&mut self, file: &str) {
        self.file = file.to_owned();
        self.reader = Reader::default();
    }

    /// Adds the next bytes of the file, and the text that was sanitized meanwhile.
    pub(super) fn add(&mut self, bytes: &[u8], streamed: Streamed) {
        self.tally.add(&streamed.findings, &streamed.unjudged);
        self.reader.push(bytes);
        for unjudged in streamed.unjudged {
            let is_same = |it: &UnjudgedAt| it.file == self.file && it.reason == unjudged.reason;
            if !self.unjudged.iter().any(is_same) {
                self.unjudged.push(UnjudgedAt {
                    file: self.file.clone(),
                    line: self.reader.line_of(unjudged.span.start),
                    reason: unjudged.reason,
                });
            }
        }
        for finding in &streamed.findings {
            let (line, column) = self.reader.go_to(finding.span.start);
            self.places.push(Place {
                file: self.file.clone(),
                line,
                column,
                length: self.reader.characters(finding.span.clone()),
            });
        }
        self.findings.extend(streamed.findings);
        self.reader.forget();
    }

    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Returns a line for each finding, in the form in which editors recognize positions.
    pub(super) fn lines(&self, words: &Words) -> String {
        let texts = &words.sanitize;
        let mut lines = String::new();
        for entry in self.entries() {
            let file = visible(entry.file);
            let kind = words.kinds.name_of(entry.kind);
            let (kind, replacement) = (visible(&kind), visible(entry.replacement));
            let finding = filled(texts.finding, &[&kind, &replacement, &entry.rule]);
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{file}:{}:{}: {finding}", entry.line, entry.column);
        }
        for UnjudgedAt { file, line, reason } in &self.unjudged {
            let unjudged = filled(texts.not_judged_here, &[&texts.why(*reason)]);
            let _ = writeln!(lines, "{}:{line}:1: {unjudged}", visible(file));
        }
        lines
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let found = self.places.iter().zip(&self.findings);
        found.map(|(place, finding)| Entry {
            file: &place.file,
            line: place.line,
            column: place.column,
            length: place.length,
            group: finding.group,
            rule: &finding.rule,
            kind: &finding.kind,
            replacement: &finding.replacement,
        })
    }
}

impl Serialize for Report {
    /// Writes `{"findings": […], "counts": [{"kind", "count"}], "unjudged": [{"file", "line",
    /// "reason"}]}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self.tally.counts();
        let counts: Vec<_> = counts
            .iter()
            .map(|(kind, count)| json!({"kind": kind, "count": count}))
            .collect();
        let mut report = serializer.serialize_struct("Report", 3)?;
        report.serialize_field("findings", &self.entries().collect::<Vec<_>>())?;
        report.serialize_field("counts", &counts)?;
        report.serialize_field("unjudged", &self.unjudged)?;
        report.end()
    }
}

/// Moves forward through a file and counts lines and columns.
#[derive(Debug)]
struct Reader {
    /// The bytes whose positions may still be needed.
    buffer: Vec<u8>,
    /// The offset of `buffer` in the file.
    start: usize,
    at: usize,
    line: usize,
    column: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            at: 0,
            line: 1,
            column: 1,
        }
    }
}

impl Reader {
    fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Drops bytes that have been checked: at most one part of the text has not been.
    fn forget(&mut self) {
        if self.buffer.len() > 2 * PART {
            let checked = self.start + self.buffer.len() - PART;
            self.go_to(checked);
            self.buffer.drain(..checked - self.start);
            self.start = checked;
        }
    }

    /// Returns line and column of the byte `at` and moves there; for an earlier byte, those of the current one.
    fn go_to(&mut self, at: usize) -> (usize, usize) {
        let passed = self.bytes(self.at..at);
        let lines = passed.iter().filter(|byte| **byte == b'\n').count();
        let last = passed.rsplit(|byte| *byte == b'\n').next();
        let column = characters(last.unwrap_or_default());
        self.column = if lines > 0 { 1 } else { self.column } + column;
        self.line += lines;
        self.at = self.at.max(at);
        (self.line, self.column)
    }

    /// Returns the line of the byte `at` without moving there.
    fn line_of(&self, at: usize) -> usize {
        let before = self.bytes(self.at..at);
        self.line + before.iter().filter(|byte| **byte == b'\n').count()
    }

    fn characters(&self, span: Range<usize>) -> usize {
        characters(self.bytes(span))
    }

    fn bytes(&self, span: Range<usize>) -> &[u8] {
        let [start, end] = [span.start, span.end].map(|at| at.checked_sub(self.start));
        let span = start.zip(end).map(|(start, end)| start..end);
        span.and_then(|span| self.buffer.get(span))
            .unwrap_or_default()
    }
}

/// Counts the characters of UTF-8 text: all bytes except continuation bytes.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}
