//! `requirements*.txt`: packages with an exact version, also those of the files that it names.

use std::path::{Path, PathBuf};

use super::{Problem, python::PUBLIC};
use crate::{
    files::Others,
    hosts::is_only_at,
    package::{Ecosystem, Origin, Package},
};

/// Options that name an index or a place with archives.
const INDEX_OPTIONS: [&str; 5] = [
    "-i",
    "-f",
    "--index-url",
    "--extra-index-url",
    "--find-links",
];
/// Options that name another file of requirements, and those that name one of constraints.
const REQUIREMENT_OPTIONS: [&str; 2] = ["-r", "--requirement"];
const CONSTRAINT_OPTIONS: [&str; 2] = ["-c", "--constraint"];

/// What the files say together.
#[derive(Default)]
struct Found {
    packages: Vec<Package>,
    /// Whether one of them names another index than the public one: then any package may be from there.
    has_other_index: bool,
}

/// `flask==3.0.0 ; python_version > "3.8" --hash=sha256:…`.
pub(super) fn read(text: &str, others: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let mut found = Found::default();
    let folder = others.folder.to_owned();
    read_into(text, &folder, true, others, &mut found)?;
    let mut packages = found.packages;
    for package in packages.iter_mut().filter(|_| found.has_other_index) {
        if package.origin == Origin::Registry {
            package.origin = Origin::OtherRegistry;
        }
    }
    Ok(packages)
}

fn read_into(
    text: &str,
    folder: &Path,
    is_installed: bool,
    others: &mut Others<'_>,
    found: &mut Found,
) -> Result<(), Problem> {
    for line in lines(text) {
        let line = line.trim();
        if !line.starts_with('-') {
            found
                .packages
                .extend(requirement(line).filter(|_| is_installed));
            continue;
        }
        let (option, value) = option(line);
        let (is_required, is_constraint) = (
            REQUIREMENT_OPTIONS.contains(&option),
            CONSTRAINT_OPTIONS.contains(&option),
        );
        if INDEX_OPTIONS.contains(&option) {
            found.has_other_index |= !is_only_at(value, &PUBLIC);
        } else if is_required || is_constraint {
            let path: PathBuf = folder.join(value);
            if others.has_seen(&path) {
                continue;
            }
            // It may name another index.
            let Some(text) = others.read(&path)? else {
                found.has_other_index = true;
                continue;
            };
            let folder = path.parent().unwrap_or(folder).to_owned();
            read_into(&text, &folder, is_installed && is_required, others, found)?;
        } else if option == "-e" || option == "--editable" {
            let name = value.rsplit(['/', '=']).next().unwrap_or_default();
            found.packages.extend(package(name, None, Origin::Local));
        }
    }
    Ok(())
}

/// Returns the lines; one that ends with a backslash goes on in the next.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let (line, goes_on) = match line.strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| is_open) {
            Some(last) => last.push_str(line),
            None => lines.push(line.to_owned()),
        }
        is_open = goes_on;
    }
    lines
}

/// Returns an option and its value; a short one may be written without a blank between them.
fn option(line: &str) -> (&str, &str) {
    let line = line.split(" #").next().unwrap_or_default();
    if let Some((option, value)) = line.split_once(|c: char| c.is_whitespace() || c == '=') {
        return (option, value.trim());
    }
    match (line.get(..2), line.get(2..)) {
        (Some(option), Some(value)) if !line.starts_with("--") => (option, value),
        _ => (line, ""),
    }
}

fn package(name: &str, version: Option<&str>, origin: Origin) -> Option<Package> {
    Package::new(Ecosystem::Pypi, name, version, origin)
}

/// Returns the package of a line that pins one, or that names an address or a folder.
fn requirement(line: &str) -> Option<Package> {
    let line = line.split('#').next()?;
    let line = line.split(" --").next()?.split(';').next()?.trim();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1.trim(),
        None => rest,
    };
    if let Some(place) = rest.strip_prefix('@') {
        let origin = match place.trim().starts_with("git+") {
            true => Origin::Git,
            false => Origin::OtherRegistry,
        };
        return package(name, None, origin);
    }
    let version = rest
        .strip_prefix("===")
        .or_else(|| rest.strip_prefix("=="))?;
    let version = version.trim();
    let is_exact = !version.contains([',', '*', ' ', '/']);
    is_exact.then(|| package(name, Some(version), Origin::Registry))?
}
