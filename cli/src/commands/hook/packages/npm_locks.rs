//! What the lock files of npm, Yarn, pnpm and Bun say of a package: whether it comes from the public registry.

use std::collections::HashSet;

use serde_json::Value;

use super::{Project, is_only_at, is_only_of};

/// The hosts of the public registry.
pub(super) const PUBLIC: [&str; 2] = ["registry.npmjs.org", "registry.yarnpkg.com"];
/// What begins a version that is a folder or an archive of the project.
const LOCAL: [&str; 4] = ["workspace:", "link:", "file:", "portal:"];

/// Adds what a lock file says; `None` if it cannot be read.
type Add = fn(&mut Locked, &str) -> Option<()>;

/// The packages of the lock files.
#[derive(Debug, Default)]
pub(super) struct Locked {
    public: HashSet<String>,
    private: HashSet<String>,
    is_found: bool,
}

impl Locked {
    /// Reads the lock files; `None` if one of them cannot be read.
    pub(super) fn of(project: &Project<'_>) -> Option<Self> {
        let mut locked = Self::default();
        let formats: [(&str, Add); 6] = [
            ("package-lock.json", Self::add_npm),
            ("npm-shrinkwrap.json", Self::add_npm),
            ("yarn.lock", Self::add_yarn),
            ("pnpm-lock.yaml", Self::add_pnpm),
            ("bun.lock", Self::add_bun),
            // An older version of Bun writes one that is no text.
            ("bun.lockb", |_, _| None),
        ];
        for (name, add) in formats {
            if let Some(lock) = project.lock(name) {
                locked.is_found = true;
                add(&mut locked, &lock?)?;
            }
        }
        Some(locked)
    }

    /// Returns whether a package is not private: a lock file has it from the public registry, or there is none.
    pub(super) fn is_public(&self, name: &str) -> bool {
        !self.private.contains(name) && (!self.is_found || self.public.contains(name))
    }

    fn add(&mut self, name: &str, is_public: bool) {
        let names = match is_public {
            true => &mut self.public,
            false => &mut self.private,
        };
        names.insert(name.to_owned());
    }

    /// `"node_modules/react": {"resolved": "https://…"}`, and in older files `"react": …` below `dependencies`.
    fn add_npm(&mut self, lock: &str) -> Option<()> {
        let lock: Value = serde_json::from_str(lock).ok()?;
        let tables = ["packages", "dependencies"].map(|name| lock.get(name)?.as_object());
        for (place, entry) in tables.into_iter().flatten().flatten() {
            let text = |name: &str| entry.get(name).and_then(Value::as_str);
            let is_link = entry.get("link").and_then(Value::as_bool) == Some(true);
            let is_local = text("version").is_some_and(is_local);
            let is_elsewhere = text("resolved").is_some_and(|at| !is_only_at(at, &PUBLIC));
            let is_private = is_link || is_local || is_elsewhere;
            match place.rsplit_once("node_modules/") {
                _ if place.is_empty() => {}
                Some((_, name)) if is_private => self.add(name, false),
                Some((_, name)) if text("resolved").is_some() => self.add(name, true),
                Some(_) => {}
                // In older files, and the folder of a package of the project itself.
                None if is_private => self.add(place, false),
                None if text("resolved").is_some() => self.add(place, true),
                None => {
                    let folder = place.rsplit('/').next();
                    self.add(text("name").or(folder).unwrap_or_default(), false);
                }
            }
        }
        Some(())
    }

    /// `react@^19.0.0:` with `resolved "https://…"` below it, or `"react@npm:^19.0.0":` with `resolution: "react@npm:19.0.0"`.
    fn add_yarn(&mut self, lock: &str) -> Option<()> {
        let mut key = "";
        let mut is_public = None;
        // A last line without an indent ends the last entry.
        for line in lock.lines().chain([":"]) {
            let is_key = !line.starts_with([' ', '#']) && line.ends_with(':');
            let line = line.trim();
            if is_key {
                for name in names_of(key) {
                    match is_public {
                        Some(is_public) => self.add(&name, is_public),
                        // One that is only a changed copy of another entry says nothing.
                        None if key.contains("@patch:") => {}
                        None => self.add(&name, false),
                    }
                }
                (key, is_public) = (line, None);
            } else if let Some(address) = line.strip_prefix("resolved ") {
                is_public = Some(is_only_at(address, &PUBLIC));
            } else if let Some(resolution) = line.strip_prefix("resolution: ") {
                let resolution = resolution.trim_matches('"');
                let version = resolution.get(1..).and_then(|rest| rest.split_once('@'));
                let version = version.map_or("", |(_, version)| version);
                // What follows `::` is an address of another registry.
                let is_of_registry = version.starts_with("npm:") && !version.contains("::");
                is_public = (!version.starts_with("patch:")).then_some(is_of_registry);
            }
        }
        Some(())
    }

