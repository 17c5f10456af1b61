//! The list of what was imported: a line of JSON for each record, with a hash of its server, its source, its
//! id there and its text. A record that changed in its source is imported again.

use std::{
    collections::HashSet,
    fs,
    io::{self, BufRead as _, Write as _},
    path::PathBuf,
};

use anyhow::Context as _;
use recall_kit_memories::{Body, Record};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::history;

const FILE_NAME: &str = "imported.jsonl";

/// The file of the list, which only its owner can read.
pub(super) struct Ledger {
    path: PathBuf,
}

impl Ledger {
    pub(super) fn of_user() -> anyhow::Result<Self> {
        let dirs = directories::ProjectDirs::from("", "", "recall-kit");
        let dirs = dirs.context("this system has no folder for data of programs; set HOME")?;
        let path = dirs.data_local_dir().join(FILE_NAME);
        Ok(Self { path })
    }

    /// Returns the keys of what was imported. Half a line at the end, from a crash, is left out.
    pub(super) fn keys(&self) -> anyhow::Result<HashSet<String>> {
        let file = match fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
            Err(error) => return Err(error).with_context(|| self.cannot("read")),
        };
        let mut keys = HashSet::new();
        for line in io::BufReader::new(file).lines() {
            let line = line.with_context(|| self.cannot("read"))?;
            let value = serde_json::from_str::<Value>(&line).unwrap_or_default();
            keys.extend(value.get("key").and_then(Value::as_str).map(str::to_owned));
        }
        Ok(keys)
    }

    /// Opens the list for new lines.
    pub(super) fn open(&self) -> anyhow::Result<Writer> {
        let open = || {
            if let Some(folder) = self.path.parent() {
                let mut builder = fs::DirBuilder::new();
                builder.recursive(true);
                #[cfg(unix)]
                std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
                builder.create(folder)?;
            }
            let mut options = fs::OpenOptions::new();
            options.append(true).create(true).read(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options.open(&self.path)
        };
        let mut file = open().with_context(|| self.cannot("write"))?;
        // After a crash the last line may have no end.
        file.write_all(b"\n")
            .with_context(|| self.cannot("write"))?;
        Ok(Writer { file })
    }

    fn cannot(&self, what: &str) -> String {
        format!("cannot {what} {}", self.path.display())
    }
}

/// The list, open for new lines.
pub(super) struct Writer {
    file: fs::File,
}

impl Writer {
    /// Records that the server has stored a record under an id.
    pub(super) fn note(&mut self, key: &str, source: &str, id: &str) -> io::Result<()> {
        let line = json!({"key": key, "source": source, "stored_as": id});
        self.file.write_all(format!("{line}\n").as_bytes())
    }
}

/// Returns the key of a record: what is the same for the same record only.
pub(super) fn key_of(server: &str, source: &str, record: &Record) -> String {
    let text = match &record.body {
        Body::Entry { content, .. } => json!(content),
        Body::Experience {
            problem,
            root_cause,
            solution,
            context,
        } => json!([problem, root_cause, solution, context]),
    };
    let whole = match source {
        // The text of a solved error is that of the transcript that is read first, which changes.
        history::NAME => json!([server, source, record.id]),
        _ => json!([server, source, record.id, record.title, text]),
    };
    let hash = Sha256::digest(whole.to_string().as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the idempotency key of a record: after a crash between the server's answer and its line in the
/// list, the server still knows the record.
pub(super) fn idempotency_key(key: &str) -> Uuid {
    let hash = Sha256::digest(key.as_bytes());
    let mut bytes = [0; 16];
    for (byte, hashed) in bytes.iter_mut().zip(hash.iter()) {
        *byte = *hashed;
    }
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}
