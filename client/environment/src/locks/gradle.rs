//! `gradle.lockfile`, `gradle/libs.versions.toml`, and the dependencies that a `build.gradle` or `build.gradle.kts`
//! writes out.

use std::{collections::HashMap, sync::LazyLock};

use toml::{Table, Value};

use super::Problem;
use crate::{
    files::Others,
    package::{Ecosystem, Origin, Package},
    pattern::Pattern,
};

/// A dependency: the names of configurations end like `testImplementation`.
static DEPENDENCY: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(concat!(
        r#"(?m)^\s*(?:\w*(?:[iI]mplementation|[aA]pi|[cC]ompile|[cC]ompileOnly|[rR]untime|[rR]untimeOnly"#,
        r#"|[aA]nnotationProcessor|[cC]lasspath|kapt|ksp))[\s(]+(?:(?:enforcedPlatform|platform)\s*\(\s*)?"#,
        r#"['"]([\w.\-]+):([\w.\-]+):([\w.\-${}]+)['"]"#,
    ))
});
/// A plugin with its version: `id 'org.springframework.boot' version '3.2.0'`.
static PLUGIN: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(r#"(?m)^\s*id[\s(]+['"]([\w.\-]+)['"]\)?\s+version\s+['"]([\w.\-]+)['"]"#)
});
/// A variable: `def x = '1'`, `val x = "1"`, `ext.x = '1'`, or `x = '1'` in a block.
static VARIABLE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(concat!(
        r#"(?m)^\s*(?:def\s+|val\s+|ext\.|const\s+val\s+|String\s+)?(\w+)\s*=\s*"#,
        r#"['"]([\w.\-]+)['"]"#,
    ))
});

fn package(group: &str, artifact: &str, version: Option<&str>) -> Option<Package> {
    let name = format!("{group}:{artifact}");
    Package::new(Ecosystem::Maven, &name, version, Origin::Registry)
}

/// `org.slf4j:slf4j-api:2.0.9=compileClasspath,runtimeClasspath`.
pub(super) fn read_lock(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut found = Vec::new();
    for line in lines {
        let (id, _) = line.split_once('=').ok_or(Problem::Malformed)?;
        let mut parts = id.split(':');
        if let (Some(group), Some(artifact), Some(version)) =
            (parts.next(), parts.next(), parts.next())
        {
            found.extend(package(group, artifact, Some(version)));
        }
    }
    Ok(found)
}

/// `[versions]` and `[libraries]`, where a library is `"group:artifact:version"` or a table.
pub(super) fn read_catalog(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let catalog: Table = text.parse().map_err(|_| Problem::Malformed)?;
    let versions = catalog.get("versions").and_then(Value::as_table);
    let exact = |version: &Value| -> Option<String> {
        let of = |value: &Value| match value {
            Value::String(version) => Some(version.clone()),
            // Of a rich version, what is strictly required.
            Value::Table(rich) => rich.get("strictly")?.as_str().map(str::to_owned),
            _ => None,
        };
        match version.get("ref").and_then(Value::as_str) {
            Some(name) => of(versions?.get(name)?),
            None => of(version),
        }
    };
    let libraries = catalog.get("libraries").and_then(Value::as_table);
    let libraries = libraries.into_iter().flat_map(Table::values);
    let found = libraries.filter_map(|library| {
        if let Some(id) = library.as_str() {
            let mut parts = id.split(':');
            return package(parts.next()?, parts.next()?, parts.next());
        }
        let text = |name: &str| library.get(name).and_then(Value::as_str);
        let version = library.get("version").and_then(exact);
        let (group, artifact) = match text("module") {
            Some(module) => module.split_once(':')?,
            None => (text("group")?, text("name")?),
        };
        package(group, artifact, version.as_deref())
    });
    Ok(found.map(|one| one.direct(true)).collect())
}

/// `implementation 'group:artifact:version'`, with the variables of the same file.
pub(super) fn read_script(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let text = without_comments(text);
    let variables: HashMap<&str, &str> = VARIABLE
        .groups(&text)
        .filter_map(|found| Some((*found.get(1)?, *found.get(2)?)))
        .collect();
    let dependencies = DEPENDENCY.groups(&text).filter_map(|found| {
        let [_, group, artifact, version] = found[..] else {
            return None;
        };
        let version = match version.strip_prefix('$') {
            Some(name) => variables.get(name.trim_matches(['{', '}'])).copied(),
            None => Some(version),
        };
        package(group, artifact, version)
    });
    // A plugin is the package `ID:ID.gradle.plugin`.
    let plugins = PLUGIN.groups(&text).filter_map(|found| {
        let [_, id, version] = found[..] else {
            return None;
        };
        package(id, &format!("{id}.gradle.plugin"), Some(version))
    });
    let found = dependencies.chain(plugins);
    Ok(found.map(|one| one.direct(true)).collect())
}

/// Returns a script without its comments; an address in a string stays.
pub(crate) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut quote = None;
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with("//") {
            rest = rest
                .find('\n')
                .and_then(|end| rest.get(end..))
                .unwrap_or("");
            continue;
        }
        if quote.is_none() && rest.starts_with("/*") {
            rest = rest
                .find("*/")
                .and_then(|end| rest.get(end + 2..))
                .unwrap_or("");
            continue;
        }
        match quote {
            Some(open) if c == open || c == '\n' => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            _ => {}
        }
        out.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
    out
}
