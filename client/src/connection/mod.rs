//! One MCP connection over stdio or Streamable HTTP: opening, requests, closing.
//!
//! It knows nothing about experiences, and it never retries. The futures are boxed, so that the machinery of MCP
//! and HTTP is compiled in this crate instead of in every program that uses it.

pub(crate) mod answer;
mod failure;
pub(crate) mod inspect;
mod program;
pub(crate) mod remote;
pub(crate) mod retry;
pub(crate) mod servers;
pub(crate) mod trial;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use futures::{FutureExt as _, future::BoxFuture};
use http::{HeaderName, HeaderValue};
use recall_kit_shared_types::SCHEMAS_META;
use reqwest::redirect::Policy;
use rmcp::{
    RoleClient, ServiceError, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
        CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResponse,
        GetPromptResult, Implementation, JsonObject, PaginatedRequestParams, Prompt,
        ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        RequestMetaObject, Resource, ResourceTemplate, ServerCapabilities, ServerPeerInfo, Tool,
    },
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, common::client_side_sse::NeverRetry,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};

use crate::{
    Error,
    config::{ApiKey, ServerKeys, ServerUrl},
};
pub(crate) use failure::http_failure;
pub(crate) use program::Program;
use program::RunningProgram;

/// The header of an API key. The credentials of a URL, for a gateway, are in `Authorization`.
const KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");

/// How long closing a connection may take; the local server flushes its index meanwhile.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum number of pages of a list of tools.
const MAX_PAGES: usize = 100;

/// What to connect to.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The server's URL.
    pub(crate) url: ServerUrl,
    /// How to start the program that [`ServerUrl::Local`] stands for.
    pub(crate) program: Program,
    /// Where the server's API key comes from.
    pub(crate) key: KeySource,
}

/// Where a server's API key comes from.
#[derive(Debug, Clone, Default)]
pub(crate) enum KeySource {
    #[default]
    None,
    /// The user has just given it.
    Given(ApiKey),
    /// It is looked up with each connection.
    Stored(ServerKeys),
}

impl KeySource {
    /// Returns the source for a server that a given key is not meant for.
    pub(crate) fn of_other_server(self) -> Self {
        match self {
            Self::Given(_) | Self::None => Self::None,
            Self::Stored(keys) => Self::Stored(keys),
        }
    }

    async fn of(&self, server: &ServerUrl) -> Result<Option<ApiKey>, Error> {
        match self {
            Self::None => Ok(None),
            Self::Given(key) => Ok(Some(key.clone())),
            Self::Stored(keys) => Ok(keys.find(server).await?),
        }
    }
}

/// One call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct ToolCall {
    /// The tool's name.
    pub(crate) tool: String,
    /// Its arguments.
    pub(crate) arguments: JsonObject,
    /// The `_meta` object that is sent with the arguments.
    pub(crate) meta: RequestMetaObject,
}

/// An open MCP connection.
pub(crate) struct Connection {
    service: RunningService<RoleClient, ClientConfig>,
    program: Option<RunningProgram>,
    server: String,
}

