//! The packages of a `pyproject.toml` or a `requirements.txt` that come from the Python Package Index.

use std::{
    collections::HashSet,
    path::{Component, Path},
};

use toml::{Table, Value};

use super::{ProjectFolder, is_elsewhere};
use crate::{
    hosts::{is_only_at, is_only_of},
    locks::PYTHON_HOSTS as PUBLIC,
};

/// Variables with which pip, uv, PDM and Pipenv are told another index.
const VARIABLES: [&str; 10] = [
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "UV_INDEX",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "PDM_PYPI_URL",
    "PIPENV_PYPI_MIRROR",
];
/// Where the settings of pip are, in the folders for settings and below the home.
const PIP: [&str; 2] = ["pip/pip.conf", "pip/pip.ini"];
const PIP_AT_HOME: [&str; 4] = [
    ".pip/pip.conf",
    "pip/pip.ini",
    "Library/Application Support/pip/pip.conf",
    "AppData/Roaming/pip/pip.ini",
];
/// Where those of uv are.
const UV: [&str; 1] = ["uv/uv.toml"];
const UV_AT_HOME: [&str; 1] = ["AppData/Roaming/uv/uv.toml"];
/// Where those of PDM are.
const PDM: [&str; 1] = ["pdm/config.toml"];
const PDM_AT_HOME: [&str; 2] = [
    "Library/Application Support/pdm/config.toml",
    "AppData/Local/pdm/pdm/config.toml",
];
/// Settings of the whole system.
const OF_SYSTEM: [&str; 3] = [
    "etc/pip.conf",
    "etc/uv/uv.toml",
    "Library/Application Support/pip/pip.conf",
];
/// Variables with the folder of an environment, which may have settings of its own.
const ENVIRONMENTS: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];
/// The names of settings of pip in an environment.
const OF_ENVIRONMENT: [&str; 2] = ["pip.conf", "pip.ini"];
/// Options of a file of requirements that name an index, and those that name another file.
const INDEX_OPTIONS: [&str; 5] = [
    "-i",
    "-f",
    "--index-url",
    "--extra-index-url",
    "--find-links",
];
const FILE_OPTIONS: [&str; 4] = ["-r", "-c", "--requirement", "--constraint"];
/// How deep files of requirements may name others.
const MAX_DEPTH: usize = 4;

/// Returns the names that are public.
pub(super) fn names(project: &ProjectFolder<'_>) -> Vec<String> {
    let manifest = project.manifest("pyproject.toml");
    let manifest = manifest.map(|text| text.parse::<Table>().ok());
    let requirements = project.manifest("requirements.txt");
    if manifest.is_none() && requirements.is_none() || is_redirected(project) {
        return Vec::new();
    }
    let manifest = manifest.flatten().unwrap_or_default();
    let Some(mut private) = private_in_locks(project) else {
        return Vec::new();
    };
    private.extend(with_sources(&manifest));
    let mut names = of_manifest(&manifest);
    let lines = requirements.as_deref().unwrap_or_default().lines();
    names.extend(lines.filter_map(requirement));
    names.retain(|name| !private.contains(&normalized(name)));
    names
}

/// Returns the names for which a manifest has sources of its own.
fn with_sources(manifest: &Table) -> impl Iterator<Item = String> {
    let sources = at(manifest, &["tool", "uv", "sources"]).and_then(Value::as_table);
    let sources = sources.into_iter().flatten();
    sources.map(|(name, _)| normalized(name))
}

fn at<'a>(manifest: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter()
        .try_fold(manifest.get(*first)?, |value, name| value.get(name))
}

fn of_manifest(manifest: &Table) -> Vec<String> {
    let listed = at(manifest, &["project", "dependencies"]).and_then(Value::as_array);
    let listed = listed.into_iter().flatten();
    let mut names: Vec<String> = listed
        .filter_map(|item| requirement(item.as_str()?))
        .collect();
    let poetry = at(manifest, &["tool", "poetry", "dependencies"]).and_then(Value::as_table);
    let public = poetry
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.is_str());
    names.extend(public.map(|(name, _)| name.to_lowercase()));
    names
}

/// Returns whether a manifest names no index but the public one.
fn has_only_public_indexes(manifest: &Table) -> bool {
    let places = [
        ["tool", "poetry", "source"],
        ["tool", "pdm", "source"],
        ["tool", "uv", "index"],
        ["tool", "uv", "index-url"],
        ["tool", "uv", "extra-index-url"],
        ["tool", "uv", "find-links"],
        ["tool", "uv", "pip"],
    ];
    let mut named = places.iter().filter_map(|place| at(manifest, place));
    named.all(|value| is_only_of(&value.to_string(), &PUBLIC))
}

