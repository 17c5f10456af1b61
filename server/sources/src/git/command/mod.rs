//! Runs the git program: with an environment of our own, for a limited time, into a limited folder.

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use crate::{SourceError, SourceOptions, skip};

/// The first version that can be told the address of a host (`http.curloptResolve`).
const OLDEST: (u32, u32) = (2, 37);
/// Bytes of what git says that are kept.
const MAX_SAID: u64 = 16 * 1024;
/// Of that, shown.
const MAX_SHOWN: usize = 400;
/// Bytes of a list of versions.
const MAX_TEXT: u64 = 64 * 1024 * 1024;
/// What git says of a redirect, which it must not follow: nobody checked where it leads to.
const REDIRECTED: &str = "The requested URL returned error: 30";
/// How often a run is looked after.
const LOOK: Duration = Duration::from_millis(100);
/// Variables that git needs to find its parts, and the certificates of this machine.
const KEPT: [&str; 6] = [
    "PATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TMPDIR",
];
/// Nobody is asked anything, nothing of the user's or the system's settings counts, and nothing but
/// git itself is run.
const ENVIRONMENT: [(&str, &str); 11] = [
    ("GIT_ASKPASS", ""),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("SSH_ASKPASS", ""),
];
const SETTINGS: [(&str, &str); 11] = [
    ("core.askPass", ""),
    ("core.attributesFile", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("credential.helper", ""),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("http.followRedirects", "false"),
    ("http.proxy", ""),
    ("maintenance.auto", "false"),
    ("transfer.fsckObjects", "false"),
];

/// The git program.
#[derive(Debug)]
pub(super) struct Git {
    program: OsString,
    home: PathBuf,
    timeout: Duration,
    download_bytes: u64,
    stop: CancellationToken,
}

/// One run of it.
#[derive(Debug)]
pub(super) struct Task {
    /// What git could not do, if it fails.
    doing: &'static str,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    settings: Vec<(String, String)>,
}

impl Task {
    /// A run in a git folder, which may connect to nothing.
    pub(super) fn new(doing: &'static str, git_dir: &Path) -> Self {
        let mut folder = OsString::from("--git-dir=");
        folder.push(git_dir);
        let settings = SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            doing,
            arguments: vec![folder],
            environment: vec![("GIT_ALLOW_PROTOCOL".into(), "none".into())],
            settings: settings.into(),
        }
    }

    pub(super) fn arguments(&mut self, arguments: &[&str]) {
        self.arguments.extend(arguments.iter().map(OsString::from));
    }

    pub(super) fn environment(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let value = value.as_ref().to_owned();
        self.environment.push((name.into(), value));
    }

    pub(super) fn setting(&mut self, name: &str, value: &str) {
        self.settings.push((name.to_owned(), value.to_owned()));
    }
}

impl Git {
    /// Looks for the program.
    ///
    /// *Errors*: it is not there, or too old.
    pub(super) fn find(home: &Path, options: &SourceOptions) -> Result<Self, SourceError> {
        let git = Self {
            program: "git".into(),
            home: home.to_owned(),
            timeout: options.limits.timeout,
            download_bytes: options.limits.download_bytes,
            stop: options.stop.clone(),
        };
        git.checked()
    }

    fn checked(self) -> Result<Self, SourceError> {
        let mut task = Task::new("say its version", &self.home);
        task.arguments(&["--version"]);
        let said = self.text(&task)?;
        let found = said.split_whitespace().nth(2).unwrap_or_default();
        match version(found) >= Some(OLDEST) {
            true => Ok(self),
            false => Err(SourceError::GitTooOld {
                found: skip::printable(found),
            }),
        }
    }

    /// Runs a task for what it writes.
    ///
    /// *Errors*: it fails, takes too long, or writes something else than text or too much of it.
    pub(super) fn text(&self, task: &Task) -> Result<String, SourceError> {
        let mut text = String::new();
        self.stream(task, |stdout| {
            let read = stdout.take(MAX_TEXT).read_to_string(&mut text);
            let failed = |error: io::Error| SourceError::Git {
                doing: task.doing,
                said: error.to_string(),
            };
            Ok((read.map_err(failed)? as u64) < MAX_TEXT)
        })?;
        Ok(text)
    }

