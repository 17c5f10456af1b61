//! The list of the crates that the programs are made of, in the format CycloneDX.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::Context as _;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    checksum,
    platform::Platform,
    programs::{cargo, printed},
    release::{LICENCE, Package, REPOSITORY, Release},
};

/// The crates of the two programs.
const ROOTS: [&str; 2] = ["recall-kit-cli", "recall-kit-server"];

/// Makes the list.
pub(crate) fn package(release: &Release) -> anyhow::Result<Package> {
    let metadata = metadata(release.root, release.platform)?;
    let checksums = checksums(&release.read("Cargo.lock")?)?;
    let graph = Graph::of(&metadata).context("cargo describes the crates in an unknown form")?;
    let mut components = Vec::new();
    let mut dependencies = Vec::new();
    for (id, needs) in graph.reachable() {
        let Some(package) = graph.packages.get(id) else {
            continue;
        };
        components.push(component(package, &checksums));
        let needs: BTreeSet<String> = needs
            .iter()
            .filter_map(|id| graph.packages.get(id).map(|package| purl(package)))
            .collect();
        dependencies.push(json!({"ref": purl(package), "dependsOn": needs}));
    }
    let by_ref = |key: &'static str| move |value: &Value| value[key].as_str().map(str::to_owned);
    components.sort_by_key(by_ref("bom-ref"));
    dependencies.sort_by_key(by_ref("ref"));
    let time = Timestamp::from_second(i64::try_from(release.format.time)?)?;
    let bom = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": serial_number(&release.name(), &components),
        "version": 1,
        "metadata": {
            "timestamp": time.to_string(),
            "tools": {"components": [{"type": "application", "name": "recall-kit-package",
                "version": env!("CARGO_PKG_VERSION")}]},
            "component": {
                "type": "application",
                "bom-ref": release.name(),
                "name": "recall-kit",
                "version": release.version,
                "licenses": [{"expression": LICENCE}],
                "externalReferences": [{"type": "vcs", "url": REPOSITORY}],
                "properties": [{"name": "target", "value": release.platform.target}],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    Ok(Package {
        name: format!("{}.cdx.json", release.name()),
        about: "the crates inside, as a CycloneDX SBOM",
        bytes: (serde_json::to_string_pretty(&bom)? + "\n").into_bytes(),
    })
}

fn metadata(root: &Path, platform: &Platform) -> anyhow::Result<Value> {
    let mut cargo = cargo(root);
    cargo.args(["metadata", "--format-version", "1", "--locked"]);
    cargo.args(["--filter-platform", platform.target]);
    Ok(serde_json::from_slice(&printed(cargo)?)?)
}

/// Reads the SHA-256 of each crate's archive from `Cargo.lock`, by name and version.
fn checksums(lock: &[u8]) -> anyhow::Result<BTreeMap<(String, String), String>> {
    let lock: toml::Table = toml::from_slice(lock)?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let read = |package: &toml::Value| {
        let text = |key: &str| package.get(key)?.as_str().map(str::to_owned);
        Some(((text("name")?, text("version")?), text("checksum")?))
    };
    let packages = packages.context("Cargo.lock has no packages")?;
    Ok(packages.iter().filter_map(read).collect())
}

/// The crates and what each needs when it runs.
struct Graph<'a> {
    packages: BTreeMap<&'a str, &'a Value>,
    needs: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Graph<'a> {
    fn of(metadata: &'a Value) -> Option<Self> {
        let packages = metadata["packages"].as_array()?.iter();
        let packages = packages.map(|package| Some((package["id"].as_str()?, package)));
        let nodes = metadata["resolve"]["nodes"].as_array()?.iter();
        let needs = nodes.map(|node| {
            let needed = node["deps"].as_array()?.iter().filter(|it| is_shipped(it));
            let needed = needed.filter_map(|dependency| dependency["pkg"].as_str());
            Some((node["id"].as_str()?, needed.collect()))
        });
        Some(Self {
            packages: packages.collect::<Option<_>>()?,
            needs: needs.collect::<Option<_>>()?,
        })
    }

    /// Returns the crates of the programs and everything that they need.
    fn reachable(&self) -> BTreeMap<&'a str, &[&'a str]> {
        let is_root = |package: &Value| ROOTS.iter().any(|name| package["name"] == *name);
        let roots = self.packages.iter().filter(|(_, package)| is_root(package));
        let mut open: Vec<&str> = roots.map(|(id, _)| *id).collect();
        let mut found = BTreeMap::new();
        while let Some(id) = open.pop() {
            let needs = self.needs.get(id).map_or(&[][..], Vec::as_slice);
            if found.insert(id, needs).is_none() {
                open.extend(needs);
            }
        }
        found
    }
}

/// Whether a dependency is part of the program, and not only of its tests or of its build.
fn is_shipped(dependency: &Value) -> bool {
    let kinds = dependency["dep_kinds"].as_array();
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let (name, version) = (text("name"), text("version"));
    let mut component = json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "purl": purl(package),
    });
    if !package["license"].is_null() {
        // Older crates separate licences by a slash, which is no SPDX.
        let licence = text("license").replace('/', " OR ");
        component["licenses"] = json!([{"expression": licence}]);
    }
    if let Some(checksum) = checksums.get(&(name, version)) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    if let Some(repository) = package["repository"].as_str() {
        component["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
    }
    component
}

fn purl(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

/// Returns a UUID that is the same for the same components.
fn serial_number(name: &str, components: &[Value]) -> String {
    let digits = checksum::hex(format!("{name} {components:?}").as_bytes());
    let part = |range| digits.get(range).unwrap_or_default();
    // The 8 and the b say that the UUID is of the version that leaves the other digits open.
    format!(
        "urn:uuid:{}-{}-8{}-b{}-{}",
        part(0..8),
        part(8..12),
        part(13..16),
        part(17..20),
        part(20..32)
    )
}
