//! Resources from the settings: texts, files, and every file below a folder.
//!
//! Only resources named in the settings can be read: an address is looked up, never opened directly, and
//! a file outside the folder, reached through links or `..`, counts as missing.

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use recall_kit_settings::ResourceSettings;

use crate::CatalogueError;

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// The most files that one folder lists.
const MAX_LISTED: usize = 1_000;
/// How many levels of folders are listed.
const MAX_DEPTH: usize = 8;
/// The characters of a path that are percent-encoded in an address.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// Why a resource could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// There is no resource at this address.
    #[error("there is no such resource")]
    NotFound,
    /// It is larger than [`MAX_FILE_BYTES`].
    #[error("the file is larger than {MAX_FILE_BYTES} bytes")]
    TooLarge,
    /// The file could not be read; the system's error goes only to the log.
    #[error("the file could not be read")]
    Read(#[source] std::io::Error),
}

/// What a resource's address refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Text(String),
    File(PathBuf),
    Folder(PathBuf),
}

/// A resource from the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    uri: String,
    name: String,
    description: Option<String>,
    mime_type: Option<String>,
    source: Source,
}

/// A resource as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its address.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it holds.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: String,
    /// Its size in bytes, if known.
    pub size: Option<u64>,
}

/// The template for a folder's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The address with `{+path}` for the path below the folder (RFC 6570).
    pub uri_template: String,
    /// The folder's name.
    pub name: String,
    /// What it holds.
    pub description: Option<String>,
}

/// The content of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The media type.
    pub mime_type: String,
    /// The text, or the bytes of a file that is not UTF-8.
    pub body: Result<String, Vec<u8>>,
}

impl Resource {
    /// Checks the settings of one resource.
    ///
    /// *Errors*: [`CatalogueError::Entry`] for an invalid address, a relative path, or a text that is
    /// missing or not allowed.
    pub fn new(settings: &ResourceSettings) -> Result<Self, CatalogueError> {
        let wrong = |reason: &str| CatalogueError::Entry {
            kind: "resources",
            name: settings.uri.clone(),
            reason: reason.to_owned(),
        };
        let source = match (settings.uri.strip_prefix("file://"), &settings.text) {
            (Some(_), Some(_)) => return Err(wrong("a file has no `text` of its own")),
            (Some(path), None) => {
                let folder = path.ends_with('/');
                let path = decode(path).ok_or_else(|| wrong("the path is not valid text"))?;
                if !path.is_absolute() {
                    return Err(wrong("a file's address is file:///absolute/path"));
                }
                if folder {
                    Source::Folder(path)
                } else {
                    Source::File(path)
                }
            }
            (None, None) => return Err(wrong("give a `text`, or an address file:///path")),
            (None, Some(text)) if is_uri(&settings.uri) => Source::Text(text.clone()),
            (None, Some(_)) => return Err(wrong("an address has a scheme, as in memo://rules")),
        };
        let last = settings.uri.trim_end_matches('/').rsplit('/').next();
        Ok(Self {
            name: settings
                .name
                .clone()
                .unwrap_or_else(|| last.unwrap_or_default().to_owned()),
            uri: settings.uri.clone(),
            description: settings.description.clone(),
            mime_type: settings.mime_type.clone(),
            source,
        })
    }

    /// Returns the address.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the items for lists: the resource itself, or the files of a folder.
    pub fn list(&self) -> Vec<Listed> {
        match &self.source {
            Source::Text(text) => vec![self.listed(Some(text.len() as u64))],
            Source::File(path) => {
                vec![self.listed(std::fs::metadata(path).ok().map(|metadata| metadata.len()))]
            }
            Source::Folder(root) => {
                let mut files = Vec::new();
                walk(root, 0, &mut files);
                files.sort();
                let listed = files.iter().filter_map(|path| self.listed_file(root, path));
                listed.collect()
            }
        }
    }

    fn listed(&self, size: Option<u64>) -> Listed {
        Listed {
            uri: self.uri.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            mime_type: self.mime_type(Path::new(&self.uri)),
            size,
        }
    }

    fn listed_file(&self, root: &Path, path: &Path) -> Option<Listed> {
        let below = path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
        Some(Listed {
            uri: format!("{}{}", self.uri, utf8_percent_encode(&below, ESCAPED)),
            name: below,
            description: self.description.clone(),
            mime_type: self.mime_type(path),
            size: std::fs::metadata(path).ok().map(|metadata| metadata.len()),
        })
    }

