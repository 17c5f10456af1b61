//! `pom.xml`: dependencies, with the properties and the managed versions of the same file and of its parents in the
//! repository.

use std::{collections::HashMap, path::PathBuf};

use roxmltree::{Document, Node};

use super::Problem;
use crate::{
    files::Others,
    package::{Ecosystem, Origin, Package},
};

/// How deep parents and properties may be in each other.
const MAX_PARENTS: usize = 12;
const MAX_PROPERTIES: usize = 8;

/// What a `pom.xml` and its parents say.
#[derive(Default)]
struct Model {
    properties: HashMap<String, String>,
    /// The versions of managed dependencies, as they are written, by `group:artifact`.
    managed: HashMap<String, String>,
    dependencies: Vec<Dependency>,
    /// The project itself and its parents in the repository.
    own: Vec<(String, String)>,
    /// A parent that is not in the repository.
    parent: Option<Dependency>,
}

#[derive(Clone)]
struct Dependency {
    group: String,
    artifact: String,
    version: Option<String>,
    is_local: bool,
}

/// Reads the file and its parents.
pub(super) fn read(text: &str, others: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let mut model = Model::default();
    let mut text = text.to_owned();
    let mut folder = others.folder.to_owned();
    for _ in 0..MAX_PARENTS {
        let Some(place) = read_file(&text, &mut model)? else {
            break;
        };
        let mut path: PathBuf = folder.join(&place);
        if path.extension().is_none_or(|extension| extension != "xml") {
            path.push("pom.xml");
        }
        // A cycle, or a parent that comes from a registry.
        if others.has_seen(&path) {
            break;
        }
        match others.read(&path) {
            Ok(Some(parent)) => text = parent,
            Ok(None) | Err(Problem::Outside) => break,
            Err(problem) => return Err(problem),
        }
        model.parent = None;
        folder = path.parent().map_or(folder, ToOwned::to_owned);
    }
    Ok(model.packages())
}

/// Adds what a file says; what a child says counts. Returns where its parent is said to be.
fn read_file(text: &str, model: &mut Model) -> Result<Option<String>, Problem> {
    let document = Document::parse(text).map_err(|_| Problem::Malformed)?;
    let project = document.root_element();
    if project.tag_name().name() != "project" {
        return Err(Problem::Malformed);
    }
    let parent = child(project, "parent");
    let of_parent = |name: &str| parent.and_then(|parent| text_of(parent, name));
    let own = |name: &str| text_of(project, name).or_else(|| of_parent(name));
    for name in ["groupId", "version", "artifactId"] {
        let value = own(name).unwrap_or_default();
        model.define(&format!("project.{name}"), &value);
        model.define(&format!("pom.{name}"), &value);
        model.define(
            &format!("project.parent.{name}"),
            &of_parent(name).unwrap_or_default(),
        );
    }
    for property in children(project, "properties").flat_map(|it| it.children()) {
        model.define(
            property.tag_name().name(),
            property.text().unwrap_or_default().trim(),
        );
    }
    if let (Some(group), Some(artifact)) = (own("groupId"), own("artifactId")) {
        model.own.push((group, artifact));
    }
    let managed = children(project, "dependencyManagement");
    for node in managed.flat_map(|it| children(it, "dependencies")) {
        for one in children(node, "dependency").filter_map(dependency) {
            if let Some(version) = one.version {
                let key = format!("{}:{}", one.group, one.artifact);
                model.managed.entry(key).or_insert(version);
            }
        }
    }
    let listed = children(project, "dependencies").flat_map(|it| children(it, "dependency"));
    model.dependencies.extend(listed.filter_map(dependency));
    let Some(parent) = parent else {
        return Ok(None);
    };
    model.parent = dependency(parent);
    let place = match child(parent, "relativePath") {
        None => Some("../pom.xml".to_owned()),
        // An empty one says that it is not in the repository.
        Some(path) => path.text().map(|path| path.trim().to_owned()),
    };
    Ok(place.filter(|place| !place.is_empty()))
}

impl Model {
    fn define(&mut self, name: &str, value: &str) {
        if !value.is_empty() && !name.is_empty() {
            let entry = self.properties.entry(name.to_owned());
            entry.or_insert_with(|| value.to_owned());
        }
    }

    fn packages(&self) -> Vec<Package> {
        let own = self.own.iter().map(|(group, artifact)| Dependency {
            group: group.clone(),
            artifact: artifact.clone(),
            version: None,
            is_local: true,
        });
        let mut managed: HashMap<String, &str> = HashMap::with_capacity(self.managed.len());
        for (key, version) in &self.managed {
            if let Some(key) = self.resolve(key) {
                managed.entry(key).or_insert(version);
            }
        }
        let all = self.dependencies.iter().chain(&self.parent).cloned();
        let all = all.chain(own).filter_map(|one| {
            let (group, artifact) = (self.resolve(&one.group)?, self.resolve(&one.artifact)?);
            let name = format!("{group}:{artifact}");
            let managed = || managed.get(&name).map(|version| (*version).to_owned());
            let version = one.version.or_else(managed);
            let version = version.and_then(|version| self.resolve(&version));
            let is_own = self.own.iter().any(|(own, _)| *own == group);
            let origin = match one.is_local || is_own {
                true => Origin::Local,
                false => Origin::Registry,
            };
            let package = Package::new(Ecosystem::Maven, &name, version.as_deref(), origin)?;
            Some(package.direct(true))
        });
        all.collect()
    }

    /// Replaces properties by their values; `None` if one is not known.
    fn resolve(&self, text: &str) -> Option<String> {
        let mut text = text.to_owned();
        for _ in 0..MAX_PROPERTIES {
            let Some((before, rest)) = text.split_once("${") else {
                return Some(text);
            };
            let (name, after) = rest.split_once('}')?;
            let value = self.properties.get(name)?;
            if value.len() > 200 {
                return None;
            }
            text = format!("{before}{value}{after}");
        }
        None
    }
}

fn dependency(node: Node<'_, '_>) -> Option<Dependency> {
    let has_path = child(node, "systemPath").is_some();
    Some(Dependency {
        group: text_of(node, "groupId")?,
        artifact: text_of(node, "artifactId")?,
        version: text_of(node, "version"),
        is_local: has_path || text_of(node, "scope").as_deref() == Some("system"),
    })
}

fn children<'a, 'input>(
    node: Node<'a, 'input>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    let children = node.children();
    children.filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &'static str) -> Option<Node<'a, 'input>> {
    children(node, name).next()
}

fn text_of(node: Node<'_, '_>, name: &str) -> Option<String> {
    let mut children = node.children();
    let found = children.find(|child| child.is_element() && child.tag_name().name() == name)?;
    let text = found.text().unwrap_or_default().trim();
    (!text.is_empty()).then(|| text.to_owned())
}
