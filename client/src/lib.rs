//! The client of RecallKit: asks a server for solved problems, and shares new ones.
//!
//! Text is sanitized before it leaves this machine, and a submission is confirmed before it is sent; the
//! [types of a submission](Draft) enforce both. The server is the local program `recall-kit-server`
//! unless the [configuration](ClientConfig) names another.
//!
//! ```no_run
//! use recall_kit_client::{Answer, Claims, Decision, Draft, Installed, RecallKitClient};
//!
//! # async fn example() -> Result<(), recall_kit_client::Error> {
//! let client = RecallKitClient::builder()
//!     .server_url("mcp://recall-kit-server")
//!     .config_path("./recall-kit-client.config.json")
//!     .build()?;
//!
//! // Query: with keywords, an error message or a question.
//! let results = client.query("React useState not updating").await?;
//! for experience in &results.experiences {
//!     println!("{:.2}  {}", experience.relevance, experience.title);
//! }
//!
//! // Share: sanitize, show, confirm, send; with the versions for which it is said to apply.
//! let draft = Draft::new("title", "what happened with react 18", "what solved it");
//! let shown = client.prepare(draft).propose(Installed::default());
//! println!("{:#?} {:?}", shown.request(), shown.applies().map(Claims::to_lines));
//! if let Decision::Send(confirmed) = shown.confirm(Answer::Confirm) {
//!     let stored = client.submit_experience(&confirmed).await?;
//!     println!("{}", stored.id);
//! }
//!
//! client.close().await;
//! # Ok(())
//! # }
//! ```

mod analyze;
mod builder;
mod config;
mod connection;
mod error;
mod error_log;
mod keyring;
mod keywords;
mod outbox;
mod query;
mod reading;
mod sanitizer;
mod submit;
mod summarize;

use std::{sync::Arc, time::Duration};

use recall_kit_sanitizer::Sanitized;
use recall_kit_shared_types::{
    IDEMPOTENCY_KEY_META, QueryExperiencesData, RELEVANCE_PARTS_META, SubmitExperienceData,
    ToolName, applicability::APPLIES_META, outcomes::RECALL_META,
};
use rmcp::model::{CallToolResult, JsonObject, RequestMetaObject};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Mutex;

pub use builder::ClientBuilder;
pub use config::{
    AiConfig, AiSettingsError, ApiKey, CONFIG_FILE_NAME, CitationsMode, ClientConfig, ConfigError,
    ConfigSearch, DEFAULT_PORT, EnvironmentMode, FoundFile, HooksConfig, JsonProblem, KEYS_HINT,
    KeyKind, KeyPlace, KeysError, LOCAL_SERVER_URL, LoadedConfig, NamedServer, OutcomesMode,
    RemovedKey, SanitizerConfig, ServerConfig, ServerKeys, ServerUrl, ServerUrlError, Standing,
    ToolProfile, ToolsConfig, TrustDecision, TrustError, TrustStore,
};
pub use connection::inspect::{Health, ServerDescription};
pub use error::Error;
pub use error_log::ErrorLog;
pub use keywords::{Need, ProblemType, extract_keywords};
pub use outbox::{
    Content, Flushed, Kept, MAX_KEPT, MAX_KEPT_BYTES, MAX_OBSERVED, Outbox, OutboxError, Recipient,
    Sending,
};
pub use query::{FormattedExperience, QueryRequest, QueryResults};
pub use reading::{
    DocsRequest, FoundDocs, FoundEntries, FoundLibraries, Labelled, Recalled, Reference,
    ReferenceError, Shown, short_ids,
};
pub use recall_kit_applicability::{Claims, InvalidLine, LineProblem};
pub use recall_kit_shared_types::{RelevanceParts, applicability, episodes, outcomes};
pub use remote::{CallContext, Offer};
pub use sanitizer::ConfiguredSanitizer;
pub use servers::{Servers, Unanswered};
pub use submit::{
    Answer, Confirmed, ConfirmedEntry, Decision, Draft, HeldOutcome, Installed, Overruled,
    PreparedOutcome, SanitizedDraft, SanitizedEntry,
};
pub use summarize::{
    AiFailure, Episode, MadeBy, Question, Remark, SampleError, Sampler, Summary, commands_in,
};
pub use transcripts::{
    Action, ActionKind, Conversation, MAX_TRANSCRIPT_BYTES, Reading, Role, TranscriptError, Turn,
};

