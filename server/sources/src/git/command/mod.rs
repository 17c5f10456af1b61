//! Runs the git program: with a controlled environment, a time limit and a limit on what it stores.

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

/// The first version in which the address of a host can be set (`http.curloptResolve`).
const OLDEST: (u32, u32) = (2, 37);
/// The most bytes of git's standard error that are stored.
const MAX_STDERR: u64 = 16 * 1024;
/// The most characters of them that are displayed.
const MAX_SHOWN: usize = 400;
/// The most bytes of a list of versions.
const MAX_TEXT: u64 = 64 * 1024 * 1024;
/// Git's message for a redirect. Git must not follow it, because the target was not checked.
const REDIRECTED: &str = "The requested URL returned error: 30";
/// The interval at which the limits of a run are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Variables that git needs to find its parts and the machine's certificates.
const PASSED_VARIABLES: [&str; 6] = [
    "PATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TMPDIR",
];
/// Git asks for nothing, ignores the settings of the user and the system, and runs no other programs.
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

/// The git program and the limits of its runs.
#[derive(Debug)]
pub(super) struct Git {
    program: OsString,
    home: PathBuf,
    timeout: Duration,
    download_bytes: u64,
    stop: CancellationToken,
}

/// One run of git.
#[derive(Debug)]
pub(super) struct Task {
    /// The operation, for error messages.
    doing: &'static str,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    settings: Vec<(String, String)>,
}

impl Task {
    /// Creates a run in a git folder that may not connect to anything.
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
    /// Finds the program.
    ///
    /// *Errors*: it is missing or too old.
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
        let message = self.text(&task)?;
        let found = message.split_whitespace().nth(2).unwrap_or_default();
        match version(found) >= Some(OLDEST) {
            true => Ok(self),
            false => Err(SourceError::GitTooOld {
                found: skip::printable(found),
            }),
        }
    }

    /// Runs a task and returns its output.
    ///
    /// *Errors*: git fails or takes too long, or its output is not text or too long.
    pub(super) fn text(&self, task: &Task) -> Result<String, SourceError> {
        let mut text = String::new();
        self.stream(task, |stdout| {
            let read = stdout.take(MAX_TEXT).read_to_string(&mut text);
            let failed = |error: io::Error| SourceError::Git {
                doing: task.doing,
                message: error.to_string(),
            };
            Ok((read.map_err(failed)? as u64) < MAX_TEXT)
        })?;
        Ok(text)
    }

    /// Runs a task; `read` reads its output and returns whether it read everything.
    ///
    /// *Errors*: those of `read`, unless git failed first; git fails or takes too long.
    pub(super) fn stream(
        &self,
        task: &Task,
        read: impl FnOnce(GitOutput<'_>) -> Result<bool, SourceError>,
    ) -> Result<(), SourceError> {
        let mut child = self.start(task)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let stdout = stdout.expect("stdout is piped");
        let stderr = stderr.expect("stderr is piped");
        let child = Mutex::new(child);
        let waiting = Waiting::default();
        let (done, is_done) = mpsc::channel();
        thread::scope(|scope| {
            let message = scope.spawn(|| end_of_stderr(stderr));
            let guard = scope.spawn(|| self.guard(&child, &waiting, is_done));
            let result = read(GitOutput {
                stdout,
                waiting: &waiting,
            });
            waiting.begin();
            let status = wait(&child);
            drop(done);
            let message = message.join().unwrap_or_default();
            if let Ok(Some(error)) = guard.join() {
                return Err(error.into_error(self, task.doing));
            }
            let failed = status.map_or(true, |status| !status.success());
            match result {
                // If the visitor stopped early, the exit status of git does not matter.
                Ok(false) => Ok(()),
                Ok(true) if !failed => Ok(()),
                Err(error) if !failed || message.is_empty() => Err(error),
                // A reader that stops early breaks git's pipe, so git's own error is not the cause.
                Err(error @ (SourceError::TooMuch { .. } | SourceError::UnsafeEntry { .. })) => {
                    Err(error)
                }
                _ => Err(SourceError::Git {
                    doing: task.doing,
                    message: one_line(&message),
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
        let passed = PASSED_VARIABLES
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.envs(passed).envs(ENVIRONMENT);
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
                message: error.to_string(),
            },
        })
    }

    /// Ends a run that takes too long, stores too much or is cancelled.
    fn guard(
        &self,
        child: &Mutex<Child>,
        waiting: &Waiting,
        is_done: mpsc::Receiver<()>,
    ) -> Option<EndReason> {
        loop {
            match is_done.recv_timeout(CHECK_INTERVAL) {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                _ => return None,
            }
            let reason = if self.stop.is_cancelled() {
                EndReason::CalledOff
            } else if waiting.elapsed() > self.timeout {
                EndReason::Time
            } else if bytes_of(&self.home) > self.download_bytes {
                EndReason::Bytes
            } else {
                continue;
            };
            kill(child);
            return Some(reason);
        }
    }
}

/// Since when the reader has been waiting for git; the time that it spends on processing is not counted.
#[derive(Debug, Default)]
struct Waiting(Mutex<Option<Instant>>);

impl Waiting {
    fn begin(&self) {
        *lock(&self.0) = Some(Instant::now());
    }

    fn end(&self) {
        *lock(&self.0) = None;
    }

    fn elapsed(&self) -> Duration {
        lock(&self.0).map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// The output of git; reading it measures the time spent waiting.
pub(super) struct GitOutput<'a> {
    stdout: ChildStdout,
    waiting: &'a Waiting,
}

impl Read for GitOutput<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.waiting.begin();
        let read = self.stdout.read(buffer);
        self.waiting.end();
        read
    }
}

/// Why a run was ended.
enum EndReason {
    CalledOff,
    Time,
    Bytes,
}

impl EndReason {
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

/// Waits for the child without blocking the guard.
fn wait(child: &Mutex<Child>) -> io::Result<ExitStatus> {
    loop {
        let status = lock(child).try_wait()?;
        match status {
            Some(status) => return Ok(status),
            // Its output has ended, so it will exit soon.
            None => thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// Kills git and its child processes if it is still running.
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the end of git's standard error; all of it is read, because otherwise git would block.
fn end_of_stderr(mut stderr: impl Read) -> String {
    let mut message = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        message.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let excess = message.len().saturating_sub(MAX_STDERR as usize);
        message.drain(..excess);
    }
    String::from_utf8_lossy(&message).trim().to_owned()
}

/// Formats git's message on one line.
fn one_line(message: &str) -> String {
    let lines = message
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
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

/// Returns the total size of the files in a folder; files that disappear meanwhile do not count.
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

/// Returns the first two numbers of a version.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.').map(str::parse);
    match (numbers.next()?, numbers.next()?) {
        (Ok(major), Ok(minor)) => Some((major, minor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
