//! Wraps text to the terminal's width; without a terminal, lines are not wrapped.

#[cfg(test)]
mod tests;

use console::{Term, measure_text_width};

/// The maximum width, because longer lines are hard to read. *Unit*: columns.
const MAX_WIDTH: usize = 100;

/// The width to which text is wrapped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    /// The width in columns; `None` if lines are not wrapped.
    width: Option<usize>,
}

impl Page {
    /// Returns the page for stdout.
    pub(crate) fn of_stdout() -> Self {
        Self::of(&Term::stdout())
    }

    /// Returns the page for stderr.
    pub(crate) fn of_stderr() -> Self {
        Self::of(&Term::stderr())
    }

    fn of(term: &Term) -> Self {
        let columns = term.is_term().then(|| term.size_checked()).flatten();
        Self {
            width: columns.map(|(_, columns)| usize::from(columns).min(MAX_WIDTH)),
        }
    }

    /// Returns a page with this many columns.
    #[cfg(test)]
    pub(crate) fn of_width(columns: usize) -> Self {
        let width = Some(columns);
        Self { width }
    }

    /// Wraps the lines of a text that begins in column `column`. Words that are wider than the page are not
    /// broken; Chinese and Japanese may be broken anywhere.
    pub(crate) fn wrap(self, text: &str, column: usize) -> String {
        let Some(width) = self.width.map(|width| width.saturating_sub(column)) else {
            return text.to_owned();
        };
        let lines: Vec<String> = text.lines().map(|line| wrap_line(line, width)).collect();
        lines.join("\n")
    }
}

fn wrap_line(line: &str, width: usize) -> String {
    let mut wrapped = String::new();
    let mut used = 0;
    for unit in units(line) {
        let unit_width = measure_text_width(unit.trim_end());
        if used > 0 && used + unit_width > width {
            wrapped.truncate(wrapped.trim_end().len());
            wrapped.push('\n');
            used = 0;
        }
        wrapped.push_str(unit);
        used += measure_text_width(unit);
    }
    wrapped
}

/// Splits a line into unbreakable units: a word with the spaces after it, or one wide character.
fn units(line: &str) -> Vec<&str> {
    let mut units = Vec::new();
    let mut start = 0;
    let mut previous: Option<char> = None;
    for (at, c) in line.char_indices() {
        let breaks = previous
            .is_some_and(|before| c != ' ' && (before == ' ' || is_wide(before) || is_wide(c)));
        if breaks {
            units.extend(line.get(start..at));
            start = at;
        }
        previous = Some(c);
    }
    units.extend(line.get(start..));
    units
}

fn is_wide(c: char) -> bool {
    measure_text_width(c.encode_utf8(&mut [0; 4])) > 1
}

/// Indents every line except the first, so that all lines of a text are aligned.
pub(crate) fn indented(text: &str, column: usize) -> String {
    text.trim_end().replace('\n', &format!("\n{:column$}", ""))
}
