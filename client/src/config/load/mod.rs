//! Finds the configuration file and applies the environment to it.
//!
//! A file that was found by searching is used once the user trusts it; before that it can only make
//! settings stricter, see [`found`](super::found).
//!
//! Flags take precedence over the environment, the environment over the file, the file over the defaults;
//! the caller applies the flags.

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use config::{Config, File, FileFormat};
use serde_json::{Value, json};

use super::{
    AiConfig, ClientConfig, ConfigError, FoundFile, SanitizerConfig, Standing, TrustError,
    TrustStore,
    ai::MIN_WINDOW,
    found::MAX_BYTES,
    keys::{
        KEYS, LIST_KEYS, VARIABLE_PREFIX, expected_value, named, nearest_variable, pointer_to,
        refuse_unknown_keys,
    },
    own_rules::{self, CUSTOM},
    servers::{self, SERVERS},
    tools,
};
use crate::ConfiguredSanitizer;

/// The name of the configuration file.
pub const CONFIG_FILE_NAME: &str = "recall-kit-client.config.json";

/// The environment variable that names the file.
const CONFIG_VARIABLE: &str = "RECALL_KIT_CLIENT_CONFIG";

/// The only setting for which a file that was found by searching may use the environment.
const API_KEY: &str = "ai.apiKey";

/// Where to look for settings.
#[derive(Debug, Clone, Default)]
pub struct ConfigSearch {
    /// A file that must exist, given by the caller.
    pub explicit: Option<PathBuf>,
    /// The directory where the search starts; its parents follow.
    pub working_dir: Option<PathBuf>,
    /// The user's own configuration directory, which is searched last.
    pub user_dir: Option<PathBuf>,
    /// The environment variables.
    pub environment: BTreeMap<String, String>,
}

/// Settings, and the file they came from.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    /// The settings.
    pub config: ClientConfig,
    /// The file that was read; `None` if there is none.
    pub path: Option<PathBuf>,
    /// Files that were found and are not used, the nearest first.
    pub ignored: Vec<FoundFile>,
}

/// The files from which the settings are read.
#[derive(Debug, Default)]
struct Sources {
    /// The file that is used.
    file: Option<Source>,
    /// Files that were found and not trusted.
    untrusted: Vec<FoundFile>,
}

/// A file that is used.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    settings: Value,
    /// Whether the user named it, or it is in the user's own folder.
    is_own: bool,
}

impl Source {
    fn own(path: PathBuf) -> Result<Self, ConfigError> {
        let settings = read_json(&path)?;
        refuse_unknown_keys(&settings, &path)?;
        let is_own = true;
        Ok(Self {
            path,
            settings,
            is_own,
        })
    }

    fn found(file: &FoundFile) -> Result<Self, ConfigError> {
        Ok(Self {
            path: file.path().to_owned(),
            settings: file.configuration()?,
            is_own: false,
        })
    }
}

impl ConfigSearch {
    /// Creates a search from the working directory, the environment and the user of this process.
    pub fn from_process(explicit: Option<PathBuf>) -> Self {
        Self {
            explicit,
            working_dir: env::current_dir().ok(),
            user_dir: directories::ProjectDirs::from("", "", "recall-kit")
                .map(|dirs| dirs.config_dir().to_owned()),
            environment: env::vars_os()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
        }
    }

    /// Returns the file that the caller or the environment names.
    fn named(&self) -> Option<PathBuf> {
        let named = self.environment.get(CONFIG_VARIABLE);
        let named = named.filter(|path| !path.is_empty()).map(PathBuf::from);
        self.explicit.clone().or(named)
    }

    /// Returns the store of the user's decisions about found files.
    ///
    /// *Errors*: [`TrustError::NoFolder`].
    pub fn trust_store(&self) -> Result<TrustStore, TrustError> {
        let folder = self.user_dir.as_deref().ok_or(TrustError::NoFolder)?;
        Ok(TrustStore::in_folder(folder))
    }

    /// Returns the nearest file in the working directory or above it, except for the user's own, which
    /// needs no trust.
    pub fn nearest(&self) -> Option<PathBuf> {
        self.upwards().find(|path| !self.is_in_user_dir(path))
    }

    /// Reads a file as one that was found by searching.
    pub fn examine(&self, path: &Path) -> FoundFile {
        FoundFile::read(path, self.trust_store().ok().as_ref())
    }

    /// Checks that the settings can be used once the user trusts `file`.
    ///
    /// *Errors*: those of [`ConfigSearch::load`], except for a variable that is not set at the moment.
    pub fn check(&self, file: &FoundFile) -> Result<(), ConfigError> {
        if *file.standing() == Standing::Unreadable {
            // Reading it again reports the cause, which a `FoundFile` does not store.
            read_json(file.path())?;
        }
        let sources = Sources {
            file: Some(Source::found(file)?),
            untrusted: Vec::new(),
        };
        match self.read(sources, |_| true) {
            Err(ConfigError::UnsetVariable(_)) => Ok(()),
            Err(error) => Err(error),
            Ok(loaded) => ConfiguredSanitizer::new(loaded.config.sanitizer).map(drop),
        }
    }

