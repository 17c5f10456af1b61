//! The packages of a `package.json` that come from npm's public registry.

use std::{collections::HashSet, path::PathBuf};

use serde_json::Value;

use super::{ProjectFolder, is_elsewhere};
use crate::{
    hosts::{is_only_at, is_only_of},
    locks::NPM_HOSTS as PUBLIC,
    package::Origin,
};

/// The lock files of the package managers.
const LOCKS: [&str; 6] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
];
/// Variables with which npm, pnpm, Yarn and Bun are told another registry.
const VARIABLES: [&str; 7] = [
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "pnpm_config_registry",
    "PNPM_CONFIG_REGISTRY",
    "BUN_CONFIG_REGISTRY",
    "YARN_NPM_REGISTRY_SERVER",
    "YARN_REGISTRY",
];
/// Variables that name a file of settings of npm.
const FILE_VARIABLES: [&str; 4] = [
    "npm_config_userconfig",
    "NPM_CONFIG_USERCONFIG",
    "npm_config_globalconfig",
    "NPM_CONFIG_GLOBALCONFIG",
];
/// Variables with the folder that npm installs into, which has settings in `etc/npmrc`.
const PREFIX_VARIABLES: [&str; 3] = ["PREFIX", "npm_config_prefix", "NPM_CONFIG_PREFIX"];
/// Settings of the whole system.
const OF_SYSTEM: [&str; 4] = [
    "etc/npmrc",
    "usr/etc/npmrc",
    "usr/local/etc/npmrc",
    "opt/homebrew/etc/npmrc",
];
/// Where pnpm's own settings are, below the user's folder for settings, and below the home on other systems.
const PNPM: [&str; 2] = ["pnpm/config.yaml", "pnpm/rc"];
const PNPM_AT_HOME: [&str; 4] = [
    "Library/Preferences/pnpm/config.yaml",
    "Library/Preferences/pnpm/rc",
    "AppData/Local/pnpm/config/config.yaml",
    "AppData/Local/pnpm/config/rc",
];

/// Returns the names that are public.
pub(super) fn names(project: &ProjectFolder<'_>) -> Vec<String> {
    let Some(manifest) = project.manifest("package.json") else {
        return Vec::new();
    };
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    if is_redirected(project) {
        return Vec::new();
    }
    let Some(locked) = Locked::of(project) else {
        return Vec::new();
    };
    let tables = ["dependencies", "devDependencies"].map(|name| manifest.get(name));
    let tables = tables.into_iter().flatten().filter_map(Value::as_object);
    let is_public = |value: &Value| {
        let version = value.as_str().unwrap_or_default();
        !version.contains(':') && !version.contains('/')
    };
    let public = tables.flatten().filter(|(_, value)| is_public(value));
    // A name with a scope may be that of a company.
    let public = public.filter(|(name, _)| !name.starts_with('@') && locked.is_public(name));
    public.map(|(name, _)| name.clone()).collect()
}

/// The packages of the lock files.
#[derive(Debug, Default)]
struct Locked {
    public: HashSet<String>,
    private: HashSet<String>,
    is_found: bool,
}

impl Locked {
    /// Reads the lock files; `None` if one of them cannot be read.
    fn of(project: &ProjectFolder<'_>) -> Option<Self> {
        let mut locked = Self::default();
        for name in LOCKS {
            let Some(packages) = project.lock(name) else {
                continue;
            };
            locked.is_found = true;
            for package in packages? {
                if is_elsewhere(&package) {
                    locked.private.insert(package.name);
                } else if package.origin == Origin::Registry {
                    locked.public.insert(package.name);
                }
            }
        }
        Some(locked)
    }

    /// Returns whether a package is not private: a lock file has it from the public registry, or there is none.
    fn is_public(&self, name: &str) -> bool {
        !self.private.contains(name) && (!self.is_found || self.public.contains(name))
    }
}

