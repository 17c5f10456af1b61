//! Reads files in processes of their own, so that a hostile file ends such a process and not the server.
//!
//! A [`Sandbox`] starts the program again with the hidden command `read-documents`, which runs
//! [`serve`]. It sends one file after another over the process's standard input and receives what was
//! read over its standard output. `readers::needs_sandbox` says which files need it.
//!
//! Security properties: a process sets its limits before it reads the first byte; it gets none of
//! the server's environment, no open file but its three pipes, and one file at a time. The sandbox
//! kills it when its time is up. A process that dies, hangs or answers nonsense costs its file alone.

mod frame;
mod limits;
mod process;
mod worker;

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Semaphore;

pub use self::{limits::WorkerLimits, worker::serve};

use self::process::{Answer, Failure, Process};
use super::readers::{ReadError, Reading};

/// The name of the command that runs [`serve`].
pub const COMMAND: &str = "read-documents";
/// Processes that read at once, at most.
const MAX_PROCESSES: usize = 4;
/// A megabyte of the settings, in bytes.
const MEGABYTE: u64 = 1024 * 1024;

/// What one process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SandboxLimits {
    /// Memory beyond what the program itself takes, in megabytes.
    pub memory_mb: u32,
    /// Processor time for one file, in seconds.
    pub cpu_seconds: u32,
    /// Time for one file by the clock.
    pub timeout: Duration,
}

impl Default for SandboxLimits {
    fn default() -> Self {
        Self {
            memory_mb: 512,
            cpu_seconds: 20,
            timeout: Duration::from_secs(60),
        }
    }
}

/// Starts and keeps the processes that read files.
#[derive(Debug)]
pub struct Sandbox {
    program: Option<PathBuf>,
    limits: SandboxLimits,
    places: Semaphore,
    idle: Mutex<Vec<Process>>,
}

impl Sandbox {
    /// Creates a sandbox that starts `program`, which must understand [`COMMAND`]. Without a program it refuses every
    /// file: a library cannot know how to start the program that it is part of.
    pub fn new(program: Option<PathBuf>, limits: SandboxLimits) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            program,
            limits,
            places: Semaphore::new(cores.min(MAX_PROCESSES)),
            idle: Mutex::default(),
        }
    }

    /// Reads a file, as `readers::read` does.
    ///
    /// *Errors*: as of `readers::read`; and the file needs more than the limits allow, its reader
    /// crashed, or no process can be started.
    pub async fn read(&self, path: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
        match self.ask(path, bytes).await {
            Ok(answer) => answer.read,
            Err(failure) => Err(ReadError::new(format!(
                "the file cannot be read: {failure}"
            ))),
        }
    }

    /// Ends the processes that wait for a file; the next file starts one again.
    pub fn end_idle(&self) {
        self.idle().clear();
    }

    async fn ask(&self, path: &str, bytes: &[u8]) -> Result<Answer, Failure> {
        let program = self.program.as_deref().ok_or(Failure::NoProgram)?;
        let _place = self.places.acquire().await;
        if let Some(mut used) = self.take_idle() {
            match used.read(path, bytes).await {
                Ok(answer) => return Ok(self.keep(used, answer)),
                Err(failure) if failure.is_timeout() => return Err(failure),
                // Earlier files may be the cause: only a new process shows what this file needs.
                Err(_) => {}
            }
        }
        let mut process = Process::start(program, self.limits)?;
        let answer = process.read(path, bytes).await?;
        Ok(self.keep(process, answer))
    }

    fn keep(&self, process: Process, answer: Answer) -> Answer {
        if !process.is_worn() {
            self.idle().push(process);
        }
        answer
    }

    fn take_idle(&self) -> Option<Process> {
        self.idle().pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the path that starts the running program again.
///
/// On Linux this is the very file that runs, even if another version was installed since.
pub fn this_program() -> Option<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() {
        return Some(running.to_owned());
    }
    std::env::current_exe().ok()
}

#[cfg(test)]
mod tests;
