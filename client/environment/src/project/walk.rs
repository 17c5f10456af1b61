//! The folders of a project: from a folder upwards to the root of its repository, and those below it.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
};

use crate::listing::Folder;

/// The folders that mark the root of a repository.
const MARKS: [&str; 4] = [".git", ".hg", ".jj", ".svn"];
/// The most folders upwards.
const MAX_FOLDERS: usize = 40;
/// The most entries of all folders below.
const MAX_ALL_ENTRIES: usize = 6_000;
/// How far below files are looked for.
const MAX_DEPTH: usize = 3;
/// Folders with files that are not of the project itself.
const SKIPPED: [&str; 14] = [
    "node_modules",
    "target",
    "vendor",
    "dist",
    "build",
    "out",
    "bin",
    "obj",
    "venv",
    "env",
    "__pycache__",
    "site-packages",
    "third_party",
    "bower_components",
];

/// Returns the folder in which a path is, without links: the nearest that exists.
pub(crate) fn folder_of(path: &Path) -> Option<PathBuf> {
    let mut folders = path.ancestors();
    folders.find(|it| it.is_dir())?.canonicalize().ok()
}

/// Returns a folder and those above it, up to the root of the repository, which is below the home. Without a repository
/// they end below the home, below the root of the system, and below a folder that is shared with others; these
/// themselves are no project.
pub(crate) fn upwards(start: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let home = home.and_then(|home| home.canonicalize().ok());
    let folders = start.ancestors().take(MAX_FOLDERS);
    let folders = folders.take_while(|folder| Some(*folder) != home.as_deref());
    let folders: Vec<&Path> = folders.collect();
    let count = match folders.iter().position(|folder| is_repository(folder)) {
        Some(root) => root + 1,
        None => {
            let is_end = |folder: &&Path| folder.parent().is_none() || is_shared(folder);
            folders.iter().position(is_end).unwrap_or(folders.len())
        }
    };
    let folders = folders.into_iter().take(count);
    folders.map(Path::to_owned).collect()
}

/// Returns whether a folder is the root of a repository.
pub(crate) fn is_repository(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).exists())
}

/// Returns whether everybody can put files into a folder, as into that for temporary files.
#[cfg(unix)]
fn is_shared(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = folder.metadata();
    metadata.is_ok_and(|metadata| metadata.permissions().mode() & 0o1002 == 0o1002)
}

#[cfg(not(unix))]
fn is_shared(_: &Path) -> bool {
    false
}

/// Returns the folders below a folder, the nearest first.
pub(crate) fn below(start: &Folder) -> Vec<Folder> {
    let mut found = Vec::new();
    let mut left = MAX_ALL_ENTRIES;
    let mut waiting: VecDeque<(PathBuf, usize)> = VecDeque::new();
    let push = |folder: &Folder, depth: usize, waiting: &mut VecDeque<(PathBuf, usize)>| {
        let wanted = folder.folders.iter();
        let wanted =
            wanted.filter(|name| !name.starts_with('.') && !SKIPPED.contains(&name.as_str()));
        waiting.extend(wanted.map(|name| (folder.path.join(name), depth)));
    };
    push(start, 1, &mut waiting);
    while let Some((path, depth)) = waiting.pop_front() {
        let folder = Folder::list(&path);
        left = left.saturating_sub(folder.names.len() + 1);
        // A repository in the repository is not of the project.
        let is_other = MARKS.iter().any(|mark| folder.has(mark));
        if is_other {
            continue;
        }
        if depth < MAX_DEPTH {
            push(&folder, depth + 1, &mut waiting);
        }
        found.push(folder);
        if left == 0 {
            break;
        }
    }
    found
}
