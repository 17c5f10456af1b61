//! The server process of a cluster.

use std::{
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::binaries::{Binaries, unprivileged};

/// How long a server may take to start or to stop.
const DEADLINE: Duration = Duration::from_secs(60);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(10);

/// A shell script that starts a program and stops it when the script's input ends. That happens when the
/// process with the other end of the pipe ends, in whatever way.
const WATCHED: &str = "\
    exec 3<&0; \"$@\" 3<&- </dev/null & server=$!; \
    { read -r _ <&3; kill -QUIT $server; } 2>/dev/null & watch=$!; \
    wait $server; kill $watch";

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    watcher: Child,
    /// The other end of the watcher's input; closing it would end the server at once.
    _watcher_input: Option<ChildStdin>,
    data: PathBuf,
}

impl Server {
    /// Starts a server and waits until it answers.
    pub(crate) fn start(binaries: &Binaries, data: &Path, port: u16) -> Self {
        let started = Instant::now();
        let mut server = Self::spawn(binaries, data);
        while !answers(binaries, port) {
            let log = || std::fs::read_to_string(data.with_file_name("log"));
            assert!(
                started.elapsed() < DEADLINE,
                "PostgreSQL does not start: {:?}",
                log()
            );
            // The remaining processes of a killed server prevent the next one from starting until they have
            // ended.
            if server.watcher.try_wait().unwrap().is_some() {
                server = Self::spawn(binaries, data);
            }
            std::thread::sleep(PAUSE);
        }
        server
    }

    fn spawn(binaries: &Binaries, data: &Path) -> Self {
        // The pid file of a crashed server would be mistaken for the new server's.
        std::fs::remove_file(data.join("postmaster.pid")).ok();
        let log = std::fs::File::create(data.with_file_name("log")).unwrap();
        let mut watcher = Command::new("sh");
        unprivileged::run_as(&mut watcher);
        watcher
            .args(["-c", WATCHED, "sh"])
            .arg(binaries.path("postgres"))
            .arg("-D")
            .arg(data)
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", "/")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log);
        let mut watcher = watcher.spawn().unwrap();
        Self {
            _watcher_input: watcher.stdin.take(),
            watcher,
            data: data.to_owned(),
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(pid) = self.pid() {
            kill_process(pid, signal).ok();
        }
    }

    /// Signals the processes that serve connections as well: each is a process group of its own.
    pub(crate) fn signal_all(&self, signal: Signal) {
        let Some(pid) = self.pid() else { return };
        let id = pid.as_raw_nonzero();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        kill_process(pid, signal).ok();
        for child in children.unwrap_or_default().split_whitespace() {
            if let Some(child) = child.parse().ok().and_then(Pid::from_raw) {
                kill_process(child, signal).ok();
            }
        }
    }

    /// Waits until the server has ended.
    pub(crate) fn wait(mut self) {
        self.watcher.wait().unwrap();
    }

    fn pid(&self) -> Option<Pid> {
        let file = std::fs::read_to_string(self.data.join("postmaster.pid")).ok()?;
        Pid::from_raw(file.lines().next()?.parse().ok()?)
    }
}

fn answers(binaries: &Binaries, port: u16) -> bool {
    let mut ask = binaries.command("pg_isready");
    ask.args(["--quiet", "--host", "127.0.0.1"])
        .args(["--port", &port.to_string()]);
    ask.status().unwrap().success()
}