    /// Runs a task whose output `read` reads; it says whether it read to the end.
    ///
    /// *Errors*: of `read`, unless git failed before it; git fails or takes too long.
    pub(super) fn stream(
        &self,
        task: &Task,
        read: impl FnOnce(Watched<'_>) -> Result<bool, SourceError>,
    ) -> Result<(), SourceError> {
        let mut child = self.start(task)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let stdout = stdout.expect("it was asked for");
        let stderr = stderr.expect("it was asked for");
        let child = Mutex::new(child);
        let waiting = Waiting::default();
        let (done, is_done) = mpsc::channel();
        thread::scope(|scope| {
            let said = scope.spawn(|| last_words(stderr));
            let guard = scope.spawn(|| self.guard(&child, &waiting, is_done));
            let result = read(Watched {
                stdout,
                waiting: &waiting,
            });
            waiting.begin();
            let status = wait(&child);
            drop(done);
            let said = said.join().unwrap_or_default();
            if let Ok(Some(error)) = guard.join() {
                return Err(error.into_error(self, task.doing));
            }
            let failed = status.map_or(true, |status| !status.success());
            match result {
                // The visitor had enough, or something worse than git's last words happened.
                Ok(false) => Ok(()),
                Ok(true) if !failed => Ok(()),
                Err(error) if !failed || said.is_empty() => Err(error),
                // A reader that stopped breaks git's pipe: that is no news.
                Err(error @ (SourceError::TooMuch { .. } | SourceError::UnsafeEntry { .. })) => {
                    Err(error)
                }
                _ => Err(SourceError::Git {
                    doing: task.doing,
                    said: shown(&said),
                }),
            }
        })
    }

    fn start(&self, task: &Task) -> Result<Child, SourceError> {
        let mut command = Command::new(&self.program);
        command
            .args(&task.arguments)
            .current_dir(&self.home)
            .env_clear()
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", &self.home)
            .env("GIT_CONFIG_COUNT", task.settings.len().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let kept = KEPT
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.envs(kept).envs(ENVIRONMENT);
        command.envs(task.environment.iter().map(|(name, value)| (name, value)));
        for (at, (name, value)) in task.settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), name);
            command.env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SourceError::GitMissing,
            _ => SourceError::Git {
                doing: task.doing,
                said: error.to_string(),
            },
        })
    }

    /// Ends a run that takes too long, fetches too much or is called off.
    fn guard(
        &self,
        child: &Mutex<Child>,
        waiting: &Waiting,
        is_done: mpsc::Receiver<()>,
    ) -> Option<Excess> {
        loop {
            match is_done.recv_timeout(LOOK) {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                _ => return None,
            }
            let excess = if self.stop.is_cancelled() {
                Excess::CalledOff
            } else if waiting.for_how_long() > self.timeout {
                Excess::Time
            } else if bytes_of(&self.home) > self.download_bytes {
                Excess::Bytes
            } else {
                continue;
            };
            kill(child);
            return Some(excess);
        }
    }
}

/// Since when git is waited for: what its reader does with what it read is not git's fault.
#[derive(Debug, Default)]
struct Waiting(Mutex<Option<Instant>>);

impl Waiting {
    fn begin(&self) {
        *lock(&self.0) = Some(Instant::now());
    }

    fn end(&self) {
        *lock(&self.0) = None;
    }

    fn for_how_long(&self) -> Duration {
        lock(&self.0).map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// What git writes.
pub(super) struct Watched<'a> {
    stdout: ChildStdout,
    waiting: &'a Waiting,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.waiting.begin();
        let read = self.stdout.read(buffer);
        self.waiting.end();
        read
    }
}

/// Why a run was ended.
enum Excess {
    CalledOff,
    Time,
    Bytes,
}

impl Excess {
    fn into_error(self, git: &Git, doing: &'static str) -> SourceError {
        match self {
            Self::CalledOff => SourceError::CalledOff,
            Self::Time => SourceError::Timeout {
                what: format!("waiting for git to {doing}"),
                seconds: git.timeout.as_secs(),
            },
            Self::Bytes => SourceError::TooMuch {
                what: "bytes to fetch",
                limit: git.download_bytes,
            },
        }
    }
}

/// Waits without keeping the guard from the child.
fn wait(child: &Mutex<Child>) -> io::Result<ExitStatus> {
    loop {
        let status = lock(child).try_wait()?;
        match status {
            Some(status) => return Ok(status),
            // Its output has ended: it is about to.
            None => thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// Kills git and what it started, if it still runs.
fn kill(child: &Mutex<Child>) {
    let mut child = lock(child);
    if let Ok(None) = child.try_wait() {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            kill_process_group(Pid::from_child(&child), Signal::KILL).ok();
        }
        child.kill().ok();
    }
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of what git says; the rest is read too, or git would wait.
fn last_words(mut stderr: impl Read) -> String {
    let mut said = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        said.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let excess = said.len().saturating_sub(MAX_SAID as usize);
        said.drain(..excess);
    }
    String::from_utf8_lossy(&said).trim().to_owned()
}

/// Git's words in one line.
fn shown(said: &str) -> String {
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut line = skip::printable(&lines.collect::<Vec<_>>().join("; "));
    if line.contains(REDIRECTED) {
        line.push_str("; it has moved; give its new address");
    }
    match line.char_indices().rev().nth(MAX_SHOWN) {
        Some((at, _)) => format!("…{}", line.get(at..).unwrap_or_default()),
        None if line.is_empty() => "it gave no reason".to_owned(),
        None => line,
    }
}

/// Bytes of the files below a folder; what disappears meanwhile counts nothing.
fn bytes_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_of(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// The first two numbers.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.').map(str::parse);
    match (numbers.next()?, numbers.next()?) {
        (Ok(major), Ok(minor)) => Some((major, minor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
