//! Real PostgreSQL clusters for tests: created in a temporary folder, run as an unprivileged user, available
//! over loopback, and removed after the test.
//!
//! All functions here block until they are done, so that a test can call them from anywhere. A cluster ends
//! with the process that started it, even if that process is killed.

#![cfg(unix)]
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

mod binaries;
mod disk;
mod server;

use std::{
    fs::Permissions,
    hash::{BuildHasher as _, RandomState},
    net::TcpListener,
    ops::Range,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use tempfile::TempDir;

pub use self::binaries::{Binaries, unprivileged};
pub use self::disk::SmallDisk;
use self::server::Server;

/// The range of ports of clusters.
const PORTS: Range<u16> = 15_000..32_000;
/// The user of every cluster; connections over loopback are trusted.
const USER: &str = "recall";

/// The access rules of a cluster that requires TLS: anyone over loopback, and standbys.
const TLS_ONLY: &str = "\
    hostssl all all 127.0.0.1/32 trust\n\
    hostssl replication all 127.0.0.1/32 trust\n";

/// A cluster of one server; stopped and removed when dropped.
#[derive(Debug)]
pub struct Cluster {
    binaries: Binaries,
    folder: TempDir,
    port: u16,
    server: Option<Server>,
    databases: AtomicU32,
}

impl Cluster {
    /// Creates and starts a cluster of the newest PostgreSQL on this machine. Acknowledged writes may be lost
    /// if the machine fails, which no test simulates.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Like [`Self::start`], with settings of the form `name=value`.
    pub fn start_with(settings: &[&str]) -> Self {
        Self::of(Binaries::find(), settings)
    }

    /// Creates and starts a cluster with these binaries.
    pub fn of(binaries: Binaries, settings: &[&str]) -> Self {
        Self::in_folder(binaries, tempfile::tempdir().unwrap(), settings)
    }

    fn in_folder(binaries: Binaries, folder: TempDir, settings: &[&str]) -> Self {
        let mut cluster = Self::made(binaries, folder);
        cluster.configure(settings);
        cluster.resume_serving();
        cluster
    }

    /// Creates and starts a cluster that accepts only TLS connections; the certificate and its key are PEM.
    pub fn demanding_tls(certificate: &str, key: &str) -> Self {
        let mut cluster = Self::made(Binaries::find(), tempfile::tempdir().unwrap());
        // The file names that PostgreSQL expects; a standby copies the files.
        for (name, text) in [
            ("server.crt", certificate),
            ("server.key", key),
            ("pg_hba.conf", TLS_ONLY),
        ] {
            let path = cluster.data().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            unprivileged::give(&path);
        }
        cluster.configure(&["ssl=on"]);
        cluster.resume_serving();
        cluster
    }

    /// Creates the files of a cluster.
    fn made(binaries: Binaries, folder: TempDir) -> Self {
        let cluster = Self::empty(binaries, folder);
        let data = cluster.data();
        let mut initdb = cluster.binaries.command("initdb");
        initdb
            .args([
                "--no-sync",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
            ])
            .args(["--data-checksums", "--username", USER, "--pgdata"])
            .arg(&data);
        run(&mut initdb);
        cluster
    }

    /// Creates and starts a cluster with its files in this folder, such as a small disk.
    pub fn on(disk: &Path) -> Self {
        let folder = tempfile::tempdir_in(disk).unwrap();
        Self::in_folder(
            Binaries::find(),
            folder,
            &["wal_recycle=off", "max_wal_size='32MB'"],
        )
    }

    /// Creates and starts a standby of this cluster.
    pub fn standby(&self) -> Self {
        let mut standby = Self::empty(self.binaries.clone(), tempfile::tempdir().unwrap());
        let mut copy = self.binaries.command("pg_basebackup");
        copy.args([
            "--write-recovery-conf",
            "--checkpoint=fast",
            "--no-sync",
            "--pgdata",
        ])
        .arg(standby.data())
        .args(["--dbname", &self.url("postgres")]);
        run(&mut copy);
        standby.configure(&[]);
        standby.resume_serving();
        standby
    }

    fn empty(binaries: Binaries, folder: TempDir) -> Self {
        unprivileged::give(folder.path());
        Self {
            binaries,
            port: free_port(),
            folder,
            server: None,
            databases: AtomicU32::default(),
        }
    }

    fn configure(&self, settings: &[&str]) {
        let own = [
            format!("port={}", self.port),
            format!("unix_socket_directories='{}'", self.folder.path().display()),
            "listen_addresses='127.0.0.1'".to_owned(),
            "fsync=off".to_owned(),
            "shared_buffers='16MB'".to_owned(),
            "log_min_messages=fatal".to_owned(),
        ];
        let mut text = own.join("\n");
        for setting in settings {
            text.push('\n');
            text.push_str(setting);
        }
        // The settings of a copied cluster come first; the last value of a setting applies.
        let path = self.data().join("postgresql.conf");
        let before = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{before}\n{text}\n")).unwrap();
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the port on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// Creates an empty database and returns its name.
    pub fn database(&self) -> String {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{number}");
        self.sql("postgres", &format!("create database {name}"));
        name
    }

    /// Runs SQL and returns the result: one line for each row, with columns separated by `|`.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let mut psql = self.binaries.command("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set", "ON_ERROR_STOP=1", "--dbname", &self.url(database)])
            .args(["--command", sql]);
        run(&mut psql).trim_end().to_owned()
    }

    /// Kills the server and all its processes, as a crash would.
    pub fn crash(&mut self) {
        if let Some(server) = self.server.take() {
            server.signal_all(rustix::process::Signal::KILL);
            server.wait();
        }
    }

    /// Stops the server as an administrator does; connections are ended.
    pub fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.signal(rustix::process::Signal::INT);
            server.wait();
        }
    }

    /// Starts the server again, or for the first time, and waits until it answers.
    pub fn resume_serving(&mut self) {
        let server = Server::start(&self.binaries, &self.data(), self.port);
        self.server = Some(server);
    }

    /// Suspends every process of the server.
    pub fn pause(&self) {
        self.signal_all(rustix::process::Signal::STOP);
    }

    /// Resumes the processes after [`Self::pause`].
    pub fn unpause(&self) {
        self.signal_all(rustix::process::Signal::CONT);
    }

    fn signal_all(&self, signal: rustix::process::Signal) {
        if let Some(server) = &self.server {
            server.signal_all(signal);
        }
    }

    /// Promotes a standby to primary; it accepts writes when this returns.
    pub fn promote(&self) {
        let promoted = self.sql("postgres", "select pg_promote(true, 60)");
        assert_eq!(promoted, "t", "the standby was promoted");
    }

    /// Returns the folder of the cluster's files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.unpause();
        if let Some(server) = self.server.take() {
            server.signal(rustix::process::Signal::QUIT);
            server.wait();
        }
    }
}

/// Returns a free port below those that the system assigns, so that no other process gets it before the cluster
/// uses it.
fn free_port() -> u16 {
    let any = || RandomState::new().hash_one(()) % PORTS.len() as u64;
    let ports = std::iter::repeat_with(|| PORTS.start + any() as u16);
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().unwrap()
}

/// Runs a command, which must succeed, and returns its output.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
