//! A configuration file that was found in the working directory or its parents: whether it is trusted, and
//! which settings it contains.
//!
//! Anybody may have put it there, such as the author of a repository. Until the user trusts it, it can
//! only make settings stricter.

use std::{
    fmt, fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use recall_kit_sanitizer::RuleGroup;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::{
    CitationsMode, ConfigError, EnvironmentMode, OutcomesMode, SanitizerConfig,
    keys::{
        CITATIONS, ENVIRONMENT, HOOK_TOKENS, KEYS, OUTCOMES, RULES, pointer_to, refuse_unknown_keys,
    },
    load::{parsed, uses_variables},
    ownership, server_url,
    trust::TrustStore,
};

/// The maximum size of a configuration file. *Unit*: bytes.
pub(super) const MAX_BYTES: u64 = 1 << 20;
/// The maximum number of characters that are shown of a value.
const MAX_SHOWN_CHARS: usize = 600;

/// Whether a found configuration file is used; `Display` gives the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The user trusts this content.
    Trusted,
    /// The user has not decided about this content, and does not trust an earlier one.
    New,
    /// The user rejected this content.
    Refused,
    /// The user trusts an earlier content.
    Changed,
    /// The file belongs to another user.
    OtherOwner,
    /// Other users may write to this path: the file, or a folder above it.
    OpenToOthers(PathBuf),
    /// The file cannot be read, or is not a configuration.
    Unreadable,
}

impl Standing {
    /// Returns whether the user may trust such a file.
    pub fn is_decidable(&self) -> bool {
        matches!(
            self,
            Self::Trusted | Self::New | Self::Refused | Self::Changed
        )
    }

    /// Returns whether the user has not decided about this content yet.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::New | Self::Changed)
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trusted => f.write_str("it is trusted"),
            Self::New => f.write_str("it is not trusted"),
            Self::Refused => f.write_str("you chose to ignore it"),
            Self::Changed => f.write_str("it changed since you trusted it"),
            Self::OtherOwner => f.write_str("it belongs to another user"),
            Self::OpenToOthers(path) => write!(f, "others may write to {}", path.display()),
            Self::Unreadable => f.write_str("it cannot be read as a configuration"),
        }
    }
}

/// A configuration file that was found in the working directory or its parents.
#[derive(Debug, Clone)]
pub struct FoundFile {
    path: PathBuf,
    canonical: PathBuf,
    sha256: String,
    standing: Standing,
    /// Its content; empty if it was not read.
    text: String,
    /// Its settings; null if it is not a configuration.
    settings: Value,
}

impl FoundFile {
    /// Reads the file at `path` once, so that what is checked is what was read.
    pub(super) fn read(path: &Path, store: Option<&TrustStore>) -> Self {
        let mut found = Self {
            path: path.to_owned(),
            canonical: path.to_owned(),
            sha256: String::new(),
            standing: Standing::Unreadable,
            text: String::new(),
            settings: Value::Null,
        };
        if let Err(error) = found.examine(store) {
            tracing::debug!(%error, path = %path.display(), "a configuration file cannot be read");
        }
        found
    }

    fn examine(&mut self, store: Option<&TrustStore>) -> io::Result<()> {
        self.canonical = fs::canonicalize(&self.path)?;
        let file = fs::File::open(&self.canonical)?;
        if let Some(fault) = ownership::fault(&file, &self.canonical)? {
            self.standing = fault;
            return Ok(());
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::Error::other("it is too large"));
        }
        let hash = digest(&SHA256, &bytes);
        self.sha256 = hash
            .as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.text = String::from_utf8(bytes).map_err(io::Error::other)?;
        self.standing = match store {
            Some(store) => store.standing(&self.canonical, &self.sha256),
            None => Standing::New,
        };
        match self.configuration() {
            Ok(settings) => self.settings = settings,
            // An error in a trusted file is reported, not ignored.
            Err(_) if self.standing == Standing::Trusted => {}
            Err(_) => self.standing = Standing::Unreadable,
        }
        Ok(())
    }

    /// Returns its settings.
    ///
    /// *Errors*: [`ConfigError::NotJson`], [`ConfigError::UnknownKey`] and the like.
    pub(super) fn configuration(&self) -> Result<Value, ConfigError> {
        let settings = parsed(&self.text, &self.path)?;
        refuse_unknown_keys(&settings, &self.path)?;
        Ok(settings)
    }

    /// Applies its stricter values to `settings`, unless another user may have written it. Returns whether
    /// anything in the file is ignored.
    pub(super) fn tighten(&self, settings: &mut Value) -> bool {
        match self.standing.is_decidable() {
            true => tighten(settings, &self.settings),
            false => true,
        }
    }

    /// Returns the path as it was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path without symbolic links.
    pub fn canonical(&self) -> &Path {
        &self.canonical
    }

    /// Returns the SHA-256 of its content, in hexadecimal digits; empty if it was not read.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns whether it is used, or why not.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Returns each setting in the file with its value, as a person may see it. A literal API key is not
    /// shown.
    pub fn decides(&self) -> Vec<(&'static str, String)> {
        let values = KEYS.into_iter().filter_map(|key| {
            let value = self.settings.pointer(&pointer_to(key))?;
            Some((key, shortened(shown(key, value))))
        });
        values.collect()
    }
}

