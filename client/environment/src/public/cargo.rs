//! The packages of a `Cargo.toml` that come from crates.io.

use std::path::PathBuf;

use toml::{Table, Value};

use super::ProjectFolder;
use crate::package::{Origin, Package};

/// Returns the names that are public.
pub(super) fn names(project: &ProjectFolder<'_>) -> Vec<String> {
    let manifest = project.manifest("Cargo.toml");
    let Some(manifest) = manifest.and_then(|text| text.parse::<Table>().ok()) else {
        return Vec::new();
    };
    if is_replaced(project) {
        return Vec::new();
    }
    let tables = ["dependencies", "dev-dependencies"].map(|name| manifest.get(name));
    let listed = tables.into_iter().flatten().filter_map(Value::as_table);
    let public = listed
        .flatten()
        .filter(|(_, value)| is_from_registry(value));
    // A dependency may be renamed.
    let named =
        public.map(|(name, value)| value.get("package").and_then(Value::as_str).unwrap_or(name));
    let patched = patched(&manifest);
    // What a lock file does not know, or cannot be read of it, is not certainly public.
    let locked = project.lock("Cargo.lock").map(Option::unwrap_or_default);
    let is_public = |package: &Package| package.origin == Origin::Registry;
    let is_locked = |name: &str| {
        locked.as_ref().is_none_or(|locked| {
            let mut locked = locked.iter().filter(|package| is_public(package));
            locked.any(|package| package.name == name)
        })
    };
    let named = named.filter(|name| !patched.iter().any(|known| known == name) && is_locked(name));
    named.map(str::to_owned).collect()
}

/// Returns whether a dependency is from the default registry.
fn is_from_registry(value: &Value) -> bool {
    let elsewhere = ["path", "git", "workspace", "registry", "registry-index"];
    !elsewhere.iter().any(|name| value.get(name).is_some())
}

/// Returns the packages of which the manifest brings its own version.
fn patched(manifest: &Table) -> Vec<String> {
    let tables = ["patch", "replace"].map(|name| manifest.get(name).and_then(Value::as_table));
    let mut names = Vec::new();
    for (name, value) in tables.into_iter().flatten().flatten() {
        names.push(name.split(':').next().unwrap_or(name).to_owned());
        names.extend(
            value
                .as_table()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone()),
        );
    }
    names
}

/// Returns whether Cargo's settings replace crates.io by another source, which may have other packages.
pub(super) fn is_replaced(project: &ProjectFolder<'_>) -> bool {
    let files = [".cargo/config.toml", ".cargo/config"];
    let texts = files
        .iter()
        .flat_map(|name| project.settings(name, &[name]));
    let home = (project.variable)("CARGO_HOME").map(PathBuf::from);
    let at_home = ["config.toml", "config"].into_iter().filter_map(|name| {
        let path = home.as_ref()?.join(name);
        project.read(&path)
    });
    texts.chain(at_home).any(|text| {
        let settings = text.and_then(|text| text.parse::<Table>().ok());
        settings.is_none_or(|settings| {
            let source = settings
                .get("source")
                .and_then(|sources| sources.get("crates-io"));
            source.is_some() || settings.contains_key("include")
        })
    })
}
