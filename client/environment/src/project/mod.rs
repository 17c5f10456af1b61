//! A project: the lock files that count for a folder, and what of their packages is private.
//!
//! For each ecosystem these are the files of the nearest folder, upwards to the root of the repository; a manifest goes
//! on to the next folder with a lock file. A folder with lock files of several package managers of an ecosystem: the
//! one that `packageManager` in its `package.json` names, else the one that was changed last, else the first in
//! [`LOCK_FILES`]. What an ecosystem has nowhere upwards is looked for below the folder.

mod cache;
mod choice;
#[cfg(test)]
mod tests;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    env,
    path::{Path, PathBuf},
};

use recall_kit_shared_types::applicability::NamedVersion;

use crate::{
    files::{self, Others},
    locks::{LOCK_FILES, LockFile, Problem, Strength},
    package::{Ecosystem, Origin, Package},
    public::{Held, Memo, ProjectFolder, Rules, own_package, owner},
    runtimes,
};
pub(crate) use cache::IsWanted;
use cache::{Cache, Content};
use choice::{Chosen, Place};

/// The most files of a project.
const MAX_FILES: usize = 256;
/// The most folders whose runtimes are read, the nearest ones.
const MAX_RUNTIME_FOLDERS: usize = 40;
/// The name of the file with what lock files said.
const CACHE_FILE: &str = "environment.cache";

/// Returns a variable of the environment.
type Variable = Box<dyn Fn(&str) -> Option<String>>;

/// Finds projects, with the settings of a user and a system.
pub struct Finder {
    home: Option<PathBuf>,
    system: PathBuf,
    variable: Variable,
    cache: Option<PathBuf>,
}

impl Finder {
    /// Creates one for the user of this process, with a cache in the user's data folder.
    pub fn of_user() -> Self {
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
        let dirs = directories::ProjectDirs::from("", "", "recall-kit");
        Self {
            home,
            system: PathBuf::from("/"),
            variable: Box::new(|name| env::var(name).ok()),
            cache: dirs.map(|dirs| dirs.data_local_dir().join(CACHE_FILE)),
        }
    }

    /// Creates one for another home, another root of the system's files, and other variables, without a cache.
    pub fn new(
        home: Option<PathBuf>,
        system: PathBuf,
        variable: impl Fn(&str) -> Option<String> + 'static,
    ) -> Self {
        Self {
            home,
            system,
            variable: Box::new(variable),
            cache: None,
        }
    }

    /// Keeps what lock files said in this file.
    pub fn with_cache(self, path: PathBuf) -> Self {
        let cache = Some(path);
        Self { cache, ..self }
    }

    /// Finds the project of a file or a folder.
    pub fn find(&self, start: &Path) -> Project {
        self.find_for(start, &[])
    }

    /// Finds the project of a file or a folder, and of the files in it that texts name, such as those of a stack trace:
    /// their lock files come first.
    pub fn find_for(&self, start: &Path, texts: &[&str]) -> Project {
        self.find_wanted(start, texts, None)
    }

    /// Like [`Finder::find_for`], but public packages that are not wanted may be missing.
    pub(crate) fn find_wanted(
        &self,
        start: &Path,
        texts: &[&str],
        is_wanted: Option<&IsWanted<'_>>,
    ) -> Project {
        let is_there = start.exists();
        let Some(start) = walk::folder_of(start) else {
            return Project::default();
        };
        let folders = walk::upwards(&start, self.home.as_deref());
        let Some(root) = folders.last().cloned() else {
            return Project::default();
        };
        // What is above a folder that is not there may be anything.
        if !is_there && !walk::is_repository(&root) {
            return Project::default();
        }
        let choice = choice::of(&start, &root, &folders, texts);
        let mut cache = Cache::open(self.cache.clone());
        let mut project = Project {
            notes: choice.notes,
            ..Project::default()
        };
        let listed = choice.listed.iter().take(MAX_RUNTIME_FOLDERS);
        listed.for_each(|folder| runtimes::add(folder, &mut project.runtimes));
        let mut found = Vec::new();
        for (count, place) in choice.places.into_iter().enumerate() {
            let content = match count < MAX_FILES {
                true => read(&place, &root, &mut cache, is_wanted),
                false => Err(Problem::NotRead),
            };
            found.push((place, content));
        }
        cache.save();
        self.judge(&start, found, Memo::of(choice.listed), &mut project);
        project.root = root;
        project
    }