/// Returns the scopes for which settings name a registry that is not public.
pub(super) fn private_scopes(project: &ProjectFolder<'_>) -> HashSet<String> {
    let (npm, pnpm) = settings(project);
    let texts = npm.into_iter().chain(pnpm).flatten();
    let mut scopes = HashSet::new();
    for text in texts {
        // `@acme:registry=…`, or `'@acme': …` below `registries:`.
        for line in text
            .lines()
            .map(str::trim)
            .filter(|line| line.contains('@'))
        {
            let name = line.trim_start_matches(['\'', '"']);
            let end = name.find([':', '=', '\'', '"', ' ']);
            let (scope, address) = name.split_at(end.unwrap_or(name.len()));
            if scope.starts_with('@') && !is_only_at(address, &PUBLIC) {
                scopes.insert(scope.to_owned());
            }
        }
    }
    scopes
}

/// Returns the settings of npm, and those of pnpm; `None` for a file that cannot be read.
fn settings(project: &ProjectFolder<'_>) -> (Vec<Option<String>>, Vec<Option<String>>) {
    let mut npm = project.settings(".npmrc", &[".npmrc", "AppData/Roaming/npm/etc/npmrc"]);
    let mut paths: Vec<PathBuf> = project.of_system(&OF_SYSTEM).collect();
    let prefixes = PREFIX_VARIABLES
        .iter()
        .filter_map(|name| project.path(name));
    paths.extend(prefixes.map(|prefix| prefix.join("etc/npmrc")));
    npm.extend(project.read_all(&paths));
    // A file that is named and cannot be read is not known.
    let named = FILE_VARIABLES.iter().filter_map(|name| project.path(name));
    npm.extend(named.map(|path| project.read(&path).flatten()));
    let mut pnpm = project.settings("pnpm-workspace.yaml", &PNPM_AT_HOME);
    let paths: Vec<PathBuf> = project.of_user(&PNPM).collect();
    pnpm.extend(project.read_all(&paths));
    (npm, pnpm)
}

/// Returns whether packages without a scope may come from another registry.
pub(super) fn is_redirected(project: &ProjectFolder<'_>) -> bool {
    let (npm, pnpm) = settings(project);
    let mut npm = npm.into_iter();
    let npm = npm.any(|text| text.is_none_or(|text| is_redirected_by_npm(&text)));
    let mut pnpm = pnpm.into_iter();
    let pnpm = pnpm.any(|text| {
        text.is_none_or(|text| is_redirected_by_npm(&text) || is_redirected_by_pnpm(&text))
    });
    // Whatever address these name is that of a registry.
    let others = [".yarnrc", ".yarnrc.yml", "bunfig.toml"];
    let mut others = others
        .iter()
        .flat_map(|name| project.settings(name, &[name, ".bunfig.toml"]));
    npm || pnpm
        || others.any(|text| text.is_none_or(|text| !is_only_of(&text, &PUBLIC)))
        || project.is_redirected(&VARIABLES, &PUBLIC)
}

/// Returns whether settings in the form of npm, a `registry=…`, name another registry.
fn is_redirected_by_npm(text: &str) -> bool {
    let mut values = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "registry").then_some(value)
    });
    values.any(|value| !is_only_at(value, &PUBLIC))
}

/// Returns whether settings in YAML, a `registry: …` or `registries:` with `default: …`, name another registry. Those
/// of scopes do not matter: names with a scope are not sent.
fn is_redirected_by_pnpm(text: &str) -> bool {
    let mut is_in_registries = false;
    text.lines().any(|line| {
        let is_top = !line.starts_with([' ', '\t', '#', '-']) && !line.trim().is_empty();
        let Some((name, value)) = line.split_once(':') else {
            return false;
        };
        let name = name.trim().trim_matches(['\'', '"']);
        if is_top {
            is_in_registries = name == "registries";
        }
        let value = value.split(" #").next().unwrap_or_default().trim();
        let names_one = match is_top {
            true => name == "registry" || (is_in_registries && !value.is_empty()),
            false => is_in_registries && name == "default",
        };
        names_one && !is_only_at(value, &PUBLIC)
    })
}
