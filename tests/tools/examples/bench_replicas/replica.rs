//! A running server program on its own core.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use anyhow::{Context as _, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::machine::Core;

const READY: &str = "listening on ";

/// How to start a replica.
pub(crate) struct Launch<'a> {
    pub(crate) database: &'a str,
    pub(crate) embeddings: &'a str,
    pub(crate) core: Core,
}

/// A server; ended when dropped.
pub(crate) struct Replica {
    child: Child,
    /// The address of the server.
    pub(crate) url: String,
    folder: PathBuf,
}

impl Replica {
    /// Starts a server with its index in a folder, and waits until it listens.
    ///
    /// *Errors*: the last output of the server, if it does not start.
    pub(crate) fn start(launch: &Launch<'_>, folder: &Path) -> anyhow::Result<Self> {
        let mut command = launch.core.command(&program()?);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder)
            .arg("--data-dir")
            .arg(folder)
            .args(["--database", launch.database, "--port", "0"])
            .args(["--embeddings", launch.embeddings])
            .stdin(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().context("the server does not start")?;
        let log = child.stderr.take().context("its log is piped")?;
        match address(log) {
            Ok(url) => Ok(Self {
                child,
                url,
                folder: folder.to_owned(),
            }),
            Err(error) => {
                child.wait()?;
                Err(error)
            }
        }
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Returns the size of the index on disk in bytes.
    pub(crate) fn disk(&self) -> anyhow::Result<u64> {
        folder_size(&self.folder)
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        kill_process(self.pid(), Signal::TERM).ok();
        self.child.wait().ok();
    }
}

/// Returns the server program that was built beside this one.
fn program() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own
        .ancestors()
        .nth(2)
        .context("this program lies nowhere")?;
    let program = folder.join("recall-kit-server");
    if !program.exists() {
        bail!("the server is not built: cargo build --release -p recall-kit-server --bins");
    }
    Ok(program)
}

/// Reads the log until the server listens, and discards the rest.
fn address(log: impl std::io::Read + Send + 'static) -> anyhow::Result<String> {
    let mut lines = BufReader::new(log).lines();
    let mut last = String::new();
    for line in lines.by_ref() {
        last = line?;
        if let Some((_, url)) = last.split_once(READY) {
            let url = format!("{}/rpc", url.trim());
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(url);
        }
    }
    bail!("the server ended before it listened: {last}")
}

fn folder_size(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() {
            folder_size(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(bytes)
}
