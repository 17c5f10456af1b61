//! Rows in columns, each as wide as its longest cell; Chinese and Japanese count double.

use jiff::Timestamp;
/// A text on one line: strangers may have written it, and a terminal obeys what it reads.
pub(crate) use recall_kit_sanitizer::visible_line as visible;
use unicode_width::UnicodeWidthStr as _;

/// Lays a table out, with its head; nothing stands to the right of the last cell.
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

/// A time to the minute.
pub(crate) fn moment(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// A time to the minute, or that there is none.
pub(crate) fn or_never(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "never".to_owned(), moment)
}
