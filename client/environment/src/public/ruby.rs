//! Where Bundler gets gems from, beside what its lock file says.

use std::path::PathBuf;

use super::ProjectFolder;
use crate::hosts::is_only_of;

const PUBLIC: [&str; 2] = ["rubygems.org", "index.rubygems.org"];
const VARIABLES: [&str; 3] = [
    "BUNDLE_MIRROR__ALL",
    "BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/",
    "BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG",
];

/// Returns whether settings name a mirror.
pub(super) fn is_redirected(project: &ProjectFolder<'_>) -> bool {
    let mut paths: Vec<PathBuf> = project.at_home(&[".bundle/config", ".gemrc"]).collect();
    paths.extend(project.of_system(&["etc/gemrc"]));
    for name in ["BUNDLE_APP_CONFIG", "BUNDLE_USER_HOME"] {
        paths.extend(project.path(name).map(|folder| folder.join("config")));
    }
    paths.extend(project.path("BUNDLE_USER_CONFIG"));
    for folder in project.folders() {
        paths.push(folder.join(".bundle/config"));
    }
    let files = project.read_all(&paths);
    files.iter().any(|text| {
        text.as_deref()
            .is_none_or(|text| text.contains("BUNDLE_MIRROR") || !is_only_of(text, &PUBLIC))
    }) || VARIABLES
        .iter()
        .any(|name| (project.variable)(name).is_some())
}
