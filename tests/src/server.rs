//! A running `recall-kit-server` over HTTP: start it on a free port, talk to it, read its log, end it.

use std::{process::ExitStatus, sync::Arc};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, ChildStderr, Command},
    sync::watch,
};

use crate::{Home, Output, RawAnswer, RawConnection, Wire, process, within_deadline};

const READY: &str = "listening on ";

/// How to start a server; the defaults suit most tests: a free port, no model.
#[derive(Debug)]
pub struct Launch<'a> {
    home: &'a Home,
    port: u16,
    embeddings: &'static str,
    args: Vec<String>,
    env: Vec<(String, String)>,
    largest_file_kib: Option<u32>,
    unprivileged: bool,
}

impl<'a> Launch<'a> {
    /// Prepares a server whose data lives in `home`.
    pub fn new(home: &'a Home) -> Self {
        Self {
            home,
            port: 0,
            embeddings: "off",
            args: Vec::new(),
            env: Vec::new(),
            largest_file_kib: None,
            unprivileged: false,
        }
    }

    /// Chooses the embeddings: `builtin`, `openai` or `off`.
    pub fn embeddings(mut self, kind: &'static str) -> Self {
        self.embeddings = kind;
        self
    }

    /// Listens on this port instead of a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Adds command line arguments.
    pub fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(ToString::to_string));
        self
    }

    /// Starts the server with a settings file that has this text.
    pub fn settings(self, toml: &str) -> Self {
        let path = self.home.write("server.toml", toml);
        self.args(&["--config", &path.to_string_lossy()])
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl ToString) -> Self {
        self.env.push((name.to_owned(), value.to_string()));
        self
    }

    /// Limits the size of files, so that writes fail as on a full disk.
    pub fn largest_file_kib(mut self, kib: u32) -> Self {
        self.largest_file_kib = Some(kib);
        self
    }

    /// Runs the server as a user to whom file modes apply, even if the tests run as root.
    pub fn unprivileged(mut self) -> Self {
        self.unprivileged = true;
        self
    }

    /// Starts the server and waits until it listens.
    pub async fn start(self) -> Server {
        Server::listening(self.command()).await
    }

    /// Runs a server that is expected to end by itself.
    pub async fn run(self) -> Output {
        process::run(self.command(), "").await
    }

    /// Runs another command of the program with the same arguments and environment variables.
    pub async fn run_command(self, name: &str) -> Output {
        let mut command = process::server(self.home, &[name]);
        command
            .env("RECALL_KIT_EMBEDDINGS__PROVIDER", self.embeddings)
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        process::run(command, "").await
    }

    fn command(&self) -> Command {
        let mut command = process::server(self.home, &[]);
        if let Some(kib) = self.largest_file_kib {
            command = process::limited(&command, self.home, kib);
        }
        if self.unprivileged {
            command = process::unprivileged(&command, self.home);
        }
        command
            .args(["--port", &self.port.to_string()])
            .args(["--embeddings", self.embeddings])
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// A server that listens; killed when dropped.
#[derive(Debug)]
pub struct Server {
    /// Talks to the server over HTTP.
    pub wire: Wire,
    child: Child,
    log: Log,
}

impl Server {
    /// Starts a server with the defaults of [`Launch`].
    pub async fn start(home: &Home) -> Self {
        Launch::new(home).start().await
    }

    /// Starts an example program that serves over the server's transports.
    pub async fn start_example(home: &Home, name: &str) -> Self {
        let mut command = process::program(&format!("examples/{name}"), home);
        command.env("TMPDIR", home.path()).args(["--port", "0"]);
        Self::listening(command).await
    }

    /// Starts a prepared program and waits until it listens.
    async fn listening(mut command: Command) -> Self {
        let mut child = process::start(&mut command);
        let log = Log::follow(child.stderr.take().expect("standard error is piped"));
        let line = log.wait_for(READY).await;
        let url = line.split(READY).nth(1).unwrap_or_default().trim();
        // All addresses include loopback, which the tests use.
        let url = &url.replace("//0.0.0.0:", "//127.0.0.1:");
        assert!(url.contains("://127.0.0.1:"), "ready line: {line}");
        Self {
            wire: Wire::new(url),
            child,
            log,
        }
    }

    /// Returns the port it listens on.
    pub fn port(&self) -> u16 {
        self.wire.port()
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id().expect("the process runs")
    }

    /// Sends a request byte for byte, on a new connection, and returns the answer.
    pub async fn ask(&self, request: &str) -> RawAnswer {
        let mut connection = RawConnection::open(self.port()).await;
        connection.send(request).await;
        let answer = connection.answer().await;
        answer.unwrap_or_else(|| panic!("no answer to {request}"))
    }

    /// Returns the memory that the process uses, in kibibytes (`VmRSS`).
    pub fn memory_kib(&self) -> u64 {
        let id = self.id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status"));
        let status = status.expect("Linux tells about processes");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let value = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        value.expect("a process has memory")
    }

    /// Returns everything logged so far.
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Checks that calls were logged, and that no error was.
    pub fn logged_calls_without_errors(&self) {
        let log = self.log();
        assert!(log.contains("INFO - Tool called: "), "no calls in {log}");
        for bad in ["ERROR", "panicked"] {
            assert!(!log.contains(bad), "{log}");
        }
    }

    /// Waits until a line with `needle` was logged, and returns that line.
    pub async fn logged(&self, needle: &str) -> String {
        self.log.wait_for(needle).await
    }

    /// Returns whether the process still runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Removes the limit on the size of files, as if space were freed on a full disk.
    pub async fn lift_file_limit(&self) {
        let id = self.id();
        let status = Command::new("prlimit")
            .args([&format!("--pid={id}"), "--fsize=unlimited"])
            .status()
            .await
            .expect("util-linux is installed");
        assert!(status.success(), "prlimit");
    }

    /// Sends a signal by name, such as `TERM`.
    pub async fn signal(&self, name: &str) {
        signal(&self.child, name).await;
    }

    /// Waits for the end of the process.
    pub async fn ended(&mut self) -> ExitStatus {
        within_deadline("the server's end", self.child.wait())
            .await
            .expect("a started process can be awaited")
    }

    /// Ends the process in an orderly way, and returns everything it logged.
    pub async fn stop(mut self) -> String {
        self.signal("TERM").await;
        let status = self.ended().await;
        let log = self.log.complete().await;
        assert_eq!(status.code(), Some(0), "{log}");
        log
    }

    /// Ends the process at once, as a power cut would.
    pub async fn kill(mut self) {
        within_deadline("the killed server's end", self.child.kill())
            .await
            .expect("a running process can be killed");
    }
}

/// Sends a signal by name to a process that this test started.
pub(crate) async fn signal(child: &Child, name: &str) {
    let id = child.id().expect("the process still runs");
    let status = Command::new("sh")
        .args(["-c", &format!("kill -{name} {id}")])
        .status()
        .await
        .expect("a shell can be started");
    assert!(status.success(), "signal {name}");
}

/// What a process has written to standard error so far, and whether it has closed the stream.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    seen: watch::Receiver<(Arc<str>, bool)>,
}

