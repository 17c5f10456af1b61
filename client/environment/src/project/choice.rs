//! Which lock files count for a folder, and in which order.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{Note, Reason, kind_named, walk};
use crate::{
    files,
    listing::Folder,
    locks::{LOCK_FILES, LockFile, Strength},
    package::Ecosystem,
};

/// The most files of a folder, and the most files that a text names.
const MAX_FILES: usize = 40;
const MAX_NAMED: usize = 8;
/// The most words of texts that are looked up as files.
const MAX_WORDS: usize = 300;
/// How much of a text is looked through for names of files, and the longest name. *Unit*: bytes.
const MAX_TEXT: usize = 64 << 10;
const MAX_PATH: usize = 300;

/// A file, and how much it counts.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// The folder that it belongs to.
    pub(super) folder: PathBuf,
    pub(super) kind: &'static LockFile,
    /// How near it is.
    pub(super) rank: usize,
    pub(super) chosen: Chosen,
}

/// Whether a file counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    Counts,
    /// Another one counts; it still says what is private.
    Superseded,
}

/// The files of a project, in the order in which they count.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) places: Vec<Place>,
    pub(super) notes: Vec<Note>,
    /// The folders that were listed, the nearest first.
    pub(super) listed: Vec<Folder>,
    /// The paths of the files.
    paths: HashSet<PathBuf>,
}

/// Chooses the files for a folder of a repository; `folders` are it and those above it.
pub(super) fn of(start: &Path, root: &Path, folders: &[PathBuf], texts: &[&str]) -> Choice {
    let mut choice = Choice::default();
    let mut listed: BTreeMap<PathBuf, Folder> = BTreeMap::new();
    let mut rank = 0;
    for named in named_folders(start, root, texts) {
        let above = named.ancestors().take_while(|it| it.starts_with(root));
        let chain: Vec<PathBuf> = above.map(Path::to_owned).collect();
        choice.add_chain(&chain, &mut rank, &mut listed);
    }
    choice.add_chain(folders, &mut rank, &mut listed);
    let known: BTreeSet<Ecosystem> = choice.places.iter().map(|it| it.kind.ecosystem).collect();
    let Some(first) = listed.get(start).cloned() else {
        return choice;
    };
    // What is not found upwards may be in folders beside each other: they count alike.
    for folder in walk::below(&first) {
        let files = files_of(&folder);
        let files = files
            .into_iter()
            .filter(|(_, kind, _)| !known.contains(&kind.ecosystem));
        let files: Vec<_> = files.collect();
        let is_used = choice.add(&folder, files, rank);
        if is_used {
            choice.listed.push(folder);
        }
    }
    choice
}

impl Choice {
    /// Adds the files of a folder and those above it: of each ecosystem from the nearest that has some to the first
    /// with a lock file.
    fn add_chain(
        &mut self,
        chain: &[PathBuf],
        rank: &mut usize,
        listed: &mut BTreeMap<PathBuf, Folder>,
    ) {
        let mut locked: BTreeSet<Ecosystem> = BTreeSet::new();
        for path in chain {
            let is_new = !listed.contains_key(path);
            let folder = listed
                .entry(path.clone())
                .or_insert_with(|| Folder::list(path));
            if is_new {
                self.listed.push(folder.clone());
            }
            let files = files_of(folder);
            let files = files.into_iter();
            let files: Vec<_> = files
                .filter(|(_, kind, _)| !locked.contains(&kind.ecosystem))
                .collect();
            let locks = files
                .iter()
                .filter(|(_, kind, _)| kind.strength == Strength::Lock);
            locked.extend(locks.map(|(_, kind, _)| kind.ecosystem));
            let folder = folder.clone();
            self.add(&folder, files, *rank);
            *rank += 1;
        }
    }

