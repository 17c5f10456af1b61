//! Reads reStructuredText as used by docutils and Sphinx, without running anything.

mod directives;
mod inline;
mod lists;
mod tables;
use std::borrow::Cow;

use self::inline::plain;
use super::writer::Writer;
use crate::document::Document;

/// Deeper bodies are read as text.
const MAX_DEPTH: usize = 24;

/// A line with its number, without the indentation of its surroundings.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: u32,
    text: &'a str,
}

impl Line<'_> {
    fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }
}

/// Reads a file.
pub(super) fn read(text: &str) -> Document {
    let mut reader = Reader::default();
    let lines: Vec<Line<'_>> = (1..)
        .zip(text.lines())
        .map(|(number, text)| Line {
            number,
            text: text.trim_end(),
        })
        .collect();
    reader.body(&lines);
    reader.writer.finish()
}

#[derive(Default)]
struct Reader {
    writer: Writer,
    /// The adornments of headings in order of first occurrence, which determines their level.
    adornments: Vec<(char, bool)>,
    /// The level of the last heading.
    level: u8,
    /// The number of described objects around the current line.
    objects: u8,
    depth: usize,
    /// The language of blocks that specify none.
    highlight: Option<String>,
    /// The target in front of the next heading.
    anchor: Option<String>,
}

impl Reader {
    /// Reads the lines of a body, without their common indentation.
    fn body(&mut self, lines: &[Line<'_>]) {
        if self.depth >= MAX_DEPTH {
            for line in lines {
                self.writer.paragraph(line.number, &plain(line.text));
            }
            return;
        }
        self.depth += 1;
        let mut rest = lines;
        while let Some(first) = rest.first() {
            let taken = if first.is_empty() {
                1
            } else {
                self.element(first, rest)
            };
            rest = rest.get(taken.max(1)..).unwrap_or_default();
        }
        self.depth -= 1;
    }

    /// Reads the element that begins with the first line; returns how many lines it has.
    fn element(&mut self, first: &Line<'_>, lines: &[Line<'_>]) -> usize {
        if let Some(taken) = self.heading(lines) {
            return taken;
        }
        if first.indent() > 0 {
            let (body, taken) = indented(lines);
            self.body(&body);
            return taken;
        }
        let text = first.text;
        if text == ".." || text.starts_with(".. ") || text.starts_with("__ ") {
            return self.explicit(first, lines);
        }
        if text == "::" {
            return 1 + self.literal(lines.get(1..).unwrap_or_default());
        }
        if text.starts_with(">>> ") {
            let taken = lines.iter().position(Line::is_empty).unwrap_or(lines.len());
            let code = joined(lines.get(..taken).unwrap_or_default());
            self.writer.code(first.number, Some("python"), &code, None);
            return taken;
        }
        if let Some((rows, taken)) = tables::read(lines) {
            self.writer.table(first.number, &rows);
            return taken;
        }
        if let Some(taken) = self.list(lines) {
            return taken;
        }
        self.paragraph(first, lines)
    }

