//! What is certainly public: the names of a project's packages that everybody can know, and the rules for those of lock
//! files.
//!
//! A name is private if the package comes from the project itself, a folder, a repository or another registry than the
//! public one, or if a lock file or the settings of the package manager say that it may. What cannot be read is taken
//! for private.

mod cargo;
mod dotnet;
mod go;
mod java;
mod npm;
mod owners;
mod php;
mod python;
mod ruby;
mod rules;
#[cfg(test)]
mod tests;

use std::{
    cell::RefCell,
    collections::HashMap,
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    files::{self, Others},
    hosts::is_only_at,
    listing::Folder,
    locks::{LOCK_FILES, Problem},
    package::{Ecosystem, Origin, Package},
};

pub(crate) use owners::owner;
pub use rules::Held;
pub(crate) use rules::Rules;

/// The maximum size of a manifest or a file of settings. *Unit*: bytes.
const MAX_BYTES: u64 = 256 << 10;
/// The number of folders, from the project's upwards, in which settings and lock files are looked for.
const MAX_FOLDERS: usize = 64;
/// The number of packages of which names are used.
const MAX_NAMES: usize = 24;
/// The fewest characters of a name: shorter ones are words of other things.
const MIN_CHARS: usize = 4;
/// Names that are common words of titles.
const COMMON: [&str; 20] = [
    "http", "test", "tests", "core", "path", "utils", "debug", "open", "time", "rand", "config",
    "errors", "request", "requests", "build", "types", "node", "python", "logging", "bytes",
];

/// Returns the names of a folder's public packages, in the order of its manifests.
pub fn public_names(folder: &Path) -> Vec<String> {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    ProjectFolder {
        folder,
        home: home.as_deref(),
        system: Path::new("/"),
        variable: &|name| env::var(name).ok(),
        memo: &Memo::default(),
    }
    .names()
}

/// The most folders in the path of a file below a folder that was listed.
const MAX_BELOW: usize = 3;

/// What is known of files: a project has many folders with the same folders above them. The keys are paths.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// The texts of those that were read.
    texts: RefCell<HashMap<OsString, Option<Option<String>>>>,
    /// The folders that were listed.
    listed: HashMap<OsString, Folder>,
}

impl Memo {
    /// Creates one that knows the entries of folders, which need not be looked for.
    pub(crate) fn of(listed: Vec<Folder>) -> Self {
        let listed = listed.into_iter();
        let listed = listed.map(|folder| (folder.path.clone().into_os_string(), folder));
        Self {
            listed: listed.collect(),
            texts: RefCell::default(),
        }
    }

    /// Returns whether a file is certainly not there, because one of the folders lacks it.
    fn lacks(&self, path: &Path) -> bool {
        let mut below = path.ancestors().take(MAX_BELOW);
        let known = below.find_map(|path| {
            let folder = self.listed.get(path.parent()?.as_os_str())?;
            Some(folder.lacks(path.file_name()?.to_str()?))
        });
        known.unwrap_or(false)
    }
}

/// A folder of a project, and where the settings of package managers are.
#[derive(Clone, Copy)]
pub(crate) struct ProjectFolder<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) home: Option<&'a Path>,
    /// The root of the system's files.
    pub(crate) system: &'a Path,
    /// Returns a variable of the environment.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    pub(crate) memo: &'a Memo,
}

impl ProjectFolder<'_> {
    fn names(&self) -> Vec<String> {
        let found = [
            cargo::names(self),
            npm::names(self),
            python::names(self),
            go::names(self),
        ];
        let mut names: Vec<String> = Vec::new();
        for name in found.into_iter().flatten() {
            let is_telling = name.chars().count() >= MIN_CHARS && !COMMON.contains(&name.as_str());
            if is_telling && !names.contains(&name) {
                names.push(name);
            }
        }
        names.truncate(MAX_NAMES);
        names
    }

    /// Returns the text of a file of settings; `None` if there is none, and `Some(None)` if it cannot be read.
    fn read(&self, path: &Path) -> Option<Option<String>> {
        if let Some(known) = self.memo.texts.borrow().get(path.as_os_str()) {
            return known.clone();
        }
        if self.memo.lacks(path) {
            return None;
        }
        let text = read(path);
        let mut memo = self.memo.texts.borrow_mut();
        memo.insert(path.as_os_str().to_owned(), text.clone());
        text
    }

    /// Returns the text of a manifest.
    fn manifest(&self, name: &str) -> Option<String> {
        self.read(&self.folder.join(name))?
    }

    /// Returns the packages of the nearest lock file with this name, in the project's folder or above it; `Some(None)`
    /// if it cannot be read.
    fn lock(&self, name: &str) -> Option<Option<Vec<Package>>> {
        let mut folders = self.folders();
        folders.find_map(|folder| {
            let text = match files::read(&folder.join(name), files::MAX_LOCK_BYTES) {
                Ok(text) => text?,
                Err(Problem::NotAFile) => return None,
                Err(_) => return Some(None),
            };
            let kind = LOCK_FILES.iter().find(|kind| kind.name == name)?;
            let packages = kind.read(&text, &mut Others::new(folder, folder));
            Some(packages.ok())
        })
    }

    /// Returns the texts of a file of settings in the project's folder, above it, and at these places below the user's
    /// home; `None` for one that cannot be read.
    fn settings(&self, name: &str, at_home: &[&str]) -> Vec<Option<String>> {
        let mut paths: Vec<PathBuf> = self.folders().map(|folder| folder.join(name)).collect();
        paths.extend(self.at_home(at_home));
        self.read_all(&paths)
    }

    /// Returns the texts of those of these files of settings that there are; `None` for one that cannot be read.
    fn read_all(&self, paths: &[PathBuf]) -> Vec<Option<String>> {
        let read = paths.iter().filter_map(|path| self.read(path));
        read.collect()
    }

    /// Returns these places below the user's home.
    fn at_home(&self, places: &[&str]) -> impl Iterator<Item = PathBuf> {
        let home = self.home.into_iter();
        home.flat_map(|home| places.iter().map(|place| home.join(place)))
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
        let home = self.home.map(|home| home.join(".config"));
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

/// Returns the package of the project itself that only a manifest of Composer names.
pub(crate) fn own_package(project: &ProjectFolder<'_>) -> Option<Package> {
    let name = php::own_name(project)?;
    Package::new(Ecosystem::Composer, &name, None, Origin::Local)
}

/// Returns the text of a file; `None` if there is none, and `Some(None)` if it is too large or no text.
fn read(path: &Path) -> Option<Option<String>> {
    match files::read(path, MAX_BYTES) {
        Ok(text) => text.map(Some),
        Err(Problem::NotAFile) => None,
        Err(_) => Some(None),
    }
}

/// Returns whether a lock file says that a package is not from the public registry.
fn is_elsewhere(package: &Package) -> bool {
    matches!(
        package.origin,
        Origin::Git | Origin::Local | Origin::OtherRegistry
    )
}

/// Returns whether a text names a package as a word.
pub fn is_named(text: &str, package: &str) -> bool {
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
