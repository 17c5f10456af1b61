//! Where Maven and Gradle get packages from, and which of them are public.

use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use super::{ProjectFolder, owners::is_public_group};
use crate::{
    files,
    hosts::{is_only_at, is_only_of},
    locks::without_comments,
    package::Package,
};

/// The hosts of public repositories.
const PUBLIC: [&str; 15] = [
    "repo.maven.apache.org",
    "repo1.maven.org",
    "central.sonatype.com",
    "oss.sonatype.org",
    "s01.oss.sonatype.org",
    "repository.apache.org",
    "repo.spring.io",
    "plugins.gradle.org",
    "services.gradle.org",
    "maven.google.com",
    "dl.google.com",
    "jitpack.io",
    "repo.gradle.org",
    "packages.confluent.io",
    "repository.jboss.org",
];
/// The hosts that scripts name for other reasons.
const OTHERS: [&str; 6] = [
    "github.com",
    "www.apache.org",
    "opensource.org",
    "docs.gradle.org",
    "www.gnu.org",
    "docs.oracle.com",
];
/// Scripts of Gradle in a folder of the project.
const SCRIPTS: [&str; 4] = [
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
];
/// Settings of Gradle in the folder of the user.
const OF_GRADLE: [&str; 3] = ["init.gradle", "init.gradle.kts", "gradle.properties"];
/// The most scripts in a folder of scripts.
const MAX_SCRIPTS: usize = 50;
/// How much of a script belongs to a repository that it names. *Unit*: bytes.
const REPOSITORY_BYTES: usize = 400;

/// Returns whether settings of Maven or Gradle name a repository that is not public.
pub(super) fn is_redirected(project: &ProjectFolder<'_>) -> bool {
    is_redirected_for_maven(project) || is_redirected_for_gradle(project)
}

fn is_redirected_for_maven(project: &ProjectFolder<'_>) -> bool {
    let mut paths: Vec<PathBuf> = project.at_home(&[".m2/settings.xml"]).collect();
    paths.extend(project.of_system(&[
        "etc/maven/settings.xml",
        "usr/share/maven/conf/settings.xml",
    ]));
    let homes = ["M2_HOME", "MAVEN_HOME"].iter();
    let homes = homes.filter_map(|name| project.path(name));
    paths.extend(homes.map(|home| home.join("conf/settings.xml")));
    for folder in project.folders() {
        paths.extend(
            ["pom.xml", ".mvn/settings.xml", ".mvn/extensions.xml"].map(|it| folder.join(it)),
        );
    }
    let files = project.read_all(&paths);
    let is_private = |text: Option<String>| text.is_none_or(|text| names_repositories(&text));
    // Other settings are named on the command line.
    let mut arguments = project.settings(".mvn/maven.config", &[]);
    arguments.extend(
        ["MAVEN_ARGS", "MAVEN_CLI_OPTS"]
            .map(|name| (project.variable)(name))
            .into_iter()
            .filter(Option::is_some),
    );
    let has_settings = |text: &str| {
        let mut words = text.split_whitespace();
        words.any(|word| {
            ["-s", "-gs", "--settings", "--global-settings"]
                .iter()
                .any(|option| word.starts_with(option))
        })
    };
    files.into_iter().any(is_private)
        || arguments
            .iter()
            .any(|text| text.as_deref().is_none_or(has_settings))
}

/// Returns whether a file of Maven names a repository or a mirror that is not public, or cannot be read.
fn names_repositories(text: &str) -> bool {
    let Ok(document) = Document::parse(text) else {
        return true;
    };
    let is_repository = |node: &Node<'_, '_>| {
        let names = [
            "repository",
            "pluginRepository",
            "mirror",
            "snapshotRepository",
        ];
        names.contains(&node.tag_name().name())
    };
    let repositories = document.descendants().filter(is_repository);
    let mut urls = repositories.flat_map(|it| it.children());
    urls.any(|node| {
        node.tag_name().name() == "url" && !is_only_at(node.text().unwrap_or_default(), &PUBLIC)
    })
}

fn is_redirected_for_gradle(project: &ProjectFolder<'_>) -> bool {
    let home = project.path("GRADLE_USER_HOME");
    let home = home.or_else(|| project.home.map(|home| home.join(".gradle")));
    let mut paths: Vec<PathBuf> = Vec::new();
    if let Some(home) = &home {
        paths.extend(OF_GRADLE.map(|name| home.join(name)));
        paths.extend(scripts_in(&home.join("init.d")));
    }
    for folder in project.folders() {
        paths.extend(SCRIPTS.map(|name| folder.join(name)));
        paths.push(folder.join("gradle.properties"));
    }
    let files = project.read_all(&paths);
    files
        .into_iter()
        .any(|text| text.is_none_or(|text| has_private_repository(&text)))
}

fn scripts_in(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.take(MAX_SCRIPTS).collect()
}

/// Returns whether a script names a host that is not public, or a repository whose address it computes.
fn has_private_repository(text: &str) -> bool {
    let text = without_comments(text);
    let known: Vec<&str> = PUBLIC.iter().chain(&OTHERS).copied().collect();
    let mut repositories = ["maven {", "maven{", "maven(", "ivy {", "ivy{", "ivy("]
        .iter()
        .flat_map(|begin| text.match_indices(begin));
    !is_only_of(&text, &known)
        || repositories.any(|(at, _)| {
            let rest = text.get(at..).unwrap_or_default();
            let end = rest
                .char_indices()
                .map(|(at, _)| at)
                .find(|at| *at >= REPOSITORY_BYTES);
            let rest = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let rest = rest.split('}').next().unwrap_or_default();
            !is_only_at(rest, &PUBLIC)
        })
}

/// Returns whether a package is public: its group is well known, or Maven has noted that it came from the central
/// repository.
pub(super) fn is_public(project: &ProjectFolder<'_>, package: &Package) -> bool {
    let Some((group, artifact)) = package.name.split_once(':') else {
        return false;
    };
    is_public_group(group)
        || package.version.as_deref().is_some_and(|version| {
            let place = format!(
                ".m2/repository/{}/{artifact}/{version}/_remote.repositories",
                group.replace('.', "/")
            );
            let path = project.home.map(|home| home.join(place));
            let noted = path.and_then(|path| files::read(&path, 64 << 10).ok()?);
            noted.is_some_and(|noted| is_from_central(&noted))
        })
}

/// `guava-32.jar>central=`; what was installed from this machine has `>=`.
fn is_from_central(noted: &str) -> bool {
    let lines = noted.lines().map(str::trim);
    let mut lines = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .peekable();
    lines.peek().is_some() && lines.all(|line| line.ends_with(">central="))
}