impl Connection {
    /// Connects and performs the handshake.
    pub(crate) fn open(target: &Target) -> BoxFuture<'_, Result<Self, Error>> {
        async move {
            let server = target.url.to_string();
            match &target.url {
                ServerUrl::Local => {
                    let started = target.program.start(&server)?;
                    Self::over_pipes(started, server).await
                }
                ServerUrl::Http(_) => {
                    let key = target.key.of(&target.url).await?;
                    let transport = keyed_transport(&target.url, key)?;
                    let service = client_config().serve(transport).await;
                    Ok(Self {
                        service: service.map_err(|error| failure::of_handshake(error, &server))?,
                        program: None,
                        server,
                    })
                }
            }
        }
        .boxed()
    }

    /// Performs the handshake with a program that was started.
    async fn over_pipes(
        (transport, program): (TokioChildProcess, RunningProgram),
        server: String,
    ) -> Result<Self, Error> {
        match client_config().serve(transport).await {
            Ok(service) => Ok(Self {
                service,
                program: Some(program),
                server,
            }),
            Err(error) => Err(program.explain(failure::of_handshake(error, &server)).await),
        }
    }

    /// Connects to a server at the other end of a pipe in memory.
    #[cfg(test)]
    pub(crate) async fn over(pipe: tokio::io::DuplexStream) -> Result<Self, Error> {
        let server = "mcp://memory".to_owned();
        let service = client_config().serve(pipe).await;
        Ok(Self {
            service: service.map_err(|error| failure::of_handshake(error, &server))?,
            program: None,
            server,
        })
    }

    /// Calls a tool and returns its result, which may be an error of the contract.
    pub(crate) fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<CallToolResult, Error>> {
        async move {
            let mut params =
                CallToolRequestParams::new(call.tool.clone()).with_arguments(call.arguments);
            params.meta = Some(call.meta);
            match self.service.call_tool_once(params).await {
                Ok(CallToolResponse::Complete(result)) => Ok(result),
                Ok(_) => Err(self.input_requested(&call.tool)),
                Err(error) => Err(self.failure(error).await),
            }
        }
        .boxed()
    }

    /// Returns the tools the server offers, with the schemas of their answers and their icons.
    pub(crate) fn tools(&self) -> BoxFuture<'_, Result<Vec<Tool>, Error>> {
        async move {
            let mut meta = RequestMetaObject::new();
            meta.0.insert(SCHEMAS_META.to_owned(), true.into());
            let (mut tools, mut cursor) = (Vec::new(), None);
            let mut seen = HashSet::new();
            for _ in 0..MAX_PAGES {
                let mut page = PaginatedRequestParams::default().with_cursor(cursor);
                page.meta = Some(meta.clone());
                let listed = self
                    .or_failure(self.service.list_tools(Some(page)).await)
                    .await?;
                tools.extend(listed.tools);
                cursor = listed.next_cursor;
                match &cursor {
                    None => return Ok(tools),
                    Some(next) if !seen.insert(next.clone()) => {
                        return Err(self.unexpected("its list of tools repeats a page".to_owned()));
                    }
                    Some(_) => {}
                }
            }
            Err(self.unexpected(format!("its list of tools has more than {MAX_PAGES} pages")))
        }
        .boxed()
    }

    /// Returns the prompts the server offers.
    pub(crate) fn prompts(&self) -> BoxFuture<'_, Result<Vec<Prompt>, Error>> {
        async move { self.or_failure(self.service.list_all_prompts().await).await }.boxed()
    }

    /// Returns the resources the server lists.
    pub(crate) fn resources(&self) -> BoxFuture<'_, Result<Vec<Resource>, Error>> {
        async move {
            self.or_failure(self.service.list_all_resources().await)
                .await
        }
        .boxed()
    }

    /// Returns the URI templates of the server's resources.
    pub(crate) fn resource_templates(&self) -> BoxFuture<'_, Result<Vec<ResourceTemplate>, Error>> {
        async move {
            self.or_failure(self.service.list_all_resource_templates().await)
                .await
        }
        .boxed()
    }

    /// Reads a resource.
    pub(crate) fn read_resource(
        &self,
        params: ReadResourceRequestParams,
    ) -> BoxFuture<'_, Result<ReadResourceResult, Error>> {
        async move {
            match self
                .or_failure(self.service.read_resource_once(params).await)
                .await?
            {
                ReadResourceResponse::Complete(result) => Ok(result),
                _ => Err(self.input_requested("resources/read")),
            }
        }
        .boxed()
    }

    /// Fills in a prompt.
    pub(crate) fn prompt(
        &self,
        params: GetPromptRequestParams,
    ) -> BoxFuture<'_, Result<GetPromptResult, Error>> {
        async move {
            match self
                .or_failure(self.service.get_prompt_once(params).await)
                .await?
            {
                GetPromptResponse::Complete(result) => Ok(result),
                _ => Err(self.input_requested("prompts/get")),
            }
        }
        .boxed()
    }

    /// Requests completions of an argument.
    pub(crate) fn complete(
        &self,
        params: CompleteRequestParams,
    ) -> BoxFuture<'_, Result<CompleteResult, Error>> {
        async move { self.or_failure(self.service.complete(params).await).await }.boxed()
    }

    /// Returns the server's capabilities.
    pub(crate) fn capabilities(&self) -> Option<ServerCapabilities> {
        let peer = self.service.peer_info()?;
        Some(peer.capabilities.clone())
    }

    /// Returns the error for a server that requests input first, which this client cannot give.
    fn input_requested(&self, request: &str) -> Error {
        self.unexpected(format!(
            "`{request}` requested input instead of returning a result"
        ))
    }

    fn unexpected(&self, reason: String) -> Error {
        Error::Answer {
            server: self.server.clone(),
            reason,
        }
    }

    /// Converts the error of a request, if it failed.
    async fn or_failure<T>(&self, outcome: Result<T, ServiceError>) -> Result<T, Error> {
        match outcome {
            Ok(value) => Ok(value),
            Err(error) => Err(self.failure(error).await),
        }
    }

    /// Returns the server's description of itself.
    pub(crate) fn peer(&self) -> Option<ServerPeerInfo> {
        self.service.peer_info().map(|info| (*info).clone())
    }

    /// Closes the connection and waits until the other side has closed it too.
    pub(crate) async fn close(mut self) {
        if let Err(error) = self.service.close_with_timeout(CLOSE_TIMEOUT).await {
            tracing::warn!(%error, "the connection did not close cleanly");
        }
    }

    /// Converts the error of a call, and adds the last log lines of the local program.
    async fn failure(&self, error: ServiceError) -> Error {
        let error = failure::of_call(error, &self.server);
        match &self.program {
            Some(program) => program.explain(error).await,
            None => error,
        }
    }
}

/// Creates the transport to a server over Streamable HTTP.
///
/// *Errors*: [`Error::Answer`], if this machine's certificates cannot be used.
pub fn http_transport(
    url: &ServerUrl,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, Error> {
    keyed_transport(url, None)
}

fn keyed_transport(
    url: &ServerUrl,
    key: Option<ApiKey>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, Error> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    if let Some(key) = key
        && let Ok(mut value) = HeaderValue::from_str(key.expose())
    {
        value.set_sensitive(true);
        config = config.custom_headers(HashMap::from([(KEY_HEADER, value)]));
    }
    // A broken stream is reported, so that the call is repeated with its idempotency key.
    config.retry_config = Arc::new(NeverRetry::default());
    Ok(StreamableHttpClientTransport::with_client(
        http_client(url)?,
        config,
    ))
}

/// Creates the HTTP client of a server; [`crate::RecallKitClient::health`] uses the same.
pub(crate) fn http_client(url: &ServerUrl) -> Result<reqwest::Client, Error> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error means that another thread has installed one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    // A redirected POST would lose its body or go to another server.
    let mut builder = reqwest::Client::builder().redirect(Policy::none());
    if url.is_loopback() {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| Error::Answer {
        server: url.to_string(),
        reason: format!("cannot create an HTTP client: {error}"),
    })
}

fn client_config() -> ClientConfig {
    let name = Implementation::new("recall-kit-client", env!("CARGO_PKG_VERSION"));
    // The latest version that begins with `initialize`; servers of any version support it.
    ClientConfig::new(ClientCapabilities::default(), name)
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
}
