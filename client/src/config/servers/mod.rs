//! Reads `servers`, the servers that are queried together, and reports what is wrong with them.

mod keys;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde_json::Value;

pub use keys::{KEYS_HINT, KeyKind, KeyPlace, KeysError, RemovedKey, ServerKeys};

use super::{
    ClientConfig, ConfigError, NamedServer,
    shape::{Field, Shape, check_object, wrong_value},
};

/// The setting with the servers.
pub(super) const SERVERS: &str = "servers";

/// The maximum number of servers of one query.
const MAX_SERVERS: usize = 16;

const FIELDS: [Field; 3] = [
    ("name", Shape::Text, false),
    ("url", Shape::Text, false),
    ("timeout", Shape::Milliseconds, true),
];

/// Removes the servers from the settings of a file and returns them.
///
/// *Errors*: [`ConfigError::Value`], [`ConfigError::MissingKey`], [`ConfigError::UnknownItemKey`];
/// each names the server and the key.
pub(super) fn taken_from(settings: &mut Value) -> Result<Vec<NamedServer>, ConfigError> {
    let fields = settings.as_object_mut();
    match fields.and_then(|fields| fields.remove(SERVERS)) {
        Some(servers) => read(servers),
        None => Ok(Vec::new()),
    }
}

/// Reads the servers from an environment variable, which contains them as JSON.
pub(super) fn from_json(text: &str) -> Result<Vec<NamedServer>, ConfigError> {
    read(serde_json::from_str(text).unwrap_or_default())
}

fn read(servers: Value) -> Result<Vec<NamedServer>, ConfigError> {
    let Value::Array(servers) = servers else {
        return Err(wrong_value(SERVERS.to_owned(), "a list of servers"));
    };
    let servers = servers.into_iter().enumerate();
    servers
        .map(|(index, server)| {
            let place = format!("{SERVERS}[{index}]");
            check_object(&server, &place, &FIELDS, "an object: a server")?;
            serde_json::from_value(server).map_err(|_| wrong_value(place, "a server"))
        })
        .collect()
}

/// Checks the names, which submissions and results refer to.
///
/// *Errors*: [`ConfigError::Servers`].
pub(super) fn check(config: &ClientConfig) -> Result<(), ConfigError> {
    let names: Vec<&str> = config.servers.iter().map(|one| one.name.as_str()).collect();
    let mut seen = HashSet::new();
    let twice = names.iter().find(|name| !seen.insert(**name));
    let refuse = |reason: String| Err(ConfigError::Servers { reason });
    if names.len() > MAX_SERVERS {
        return refuse(format!(
            "there are {}; {MAX_SERVERS} are allowed",
            names.len()
        ));
    }
    if names.iter().any(|name| name.trim().is_empty()) {
        return refuse("a name is blank".to_owned());
    }
    if let Some(name) = twice {
        return refuse(format!("two are called `{name}`"));
    }
    match &config.submit_to {
        Some(_) if names.is_empty() => refuse("submitTo names one, but there are none".to_owned()),
        Some(to) if !names.contains(&to.as_str()) => refuse(format!(
            "submitTo names `{to}`, which is none of them: {}",
            names.join(", ")
        )),
        _ => Ok(()),
    }
}
