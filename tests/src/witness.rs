//! Named pipes between a test and a program that a server runs: one that the program and all it
//! starts hold open, and one that it waits at.

use std::path::PathBuf;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::unix::pipe::{OpenOptions, Receiver, Sender},
    process::Command,
};

use crate::{Home, within_deadline};

/// Sees whether a program, or anything it started, lives.
#[derive(Debug)]
pub struct Witness {
    path: PathBuf,
}

impl Witness {
    /// Makes the pipe.
    pub async fn new(home: &Home, name: &str) -> Self {
        Self {
            path: make_pipe(home, name).await,
        }
    }

    /// Returns a shell command with which a program, and whatever it starts, takes hold of the pipe.
    pub fn hold(&self) -> String {
        format!("exec 9>'{}'; echo >&9", self.path.display())
    }

    /// Waits until somebody holds the pipe.
    pub async fn started(&self) -> Held {
        let mut pipe = OpenOptions::new()
            .open_receiver(&self.path)
            .expect("the pipe can be read");
        let started = within_deadline("the program's start", pipe.read_u8()).await;
        started.expect("the program takes hold of the pipe");
        Held { pipe }
    }
}

/// The pipe while somebody holds it.
#[derive(Debug)]
pub struct Held {
    pipe: Receiver,
}

impl Held {
    /// Waits until nobody does.
    pub async fn ended(mut self) {
        let mut nothing = Vec::new();
        let read = within_deadline("the program's end", self.pipe.read_to_end(&mut nothing)).await;
        read.expect("the pipe can be read");
    }
}

/// Keeps a program waiting.
#[derive(Debug)]
pub struct Gate {
    path: PathBuf,
    pipe: Sender,
}

impl Gate {
    /// Makes the pipe.
    pub async fn new(home: &Home, name: &str) -> Self {
        let path = make_pipe(home, name).await;
        // Open for reading as well, so that it can be opened before the program does.
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

    /// Lets one program through.
    pub async fn open(&mut self) {
        let told = within_deadline("the gate", self.pipe.write_all(b"go\n")).await;
        told.expect("the pipe can be written");
    }
}

async fn make_pipe(home: &Home, name: &str) -> PathBuf {
    let path = home.path().join(name);
    let made = Command::new("mkfifo").arg(&path).status().await;
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    path
}
