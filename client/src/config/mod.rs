//! The client's settings: their types and defaults. [`load`] reads them.

mod ai;
mod error;
mod found;
mod keys;
mod load;
mod own_rules;
mod ownership;
mod secret;
mod server_url;
mod servers;
mod shape;
#[cfg(test)]
mod tests;
mod tools;
mod trust;

use std::{fmt, time::Duration};

use recall_kit_sanitizer::{CustomRule, RuleGroup};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

pub(crate) use ai::AiEndpoint;
pub use ai::{AiConfig, AiSettingsError};
pub use error::{ConfigError, JsonProblem};
pub use found::{FoundFile, Standing};
pub use load::{CONFIG_FILE_NAME, ConfigSearch, LoadedConfig};
pub use secret::ApiKey;
pub use server_url::{DEFAULT_PORT, LOCAL_SERVER_URL, ServerUrl, ServerUrlError};
pub use servers::{KEYS_HINT, KeyKind, KeyPlace, KeysError, RemovedKey, ServerKeys};
pub use tools::{
    CitationsMode, EnvironmentMode, HooksConfig, OutcomesMode, ToolProfile, ToolsConfig,
};
pub(crate) use trust::make_folder;
pub use trust::{TrustDecision, TrustError, TrustStore};

/// The default deadline: a query should be answered within 2 seconds. *Unit*: milliseconds.
const QUERY_DEADLINE: u64 = 2000;

/// The settings of one client; every setting has a working default.
///
/// Its serialized form is a configuration file; the API key is never serialized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ClientConfig {
    /// The server, and how long to wait for it. If there are [`ClientConfig::servers`], these are used
    /// instead.
    pub server: ServerConfig,
    /// Servers that are queried together, such as the team's and the public one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<NamedServer>,
    /// The name of the server that submissions go to; the first one if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_to: Option<String>,
    /// How long a query of several servers waits for the others once one has answered. *Unit*:
    /// milliseconds, at least 1.
    #[serde(skip_serializing_if = "is_usual_deadline")]
    pub query_deadline: u64,
    /// The model that summarizes conversations.
    pub ai: AiConfig,
    /// What is removed from text before it leaves this machine.
    pub sanitizer: SanitizerConfig,
    /// What agents are offered.
    #[serde(skip_serializing_if = "ToolsConfig::is_default")]
    pub tools: ToolsConfig,
    /// What hooks put before an agent.
    #[serde(skip_serializing_if = "HooksConfig::is_default")]
    pub hooks: HooksConfig,
    /// Whether it is observed, asked or neither what came of experiences that were shown.
    #[serde(skip_serializing_if = "OutcomesMode::is_default")]
    pub outcomes: OutcomesMode,
    /// Whether queries and reports say which versions are in use.
    #[serde(skip_serializing_if = "EnvironmentMode::is_default")]
    pub environment: EnvironmentMode,
    /// Whether entries name the files of the repository that they are about.
    #[serde(skip_serializing_if = "CitationsMode::is_default")]
    pub citations: CitationsMode,
    /// Whether submissions may be sent without asking; see [`ClientConfig::sends_unasked`].
    pub auto_submit: bool,
    /// Whether a person is asked before a submission is sent.
    pub prompt_on_submit: bool,
    /// Whether similar experiences are searched for before a submission is confirmed.
    #[serde(skip_serializing_if = "is_true")]
    pub search_on_submit: bool,
}

impl ClientConfig {
    /// Returns the position of the server that submissions go to among [`ClientConfig::servers`].
    pub(crate) fn submission_server(&self) -> usize {
        let to = self.submit_to.as_ref();
        let position = to.and_then(|to| self.servers.iter().position(|it| it.name == *to));
        position.unwrap_or(0)
    }

