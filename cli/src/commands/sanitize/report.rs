//! Where findings stand, for people and programs. A report never repeats what was found.

use std::fmt::Write as _;

use recall_kit_sanitizer::{Finding, RuleGroup, summary};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use serde_json::json;

use crate::controls::visible;

/// The findings of several files.
#[derive(Debug, Default)]
pub(super) struct Report {
    places: Vec<Place>,
    findings: Vec<Finding>,
}

/// Where a finding stands. Lines and columns count from 1; columns and lengths are in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    file: String,
    line: usize,
    column: usize,
    length: usize,
}

/// A finding and its place, as programs read it.
#[derive(Serialize)]
struct Entry<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    length: usize,
    group: RuleGroup,
    rule: &'a str,
    kind: &'a str,
    replacement: &'a str,
}

impl Report {
    /// Adds the findings of a text, which are in order of position.
    pub(super) fn add(&mut self, file: &str, text: &str, findings: Vec<Finding>) {
        let mut reader = Reader::default();
        for finding in &findings {
            let (line, column) = reader.go_to(text, finding.span.start);
            let found = text.get(finding.span.clone()).unwrap_or_default();
            self.places.push(Place {
                file: file.to_owned(),
                line,
                column,
                length: found.chars().count(),
            });
        }
        self.findings.extend(findings);
    }

    pub(super) fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Counts the findings by kind.
    pub(super) fn counts(&self) -> Vec<(String, usize)> {
        summary(&self.findings)
    }

    /// Writes a line for each finding, in the form that editors jump to.
    pub(super) fn lines(&self) -> String {
        let mut lines = String::new();
        for entry in self.entries() {
            let file = visible(entry.file);
            let (kind, replacement) = (visible(entry.kind), visible(entry.replacement));
            // Writing to a string cannot fail.
            let _ = writeln!(
                lines,
                "{file}:{}:{}: {kind}, goes as {replacement} [{}]",
                entry.line, entry.column, entry.rule
            );
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
    /// Writes `{"findings": […], "counts": [{"kind", "count"}]}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self.counts();
        let counts: Vec<_> = counts
            .iter()
            .map(|(kind, count)| json!({"kind": kind, "count": count}))
            .collect();
        let mut report = serializer.serialize_struct("Report", 2)?;
        report.serialize_field("findings", &self.entries().collect::<Vec<_>>())?;
        report.serialize_field("counts", &counts)?;
        report.end()
    }
}

/// Goes forward through a text and counts lines and columns on the way.
#[derive(Debug)]
struct Reader {
    at: usize,
    line: usize,
    column: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            at: 0,
            line: 1,
            column: 1,
        }
    }
}

impl Reader {
    /// Returns line and column of the byte `at`; an earlier one than the last counts as the last.
    fn go_to(&mut self, text: &str, at: usize) -> (usize, usize) {
        let passed = text.get(self.at..at).unwrap_or_default();
        self.at += passed.len();
        match passed.rsplit_once('\n') {
            Some((lines, rest)) => {
                self.line += lines.matches('\n').count() + 1;
                self.column = rest.chars().count() + 1;
            }
            None => self.column += passed.chars().count(),
        }
        (self.line, self.column)
    }
}
