//! The user's log of server failures: time, server, call and kind of error.
//!
//! It contains no text: neither queries and submissions, nor the server's messages.

#[cfg(test)]
mod tests;

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use recall_kit_shared_types::ErrorCode;
use serde::Serialize;

use crate::{Error, ServerUrl, config::make_folder};

const FILE_NAME: &str = "errors.log";
/// The size at which the file is rotated; one older file is kept. *Unit*: bytes.
const MAX_BYTES: u64 = 256 << 10;
/// The maximum number of characters of a tool's name, which the server chooses.
const MAX_NAME_CHARS: usize = 64;
/// The prefix of the client's own messages about an HTTP status.
pub(crate) const STATUS: &str = "HTTP status ";

/// A log of server failures, with one line of JSON for each.
#[derive(Debug, Clone)]
pub struct ErrorLog {
    path: PathBuf,
}

#[derive(Serialize)]
struct Entry<'a> {
    time: jiff::Timestamp,
    server: String,
    call: String,
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<ErrorCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rpc_code: Option<i32>,
    tries: u32,
}

impl ErrorLog {
    /// Returns the user's own log, in the platform's state folder, else in its data folder; `None` if
    /// there is no such folder.
    pub fn of_user() -> Option<Self> {
        let dirs = directories::ProjectDirs::from("", "", "recall-kit")?;
        let folder = dirs.state_dir().unwrap_or(dirs.data_local_dir());
        Some(Self::at(folder.join(FILE_NAME)))
    }

    /// Returns the log in this file, which is created with the first entry.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { path }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        let files = [self.older(), self.path.clone()];
        let texts = files.iter().filter_map(|file| fs::read(file).ok());
        texts
            .map(|text| text.iter().filter(|byte| **byte == b'\n').count())
            .sum()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records a call that failed at the server or on the way there. Errors that the user can correct are
    /// not recorded. A log that cannot be written does not fail the call.
    pub(crate) fn note(&self, call: &str, server: &ServerUrl, error: &Error) {
        let Some(kind) = kind_of(error) else { return };
        let (code, status, rpc_code) = details_of(error);
        let entry = Entry {
            time: jiff::Timestamp::now(),
            server: server.to_string(),
            call: call.chars().take(MAX_NAME_CHARS).collect(),
            error: kind,
            code,
            status,
            rpc_code,
            tries: error.attempts(),
        };
        if let Err(error) = self.append(&entry) {
            let path = self.path.display();
            tracing::warn!(%error, %path, "the error log cannot be written");
        }
    }

    fn append(&self, entry: &Entry<'_>) -> io::Result<()> {
        let line = serde_json::to_string(entry)? + "\n";
        make_folder(self.path.parent().unwrap_or(Path::new("")))?;
        let size = fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        if size + line.len() as u64 > MAX_BYTES {
            fs::rename(&self.path, self.older())?;
        }
        let mut options = fs::OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&self.path)?.write_all(line.as_bytes())
    }

    /// The path of the rotated file.
    fn older(&self) -> PathBuf {
        self.path.with_extension("log.1")
    }
}

fn kind_of(error: &Error) -> Option<&'static str> {
    match error {
        Error::Server(_) => Some("server"),
        Error::Network { .. } => Some("network"),
        Error::Timeout { .. } => Some("timeout"),
        Error::Denied { .. } => Some("denied"),
        Error::Rejected { .. } => Some("rejected"),
        Error::Protocol { .. } => Some("protocol"),
        Error::Answer { .. } => Some("answer"),
        _ => None,
    }
}

/// Returns the contract's error code, the HTTP status and the JSON-RPC code.
fn details_of(error: &Error) -> (Option<ErrorCode>, Option<u16>, Option<i32>) {
    match error {
        Error::Server(body) => {
            let status = body.message.strip_prefix(STATUS);
            let status = status.and_then(|status| status.parse().ok());
            (Some(body.code), status, None)
        }
        Error::Rejected { status, .. } => (None, Some(*status), None),
        Error::Protocol { code, .. } => (None, None, Some(*code)),
        _ => (None, None, None),
    }
}
