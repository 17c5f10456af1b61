//! The names of the settings, and suggestions for misspelled names.

use std::path::Path;

use serde_json::Value;

use super::{ConfigError, own_rules::CUSTOM, servers::SERVERS};

/// The prefix of the environment variables that override single settings.
pub(super) const VARIABLE_PREFIX: &str = "RECALL_KIT_CLIENT_";

/// The setting with the rule groups.
pub(super) const RULES: &str = "sanitizer.rules";

/// The section of the tools; also the older name of [`OTHERS`].
pub(super) const TOOLS: &str = "tools";

/// The key of further tools in their section.
pub(super) const OTHER_TOOLS: &str = "others";

/// The setting with further tools.
const OTHERS: &str = "tools.others";

/// The setting with the most tokens that hooks put before an agent in a session.
pub(super) const HOOK_TOKENS: &str = "hooks.tokens_per_session";

/// The setting that says whether outcomes are observed.
pub(super) const OUTCOMES: &str = "outcomes";

/// The setting that says whether queries name versions of packages and runtimes.
pub(super) const ENVIRONMENT: &str = "environment";

/// The setting that says whether entries name the files that they are about.
pub(super) const CITATIONS: &str = "citations";

/// Every setting, as the file spells it.
pub(super) const KEYS: [&str; 25] = [
    "server.url",
    "server.timeout",
    SERVERS,
    "submitTo",
    "queryDeadline",
    "ai.provider",
    "ai.model",
    "ai.apiKey",
    "ai.baseUrl",
    "ai.timeout",
    "ai.contextWindow",
    "ai.analyzeNeeds",
    "sanitizer.enabled",
    RULES,
    CUSTOM,
    "sanitizer.allow",
    "tools.profile",
    OTHERS,
    HOOK_TOKENS,
    OUTCOMES,
    ENVIRONMENT,
    CITATIONS,
    "autoSubmit",
    "promptOnSubmit",
    "searchOnSubmit",
];
/// The objects that settings are grouped in.
const SECTIONS: [&str; 5] = ["server", "ai", "sanitizer", TOOLS, "hooks"];
/// The settings that contain a list of strings. In the environment its elements are separated by commas or
/// given as a JSON list.
pub(super) const LIST_KEYS: [&str; 3] = [RULES, "sanitizer.allow", OTHERS];

/// Returns the setting that an environment variable names, whatever its case.
pub(super) fn named(path: &str) -> Option<&'static str> {
    if path.eq_ignore_ascii_case(TOOLS) {
        return Some(OTHERS);
    }
    let mut keys = KEYS.into_iter();
    keys.find(|key| key.replace('_', "").eq_ignore_ascii_case(path))
}

/// Returns the JSON pointer to a setting in a file.
pub(super) fn pointer_to(key: &str) -> String {
    format!("/{}", key.replace('.', "/"))
}

/// Describes the values of a setting. `key` may also be the key of one of its elements.
pub(super) fn expected_value(key: &str) -> &'static str {
    match key.split('[').next().unwrap_or_default() {
        "server.timeout" | "queryDeadline" | "ai.timeout" => {
            "a whole number of milliseconds, at least 1"
        }
        "ai.contextWindow" => "a whole number of tokens, at least 1024",
        "sanitizer.rules" => {
            "a list of remove_api_keys, remove_urls, remove_personal_info and anonymize_variables"
        }
        "sanitizer.allow" | OTHERS => "a list of strings",
        "tools.profile" => "core or full",
        HOOK_TOKENS => "a whole number of tokens, 0 or more",
        OUTCOMES => "observe, ask or off",
        ENVIRONMENT => "relevant or off",
        CITATIONS => "on or off",
        "sanitizer.enabled" | "ai.analyzeNeeds" | "autoSubmit" | "promptOnSubmit"
        | "searchOnSubmit" => "true or false",
        _ => "a string",
    }
}

/// Checks that every key of the configuration file at `path` is a known one.
pub(super) fn refuse_unknown_keys(settings: &Value, path: &Path) -> Result<(), ConfigError> {
    let Value::Object(fields) = settings else {
        return Err(ConfigError::NotAnObject {
            path: path.to_owned(),
        });
    };
    for (name, value) in fields {
        let section = format!("{name}.");
        let is_section = KEYS.iter().any(|key| key.starts_with(&section));
        match value {
            Value::Object(inner) if is_section => {
                for key in inner.keys().map(|inner| format!("{section}{inner}")) {
                    refuse_unknown_key(&key, path)?;
                }
            }
            _ if is_section => {
                return Err(ConfigError::NotASection {
                    path: path.to_owned(),
                    section: name.clone(),
                });
            }
            _ => refuse_unknown_key(name, path)?,
        }
    }
    Ok(())
}

fn refuse_unknown_key(key: &str, path: &Path) -> Result<(), ConfigError> {
    if KEYS.contains(&key) {
        return Ok(());
    }
    Err(ConfigError::UnknownKey {
        path: path.to_owned(),
        key: key.to_owned(),
        nearest: nearest(key).to_owned(),
    })
}

/// Returns the known key whose spelling is most similar to `key`, in any section: `timeout` finds
/// `server.timeout`.
fn nearest(key: &str) -> &'static str {
    nearest_of(key, SECTIONS.into_iter().chain(KEYS))
}

/// Returns the one of the known keys whose spelling is most similar to `key`.
pub(super) fn nearest_of(key: &str, known: impl Iterator<Item = &'static str>) -> &'static str {
    let likeness = |known: &str| {
        let last = known.rsplit('.').next().unwrap_or(known);
        let key = key.to_lowercase();
        strsim::jaro_winkler(&key, &known.to_lowercase())
            .max(strsim::jaro_winkler(&key, &last.to_lowercase()))
    };
    // Of two equally similar keys the first one is returned.
    let nearer = |best, next| match likeness(next) > likeness(best) {
        true => next,
        false => best,
    };
    known.reduce(nearer).unwrap_or_default()
}

/// Returns the environment variable of the known key whose spelling is most similar to `path`.
pub(super) fn nearest_variable(path: &str) -> String {
    let variable = nearest(path).to_uppercase().replace('.', "__");
    format!("{VARIABLE_PREFIX}{variable}")
}
