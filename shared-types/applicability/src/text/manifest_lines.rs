//! Lines of manifests in a text: `"react": "^18.2.0"`, `serde = "1.0"`, `gem 'rails', '~> 7.0'`, elements of a POM; and
//! names that a pin gives in full, `name==1.9` and `name@1.2.3`, which prose then refers to.

use super::{Field, names::written_in_full};
use crate::{
    purl::PackageName,
    range::{Range, manifest},
    scheme::{Scheme, Version},
};

/// What the lines of a text name.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Packages with the version that a pin names.
    pub(super) pins: Vec<(PackageName, String)>,
    /// Packages with a range.
    ranges: Vec<(PackageName, Range)>,
}

/// The most lines that are kept.
const MAX_FOUND: usize = 200;
/// The longest line that is read.
const MAX_LINE: usize = 600;
/// The most pairs of names and versions in one line.
const MAX_PAIRS: usize = 40;
/// How far apart the elements of a POM's dependency lie.
const MAX_POM: usize = 400;

impl Found {
    /// Returns the ranges, as a field means them: in a solution, a manifest shows the cure, not the problem.
    pub(super) fn ranges(&self, field: Field) -> Vec<(PackageName, Range)> {
        if field == Field::Solution {
            Vec::new()
        } else {
            self.ranges.clone()
        }
    }

    fn add(&mut self, package: PackageName, text: &str) {
        if self.ranges.len() >= MAX_FOUND {
            return;
        }
        let Some(range) = manifest::read(package.scheme(), text) else {
            return;
        };
        let version = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        if text
            .trim()
            .starts_with(|c: char| c.is_ascii_digit() || "^~=v".contains(c))
            && Version::parse(package.scheme(), version).is_some()
        {
            self.pins.push((package.clone(), version.to_owned()));
        }
        self.ranges.push((package, range));
    }
}

/// Reads the lines of a text.
pub(super) fn read(text: &str) -> Found {
    let mut found = Found::default();
    let has = |word: &str| text.contains(word);
    let json =
        has("ependencies\"") || has("\"require") || has("package.json") || has("composer.json");
    let poetry = has("poetry");
    let toml = poetry || has("ependencies]") || has("Cargo.toml") || has("```toml");
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| line.len() <= MAX_LINE)
    {
        pins_in(line, &mut found);
        modules_in(line, &mut found);
        if line.contains("\":") {
            json_pairs(line, json, &mut found);
        } else if toml && line.contains(" = ") {
            toml_pairs(line, if poetry { "pypi" } else { "cargo" }, &mut found);
        } else if let Some(rest) = behind_gem(line) {
            gem_line(rest, &mut found);
        } else if line.contains("PackageReference") {
            package_reference(line, &mut found);
        }
    }
    pom(text, &mut found);
    found
}

/// Reads `name==1.9` and `name@1.2.3`, of which a line may have several.
fn pins_in(line: &str, found: &mut Found) {
    for (sign, kind) in [("==", "pypi"), ("@", "npm")] {
        for (at, _) in line.match_indices(sign).take(20) {
            let version = &line[at + sign.len()..];
            let is_part = |c: char| c.is_ascii_alphanumeric() || ".-_+!*".contains(c);
            let end = version.find(|c| !is_part(c)).unwrap_or(version.len());
            let version = version[..end].trim_end_matches(['.', '-']);
            let before = &line[..at];
            let before = if sign == "==" {
                before.trim_end_matches([' ', ']'])
            } else {
                before
            };
            let is_name = |c: char| c.is_ascii_alphanumeric() || "-_./@".contains(c);
            let start = before.rfind(|c| !is_name(c)).map_or(0, |start| {
                start + before[start..].chars().next().map_or(1, char::len_utf8)
            });
            let name = &before[start..];
            let dots = version.matches('.').count();
            let enough = dots >= if kind == "pypi" { 1 } else { 2 }
                || (dots == 1 && line.len() == name.len() + sign.len() + version.len());
            let is_code = name.contains("__")
                || name.ends_with("version")
                || name.contains('/') && kind == "pypi";
            if !enough
                || is_code
                || name.len() < 2
                || found.pins.len() >= MAX_FOUND
                || !version.starts_with(|c: char| c.is_ascii_digit())
            {
                continue;
            }
            let (scope, short) = match name.rsplit_once('/') {
                Some((scope, short)) if scope.starts_with('@') => (Some(scope), short),
                Some(_) => continue,
                None => (None, name),
            };
            let runtime =
                crate::subject::runtime_named(short).is_some() || crate::known::is_tool(short);
            if let Ok(package) = PackageName::new(kind, scope, short)
                && !runtime
            {
                found.pins.push((package, version.to_owned()));
            }
        }
    }
}

