//! Files are read with care: only regular files, up to a size, and without waiting for a pipe. Their hashes are kept.
//!
//! A hash is that of the bytes with each CRLF read as LF: git may check out the same file with either.

use std::{
    collections::HashMap,
    fs::{File, Metadata, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use sha2::{Digest as _, Sha256};

/// The maximum size of a file. *Unit*: bytes.
pub(crate) const MAX_BYTES: u64 = 1 << 20;
/// The minimum size of a file: who has the hash of a shorter text can guess the text. *Unit*: bytes.
pub(crate) const MIN_BYTES: u64 = 64;
/// The most hashes that are kept.
const MAX_KEPT: usize = 2_000;
/// A file modified this recently may change again without a new modification time.
const SETTLED: Duration = Duration::from_secs(2);

/// Why a file has no hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It is no regular file.
    NotAFile,
    /// It is too small or too large, or cannot be read.
    Unreadable,
}

/// The hash of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hashed {
    /// With each CRLF read as LF.
    sha256: String,
    /// The hash of the raw bytes, if it differs; other programs may have cited that one.
    raw: Option<String>,
    /// Whether its text may be named to others, once that was asked.
    may_be_cited: Option<bool>,
}

impl Hashed {
    /// Whether the file has this hash.
    pub(crate) fn is(&self, sha256: &str) -> bool {
        self.sha256 == sha256 || self.raw.as_deref() == Some(sha256)
    }

    /// Returns the hash, if others may see it.
    pub(crate) fn citable(&self) -> Option<&str> {
        (self.may_be_cited == Some(true)).then_some(&self.sha256)
    }
}

/// How a file was when it was hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    size: u64,
    /// The number of the file, and when its content or its metadata changed: programs can set the time of modification.
    #[cfg(unix)]
    change: (u64, i64, i64),
}

/// Hashes of files, which are kept until a file changes.
#[derive(Debug, Default)]
pub struct Hashes {
    kept: Mutex<HashMap<PathBuf, (Stamp, Arc<Hashed>)>>,
}

impl Hashes {
    /// Returns the hash of a file. `may_be_cited` is asked about its text, once until it changes.
    pub(crate) fn of(
        &self,
        path: &Path,
        may_be_cited: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<Arc<Hashed>, Problem> {
        let metadata = path.symlink_metadata().map_err(|_| Problem::Unreadable)?;
        let stamp = stamp(&metadata).ok_or(Problem::NotAFile)?;
        let known = self.known(path, stamp);
        let is_asked = |known: &Arc<Hashed>| may_be_cited.is_none() || known.may_be_cited.is_some();
        if let Some(known) = known.filter(is_asked) {
            return Ok(known);
        }
        let bytes = match stamp.size {
            MIN_BYTES..=MAX_BYTES => read(path)?,
            _ => return Err(Problem::Unreadable),
        };
        // What is no text has no secret that rules could find.
        let is_text = !bytes.contains(&0);
        let asked =
            |asked: &dyn Fn(&str) -> bool| !is_text || asked(&String::from_utf8_lossy(&bytes));
        let hashed = Arc::new(Hashed {
            may_be_cited: may_be_cited.map(asked),
            ..hashed(&bytes)
        });
        let is_settled = stamp.modified.elapsed().is_ok_and(|age| age > SETTLED);
        if is_settled {
            self.keep(path, stamp, &hashed);
        }
        Ok(hashed)
    }

    fn known(&self, path: &Path, stamp: Stamp) -> Option<Arc<Hashed>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, hashed) = kept.get(path)?;
        (*known == stamp).then(|| Arc::clone(hashed))
    }

    fn keep(&self, path: &Path, stamp: Stamp, hashed: &Arc<Hashed>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(path.to_owned(), (stamp, Arc::clone(hashed)));
    }
}

/// Returns how a regular file is.
fn stamp(metadata: &Metadata) -> Option<Stamp> {
    #[cfg(unix)]
    use std::os::unix::fs::MetadataExt as _;

    let stamp = Stamp {
        modified: metadata.modified().unwrap_or_else(|_| SystemTime::now()),
        size: metadata.len(),
        #[cfg(unix)]
        change: (metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
    };
    metadata.is_file().then_some(stamp)
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    let file = open(path).map_err(|_| Problem::Unreadable)?;
    let metadata = file.metadata().map_err(|_| Problem::Unreadable)?;
    if !metadata.is_file() {
        return Err(Problem::NotAFile);
    }
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    match read {
        Ok(length) if (MIN_BYTES..=MAX_BYTES).contains(&(length as u64)) => Ok(bytes),
        _ => Err(Problem::Unreadable),
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Opening a pipe without a writer would wait for one. A link may have taken the place of the file.
        let flags = rustix::fs::OFlags::NONBLOCK
            | rustix::fs::OFlags::NOCTTY
            | rustix::fs::OFlags::NOFOLLOW;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    options.open(path)
}

fn hashed(bytes: &[u8]) -> Hashed {
    let mut normalised = Sha256::new();
    let mut rest = bytes;
    let mut has_crlf = false;
    while let Some(at) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let (before, behind) = rest.split_at(at);
        normalised.update(before);
        rest = behind.get(1..).unwrap_or_default();
        has_crlf = true;
    }
    normalised.update(rest);
    Hashed {
        sha256: hex(&normalised.finalize()),
        raw: has_crlf.then(|| hex(&Sha256::digest(bytes))),
        may_be_cited: None,
    }
}

fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
