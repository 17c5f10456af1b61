//! Reads a file of any format we know into a [`Document`].

mod asciidoc;
mod html;
mod key_lines;
mod lines;
mod llms;
mod markdown;
mod navigation;
mod notebook;
mod openapi;
mod pdf;
mod plain;
mod rst;
mod rustdoc;
mod writer;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    decode::{self, Text},
    document::Document,
};
use crate::readers::navigation::{links, redirect};

/// Larger files are refused: no documentation page is this long.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Files of any format that are larger are read by a `Sandbox`: what a reader builds of them may be
/// many times as large.
const LARGE_BYTES: usize = 2 * 1024 * 1024;

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// It was read.
    Document(Document),
    /// It is fine and holds nothing to read.
    Skipped(Skip),
}

impl Reading {
    fn noted(mut self, note: Option<String>) -> Self {
        if let Self::Document(document) = &mut self {
            document.note = note;
        }
        self
    }
}

/// Why a file that is not broken was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Skip {
    /// No reader knows the format.
    #[error("not a documentation format")]
    Format,
    /// JSON or YAML of another kind.
    #[error("neither an OpenAPI description, rustdoc JSON nor a notebook")]
    Data,
    /// There is no text in it.
    #[error("nothing to read in it")]
    Empty,
    /// It sends the reader to another page.
    #[error("only leads to another page")]
    Redirect,
    /// A search or settings page.
    #[error("a page for searching or settings")]
    Search,
    /// A list of names that lead to other pages.
    #[error("only an index of other pages")]
    Index,
    /// A page for missing pages.
    #[error("a page for missing pages")]
    NotFound,
    /// Source code shown as a page.
    #[error("a listing of source code")]
    SourceListing,
    /// All pages once more.
    #[error("repeats the other pages for printing")]
    Duplicate,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadError {
    /// The line it shows at, from 1, where there is one.
    pub line: Option<u32>,
    /// What is wrong, without a full stop.
    pub message: String,
}

impl ReadError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            line: None,
            message: message.into(),
        }
    }

    pub(crate) fn at(line: usize, message: impl Into<String>) -> Self {
        Self {
            line: u32::try_from(line).ok().filter(|it| *it > 0),
            message: message.into(),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "line {line}: {}", self.message),
            None => out.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// The formats, by what their files are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Markdown,
    Mdx,
    Rst,
    Html,
    AsciiDoc,
    Plain,
    Llms,
    Notebook,
    Json,
    Yaml,
    Pdf,
}

/// Whether a path's name is one of a format that can be read, so that others need not be loaded.
#[must_use]
pub fn is_readable(path: &str) -> bool {
    format(path).is_some()
}

/// Whether a file must be read by a [`Sandbox`](super::sandbox::Sandbox), because a hostile one could
/// exhaust memory, stack or time: PDF, whose third-party parser interprets programs; notebooks and
/// descriptions of APIs, whose parsed form and whose references multiply what a file holds; and
/// everything that is large.
#[must_use]
pub fn needs_sandbox(path: &str, bytes: &[u8]) -> bool {
    let Some(format) = format(path).filter(|_| bytes.len() <= MAX_BYTES) else {
        return false;
    };
    match format {
        Format::Pdf | Format::Notebook => true,
        _ if bytes.len() > LARGE_BYTES => true,
        Format::Json | Format::Yaml => text(bytes, format)
            .is_ok_and(|decoded| openapi::may_be(&decoded.text) || rustdoc::may_be(&decoded.text)),
        _ => false,
    }
}

/// Reads a file; its format follows from its path, `/`-separated and relative to its source.
/// Invisible characters are left out: they can carry text that only models read. So is what only leads
/// elsewhere: navigation.
///
/// It runs in this process: files that [`needs_sandbox`] names belong to a
/// [`Sandbox`](super::sandbox::Sandbox).
///
/// *Errors*: [`ReadError`] for a file that is broken, too large or no text.
pub fn read(path: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
    let document = match read_bytes(path, bytes)? {
        Reading::Document(document) => document,
        skipped => return Ok(skipped),
    };
    let pruned = match format(path) {
        // Here the links are the point.
        Some(Format::Llms | Format::Json | Format::Yaml) => Ok(navigation::unmarked(document)),
        _ => navigation::pruned(document),
    };
    Ok(match pruned {
        Ok(mut document) => {
            document.remove_invisible();
            kept(document)
        }
        Err(skip) => Reading::Skipped(skip),
    })
}

