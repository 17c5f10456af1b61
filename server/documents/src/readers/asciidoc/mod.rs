//! Reads AsciiDoc: headings, blocks, lists, tables and the usual inline markup.

mod inline;
use self::inline::plain;
use super::writer::Writer;
use crate::document::Document;

/// Reads a file.
pub(super) fn read(text: &str) -> Document {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut reader = Reader {
        lines: &lines,
        at: 0,
        writer: Writer::default(),
        attributes: Vec::new(),
        caption: None,
        anchor: None,
        markers: Vec::new(),
    };
    while reader.at < lines.len() {
        reader.line();
    }
    reader.writer.close_lists(0);
    reader.writer.finish()
}

struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
    writer: Writer,
    /// The attributes in brackets above a block: `source`, `rust`.
    attributes: Vec<&'a str>,
    /// The caption after a dot above a block.
    caption: Option<&'a str>,
    anchor: Option<String>,
    /// The markers of the open lists, outermost first.
    markers: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn current(&self) -> &'a str {
        self.lines.get(self.at).copied().unwrap_or_default()
    }

    fn number(&self) -> u32 {
        u32::try_from(self.at + 1).unwrap_or(u32::MAX)
    }

    fn line(&mut self) {
        let line = self.current();
        if line.is_empty() {
            self.end_lists_unless_they_go_on();
            self.at += 1;
        } else if self.skipped(line) || self.attached(line) {
            self.at += 1;
        } else if let Some((level, text)) = heading(line) {
            self.close_lists();
            let text = plain(text);
            if level == 1 {
                self.writer.title(&text);
            }
            let anchor = self.anchor.take();
            self.writer.heading(self.number(), level, &text, anchor);
            self.at += 1;
            self.forget();
        } else if let Some(fence) = fence(line) {
            self.block(fence);
        } else if line == "|===" {
            self.table();
        } else if let Some((marker, text)) = item(line) {
            self.item(marker, text);
        } else {
            self.paragraph();
        }
    }

    /// Whether a line is only for the processor: a comment, an attribute, a directive, an image.
    fn skipped(&mut self, line: &str) -> bool {
        let attribute = line.starts_with(':')
            && line
                .get(1..)
                .is_some_and(|it| it.contains(':') && !it.starts_with(':'));
        let directive = [
            "include::",
            "ifdef::",
            "ifndef::",
            "endif::",
            "ifeval::",
            "image::",
            "toc::",
        ]
        .iter()
        .any(|it| line.starts_with(it));
        (line.starts_with("//") && line != "////")
            || attribute
            || directive
            || matches!(line, "'''" | "<<<" | "+")
    }

    /// Reads a line that describes the block below it; returns whether it is one.
    fn attached(&mut self, line: &'a str) -> bool {
        if let Some(anchor) = line.strip_prefix("[[").and_then(|it| it.strip_suffix("]]")) {
            self.anchor = Some(anchor.to_owned());
            return true;
        }
        if let Some(inner) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            if let Some(anchor) = inner.strip_prefix('#') {
                self.anchor = Some(anchor.to_owned());
            }
            self.attributes = inner.split(',').map(str::trim).collect();
            return true;
        }
        let caption = line
            .strip_prefix('.')
            .filter(|it| !it.starts_with(['.', ' ']) && !it.is_empty());
        if caption.is_some() {
            self.caption = caption;
        }
        caption.is_some()
    }

    fn forget(&mut self) {
        self.attributes.clear();
        self.caption = None;
    }

    /// Reads a delimited block up to its closing line, or else to the end of the file.
    fn block(&mut self, fence: &str) {
        let start = self.at + 1;
        let kind = fence.chars().next().unwrap_or_default();
        // The text in a box is read like text outside.
        if matches!(kind, '=' | '*' | '_') || fence == "--" {
            if let Some(label) = self.label() {
                self.writer.paragraph(self.number(), &label);
            }
            self.at = start;
            self.forget();
            return;
        }
        let rest = self.lines.get(start..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|it| *it == fence)
            .unwrap_or(rest.len());
        if kind != '/' {
            let text = rest.get(..end).unwrap_or_default().join("\n");
            let source = self
                .attributes
                .first()
                .is_some_and(|it| it.is_empty() || it.starts_with("source"));
            let tagged = self
                .current()
                .strip_prefix("```")
                .filter(|it| !it.is_empty());
            let language = if source {
                self.attributes.get(1).copied()
            } else {
                tagged
            };
            let language = language.or((kind == '.').then_some("text"));
            self.writer
                .code(self.number(), language, &text, self.caption);
        }
        self.at = start + end + 1;
        self.forget();
    }

    /// Returns the label of a box such as `[NOTE]`, or its caption.
    fn label(&self) -> Option<String> {
        let first = self
            .attributes
            .first()
            .filter(|it| matches!(**it, "NOTE" | "TIP" | "WARNING" | "IMPORTANT" | "CAUTION"));
        match (first, self.caption) {
            (Some(kind), Some(caption)) => Some(format!("{kind}: {}", plain(caption))),
            (Some(kind), None) => Some(format!("{kind}:")),
            (None, caption) => caption.map(plain),
        }
    }

    fn table(&mut self) {
        let line = self.number();
        let rest = self.lines.get(self.at + 1..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|it| *it == "|===")
            .unwrap_or(rest.len());
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut cells: Vec<String> = Vec::new();
        let mut width = 0;
        for text in rest.get(..end).unwrap_or_default() {
            if let Some(text) = text.strip_prefix('|') {
                let before = cells.len();
                cells.extend(text.split('|').map(|it| plain(it.trim())));
                // The first line has a cell for each column.
                if width == 0 && cells.len() - before > 1 {
                    width = cells.len() - before;
                }
            } else if text.is_empty() {
                width = width.max(if rows.is_empty() { cells.len() } else { 0 });
            } else if let Some(cell) = cells.last_mut() {
                cell.push(' ');
                cell.push_str(&plain(text));
            }
            if width > 0 && text.is_empty() {
                let rest = cells.split_off(cells.len() - cells.len() % width);
                rows.extend(cells.chunks(width).map(<[String]>::to_vec));
                cells = rest;
            }
        }
        let width = if width > 0 { width } else { cells.len().max(1) };
        rows.extend(cells.chunks(width).map(<[String]>::to_vec));
        if let Some(caption) = self.caption {
            self.writer.paragraph(line, &plain(caption));
        }
        self.writer.table(line, &rows);
        self.at += end + 2;
        self.forget();
    }

    fn item(&mut self, marker: &'a str, text: &str) {
        match self.markers.iter().position(|it| *it == marker) {
            Some(place) => {
                self.markers.truncate(place + 1);
                self.writer.close_lists(place + 1);
            }
            None => {
                self.markers.push(marker);
                self.writer.begin_list(marker.starts_with('.').then_some(1));
            }
        }
        self.writer.begin_item();
        let mut item_text = text.to_owned();
        let line = self.number();
        self.at += 1;
        self.gather(&mut item_text);
        self.writer.paragraph(line, &plain(&item_text));
    }

    fn paragraph(&mut self) {
        let line = self.number();
        let mut text = self.current().to_owned();
        let literal = text.starts_with(' ');
        self.at += 1;
        if literal {
            let language = self.attributes.get(1).copied();
            let mut code = text;
            while !self.current().is_empty() {
                code.push('\n');
                code.push_str(self.current());
                self.at += 1;
            }
            self.writer.code(line, language, &code, self.caption);
        } else {
            self.gather(&mut text);
            if let Some(label) = self.label() {
                self.writer.paragraph(line, &label);
            }
            self.writer
                .paragraph(line, &plain(&text.replace("::\n", ": ")));
        }
        self.forget();
    }

    /// Appends the lines that continue a paragraph.
    fn gather(&mut self, text: &mut String) {
        loop {
            let line = self.current();
            let other = line.is_empty() || line == "+" || line == "|===" || line.starts_with('[');
            if other || fence(line).is_some() || item(line).is_some() || heading(line).is_some() {
                return;
            }
            text.push(' ');
            text.push_str(line.trim());
            self.at += 1;
        }
    }

    fn end_lists_unless_they_go_on(&mut self) {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let next = rest.iter().take(8).find(|it| !it.is_empty());
        if next.is_none_or(|it| item(it).is_none()) {
            self.close_lists();
        }
    }

    fn close_lists(&mut self) {
        self.markers.clear();
        self.writer.close_lists(0);
    }
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let mark = line.chars().next().filter(|it| matches!(it, '=' | '#'))?;
    let text = line.trim_start_matches(mark);
    let level = line.len() - text.len();
    let text = text.strip_prefix(' ').filter(|it| !it.trim().is_empty())?;
    (level <= 6).then_some((u8::try_from(level).ok()?, text.trim()))
}

fn fence(line: &str) -> Option<&str> {
    if line == "--" || line.starts_with("```") {
        return Some(if line == "--" { line } else { "```" }).filter(|_| line.len() < 40);
    }
    let mark = line.chars().next().filter(|it| "-=.*_+/".contains(*it))?;
    (line.len() >= 4 && line.chars().all(|it| it == mark)).then_some(line)
}

fn item(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let (marker, text) = line.split_once(' ')?;
    let all = |mark: char| marker.chars().all(|it| it == mark) && marker.len() <= 6;
    let numbered = marker.strip_suffix('.').is_some_and(|it| {
        !it.is_empty() && it.len() <= 3 && it.bytes().all(|it| it.is_ascii_digit())
    });
    if numbered {
        return Some((".", text));
    }
    (!marker.is_empty() && (all('*') || all('.') || marker == "-")).then_some((marker, text))
}
