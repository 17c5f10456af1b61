//! A real, small language model behind an OpenAI-compatible endpoint.

use tokio::{
    io::{AsyncBufReadExt as _, BufReader, copy, sink},
    process::Child,
    task::JoinSet,
};

use crate::{Home, process, python::prepare, within_deadline};

/// The running model; it ends when dropped.
#[derive(Debug)]
pub struct LanguageModel {
    address: String,
    _server: Child,
    /// Reads and discards the model's log.
    _log: JoinSet<()>,
}

impl LanguageModel {
    /// Loads the model that `tests/run` installed, and waits until it listens.
    pub async fn start(home: &Home) -> Self {
        let mut server = process::start(&mut prepare(home, "language_model.py", &[]));
        let stdout = server.stdout.take().expect("standard output is piped");
        let mut stderr = server.stderr.take().expect("standard error is piped");
        let mut log = JoinSet::new();
        log.spawn(async move { drop(copy(&mut stderr, &mut sink()).await) });
        let mut lines = BufReader::new(stdout).lines();
        let line = within_deadline("the model to listen", lines.next_line()).await;
        let address = line.ok().flatten();
        let address = address.expect("the model starts: `tests/run` installs it");
        Self {
            address,
            _server: server,
            _log: log,
        }
    }

    /// Returns the base URL to configure.
    pub fn url(&self) -> String {
        format!("{}/v1", self.address)
    }
}
