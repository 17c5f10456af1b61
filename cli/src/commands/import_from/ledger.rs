//! The list of what was imported: a line of JSON for each record, with a hash of its server, its source, its
//! id there and its text, and with its id on the server; and a line for each pair of entries that were linked. A record
//! that changed in its source is imported again.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, BufRead as _, Write as _},
    path::PathBuf,
};

use anyhow::Context as _;
use recall_kit_memories::{Body, Record};
use serde::Deserialize;
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

    /// Reads what was imported. Half a line at the end, from a crash, is left out.
    pub(super) fn read(&self) -> anyhow::Result<Imported> {
        let mut imported = Imported::default();
        let file = match fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(imported),
            Err(error) => return Err(error).with_context(|| self.cannot("read")),
        };
        for line in io::BufReader::new(file).lines() {
            let line = line.with_context(|| self.cannot("read"))?;
            imported.add(serde_json::from_str(&line).unwrap_or_default());
        }
        Ok(imported)
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

/// What earlier runs imported.
#[derive(Debug, Default)]
pub(super) struct Imported {
    /// The ids on the server, by key.
    ids: HashMap<String, String>,
    /// The pairs of ids for which the server was asked for a link.
    linked: HashSet<(String, String)>,
}

/// A line of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    key: Option<String>,
    stored_as: String,
    linked: Option<(String, String)>,
}

impl Imported {
    fn add(&mut self, line: Line) {
        self.linked.extend(line.linked);
        self.ids.extend(line.key.map(|key| (key, line.stored_as)));
    }

    /// Returns the id under which the server has a record.
    pub(super) fn id_of(&self, key: &str) -> Option<&str> {
        self.ids.get(key).map(String::as_str)
    }

    /// Returns whether the server was asked to link these two.
    pub(super) fn is_linked(&self, pair: &(String, String)) -> bool {
        self.linked.contains(pair)
    }
}

/// The list, open for new lines.
pub(super) struct Writer {
    file: fs::File,
}

impl Writer {
    /// Records that the server has stored a record under an id.
    pub(super) fn note(&mut self, key: &str, source: &str, id: &str) -> io::Result<()> {
        self.add(&json!({"key": key, "source": source, "stored_as": id}))
    }

    /// Records that the server was asked to link two entries, and answered.
    pub(super) fn note_link(&mut self, pair: &(String, String)) -> io::Result<()> {
        self.add(&json!({"linked": pair}))
    }

    fn add(&mut self, line: &Value) -> io::Result<()> {
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
