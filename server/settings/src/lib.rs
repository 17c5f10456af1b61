//! The server's settings. Flags override the environment, which overrides the file, which overrides
//! the defaults.
//!
//! One struct, loaded once at start and passed explicitly. An unknown key is an error that names the
//! nearest known one. Secrets never show in debug output.

mod access;
mod database;
mod insights;
mod knowledge;
mod libraries;
mod limits;
mod models;
mod network;
mod offers;
pub mod private_files;
mod search;
mod web;

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use config::{Config, Environment, File};
use recall_kit_nearest::nearest;
use recall_kit_store::DatabaseUrl;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::{
    access::{AccessMode, AccessSettings, split_host},
    database::DatabaseSettings,
    insights::InsightsSettings,
    knowledge::KnowledgeSettings,
    libraries::{IngestSources, LibrarySettings},
    limits::LimitSettings,
    models::{AiProvider, AiSettings, EmbeddingProvider, EmbeddingSettings},
    network::{Network, customer_network, neighbourhood},
    offers::{
        ProgramSettings, PromptArgumentSettings, PromptMessageSettings, PromptRole, PromptSettings,
        ResourceSettings, ToolProfile, ToolSettings,
    },
    search::{SearchEngine, SearchSettings},
    web::WebSettings,
};

/// Environment variables with this prefix belong to the client.
const CLIENT_PREFIX: &str = "client_";

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file or a value could not be read.
    #[error("cannot read the settings: {0}")]
    Unreadable(String),
    /// A key that no setting has.
    #[error("unknown setting `{key}`{}", nearest.as_ref().map(|n| format!(", did you mean `{n}`?")).unwrap_or_default())]
    UnknownKey {
        /// The key as the user wrote it.
        key: String,
        /// The most similar known key.
        nearest: Option<String>,
    },
    /// There is no home directory to derive the data directory from.
    #[error("cannot tell where data belongs on this machine; give --data-dir")]
    NoDataDir,
    /// The address is reachable from other machines, there is no key, and no setting allows anonymous
    /// access.
    #[error(
        "{0} is reachable from other machines, and there is no API key yet; make one with \
         `recall-kit-server keys create --name NAME`, let anyone in with --access anonymous, \
         or listen on 127.0.0.1"
    )]
    OpenToAll(SocketAddr),
    /// A setting implies that other machines reach the server, there is no key, and no setting allows
    /// anonymous access.
    #[error(
        "{setting} implies that other machines reach this server, and there is no API key yet; make one \
         with `recall-kit-server keys create --name NAME`, let anyone in with --access anonymous, or \
         remove {what} from {setting}"
    )]
    OpenToOthers {
        /// The setting.
        setting: &'static str,
        /// What the setting names: a host name or a proxy.
        what: String,
    },
    /// A time or limit that is too small to be usable.
    #[error("`{setting}` must be at least {least}")]
    TooLittle {
        /// The setting's name.
        setting: &'static str,
        /// The smallest value.
        least: u64,
    },
}

impl From<config::ConfigError> for SettingsError {
    fn from(error: config::ConfigError) -> Self {
        Self::Unreadable(without_values(&error.to_string()))
    }
}

/// Removes the settings file's contents from a parser's message: the line that it quotes, and the
/// text that it found where it expected another type. Either may be a secret.
fn without_values(message: &str) -> String {
    let is_source = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        line.starts_with('|')
    };
    let lines: Vec<&str> = message.lines().filter(|line| !is_source(line)).collect();
    let mut message = lines.join(": ");
    let found = "string \"";
    if let Some(at) = message.find(found) {
        let value = at + found.len();
        let end = message.get(value..).and_then(|rest| rest.rfind('"'));
        if let Some(end) = end {
            message.replace_range(at + found.len() - 2..=value + end, "");
        }
    }
    message
}

/// How clients reach the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Every HTTP transport on one port.
    #[default]
    #[serde(alias = "sse", alias = "http-stream")]
    Http,
    /// Lines on standard input and output.
    Stdio,
}