/// Returns whether a file of requirements, and those that it names, name no index but the public one.
fn has_only_public_options(project: &ProjectFolder<'_>, text: &str, depth: usize) -> bool {
    text.lines().all(|line| {
        let line = line.trim();
        let (option, value) = match line.split_once(|c: char| c.is_whitespace() || c == '=') {
            Some((option, value)) => (option, value.trim()),
            None => (line, ""),
        };
        if INDEX_OPTIONS.contains(&option) {
            return is_only_at(value, &PUBLIC);
        }
        if !FILE_OPTIONS.contains(&option) {
            // An option may be written without a blank before its value.
            let is_short = ["-i", "-f", "-r", "-c"]
                .iter()
                .any(|short| line.starts_with(short));
            return !is_short;
        }
        let is_inside = Path::new(value)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let other = project.folder.join(value);
        match project.read(&other) {
            None => is_inside,
            Some(Some(text)) => {
                depth < MAX_DEPTH && has_only_public_options(project, &text, depth + 1)
            }
            Some(None) => false,
        }
    })
}

/// Returns whether the manifests in the folder, or the settings of pip or uv, name another index.
pub(super) fn is_redirected(project: &ProjectFolder<'_>) -> bool {
    let manifest = project.read(&project.folder.join("pyproject.toml"));
    let is_indexed = manifest.is_some_and(|text| {
        let manifest = text.and_then(|text| text.parse::<Table>().ok());
        manifest.is_none_or(|manifest| !has_only_public_indexes(&manifest))
    });
    let required = project.read(&project.folder.join("requirements.txt"));
    let is_public = required
        .is_none_or(|text| text.is_some_and(|text| has_only_public_options(project, &text, 0)));
    is_indexed || !is_public || is_redirected_by_settings(project)
}

/// Returns whether the settings of pip or uv name another index.
fn is_redirected_by_settings(project: &ProjectFolder<'_>) -> bool {
    let pip = project.settings("pip.conf", &PIP_AT_HOME);
    let uv = project.settings("uv.toml", &UV_AT_HOME);
    let pdm = project.settings("pdm.toml", &PDM_AT_HOME);
    let mut paths = project.of_user_and_system(&[&PIP[..], &UV, &PDM].concat());
    paths.extend(project.of_system(&OF_SYSTEM));
    let environments = ENVIRONMENTS.iter().filter_map(|name| project.path(name));
    let environments = environments.chain([".venv", "venv"].map(|name| project.folder.join(name)));
    paths.extend(environments.flat_map(|folder| OF_ENVIRONMENT.map(|name| folder.join(name))));
    let of_environment = ["PIP_CONFIG_FILE", "UV_CONFIG_FILE"].iter();
    let mut named = of_environment.filter_map(|name| (project.variable)(name));
    let files = pip.into_iter().chain(uv).chain(pdm);
    let mut files = files.chain(project.read_all(&paths));
    files.any(|text| text.is_none_or(|text| !is_only_of(&text, &PUBLIC)))
        || named.any(|path| {
            let text = project.read(Path::new(&path)).flatten();
            text.is_none_or(|text| !is_only_of(&text, &PUBLIC))
        })
        || project.is_redirected(&VARIABLES, &PUBLIC)
}

/// Returns the packages that lock files have from elsewhere; `None` if one of them cannot be read.
fn private_in_locks(project: &ProjectFolder<'_>) -> Option<HashSet<String>> {
    let mut private = HashSet::new();
    for file in ["uv.lock", "poetry.lock", "pdm.lock"] {
        let Some(lock) = project.lock(file) else {
            continue;
        };
        let elsewhere = lock?.into_iter().filter(is_elsewhere);
        private.extend(elsewhere.map(|package| normalized(&package.name)));
    }
    Some(private)
}

/// Returns the name in a requirement of Python.
fn requirement(line: &str) -> Option<String> {
    let line = line.split('#').next()?.trim();
    if line.starts_with('-')
        || line.contains("://")
        || line.contains('@')
        || line.starts_with(['.', '/'])
    {
        return None;
    }
    let end = line.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    let name = line.get(..end.unwrap_or(line.len()))?;
    // A folder, or an archive.
    let is_path = end.is_some_and(|end| {
        line.get(end..)
            .is_some_and(|rest| rest.starts_with(['/', '\\']))
    });
    let is_file = [".whl", ".zip", ".gz"]
        .iter()
        .any(|suffix| name.ends_with(suffix));
    (!name.is_empty() && !is_path && !is_file).then(|| name.to_lowercase())
}

/// Returns a name as the index compares it.
fn normalized(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// Returns the names for which the manifest in the folder has sources of its own.
pub(super) fn private_in_manifest(project: &ProjectFolder<'_>) -> HashSet<String> {
    let manifest = project.manifest("pyproject.toml");
    let manifest = manifest.and_then(|text| text.parse::<Table>().ok());
    let manifest = manifest.unwrap_or_default();
    with_sources(&manifest).collect()
}
