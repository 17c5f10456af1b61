//! Matches the versions of a `Cargo.lock` against a list of advisories, without the network.

use semver::{Version, VersionReq};
use serde_json::Value;

/// An advisory about a version that is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The id, such as `RUSTSEC-2026-0187`.
    pub id: String,
    /// The package and its version.
    pub package: String,
    /// The title of the advisory.
    pub title: String,
    /// Why it is accepted, if the configuration says so.
    pub reason: Option<String>,
}

/// The result of matching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The date of the list.
    pub date: String,
    /// The number of advisories in the list.
    pub advisories: usize,
    /// The advisories about versions that are in use.
    pub matches: Vec<Match>,
}

impl Report {
    /// Matches the text of a `Cargo.lock` against that of a list; `deny` is the text of a `deny.toml`, whose
    /// `[advisories] ignore` names the accepted advisories, each with a reason.
    ///
    /// *Errors*: a message, if one of the texts cannot be parsed or lacks a field.
    pub fn of(lock: &str, list: &str, deny: &str) -> Result<Self, String> {
        let lock = parsed(lock, "Cargo.lock")?;
        let list = parsed(list, "the list of advisories")?;
        let allowed = allowed(&parsed(deny, "deny.toml")?)?;
        let advisories = tables(&list, "advisory");
        let mut matches = Vec::new();
        for advisory in advisories {
            let (id, name) = (text(advisory, "id")?, text(advisory, "package")?);
            let title = text(advisory, "title")?;
            let safe = [
                ranges(advisory, "patched")?,
                ranges(advisory, "unaffected")?,
            ]
            .concat();
            for package in tables(&lock, "package") {
                if text(package, "name")? != name {
                    continue;
                }
                let version = text(package, "version")?;
                let parsed = Version::parse(version).map_err(|it| format!("{name}: {it}"))?;
                if safe.iter().any(|it| it.matches(&parsed)) {
                    continue;
                }
                let reason = allowed.iter().find(|(allowed, _)| allowed == id);
                matches.push(Match {
                    id: id.to_owned(),
                    package: format!("{name} {version}"),
                    title: title.to_owned(),
                    reason: reason.map(|(_, reason)| reason.clone()),
                });
            }
        }
        Ok(Self {
            date: text(&list, "date")?.to_owned(),
            advisories: advisories.len(),
            matches,
        })
    }

    /// Returns whether every match is accepted.
    pub fn passes(&self) -> bool {
        self.matches.iter().all(|it| it.reason.is_some())
    }

    /// Returns one line that names the date of the list and the matches.
    pub fn summary(&self) -> String {
        let matched: Vec<String> = self
            .matches
            .iter()
            .map(|it| {
                let listing = if it.reason.is_some() {
                    "listed"
                } else {
                    "NOT listed"
                };
                format!("{} {} ({listing} in deny.toml)", it.id, it.package)
            })
            .collect();
        let matched = match matched.as_slice() {
            [] => "none of them matches".to_owned(),
            matched => format!("matched: {}", matched.join(", ")),
        };
        format!(
            "advisories: Cargo.lock against the kept list of {} ({} advisories): {matched}",
            self.date, self.advisories
        )
    }
}

fn parsed(words: &str, what: &str) -> Result<Value, String> {
    toml::from_str(words).map_err(|error| format!("{what} cannot be read: {error}"))
}

/// Returns the accepted advisories, each with its reason.
fn allowed(deny: &Value) -> Result<Vec<(String, String)>, String> {
    let ignored = deny.pointer("/advisories/ignore").and_then(Value::as_array);
    let ignored = ignored.map(Vec::as_slice).unwrap_or_default();
    ignored
        .iter()
        .map(|it| {
            let reason = text(it, "reason").map_err(|_| {
                format!("deny.toml: {it} has no reason; write {{ id = \"…\", reason = \"…\" }}")
            })?;
            Ok((text(it, "id")?.to_owned(), reason.to_owned()))
        })
        .collect()
}

fn tables<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    let tables = of.get(key).and_then(Value::as_array);
    tables.map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(table: &'a Value, key: &str) -> Result<&'a str, String> {
    let text = table.get(key).and_then(Value::as_str);
    text.filter(|it| !it.trim().is_empty())
        .ok_or_else(|| format!("`{key}` is missing in {table}"))
}

fn ranges(advisory: &Value, key: &str) -> Result<Vec<VersionReq>, String> {
    tables(advisory, key)
        .iter()
        .map(|it| {
            let range = it.as_str().unwrap_or_default();
            VersionReq::parse(range).map_err(|error| format!("`{range}` in {advisory}: {error}"))
        })
        .collect()
}