    /// Says of each package whether it is private.
    fn judge(&self, start: &Path, found: Vec<(Place, Content)>, memo: Memo, project: &mut Project) {
        let mut private = Private::of(&found);
        private.own.extend(self.own_vendors(start, &found, &memo));
        let folders = ecosystems_by_folder(start, &found);
        let rules = self.rules(&folders, &memo);
        for (place, content) in found {
            let folders = settings_folders(start, &place.folder);
            let rules: Vec<_> = folders.filter_map(|folder| rules.get(folder)).collect();
            let file = project.files.len();
            let packages = content.unwrap_or_else(|problem| {
                project.notes.push(Note {
                    path: place.path.clone(),
                    reason: Reason::Problem(problem),
                });
                Vec::new()
            });
            project.files.push(ReadFile {
                path: place.path.clone(),
                ecosystem: place.kind.ecosystem,
                strength: place.kind.strength,
                rank: place.rank,
                packages: packages.len(),
            });
            let known = packages.into_iter().map(|package| Known {
                held: private.held(&package, &place, &rules),
                package,
                file,
            });
            project.packages.extend(known);
        }
    }

    /// Reads the settings for each folder.
    fn rules<'a>(
        &'a self,
        folders: &'a BTreeMap<PathBuf, BTreeSet<Ecosystem>>,
        memo: &'a Memo,
    ) -> BTreeMap<&'a Path, Rules<'a>> {
        let rules = folders.iter().map(|(folder, ecosystems)| {
            let surroundings = self.settings_of(folder, memo);
            let rules = Rules::new(surroundings, ecosystems.iter().copied());
            (folder.as_path(), rules)
        });
        rules.collect()
    }

    fn settings_of<'a>(&'a self, folder: &'a Path, memo: &'a Memo) -> ProjectFolder<'a> {
        ProjectFolder {
            folder,
            home: self.home.as_deref(),
            system: &self.system,
            variable: &*self.variable,
            memo,
        }
    }

    /// Returns the vendors of the project itself that only manifests of Composer name.
    fn own_vendors(
        &self,
        start: &Path,
        found: &[(Place, Content)],
        memo: &Memo,
    ) -> BTreeSet<(Ecosystem, String)> {
        let mut packages = found
            .iter()
            .flat_map(|(_, content)| content.iter().flatten());
        if !packages.any(|package| package.ecosystem == Ecosystem::Composer) {
            return BTreeSet::new();
        }
        let folders: BTreeSet<&Path> = found
            .iter()
            .flat_map(|(place, _)| settings_folders(start, &place.folder))
            .collect();
        let own = folders.into_iter().filter_map(|folder| {
            let own = own_package(&self.settings_of(folder, memo))?;
            owner_key(&own)
        });
        own.collect()
    }
}

/// Returns the folders from which settings are looked for, with the ecosystems of their files: of those with packages
/// that may be public.
fn ecosystems_by_folder(
    start: &Path,
    found: &[(Place, Content)],
) -> BTreeMap<PathBuf, BTreeSet<Ecosystem>> {
    let mut all: BTreeMap<PathBuf, BTreeSet<Ecosystem>> = BTreeMap::new();
    let is_needed = |content: &Content| {
        let mut packages = content.iter().flatten();
        packages.any(|package| package.origin == Origin::Registry)
    };
    for (place, _) in found.iter().filter(|(_, content)| is_needed(content)) {
        for folder in settings_folders(start, &place.folder) {
            let known = all.entry(folder.to_owned()).or_default();
            known.insert(place.kind.ecosystem);
        }
    }
    all
}

/// Returns the folders from which settings are looked for, upwards: that of the lock file, and the start if it is below
/// that.
fn settings_folders<'a>(start: &'a Path, folder: &'a Path) -> impl Iterator<Item = &'a Path> {
    let is_below = start != folder && start.starts_with(folder);
    std::iter::once(folder).chain(is_below.then_some(start))
}

fn read(
    place: &Place,
    root: &Path,
    cache: &mut Cache,
    is_wanted: Option<&IsWanted<'_>>,
) -> Content {
    let path = &place.path;
    // The folder has no links above it, but those in its name may be links.
    if place.kind.name.contains('/') && !files::is_inside(path, root) {
        return Err(Problem::Outside);
    }
    let stamp = files::stamp_inside(path, root)?;
    if let Some(known) = cache.get(path, place.kind.name, stamp, is_wanted) {
        return known;
    }
    let mut others = Others::new(root, &place.folder);
    let content = files::read(path, files::MAX_LOCK_BYTES).and_then(|text| {
        let text = text.ok_or(Problem::Unreadable)?;
        place.kind.read(&text, &mut others)
    });
    // One that was changed while it was read is read again next time, and one that was changed just before: a later
    // change may have the same time.
    let mut stamps = others.seen.values().chain([&stamp]);
    if stamp == files::stamp(path) && stamps.all(|stamp| files::is_settled(*stamp)) {
        cache.add(path, place.kind.name, stamp, &others.seen, &content);
    }
    content
}

