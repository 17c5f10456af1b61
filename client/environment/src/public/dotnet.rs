//! Where NuGet gets packages from.

use std::path::PathBuf;

use roxmltree::Document;

use super::ProjectFolder;
use crate::hosts::{is_only_at, is_only_of};

const PUBLIC: [&str; 3] = ["api.nuget.org", "www.nuget.org", "nuget.org"];
/// The names of its settings.
const SETTINGS: [&str; 3] = ["nuget.config", "NuGet.config", "NuGet.Config"];
const AT_HOME: [&str; 3] = [
    ".nuget/NuGet/NuGet.Config",
    ".config/NuGet/NuGet.Config",
    "AppData/Roaming/NuGet/NuGet.Config",
];
const OF_SYSTEM: [&str; 2] = [
    "etc/opt/NuGet/Config",
    "Library/Application Support/NuGet/Config",
];
/// Properties of a project that name sources.
const PROPERTIES: [&str; 3] = [
    "RestoreSources",
    "RestoreAdditionalProjectSources",
    "RestoreConfigFile",
];
/// Files with properties for all projects below them.
const SHARED: [&str; 2] = ["Directory.Build.props", "Directory.Build.targets"];
const MAX_FILES: usize = 50;

/// Returns whether settings name a source that is not the public one.
pub(super) fn is_redirected(project: &ProjectFolder<'_>) -> bool {
    let mut paths: Vec<PathBuf> = project.at_home(&AT_HOME).collect();
    for folder in project.folders() {
        paths.extend(SETTINGS.map(|name| folder.join(name)));
    }
    let folders = project.at_home(&[".nuget/config", ".config/NuGet/config"]);
    for folder in folders.chain(project.of_system(&OF_SYSTEM)) {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        paths.extend(entries.take(MAX_FILES).map(|entry| entry.path()));
    }
    let settings = project.read_all(&paths);
    let mut shared: Vec<PathBuf> = Vec::new();
    for folder in project.folders() {
        shared.extend(SHARED.map(|name| folder.join(name)));
    }
    let entries = project.folder.read_dir().into_iter().flatten().flatten();
    let projects = entries.map(|entry| entry.path()).filter(|path| {
        let extension = path.extension().unwrap_or_default();
        extension == "csproj" || extension == "fsproj"
    });
    shared.extend(projects.take(MAX_FILES));
    let shared = project.read_all(&shared);
    let sets = |text: &str| PROPERTIES.iter().any(|property| text.contains(property));
    PROPERTIES
        .iter()
        .any(|name| (project.variable)(name).is_some())
        || settings
            .iter()
            .any(|text| text.as_deref().is_none_or(has_private_source))
        || shared.iter().any(|text| text.as_deref().is_none_or(sets))
}

/// `<packageSources><add key="…" value="https://api.nuget.org/v3/index.json" /></packageSources>`.
fn has_private_source(text: &str) -> bool {
    let Ok(document) = Document::parse(text) else {
        return true;
    };
    let lists = document
        .descendants()
        .filter(|node| node.tag_name().name() == "packageSources");
    let mut sources = lists.flat_map(|list| list.children());
    sources.any(|source| {
        let value = source.attribute("value");
        value.is_some_and(|value| !is_only_at(value, &PUBLIC) || !is_only_of(value, &PUBLIC))
    })
}
