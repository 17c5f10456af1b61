//! Shell scripts that a server offers as a tool, and named pipes between them and a test: a [`Witness`], which
//! shows whether a script and everything it started still runs, and a [`Gate`], at which a script waits.

use std::path::PathBuf;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::unix::pipe::{OpenOptions, Receiver, Sender},
    process::Command,
};

use crate::{Home, within_deadline};

/// Returns settings with the calculator and the tool `script`, which runs a shell script; `more` are further
/// settings of that tool.
pub fn script_tool(script: &str, more: &str) -> String {
    format!(
        r#"
        [tools]
        calculator = true
        [[tools.programs]]
        name = "script"
        title = "Script"
        description = "Runs a script"
        command = ["sh", "-c", '''{script}''']
        {more}
        "#
    )
}

/// Shows whether a program, or anything it started, is running: they hold a pipe open.
#[derive(Debug)]
pub struct Witness {
    path: PathBuf,
}

impl Witness {
    /// Creates the pipe.
    pub async fn new(home: &Home, name: &str) -> Self {
        Self {
            path: make_pipe(home, name).await,
        }
    }

    /// Returns a shell command that opens the pipe for a program and everything it starts.
    pub fn hold(&self) -> String {
        format!("exec 9>'{}'; echo >&9", self.path.display())
    }

    /// Waits until a program has opened the pipe.
    pub async fn started(&self) -> RunningProgram {
        let mut pipe = OpenOptions::new()
            .open_receiver(&self.path)
            .expect("the pipe can be read");
        let started = within_deadline("the program's start", pipe.read_u8()).await;
        started.expect("the program takes hold of the pipe");
        RunningProgram { pipe }
    }
}

/// A program that has the pipe open.
#[derive(Debug)]
pub struct RunningProgram {
    pipe: Receiver,
}

impl RunningProgram {
    /// Waits until the program and everything it started have ended.
    pub async fn ended(mut self) {
        let mut nothing = Vec::new();
        let read = within_deadline("the program's end", self.pipe.read_to_end(&mut nothing)).await;
        read.expect("the pipe can be read");
    }
}

/// Makes a program wait.
#[derive(Debug)]
pub struct Gate {
    path: PathBuf,
    pipe: Sender,
}

impl Gate {
    /// Creates the pipe.
    pub async fn new(home: &Home, name: &str) -> Self {
        let path = make_pipe(home, name).await;
        // Opened for reading as well, since opening a pipe only for writing fails while no program reads.
        let pipe = OpenOptions::new().read_write(true).open_sender(&path);
        Self {
            pipe: pipe.expect("the pipe can be written"),
            path,
        }
    }

    /// Returns a shell command that waits until the gate is opened.
    pub fn wait(&self) -> String {
        format!("read word <'{}'", self.path.display())
    }

    /// Lets one waiting program continue.
    pub async fn open(&mut self) {
        let opened = within_deadline("the gate", self.pipe.write_all(b"go\n")).await;
        opened.expect("the pipe can be written");
    }
}

async fn make_pipe(home: &Home, name: &str) -> PathBuf {
    let path = home.path().join(name);
    let made = Command::new("mkfifo").arg(&path).status().await;
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    path
}