/// What log lines look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// `TIME LEVEL - message, field: value`.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// A string that never shows in logs or debug output.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Returns the secret itself, for the code that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() {
            "(none)"
        } else {
            "(secret)"
        })
    }
}

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How clients reach the server.
    pub transport: Transport,
    /// The address to listen on.
    pub host: IpAddr,
    /// The port to listen on; 0 takes a free one.
    pub port: u16,
    /// Where the database and the index live; the platform's data directory when unset.
    pub data_dir: Option<PathBuf>,
    /// The database.
    pub database: DatabaseSettings,
    /// Embeddings.
    pub embeddings: EmbeddingSettings,
    /// The model that writes texts.
    pub ai: AiSettings,
    /// Search.
    pub search: SearchSettings,
    /// Queries.
    pub query: QuerySettings,
    /// The knowledge base.
    pub knowledge: KnowledgeSettings,
    /// What is stored about queries.
    pub insights: InsightsSettings,
    /// Documentation libraries.
    pub libraries: LibrarySettings,
    /// Bounds on what clients may send.
    pub limits: LimitSettings,
    /// Who may connect.
    pub access: AccessSettings,
    /// The web pages.
    pub web: WebSettings,
    /// Certificate and key; plain HTTP when unset.
    pub tls: TlsSettings,
    /// Logging.
    pub log: LogSettings,
    /// Tools besides the server's own.
    pub tools: ToolSettings,
    /// Resources to read.
    pub resources: Vec<ResourceSettings>,
    /// Prompt templates besides the server's own.
    pub prompts: Vec<PromptSettings>,
    /// Traces.
    pub telemetry: TelemetrySettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            transport: Transport::Http,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8090,
            data_dir: None,
            database: DatabaseSettings::default(),
            embeddings: EmbeddingSettings::default(),
            ai: AiSettings::default(),
            search: SearchSettings::default(),
            query: QuerySettings::default(),
            knowledge: KnowledgeSettings::default(),
            insights: InsightsSettings::default(),
            libraries: LibrarySettings::default(),
            limits: LimitSettings::default(),
            access: AccessSettings::default(),
            web: WebSettings::default(),
            tls: TlsSettings::default(),
            log: LogSettings::default(),
            tools: ToolSettings::default(),
            resources: Vec::new(),
            prompts: Vec::new(),
            telemetry: TelemetrySettings::default(),
        }
    }
}

/// Settings of queries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuerySettings {
    /// A query that takes longer is answered with `TIMEOUT`, in milliseconds.
    pub timeout_ms: u64,
}

impl Default for QuerySettings {
    fn default() -> Self {
        Self { timeout_ms: 2_000 }
    }
}

/// Certificate and key of the server, as PEM files; both or none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TlsSettings {
    /// The certificate, followed by the intermediate certificates up to the authority.
    pub certificate: Option<PathBuf>,
    /// The private key.
    pub key: Option<PathBuf>,
}

impl TlsSettings {
    /// Returns `https` where there is a certificate, else `http`.
    pub fn scheme(&self) -> &'static str {
        match self.certificate {
            Some(_) => "https",
            None => "http",
        }
    }
}

/// Logging.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogSettings {
    /// A level (`error` … `trace`, `off`) or a filter such as `info,recall_kit_server=debug`, in which
    /// `recall_kit_server` stands for every crate of the server; by default `info` over HTTP and `off` on stdio.
    pub level: Option<String>,
    /// What the lines look like.
    pub format: LogFormat,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            level: None,
            format: LogFormat::Text,
        }
    }
}

/// Traces for OpenTelemetry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TelemetrySettings {
    /// The collector that accepts OTLP over HTTP, such as `http://localhost:4318`; when unset, no
    /// traces are sent.
    pub otlp_endpoint: Option<String>,
    /// The name under which this server appears in the traces.
    pub service_name: String,
}

impl Default for TelemetrySettings {
    fn default() -> Self {
        Self {
            otlp_endpoint: None,
            service_name: "recall-kit-server".to_owned(),
        }
    }
}

