//! Reads the text of PDF files page by page, within a time limit.
//!
//! A PDF is a program of sorts: the reading runs on a thread of its own, with room for deep
//! structures, and stops between two words when its time is over.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use pdf_extract::{Document as Pdf, MediaBox, OutputDev, OutputError, Transform};

use super::{ReadError, writer::Writer};
use crate::documents::document::Document;

/// How long one file may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Stack of the reading thread: structures nest as deep as a file says.
const STACK_BYTES: usize = 256 * 1024 * 1024;
/// More text than any manual has.
const MAX_TEXT_BYTES: usize = 32 * 1024 * 1024;
/// Deeper arrays and dictionaries are refused before the parser sees them.
const MAX_NESTING: usize = 256;

/// Reads a file; a block's line is its page.
///
/// *Errors*: [`ReadError`] for a file that is broken, encrypted or takes too long.
pub(super) fn read(bytes: &[u8]) -> Result<Document, ReadError> {
    if !bytes
        .get(..1024)
        .unwrap_or(bytes)
        .windows(5)
        .any(|it| it == b"%PDF-")
    {
        return Err(ReadError::at(
            1,
            "not a PDF file: it does not begin with %PDF-",
        ));
    }
    if nesting(bytes) > MAX_NESTING {
        return Err(ReadError::new("the PDF nests its objects too deeply"));
    }
    let bytes = bytes.to_vec();
    let (send, receive) = mpsc::sync_channel(1);
    let reading = thread::Builder::new()
        .name("pdf".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let read = panic::catch_unwind(AssertUnwindSafe(|| pages(&bytes)));
            let _ = send.send(read.unwrap_or_else(|_| Err("it is broken".to_owned())));
        });
    if reading.is_err() {
        return Err(ReadError::new("no thread could be started to read the PDF"));
    }
    // Twice the time: what does not watch its time is left behind.
    match receive.recv_timeout(TIMEOUT * 2) {
        Ok(Ok(document)) => Ok(document),
        Ok(Err(reason)) => Err(ReadError::new(format!("the PDF cannot be read: {reason}"))),
        Err(_) => Err(ReadError::new("the PDF cannot be read: it takes too long")),
    }
}

fn pages(bytes: &[u8]) -> Result<Document, String> {
    let pdf = Pdf::load_mem(bytes).map_err(|it| it.to_string())?;
    if pdf.is_encrypted() {
        return Err("it is encrypted; save it without a password".to_owned());
    }
    let mut text = Text::new();
    if let Err(error) = pdf_extract::output_doc(&pdf, &mut text) {
        return Err(text.stopped.unwrap_or_else(|| error.to_string()));
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

/// A paragraph's lines as one, words put together that were divided at a line's end.
fn joined(paragraph: &str) -> String {
    let mut out = String::with_capacity(paragraph.len());
    for line in paragraph.lines().map(str::trim) {
        let divided = out.ends_with('-') && line.starts_with(|it: char| it.is_lowercase());
        if divided {
            out.pop();
        } else if !out.is_empty() {
            out.push(' ');
        }
        // A table of contents leads to its page numbers with dots.
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

/// Puts characters together to words, lines and paragraphs by where they stand.
struct Text {
    deadline: Instant,
    pages: Vec<(u32, String)>,
    bytes: usize,
    height: f64,
    /// Where the last character ended and how large it was.
    last: Option<(f64, f64, f64)>,
    first_of_word: bool,
    stopped: Option<String>,
}

impl Text {
    fn new() -> Self {
        Self {
            deadline: Instant::now() + TIMEOUT,
            pages: Vec::new(),
            bytes: 0,
            height: 0.0,
            last: None,
            first_of_word: false,
            stopped: None,
        }
    }

    fn go_on(&mut self) -> Result<(), OutputError> {
        let reason = if Instant::now() > self.deadline {
            "it takes too long"
        } else if self.bytes > MAX_TEXT_BYTES {
            "it has too much text"
        } else {
            return Ok(());
        };
        self.stopped = Some(reason.to_owned());
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
        self.go_on()
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
        self.go_on()
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// How deep brackets nest, looking at the file's bytes alone; a bound, not a parse.
fn nesting(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for run in bytes.split(|it| *it == b'\n' || *it == b'\r') {
        // Compressed streams are noise: only printable runs are structure.
        if run.iter().any(|it| *it >= 0x80) {
            depth = 0;
            continue;
        }
        for byte in run {
            match byte {
                b'[' | b'<' | b'(' => depth += 1,
                b']' | b'>' | b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
    }
    deepest
}