    fn heading(&mut self, lines: &[Line<'_>]) -> Option<usize> {
        let first = lines.first()?;
        let second = lines.get(1)?;
        let (text, mark, overlined) = match adornment(first.text) {
            Some(mark) => {
                let under = lines.get(2)?;
                let matches = adornment(under.text) == Some(mark) && !second.is_empty();
                matches.then_some((second.text.trim(), mark, true))?
            }
            None => {
                let mark = adornment(second.text)?;
                let wide = second.text.chars().count() + 1 >= first.text.chars().count();
                (wide && first.indent() == 0).then_some((first.text, mark, false))?
            }
        };
        let style = (mark, overlined);
        let place = self.adornments.iter().position(|it| *it == style);
        let place = place.unwrap_or_else(|| {
            self.adornments.push(style);
            self.adornments.len() - 1
        });
        self.level = u8::try_from(place + 1).unwrap_or(u8::MAX);
        let text = plain(text).replace('`', "");
        if self.level == 1 {
            self.writer.title(&text);
        }
        let line = first.number + u32::from(overlined);
        let anchor = self.anchor.take();
        self.writer.heading(line, self.level, &text, anchor);
        Some(if overlined { 3 } else { 2 })
    }

    fn paragraph(&mut self, first: &Line<'_>, lines: &[Line<'_>]) -> usize {
        // A line whose next line is indented is a term.
        if lines
            .get(1)
            .is_some_and(|it| !it.is_empty() && it.indent() > 0)
            && !first.text.ends_with("::")
        {
            self.writer.paragraph(first.number, &plain(first.text));
            let (body, taken) = indented(lines.get(1..).unwrap_or_default());
            self.body(&body);
            return taken + 1;
        }
        let taken = lines
            .iter()
            .position(|it| it.is_empty())
            .unwrap_or(lines.len());
        let mut text = joined(lines.get(..taken).unwrap_or_default());
        let literal = text.ends_with("::");
        if literal {
            text.pop();
            let text_end = text.trim_end_matches([':', ' ']).len();
            if text.ends_with(" :") || text_end == 0 {
                text.truncate(text_end);
            }
        }
        // The fields at the beginning of a file are for tools.
        if !(text.starts_with(':') && first.number <= 3) {
            let text = if text.starts_with("| ") {
                text.replace("\n| ", "\n")
            } else {
                text.replace('\n', " ")
            };
            let text = field(text.trim_start_matches("| "));
            self.writer.paragraph(first.number, &plain(&text));
        }
        if literal {
            return taken + self.literal(lines.get(taken..).unwrap_or_default());
        }
        taken
    }

    /// Reads an indented literal block after empty lines; returns the number of lines of both.
    fn literal(&mut self, lines: &[Line<'_>]) -> usize {
        let start = lines.iter().position(|it| !it.is_empty());
        let Some(start) = start else {
            return lines.len();
        };
        let rest = lines.get(start..).unwrap_or_default();
        if rest.first().is_none_or(|it| it.indent() == 0) {
            return 0;
        }
        let (body, taken) = indented(rest);
        let line = body.first().map_or(0, |it| it.number);
        let language = self.highlight.clone();
        self.writer
            .code(line, language.as_deref(), &joined(&body), None);
        start + taken
    }
}

/// Returns the indented lines at the beginning without their common indentation, and their number.
fn indented<'a>(lines: &[Line<'a>]) -> (Vec<Line<'a>>, usize) {
    let end = lines
        .iter()
        .position(|it| !it.is_empty() && it.indent() == 0)
        .unwrap_or(lines.len());
    let body = lines.get(..end).unwrap_or_default();
    let indent = body
        .iter()
        .filter(|it| !it.is_empty())
        .map(Line::indent)
        .min()
        .unwrap_or(0);
    let body = body.iter().map(|it| Line {
        number: it.number,
        text: it.text.get(indent..).unwrap_or_default(),
    });
    (body.collect(), end)
}

/// Rewrites `:param name: text` to `name: text`, and `:returns: text` to `returns: text`.
fn field(text: &str) -> Cow<'_, str> {
    let named = text.strip_prefix(':').and_then(|it| it.split_once(": "));
    match named.filter(|(name, _)| name.len() < 60 && !name.contains(['`', ':'])) {
        Some((name, text)) => {
            let name = name.strip_prefix("param ").unwrap_or(name);
            Cow::Owned(format!("{name}: {text}"))
        }
        None => Cow::Borrowed(text),
    }
}

fn joined(lines: &[Line<'_>]) -> String {
    let texts: Vec<&str> = lines.iter().map(|it| it.text).collect();
    texts.join("\n")
}

/// Returns the punctuation mark that a line consists of.
fn adornment(line: &str) -> Option<char> {
    let mark = line.chars().next()?;
    let is_uniform = line.len() >= 3 && line.chars().all(|it| it == mark);
    (is_uniform && mark.is_ascii_punctuation()).then_some(mark)
}
