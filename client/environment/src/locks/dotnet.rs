//! `packages.lock.json`, and the packages of `*.csproj`, `Directory.Packages.props` and `packages.config`.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

use roxmltree::{Document, Node};
use serde_json::Value;

use super::Problem;
use crate::{
    files::Others,
    package::{Ecosystem, Origin, Package},
};

/// The file with the versions of packages for a folder and those below it.
const CENTRAL: &str = "Directory.Packages.props";
/// How many folders are looked at for it, upwards.
const MAX_FOLDERS: usize = 12;

fn package(name: &str, version: Option<&str>, origin: Origin) -> Option<Package> {
    Package::new(Ecosystem::Nuget, name, version, origin)
}

/// `{"dependencies": {"net8.0": {"Serilog": {"type": "Direct", "resolved": "3.1.1"}}}}`.
pub(super) fn read_lock(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let lock: Value = serde_json::from_str(text).map_err(|_| Problem::Malformed)?;
    let targets = lock.get("dependencies").and_then(Value::as_object);
    let targets = targets.ok_or(Problem::Malformed)?;
    let mut found = BTreeMap::new();
    for (name, entry) in targets.values().filter_map(Value::as_object).flatten() {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let (origin, is_direct) = match text("type") {
            Some("Direct") => (Origin::Registry, true),
            Some("Transitive" | "CentralTransitive") => (Origin::Registry, false),
            _ => (Origin::Local, false),
        };
        let one = package(name, text("resolved"), origin);
        if let Some(one) = one {
            found.insert(
                (one.name.clone(), one.version.clone()),
                one.direct(is_direct),
            );
        }
    }
    Ok(found.into_values().collect())
}

/// `<PackageReference Include="Serilog" Version="3.1.1" />`; without a version it is the central one.
pub(super) fn read_project(text: &str, others: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let document = Document::parse(text).map_err(|_| Problem::Malformed)?;
    let mut properties = HashMap::new();
    read_properties(&document, &mut properties);
    let central = central_versions(others, &mut properties);
    let mut found = Vec::new();
    for node in document.descendants().filter(Node::is_element) {
        let version = ["Version", "VersionOverride", "version"]
            .iter()
            .find_map(|name| value(node, name));
        let (name, origin) = match node.tag_name().name() {
            "PackageReference" | "PackageVersion" | "GlobalPackageReference" => {
                let name = value(node, "Include").or_else(|| value(node, "Update"));
                (name, Origin::Registry)
            }
            "package" => (value(node, "id"), Origin::Registry),
            "ProjectReference" => {
                let path = value(node, "Include").map(|path| path.replace('\\', "/"));
                let stem = path.as_deref().map(Path::new).and_then(Path::file_stem);
                (
                    stem.map(|stem| stem.to_string_lossy().into_owned()),
                    Origin::Local,
                )
            }
            // An assembly on the disk.
            "Reference" if value(node, "HintPath").is_some() => {
                let name = value(node, "Include");
                let name = name.and_then(|name| name.split(',').next().map(str::to_owned));
                (name, Origin::Local)
            }
            _ => continue,
        };
        let Some(name) = name else { continue };
        let version = version.or_else(|| central.get(&name.to_lowercase()).cloned());
        let version = version.and_then(|version| resolve(&version, &properties));
        // `[1.0.0]` is exact, `[1.0,2.0)` is a range.
        let version = version.map(|version| match version.strip_prefix('[') {
            Some(exact) => exact.strip_suffix(']').unwrap_or_default().to_owned(),
            None => version,
        });
        found.extend(package(&name, version.as_deref(), origin).map(|one| one.direct(true)));
    }
    Ok(found)
}

/// Returns the versions of the nearest central file in the repository, by the name in lower case.
fn central_versions(
    others: &mut Others<'_>,
    properties: &mut HashMap<String, String>,
) -> HashMap<String, String> {
    let mut versions = HashMap::new();
    let folders = others.folder.ancestors().take(MAX_FOLDERS);
    let paths: Vec<PathBuf> = folders.map(|folder| folder.join(CENTRAL)).collect();
    for path in paths {
        let text = match others.read(&path) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(_) => break,
        };
        let Ok(document) = Document::parse(&text) else {
            break;
        };
        read_properties(&document, properties);
        for node in document.descendants() {
            if node.tag_name().name() == "PackageVersion"
                && let (Some(name), Some(version)) =
                    (value(node, "Include"), value(node, "Version"))
            {
                versions.insert(name.to_lowercase(), version);
            }
        }
        break;
    }
    versions
}

fn read_properties(document: &Document<'_>, properties: &mut HashMap<String, String>) {
    let groups = document.descendants();
    let groups = groups.filter(|node| node.tag_name().name() == "PropertyGroup");
    for property in groups
        .flat_map(|group| group.children())
        .filter(Node::is_element)
    {
        let text = property.text().unwrap_or_default().trim();
        let name = property.tag_name().name().to_owned();
        properties.entry(name).or_insert_with(|| text.to_owned());
    }
}

/// Replaces a property by its value; `None` if it is not known.
fn resolve(version: &str, properties: &HashMap<String, String>) -> Option<String> {
    let Some((before, rest)) = version.split_once("$(") else {
        return Some(version.to_owned());
    };
    let (name, after) = rest.split_once(')')?;
    Some(format!("{before}{}{after}", properties.get(name)?))
}

/// Returns an attribute, or the text of a child with its name.
fn value(node: Node<'_, '_>, name: &str) -> Option<String> {
    if let Some(value) = node.attribute(name) {
        return Some(value.trim().to_owned());
    }
    let child = node
        .children()
        .find(|child| child.tag_name().name() == name)?;
    Some(child.text()?.trim().to_owned())
}
