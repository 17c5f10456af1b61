//! The local server program: finds it, starts it over stdio, and quotes its log when it dies.

#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::transport::TokioChildProcess;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader},
    process::{ChildStderr, Command},
    sync::watch,
};

use crate::Error;

/// The program's name without the platform's suffix.
const PROGRAM_NAME: &str = "recall-kit-server";
/// The number of its last log lines that are quoted when it dies.
const QUOTED_LINES: usize = 5;
/// The maximum length of a line; longer ones are split. *Unit*: bytes.
const LONGEST_LINE: u64 = 4096;
/// How long to wait for the last log lines of a program whose connection broke.
const LAST_LINES_TIMEOUT: Duration = Duration::from_millis(500);

/// How to start the local server program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    /// The path of the file; it is searched for if none is given.
    pub(crate) path: Option<PathBuf>,
    /// The arguments after `--transport stdio`.
    pub(crate) arguments: Vec<OsString>,
    /// Whether its log is also written to this process's stderr.
    pub(crate) show_log: bool,
}

impl Program {
    /// Returns the file to start: the configured one, else the one beside this executable, else the first
    /// on the `PATH`.
    pub(crate) fn locate(&self) -> Result<PathBuf, Error> {
        if let Some(path) = &self.path {
            return Ok(path.clone());
        }
        let file_name = format!("{PROGRAM_NAME}{}", env::consts::EXE_SUFFIX);
        let beside = env::current_exe().ok();
        let beside = beside.as_deref().and_then(Path::parent).map(Path::to_owned);
        let search_path = env::var_os("PATH").unwrap_or_default();
        beside
            .into_iter()
            .chain(env::split_paths(&search_path))
            .map(|dir| dir.join(&file_name))
            .find(|path| path.is_file())
            .ok_or(Error::ProgramMissing { program: file_name })
    }

    /// Starts the program; see [`spawn`].
    pub(super) fn start(&self, server: &str) -> Result<(TokioChildProcess, RunningProgram), Error> {
        let path = self.locate()?;
        let mut command = Command::new(&path);
        command.args(["--transport", "stdio"]).args(&self.arguments);
        spawn(command, server, self.show_log)
    }
}

/// Starts a command and returns its two pipes as a transport.
pub(super) fn spawn(
    command: Command,
    server: &str,
    show_log: bool,
) -> Result<(TokioChildProcess, RunningProgram), Error> {
    let path = PathBuf::from(command.as_std().get_program());
    let started = TokioChildProcess::builder(command)
        .stderr(Stdio::piped())
        .spawn();
    let (transport, stderr) = started.map_err(|error| Error::Network {
        server: server.to_owned(),
        reason: format!("cannot start {}: {error}", path.display()),
        attempts: 1,
        unsent: true,
    })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok((
        transport,
        RunningProgram::listen(name.into_owned(), stderr, show_log),
    ))
}

/// The last lines of a program's log.
type Lines = Arc<Mutex<VecDeque<String>>>;

/// The log of a started program.
pub(super) struct RunningProgram {
    /// The program's name without the platform's suffix.
    name: String,
    lines: Lines,
    /// Is closed at the end of the program's log.
    log: watch::Receiver<()>,
}

impl RunningProgram {
    fn listen(name: String, stderr: Option<ChildStderr>, show_log: bool) -> Self {
        let lines = Lines::default();
        let (open, log) = watch::channel(());
        if let Some(stderr) = stderr {
            let lines = lines.clone();
            tokio::spawn(async move {
                read(stderr, lines, show_log).await;
                drop(open);
            });
        }
        Self { name, lines, log }
    }

    /// Adds the program's last log lines to an error of its connection.
    pub(super) async fn explain(&self, error: Error) -> Error {
        let Error::Network {
            server,
            reason,
            attempts,
            unsent,
        } = error
        else {
            return error;
        };
        let _ = tokio::time::timeout(LAST_LINES_TIMEOUT, self.log.clone().changed()).await;
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let quoted: String = lines.iter().map(|line| format!("\n  {line}")).collect();
        let reason = match quoted.is_empty() {
            true => reason,
            false => format!("{} stopped; its last log lines:{quoted}", self.name),
        };
        Error::Network {
            server,
            reason,
            attempts,
            unsent,
        }
    }
}

/// Reads a log to its end, whatever bytes it contains.
async fn read(stderr: impl AsyncRead + Unpin, lines: Lines, show: bool) {
    let mut stderr = BufReader::new(stderr);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let mut line = (&mut stderr).take(LONGEST_LINE);
        if let Ok(0) | Err(_) = line.read_until(b'\n', &mut bytes).await {
            return;
        }
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\r', '\n']).to_owned();
        if show {
            eprintln!("{line}");
        }
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == QUOTED_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}
