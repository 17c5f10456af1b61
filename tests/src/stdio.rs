//! The other end of a program's standard input and output, line by line.

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

use crate::{
    Home, json_rpc, process,
    server::{self, Log},
    within_deadline,
};

/// A program that talks over stdio.
#[derive(Debug)]
pub struct StdioPeer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    log: Log,
}

impl StdioPeer {
    /// Starts a `recall-kit-server` without the model, with further arguments.
    pub fn start(home: &Home, args: &[&str]) -> Self {
        let mut command = process::server(home, &["--transport", "stdio", "--embeddings", "off"]);
        command.args(args);
        Self::of(command)
    }

    /// Starts a prepared program.
    pub fn of(mut command: Command) -> Self {
        let mut child = process::start(&mut command);
        let stdout = child.stdout.take().expect("standard output is piped");
        let stderr = child.stderr.take().expect("standard error is piped");
        Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(stdout).lines(),
            log: Log::follow(stderr),
            child,
        }
    }

    /// Sends one line as it is.
    pub async fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("the peer is not closed");
        let line = format!("{line}\n");
        stdin
            .write_all(line.as_bytes())
            .await
            .expect("the program reads");
        stdin.flush().await.expect("the program reads");
    }

    /// Reads the next line, which must be JSON: nothing else belongs on standard output.
    pub async fn receive(&mut self) -> Value {
        let line = within_deadline("a line of the program", self.stdout.next_line()).await;
        let line = line.expect("standard output is UTF-8");
        let line = line.unwrap_or_else(|| panic!("the program ended: {}", self.log.text()));
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    /// Sends a request and reads its answer, skipping notifications.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let request = json_rpc(method, params);
        self.send(&request.to_string()).await;
        loop {
            let message = self.receive().await;
            if message["id"] == request["id"] {
                return message;
            }
            assert!(message["method"].is_string(), "unexpected {message}");
        }
    }

    /// Sends a signal by name, such as `TERM`.
    pub async fn signal(&self, name: &str) {
        server::signal(&self.child, name).await;
    }

    /// Closes standard input and returns the exit code and the log.
    pub async fn close(mut self) -> (Option<i32>, String) {
        self.stdin = None;
        let status = within_deadline("the end of the program", self.child.wait()).await;
        let status = status.expect("a started process can be awaited");
        (status.code(), self.log.complete().await)
    }
}
