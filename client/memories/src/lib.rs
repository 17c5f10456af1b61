//! Reads what other memory programs and agents have stored: a path becomes [`Record`]s.
//!
//! It only reads. Databases are opened read-only, nothing is sent, and nothing is sanitized here: a
//! record stays on this machine until the client has sanitized it. The head of each source's file names
//! the version of the program whose code the format was taken from.

mod basic_memory;
mod claude_mem;
mod cq;
mod database;
mod engram;
mod instructions;
mod json;
mod markdown;
mod mcp_memory_service;
mod mem0;
mod server_memory;
#[cfg(test)]
mod tests;
mod time;
mod words;

use std::{
    fs::{self, FileType},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use recall_kit_shared_types::knowledge::EntryType;

use instructions::Instructions;

/// The maximum size of a file that is read as a whole. *Unit*: bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// One thing that another program remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its id in its source; unique there, and the same in every reading.
    pub id: String,
    /// When it was written, as the source says. ISO 8601.
    pub written_at: Option<String>,
    /// What it is about, in one line.
    pub title: String,
    /// The project it belongs to.
    pub project: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its text.
    pub body: Body,
    /// The ids or titles of records of the same source that it refers to.
    pub related: Vec<String>,
}

/// The text of a record; its form decides what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A fact, a decision, a convention: it becomes an entry of the knowledge base.
    Entry {
        /// What it is.
        kind: EntryType,
        /// Its text, in Markdown.
        content: String,
        /// How certain it is, 0–5, if the source says so.
        confidence: Option<u8>,
    },
    /// A solved problem: it becomes an experience.
    Experience {
        /// What happened.
        problem: String,
        /// Why it happened.
        root_cause: Option<String>,
        /// What solved it.
        solution: String,
        /// Versions, surroundings, code.
        context: Option<String>,
    },
}

impl Record {
    /// Creates an entry without further fields.
    fn entry(id: impl Into<String>, title: &str, kind: EntryType, content: String) -> Self {
        Self {
            id: id.into(),
            written_at: None,
            title: one_line(title),
            project: None,
            tags: Vec::new(),
            body: Body::Entry {
                kind,
                content,
                confidence: None,
            },
            related: Vec::new(),
        }
    }
}

/// A record that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its id, or where it stands.
    pub id: String,
    /// Why it is left out.
    pub reason: String,
}

/// What was read from a place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The records, in the source's order.
    pub records: Vec<Record>,
    /// The records that are left out. Together with [`Reading::records`] these are all there are.
    pub skipped: Vec<Skipped>,
    /// What the reader does not know, such as columns of a newer version.
    pub warnings: Vec<String>,
}

impl Reading {
    fn skip(&mut self, id: impl Into<String>, reason: impl Into<String>) {
        let (id, reason) = (id.into(), reason.into());
        self.skipped.push(Skipped { id, reason });
    }
}

/// Why a place cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        #[source]
        cause: io::Error,
    },
    /// The file is longer than [`MAX_FILE_BYTES`].
    #[error("{} is longer than {} MiB", .0.display(), MAX_FILE_BYTES >> 20)]
    TooLong(PathBuf),
    /// Another program holds the database.
    #[error("{} is locked by another program", .0.display())]
    Locked(PathBuf),
    /// It is not what the source writes, or half of it.
    #[error("{} cannot be read as {source_name}: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The source's name.
        source_name: &'static str,
        /// What is wrong.
        reason: String,
    },
}

impl ReadError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::File { .. } => "check the path, and that you may read it",
            Self::TooLong(_) => "export a part of it, and import that",
            Self::Locked(_) => {
                "close the program that writes to it, or wait until it is done, and try again"
            }
            Self::Format { .. } => {
                "check that the path belongs to this source; a newer version may store it in another form"
            }
        }
    }
}

/// Where known places are looked for.
#[derive(Debug, Clone)]
pub struct Base {
    /// The user's home folder.
    pub home: PathBuf,
    /// The folder of the project, usually the working directory.
    pub project: PathBuf,
    /// Returns an environment variable.
    pub variable: fn(&str) -> Option<String>,
}

impl Base {
    /// Returns the path in an environment variable, else one in the home folder.
    fn named_or(&self, variable: &str, in_home: &str) -> PathBuf {
        match (self.variable)(variable) {
            Some(path) if !path.is_empty() => PathBuf::from(path),
            _ => self.home.join(in_home),
        }
    }

    /// Returns the folder for data of programs.
    fn data_folder(&self) -> PathBuf {
        self.named_or("XDG_DATA_HOME", ".local/share")
    }
}