    fn mime_type(&self, path: &Path) -> String {
        if let Some(mime_type) = &self.mime_type {
            return mime_type.clone();
        }
        let default = match self.source {
            Source::Text(_) => "text/plain",
            _ => "application/octet-stream",
        };
        let guessed = mime_guess::from_path(path).first_raw();
        guessed.unwrap_or(default).to_owned()
    }

    /// Returns the template of a folder.
    pub fn template(&self) -> Option<Template> {
        matches!(self.source, Source::Folder(_)).then(|| Template {
            uri_template: format!("{}{{+path}}", self.uri),
            name: self.name.clone(),
            description: self.description.clone(),
        })
    }

    /// Finds what an address refers to; `None` if it does not belong to this resource.
    fn locate(&self, uri: &str) -> Option<Place<'_>> {
        match &self.source {
            Source::Text(text) => (uri == self.uri).then_some(Place::Text(text)),
            Source::File(path) => (uri == self.uri).then(|| Place::File(path.clone())),
            Source::Folder(root) => {
                let below = decode(uri.strip_prefix(&self.uri)?)?;
                inside(root, &below).map(Place::File)
            }
        }
    }

    /// Returns whether an address belongs to this resource.
    pub fn has(&self, uri: &str) -> bool {
        self.locate(uri).is_some()
    }

    /// Reads the content at an address; `None` if it does not belong to this resource.
    pub fn read(&self, uri: &str) -> Option<Result<Content, ResourceError>> {
        Some(match self.locate(uri)? {
            Place::Text(text) => Ok(Content {
                mime_type: self.mime_type(Path::new(uri)),
                body: Ok(text.to_owned()),
            }),
            Place::File(path) => read_file(&path).map(|bytes| {
                let body = String::from_utf8(bytes).map_err(|error| error.into_bytes());
                let mime_type = match (self.mime_type(&path), &body) {
                    (guess, Ok(_)) if guess == "application/octet-stream" => {
                        "text/plain".to_owned()
                    }
                    (guess, _) => guess,
                };
                Content { mime_type, body }
            }),
        })
    }

    /// Returns modification time and size of the file at an address, to detect changes.
    pub fn state(&self, uri: &str) -> Option<(SystemTime, u64)> {
        match self.locate(uri)? {
            Place::Text(_) => None,
            Place::File(path) => {
                let metadata = std::fs::metadata(path).ok()?;
                Some((metadata.modified().ok()?, metadata.len()))
            }
        }
    }
}

enum Place<'a> {
    Text(&'a str),
    File(PathBuf),
}

fn is_uri(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

/// Decodes percent-encoding, once.
fn decode(path: &str) -> Option<PathBuf> {
    let path = percent_decode_str(path).decode_utf8().ok()?;
    (!path.contains('\0')).then(|| PathBuf::from(path.as_ref()))
}

/// Returns the real path of a file below a folder; `None` if it is not a file, or if following links
/// leads out of the folder.
fn inside(root: &Path, below: &Path) -> Option<PathBuf> {
    let plain = |part| matches!(part, std::path::Component::Normal(_));
    if below.as_os_str().is_empty() || !below.components().all(plain) || is_hidden(below) {
        return None;
    }
    let real = root.join(below).canonicalize().ok()?;
    let is_below = real.starts_with(root.canonicalize().ok()?);
    // Neither a folder nor a pipe, reading which might never end.
    (is_below && real.is_file()).then_some(real)
}

/// Whether a part of the path starts with a dot: `.git`, `.env` are not offered.
fn is_hidden(path: &Path) -> bool {
    path.components()
        .any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if files.len() >= MAX_LISTED {
            return;
        }
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        // Links can be read by their address, but are not followed here: they may form cycles.
        match entry.file_type() {
            Ok(kind) if kind.is_file() && !hidden => files.push(entry.path()),
            Ok(kind) if kind.is_dir() && !hidden && depth < MAX_DEPTH => {
                walk(&entry.path(), depth + 1, files);
            }
            _ => {}
        }
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, ResourceError> {
    use std::io::{ErrorKind, Read as _};
    let missing = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => ResourceError::NotFound,
        _ => ResourceError::Read(error),
    };
    // Reading a pipe or a device might never end.
    let metadata = std::fs::metadata(path).map_err(missing)?;
    if !metadata.is_file() {
        return Err(ResourceError::NotFound);
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .map_err(missing)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(ResourceError::Read)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ResourceError::TooLarge);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
