//! Reads files in separate processes, so that a malicious file ends such a process and not the server.
//!
//! A [`Sandbox`] starts the program again with the hidden command `read-documents`, which runs [`serve`]. It
//! sends files one at a time over the process's standard input, and receives the results over its standard
//! output. `readers::needs_sandbox` decides which files must be read this way.
//!
//! Security properties: a process sets its limits before it reads the first byte. It gets none of the server's
//! environment, no open files but its three pipes, and one file at a time. The sandbox kills it at the timeout.
//! If a process dies, hangs or sends an invalid result, only the file that it was reading fails.

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
/// The most processes that read at the same time.
const MAX_PROCESSES: usize = 4;
/// A megabyte as used in the settings, in bytes.
const MEGABYTE: u64 = 1024 * 1024;

/// What one process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SandboxLimits {
    /// Memory in addition to what the program itself uses, in megabytes.
    pub memory_mb: u32,
    /// Processor time for one file, in seconds.
    pub cpu_seconds: u32,
    /// Elapsed time for one file.
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

/// Starts the processes that read files, and reuses them.
#[derive(Debug)]
pub struct Sandbox {
    program: Option<PathBuf>,
    limits: SandboxLimits,
    places: Semaphore,
    idle: Mutex<Vec<Process>>,
}

impl Sandbox {
    /// Creates a sandbox that starts `program`, which must understand [`COMMAND`]. Without a program it rejects
    /// every file, because a library cannot know how to start the program that it is part of.
    pub fn new(program: Option<PathBuf>, limits: SandboxLimits) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            program,
            limits,
            places: Semaphore::new(cores.min(MAX_PROCESSES)),
            idle: Mutex::default(),
        }
    }

    /// Reads a file like `readers::read`.
    ///
    /// *Errors*: those of `readers::read`; or the file needs more than the limits allow, its reader crashed, or
    /// no process can be started.
    pub async fn read(&self, path: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
        match self.read_in_process(path, bytes).await {
            Ok(answer) => answer.read,
            Err(failure) => Err(ReadError::new(format!(
                "the file cannot be read: {failure}"
            ))),
        }
    }

    /// Ends the idle processes; the next file starts a new one.
    pub fn end_idle(&self) {
        self.idle().clear();
    }

    async fn read_in_process(&self, path: &str, bytes: &[u8]) -> Result<Answer, Failure> {
        let program = self.program.as_deref().ok_or(Failure::NoProgram)?;
        let _place = self.places.acquire().await;
        if let Some(mut used) = self.take_idle() {
            match used.read(path, bytes).await {
                Ok(answer) => return Ok(self.return_to_pool(used, answer)),
                Err(failure) if failure.is_timeout() => return Err(failure),
                // Earlier files may be the cause: only a new process shows what this file needs.
                Err(_) => {}
            }
        }
        let mut process = Process::start(program, self.limits)?;
        let answer = process.read(path, bytes).await?;
        Ok(self.return_to_pool(process, answer))
    }

    fn return_to_pool(&self, process: Process, answer: Answer) -> Answer {
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

/// Returns the path with which the running program can be started again.
///
/// On Linux this is the file that is running, even if another version was installed since.
pub fn this_program() -> Option<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() {
        return Some(running.to_owned());
    }
    std::env::current_exe().ok()
}

#[cfg(test)]
mod tests;
