//! The files of a repository that a text cites, and whether they are still as they were.
//!
//! [`WorkingTree::cited_in`] finds the paths of a text that are files of the repository, and hashes those that may be named to
//! others. [`WorkingTree::compare`] compares files with hashes. Nothing is read outside of the repository, no link leads out
//! of it, and a file is read up to a size. Nothing here uses the network.

mod files;
mod git_folder;
mod git_settings;
mod paths;
mod rules;
#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs,
    path::{Component, Path, PathBuf},
    time::Instant,
};

use recall_kit_shared_types::knowledge::{Citation, FileState, citation_limits::MAX_CITATIONS};

pub use files::Hashes;
use files::{Hashed, Problem};
use rules::Rules;

/// What marks the root of a repository.
const MARKS: [&str; 2] = [".git", ".jj"];
/// The most folders upwards.
const MAX_FOLDERS: usize = 40;
/// The most paths of a text that are looked for.
const MAX_LOOKUPS: usize = 1_000;

/// What a comparison says of a cited file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compared {
    /// How it is; `None` if that cannot be told, as of a file that could not be cited.
    pub state: Option<FileState>,
    /// Whether there is such a file, even if it cannot be compared.
    pub is_there: bool,
}

impl Compared {
    fn of(state: FileState) -> Self {
        Self {
            state: Some(state),
            is_there: state != FileState::Missing,
        }
    }
}

/// The files of a repository, as they are on this machine.
#[derive(Debug, Clone)]
pub struct WorkingTree {
    /// The folder of the repository, without links.
    root: PathBuf,
    /// The folder in which texts are written, without links.
    start: PathBuf,
}

impl WorkingTree {
    /// Finds the repository of a folder, below the home; `None` if there is none.
    pub fn find(folder: &Path, home: Option<&Path>) -> Option<Self> {
        let start = folder.canonicalize().ok()?;
        let home = home.and_then(|home| home.canonicalize().ok());
        let mut folders = start
            .ancestors()
            .take(MAX_FOLDERS)
            .take_while(|folder| Some(*folder) != home.as_deref());
        let root = folders.find(|folder| MARKS.iter().any(|mark| folder.join(mark).exists()))?;
        let root = root.to_owned();
        Some(Self { root, start })
    }

