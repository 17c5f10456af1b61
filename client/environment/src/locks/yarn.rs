//! `yarn.lock`: the format of Yarn 1, and the YAML of later versions.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    Problem,
    npm::{is_local, needed_by, origin, package, package_and_version},
};
use crate::{
    files::Others,
    package::{Origin, Package},
};

/// Reads either format.
pub(super) fn read(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let is_yaml = text.lines().any(|line| line.starts_with("__metadata:"));
    match is_yaml {
        true => read_yaml(text),
        false => read_first(text),
    }
}

/// `react@^19.0.0, "react@>=18":` with `version "19.0.0"` and `resolved "https://…"` below it.
fn read_first(text: &str) -> Result<Vec<Package>, Problem> {
    let mut found = Vec::new();
    let mut key = "";
    let (mut version, mut resolved) = (None, None);
    let mut end = |key: &str, version: Option<&str>, resolved: Option<&str>| {
        for wanted in key.split(',') {
            let wanted = wanted.trim().trim_matches(['"', ':', ' ']);
            let (name, range) = package_and_version(wanted);
            if name.is_empty() {
                continue;
            }
            // `npm:other@^1` is another package.
            let other = range.strip_prefix("npm:").map(package_and_version);
            let (name, range) = other.unwrap_or((name, range));
            let origin = match resolved {
                _ if is_local(range) => Origin::Local,
                // A member of the workspace, or a folder.
                None => Origin::Local,
                Some(address) => origin(Some(address), name),
            };
            found.extend(package(name, version, origin));
        }
    };
    for line in text.lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if !line.starts_with(' ') {
            if !line.ends_with(':') || line.starts_with(['{', '<', '=', '>', '[']) {
                return Err(Problem::Malformed);
            }
            end(key, version, resolved);
            (key, version, resolved) = (line, None, None);
            continue;
        }
        let line = line.trim();
        let value = |name: &str| Some(line.strip_prefix(name)?.trim().trim_matches('"'));
        if let Some(text) = value("version ") {
            version = Some(text);
        } else if let Some(address) = value("resolved ") {
            resolved = Some(address);
        }
    }
    end(key, version, resolved);
    found.dedup();
    Ok(found)
}

/// `"react@npm:^19.0.0":` with `version: 19.0.0` and `resolution: "react@npm:19.0.0"` below it.
fn read_yaml(text: &str) -> Result<Vec<Package>, Problem> {
    let lock: Value = serde_saphyr::from_str(text).map_err(|_| Problem::Malformed)?;
    let lock = lock.as_object().ok_or(Problem::Malformed)?;
    let is_own = |entry: &&Value| {
        let resolution = entry.get("resolution").and_then(Value::as_str);
        resolution.is_some_and(|resolution| resolution.contains("@workspace:"))
    };
    let own = lock.values().filter(is_own);
    let direct: HashSet<&str> = own.flat_map(needed_by).map(String::as_str).collect();
    let mut found = Vec::new();
    for (key, entry) in lock.iter().filter(|(key, _)| *key != "__metadata") {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let Some(resolution) = text("resolution") else {
            let (name, _) = package_and_version(key);
            found.extend(package(name, None, Origin::Unknown));
            continue;
        };
        let (name, place) = package_and_version(resolution);
        // One that is only a changed copy of another entry says nothing.
        let Some(origin) = origin_of(place) else {
            continue;
        };
        // Names that are used for it, too: a folder of the project may be found by a number.
        let wanted = key.split(", ").map(package_and_version);
        let is_used = wanted.filter(|(_, range)| is_local(range));
        found.extend(is_used.filter_map(|(name, _)| package(name, None, Origin::Local)));
        let is_direct = direct.contains(name);
        let version = text("version").or_else(|| place.strip_prefix("npm:"));
        found.extend(package(name, version, origin).map(|one| one.direct(is_direct)));
    }
    Ok(found)
}

/// Returns where the place of a resolution is; `None` for a patch.
fn origin_of(place: &str) -> Option<Origin> {
    if place.starts_with("patch:") {
        return None;
    }
    Some(match place.strip_prefix("npm:") {
        // What follows `::` is an address of another registry.
        Some(version) if version.contains("::") => Origin::OtherRegistry,
        Some(_) => Origin::Registry,
        None if is_local(place) => Origin::Local,
        None => match origin(Some(place), "") {
            Origin::Git => Origin::Git,
            _ => Origin::OtherRegistry,
        },
    })
}