    /// `react@19.0.0:` or `/react/19.0.0:` below `packages:`, with `resolution: {integrity: …}`.
    fn add_pnpm(&mut self, lock: &str) -> Option<()> {
        let mut section = "";
        let mut key = "";
        for line in lock.lines().filter(|line| !line.trim().is_empty()) {
            let indent = line.len() - line.trim_start().len();
            let line = line.trim();
            let (name, value) = line.split_once(": ").unwrap_or((line, ""));
            let name = name.trim_end_matches(':').trim_matches(['\'', '"']);
            let value = value.trim_matches(['\'', '"']);
            match indent {
                0 => section = name,
                2 if section == "packages" => key = name,
                _ => {}
            }
            let is_resolution = name == "resolution" || indent > 4;
            if section == "packages" && is_resolution {
                let is_elsewhere = !is_only_of(value, &PUBLIC)
                    || ["directory:", "repo:", "path:", "type:"]
                        .iter()
                        .any(|word| line.contains(word));
                let (package, version) = package_and_version(key);
                let is_of_registry = version.starts_with(|c: char| c.is_ascii_digit());
                match is_elsewhere {
                    true => self.add(package, false),
                    false if is_of_registry && line.contains("integrity:") => {
                        self.add(package, true);
                    }
                    false => {}
                }
            }
            if section == "packages" || section == "snapshots" {
                continue;
            }
            if is_local(value) {
                let package = match name {
                    "version" | "specifier" => key,
                    name => name,
                };
                self.add(package, false);
            }
            if value.is_empty() {
                key = name;
            }
        }
        Some(())
    }

    /// `"react": ["react@19.0.0", "", {}, "sha512-…"],`, a package on each line.
    fn add_bun(&mut self, lock: &str) -> Option<()> {
        for line in lock.lines() {
            let line = line.trim().trim_end_matches(',');
            let Ok(Value::Object(entry)) = serde_json::from_str(&format!("{{{line}}}")) else {
                continue;
            };
            for item in entry.values().filter_map(Value::as_array) {
                let text = |at: usize| item.get(at).and_then(Value::as_str);
                let Some(id) = text(0) else { continue };
                let (package, version) = package_and_version(id);
                let is_of_registry = version.starts_with(|c: char| c.is_ascii_digit());
                // It is empty for the registry of the settings.
                let address = text(1).unwrap_or("none");
                let is_public = address.is_empty() || is_only_at(address, &PUBLIC);
                self.add(package, is_of_registry && is_public);
            }
        }
        Some(())
    }
}

fn is_local(version: &str) -> bool {
    LOCAL.iter().any(|begin| version.starts_with(begin))
}

/// Returns the parts of `react@19.0.0`, `/react@19.0.0(x@1)` or `/react/19.0.0`.
fn package_and_version(id: &str) -> (&str, &str) {
    let id = id.strip_prefix('/').unwrap_or(id);
    let id = id.split('(').next().unwrap_or_default();
    let at = id.get(1..).and_then(|rest| rest.find('@'));
    match at.map(|at| id.split_at(at + 1)) {
        Some((package, version)) => (package, version.trim_start_matches('@')),
        None => id.rsplit_once('/').unwrap_or((id, "")),
    }
}

/// Returns the names in `a@^1, "b@npm:2":`.
fn names_of(key: &str) -> impl Iterator<Item = String> {
    let parts = key.split(',').map(|part| {
        let part = part.trim_matches(|c: char| c.is_whitespace() || "\"':".contains(c));
        let end = part.get(1..).and_then(|rest| rest.find('@'));
        let name = part.get(..end.map_or(part.len(), |end| end + 1));
        name.unwrap_or_default().to_owned()
    });
    parts.filter(|name| !name.is_empty())
}