/// Reads each `"react": "^18.2.0"` of a package.json, or `"vendor/name": "^1.2"` of a composer.json.
fn json_pairs(line: &str, in_manifest: bool, found: &mut Found) {
    for (at, _) in line.match_indices("\":").take(MAX_PAIRS) {
        let value = line[at + 2..].trim_start().strip_prefix('"');
        let value = value.and_then(|value| value.split_once('"'));
        let name = line[..at].rsplit_once('"');
        if let (Some((_, name)), Some((value, _))) = (name, value) {
            json_pair(name, value, in_manifest, found);
        }
    }
}

fn json_pair(name: &str, value: &str, in_manifest: bool, found: &mut Found) {
    let signed = value.starts_with(['^', '~']);
    let other = matches!(
        name,
        "version" | "node" | "npm" | "yarn" | "php" | "name" | "engines" | "target"
    ) || name.starts_with("ext-");
    if other || !(signed || in_manifest) || !value.contains(|c: char| c.is_ascii_digit()) {
        return;
    }
    let package = match name.split_once('/') {
        Some((scope, short)) if scope.starts_with('@') => {
            PackageName::new("npm", Some(scope), short)
        }
        Some((vendor, short)) => PackageName::new("composer", Some(vendor), short),
        None => PackageName::new("npm", None, name),
    };
    if let Ok(package) = package {
        found.add(package, value);
    }
}

/// Reads each `serde = "1.0"` and `serde = { version = "1.0" }`.
fn toml_pairs(line: &str, kind: &str, found: &mut Found) {
    for (at, _) in line.match_indices(" = ").take(MAX_PAIRS) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let before = line[..at].trim_end_matches('"');
        let start = before.rfind(|c| !is_name(c)).map_or(0, |end| {
            end + before[end..].chars().next().map_or(1, char::len_utf8)
        });
        let value = &line[at + 3..];
        let value = match value.trim().strip_prefix('{') {
            Some(table) => table
                .split_once("version")
                .and_then(|(_, rest)| rest.trim_start().strip_prefix('='))
                .unwrap_or(""),
            None => value,
        };
        let value = value
            .trim()
            .strip_prefix(['"', '\''])
            .and_then(|value| value.split_once(['"', '\'']));
        if let Some((value, _)) = value {
            toml_pair(&before[start..], value, kind, found);
        }
    }
}

fn toml_pair(name: &str, value: &str, kind: &str, found: &mut Found) {
    let other = matches!(
        name,
        "version"
            | "edition"
            | "rust-version"
            | "name"
            | "python"
            | "requires-python"
            | "target-version"
            | "channel"
            | "resolver"
    );
    if other || !value.contains(|c: char| c.is_ascii_digit()) {
        return;
    }
    if let Ok(package) = PackageName::new(kind, None, name) {
        // Poetry writes ranges as npm does, Cargo as itself.
        let value = if kind == "pypi" {
            poetry_range(value)
        } else {
            value.to_owned()
        };
        found.add(package, &value);
    }
}

/// Writes `^1.2` of Poetry as PEP 440 would.
fn poetry_range(value: &str) -> String {
    let interval = match (
        value.strip_prefix('^'),
        value
            .strip_prefix('~')
            .filter(|rest| !rest.starts_with('=')),
    ) {
        (Some(version), _) => manifest::caret(Scheme::Pypi, version),
        (_, Some(version)) => manifest::tilde(Scheme::Pypi, version),
        _ => None,
    };
    match interval
        .as_ref()
        .map(|interval| (&interval.low, &interval.high))
    {
        Some((Some(low), Some(high))) => {
            format!(">={},<{}", low.version.text(), high.version.text())
        }
        _ => value.to_owned(),
    }
}