#[doc(hidden)]
pub use connection::http_transport;
pub use connection::trial::{FirstCall, first_call};
use connection::{Connection, Target, ToolCall};
use query::MIN_RELEVANCE;
use retry::RetryPolicy;

use crate::connection::answer;
use crate::connection::remote;
use crate::connection::retry;
use crate::connection::servers;
use crate::summarize::transcripts;

/// A client of one server. It connects when it is first used, and reconnects when it has to.
///
/// It can be used from any tokio program and by several tasks at once.
pub struct RecallKitClient {
    config: ClientConfig,
    sanitizer: ConfiguredSanitizer,
    name: Option<String>,
    target: Target,
    error_log: Option<ErrorLog>,
    connection: Mutex<Option<Arc<Connection>>>,
}

impl RecallKitClient {
    /// Creates a client with the given settings.
    ///
    /// *Errors*: [`Error::ServerUrl`], [`Error::Config`] for a user-defined rule that does not work.
    pub fn new(config: ClientConfig) -> Result<Self, Error> {
        Self::builder().config(config).build()
    }

    /// Returns a builder; unless settings are given, it searches for them as `recall-kit-client` does.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// Returns the settings in use.
    pub fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Returns the server's name in the settings, if they name several servers.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the name of the server for messages: its name in the settings, else its URL.
    pub(crate) fn label(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => self.target.url.to_string(),
        }
    }

    /// Returns the server's URL.
    pub fn server_url(&self) -> &ServerUrl {
        &self.target.url
    }

    /// Finds solved problems. Text is first sanitized and turned into keywords, both on this
    /// machine. Records whose relevance rounds to 0.00 are left out.
    ///
    /// *Errors*: [`Error::Validation`] for blank keywords or a limit outside 1–50, and any error of a
    /// failed call.
    pub async fn query(&self, request: impl Into<QueryRequest>) -> Result<QueryResults, Error> {
        let mut results = self.query_all(request).await?;
        results.retain_from(MIN_RELEVANCE);
        Ok(results)
    }

    /// Like [`RecallKitClient::query`], but returns every record that the server returns.
    pub(crate) async fn query_all(
        &self,
        request: impl Into<QueryRequest>,
    ) -> Result<QueryResults, Error> {
        let request = self.analyzed(request.into()).await;
        let mut meta = RequestMetaObject::new();
        if request.parts {
            meta.0.insert(RELEVANCE_PARTS_META.to_owned(), true.into());
        }
        meta.0.insert(RECALL_META.to_owned(), true.into());
        self.add_environment(request.environment(), &mut meta);
        let request = request.into_wire(&self.sanitizer);
        let tool = ToolName::QueryExperiences;
        let read = |mut result: CallToolResult| {
            let parts = answer::relevance_parts(&mut result);
            let recall = answer::standings(&mut result);
            let fits = answer::fits(&mut result);
            let data: QueryExperiencesData = answer::read(result, &self.target.url)?;
            let results = QueryResults {
                parts,
                ..data.into()
            };
            Ok(results.with_standings(recall).with_applicability(fits))
        };
        let answered = self.call(tool, &request, meta).await;
        self.logged(tool.as_str(), answered.and_then(read))
    }

    /// Sanitizes a text as the settings say; returns it unchanged while the sanitizer is off.
    pub fn sanitize(&self, text: &str) -> Sanitized {
        self.sanitizer.sanitize(text)
    }

    /// Sanitizes a draft as the settings say, to be shown to a person.
    pub fn prepare(&self, draft: Draft) -> SanitizedDraft {
        draft.sanitize(&self.sanitizer)
    }

    /// Sends a confirmed experience. After an error the same [`Confirmed`] may be sent again: the
    /// server stores it only once.
    ///
    /// *Errors*: [`Error::Validation`] with each rejected field, and any error of a failed call. After
    /// [`Error::Network`], [`Error::Timeout`] and [`Error::Answer`] it is unknown whether the experience
    /// was stored.
    pub async fn submit_experience(
        &self,
        experience: &Confirmed,
    ) -> Result<SubmitExperienceData, Error> {
        let mut meta = RequestMetaObject::new();
        let key = experience.idempotency_key().to_string();
        meta.0.insert(IDEMPOTENCY_KEY_META.to_owned(), key.into());
        if let Some(applies) = experience.applies() {
            let applies = serde_json::json!(applies.to_wire());
            meta.0.insert(APPLIES_META.to_owned(), applies);
        }
        let tool = ToolName::SubmitExperience;
        let answered = self.call(tool, experience.request(), meta).await;
        let read = |result| answer::read(result, &self.target.url);
        self.logged(tool.as_str(), answered.and_then(read))
    }

    /// Closes the connection and waits until the other side has closed it too, so that a local server
    /// can write its pending data. A later call connects again.
    pub async fn close(&self) {
        let connection = self.connection.lock().await.take();
        if let Some(connection) = connection.and_then(Arc::into_inner) {
            connection.close().await;
        }
    }

    /// Records a failure of the server in the error log.
    fn logged<T>(&self, call: &str, outcome: Result<T, Error>) -> Result<T, Error> {
        if let (Some(log), Err(error)) = (&self.error_log, &outcome) {
            log.note(call, &self.target.url, error);
        }
        outcome
    }

    /// Calls a tool, with the protocol's retries.
    async fn call(
        &self,
        tool: ToolName,
        arguments: &impl Serialize,
        meta: RequestMetaObject,
    ) -> Result<CallToolResult, Error> {
        let call = ToolCall {
            tool: tool.as_str().to_owned(),
            arguments: object(arguments),
            meta,
        };
        RetryPolicy::PROTOCOL
            .run(|| self.attempt(async |connection| connection.call(call.clone()).await))
            .await
    }

    /// Runs `work` with an open connection, within the time limit of one attempt. A connection that
    /// failed is not used again.
    async fn attempt<T>(
        &self,
        work: impl AsyncFnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let usual = self.config.server.attempt_timeout();
        self.attempt_within(usual, work).await
    }

    /// Like [`Self::attempt`] with another time limit; connecting still has the limit of one attempt.
    async fn attempt_within<T>(
        &self,
        limit: Duration,
        work: impl AsyncFnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let late = |after| {
            let server = self.target.url.to_string();
            Error::Timeout { server, after }
        };
        let usual = self.config.server.attempt_timeout();
        let mut used = None;
        let attempt = async {
            let connecting = tokio::time::timeout(usual, self.connect()).await;
            let connection = used.insert(connecting.unwrap_or_else(|_| Err(late(usual)))?);
            work(connection).await
        };
        let outcome = tokio::time::timeout(limit, attempt).await;
        let outcome = outcome.unwrap_or_else(|_| Err(late(limit)));
        if let (Err(Error::Network { .. } | Error::Timeout { .. }), Some(failed)) = (&outcome, used)
        {
            let mut current = self.connection.lock().await;
            // Another task may have connected again in the meantime.
            current.take_if(|current| Arc::ptr_eq(current, &failed));
        }
        outcome
    }

    async fn connect(&self) -> Result<Arc<Connection>, Error> {
        let mut slot = self.connection.lock().await;
        if let Some(connection) = slot.as_ref() {
            return Ok(connection.clone());
        }
        let connection = Arc::new(Connection::open(&self.target).await?);
        Ok(slot.insert(connection).clone())
    }
}

impl std::fmt::Debug for RecallKitClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecallKitClient")
            .field("config", &self.config)
            .field("server", &self.target.url)
            .finish_non_exhaustive()
    }
}

fn object(arguments: &impl Serialize) -> JsonObject {
    match serde_json::to_value(arguments) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}
