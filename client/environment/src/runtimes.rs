//! The runtimes that a project names, in files for the managers of versions and in manifests. Only exact versions
//! count.

use recall_kit_shared_types::applicability::NamedVersion;
use serde_json::Value;
use toml::Table;

use crate::{files, listing::Folder, package::exact_version};

/// The maximum size of such a file. *Unit*: bytes.
const MAX_BYTES: u64 = 256 << 10;

/// Reads the runtimes in a text.
type Reader = fn(&str) -> Vec<(&'static str, String)>;

/// The files that name runtimes, and the only one that each names; `None` for several.
const FILES: [(&str, Option<&str>, Reader); 11] = [
    ("rust-toolchain.toml", Some("rustc"), rust_toolchain),
    ("rust-toolchain", Some("rustc"), rust_toolchain),
    (".nvmrc", Some("node"), |text| plain("node", text)),
    (".node-version", Some("node"), |text| plain("node", text)),
    (".python-version", Some("python"), |text| {
        plain("python", text)
    }),
    (".ruby-version", Some("ruby"), |text| plain("ruby", text)),
    (".java-version", Some("java"), |text| plain("java", text)),
    (".tool-versions", None, tool_versions),
    ("go.mod", Some("go"), go_mod),
    ("package.json", Some("node"), engines),
    ("global.json", Some("dotnet"), global_json),
];
/// How `.tool-versions` names runtimes.
const TOOLS: [(&str, &str); 12] = [
    ("nodejs", "node"),
    ("node", "node"),
    ("python", "python"),
    ("ruby", "ruby"),
    ("java", "java"),
    ("golang", "go"),
    ("go", "go"),
    ("rust", "rustc"),
    ("php", "php"),
    ("deno", "deno"),
    ("bun", "bun"),
    ("dotnet", "dotnet"),
];

/// Adds the runtimes that a folder names, unless they are known from a nearer one.
pub(crate) fn add(folder: &Folder, runtimes: &mut Vec<NamedVersion>) {
    for (name, only, reader) in FILES {
        let mut known = runtimes.iter();
        let is_known = only.is_some_and(|only| known.any(|it| it.name == only));
        if is_known || !folder.has(name) {
            continue;
        }
        let Ok(Some(text)) = files::read(&folder.path.join(name), MAX_BYTES) else {
            continue;
        };
        for (name, version) in reader(&text) {
            let Some(version) = exact(&version) else {
                continue;
            };
            if !runtimes.iter().any(|known| known.name == name) {
                runtimes.push(NamedVersion {
                    name: name.to_owned(),
                    version: Some(version),
                });
            }
        }
    }
}

/// Returns a version with nothing before its digits but a `v` or the name of a distribution: `temurin-21.0.2`,
/// `3.2-dev` is none.
fn exact(version: &str) -> Option<String> {
    let version = version.trim();
    let version = version.strip_prefix('v').unwrap_or(version);
    let digits = version.find(|c: char| c.is_ascii_digit())?;
    let (distribution, digits) = version.split_at(digits);
    let is_distribution = distribution.is_empty() || distribution.ends_with('-');
    let is_number = digits
        .chars()
        .all(|c| c.is_ascii_digit() || ".+_".contains(c));
    exact_version(digits).filter(|_| is_distribution && is_number)
}

fn plain(name: &'static str, text: &str) -> Vec<(&'static str, String)> {
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    line.map(|line| (name, line.to_owned()))
        .into_iter()
        .collect()
}

/// `[toolchain]` with a `channel`, or the channel alone.
fn rust_toolchain(text: &str) -> Vec<(&'static str, String)> {
    let table: Option<Table> = text.parse().ok();
    let channel = table.as_ref().and_then(|table| {
        let toolchain = table.get("toolchain")?;
        toolchain.get("channel")?.as_str()
    });
    plain("rustc", channel.unwrap_or(text))
}

/// `python 3.11.4 3.10.0`.
fn tool_versions(text: &str) -> Vec<(&'static str, String)> {
    let tools = text.lines().filter_map(|line| {
        let mut words = line.split('#').next()?.split_whitespace();
        let (tool, version) = (words.next()?, words.next()?);
        let (_, name) = TOOLS.iter().find(|(known, _)| *known == tool)?;
        Some((*name, version.to_owned()))
    });
    tools.collect()
}

/// `toolchain go1.22.1`, else `go 1.22`.
fn go_mod(text: &str) -> Vec<(&'static str, String)> {
    let lines = || text.lines().map(str::trim);
    let toolchain = lines().find_map(|line| line.strip_prefix("toolchain go"));
    let version = toolchain.or_else(|| lines().find_map(|line| line.strip_prefix("go ")));
    let version = version.map(|version| version.split("//").next().unwrap_or_default());
    version
        .map(|version| ("go", version.trim().to_owned()))
        .into_iter()
        .collect()
}

/// `"engines": {"node": "20.11.0"}`, and `"volta"` likewise.
fn engines(text: &str) -> Vec<(&'static str, String)> {
    let manifest: Value = serde_json::from_str(text).unwrap_or_default();
    let version = |table: &str| manifest.get(table)?.get("node")?.as_str();
    let version = version("volta").or_else(|| version("engines"));
    // A number alone is a range.
    let version = version.filter(|version| version.contains('.'));
    version
        .map(|version| ("node", version.to_owned()))
        .into_iter()
        .collect()
}

/// `{"sdk": {"version": "8.0.100"}}`.
fn global_json(text: &str) -> Vec<(&'static str, String)> {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    let version = settings.get("sdk").and_then(|sdk| sdk.get("version"));
    let version = version.and_then(Value::as_str);
    version
        .map(|version| ("dotnet", version.to_owned()))
        .into_iter()
        .collect()
}
