//! Where Composer gets packages from, beside what its lock file says.

use serde_json::Value;

use super::ProjectFolder;
use crate::hosts::is_only_of;

const PUBLIC: [&str; 2] = ["packagist.org", "repo.packagist.org"];
const AT_HOME: [&str; 3] = [
    ".composer/config.json",
    ".config/composer/config.json",
    "AppData/Roaming/Composer/config.json",
];

/// Returns whether the user's settings name another repository.
pub(super) fn is_redirected(project: &ProjectFolder<'_>) -> bool {
    let mut paths: Vec<_> = project.at_home(&AT_HOME).collect();
    paths.extend(
        project
            .path("COMPOSER_HOME")
            .map(|home| home.join("config.json")),
    );
    let files = project.read_all(&paths);
    files.into_iter().any(|text| {
        let settings = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        settings.is_none_or(|settings| {
            let repositories = settings.get("repositories").map(ToString::to_string);
            repositories.is_some_and(|text| !is_only_of(&text, &PUBLIC))
        })
    })
}

/// Returns the name of the project itself.
pub(super) fn own_name(project: &ProjectFolder<'_>) -> Option<String> {
    let manifest: Value = serde_json::from_str(&project.manifest("composer.json")?).ok()?;
    Some(manifest.get("name")?.as_str()?.to_owned())
}