    /// Returns whether a submission may be sent without asking a person: only with `autoSubmit` on *and*
    /// `promptOnSubmit` off.
    pub fn sends_unasked(&self) -> bool {
        self.auto_submit && !self.prompt_on_submit
    }
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            server: ServerConfig::default(),
            servers: Vec::new(),
            submit_to: None,
            query_deadline: QUERY_DEADLINE,
            ai: AiConfig::default(),
            sanitizer: SanitizerConfig::default(),
            tools: ToolsConfig::default(),
            hooks: HooksConfig::default(),
            outcomes: OutcomesMode::default(),
            environment: EnvironmentMode::default(),
            citations: CitationsMode::default(),
            auto_submit: false,
            prompt_on_submit: true,
            search_on_submit: true,
        }
    }
}

/// The server to connect to; `Debug` shows the URL without credentials and query.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ServerConfig {
    /// The server's URL, in one of the forms of [`ServerUrl`].
    pub url: String,
    /// How long one attempt may take, including connecting. *Unit*: milliseconds, at least 1.
    pub timeout: u64,
}

impl ServerConfig {
    /// Returns the time one attempt may take.
    pub fn attempt_timeout(&self) -> Duration {
        Duration::from_millis(self.timeout)
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConfig")
            .field("url", &server_url::redacted(&self.url))
            .field("timeout", &self.timeout)
            .finish()
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            url: LOCAL_SERVER_URL.to_owned(),
            timeout: 5000,
        }
    }
}

/// One of several servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedServer {
    /// The server's name, which labels its results.
    pub name: String,
    /// Its URL, and how long to wait for it.
    #[serde(flatten)]
    pub server: ServerConfig,
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_usual_deadline(deadline: &u64) -> bool {
    *deadline == QUERY_DEADLINE
}

/// What is removed from text before it leaves this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SanitizerConfig {
    /// Whether anything is removed at all.
    pub enabled: bool,
    /// The groups of rules that apply.
    #[serde(deserialize_with = "rules_by_name")]
    pub rules: Vec<RuleGroup>,
    /// User-defined rules, in addition to the built-in ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<CustomRule>,
    /// What is not removed although a rule finds it: complete findings, or regular expressions between
    /// slashes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
}

impl SanitizerConfig {
    /// Returns the groups for text that is only displayed: the configured ones, or none while the
    /// sanitizer is off.
    pub fn groups(&self) -> Vec<RuleGroup> {
        self.with_always(&[])
    }

    /// Returns the groups for text that leaves this machine: the configured ones, and always
    /// [`RuleGroup::RemoveApiKeys`] and [`RuleGroup::RemovePersonalInfo`], because nobody else may read
    /// either. For a context servers also demand [`RuleGroup::RemoveUrls`], which is applied elsewhere. None
    /// while the sanitizer is off.
    pub fn outgoing_groups(&self) -> Vec<RuleGroup> {
        self.with_always(&[RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo])
    }

    /// Returns the groups for queries: as for other outgoing text, except that names of variables stay,
    /// because queries are often about them.
    pub(crate) fn lookup_groups(&self) -> Vec<RuleGroup> {
        let mut groups = self.outgoing_groups();
        groups.retain(|group| *group != RuleGroup::AnonymizeVariables);
        groups
    }

    fn with_always(&self, always: &[RuleGroup]) -> Vec<RuleGroup> {
        let applies = |group: &RuleGroup| self.rules.contains(group) || always.contains(group);
        RuleGroup::ALL
            .into_iter()
            .filter(|group| self.enabled && applies(group))
            .collect()
    }
}

impl Default for SanitizerConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            rules: RuleGroup::REMOVAL.to_vec(),
            custom: Vec::new(),
            allow: Vec::new(),
        }
    }
}

/// Reads the groups by name.
fn rules_by_name<'de, D: Deserializer<'de>>(names: D) -> Result<Vec<RuleGroup>, D::Error> {
    let names = Vec::<String>::deserialize(names)?;
    let groups = names.iter().map(|name| name.parse());
    groups.collect::<Result<_, _>>().map_err(D::Error::custom)
}