fn read_bytes(path: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
    let Some(format) = format(path) else {
        return Ok(Reading::Skipped(Skip::Format));
    };
    if bytes.len() > MAX_BYTES {
        let size = bytes.len() / (1024 * 1024);
        return Err(ReadError::new(format!(
            "the file has {size} MB, more than the 10 MB that are read"
        )));
    }
    if format == Format::Pdf {
        return pdf::read(bytes).map(kept);
    }
    let decoded = text(bytes, format)?;
    let note = Some(decoded.to_string()).filter(|note| !note.is_empty());
    let text = links::unmarked(&decoded.text);
    let reading = read_text(path, format, &text)?;
    let skip = match &reading {
        Reading::Document(document) => redirect::skip(format, &text, document),
        Reading::Skipped(_) => None,
    };
    Ok(skip.map_or_else(|| reading.noted(note), Reading::Skipped))
}

/// Makes text of a file's bytes.
///
/// *Errors*: [`ReadError`] for what is binary.
fn text(bytes: &[u8], format: Format) -> Result<Text, ReadError> {
    if !decode::is_utf16(bytes)
        && let Some(at) = memchr::memchr(0, bytes)
    {
        let before = bytes.get(..at).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        return Err(ReadError::at(
            line,
            "a zero byte: this is a binary file, not text",
        ));
    }
    Ok(match format {
        Format::Html => decode::decode_page(bytes),
        _ => decode::decode(bytes),
    })
}

fn read_text(path: &str, format: Format, text: &str) -> Result<Reading, ReadError> {
    match format {
        Format::Markdown => Ok(kept(markdown::read(text))),
        Format::Mdx => Ok(kept(markdown::read_mdx(text))),
        Format::Rst => Ok(kept(rst::read(text))),
        Format::Html => Ok(html::read(path, text)),
        Format::AsciiDoc => Ok(kept(asciidoc::read(text))),
        Format::Plain | Format::Pdf => Ok(kept(plain::read(text))),
        Format::Llms => Ok(kept(llms::read(text))),
        Format::Notebook => notebook::read(text).map(kept),
        Format::Json => json(text),
        Format::Yaml if openapi::may_be(text) => openapi::read_yaml(text).map(kept),
        Format::Yaml => Ok(Reading::Skipped(Skip::Data)),
    }
}

fn json(text: &str) -> Result<Reading, ReadError> {
    if rustdoc::may_be(text) {
        rustdoc::read(text).map(kept)
    } else if openapi::may_be(text) {
        openapi::read_json(text).map(kept)
    } else {
        Ok(Reading::Skipped(Skip::Data))
    }
}

fn kept(document: Document) -> Reading {
    if document.blocks.is_empty() {
        Reading::Skipped(Skip::Empty)
    } else {
        Reading::Document(document)
    }
}

fn format(path: &str) -> Option<Format> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    match name.as_str() {
        "llms.txt" | "llms-full.txt" => return Some(Format::Llms),
        "readme" | "install" | "usage" | "tutorial" => return Some(Format::Plain),
        "cmakelists.txt" | "robots.txt" | "humans.txt" => return None,
        _ if name.starts_with("requirements") && name.ends_with(".txt") => return None,
        _ => {}
    }
    let (stem, extension) = name.rsplit_once('.')?;
    match extension {
        "md" | "markdown" | "mdown" | "mkd" | "qmd" => Some(Format::Markdown),
        "mdx" => Some(Format::Mdx),
        "rst" | "rest" => Some(Format::Rst),
        "txt" if stem.ends_with(".rst") => Some(Format::Rst),
        "txt" if stem.ends_with(".md") => Some(Format::Markdown),
        "txt" | "text" => Some(Format::Plain),
        "html" | "htm" | "xhtml" => Some(Format::Html),
        "adoc" | "asciidoc" => Some(Format::AsciiDoc),
        "ipynb" => Some(Format::Notebook),
        "json" => Some(Format::Json),
        "yaml" | "yml" => Some(Format::Yaml),
        "pdf" => Some(Format::Pdf),
        _ => None,
    }
}
