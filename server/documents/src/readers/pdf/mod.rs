//! Reads the text of PDF files page by page.
//!
//! A PDF is a kind of program, and its interpreter recurses and allocates as the file specifies: it must run in
//! a `Sandbox`, whose limits stop it.

mod streams;

use pdf_extract::{Document as Pdf, MediaBox, OutputDev, OutputError, Transform};

use super::{ReadError, writer::Writer};
use crate::document::Document;

/// The most text, in bytes; no manual has more.
const MAX_TEXT_BYTES: usize = 32 * 1024 * 1024;

/// Reads a file; a block's line is its page.
///
/// *Errors*: [`ReadError`] if the file is malformed, encrypted or expands to too much.
pub(super) fn read(bytes: &[u8]) -> Result<Document, ReadError> {
    let head = bytes.get(..1024).unwrap_or(bytes);
    if memchr::memmem::find(head, b"%PDF-").is_none() {
        return Err(ReadError::at(
            1,
            "not a PDF file: it does not begin with %PDF-",
        ));
    }
    pages(bytes).map_err(|reason| ReadError::new(format!("the PDF cannot be read: {reason}")))
}

fn pages(bytes: &[u8]) -> Result<Document, String> {
    let pdf = streams::load(bytes)?;
    if pdf.is_encrypted() {
        return Err("it is encrypted; save it without a password".to_owned());
    }
    let mut text = Text::new();
    if let Err(error) = pdf_extract::output_doc(&pdf, &mut text) {
        return Err(match error {
            OutputError::IoError(error) => error.to_string(),
            error => error.to_string(),
        });
    }
    let mut writer = Writer::default();
    if let Some(title) = title(&pdf) {
        writer.title(&title);
    }
    for (page, text) in text.pages {
        for paragraph in text.split("\n\n") {
            writer.paragraph(page, &joined(paragraph));
        }
    }
    Ok(writer.finish())
}

fn title(pdf: &Pdf) -> Option<String> {
    let info = pdf.trailer.get(b"Info").ok()?;
    let info = match info.as_reference() {
        Ok(id) => pdf.get_dictionary(id).ok()?,
        Err(_) => info.as_dict().ok()?,
    };
    let title = pdf_extract::Object::as_str(info.get(b"Title").ok()?).ok()?;
    let title = match title {
        [0xFE, 0xFF, rest @ ..] => {
            let (pairs, _) = rest.as_chunks::<2>();
            let units = pairs.iter().copied().map(u16::from_be_bytes);
            char::decode_utf16(units).filter_map(Result::ok).collect()
        }
        _ => String::from_utf8_lossy(title).into_owned(),
    };
    Some(title)
}

/// Joins a paragraph's lines, and the parts of words that were hyphenated at a line's end.
fn joined(paragraph: &str) -> String {
    let mut out = String::with_capacity(paragraph.len());
    for line in paragraph.lines().map(str::trim) {
        let divided = out.ends_with('-') && line.starts_with(|it: char| it.is_lowercase());
        if divided {
            out.pop();
        } else if !out.is_empty() {
            out.push(' ');
        }
        // A table of contents has dots before its page numbers.
        match line.split_once(" . . . ") {
            Some((name, rest)) => {
                out.push_str(name);
                out.push_str(" … ");
                out.push_str(rest.trim_start_matches([' ', '.']));
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Combines characters into words, lines and paragraphs by their positions.
struct Text {
    pages: Vec<(u32, String)>,
    bytes: usize,
    height: f64,
    /// The end, line and size of the last character.
    last: Option<(f64, f64, f64)>,
    first_of_word: bool,
}

impl Text {
    fn new() -> Self {
        Self {
            pages: Vec::new(),
            bytes: 0,
            height: 0.0,
            last: None,
            first_of_word: false,
        }
    }

    /// *Errors*: there is too much text.
    fn check_size(&self) -> Result<(), OutputError> {
        if self.bytes <= MAX_TEXT_BYTES {
            return Ok(());
        }
        let reason = "it has too much text";
        Err(OutputError::IoError(std::io::Error::other(reason)))
    }
}

impl OutputDev for Text {
    fn begin_page(
        &mut self,
        page: u32,
        media_box: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        self.height = media_box.ury - media_box.lly;
        self.last = None;
        self.pages.push((page, String::new()));
        self.check_size()
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        transform: &Transform,
        width: f64,
        _spacing: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        let (x, y) = (transform.m31, self.height - transform.m32);
        let size = font_size
            * (transform.m11 * transform.m22 - transform.m12 * transform.m21)
                .abs()
                .sqrt();
        let Some((_, page)) = self.pages.last_mut() else {
            return Ok(());
        };
        if let Some((end, line, _)) = self.last.filter(|_| self.first_of_word) {
            if (y - line).abs() > size * 1.9 {
                page.push_str("\n\n");
            } else if (y - line).abs() > size * 0.5 || x < end - size * 2.0 {
                page.push('\n');
            } else if x > end + size * 0.1 {
                page.push(' ');
            }
        }
        page.push_str(text);
        self.bytes += text.len();
        self.first_of_word = false;
        self.last = Some((x + width * size, y, size));
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.first_of_word = true;
        self.check_size()
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
