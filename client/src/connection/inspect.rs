//! Requests of `doctor` to a server: its description, its tools and its health routes.

use std::path::PathBuf;

use crate::{Error, RecallKitClient, connection};

/// The description that a server gives of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerDescription {
    /// The server's name.
    pub name: String,
    /// The server's version.
    pub version: String,
    /// The MCP version that both sides agreed on.
    pub protocol_version: String,
    /// The names of the tools it offers.
    pub tools: Vec<String>,
}

/// The answer of an HTTP server on one of its plain health routes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The URL of the request, without credentials and query.
    pub url: String,
    /// The HTTP status.
    pub status: u16,
}

impl RecallKitClient {
    /// Connects, without retries, and returns the server's description of itself.
    ///
    /// *Errors*: any error of a failed call.
    pub async fn describe_server(&self) -> Result<ServerDescription, Error> {
        self.attempt(async |connection| {
            let tools = connection.tools().await?;
            let tools = tools.into_iter().map(|tool| tool.name.into()).collect();
            let peer = connection.peer();
            let server = peer.as_ref().and_then(|peer| peer.server_info.clone());
            Ok(ServerDescription {
                name: server
                    .as_ref()
                    .map(|it| it.name.clone())
                    .unwrap_or_default(),
                version: server.map(|it| it.version).unwrap_or_default(),
                protocol_version: peer
                    .map(|peer| peer.protocol_version.to_string())
                    .unwrap_or_default(),
                tools,
            })
        })
        .await
    }

    /// Requests one of the server's plain routes, such as `/healthz`, without retries; returns `None` if
    /// the server is the local program.
    ///
    /// *Errors*: [`Error::Network`], [`Error::Timeout`].
    pub async fn health(&self, path: &str) -> Result<Option<Health>, Error> {
        let Some(url) = self.server_url().sibling(path) else {
            return Ok(None);
        };
        let http = connection::http_client(self.server_url())?;
        let after = self.config().server.attempt_timeout();
        match http.get(url.as_str()).timeout(after).send().await {
            Ok(answer) => Ok(Some(Health {
                url: url.to_string(),
                status: answer.status().as_u16(),
            })),
            Err(error) => Err(connection::http_failure(error, after, self.server_url())),
        }
    }

    /// Returns the path of the local server program.
    ///
    /// *Errors*: [`Error::ProgramMissing`].
    pub fn server_program(&self) -> Result<PathBuf, Error> {
        self.target.program.locate()
    }
}