    /// Adds files of a folder, unless they are known. Returns whether there are any.
    fn add(
        &mut self,
        folder: &Folder,
        files: Vec<(usize, &'static LockFile, PathBuf)>,
        rank: usize,
    ) -> bool {
        let chosen = chosen_locks(folder, &files);
        let is_used = !files.is_empty();
        for (at, kind, path) in files {
            if !self.paths.insert(path.clone()) {
                continue;
            }
            let best = chosen.get(&kind.ecosystem);
            let is_chosen = kind.strength == Strength::Manifest || best == Some(&at);
            let chosen = match is_chosen {
                true => Chosen::Counts,
                false => Chosen::Superseded,
            };
            if !is_chosen {
                self.notes.push(Note {
                    path: path.clone(),
                    reason: Reason::Superseded,
                });
            }
            self.places.push(Place {
                path,
                folder: folder.path.clone(),
                kind,
                rank,
                chosen,
            });
        }
        is_used
    }
}

/// Returns the files of a folder, in the order of the table.
fn files_of(folder: &Folder) -> Vec<(usize, &'static LockFile, PathBuf)> {
    let named = folder.names.iter().filter_map(|name| {
        let (at, kind) = kind_named(name)?;
        Some((at, kind, folder.path.join(name)))
    });
    // Those that are in a folder of the folder.
    let inner = LOCK_FILES.iter().enumerate().filter_map(|(at, kind)| {
        let (inner, _) = kind.name.split_once('/')?;
        let path = folder.path.join(kind.name);
        (folder.has(inner) && path.exists()).then_some((at, kind, path))
    });
    let mut files: Vec<_> = named.chain(inner).take(MAX_FILES).collect();
    files.sort_by_key(|(at, _, path)| (*at, path.clone()));
    files
}

/// Returns the lock file of each ecosystem that counts in a folder, by its place in the table.
fn chosen_locks(
    folder: &Folder,
    files: &[(usize, &'static LockFile, PathBuf)],
) -> BTreeMap<Ecosystem, usize> {
    let mut locks: BTreeMap<Ecosystem, Vec<(usize, &Path)>> = BTreeMap::new();
    for (at, kind, path) in files {
        if kind.strength == Strength::Lock {
            locks.entry(kind.ecosystem).or_default().push((*at, path));
        }
    }
    let chosen = locks.into_iter().filter_map(|(ecosystem, locks)| {
        if let [(only, _)] = locks[..] {
            return Some((ecosystem, only));
        }
        let by_manifest = (ecosystem == Ecosystem::Npm)
            .then(|| package_manager(folder))
            .flatten();
        let wanted = by_manifest.and_then(|wanted| {
            let mut locks = locks.iter();
            let found =
                locks.find(|(at, _)| LOCK_FILES.get(*at).is_some_and(|it| it.name == wanted));
            found.map(|(at, _)| *at)
        });
        let changed = |path: &Path| files::stamp(path).map(|(changed, _)| changed);
        let newest = locks
            .iter()
            .max_by_key(|(at, path)| (changed(path), Reverse(*at)));
        Some((ecosystem, wanted.or(newest.map(|(at, _)| *at))?))
    });
    chosen.collect()
}

/// Returns the lock file of the package manager that a `package.json` names.
fn package_manager(folder: &Folder) -> Option<&'static str> {
    let text = files::read(&folder.path.join("package.json"), 256 << 10).ok()??;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    let manager = manifest.get("packageManager")?.as_str()?;
    Some(match manager.split('@').next()? {
        "npm" => "package-lock.json",
        "pnpm" => "pnpm-lock.yaml",
        "yarn" => "yarn.lock",
        "bun" => "bun.lock",
        _ => return None,
    })
}

/// Returns the folders of the files of the repository that texts name, such as `packages/api/src/main.ts:12:3`.
fn named_folders(start: &Path, root: &Path, texts: &[&str]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let is_end = |c: char| c.is_whitespace() || "\"'`()<>[]{},;|=".contains(c);
    let words = texts.iter().flat_map(|text| {
        let end = text.floor_char_boundary(MAX_TEXT);
        text.get(..end).unwrap_or_default().split(is_end)
    });
    let words = words.filter(|word| {
        word.len() <= MAX_PATH && word.contains(['/', '\\']) && !word.contains("://")
    });
    for word in words.take(MAX_WORDS) {
        // A line and a column may follow; on Windows a drive comes first.
        let path = word.trim_start_matches("file:");
        let drive = usize::from(path.get(1..2) == Some(":")) * 2;
        let end = path.get(drive..).and_then(|rest| rest.find(':'));
        let path = path
            .get(..end.map_or(path.len(), |end| end + drive))
            .unwrap_or(path);
        let path = Path::new(path);
        // A package that is installed in the project has no lock file of its own.
        let is_installed = path.components().any(|part| {
            [
                "node_modules",
                "site-packages",
                ".venv",
                "venv",
                "target",
                "vendor",
            ]
            .iter()
            .any(|name| part.as_os_str() == *name)
        });
        let bases = [start, root].into_iter().filter(|_| !is_installed);
        let found_at = bases.into_iter().find_map(|base| {
            let path = base.join(path);
            path.is_file().then(|| walk::folder_of(&path)).flatten()
        });
        let Some(folder) = found_at.filter(|folder| folder.starts_with(root)) else {
            continue;
        };
        if folder != start && !found.contains(&folder) {
            found.push(folder);
        }
        if found.len() >= MAX_NAMED {
            break;
        }
    }
    found
}
