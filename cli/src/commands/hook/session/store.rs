//! The files of the sessions: one for each, readable only for the user, bounded in size and number. Two processes can
//! use them at once.
//!
//! Which sessions are the oldest is kept in a list, since the times of files are those of a clock that can be wrong.

use std::{
    cell::Cell,
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    super::hash::{Hash, Hasher, SALT_BYTES},
    EndedEpisode, Session,
};

/// The maximum size of a file. *Unit*: bytes.
const MAX_BYTES: u64 = 68 << 10;
/// The maximum number of sessions.
const MAX_SESSIONS: usize = 64;
/// The age at which a session may be forgotten. *Unit*: seconds.
const MAX_AGE: i64 = 14 * DAY;
/// How long it stays after the clock said first that it is that old: a clock that jumped is usually right again then.
const DAY: i64 = 24 * 3600;
/// The number of other sessions whose episodes are ended when one begins.
const MAX_STOPPED: usize = 4;
/// The time of a session is noted this often. *Unit*: seconds.
const HOUR: i64 = 3600;
/// How long to wait for other processes altogether; each needs a few milliseconds. Nothing else can happen meanwhile,
/// so it is what is left between the deadline of an answer and the end of the hook.
const MAX_WAIT: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(5);
const LOCK: &str = "lock";
const SALT: &str = "salt";
const LIST: &str = "sessions";
const SUFFIX: &str = ".json";
/// The beginnings of the names of files that are being written, now and in earlier versions.
const UNFINISHED: [&str; 2] = ["unfinished-", ".tmp"];

/// The folder with the state of the user's sessions.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    folder: PathBuf,
    hasher: Hasher,
    /// How long to wait for other processes from now on.
    wait: Cell<Duration>,
}

/// A session in the list of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    file: String,
    /// When it was used last. *Unit*: seconds since 1970.
    used: i64,
    /// When it was seen first to be old, if it is. *Unit*: seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old: Option<i64>,
    /// Whether something is counted of failures in it that are not solved yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    open: bool,
}

impl Store {
    /// Opens the folder in the user's data folder.
    ///
    /// *Errors*: if the platform has none, or it cannot be used.
    pub(crate) fn of_user() -> io::Result<Self> {
        let dirs = directories::ProjectDirs::from("", "", "recall-kit");
        let dirs = dirs.ok_or(io::ErrorKind::NotFound)?;
        Self::open(dirs.data_local_dir().join("hooks"))
    }

    /// Opens a folder, which is made if it does not exist.
    ///
    /// *Errors*: if it cannot be used.
    pub(crate) fn open(folder: PathBuf) -> io::Result<Self> {
        make_private_folder(&folder)?;
        let wait = Cell::new(MAX_WAIT);
        let hasher = match read_salt(&folder) {
            Some(hasher) => hasher,
            None => {
                let _lock = lock(&folder, &wait)?;
                // Another process may have written it.
                let known = read_salt(&folder);
                known.map_or_else(|| new_salt(&folder), Ok)?
            }
        };
        Ok(Self {
            folder,
            hasher,
            wait,
        })
    }

    /// Returns what makes the hashes in the sessions.
    pub(crate) fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// Changes the state of a session while no other process does. A damaged file counts as a new session.
    ///
    /// *Errors*: if the folder cannot be used, or another process has the lock for too long.
    pub(crate) fn update<T>(
        &self,
        session: &str,
        now: i64,
        change: impl FnOnce(&mut Session) -> T,
    ) -> io::Result<T> {
        let _lock = lock(&self.folder, &self.wait)?;
        let name = self.name(session);
        let path = self.folder.join(&name);
        let before: Session = read(&path).unwrap_or_default();
        let mut after = before.clone();
        let result = change(&mut after);
        if after != before || !path.exists() {
            write(&self.folder, &path, &after)?;
        }
        self.tidy(&name, after.has_episodes(), now)?;
        Ok(result)
    }

    /// Ends what is counted of failures in other sessions that report to the same server and seem to have stopped, the oldest
    /// sessions first. Returns it with the hosts of the sessions. What cannot be noted as ended stays open.
    ///
    /// *Errors*: if the folder cannot be used, or another process has the lock for too long.
    pub(crate) fn stopped(
        &self,
        current: &str,
        server: Hash,
        now_ms: i64,
    ) -> io::Result<Vec<(String, EndedEpisode)>> {
        let _lock = lock(&self.folder, &self.wait)?;
        let list = self.folder.join(LIST);
        let before: Vec<Known> = read(&list).unwrap_or_default();
        let mut after = before.clone();
        let current = self.name(current);
        let mut stopped = Vec::new();
        let mut sessions = 0;
        let others = after
            .iter_mut()
            .filter(|known| known.open && known.file != current);
        for known in others {
            if sessions == MAX_STOPPED {
                break;
            }
            let path = self.folder.join(&known.file);
            let Some(mut session) = read::<Session>(&path) else {
                known.open = false;
                continue;
            };
            if !session.reports_to(server) {
                continue;
            }
            let ended = session.stop(now_ms);
            if !ended.is_empty() {
                if write(&self.folder, &path, &session).is_err() {
                    continue;
                }
                sessions += 1;
                let host = session.host.as_str();
                stopped.extend(ended.into_iter().map(|ended| (host.to_owned(), ended)));
            }
            known.open = session.has_episodes();
        }
        if after != before {
            // The list is only a hint: the sessions themselves say what is open.
            let _ = write(&self.folder, &list, &after);
        }
        Ok(stopped)
    }

