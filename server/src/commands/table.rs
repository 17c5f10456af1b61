//! Tables for the terminal: each column is as wide as its widest cell; wide characters, such as Chinese and
//! Japanese ones, count as two columns.

use jiff::Timestamp;
/// Returns a text on one line with its control characters made visible, since a stranger may have written
/// it and a terminal would obey them.
pub(crate) use recall_kit_sanitizer::visible_line as visible;
use unicode_width::UnicodeWidthStr as _;

/// Returns a table with its head, without trailing spaces.
pub(crate) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let mut lines = vec![head.map(str::to_owned)];
    lines.extend(
        rows.iter()
            .map(|row| row.clone().map(|cell| visible(&cell))),
    );
    let mut widths = [0; N];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.width().max(*width);
        }
    }
    let lines = lines.iter().map(|line| {
        let cells = line.iter().zip(widths);
        let padded =
            cells.map(|(cell, width)| format!("{cell}{:1$}", "", width - cell.width() + 2));
        padded.collect::<String>().trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a time to the minute.
pub(crate) fn moment(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Returns a time to the minute, or `never`.
pub(crate) fn or_never(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "never".to_owned(), moment)
}
