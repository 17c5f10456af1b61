//! The file of one experience or outcome in the outbox: its name, its JSON, and how it is written atomically.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use recall_kit_applicability::Claims;
use recall_kit_shared_types::{
    SubmitExperienceRequest,
    applicability::{Applies, Environment},
    outcomes::{Evidence, ReportOutcomeRequest},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Content, Kept, MAX_KEPT_BYTES, OutboxError};
use crate::{Confirmed, PreparedOutcome, submit::applies};

const SUFFIX: &str = ".experience";
/// The same of an outcome that a hook observed.
const OBSERVED_SUFFIX: &str = ".observed";
/// The maximum size of a file. Besides the experience it contains the error, and encryption adds to it.
const MAX_FILE_BYTES: u64 = 2 * MAX_KEPT_BYTES as u64;
/// The maximum length of an error that is written. *Unit*: characters.
const MAX_ERROR_CHARS: usize = 2000;

/// The JSON of a file.
#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    experience: Option<SubmitExperienceRequest>,
    /// Where the experience is said to apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    applies: Option<Vec<Applies>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<ReportOutcomeRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// In which environment an outcome was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    environment: Option<Environment>,
    /// Its idempotency key, if it differs from the file's name because the experience was edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Uuid>,
    /// Whether other servers may have the experience of an outcome instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    one_of_several: bool,
    server: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    server_hash: Option<String>,
    /// Seconds since 1970.
    kept_at: u64,
    attempts: u32,
    last_error: String,
    refused: bool,
}

/// The version of files with an experience.
const VERSION: u32 = 1;
/// The version of files with an outcome, which older programs must not take for an experience.
const OUTCOME_VERSION: u32 = 2;

/// Which files of the outbox: what people share and report, or what hooks observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Shared,
    Observed,
}

impl Kind {
    pub(super) fn of(entry: &Kept) -> Self {
        match entry.is_observed() {
            true => Self::Observed,
            false => Self::Shared,
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::Shared => SUFFIX,
            Self::Observed => OBSERVED_SUFFIX,
        }
    }
}

pub(super) fn name_of(id: Uuid, kind: Kind) -> String {
    format!("{id}{}", kind.suffix())
}

/// Returns the id of a file of this kind; `None` for any other file.
pub(super) fn id_of(path: &Path, kind: Kind) -> Option<Uuid> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(kind.suffix())?.parse().ok()
}

/// Writes an experience or an outcome as JSON.
pub(super) fn encode(entry: &Kept) -> Result<Vec<u8>, OutboxError> {
    let seconds = entry.kept_at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let key = entry.content.as_ref().map(Content::idempotency_key);
    let (confirmed, outcome) = match &entry.content {
        Some(Content::Experience(experience)) => (Some(experience), None),
        Some(Content::Outcome(outcome)) => (None, Some(outcome)),
        None => (None, None),
    };
    let experience = confirmed.map(Confirmed::request);
    check_size(&experience)?;
    let record = Record {
        version: match outcome {
            Some(_) => OUTCOME_VERSION,
            None => VERSION,
        },
        experience: experience.cloned(),
        applies: confirmed.and_then(Confirmed::applies).map(Claims::to_wire),
        outcome: outcome.map(|outcome| outcome.request().clone()),
        evidence: outcome.map(PreparedOutcome::evidence),
        environment: outcome.and_then(PreparedOutcome::environment).cloned(),
        key: key.filter(|key| *key != entry.id),
        one_of_several: entry.one_of_several,
        server: entry.server.clone(),
        server_hash: entry.server_hash.clone(),
        kept_at: seconds.as_secs(),
        attempts: entry.attempts,
        last_error: entry.last_error.chars().take(MAX_ERROR_CHARS).collect(),
        refused: entry.refused,
    };
    serde_json::to_vec(&record).map_err(|_| OutboxError::Seal)
}

/// Checks the size of the experience alone: the error that is stored with it must not make it too large.
fn check_size(experience: &Option<&SubmitExperienceRequest>) -> Result<(), OutboxError> {
    let bytes = serde_json::to_vec(experience).map_err(|_| OutboxError::Seal)?;
    match bytes.len() {
        fits if fits <= MAX_KEPT_BYTES => Ok(()),
        bytes => Err(OutboxError::TooLarge { bytes }),
    }
}

/// Parses a file: the experience or the outcome with its idempotency key.
pub(super) fn decode(bytes: &[u8], id: Uuid) -> io::Result<Kept> {
    // serde's message may quote the file.
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    let record: Record = serde_json::from_slice(bytes).map_err(|_| damaged())?;
    if ![VERSION, OUTCOME_VERSION].contains(&record.version) {
        let reason = format!("version {} was written by a newer program", record.version);
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    let key = record.key.unwrap_or(id);
    let content = match (record.experience, record.outcome) {
        (Some(experience), None) => {
            let applies = record.applies.and_then(|items| {
                // A later program may have written items that this one does not know.
                applies::left_of(items.len(), Claims::read_known(&items))
            });
            Confirmed::restored(experience, applies, key).into()
        }
        (None, Some(outcome)) => {
            let evidence = record.evidence.unwrap_or_default();
            let outcome = PreparedOutcome::restored(outcome, evidence, key);
            outcome.with_environment(record.environment).into()
        }
        _ => return Err(damaged()),
    };
    Ok(Kept {
        content: Some(content),
        id,
        server: record.server,
        server_hash: record.server_hash,
        one_of_several: record.one_of_several,
        kept_at: UNIX_EPOCH + Duration::from_secs(record.kept_at),
        attempts: record.attempts,
        last_error: record.last_error,
        refused: record.refused,
        sealed: false,
    })
}

/// Creates the folder; only its owner can access it.
pub(super) fn make_folder(folder: &Path) -> Result<(), OutboxError> {
    let failed = |cause| failed(folder, cause);
    crate::config::make_folder(folder).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let owner_only = fs::Permissions::from_mode(0o700);
        fs::set_permissions(folder, owner_only).map_err(failed)?;
    }
    Ok(())
}

/// Replaces a file atomically: after a crash it has either the old or the new content.
pub(super) fn write(folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), OutboxError> {
    let failed = |cause| failed(path, cause);
    // A temporary file can be read only by its owner (mode 0600).
    let mut new_file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    new_file.write_all(bytes).map_err(failed)?;
    new_file.as_file().sync_all().map_err(failed)?;
    new_file
        .persist(path)
        .map_err(|error| failed(error.error))?;
    sync_folder(folder).map_err(failed)
}

/// Syncs the folder, so that the new name is on disk too.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Reads a file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, OutboxError> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(failed(path, cause)),
    };
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE_BYTES).read_to_end(&mut bytes);
    read.map_err(|cause| failed(path, cause))?;
    Ok(Some(bytes))
}

/// Removes a file; returns false if it does not exist.
pub(super) fn remove(path: &Path) -> Result<bool, OutboxError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(failed(path, cause)),
    }
}

pub(super) fn failed(path: &Path, cause: io::Error) -> OutboxError {
    let path = PathBuf::from(path);
    OutboxError::File { path, cause }
}
