//! `poetry.lock`, `pdm.lock`, `uv.lock` and `Pipfile.lock`.

use std::collections::HashSet;

use serde_json::Value as Json;
use toml::{Table, Value};

use super::Problem;
use crate::{
    files::Others,
    hosts::is_only_at,
    package::{Ecosystem, Origin, Package},
};

/// The hosts of the public index and of its archives.
pub(crate) const PUBLIC: [&str; 4] = [
    "pypi.org",
    "pypi.python.org",
    "files.pythonhosted.org",
    "download.pytorch.org",
];

fn package(name: &str, version: Option<&str>, origin: Origin) -> Option<Package> {
    Package::new(Ecosystem::Pypi, name, version, origin)
}

fn tables(text: &str) -> Result<Vec<Value>, Problem> {
    let mut lock: Table = text.parse().map_err(|_| Problem::Malformed)?;
    match lock.remove("package") {
        None => Ok(Vec::new()),
        Some(Value::Array(packages)) => Ok(packages),
        Some(_) => Err(Problem::Malformed),
    }
}

/// `[[package]]` with `name`, `version`, and a `source` if it is not from the default index; pdm writes `git`, `path`
/// and `url` beside the name.
pub(super) fn read_poetry(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let packages = tables(text)?;
    let packages = packages.iter().filter_map(|entry| {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let kind = entry.get("source").and_then(|source| source.get("type"));
        let kind = kind.and_then(Value::as_str);
        let origin = match entry.get("source") {
            _ if entry.get("git").is_some() => Origin::Git,
            _ if entry.get("path").is_some() => Origin::Local,
            _ if entry.get("url").is_some() => Origin::OtherRegistry,
            None => Origin::Registry,
            Some(_) if kind == Some("git") => Origin::Git,
            Some(_) if matches!(kind, Some("directory" | "file")) => Origin::Local,
            Some(source) if is_only_at(&source.to_string(), &PUBLIC) => Origin::Registry,
            Some(_) => Origin::OtherRegistry,
        };
        package(text("name")?, text("version"), origin)
    });
    Ok(packages.collect())
}

/// `[[package]]` with a `source` of one of several forms; the project itself is one of them.
pub(super) fn read_uv(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let packages = tables(text)?;
    let is_own = |entry: &&Value| {
        let source = entry.get("source");
        source.is_some_and(|source| {
            source.get("virtual").is_some() || source.get("editable").is_some()
        })
    };
    let own = packages.iter().filter(is_own);
    let needed = own.flat_map(|own| {
        let plain = own.get("dependencies").and_then(Value::as_array);
        let groups = ["dev-dependencies", "optional-dependencies"].into_iter();
        let groups = groups.filter_map(|name| own.get(name)?.as_table());
        let groups = groups.flat_map(|table| table.values().filter_map(Value::as_array));
        plain.into_iter().chain(groups).flatten()
    });
    let direct: HashSet<&str> = needed
        .filter_map(|needed| needed.get("name")?.as_str())
        .collect();
    let found = packages.iter().filter_map(|entry| {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let name = text("name")?;
        let source = entry.get("source");
        let origin = match source {
            None => Origin::Unknown,
            Some(source) if source.get("git").is_some() => Origin::Git,
            Some(source) if is_local(source) => Origin::Local,
            Some(source) => match source.get("registry").and_then(Value::as_str) {
                Some(at) if is_only_at(at, &PUBLIC) => Origin::Registry,
                _ => Origin::OtherRegistry,
            },
        };
        Some(package(name, text("version"), origin)?.direct(direct.contains(name)))
    });
    Ok(found.collect())
}

fn is_local(source: &Value) -> bool {
    ["virtual", "editable", "directory", "path", "workspace"]
        .iter()
        .any(|name| source.get(name).is_some())
}

/// `{"_meta": {"sources": […]}, "default": {"flask": {"version": "==3.0"}}, "develop": {…}}`.
pub(super) fn read_pipfile(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let lock: Json = serde_json::from_str(text).map_err(|_| Problem::Malformed)?;
    let lock = lock.as_object().ok_or(Problem::Malformed)?;
    let sources = lock.get("_meta").and_then(|meta| meta.get("sources"));
    let sources = sources.and_then(Json::as_array);
    let text = |of: &Json, name: &str| of.get(name).and_then(Json::as_str).map(str::to_owned);
    let sources: Vec<(Option<String>, bool)> = sources
        .into_iter()
        .flatten()
        .map(|source| {
            let url = text(source, "url").unwrap_or_default();
            (text(source, "name"), is_only_at(&url, &PUBLIC))
        })
        .collect();
    let are_public = sources.iter().all(|(_, is_public)| *is_public);
    let groups = ["default", "develop"].iter();
    let groups = groups.filter_map(|name| lock.get(*name)?.as_object());
    let packages = groups.flatten().filter_map(|(name, entry)| {
        let index = text(entry, "index");
        let named = sources
            .iter()
            .find(|(name, _)| index.is_some() && *name == index);
        let origin = if entry.get("git").is_some() {
            Origin::Git
        } else if ["path", "file", "editable"]
            .iter()
            .any(|key| entry.get(*key).is_some())
        {
            Origin::Local
        } else {
            match named {
                // An index is where it is looked for first, not only.
                Some((_, true)) | None if are_public => Origin::Registry,
                _ => Origin::OtherRegistry,
            }
        };
        let version = text(entry, "version");
        let version = version.as_deref().map(|it| it.trim_start_matches('='));
        package(name, version, origin)
    });
    Ok(packages.collect())
}