    fn upwards(&self) -> impl Iterator<Item = PathBuf> {
        let dirs = self.working_dir.iter().flat_map(|dir| dir.ancestors());
        dirs.map(|dir| dir.join(CONFIG_FILE_NAME))
            .filter(|path| path.is_file())
    }

    fn is_in_user_dir(&self, path: &Path) -> bool {
        path.parent() == self.user_dir.as_deref()
    }

    /// Returns the file that is used: the explicit one, else the one that the environment names, else the
    /// nearest trusted one in the working directory or above it, else the user's own.
    fn sources(&self) -> Result<Sources, ConfigError> {
        let mut sources = Sources::default();
        if let Some(path) = self.named() {
            sources.file = Some(Source::own(path)?);
            return Ok(sources);
        }
        for path in self.upwards() {
            if self.is_in_user_dir(&path) {
                sources.file = Some(Source::own(path)?);
                return Ok(sources);
            }
            let found = self.examine(&path);
            if *found.standing() == Standing::Trusted {
                sources.file = Some(Source::found(&found)?);
                return Ok(sources);
            }
            sources.untrusted.push(found);
        }
        let own = self.user_dir.as_ref().map(|dir| dir.join(CONFIG_FILE_NAME));
        if let Some(path) = own.filter(|path| path.is_file()) {
            sources.file = Some(Source::own(path)?);
        }
        Ok(sources)
    }

    /// Reads the settings.
    ///
    /// *Errors*: a named file that is missing or not JSON, an unknown key, a value of the wrong type,
    /// `${NAME}` if the environment has no `NAME` or the file may not use it, a user-defined rule that does
    /// not work.
    pub fn load(&self) -> Result<LoadedConfig, ConfigError> {
        let loaded = self.read(self.sources()?, |_| true)?;
        ConfiguredSanitizer::new(loaded.config.sanitizer.clone())?;
        Ok(loaded)
    }

    /// Like [`ConfigSearch::load`], except that settings outside the sanitizer have their defaults, so that
    /// a filter works without a variable that another setting is read from.
    ///
    /// *Errors*: those of [`ConfigSearch::load`], as far as they concern the sanitizer or the whole
    /// file.
    pub fn load_sanitizer(&self) -> Result<LoadedConfig, ConfigError> {
        self.read(self.sources()?, |key| key.starts_with("sanitizer."))
    }

    /// Reads the settings that `wanted` accepts; the others have their defaults.
    fn read(
        &self,
        sources: Sources,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<LoadedConfig, ConfigError> {
        let Sources { file, untrusted } = sources;
        let mut settings = file
            .as_ref()
            .map_or_else(|| json!({}), |it| it.settings.clone());
        drop_unwanted(&mut settings, &wanted);
        let mut custom = own_rules::taken_from(&mut settings)?;
        let found = file.as_ref().filter(|file| !file.is_own);
        let found = found.map(|file| (file.path.as_path(), settings.clone()));
        if let Some((path, settings)) = &found {
            refuse_variables(settings, path)?;
        }
        self.expand(&mut settings)?;
        let mut servers = servers::taken_from(&mut settings)?;
        let mut ignored = untrusted;
        ignored.retain(|file| file.tighten(&mut settings));
        let source = File::from_str(&settings.to_string(), FileFormat::Json);
        let mut builder = Config::builder().add_source(source);
        for (key, value) in self.overrides()? {
            match key {
                CUSTOM => custom = own_rules::from_json(value)?,
                SERVERS if wanted(SERVERS) => servers = servers::from_json(value)?,
                _ if wanted(key) => {
                    builder = builder.set_override(key, override_value(key, value))?
                }
                _ => {}
            }
        }
        let mut config: ClientConfig = builder.build()?.try_deserialize()?;
        refuse_zero(&config)?;
        refuse_small(&config.ai)?;
        let rest = config.sanitizer;
        config.sanitizer = SanitizerConfig { custom, ..rest };
        config.servers = servers;
        servers::check(&config)?;
        if let Some((path, file)) = found {
            refuse_unprotected(&config, &file, path)?;
        }
        let path = file.map(|file| file.path);
        Ok(LoadedConfig {
            config,
            path,
            ignored,
        })
    }

    /// Returns the settings that the environment overrides.
    fn overrides(&self) -> Result<Vec<(&'static str, &str)>, ConfigError> {
        let variables = self
            .environment
            .iter()
            .filter(|(name, _)| name.as_str() != CONFIG_VARIABLE);
        let mut overrides = Vec::new();
        for (name, value) in variables {
            let Some(setting) = name.strip_prefix(VARIABLE_PREFIX) else {
                continue;
            };
            let path = setting.replace("__", ".").replace('_', "");
            let key = named(&path).ok_or_else(|| ConfigError::UnknownVariable {
                variable: name.clone(),
                nearest: nearest_variable(&path),
            })?;
            overrides.push((key, value.as_str()));
        }
        Ok(overrides)
    }

    /// Replaces `${NAME}` in every string of `value` by the value in the environment.
    fn expand(&self, value: &mut Value) -> Result<(), ConfigError> {
        match value {
            Value::String(text) => *text = self.expand_text(text)?,
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.expand(item))?,
            Value::Object(fields) => fields
                .values_mut()
                .try_for_each(|field| self.expand(field))?,
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }

    fn expand_text(&self, text: &str) -> Result<String, ConfigError> {
        let mut expanded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').ok_or(ConfigError::OpenBrace)?;
            let value = self
                .environment
                .get(name)
                .ok_or_else(|| ConfigError::UnsetVariable(name.to_owned()))?;
            expanded.push_str(before);
            expanded.push_str(value);
            rest = after;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }
}

fn read_json(path: &Path) -> Result<Value, ConfigError> {
    let unreadable = |cause| ConfigError::Unreadable {
        path: path.to_owned(),
        cause,
    };
    let mut text = String::new();
    let file = fs::File::open(path).map_err(unreadable)?;
    let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
    match read.map_err(unreadable)? as u64 > MAX_BYTES {
        true => Err(unreadable(io::Error::other("it is larger than 1 MiB"))),
        false => parsed(&text, path),
    }
}

/// Reads the text of the file at `path` as JSON, with the settings in their newest form.
pub(super) fn parsed(text: &str, path: &Path) -> Result<Value, ConfigError> {
    // Editors on Windows add a byte order mark, which is not JSON.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let settings = serde_json::from_str(text).map_err(|cause| ConfigError::NotJson {
        path: path.to_owned(),
        cause: cause.into(),
    })?;
    Ok(tools::with_section(settings))
}

