//! Processor cores, and the processor time and memory of processes according to `/proc`.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use rustix::process::{Pid, getpid};

/// The clock ticks per second in which the kernel counts a process's time.
const TICKS: f64 = 100.0;

/// The core that the replicas share; all other processes use another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Core(u32);

impl Core {
    /// Finds the first and the last core, and pins this process, and all processes that it starts, to the
    /// first.
    ///
    /// *Errors*: if there is only one core, or no `taskset`.
    pub(crate) fn reserve() -> anyhow::Result<Self> {
        let own = getpid();
        let allowed = line(own, "status", "Cpus_allowed_list:")?;
        let mut numbers = allowed.split([',', '-']).map(str::parse);
        let others: u32 = numbers.next().context("no core may be used")??;
        let replicas = numbers.next_back().transpose()?;
        let replicas = replicas.context("two cores are needed, one for replicas alone")?;
        let mut taskset = Command::new("taskset");
        let id = own.as_raw_nonzero().to_string();
        taskset.args([
            "--all-tasks",
            "--cpu-list",
            "--pid",
            &others.to_string(),
            &id,
        ]);
        let pinned = taskset.stdout(Stdio::null()).status();
        let pinned = pinned.context("taskset, of the package util-linux, is needed")?;
        ensure!(pinned.success(), "this process may not choose its core");
        Ok(Self(replicas))
    }

    /// Returns a command that runs a program on the replicas' core; the started process is the program itself.
    pub(crate) fn command(self, program: &Path) -> Command {
        let mut command = Command::new("taskset");
        let core = self.0.to_string();
        command.args(["--cpu-list", &core]).arg(program);
        command
    }
}

/// Returns the processor time of a process with all its threads, also those that ended; in steps of 10 ms.
pub(crate) fn processor_time(pid: Pid) -> anyhow::Result<Duration> {
    let stat = read(pid, "stat")?;
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = after_name.split(' ').skip(11).take(2);
    let ticks: f64 = ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    Ok(Duration::from_secs_f64(ticks / TICKS))
}

/// Returns the processor time of a single-threaded process and its children, with a resolution of a nanosecond:
/// for PostgreSQL, where every connection is a process.
pub(crate) fn family_time(pid: Pid) -> anyhow::Result<Duration> {
    let id = pid.as_raw_nonzero();
    let children = read(pid, &format!("task/{id}/children"))?;
    let children = children.split_whitespace().filter_map(|id| id.parse().ok());
    let mut time = own_time(pid)?;
    for child in children.filter_map(Pid::from_raw) {
        // A process that has ended by now did not serve a connection.
        time += own_time(child).unwrap_or_default();
    }
    Ok(time)
}

fn own_time(pid: Pid) -> anyhow::Result<Duration> {
    let text = read(pid, "schedstat")?;
    let first = text.split(' ').next().unwrap_or_default();
    let nanoseconds = first
        .parse()
        .context("schedstat does not begin with a time")?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// Resident memory in bytes: anonymous, and mapped files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) own: u64,
    pub(crate) mapped: u64,
}

/// Reads the resident memory of a process.
pub(crate) fn memory(pid: Pid) -> anyhow::Result<Memory> {
    let bytes = |name: &str| -> anyhow::Result<u64> {
        let text = line(pid, "status", name)?;
        let kib = text.split(' ').next().unwrap_or_default();
        Ok(kib.parse::<u64>()? * 1024)
    };
    let memory = Memory {
        own: bytes("RssAnon:")?,
        mapped: bytes("RssFile:")?,
    };
    ensure!(memory.own > 0, "the process has ended");
    Ok(memory)
}

/// Returns the value after a name in a file of `/proc`.
fn line(pid: Pid, file: &str, name: &str) -> anyhow::Result<String> {
    let text = read(pid, file)?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let line = line.with_context(|| format!("/proc tells no {name}"))?;
    Ok(line.trim().to_owned())
}

fn read(pid: Pid, file: &str) -> anyhow::Result<String> {
    let path = format!("/proc/{}/{file}", pid.as_raw_nonzero());
    fs::read_to_string(&path).with_context(|| format!("{path} cannot be read"))
}
