//! `pnpm-lock.yaml`, from version 5 to 9.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    Problem,
    npm::{PUBLIC, is_local, package, package_and_version},
};
use crate::{
    files::Others,
    hosts::is_only_at,
    package::{Origin, Package},
};

const TABLES: [&str; 3] = ["dependencies", "devDependencies", "optionalDependencies"];

/// `importers` with what each package of the project needs, and `packages` by name and version.
pub(super) fn read(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let lock: Value = serde_saphyr::from_str(text).map_err(|_| Problem::Malformed)?;
    let lock = lock.as_object().ok_or(Problem::Malformed)?;
    let mut found = Vec::new();
    let mut direct = HashSet::new();
    let importers = lock.get("importers").and_then(Value::as_object);
    let importers = importers.into_iter().flat_map(Map::values);
    for importer in importers.filter_map(Value::as_object).chain([lock]) {
        for table in TABLES {
            let needed = importer.get(table).and_then(Value::as_object);
            for (name, needed) in needed.into_iter().flatten() {
                // In older files the version alone; the specifiers have a table of their own.
                let version = needed.get("version").unwrap_or(needed).as_str();
                let specifiers = importer.get("specifiers").and_then(|all| all.get(name));
                let specifier = needed.get("specifier").or(specifiers);
                let specifier = specifier.and_then(Value::as_str);
                if [version, specifier].into_iter().flatten().any(is_local) {
                    found.extend(package(name, None, Origin::Local));
                } else if let Some(version) = version {
                    direct.insert((name.as_str(), own_version(version)));
                }
            }
        }
    }
    let packages = lock.get("packages").and_then(Value::as_object);
    for (key, entry) in packages.into_iter().flatten() {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let (name, version) = name_and_version(key);
        let version = own_version(version);
        // A package from elsewhere has its name and version beside it.
        let name = text("name").unwrap_or(name);
        let version = text("version").unwrap_or(version);
        let origin = origin(key, version, entry.get("resolution"));
        let is_direct = direct.contains(&(name, version));
        // Before the seventh version, a key with a host is that of another registry.
        let name = match name.split_once('/') {
            Some((host, rest)) if !name.starts_with('@') && host.contains('.') => rest,
            _ => name,
        };
        found.extend(package(name, Some(version), origin).map(|one| one.direct(is_direct)));
    }
    Ok(found)
}

/// Returns the parts of `react@19.0.0(x@1)`, `/react@18.2.0`, or in older files `/@babel/core/7.20.0_x@1`.
fn name_and_version(key: &str) -> (&str, &str) {
    let id = key.strip_prefix('/').unwrap_or(key);
    let is_version = |at: &usize| {
        let rest = id.get(at + 1..).unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_digit())
    };
    let slash = id.match_indices('/').map(|(at, _)| at).find(is_version);
    let name = slash.and_then(|at| id.get(..at));
    match (slash, name) {
        (Some(at), Some(name)) if !name.get(1..).unwrap_or_default().contains('@') => {
            (name, id.get(at + 1..).unwrap_or_default())
        }
        _ => package_and_version(key),
    }
}

/// Returns a version without the versions of its peers: `17.0.0_react@17` or `17.0.0(react@17)`.
fn own_version(version: &str) -> &str {
    version.split(['(', '_']).next().unwrap_or_default()
}

fn origin(key: &str, version: &str, resolution: Option<&Value>) -> Origin {
    let resolution = resolution.and_then(Value::as_object);
    let text = |name: &str| resolution?.get(name)?.as_str();
    let has = |name: &str| resolution.is_some_and(|all| all.contains_key(name));
    if has("directory") || is_local(key) {
        return Origin::Local;
    }
    if has("repo") || text("type") == Some("git") {
        return Origin::Git;
    }
    // Where an archive is, if it is not where the registry has it.
    if has("tarball") && !text("tarball").is_some_and(|at| is_only_at(at, &PUBLIC)) {
        return match text("tarball") {
            Some(at) if at.starts_with("file:") => Origin::Local,
            _ => Origin::OtherRegistry,
        };
    }
    let (name, _) = name_and_version(key);
    let has_host = !name.starts_with('@') && name.contains('/');
    if has_host || has("path") || has("type") {
        return Origin::OtherRegistry;
    }
    let is_number = version.starts_with(|c: char| c.is_ascii_digit());
    match is_number && has("integrity") {
        true => Origin::Registry,
        false => Origin::Unknown,
    }
}
