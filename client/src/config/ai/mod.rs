//! The model that summarizes conversations: its settings, and where they lead together with the
//! environment.

#[cfg(test)]
mod tests;

use std::time::Duration;

use reqwest::{Url, header::HeaderValue};
use serde::{Deserialize, Serialize};

use super::{ApiKey, ServerUrl};

/// Where OpenAI itself is, and a local Ollama.
const OPENAI: &str = "https://api.openai.com/v1";
const OLLAMA: &str = "http://127.0.0.1:11434/v1";
/// The environment variables of OpenAI's own libraries.
const BASE_URL_VARIABLE: &str = "OPENAI_BASE_URL";
const KEY_VARIABLE: &str = "OPENAI_API_KEY";
/// What the protocol's example has for a key.
const PLACEHOLDER: &str = "YOUR_API_KEY";

/// The least that a question and its answer need. *Unit*: tokens.
pub(crate) const MIN_WINDOW: u32 = 1_024;

/// The model that summarizes conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AiConfig {
    /// Who offers the model; `openai` stands for every OpenAI-compatible service, `ollama` for one on
    /// this machine, `off` for none.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// The key; `OPENAI_API_KEY` stands in where it is left out. An empty one sends none.
    #[serde(skip_serializing)]
    pub api_key: Option<ApiKey>,
    /// Where the service is, up to and without `/chat/completions`; `OPENAI_BASE_URL` stands in where
    /// it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// How long the model may take for a summary, sanitizing and every retry included. *Unit*:
    /// milliseconds, at least 1.
    #[serde(skip_serializing_if = "is_default_timeout")]
    pub timeout: u64,
    /// How much the model reads and writes at once. *Unit*: tokens, at least 1,024.
    #[serde(skip_serializing_if = "is_default_window")]
    pub context_window: u32,
    /// Whether the model also says what problem a query is about; rules do where it does not.
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
            // The protocol's "经验总结时间：< 5秒", less what an extraction takes.
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

/// Where a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AiEndpoint {
    /// Up to and without `/chat/completions`, without a slash at its end.
    pub(crate) url: ServerUrl,
    /// None: no key is sent.
    pub(crate) key: Option<ApiKey>,
    /// The model's name.
    pub(crate) model: String,
    /// For everything that one question takes.
    pub(crate) timeout: Duration,
    /// In tokens.
    pub(crate) window: u32,
}

/// Why the settings of the AI lead nowhere; no variant repeats a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AiSettingsError {
    /// Another provider, and no address.
    #[error("ai.provider `{0}` is not known; set ai.baseUrl to its OpenAI-compatible address")]
    Provider(String),
    /// The address is none.
    #[error("ai.baseUrl cannot be used: {0}; it has to be like https://host/v1")]
    BaseUrl(&'static str),
    /// A key would be sent so that everybody on the way can read it.
    #[error(
        "ai.baseUrl is http:// on another machine, where the key would be sent unencrypted; use \
         https://, or set ai.apiKey to \"\" if the service needs none"
    )]
    ClearText,
    /// The key has characters that no key has.
    #[error(
        "the AI's key has characters that cannot be sent; look for spaces and line breaks in it"
    )]
    Key,
}

impl AiConfig {
    /// Returns where to ask, if the settings or the environment name a service: by an address, by a
    /// key, or by a provider that needs neither.
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
            // It belongs to OpenAI, or to whoever stands in for it.
            _ if !is_local => variable(KEY_VARIABLE),
            _ => None,
        };
        let key = key
            .map(|key| key.trim().to_owned())
            .filter(|key| !key.is_empty());
        let given = self
            .base_url
            .clone()
            .or_else(|| variable(BASE_URL_VARIABLE).filter(|_| !is_local));
        let base_url = match (given, provider.as_str()) {
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

/// Reads an address to which a path can be added.
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
        return refuse("something follows its path");
    }
    Ok(ServerUrl::Http(
        url.as_str().trim_end_matches('/').to_owned(),
    ))
}
