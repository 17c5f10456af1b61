//! The user's log of what servers failed at: when, where, which call, in what way.
//!
//! It holds no text: neither what was asked or shared, nor the server's own words. Source: client
//! protocol, "服务器错误: 记录错误日志".

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
/// How large the file may become before it is set aside; one older file is kept. *Unit*: bytes.
const MAX_BYTES: u64 = 256 << 10;
/// The most characters of a tool's name; the server chose it.
const MAX_NAME_CHARS: usize = 64;
/// The beginning of the client's own messages about an HTTP status.
pub(crate) const STATUS: &str = "HTTP status ";

/// A log of the failures of servers: a line of JSON each.
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
    /// Returns the user's own log, in the platform's folder for states, else for data; none where there
    /// is no such folder.
    pub fn of_user() -> Option<Self> {
        let dirs = directories::ProjectDirs::from("", "", "recall-kit")?;
        let folder = dirs.state_dir().unwrap_or(dirs.data_local_dir());
        Some(Self::at(folder.join(FILE_NAME)))
    }

    /// Returns the log in this file, which is made when something is noted.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { path }
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Counts what is noted.
    pub fn len(&self) -> usize {
        let files = [self.older(), self.path.clone()];
        let texts = files.iter().filter_map(|file| fs::read(file).ok());
        texts
            .map(|text| text.iter().filter(|byte| **byte == b'\n').count())
            .sum()
    }

    /// Says whether nothing is noted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Notes a call that failed at the server or on the way there, but no error that the user can
    /// correct. If the log cannot be written, the call goes on.
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

    /// The file that was set aside.
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

/// Returns the contract's code, the HTTP status and the code of JSON-RPC.
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