impl Log {
    pub(crate) fn follow(stderr: ChildStderr) -> Self {
        let (sender, seen) = watch::channel((Arc::from(""), false));
        tokio::spawn(async move {
            let mut reader = BufReader::new(stderr);
            let mut text = String::new();
            let mut line = Vec::new();
            while matches!(reader.read_until(b'\n', &mut line).await, Ok(read) if read > 0) {
                text.push_str(&String::from_utf8_lossy(&line));
                line.clear();
                sender.send_replace((Arc::from(text.as_str()), false));
            }
            sender.send_replace((Arc::from(text), true));
        });
        Self { seen }
    }

    pub(crate) fn text(&self) -> String {
        self.seen.borrow().0.to_string()
    }

    /// Waits for the end of the stream.
    pub(crate) async fn complete(&mut self) -> String {
        let end = self.seen.wait_for(|(_, closed)| *closed);
        let _ = within_deadline("the log's end", end).await;
        self.text()
    }

    pub(crate) async fn wait_for(&self, needle: &str) -> String {
        let mut seen = self.seen.clone();
        let found = seen.wait_for(|(text, closed)| text.contains(needle) || *closed);
        let _ = within_deadline(&format!("a log line with {needle:?}"), found).await;
        let text = self.text();
        let line = text.lines().find(|line| line.contains(needle));
        match line {
            Some(line) => line.to_owned(),
            None => panic!("the process ended without logging {needle:?}:\n{text}"),
        }
    }
}