/// Returns what follows the `gem` of a Gemfile's line, which prose may introduce: `Gemfile: gem 'puma', '~> 5.6'`.
fn behind_gem(line: &str) -> Option<&str> {
    let at = line.find("gem '").or_else(|| line.find("gem \""))?;
    let starts = line[..at].ends_with([' ', '`', '(']) || at == 0;
    starts.then(|| &line[at + "gem ".len()..])
}

/// Reads each `github.com/jackc/pgx/v5 v5.4.3` of a go.mod.
fn modules_in(line: &str, found: &mut Found) {
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let path = word.trim_start_matches(['(', '`', '"']);
        let Some(version) = words.peek().filter(|_| path.contains('/')) else {
            continue;
        };
        let version = version.trim_end_matches(['.', ',', ';', ':', ')', '`', '"']);
        let numbers = version.strip_prefix('v').unwrap_or("");
        let dotted = numbers.starts_with(|c: char| c.is_ascii_digit()) && numbers.contains('.');
        if let Some(package) = module(path).filter(|_| dotted) {
            found.add(package, numbers);
        }
    }
}

/// Reads the path of a Go module, which starts with a host.
fn module(path: &str) -> Option<PackageName> {
    let package = written_in_full(path, None)?;
    (package.kind() == "golang").then_some(package)
}

/// Reads `'rails', '~> 7.0'`.
fn gem_line(rest: &str, found: &mut Found) {
    let mut quoted = rest.split(['\'', '"']).skip(1).step_by(2);
    let (Some(name), Some(version)) = (quoted.next(), quoted.next()) else {
        return;
    };
    if let Ok(package) = PackageName::new("gem", None, name)
        && version.contains(|c: char| c.is_ascii_digit())
    {
        found.add(package, version);
    }
}

/// Reads `<PackageReference Include="Name" Version="1.2" />`.
fn package_reference(line: &str, found: &mut Found) {
    let attribute = |name: &str| {
        let (_, rest) = line.split_once(name)?;
        rest.split_once('"').map(|(value, _)| value)
    };
    if let (Some(name), Some(version)) = (attribute("Include=\""), attribute("Version=\""))
        && let Ok(package) = PackageName::new("nuget", None, name)
    {
        found.add(package, version);
    }
}

/// Reads `<groupId>`, `<artifactId>` and `<version>` of each dependency, in any order.
fn pom(text: &str, found: &mut Found) {
    if !text.contains("<artifactId>") {
        return;
    }
    const ENDS: [&str; 4] = ["</dependency>", "</plugin>", "</parent>", "</project>"];
    let mut start = 0;
    for (at, _) in text.match_indices("</") {
        if let Some(end) = ENDS.iter().find(|end| text[at..].starts_with(**end)) {
            dependencies(&text[start..at], found);
            start = at + end.len();
        }
        if found.ranges.len() >= MAX_FOUND {
            return;
        }
    }
    dependencies(&text[start..], found);
}

/// Reads the dependencies of a text: the elements of each follow one another.
fn dependencies(text: &str, found: &mut Found) {
    let elements = |open: &str| -> Vec<(usize, &str)> {
        let value = |(at, _): (usize, &str)| {
            let (value, _) = text[at + open.len()..].split_once('<')?;
            Some((at, value.trim()))
        };
        text.match_indices(open)
            .take(MAX_FOUND)
            .filter_map(value)
            .collect()
    };
    let groups = elements("<groupId>");
    let artifacts = elements("<artifactId>");
    let versions = elements("<version>");
    let ordered = groups.len() == artifacts.len() && groups.len() == versions.len();
    for (index, (at, group)) in groups.iter().enumerate() {
        let next = groups.get(index + 1).map_or(usize::MAX, |(next, _)| *next);
        let near = |elements: &[(usize, &'_ str)]| -> Option<String> {
            let element = match ordered {
                true => elements
                    .get(index)
                    .filter(|(place, _)| place.abs_diff(*at) < MAX_POM),
                false => elements
                    .iter()
                    .find(|(place, _)| place > at && *place < next && place - at < MAX_POM),
            };
            element.map(|(_, value)| (*value).to_owned())
        };
        if let (Some(artifact), Some(version)) = (near(&artifacts), near(&versions))
            && let Ok(package) = PackageName::new("maven", Some(group), &artifact)
        {
            found.add(package, &version);
        }
    }
}
