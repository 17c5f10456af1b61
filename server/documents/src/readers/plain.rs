//! Reads plain text: paragraphs, and underlined lines as headings.

use super::writer::Writer;
use crate::document::Document;

/// Reads a file.
pub(super) fn read(text: &str) -> Document {
    let mut writer = Writer::default();
    let mut paragraph = String::new();
    let mut start = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end();
        if line.is_empty() {
            end(&mut writer, start, &mut paragraph);
        } else if let Some(level) = underline(line).filter(|_| is_heading(&paragraph)) {
            if level == 1 {
                writer.title(&paragraph);
            }
            writer.heading(start, level, &paragraph, None);
            paragraph.clear();
        } else {
            if paragraph.is_empty() {
                start = number;
            } else {
                paragraph.push('\n');
            }
            paragraph.push_str(line);
        }
    }
    end(&mut writer, start, &mut paragraph);
    writer.finish()
}

fn end(writer: &mut Writer, line: u32, paragraph: &mut String) {
    // A horizontal rule alone is not text.
    if !paragraph
        .chars()
        .all(|it| it.is_ascii_punctuation() || it.is_whitespace())
    {
        writer.paragraph(line, paragraph);
    }
    paragraph.clear();
}

fn underline(line: &str) -> Option<u8> {
    let consists_of = |mark: char| line.len() >= 3 && line.chars().all(|it| it == mark);
    if consists_of('=') {
        Some(1)
    } else if consists_of('-') || consists_of('~') {
        Some(2)
    } else {
        None
    }
}

fn is_heading(paragraph: &str) -> bool {
    !paragraph.is_empty() && paragraph.len() <= 120 && !paragraph.contains('\n')
}
