//! The server's side of one reading process.

use std::{io, path::Path, process::Stdio, time::Duration};

use serde::{Deserialize, Serialize};
use tokio::{
    io::AsyncReadExt as _,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
};

use super::{
    COMMAND, MEGABYTE, SandboxLimits, frame,
    worker::{MAX_ANSWER_BYTES, REFUSED},
};
use crate::readers::{ReadError, Reading};

/// The number of files after which a process is replaced.
const MAX_FILES: u32 = 100;
/// How many bytes of a process's standard error are stored.
const MAX_STDERR: usize = 4096;
/// Prevents the allocator from reserving a gigabyte of address space, which would count as used.
const ALLOCATOR: (&str, &str) = ("MIMALLOC_DISALLOW_ARENA_ALLOC", "1");

/// The response of a process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) read: Result<Reading, ReadError>,
    /// Whether the next file should be read by a new process.
    pub(super) is_worn: bool,
}

/// Why a process gave no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("it needs more than {0} MB of memory")]
    Memory(u32),
    #[error("it is nested too deeply")]
    Depth,
    #[error("it takes more than {0} s of processor time")]
    Processor(u32),
    #[error("it takes longer than {} s", .0.as_secs_f64())]
    Timeout(Duration),
    #[error("its reader crashed on it")]
    Crash,
    #[error("the process that would read it cannot be started: {0}")]
    Start(String),
    #[error(
        "files of this kind are read by a process of recall-kit-server, but the path of that \
         program is not known"
    )]
    NoProgram,
}

impl Failure {
    /// Whether the file took too long, which would be the same in another process.
    pub(super) fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::Processor(_))
    }
}

/// A process that reads one file at a time; it is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    stderr: JoinHandle<String>,
    limits: SandboxLimits,
    files: u32,
    is_worn: bool,
}

impl Process {
    /// Starts a process.
    ///
    /// *Errors*: [`Failure::Start`].
    pub(super) fn start(program: &Path, limits: SandboxLimits) -> Result<Self, Failure> {
        // Otherwise the child would inherit the descriptors that this process inherited.
        #[cfg(unix)]
        close_fds::set_fds_cloexec_threadsafe(3, &[]);
        let mut child = command(program, limits)
            .spawn()
            .map_err(|error| Failure::Start(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(Failure::Start("it has no pipes".to_owned()));
        };
        Ok(Self {
            child,
            input,
            output,
            stderr: tokio::spawn(beginning_of(errors)),
            limits,
            files: 0,
            is_worn: false,
        })
    }

    /// Whether the next file should be read by a new process.
    pub(super) fn is_worn(&self) -> bool {
        self.is_worn || self.files >= MAX_FILES
    }

    /// Reads a file. After a failure the process has ended.
    pub(super) async fn read(&mut self, path: &str, bytes: &[u8]) -> Result<Answer, Failure> {
        self.files += 1;
        let timeout = self.limits.timeout;
        let answered = tokio::time::timeout(timeout, self.exchange(path, bytes)).await;
        let Ok(answered) = answered else {
            self.end().await;
            return Err(Failure::Timeout(timeout));
        };
        let Ok(answer) = answered else {
            return Err(self.end().await);
        };
        self.is_worn = answer.is_worn;
        Ok(answer)
    }

    async fn exchange(&mut self, path: &str, bytes: &[u8]) -> io::Result<Answer> {
        frame::send(&mut self.input, path.as_bytes()).await?;
        frame::send(&mut self.input, bytes).await?;
        let answer = frame::receive(&mut self.output, MAX_ANSWER_BYTES).await?;
        let decoded = tokio::task::spawn_blocking(move || serde_json::from_slice(&answer));
        Ok(decoded.await.map_err(io::Error::other)??)
    }

    /// Ends the process and returns why it gave no response.
    async fn end(&mut self) -> Failure {
        // A process that is already dead keeps its exit status.
        self.child.start_kill().ok();
        let status = self.child.wait().await.ok();
        let stderr = (&mut self.stderr).await.unwrap_or_default();
        // The standard library writes these messages before it aborts.
        if stderr.contains("has overflowed its stack") {
            return Failure::Depth;
        }
        if stderr.contains("memory allocation of") {
            return Failure::Memory(self.limits.memory_mb);
        }
        if let Some(line) = stderr.lines().find(|line| line.contains(REFUSED)) {
            return Failure::Start(line.to_owned());
        }
        #[cfg(unix)]
        if let Some(signal) =
            std::os::unix::process::ExitStatusExt::signal(&status.unwrap_or_default())
            && signal == rustix::process::Signal::XCPU.as_raw()
        {
            return Failure::Processor(self.limits.cpu_seconds);
        }
        #[cfg(not(unix))]
        let _ = status;
        Failure::Crash
    }
}

fn command(program: &Path, limits: SandboxLimits) -> Command {
    let memory = u64::from(limits.memory_mb).saturating_mul(MEGABYTE);
    let mut command = Command::new(program);
    command
        .arg(COMMAND)
        .arg(format!("--memory-bytes={memory}"))
        .arg(format!("--cpu-seconds={}", limits.cpu_seconds))
        .env_clear()
        .env(ALLOCATOR.0, ALLOCATOR.1)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    // Ctrl-C in the terminal is for the server, which then ends its processes.
    #[cfg(unix)]
    command.process_group(0).current_dir("/");
    // Programs on Windows do not start without this variable.
    #[cfg(windows)]
    if let Some(root) = std::env::var_os("SystemRoot") {
        command.env("SystemRoot", root);
    }
    command
}

/// Returns the beginning of what a process writes to standard error; the rest is read and discarded.
async fn beginning_of(mut errors: ChildStderr) -> String {
    let (mut beginning, mut buffer) = (Vec::new(), [0; 1024]);
    while let Ok(read @ 1..) = errors.read(&mut buffer).await {
        let space = MAX_STDERR - beginning.len().min(MAX_STDERR);
        beginning.extend(buffer.iter().take(read.min(space)));
    }
    String::from_utf8_lossy(&beginning).into_owned()
}
