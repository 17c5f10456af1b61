//! The packages that a project uses, as its manifests name them. Packages of the project itself, from folders and
//! repositories, are left out: nobody else knows them.

#[cfg(test)]
mod tests;

use std::{fs::File, io::Read as _, path::Path};

use serde_json::Value;

/// The maximum size of a manifest. *Unit*: bytes.
const MAX_BYTES: u64 = 256 << 10;
/// The number of packages that are used.
const MAX_PACKAGES: usize = 24;
/// The fewest characters of a name: shorter ones are words of other things.
const MIN_CHARS: usize = 4;
/// Names that are common words of titles.
const COMMON: [&str; 20] = [
    "http", "test", "tests", "core", "path", "utils", "debug", "open", "time", "rand", "config",
    "errors", "request", "requests", "build", "types", "node", "python", "logging", "bytes",
];

/// Returns the names of the packages in a manifest.
type Names = fn(&str) -> Vec<String>;

/// Returns the names of the packages, in the order of the manifests.
pub(super) fn of(folder: &Path) -> Vec<String> {
    let read = |name: &str| -> Option<String> {
        let path = folder.join(name);
        path.is_file().then_some(())?;
        let mut text = String::new();
        File::open(path)
            .ok()?
            .take(MAX_BYTES)
            .read_to_string(&mut text)
            .ok()?;
        Some(text)
    };
    let manifests: [(&str, Names); 5] = [
        ("Cargo.toml", of_cargo),
        ("package.json", of_npm),
        ("pyproject.toml", of_pyproject),
        ("requirements.txt", of_requirements),
        ("go.mod", of_go),
    ];
    let found = manifests
        .iter()
        .filter_map(|(name, names)| Some(names(&read(name)?)));
    let mut packages: Vec<String> = Vec::new();
    for name in found.flatten() {
        let is_telling = name.chars().count() >= MIN_CHARS && !COMMON.contains(&name.as_str());
        if is_telling && !packages.contains(&name) {
            packages.push(name);
        }
    }
    packages.truncate(MAX_PACKAGES);
    packages
}

/// Returns whether a text names a package as a word.
pub(super) fn names(text: &str, package: &str) -> bool {
    let text = text.to_lowercase();
    let package = package.to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || "-_".contains(c);
    text.match_indices(&package).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + found.len()..)
            .and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

fn of_cargo(text: &str) -> Vec<String> {
    let Ok(manifest) = text.parse::<toml::Table>() else {
        return Vec::new();
    };
    let tables = ["dependencies", "dev-dependencies"].map(|name| manifest.get(name));
    let tables = tables
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_table);
    let is_public = |value: &toml::Value| {
        let elsewhere = ["path", "git", "workspace", "registry"];
        !elsewhere.iter().any(|name| value.get(name).is_some())
    };
    let public = tables.flatten().filter(|(_, value)| is_public(value));
    public.map(|(name, _)| name.clone()).collect()
}

fn of_npm(text: &str) -> Vec<String> {
    let manifest: Value = serde_json::from_str(text).unwrap_or_default();
    let tables = ["dependencies", "devDependencies"].map(|name| manifest.get(name));
    let tables = tables.into_iter().flatten().filter_map(Value::as_object);
    let is_public = |value: &Value| {
        let version = value.as_str().unwrap_or_default();
        !version.contains(':') && !version.contains('/')
    };
    let public = tables.flatten().filter(|(_, value)| is_public(value));
    // A name with a scope may be that of a company.
    let public = public.filter(|(name, _)| !name.starts_with('@'));
    public.map(|(name, _)| name.clone()).collect()
}

fn of_pyproject(text: &str) -> Vec<String> {
    let Ok(manifest) = text.parse::<toml::Table>() else {
        return Vec::new();
    };
    let project = manifest
        .get("project")
        .and_then(|project| project.get("dependencies"));
    let listed = project
        .and_then(toml::Value::as_array)
        .into_iter()
        .flatten();
    let mut names: Vec<String> = listed
        .filter_map(|item| requirement(item.as_str()?))
        .collect();
    let poetry = ["tool", "poetry", "dependencies"]
        .iter()
        .try_fold(&toml::Value::Table(manifest.clone()), |table, name| {
            table.get(name)
        })
        .and_then(toml::Value::as_table)
        .cloned();
    let public = poetry
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.is_str());
    names.extend(public.map(|(name, _)| name));
    names
}

fn of_requirements(text: &str) -> Vec<String> {
    text.lines().filter_map(requirement).collect()
}

/// Returns the name in a requirement of Python.
fn requirement(line: &str) -> Option<String> {
    let line = line.split('#').next()?.trim();
    if line.starts_with('-')
        || line.contains("://")
        || line.contains(" @ ")
        || line.starts_with(['.', '/'])
    {
        return None;
    }
    let end = line.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    let name = line.get(..end.unwrap_or(line.len()))?;
    (!name.is_empty()).then(|| name.to_lowercase())
}

/// Returns the last part of the path of each module on a public host.
fn of_go(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.map(|line| line.strip_prefix("require ").unwrap_or(line));
    let direct = lines.filter(|line| !line.ends_with("// indirect"));
    let modules = direct.filter_map(|line| {
        let mut words = line.split_whitespace();
        let (module, version) = (words.next()?, words.next()?);
        let is_public = [
            "github.com/",
            "golang.org/",
            "gopkg.in/",
            "google.golang.org/",
        ]
        .iter()
        .any(|host| module.starts_with(host));
        (is_public && version.starts_with('v')).then_some(module)
    });
    let names = modules.filter_map(|module| {
        let mut parts = module.rsplit('/');
        let last = parts.next()?;
        let is_version = last.starts_with('v') && last.get(1..)?.parse::<u32>().is_ok();
        Some(if is_version { parts.next()? } else { last }.to_owned())
    });
    names.collect()
}
