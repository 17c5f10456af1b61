//! Insights as tables for spreadsheets. Source: RFC 4180.

use std::fmt::Display;

use recall_kit_core::experiences::insights::{DayOfGrowth, DayOfQuestions};
use recall_kit_store::{AskedQuestion, ReturnedRecord};

use crate::layout::plain::visible;

/// A row of a table.
pub(super) trait CsvRow {
    /// The names of the columns.
    const HEAD: &'static [&'static str];

    /// Returns the cells, as many as there are columns.
    fn cells(&self) -> Vec<String>;
}

/// Writes a table with its header row. Text that a spreadsheet would read as a formula gets a leading
/// apostrophe, also after a character at which some spreadsheets split cells.
pub(super) fn csv<Row: CsvRow>(rows: &[Row]) -> String {
    let head = Row::HEAD.iter().map(|name| (*name).to_owned()).collect();
    let lines = std::iter::once(head).chain(rows.iter().map(CsvRow::cells));
    lines.map(|cells| line(&cells)).collect()
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(&visible(cell))).collect();
    format!("{}\r\n", cells.join(","))
}

fn quoted(cell: &str) -> String {
    let safe = without_formulas(cell);
    match safe == cell && !cell.contains([',', ';', '"', '\t', '\n', '\r']) {
        true => safe,
        false => format!("\"{}\"", safe.replace('"', "\"\"")),
    }
}

fn without_formulas(cell: &str) -> String {
    let mut safe = String::with_capacity(cell.len());
    let mut may_begin = true;
    for c in cell.chars() {
        if may_begin && matches!(c, '=' | '+' | '-' | '@') {
            safe.push('\'');
        }
        safe.push(c);
        // Quotation marks and white space may stand before a formula.
        let splits_cells = matches!(c, ',' | ';' | '\t' | '\n' | '\r');
        may_begin = splits_cells || may_begin && (c.is_whitespace() || c == '"');
    }
    safe
}

fn or_empty(value: Option<impl Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

impl CsvRow for AskedQuestion {
    const HEAD: &'static [&'static str] = &[
        "family",
        "question",
        "asked",
        "unanswered",
        "results",
        "relevance",
        "last_at",
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.family.as_str().to_owned(),
            self.text.clone(),
            self.asked.to_string(),
            self.unanswered.to_string(),
            self.results.to_string(),
            or_empty(self.relevance.map(|best| format!("{best:.2}"))),
            format!("{:.0}", self.last_at),
        ]
    }
}

impl<Id: Display> CsvRow for ReturnedRecord<Id> {
    const HEAD: &'static [&'static str] = &["id", "title", "count"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.id.to_string(),
            self.title.clone(),
            self.count.to_string(),
        ]
    }
}

impl CsvRow for DayOfGrowth {
    const HEAD: &'static [&'static str] = &["date", "family", "records"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.date.to_string(),
            self.family.as_str().to_owned(),
            self.records.to_string(),
        ]
    }
}

impl CsvRow for DayOfQuestions {
    const HEAD: &'static [&'static str] = &[
        "date",
        "family",
        "asked",
        "unanswered",
        "others",
        "p50_ms",
        "p95_ms",
        "p99_ms",
    ];

    fn cells(&self) -> Vec<String> {
        let counts = [self.asked, self.unanswered, self.others];
        let mut cells = vec![self.date.to_string(), self.family.as_str().to_owned()];
        cells.extend(counts.map(|count| count.to_string()));
        cells.extend(self.within_ms.map(or_empty));
        cells
    }
}

#[cfg(test)]
mod tests;