    /// Returns the name of a session's file.
    fn name(&self, session: &str) -> String {
        format!("{:016x}{SUFFIX}", self.hasher.hash(session))
    }

    /// Notes that a session is used, removes those that are too many or old, and what killed processes left behind. The list
    /// decides, in the order of use; the clock only says that sessions are old.
    fn tidy(&self, current: &str, is_open: bool, now: i64) -> io::Result<()> {
        let path = self.folder.join(LIST);
        let before: Vec<Known> = read(&path).unwrap_or_default();
        let files = self.files();
        let mut after: Vec<Known> = before.clone();
        let mut listed = HashSet::new();
        after.retain(|known| files.contains(&known.file) && listed.insert(known.file.clone()));
        // Files that are not in the list are of earlier versions.
        let unlisted = files.iter().filter(|file| !listed.contains(*file));
        let unlisted = unlisted.map(|file| Known {
            file: file.clone(),
            used: now,
            old: None,
            open: false,
        });
        after.splice(..0, unlisted.collect::<Vec<_>>());
        let at = after.iter().position(|known| known.file == current);
        if let Some(mut known) = at.map(|at| after.remove(at)) {
            known.old = None;
            known.open = is_open;
            if known.used.abs_diff(now) > HOUR.unsigned_abs() {
                known.used = now;
            }
            after.push(known);
        }
        let too_many = after.len().saturating_sub(MAX_SESSIONS);
        let mut at = 0;
        after.retain_mut(|known| {
            at += 1;
            let is_kept = at > too_many && !known.is_outdated(now);
            if !is_kept {
                let _ = fs::remove_file(self.folder.join(&known.file));
            }
            is_kept
        });
        match after == before {
            true => Ok(()),
            false => write(&self.folder, &path, &after),
        }
    }

    /// Returns the names of the files of sessions, and removes files that were not written to their end: the lock says
    /// that nobody writes them.
    fn files(&self) -> HashSet<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let (unfinished, names): (Vec<String>, Vec<String>) =
            names.partition(|name| UNFINISHED.iter().any(|begin| name.starts_with(begin)));
        for name in unfinished {
            let _ = fs::remove_file(self.folder.join(name));
        }
        let sessions = names.into_iter().filter(|name| name.ends_with(SUFFIX));
        sessions.collect()
    }
}

impl Known {
    /// Returns whether it is old, and was already a day ago, but not before the clock jumped.
    fn is_outdated(&mut self, now: i64) -> bool {
        if now.saturating_sub(self.used) <= MAX_AGE {
            self.old = None;
            return false;
        }
        let waited = now.saturating_sub(*self.old.get_or_insert(now));
        if !(0..=MAX_AGE).contains(&waited) {
            self.old = Some(now);
            return false;
        }
        waited >= DAY
    }
}

/// Locks the folder. Takes the time that it waits from `wait`; if none is left, it tries once.
fn lock(folder: &Path, wait: &Cell<Duration>) -> io::Result<File> {
    let file = private(OpenOptions::new().create(true).truncate(false).write(true))
        .open(folder.join(LOCK))?;
    let start = Instant::now();
    let locked = loop {
        match file.try_lock() {
            Ok(()) => break Ok(file),
            Err(fs::TryLockError::WouldBlock) if start.elapsed() < wait.get() => {
                thread::sleep(PAUSE);
            }
            Err(fs::TryLockError::WouldBlock) => break Err(io::ErrorKind::WouldBlock.into()),
            Err(fs::TryLockError::Error(error)) => break Err(error),
        }
    };
    wait.set(wait.get().saturating_sub(start.elapsed()));
    locked
}

fn read_salt(folder: &Path) -> Option<Hasher> {
    let bytes = read_bytes(&folder.join(SALT)).ok()?;
    let salt: [u8; SALT_BYTES] = bytes.try_into().ok()?;
    Some(Hasher::new(salt))
}

fn new_salt(folder: &Path) -> io::Result<Hasher> {
    let hasher = Hasher::random();
    write_bytes(folder, &folder.join(SALT), hasher.salt())?;
    Ok(hasher)
}

/// Reads a file; `None` if it is not usable.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let bytes = read_bytes(path).ok()?;
    let is_small = bytes.len() as u64 <= MAX_BYTES;
    is_small.then(|| serde_json::from_slice(&bytes).ok())?
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Replaces a file at once.
fn write<T: Serialize>(folder: &Path, path: &Path, value: &T) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("the state of the session is too large"));
    }
    write_bytes(folder, path, text.as_bytes())
}

fn write_bytes(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Only the user can read a temporary file.
    let mut builder = tempfile::Builder::new();
    let [unfinished, ..] = UNFINISHED;
    let mut file = builder.prefix(unfinished).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
