//! Reads a file of any known format into a [`Document`].

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

/// Larger files are rejected: no documentation page is this long.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Larger files of any format are read by a `Sandbox`, because the result of reading may be many times as large.
const LARGE_BYTES: usize = 2 * 1024 * 1024;

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// It was read.
    Document(Document),
    /// It is valid but has nothing to read.
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

/// Why a valid file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Skip {
    /// No reader knows the format.
    #[error("not a documentation format")]
    Format,
    /// JSON or YAML that is not documentation.
    #[error("neither an OpenAPI description, rustdoc JSON nor a notebook")]
    Data,
    /// It contains no text.
    #[error("nothing to read in it")]
    Empty,
    /// It redirects to another page.
    #[error("only redirects to another page")]
    Redirect,
    /// A search or settings page.
    #[error("a search or settings page")]
    Search,
    /// A list of names with links to other pages.
    #[error("only an index of other pages")]
    Index,
    /// A page for missing pages.
    #[error("a page for missing pages")]
    NotFound,
    /// A page of source code.
    #[error("a listing of source code")]
    SourceListing,
    /// A page that contains all other pages.
    #[error("a print version of the other pages")]
    Duplicate,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadError {
    /// The line of the error, from 1, if it is known.
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

/// The formats, recognized by file names.
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

/// Whether a path has the name of a readable format; other files need not be loaded.
#[must_use]
pub fn is_readable(path: &str) -> bool {
    format(path).is_some()
}

/// Whether a file must be read by a [`Sandbox`](super::sandbox::Sandbox), because a malicious one could exhaust
/// memory, stack or time: PDF, whose third-party parser interprets programs; notebooks and API descriptions,
/// whose parsed form and references multiply the contents; and all large files.
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

/// Reads a file; its format follows from its path, which is `/`-separated and relative to its source. Invisible
/// characters are removed, because they can contain text that only models read. Navigation is removed, too.
///
/// This runs in the current process: files for which [`needs_sandbox`] returns `true` must be read by a
/// [`Sandbox`](super::sandbox::Sandbox).
///
/// *Errors*: [`ReadError`] if the file is malformed, too large or not text.
pub fn read(path: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
    let document = match read_bytes(path, bytes)? {
        Reading::Document(document) => document,
        skipped => return Ok(skipped),
    };
    let pruned = match format(path) {
        // In these formats links are content.
        Some(Format::Llms | Format::Json | Format::Yaml) => Ok(navigation::unmarked(document)),
        _ => navigation::pruned(document),
    };
    Ok(match pruned {
        Ok(mut document) => {
            document.remove_invisible();
            unless_empty(document)
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
            "the file has {size} MB, more than the limit of 10 MB"
        )));
    }
    if format == Format::Pdf {
        return pdf::read(bytes).map(unless_empty);
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

/// Decodes a file's bytes.
///
/// *Errors*: [`ReadError`] if they are binary.
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
        Format::Markdown => Ok(unless_empty(markdown::read(text))),
        Format::Mdx => Ok(unless_empty(markdown::read_mdx(text))),
        Format::Rst => Ok(unless_empty(rst::read(text))),
        Format::Html => Ok(html::read(path, text)),
        Format::AsciiDoc => Ok(unless_empty(asciidoc::read(text))),
        Format::Plain | Format::Pdf => Ok(unless_empty(plain::read(text))),
        Format::Llms => Ok(unless_empty(llms::read(text))),
        Format::Notebook => notebook::read(text).map(unless_empty),
        Format::Json => json(text),
        Format::Yaml if openapi::may_be(text) => openapi::read_yaml(text).map(unless_empty),
        Format::Yaml => Ok(Reading::Skipped(Skip::Data)),
    }
}

fn json(text: &str) -> Result<Reading, ReadError> {
    if rustdoc::may_be(text) {
        rustdoc::read(text).map(unless_empty)
    } else if openapi::may_be(text) {
        openapi::read_json(text).map(unless_empty)
    } else {
        Ok(Reading::Skipped(Skip::Data))
    }
}

fn unless_empty(document: Document) -> Reading {
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