/// A program or an agent whose memory can be read.
pub trait Source: Sync {
    /// Returns the name on the command line.
    fn name(&self) -> &'static str;

    /// Returns the places where it usually is; they need not exist.
    fn places(&self, base: &Base) -> Vec<PathBuf>;

    /// Reads a place.
    ///
    /// *Errors*: [`ReadError`], if nothing can be read. A single damaged record is skipped.
    fn read(&self, path: &Path) -> Result<Reading, ReadError>;
}

/// Every source, in the order in which `auto` reads them.
pub const SOURCES: [&dyn Source; 11] = [
    &Instructions::ClaudeCode,
    &Instructions::AgentsMd,
    &Instructions::Cursor,
    &Instructions::Copilot,
    &server_memory::ServerMemory,
    &basic_memory::BasicMemory,
    &mcp_memory_service::McpMemoryService,
    &mem0::Mem0,
    &claude_mem::ClaudeMem,
    &cq::Cq,
    &engram::Engram,
];

/// Returns the source of a name.
pub fn source_of(name: &str) -> Option<&'static dyn Source> {
    SOURCES.into_iter().find(|source| source.name() == name)
}

/// Returns the first line that is not blank, without surrounding blanks.
fn one_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    lines
        .find(|line| !line.is_empty())
        .unwrap_or_default()
        .to_owned()
}

/// Reads a text file.
fn read_text(path: &Path, source_name: &'static str) -> Result<String, ReadError> {
    let failed = |cause| {
        let path = path.to_owned();
        ReadError::File { path, cause }
    };
    let format = |reason: &str| ReadError::Format {
        path: path.to_owned(),
        source_name,
        reason: reason.to_owned(),
    };
    // A device has no end, and a pipe would have to be waited for.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format(NOT_REGULAR));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ReadError::TooLong(path.to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| format("it is not UTF-8 text"))?;
    // Editors on Windows add a byte order mark.
    match text.strip_prefix('\u{feff}') {
        Some(text) => Ok(text.to_owned()),
        None => Ok(text),
    }
}

/// Why a pipe or a device is not read.
pub const NOT_REGULAR: &str = "it is no regular file";
/// Why a symbolic link below a folder is not read.
pub const SYMBOLIC_LINK: &str =
    "it is a symbolic link, which is not followed; name its target to read that";
/// Why a link that leads out of a project is not read.
pub const OUTSIDE: &str = "it is a link to a place outside the project";

/// Returns whether a place below a folder is a link that leads out of it. A project may have come from anywhere.
pub fn leads_out(place: &Path, folder: &Path) -> bool {
    place.starts_with(folder)
        && match (place.canonicalize(), folder.canonicalize()) {
            (Ok(place), Ok(folder)) => !place.starts_with(folder),
            _ => true,
        }
}

/// Lists the files below a folder, in the order of their paths. Hidden folders and what `accept` refuses are left out.
/// A folder below it that cannot be read, a symbolic link to a folder, and what would be accepted but is no regular
/// file, are named as skipped.
fn files_below(
    folder: &Path,
    accept: &dyn Fn(&Path) -> bool,
    found: &mut Reading,
) -> Result<Vec<PathBuf>, ReadError> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(below) = folders.pop() {
        let items = match items_of(&below) {
            Ok(items) => items,
            Err(cause) if below == folder => return Err(ReadError::File { path: below, cause }),
            Err(cause) => {
                found.skip(
                    below.display().to_string(),
                    format!("cannot read it: {cause}"),
                );
                continue;
            }
        };
        for (path, kind) in items {
            let name = path.file_name().unwrap_or_default();
            if kind.is_dir() {
                let is_hidden = name.to_string_lossy().starts_with('.');
                if !is_hidden && name != "node_modules" {
                    folders.push(path);
                }
            } else if kind.is_file() && accept(&path) {
                files.push(path);
            } else if accept(&path) || leads_to_folder(&path) {
                let reason = match kind.is_symlink() {
                    true => SYMBOLIC_LINK,
                    false => NOT_REGULAR,
                };
                found.skip(path.display().to_string(), reason);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns whether a path is a symbolic link to a folder, which is not followed: it may lead anywhere, also in a
/// circle.
pub fn leads_to_folder(path: &Path) -> bool {
    path.is_symlink() && path.is_dir()
}

/// Returns what is in a folder.
fn items_of(folder: &Path) -> io::Result<Vec<(PathBuf, FileType)>> {
    let items = fs::read_dir(folder)?;
    let items = items.map(|item| item.and_then(|item| Ok((item.path(), item.file_type()?))));
    items.collect()
}
