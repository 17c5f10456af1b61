//! The packages that a project uses, as its manifests name them, so that the memory can be asked about them.
//!
//! Only names that everybody can know are returned: a name is left out if the package comes from the project itself, a
//! folder, a repository or another registry than the public one, or if a lock file or the settings of the package manager
//! say that it may. What cannot be read is taken for private.

mod cargo;
mod go;
mod npm;
mod npm_locks;
mod python;
#[cfg(test)]
mod tests;

use std::{
    env,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

/// The maximum size of a manifest or a file of settings, and of a lock file. *Unit*: bytes.
const MAX_BYTES: u64 = 256 << 10;
const MAX_LOCK_BYTES: u64 = 16 << 20;
/// The number of folders, from the project's upwards, in which settings and lock files are looked for.
const MAX_FOLDERS: usize = 12;
/// The number of packages that are used.
const MAX_PACKAGES: usize = 24;
/// The fewest characters of a name: shorter ones are words of other things.
const MIN_CHARS: usize = 4;
/// Names that are common words of titles.
const COMMON: [&str; 20] = [
    "http", "test", "tests", "core", "path", "utils", "debug", "open", "time", "rand", "config",
    "errors", "request", "requests", "build", "types", "node", "python", "logging", "bytes",
];

/// Returns the names of the packages, in the order of the manifests.
pub(super) fn of(folder: &Path) -> Vec<String> {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    Project {
        folder,
        home,
        system: PathBuf::from("/"),
        variable: &|name| env::var(name).ok(),
    }
    .packages()
}

/// A project, and where the settings of package managers are.
struct Project<'a> {
    folder: &'a Path,
    home: Option<PathBuf>,
    /// The root of the system's files.
    system: PathBuf,
    /// Returns a variable of the environment.
    variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Project<'_> {
    fn packages(&self) -> Vec<String> {
        let found = [
            cargo::names(self),
            npm::names(self),
            python::names(self),
            go::names(self),
        ];
        let mut packages: Vec<String> = Vec::new();
        for name in found.into_iter().flatten() {
            let is_telling = name.chars().count() >= MIN_CHARS && !COMMON.contains(&name.as_str());
            if is_telling && !packages.contains(&name) {
                packages.push(name);
            }
        }
        packages.truncate(MAX_PACKAGES);
        packages
    }

    /// Returns the text of a manifest.
    fn manifest(&self, name: &str) -> Option<String> {
        read(&self.folder.join(name), MAX_BYTES)?
    }

    /// Returns the text of the nearest lock file with this name, in the project's folder or above it; `Some(None)` if it
    /// cannot be read.
    fn lock(&self, name: &str) -> Option<Option<String>> {
        let mut folders = self.folders();
        folders.find_map(|folder| read(&folder.join(name), MAX_LOCK_BYTES))
    }

    /// Returns the texts of a file of settings in the project's folder, above it, and at these places below the user's
    /// home; `None` for one that cannot be read.
    fn settings(&self, name: &str, at_home: &[&str]) -> Vec<Option<String>> {
        let mut paths: Vec<PathBuf> = self.folders().map(|folder| folder.join(name)).collect();
        let home = self.home.iter();
        paths.extend(home.flat_map(|home| at_home.iter().map(|place| home.join(place))));
        self.read_all(&paths)
    }

    /// Returns the texts of those of these files of settings that there are; `None` for one that cannot be read.
    fn read_all(&self, paths: &[PathBuf]) -> Vec<Option<String>> {
        let read = paths.iter().filter_map(|path| read(path, MAX_BYTES));
        read.collect()
    }

    /// Returns these places of the whole system, below its root.
    fn of_system(&self, places: &[&str]) -> impl Iterator<Item = PathBuf> {
        places.iter().map(|place| self.system.join(place))
    }

    /// Returns these places in the folders for settings: the user's and the system's.
    fn of_user_and_system(&self, places: &[&str]) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        match (self.variable)("XDG_CONFIG_DIRS").filter(|dirs| !dirs.is_empty()) {
            Some(dirs) => folders.extend(env::split_paths(&dirs)),
            None => folders.push(self.system.join("etc/xdg")),
        }
        // On Windows.
        folders.extend(self.path("ProgramData"));
        let folders = folders.iter();
        let of_system = folders.flat_map(|folder| places.iter().map(|place| folder.join(place)));
        of_system.chain(self.of_user(places)).collect()
    }

    /// Returns these places in the user's folder for settings.
    fn of_user(&self, places: &[&str]) -> impl Iterator<Item = PathBuf> {
        let home = self.home.as_ref().map(|home| home.join(".config"));
        let folders = [self.path("XDG_CONFIG_HOME"), home, self.path("APPDATA")];
        let folders = folders.into_iter().flatten();
        folders.flat_map(|folder| places.iter().map(move |place| folder.join(place)))
    }

    /// Returns the path that a variable names.
    fn path(&self, variable: &str) -> Option<PathBuf> {
        let value = (self.variable)(variable).filter(|value| !value.trim().is_empty())?;
        Some(PathBuf::from(value))
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folder.ancestors().take(MAX_FOLDERS)
    }

    /// Returns whether one of these variables names another host than these.
    fn is_redirected(&self, variables: &[&str], hosts: &[&str]) -> bool {
        let set = variables.iter().filter_map(|name| (self.variable)(name));
        let mut set = set.filter(|value| !value.trim().is_empty());
        set.any(|value| !is_only_at(&value, hosts))
    }
}

/// Returns the text of a file; `None` if there is none, and `Some(None)` if it is too large or no text.
fn read(path: &Path, max: u64) -> Option<Option<String>> {
    path.is_file().then_some(())?;
    let read = || {
        let mut text = String::new();
        let file = File::open(path).ok()?;
        let length = file.take(max + 1).read_to_string(&mut text).ok()?;
        (length as u64 <= max).then_some(text)
    };
    Some(read())
}

/// Returns the hosts of the addresses in a text.
fn hosts_in(text: &str) -> impl Iterator<Item = &str> {
    text.split("://").skip(1).map(|rest| {
        let is_end = |c: char| c.is_whitespace() || "/?#\"'`,;)]}>".contains(c);
        let authority = rest.split(is_end).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        host.split(':').next().unwrap_or_default()
    })
}

/// Returns whether a text names no host but these.
fn is_only_of(text: &str, hosts: &[&str]) -> bool {
    let is_known = |found: &str| hosts.iter().any(|host| host.eq_ignore_ascii_case(found));
    hosts_in(text).all(is_known)
}

/// Returns whether a value is an address at one of these hosts. A value that names no host may be anything.
fn is_only_at(value: &str, hosts: &[&str]) -> bool {
    hosts_in(value).next().is_some() && is_only_of(value, hosts)
}

/// Returns whether a text names a package as a word.
pub(super) fn names(text: &str, package: &str) -> bool {
    let text = text.to_lowercase();
    let package = package.to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || "-_".contains(c);
    text.match_indices(&package).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + found.len()..)
            .and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
