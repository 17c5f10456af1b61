//! Reads `servers`, those that are asked together, and says what is wrong with one.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde_json::Value;

use super::{
    ClientConfig, ConfigError, NamedServer,
    shape::{Field, Shape, refuse_misshapen, unsuitable},
};

/// The setting that holds the servers.
pub(super) const SERVERS: &str = "servers";

/// Servers that one query may ask.
const MAX_SERVERS: usize = 16;

const FIELDS: [Field; 3] = [
    ("name", Shape::Text, false),
    ("url", Shape::Text, false),
    ("timeout", Shape::Milliseconds, true),
];

/// Takes the servers out of the settings of a file.
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

/// Reads the servers of an environment variable, which holds them as JSON.
pub(super) fn from_json(text: &str) -> Result<Vec<NamedServer>, ConfigError> {
    read(serde_json::from_str(text).unwrap_or_default())
}

fn read(servers: Value) -> Result<Vec<NamedServer>, ConfigError> {
    let Value::Array(servers) = servers else {
        return Err(unsuitable(SERVERS.to_owned(), "a list of servers"));
    };
    let servers = servers.into_iter().enumerate();
    servers
        .map(|(index, server)| {
            let place = format!("{SERVERS}[{index}]");
            refuse_misshapen(&server, &place, &FIELDS, "an object: a server")?;
            serde_json::from_value(server).map_err(|_| unsuitable(place, "a server"))
        })
        .collect()
}

/// Checks the names, which submissions and results go by.
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
