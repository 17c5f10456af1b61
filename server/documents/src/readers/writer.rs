//! Builds a document block by block, with the markers and indentation of lists.

use crate::document::{Block, BlockKind, Document};

/// Deeper lists are written at this depth, so that the indentation stays short.
const MAX_INDENT: usize = 8;
/// Longer language names are dropped; `{.python .numberLines startFrom="1"}` has forty.
pub(super) const MAX_LANGUAGE_BYTES: usize = 256;

/// Collects blocks; all readers use it.
#[derive(Default)]
pub(super) struct Writer {
    document: Document,
    /// The current list: its first line and its text so far.
    list: Option<(u32, String)>,
    levels: Vec<Level>,
}

/// An open list.
struct Level {
    /// The number of the next item in a numbered list.
    number: Option<u64>,
    /// The marker of an item that has no text yet.
    marker: Option<String>,
}

impl Writer {
    /// Returns the document.
    pub(super) fn finish(mut self) -> Document {
        self.flush();
        self.document
    }

    /// Appends the contents of another writer, all with one line number.
    pub(super) fn append(&mut self, other: Writer, line: u32) {
        let other = other.finish();
        if let Some(title) = &other.title {
            self.title(title);
        }
        for block in other.blocks {
            self.push(line, block.kind);
        }
    }

    /// Appends the contents of another writer, with its headings below `level` and without its title.
    pub(super) fn append_below(&mut self, other: Writer, line: u32, level: u8) {
        for mut block in other.finish().blocks {
            if let BlockKind::Heading { level: own, .. } = &mut block.kind {
                *own = own.saturating_add(level);
            }
            self.push(line, block.kind);
        }
    }

    /// Sets the document's title, unless it has one.
    pub(super) fn title(&mut self, title: &str) {
        let title = title.trim();
        if self.document.title.is_none() && !title.is_empty() {
            self.document.title = Some(one_line(title));
        }
    }

    /// Adds a heading; an empty one is ignored.
    pub(super) fn heading(&mut self, line: u32, level: u8, text: &str, anchor: Option<String>) {
        let text = one_line(text);
        if text.is_empty() {
            return;
        }
        self.push(
            line,
            BlockKind::Heading {
                level: level.max(1),
                text,
                anchor,
            },
        );
    }

    /// Adds an example; an empty one is ignored.
    pub(super) fn code(
        &mut self,
        line: u32,
        language: Option<&str>,
        text: &str,
        caption: Option<&str>,
    ) {
        let text = text.trim_end();
        let text = text.trim_start_matches(['\n', '\r']);
        if text.trim().is_empty() {
            return;
        }
        let non_empty = |it: &str| Some(it.trim().to_owned()).filter(|it| !it.is_empty());
        // A long name must not be repeated in every block of a file.
        let language = language.filter(|it| it.len() <= MAX_LANGUAGE_BYTES);
        self.push(
            line,
            BlockKind::Code {
                language: language.and_then(non_empty),
                text: dedented(text),
                caption: caption.and_then(non_empty),
            },
        );
    }

    /// Adds a table.
    pub(super) fn table(&mut self, line: u32, rows: &[Vec<String>]) {
        if let Some(table) = markdown_table(rows) {
            self.push(line, BlockKind::Table(table));
        }
    }

    /// Adds a paragraph, inside the current list item if a list is open.
    pub(super) fn paragraph(&mut self, line: u32, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.levels.is_empty() {
            self.push(line, BlockKind::Text(text.to_owned()));
            return;
        }
        let depth = self.levels.len().min(MAX_INDENT);
        let marker = self
            .levels
            .iter_mut()
            .filter_map(|it| it.marker.take())
            .last();
        let (_, out) = self.list.get_or_insert_with(|| (line, String::new()));
        let mut lead = marker.as_deref();
        for text in text.lines() {
            if !out.is_empty() {
                out.push('\n');
            }
            let indent = if lead.is_some() { depth - 1 } else { depth };
            out.extend(std::iter::repeat_n("  ", indent));
            out.push_str(lead.take().unwrap_or_default());
            out.push_str(text.trim());
        }
    }

    /// Opens a list, inside the current one if there is one.
    pub(super) fn begin_list(&mut self, first_number: Option<u64>) {
        if self.levels.is_empty() {
            self.flush();
        }
        self.levels.push(Level {
            number: first_number,
            marker: None,
        });
    }

    /// Begins the next item of the current list.
    pub(super) fn begin_item(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        level.marker = Some(match &mut level.number {
            Some(number) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            None => "- ".to_owned(),
        });
    }

    /// Closes the current list.
    pub(super) fn end_list(&mut self) {
        self.levels.pop();
        if self.levels.is_empty() {
            self.flush();
        }
    }

    /// Returns the number of open lists.
    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Closes lists until `depth` are open: a list whose markup is not closed ends with its parent.
    pub(super) fn close_lists(&mut self, depth: usize) {
        while self.levels.len() > depth {
            self.end_list();
        }
    }

    fn push(&mut self, line: u32, kind: BlockKind) {
        self.flush();
        self.document.blocks.push(Block { line, kind });
    }

    fn flush(&mut self) {
        if let Some((line, text)) = self.list.take() {
            self.document.blocks.push(Block {
                line,
                kind: BlockKind::Text(text),
            });
        }
    }
}

/// Returns code without the indentation that all its lines have.
fn dedented(text: &str) -> String {
    let indent = text
        .lines()
        .filter(|it| !it.trim().is_empty())
        .map(|it| it.len() - it.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    let lines = text.lines().map(|it| it.get(indent..).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a text on one line, in which runs of white space become single spaces.
pub(super) fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The most columns of a table: a malicious row must not make its size quadratic.
const MAX_COLUMNS: usize = 64;

/// Formats rows, the first of which is the header, as a Markdown table; `None` if there is no text in them.
pub(super) fn markdown_table(rows: &[Vec<String>]) -> Option<String> {
    let width = rows.iter().map(Vec::len).max()?.min(MAX_COLUMNS);
    if width == 0 || rows.iter().flatten().all(|it| it.trim().is_empty()) {
        return None;
    }
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        out.push('|');
        // Empty cells at the end of a row are left out, which Markdown allows.
        let cells = if at == 0 { width } else { row.len().min(width) };
        for cell in 0..cells {
            out.push(' ');
            let cell = row.get(cell).map_or("", String::as_str);
            out.push_str(&one_line(cell).replace('|', "\\|"));
            out.push_str(" |");
        }
        out.push('\n');
        if at == 0 {
            out.push('|');
            out.extend(std::iter::repeat_n(" --- |", width));
            out.push('\n');
        }
    }
    out.pop();
    Some(out)
}
