//! The files of a folder, and single files.
//!
//! Links are not followed: a target inside the folder is read at its own path, and a target outside is not part
//! of the source.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use recall_kit_documents::readers::is_readable;

use super::{SkipReason, SourceError, gather::Gather, skip};

/// Ignore files, in order of precedence.
const IGNORE_FILES: [&str; 2] = [".ignore", ".gitignore"];
/// The most bytes of an ignore file that are read.
const MAX_IGNORE_FILE: u64 = 1024 * 1024;

/// Visits the files of a folder in the order of their paths.
pub(super) fn walk(root: &Path, gather: &mut Gather<'_>) -> Result<(), SourceError> {
    let mut walk = Walk {
        root,
        ignores: Vec::new(),
        gather,
    };
    walk.folder(root, "").map(|_| ())
}

/// Visits a single file that the user named: it is not skipped because of its name, unless its format is
/// unknown.
pub(super) fn one_file(
    path: &Path,
    name: &str,
    gather: &mut Gather<'_>,
) -> Result<(), SourceError> {
    if !is_readable(name) {
        gather.skip(name, SkipReason::Unsupported);
        return Ok(());
    }
    let mut file = File::open(path).map_err(|error| SourceError::unreadable(path, error))?;
    let read = gather.read(name, &mut file);
    let read = read.map_err(|error| SourceError::unreadable(path, error))?;
    read.map(|_| ())
}

struct Walk<'a, 'b> {
    root: &'a Path,
    /// The patterns of all folders on the path, two for each folder; the innermost have precedence.
    ignores: Vec<Gitignore>,
    gather: &'a mut Gather<'b>,
}

impl Walk<'_, '_> {
    fn folder(&mut self, folder: &Path, path: &str) -> Result<ControlFlow<()>, SourceError> {
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) if path.is_empty() => return Err(SourceError::unreadable(folder, error)),
            Err(error) => {
                self.unreadable(format!("{path}/"), &error);
                return Ok(ControlFlow::Continue(()));
            }
        };
        let before = self.ignores.len();
        self.ignores
            .extend(IGNORE_FILES.iter().rev().map(|name| patterns(folder, name)));
        let mut flow = ControlFlow::Continue(());
        for entry in entries {
            flow = self.entry(&entry, path)?;
            if flow.is_break() {
                break;
            }
        }
        self.ignores.truncate(before);
        Ok(flow)
    }

    fn entry(&mut self, full: &Path, folder: &str) -> Result<ControlFlow<()>, SourceError> {
        self.gather.count()?;
        let name = full.file_name().unwrap_or_default();
        let path = match folder {
            "" => name.to_string_lossy().into_owned(),
            folder => format!("{folder}/{}", name.to_string_lossy()),
        };
        let go_on = Ok(ControlFlow::Continue(()));
        let metadata = match full.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) => {
                self.unreadable(path, &error);
                return go_on;
            }
        };
        let is_dir = metadata.is_dir();
        let reason = if name.to_str().is_none() {
            Some(SkipReason::Name("is not UTF-8"))
        } else if path.chars().any(char::is_control) {
            Some(SkipReason::Name("has control characters"))
        } else if metadata.is_symlink() {
            Some(self.link(full))
        } else if !is_dir && !metadata.is_file() {
            Some(SkipReason::Special)
        } else if is_dir {
            skip::folder(&path)
        } else {
            None
        };
        let reason = reason.or_else(|| self.ignored(full, is_dir).then_some(SkipReason::Ignored));
        let is_deep = is_dir && path.split('/').count() >= self.gather.limits.depth;
        let reason = reason.or_else(|| is_deep.then_some(SkipReason::TooDeep));
        match reason {
            Some(reason) if is_dir => self.gather.skip(format!("{path}/"), reason),
            Some(reason) => self.gather.skip(path, reason),
            None if is_dir => return self.folder(full, &path),
            None if self.gather.wants_file(&path, metadata.len()) => {
                return self.file(full, &path);
            }
            None => {}
        }
        go_on
    }

    fn file(&mut self, full: &Path, path: &str) -> Result<ControlFlow<()>, SourceError> {
        match open(full).and_then(|mut file| self.gather.read(path, &mut file)) {
            Ok(read) => read,
            Err(error) => {
                self.unreadable(path.to_owned(), &error);
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    /// Decides like git: the innermost file with a matching pattern wins.
    fn ignored(&self, full: &Path, is_dir: bool) -> bool {
        let matched = self
            .ignores
            .iter()
            .rev()
            .map(|file| file.matched(full, is_dir));
        let mut decided = matched.filter(|found| !found.is_none());
        matches!(decided.next(), Some(Match::Ignore(_)))
    }

    fn link(&self, full: &Path) -> SkipReason {
        match full.canonicalize() {
            Ok(target) if target.starts_with(self.root) => SkipReason::Link,
            Ok(_) => SkipReason::LinkOutside,
            Err(error) => SkipReason::Unreadable(error.kind().to_string()),
        }
    }

    fn unreadable(&mut self, path: String, error: &io::Error) {
        let reason = SkipReason::Unreadable(error.kind().to_string());
        self.gather.skip(path, reason);
    }
}

/// Returns the entries of a folder, sorted by name.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

/// Returns the patterns of an ignore file; like in git, invalid lines are ignored.
fn patterns(folder: &Path, name: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    let mut text = Vec::new();
    let path = folder.join(name);
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    if is_file && let Ok(file) = open(&path) {
        // A file that cannot be read ignores nothing.
        file.take(MAX_IGNORE_FILE).read_to_end(&mut text).ok();
    }
    for line in String::from_utf8_lossy(&text).lines() {
        builder.add_line(None, line).ok();
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Opens a file that was not a link when it was checked, and must not have become one since.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use rustix::fs::OFlags;
        // If a pipe has replaced the file, opening it must not block.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
}

#[cfg(test)]
mod tests;