    /// Whether a project has the name of the folder of the repository.
    pub fn is_named(&self, project: &str) -> bool {
        let name = self.root.file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| name.eq_ignore_ascii_case(project))
    }

    /// Returns the files that texts cite, in the order in which they are cited first: those that are not ignored, whose names
    /// do not look like those of secrets, and in whose path and text `is_secret` finds nothing. After the deadline no further
    /// file is read.
    pub fn cited_in(
        &self,
        texts: &[&str],
        hashes: &Hashes,
        deadline: Instant,
        is_secret: impl Fn(&str) -> bool,
    ) -> Vec<Citation> {
        let written = texts.iter().flat_map(|text| paths::in_text(text));
        let mut rules = Rules::new(&self.root);
        let (mut looked_for, mut seen) = (HashSet::new(), HashSet::new());
        let mut citations = Vec::new();
        for written in written {
            let is_full = citations.len() == MAX_CITATIONS || looked_for.len() == MAX_LOOKUPS;
            if is_full || Instant::now() >= deadline {
                break;
            }
            if !looked_for.insert(written.clone()) {
                continue;
            }
            let Some(path) = self.file_named(&written) else {
                continue;
            };
            if !seen.insert(path.clone()) || !rules.may_be_cited(&path) || is_secret(&path) {
                continue;
            }
            let has_none = |text: &str| !is_secret(text);
            let hashed = hashes.of(&self.root.join(&path), Some(&has_none)).ok();
            if let Some(sha256) = hashed.as_deref().and_then(Hashed::citable) {
                let sha256 = sha256.to_owned();
                citations.push(Citation { path, sha256 });
            }
        }
        citations
    }

    /// Says how cited files, of which the paths and hashes are given, are in this tree, in their order. After the deadline no
    /// further file is read: then fewer are returned.
    pub fn compare<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
        hashes: &Hashes,
        deadline: Instant,
    ) -> Vec<Compared> {
        let mut rules = Rules::new(&self.root);
        let files = files.into_iter();
        let files = files.take_while(|_| Instant::now() < deadline);
        files
            .map(|(path, sha256)| {
                let compared = self.compare_one(path, sha256, hashes, &mut rules);
                compared.unwrap_or_default()
            })
            .collect()
    }

    /// Compares a file; `None` if it could not be cited.
    fn compare_one(
        &self,
        path: &str,
        sha256: &str,
        hashes: &Hashes,
        rules: &mut Rules<'_>,
    ) -> Option<Compared> {
        if Citation::path_fault(path).is_some() || rules::looks_secret(path) {
            return None;
        }
        let full = self.root.join(path);
        let real = match full.canonicalize() {
            Ok(real) => real,
            Err(error) if git_folder::is_absence(&error) => {
                let inside = self.relative_absent(&full)?;
                let is_known = rules.may_be_cited(&inside) && !self.is_in_nested(&inside);
                return is_known.then_some(Compared::of(FileState::Missing));
            }
            Err(_) => return None,
        };
        let inside = self.relative(&real)?;
        if !rules.may_be_cited(&inside) || self.is_in_nested(&inside) {
            return None;
        }
        Some(match hashes.of(&real, None) {
            Ok(hashed) if hashed.is(sha256) => Compared::of(FileState::Same),
            Ok(_) => Compared::of(FileState::Changed),
            Err(Problem::NotAFile) => Compared::of(FileState::Missing),
            Err(Problem::Unreadable) => Compared {
                state: None,
                is_there: true,
            },
        })
    }

    /// Returns the path from the root of a file that a text names from the folder in which it is written, from the root, or
    /// from the root of the system; `None` if the path names two files.
    fn file_named(&self, written: &str) -> Option<String> {
        let path = Path::new(written);
        let places = match path.is_absolute() {
            true => vec![path.to_owned()],
            false if path.components().any(is_prefix) => return None,
            false => vec![self.start.join(path), self.root.join(path)],
        };
        let files = places.iter().filter_map(|place| self.file_at(place));
        let files: HashSet<String> = files.collect();
        let mut files = files.into_iter();
        files.next().filter(|_| files.next().is_none())
    }

    /// Returns the path from the root of a file.
    fn file_at(&self, place: &Path) -> Option<String> {
        // Looking for a file outside of the tree could ask another machine.
        let place = normalised(place).filter(|place| place.starts_with(&self.root))?;
        let real = place.canonicalize().ok()?;
        let inside = self.relative(&real)?;
        let is_file = fs::symlink_metadata(&real).is_ok_and(|metadata| metadata.is_file());
        let can_be_cited = is_file && Citation::path_fault(&inside).is_none();
        (can_be_cited && !self.is_in_nested(&inside)).then_some(inside)
    }

    /// Whether a path from the root leads into another repository, which is not the one that texts are about.
    fn is_in_nested(&self, path: &str) -> bool {
        path.match_indices('/').any(|(end, _)| {
            let folder = self.root.join(path.get(..end).unwrap_or(path));
            MARKS.iter().any(|mark| {
                let found = folder.join(mark).symlink_metadata();
                !found.is_err_and(|error| git_folder::is_absence(&error))
            })
        })
    }

    /// Returns the path from the root that a file without links would have that is not there; `None` outside of the tree, and
    /// for a link that leads nowhere.
    fn relative_absent(&self, full: &Path) -> Option<String> {
        let existing = full
            .ancestors()
            .find(|path| path.symlink_metadata().is_ok())?;
        let inside = self.relative(&existing.canonicalize().ok()?)?;
        let rest = full.strip_prefix(existing).ok()?.to_str()?;
        match inside.as_str() {
            "" => Some(rest.to_owned()),
            inside => Some(format!("{inside}/{rest}")),
        }
    }

    /// Returns the path from the root, with `/`; `None` outside of the tree.
    fn relative(&self, real: &Path) -> Option<String> {
        let inside = real.strip_prefix(&self.root).ok()?;
        let parts = inside.components().map(|part| part.as_os_str().to_str());
        let parts: Option<Vec<&str>> = parts.collect();
        Some(parts?.join("/"))
    }
}

fn is_prefix(part: Component<'_>) -> bool {
    matches!(part, Component::Prefix(_) | Component::RootDir)
}

/// Returns a path without `.` and `..`, without looking at files; `None` if it leads above the root of the system.
fn normalised(path: &Path) -> Option<PathBuf> {
    let mut normalised = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !normalised.pop() {
                    return None;
                }
            }
            part => normalised.push(part),
        }
    }
    Some(normalised)
}
