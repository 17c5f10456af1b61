//! `Cargo.lock`, in all its versions.

use std::collections::HashSet;

use toml::{Table, Value};

use super::Problem;
use crate::{
    files::Others,
    package::{Ecosystem, Origin, Package},
};

/// The sources of crates.io.
const PUBLIC: [&str; 3] = [
    "registry+https://github.com/rust-lang/crates.io-index",
    "sparse+https://index.crates.io/",
    "registry+https://index.crates.io/",
];

/// `[[package]]` with `name`, `version`, `source` and `dependencies`; the first version has a `[root]`, too.
pub(super) fn read(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let lock: Table = text.parse().map_err(|_| Problem::Malformed)?;
    let listed = lock.get("package").and_then(Value::as_array);
    let all: Vec<&Value> = lock
        .get("root")
        .into_iter()
        .chain(listed.into_iter().flatten())
        .collect();
    let is_own = |package: &Value| package.get("source").is_none();
    let own = all.iter().filter(|package| is_own(package));
    let needed = own.filter_map(|package| package.get("dependencies")?.as_array());
    // `name`, `name version` or `name version (source)`.
    let needed = needed.flatten().filter_map(Value::as_str);
    let direct: HashSet<(&str, Option<&str>)> = needed
        .filter_map(|needed| {
            let mut words = needed.split(' ');
            Some((words.next()?, words.next()))
        })
        .collect();
    let packages = all.iter().filter_map(|package| {
        let name = package.get("name")?.as_str()?;
        let version = package.get("version").and_then(Value::as_str);
        let source = package.get("source").map(Value::as_str);
        let is_direct = direct.contains(&(name, None)) || direct.contains(&(name, version));
        let package = Package::new(Ecosystem::Cargo, name, version, origin(source))?;
        Some(package.direct(is_direct))
    });
    Ok(packages.collect())
}

fn origin(source: Option<Option<&str>>) -> Origin {
    match source {
        None => Origin::Local,
        Some(Some(source)) if PUBLIC.contains(&source) => Origin::Registry,
        Some(Some(source)) if source.starts_with("git+") => Origin::Git,
        Some(_) => Origin::OtherRegistry,
    }
}
