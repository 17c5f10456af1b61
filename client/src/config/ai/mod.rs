//! The settings of the AI model that summarizes conversations, and the endpoint that results from them and
//! the environment.

#[cfg(test)]
mod tests;

use std::time::Duration;

use reqwest::{Url, header::HeaderValue};
use serde::{Deserialize, Serialize};

use super::{ApiKey, ServerUrl};

/// The addresses of OpenAI and of a local Ollama.
const OPENAI: &str = "https://api.openai.com/v1";
const OLLAMA: &str = "http://127.0.0.1:11434/v1";
/// The environment variables of OpenAI's own libraries.
const BASE_URL_VARIABLE: &str = "OPENAI_BASE_URL";
const KEY_VARIABLE: &str = "OPENAI_API_KEY";
/// The placeholder for the key in the example configuration.
const PLACEHOLDER: &str = "YOUR_API_KEY";

/// The smallest window that has room for a question and its answer. *Unit*: tokens.
pub(crate) const MIN_WINDOW: u32 = 1_024;

/// The model that summarizes conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AiConfig {
    /// The provider of the model: `openai` for any OpenAI-compatible service, `ollama` for one on this
    /// machine, `off` for none.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// The key; if left out, `OPENAI_API_KEY` is used. If it is empty, no key is sent.
    #[serde(skip_serializing)]
    pub api_key: Option<ApiKey>,
    /// The address of the service, without `/chat/completions`; if left out, `OPENAI_BASE_URL` is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// How long a summary may take, including sanitizing and retries. *Unit*: milliseconds, at least 1.
    #[serde(skip_serializing_if = "is_default_timeout")]
    pub timeout: u64,
    /// The size of the model's context window. *Unit*: tokens, at least 1,024.
    #[serde(skip_serializing_if = "is_default_window")]
    pub context_window: u32,
    /// Whether the model also analyzes queries; rules are used if it is off or the model fails.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub analyze_needs: bool,
}

impl Default for AiConfig {
    fn default() -> Self {
        Self {
            provider: "openai".to_owned(),
            model: "gpt-4".to_owned(),
            api_key: None,
            base_url: None,
            // A summary should take less than 5 seconds; the rest is for the extraction without a model.
            timeout: 4_500,
            // The window of the default model.
            context_window: 8_192,
            analyze_needs: false,
        }
    }
}

fn is_default_timeout(timeout: &u64) -> bool {
    *timeout == AiConfig::default().timeout
}

fn is_default_window(window: &u32) -> bool {
    *window == AiConfig::default().context_window
}

/// The endpoint of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AiEndpoint {
    /// The address without `/chat/completions` and without a trailing slash.
    pub(crate) url: ServerUrl,
    /// The key; without one no key is sent.
    pub(crate) key: Option<ApiKey>,
    /// The model's name.
    pub(crate) model: String,
    /// The time limit of a whole question, including retries.
    pub(crate) timeout: Duration,
    /// The size of the context window. *Unit*: tokens.
    pub(crate) window: u32,
}

/// Why the settings of the AI cannot be used; no variant contains a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AiSettingsError {
    /// An unknown provider without an address.
    #[error("ai.provider `{0}` is not known; set ai.baseUrl to its OpenAI-compatible address")]
    Provider(String),
    /// The address is invalid.
    #[error("ai.baseUrl cannot be used: {0}; it has to be like https://host/v1")]
    BaseUrl(&'static str),
    /// The key would be sent unencrypted over the network.
    #[error(
        "ai.baseUrl is http:// on another machine, where the key would be sent unencrypted; use \
         https://, or set ai.apiKey to \"\" if the service needs none"
    )]
    ClearText,
    /// The key has characters that cannot be sent in a header.
    #[error(
        "the AI's key has characters that cannot be sent; look for spaces and line breaks in it"
    )]
    Key,
}

impl AiConfig {
    /// Returns the endpoint, if the settings or the environment name a service: by an address, by a key, or
    /// by a provider that needs neither.
    ///
    /// *Errors*: [`AiSettingsError`].
    pub(crate) fn endpoint(
        &self,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<AiEndpoint>, AiSettingsError> {
        let variable = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        let provider = self.provider.trim().to_lowercase();
        if matches!(provider.as_str(), "off" | "none" | "") {
            return Ok(None);
        }
        let is_local = provider == "ollama";
        let key = match &self.api_key {
            Some(key) if key.expose() != PLACEHOLDER => Some(key.expose().to_owned()),
            // This key is for OpenAI or for a compatible service, not for a local one.
            _ if !is_local => variable(KEY_VARIABLE),
            _ => None,
        };
        let key = key
            .map(|key| key.trim().to_owned())
            .filter(|key| !key.is_empty());
        let configured = self
            .base_url
            .clone()
            .or_else(|| variable(BASE_URL_VARIABLE).filter(|_| !is_local));
        let base_url = match (configured, provider.as_str()) {
            (Some(url), _) => url,
            (None, "ollama") => OLLAMA.to_owned(),
            (None, "openai") if key.is_some() => OPENAI.to_owned(),
            (None, "openai") => return Ok(None),
            (None, _) => return Err(AiSettingsError::Provider(self.provider.clone())),
        };
        let url = base_url_of(&base_url)?;
        if let Some(key) = &key {
            HeaderValue::from_str(key).map_err(|_| AiSettingsError::Key)?;
            if url.as_str().starts_with("http://") && !url.is_loopback() {
                return Err(AiSettingsError::ClearText);
            }
        }
        Ok(Some(AiEndpoint {
            url,
            key: key.map(ApiKey::new),
            model: self.model.clone(),
            timeout: Duration::from_millis(self.timeout),
            window: self.context_window,
        }))
    }
}

/// Parses an address to which a path can be added.
fn base_url_of(text: &str) -> Result<ServerUrl, AiSettingsError> {
    let refuse = |why: &'static str| Err(AiSettingsError::BaseUrl(why));
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("it is not a URL");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refuse("it is neither http:// nor https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it carries credentials");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("it has a query or a fragment");
    }
    Ok(ServerUrl::Http(
        url.as_str().trim_end_matches('/').to_owned(),
    ))
}