/// What is private because of other packages.
#[derive(Debug, Default)]
struct Private {
    /// The names of packages that are not from a public registry, in some file.
    names: HashSet<(Ecosystem, String)>,
    /// The owners of private packages, and of the project itself.
    own: HashSet<(Ecosystem, String)>,
    /// Where a file could not be read: another file may not know what it says.
    unread: HashSet<(PathBuf, Ecosystem)>,
}

fn owner_key(package: &Package) -> Option<(Ecosystem, String)> {
    Some((package.ecosystem, owner(package)?))
}

fn name_key(package: &Package) -> (Ecosystem, String) {
    let ecosystem = package.ecosystem;
    (ecosystem, ecosystem.normalized(&package.name))
}

impl Private {
    fn of(found: &[(Place, Content)]) -> Self {
        let mut private = Self::default();
        for (place, content) in found {
            match content {
                Ok(packages) => packages.iter().for_each(|package| private.learn(package)),
                Err(_) => {
                    let unread = (place.folder.clone(), place.kind.ecosystem);
                    private.unread.insert(unread);
                }
            }
        }
        private
    }

    fn learn(&mut self, package: &Package) {
        let (is_elsewhere, is_own) = match package.origin {
            Origin::Registry | Origin::Unknown => (false, false),
            // A public package may be taken from a repository, too.
            Origin::Git => (true, false),
            Origin::Local | Origin::OtherRegistry => (true, true),
        };
        if is_elsewhere {
            self.names.insert(name_key(package));
        }
        if is_own {
            self.own.extend(owner_key(package));
        }
    }

    fn held(&self, package: &Package, place: &Place, rules: &[&Rules<'_>]) -> Option<Held> {
        if let Some(held) = Held::of_origin(package.origin) {
            return Some(held);
        }
        if rules.is_empty() {
            return Some(Held::Unknown);
        }
        if let Some(held) = rules.iter().find_map(|rules| rules.held(package)) {
            return Some(held);
        }
        if !self.names.is_empty() && self.names.contains(&name_key(package)) {
            return Some(Held::Local);
        }
        let is_own = |key| self.own.contains(&key);
        if !self.own.is_empty() && owner_key(package).is_some_and(is_own) {
            return Some(Held::Owner);
        }
        let is_unread = self
            .unread
            .contains(&(place.folder.clone(), place.kind.ecosystem));
        if is_unread || place.chosen == Chosen::Superseded {
            return Some(Held::Unknown);
        }
        None
    }
}

/// What lock files say about the project of a folder.
#[derive(Debug, Default)]
pub struct Project {
    /// The root of the repository, or the highest folder that was looked at.
    pub root: PathBuf,
    /// The files that were read, those that count most first.
    pub files: Vec<ReadFile>,
    /// The packages of all of them.
    pub packages: Vec<Known>,
    /// The runtimes that the project names.
    pub runtimes: Vec<NamedVersion>,
    /// What could not be read, or does not count, and why.
    pub notes: Vec<Note>,
}

impl Project {
    /// Finds the project of a file or a folder, for the user of this process.
    pub fn find(start: &Path) -> Self {
        Finder::of_user().find(start)
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// Where it is.
    pub path: PathBuf,
    /// What its packages are.
    pub ecosystem: Ecosystem,
    /// How much it says.
    pub strength: Strength,
    /// How near it is: files with the same rank count alike.
    pub rank: usize,
    /// How many packages it has.
    pub packages: usize,
}

/// A package of one of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The package.
    pub package: Package,
    /// Why it is private; `None` if it is public.
    pub held: Option<Held>,
    /// Which of the files has it.
    pub file: usize,
}

/// A file that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where it is.
    pub path: PathBuf,
    /// Why.
    pub reason: Reason,
}

/// Why a file does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It cannot be read.
    #[error("{0}")]
    Problem(Problem),
    /// Another lock file of the folder counts.
    #[error("another lock file of the folder counts")]
    Superseded,
}

/// Returns the kinds of a file with this name.
fn kind_named(name: &str) -> Option<(usize, &'static LockFile)> {
    let mut kinds = LOCK_FILES.iter().enumerate();
    kinds.find(|(_, kind)| kind.is_named(name))
}
