//! `bun.lock`, which is JSON with comments and trailing commas.

use std::collections::HashSet;

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Map, Value};

use super::{
    Problem,
    npm::{PUBLIC, is_local, needed_by, package, package_and_version},
};
use crate::{
    files::Others,
    hosts::is_only_at,
    package::{Origin, Package},
};

/// `"react": ["react@19.0.0", "", {…}, "sha512-…"]`.
pub(super) fn read(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let lock: Value =
        parse_to_serde_value(text, &ParseOptions::default()).map_err(|_| Problem::Malformed)?;
    let lock = lock.as_object().ok_or(Problem::Malformed)?;
    let workspaces = lock.get("workspaces").and_then(Value::as_object);
    let workspaces: Vec<&Value> = workspaces.into_iter().flat_map(Map::values).collect();
    let needed = workspaces.iter().copied().flat_map(needed_by);
    let direct: HashSet<&String> = needed.collect();
    let own = workspaces
        .iter()
        .filter_map(|own| own.get("name")?.as_str());
    let mut found: Vec<Package> = own
        .filter_map(|name| package(name, None, Origin::Local))
        .collect();
    let packages = lock.get("packages").and_then(Value::as_object);
    for (key, item) in packages.into_iter().flatten() {
        let text = |at: usize| item.get(at).and_then(Value::as_str);
        let Some(id) = text(0) else { continue };
        let (name, version) = package_and_version(id);
        let is_number = version.starts_with(|c: char| c.is_ascii_digit());
        let origin = match text(1) {
            _ if is_local(version) || version.starts_with("root:") => Origin::Local,
            // It is empty for the registry of the settings.
            Some("") if is_number => Origin::Registry,
            Some(address) if is_number && is_only_at(address, &PUBLIC) => Origin::Registry,
            _ if is_number || version.starts_with("http") => Origin::OtherRegistry,
            _ => Origin::Git,
        };
        let is_direct = key == name && direct.contains(key);
        found.extend(package(name, Some(version), origin).map(|one| one.direct(is_direct)));
    }
    Ok(found)
}
