//! `package-lock.json` in its versions 1 to 3, and what the lock files of all package managers of npm share.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Problem;
use crate::{
    files::Others,
    hosts::is_only_at,
    package::{Ecosystem, Origin, Package},
};

/// The hosts of the public registry.
pub(crate) const PUBLIC: [&str; 2] = ["registry.npmjs.org", "registry.yarnpkg.com"];
/// What begins a version that is a folder or an archive of the project.
const LOCAL: [&str; 4] = ["workspace:", "link:", "file:", "portal:"];
/// The tables of a manifest with dependencies.
const TABLES: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
];

/// `packages` by their folders, and in older files `dependencies` in each other.
pub(super) fn read(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let lock: Value = serde_json::from_str(text).map_err(|_| Problem::Malformed)?;
    let lock = lock.as_object().ok_or(Problem::Malformed)?;
    let mut found = Vec::new();
    // The project itself.
    if let Some(name) = lock.get("name").and_then(Value::as_str) {
        found.extend(package(name, None, Origin::Local));
    }
    match lock.get("packages").and_then(Value::as_object) {
        Some(packages) => read_packages(packages, &mut found),
        None => {
            let dependencies = lock.get("dependencies").and_then(Value::as_object);
            read_dependencies(dependencies, true, &mut found);
        }
    }
    Ok(found)
}

/// `"node_modules/react": {"version": "19.0.0", "resolved": "https://…"}`.
fn read_packages(packages: &Map<String, Value>, found: &mut Vec<Package>) {
    let own = packages.iter();
    let own = own.filter(|(place, _)| !place.contains("node_modules/"));
    let direct: HashSet<&String> = own.flat_map(|(_, manifest)| needed_by(manifest)).collect();
    for (place, entry) in packages {
        if place.is_empty() {
            continue;
        }
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let version = text("version");
        let Some((before, name)) = place.rsplit_once("node_modules/") else {
            // The folder of a package of the project.
            let folder = place.rsplit('/').next().unwrap_or_default();
            found.extend(package(
                text("name").unwrap_or(folder),
                version,
                Origin::Local,
            ));
            continue;
        };
        // One with another name than its folder has both.
        let real = text("name").unwrap_or(name).to_owned();
        let is_link = entry.get("link").and_then(Value::as_bool) == Some(true);
        let is_bundled = entry.get("inBundle").and_then(Value::as_bool) == Some(true);
        let is_unaddressed =
            text("resolved").is_none() && text("integrity").is_some() && !is_bundled;
        let origin = match version {
            _ if is_link => Origin::Local,
            Some(version) if is_local(version) => Origin::Local,
            // npm can leave the address out of what is from the registry of its settings.
            _ if is_unaddressed => Origin::Registry,
            _ => origin(text("resolved"), &real),
        };
        let is_top = before.is_empty() || !before.contains("node_modules/");
        let is_direct = is_top && direct.iter().any(|needed| *needed == name);
        let one = package(&real, version, origin);
        found.extend(one.map(|one| one.direct(is_direct)));
    }
}

/// `"react": {"version": "19.0.0", "resolved": "https://…", "dependencies": {…}}`.
fn read_dependencies(
    dependencies: Option<&Map<String, Value>>,
    is_top: bool,
    found: &mut Vec<Package>,
) {
    for (name, entry) in dependencies.into_iter().flatten() {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let version = text("version").unwrap_or_default();
        // `npm:other@1.0.0` is another package.
        let other = version.strip_prefix("npm:").map(package_and_version);
        let (name, version) = other.unwrap_or((name, version));
        let origin = match is_local(version) {
            true => Origin::Local,
            false if is_git(version) => Origin::Git,
            false => origin(text("resolved"), name),
        };
        let one = package(name, Some(version), origin);
        found.extend(one.map(|one| one.direct((!is_top).then_some(false))));
        let inner = entry.get("dependencies").and_then(Value::as_object);
        read_dependencies(inner, false, found);
    }
}

/// Returns the names in the tables of dependencies of a manifest.
pub(super) fn needed_by(manifest: &Value) -> impl Iterator<Item = &String> {
    let tables = TABLES.iter().filter_map(|table| manifest.get(*table));
    let tables = tables.filter_map(Value::as_object);
    tables.flat_map(|table| table.keys())
}

/// Creates a package of npm.
pub(super) fn package(name: &str, version: Option<&str>, origin: Origin) -> Option<Package> {
    Package::new(Ecosystem::Npm, name, version, origin)
}

/// Returns where an address leads. An archive of the public registry belongs to the package if its path has its name.
pub(super) fn origin(resolved: Option<&str>, name: &str) -> Origin {
    let Some(address) = resolved else {
        return Origin::Unknown;
    };
    if is_only_at(address, &PUBLIC) {
        let address = address.replace("%2f", "/").replace("%2F", "/");
        return match address.contains(&format!("/{name}/-/")) {
            true => Origin::Registry,
            false => Origin::Unknown,
        };
    }
    match is_git(address) {
        true => Origin::Git,
        false if is_local(address) || !address.contains("://") => Origin::Local,
        false => Origin::OtherRegistry,
    }
}

/// Returns whether an address is that of a repository.
fn is_git(address: &str) -> bool {
    [
        "git+",
        "git:",
        "git@",
        "github:",
        "gitlab:",
        "bitbucket:",
        "gist:",
        "ssh:",
    ]
    .iter()
    .any(|begin| address.starts_with(begin))
        || address.contains(".git#")
        || address.starts_with("https://codeload.github.com/")
}

/// Returns whether a version is a folder or an archive of the project.
pub(super) fn is_local(version: &str) -> bool {
    LOCAL.iter().any(|begin| version.starts_with(begin))
}

/// Returns the parts of `react@19.0.0`, `/react@19.0.0(x@1)` or `/react/19.0.0`.
pub(super) fn package_and_version(id: &str) -> (&str, &str) {
    let id = id.strip_prefix('/').unwrap_or(id);
    let id = id.split('(').next().unwrap_or_default();
    let at = id.get(1..).and_then(|rest| rest.find('@'));
    match at.map(|at| id.split_at(at + 1)) {
        Some((package, version)) => (package, version.trim_start_matches('@')),
        None => id.rsplit_once('/').unwrap_or((id, "")),
    }
}