/// Applies the stricter values of an untrusted file to `settings`. Returns whether anything in the
/// file is ignored.
fn tighten(settings: &mut Value, found: &Value) -> bool {
    let mut is_ignored = false;
    for key in KEYS {
        let Some(wanted) = found.pointer(&pointer_to(key)) else {
            continue;
        };
        let stricter = match key {
            "sanitizer.enabled" | "promptOnSubmit" => Value::Bool(true),
            "autoSubmit" => Value::Bool(false),
            OUTCOMES => Value::from(OutcomesMode::Off.as_str()),
            ENVIRONMENT => Value::from(EnvironmentMode::Off.as_str()),
            CITATIONS => Value::from(CitationsMode::Off.as_str()),
            HOOK_TOKENS => Value::from(0),
            RULES => {
                is_ignored |= !add_rules(settings, wanted);
                continue;
            }
            _ => {
                is_ignored = true;
                continue;
            }
        };
        match *wanted == stricter {
            true => set(settings, key, stricter),
            false => is_ignored = true,
        }
    }
    is_ignored
}

/// Adds rule groups to those of `settings`. Returns false if the file lacks one of the groups in `settings`
/// or has no list of groups.
fn add_rules(settings: &mut Value, wanted: &Value) -> bool {
    let own = match settings.pointer(&pointer_to(RULES)) {
        Some(own) => groups(own),
        None => Some(SanitizerConfig::default().rules),
    };
    let (Some(mut own), Some(wanted)) = (own, groups(wanted)) else {
        return false;
    };
    let has_all = own.iter().all(|group| wanted.contains(group));
    own.extend(wanted);
    let all = RuleGroup::ALL
        .into_iter()
        .filter(|group| own.contains(group));
    let all: Vec<&str> = all.map(RuleGroup::as_str).collect();
    set(settings, RULES, json!(all));
    has_all
}

fn groups(names: &Value) -> Option<Vec<RuleGroup>> {
    let names = names.as_array()?.iter();
    names.map(|name| name.as_str()?.parse().ok()).collect()
}

/// Sets a setting, and creates its section if it is missing.
fn set(settings: &mut Value, key: &str, value: Value) {
    let Some(fields) = settings.as_object_mut() else {
        return;
    };
    match key.split_once('.') {
        None => drop(fields.insert(key.to_owned(), value)),
        Some((section, key)) => {
            let section = fields.entry(section).or_insert_with(|| json!({}));
            if let Some(section) = section.as_object_mut() {
                section.insert(key.to_owned(), value);
            }
        }
    }
}

/// Returns a value as a person may see it.
fn shown(key: &str, value: &Value) -> String {
    match (key, value) {
        ("ai.apiKey", value) if !uses_variables(value) => "***".to_owned(),
        ("server.url" | "ai.baseUrl", Value::String(url)) => server_url::redacted(url),
        ("servers", Value::Array(servers)) => listed(servers, |server| {
            let text = |field: &str| server.get(field).and_then(Value::as_str);
            let url = server_url::redacted(text("url").unwrap_or_default());
            format!("{} {url}", text("name").unwrap_or_default())
        }),
        ("sanitizer.custom", Value::Array(rules)) => listed(rules, |rule| {
            let text = |field: &str| rule.get(field).and_then(Value::as_str).unwrap_or_default();
            format!(
                "{}: {} → {}",
                text("id"),
                text("pattern"),
                text("replacement")
            )
        }),
        (_, Value::Array(items)) => listed(items, |item| match item {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }),
        (_, Value::String(text)) => text.clone(),
        (_, other) => other.to_string(),
    }
}

fn listed(items: &[Value], name: impl Fn(&Value) -> String) -> String {
    match items {
        [] => "[]".to_owned(),
        items => items.iter().map(name).collect::<Vec<_>>().join(", "),
    }
}

/// Cuts a value that is too long to be shown, and says how much is missing.
fn shortened(value: String) -> String {
    let rest = value.chars().count().saturating_sub(MAX_SHOWN_CHARS);
    if rest == 0 {
        return value;
    }
    let start: String = value.chars().take(MAX_SHOWN_CHARS).collect();
    format!("{start} … (+{rest})")
}