impl Settings {
    /// Loads the settings. `flags` holds only the values set on the command line, by the settings'
    /// names.
    ///
    /// *Errors*: a file that cannot be read, an unknown key, a value of the wrong type.
    pub fn load(file: Option<&Path>, flags: &Map<String, Value>) -> Result<Self, SettingsError> {
        let mut sources = Config::builder();
        if let Some(path) = file {
            let from_file = Config::builder().add_source(File::from(path)).build()?;
            reject_unknown(&from_file.clone().try_deserialize::<Value>()?)?;
            sources = sources.add_source(from_file);
        }
        let environment = Environment::with_prefix("RECALL_KIT")
            .prefix_separator("_")
            .separator("__")
            .try_parsing(true)
            .list_separator(",")
            .with_list_parse_key("access.hosts")
            .with_list_parse_key("access.trusted_proxies");
        let from_environment = Config::builder().add_source(environment).build()?;
        let mut known = from_environment.try_deserialize::<Map<String, Value>>()?;
        // An unknown variable without a section may belong to another RecallKit program
        // (RECALL_KIT_CLIENT_CONFIG); an unknown key inside a section can only be a mistake.
        known.retain(|key, value| {
            value.is_object() && !key.starts_with(CLIENT_PREFIX) || is_known(key)
        });
        reject_unknown(&Value::Object(known.clone()))?;
        for layer in [&known, flags] {
            let text = Value::Object(layer.clone()).to_string();
            sources = sources.add_source(File::from_str(&text, config::FileFormat::Json));
        }
        let settings: Self = sources.build()?.try_deserialize()?;
        settings.libraries.check()?;
        Ok(settings)
    }

    /// Returns the folder of the database and the index.
    pub fn data_dir(&self) -> Result<PathBuf, SettingsError> {
        match &self.data_dir {
            Some(folder) => Ok(folder.clone()),
            None => {
                let base = directories::BaseDirs::new().ok_or(SettingsError::NoDataDir)?;
                Ok(base.data_dir().join("recall-kit"))
            }
        }
    }

    /// Returns the database's address.
    pub fn database_url(&self) -> Result<DatabaseUrl, SettingsError> {
        match &self.database.url {
            Some(url) => Ok(url.clone()),
            None => {
                let file = self.data_dir()?.join("recall-kit.db");
                Ok(format!("sqlite:{}", file.display()).into())
            }
        }
    }

    /// Returns the address to listen on. [`Self::access_mode`] decides whether that is allowed.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(self.host, self.port)
    }

    /// Returns how long a query may take.
    pub fn query_timeout(&self) -> Duration {
        Duration::from_millis(self.query.timeout_ms)
    }
}

/// The defaults as a tree that contains every known key, including those of list items.
fn known_tree() -> Value {
    let (tools, resource, prompt) = offers::samples();
    let settings = Settings {
        tools,
        resources: vec![resource],
        prompts: vec![prompt],
        ..Settings::default()
    };
    serde_json::to_value(settings).expect("settings are plain data")
}

fn is_known(key: &str) -> bool {
    known_tree().get(key).is_some()
}

/// Rejects a tree with a key that the defaults do not have.
fn reject_unknown(tree: &Value) -> Result<(), SettingsError> {
    walk(tree, &known_tree(), "")
}

fn walk(tree: &Value, known: &Value, path: &str) -> Result<(), SettingsError> {
    match (tree, known) {
        // An object that is empty in the sample is free-form: schemas and environments.
        (Value::Object(_), Value::Object(known)) if known.is_empty() => Ok(()),
        (Value::Object(tree), Value::Object(known)) => {
            for (key, value) in tree {
                let at = |name: &str| match path {
                    "" => name.to_owned(),
                    _ => format!("{path}.{name}"),
                };
                let full = at(key);
                let Some(below) = known.get(key) else {
                    let nearest = nearest(key, known.keys().map(String::as_str)).map(at);
                    return Err(SettingsError::UnknownKey { key: full, nearest });
                };
                walk(value, below, &full)?;
            }
            Ok(())
        }
        (Value::Array(items), Value::Array(known)) => match known.first() {
            Some(sample) => items.iter().try_for_each(|item| walk(item, sample, path)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