/// Checks that a file uses the environment only for the API key. Expects that all keys are known.
fn refuse_variables(settings: &Value, path: &Path) -> Result<(), ConfigError> {
    let mut guarded = KEYS.into_iter().filter(|key| *key != API_KEY);
    let used = guarded.find(|key| {
        let value = settings.pointer(&pointer_to(key));
        value.is_some_and(uses_variables)
    });
    match used {
        Some(key) => Err(ConfigError::UntrustedVariable {
            path: path.to_owned(),
            key: key.to_owned(),
        }),
        None => Ok(()),
    }
}

/// Rejects a trusted file that was found by searching if it would send texts unasked or unsanitized.
fn refuse_unprotected(config: &ClientConfig, file: &Value, path: &Path) -> Result<(), ConfigError> {
    // A string such as "true" is converted to a boolean later, so any other value counts.
    let is_other_than = |pointer: &str, safe: bool| {
        let value = file.pointer(pointer);
        value.is_some_and(|value| *value != Value::Bool(safe))
    };
    let (key, effect) = if !config.sanitizer.enabled && is_other_than("/sanitizer/enabled", true) {
        ("sanitizer.enabled", "send texts without removing secrets")
    } else if config.sends_unasked() && is_other_than("/autoSubmit", false) {
        ("autoSubmit", "send experiences without asking")
    } else if config.sends_unasked() && is_other_than("/promptOnSubmit", true) {
        ("promptOnSubmit", "send experiences without asking")
    } else {
        return Ok(());
    };
    Err(ConfigError::UntrustedSetting {
        path: path.to_owned(),
        key,
        effect,
    })
}

/// Checks that the time limits are not 0.
fn refuse_zero(config: &ClientConfig) -> Result<(), ConfigError> {
    match (config.server.timeout, config.query_deadline) {
        (0, _) => Err(ConfigError::ZeroTimeout("server.timeout")),
        (_, 0) => Err(ConfigError::ZeroTimeout("queryDeadline")),
        _ => Ok(()),
    }
}

/// Checks that the model has enough time and a large enough window for an answer.
fn refuse_small(ai: &AiConfig) -> Result<(), ConfigError> {
    let small = match (ai.timeout, ai.context_window) {
        (0, _) => "ai.timeout",
        (_, window) if window < MIN_WINDOW => "ai.contextWindow",
        _ => return Ok(()),
    };
    Err(ConfigError::Value {
        key: small.to_owned(),
        expected: expected_value(small),
    })
}

pub(super) fn uses_variables(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${"),
        Value::Array(items) => items.iter().any(uses_variables),
        Value::Object(fields) => fields.values().any(uses_variables),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Removes the settings that are not wanted from those of a file. Expects that all keys are known.
fn drop_unwanted(settings: &mut Value, wanted: impl Fn(&str) -> bool) {
    let Some(settings) = settings.as_object_mut() else {
        return;
    };
    settings.retain(|name, value| match value.as_object_mut() {
        Some(section) => {
            section.retain(|key, _| wanted(&format!("{name}.{key}")));
            true
        }
        None => wanted(name),
    });
}

fn override_value(key: &str, value: &str) -> config::Value {
    if !LIST_KEYS.contains(&key) {
        return value.into();
    }
    if let Ok(elements) = serde_json::from_str::<Vec<String>>(value) {
        return elements.into();
    }
    let elements = value.split(',').map(str::trim);
    let elements: Vec<config::Value> = elements
        .filter(|element| !element.is_empty())
        .map(config::Value::from)
        .collect();
    elements.into()
}
