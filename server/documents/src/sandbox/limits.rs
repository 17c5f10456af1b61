//! The limits that a reading process sets on itself.
//!
//! Linux enforces all of them. Other Unix systems enforce those on processor time and files, and may not enforce
//! the one on memory. Windows has none of them: there only the server's timeout ends a process.

use std::{io, time::Duration};

/// The limits on the command line of a reading process.
#[derive(Debug, Clone, Copy)]
pub struct WorkerLimits {
    /// Memory in addition to what the program uses before the first file, in bytes.
    pub memory_bytes: u64,
    /// Processor time for one file, in seconds.
    pub cpu_seconds: u64,
}

/// The limits that are in force.
pub(super) struct ActiveLimits {
    limits: WorkerLimits,
    /// The size of the process before the first file, in bytes; 0 if it is not known.
    start_bytes: u64,
}

/// Open files: the three pipes, and one to read the process's own size.
#[cfg(unix)]
const MAX_FILES: u64 = 8;

impl ActiveLimits {
    /// Sets the limits that apply for the whole life of the process.
    ///
    /// *Errors*: the system rejects a limit.
    pub(super) fn set(limits: WorkerLimits) -> io::Result<Self> {
        let start_bytes = size().unwrap_or(0);
        #[cfg(unix)]
        {
            use rustix::process::Resource;
            let memory = start_bytes.saturating_add(limits.memory_bytes);
            let result = set(Resource::As, memory);
            if cfg!(target_os = "linux") {
                result?;
            }
            set(Resource::Core, 0)?;
            set(Resource::Fsize, 0)?;
            set(Resource::Nofile, MAX_FILES)?;
        }
        Ok(Self {
            limits,
            start_bytes,
        })
    }

    /// Sets the limit of processor time for the next file, given the time `busy` that was spent on reading so
    /// far.
    ///
    /// Only one thread reads, so elapsed time is an upper bound of its processor time. A second is added for
    /// what `busy` does not include: the start and the pipes.
    ///
    /// *Errors*: the system rejects the limit.
    pub(super) fn grant(&self, busy: Duration) -> io::Result<()> {
        #[cfg(unix)]
        {
            use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
            let used = busy.as_secs().saturating_add(1);
            let current = used.saturating_add(self.limits.cpu_seconds);
            let maximum = getrlimit(Resource::Cpu).maximum;
            let current = Some(maximum.map_or(current, |most| most.min(current)));
            setrlimit(Resource::Cpu, Rlimit { current, maximum })?;
        }
        #[cfg(not(unix))]
        let _ = (busy, self.limits.cpu_seconds);
        Ok(())
    }

    /// Whether earlier files left so little memory that the next one should be read by a new process.
    pub(super) fn is_worn(&self) -> bool {
        let grown = size().unwrap_or(0).saturating_sub(self.start_bytes);
        grown > self.limits.memory_bytes / 2
    }
}

#[cfg(unix)]
fn set(resource: rustix::process::Resource, most: u64) -> io::Result<()> {
    let most = Some(most);
    let limit = rustix::process::Rlimit {
        current: most,
        maximum: most,
    };
    Ok(rustix::process::setrlimit(resource, limit)?)
}

/// Returns the address space that the process uses, in bytes; only Linux reports it.
fn size() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmSize:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.saturating_mul(1024))
}
