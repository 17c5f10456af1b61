//! How a result looks at a terminal: its number and title, a line of facts, and texts in columns.
//!
//! Texts are from others and are made safe to display here.

#[cfg(test)]
mod tests;

use console::{Alignment, pad_str};
use jiff::Timestamp;

use crate::{
    terminal::{
        controls::visible,
        highlight,
        layout::{Page, indented},
        printer::{BOLD, CYAN, DIM, GREEN, YELLOW, styled},
    },
    words::Words,
};

/// The column in which the text of a field begins.
pub(super) const TEXT_COLUMN: usize = 12;
/// The column in which a text without a label begins.
const BODY_COLUMN: usize = 3;
/// The width of the names of fields.
const LABEL_WIDTH: usize = 8;
/// The minimum relevance that is shown in green.
const CLOSE: f64 = 0.5;

/// The language, the page and the time for which results are formatted.
pub(super) struct Layout {
    pub(super) words: Words,
    pub(super) page: Page,
    pub(super) now: Timestamp,
}

impl Layout {
    /// Returns the layout for stdout.
    pub(super) fn of_stdout() -> Self {
        Self {
            words: Words::from_locale(),
            page: Page::of_stdout(),
            now: Timestamp::now(),
        }
    }

    /// Formats the line with the number and the title of a result.
    pub(super) fn heading(&self, rank: usize, title: &str) -> String {
        let rank = styled(CYAN, format!("{rank:>2}"));
        format!("{rank} {}\n", styled(BOLD, visible(title)))
    }

    /// Formats the line of facts: how well a result fits, if that is known, and the rest, each made safe here.
    pub(super) fn facts(&self, relevance: Option<f64>, facts: &[String]) -> String {
        let facts = facts.iter().map(|fact| visible(fact));
        let facts: Vec<String> = facts.filter(|fact| !fact.is_empty()).collect();
        let facts = facts.join(" · ");
        match relevance {
            Some(relevance) => {
                let style = if relevance >= CLOSE { GREEN } else { YELLOW };
                let closeness = self.words.results.closeness(relevance);
                let relevance = styled(style, format!("{relevance:.2} {closeness}"));
                format!("   {relevance}{}\n", styled(DIM, format!(" · {facts}")))
            }
            None => format!("   {}\n", styled(DIM, facts)),
        }
    }

    /// Returns how long ago a time was; its date, if it is not a time.
    pub(super) fn age(&self, time: &str) -> String {
        match time.parse() {
            Ok(time) => self.words.results.ages.between(time, self.now),
            Err(_) => time.get(..10).unwrap_or_default().to_owned(),
        }
    }

    /// Formats a field: its name in one column, its text in another.
    pub(super) fn field(&self, label: &str, text: &str) -> String {
        let text = self.page.wrap(&visible(text), TEXT_COLUMN);
        let text = indented(&text, TEXT_COLUMN);
        let label = styled(DIM, pad_str(label, LABEL_WIDTH, Alignment::Left, None));
        format!("   {label} {text}\n")
    }

    /// Formats a text without a label.
    pub(super) fn text(&self, text: &str) -> String {
        let text = self.page.wrap(&visible(text), BODY_COLUMN);
        format!("   {}\n", indented(&text, BODY_COLUMN))
    }

    /// Formats code from this column on.
    pub(super) fn code(&self, code: &str, column: usize) -> String {
        let bar = styled(DIM, "│");
        let code = visible(code);
        let lines = highlight::lines(&code).into_iter();
        lines
            .map(|line| format!("{:column$}{bar} {line}\n", ""))
            .collect()
    }

    /// Formats Markdown: headings are bold, code in fences is coloured, everything else is shown as it is written.
    pub(super) fn markdown(&self, text: &str) -> String {
        let mut formatted = String::new();
        let mut code: Option<(String, String)> = None;
        for line in text.trim().lines() {
            let fence = line.trim_start();
            match &mut code {
                Some((opened, block)) => {
                    if fence.trim_end() == opened {
                        formatted.push_str(&self.code(block, BODY_COLUMN));
                        code = None;
                    } else {
                        block.push_str(line);
                        block.push('\n');
                    }
                }
                None if fence.starts_with("```") => {
                    let ticks = fence.chars().take_while(|c| *c == '`').collect();
                    code = Some((ticks, String::new()));
                }
                None if line.trim().is_empty() => formatted.push('\n'),
                None if line.starts_with('#') => {
                    let heading = line.trim_start_matches('#').trim();
                    formatted.push_str(&format!("   {}\n", styled(BOLD, visible(heading))));
                }
                None => formatted.push_str(&self.text(line)),
            }
        }
        // The end of a text that is cut may lack the end of its code.
        if let Some((_, block)) = code {
            formatted.push_str(&self.code(&block, BODY_COLUMN));
        }
        formatted
    }
}
