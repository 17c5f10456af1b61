//! Snapshots: the index of one server as a file, from which another server of the same database starts.
//!
//! A snapshot is derived data like the index itself: a starting server checks it, and reads later records,
//! and those it cannot use, from the database. Files in the index folders are never changed in place, only
//! replaced, so hard links to them are a consistent snapshot; it is taken again if a commit came in between.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
};

use tempfile::TempDir;
use uuid::Uuid;

use super::{family::Family, index_folder::FolderUse};

/// The file that lists the parts of an index; it is replaced with every commit.
const META: &str = "meta.json";
/// How often linking is tried.
const TRIES: u32 = 20;
/// Extensions of temporary files that belong to one process.
const TEMPORARY: [&str; 2] = [".lock", ".tmp"];

/// Why there is no snapshot, or why it was not used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A file could not be read or written.
    #[error("cannot read or write the index")]
    File(#[from] io::Error),
    /// There is nothing to save.
    #[error("there is no index at {0}; a running server writes it to disk every few seconds")]
    NoIndex(PathBuf),
    /// The index changes faster than it can be linked.
    #[error("the index keeps changing; try again")]
    Unsteady,
    /// A server uses the folder.
    #[error("{0} is used by a server; stop it, then load again; nothing was changed")]
    InUse(PathBuf),
    /// There is an index already.
    #[error("there is an index at {0} already; --force replaces it")]
    Present(PathBuf),
    /// The file belongs to another database.
    #[error("the snapshot belongs to the database {of:?}, but this one is {this}")]
    OtherDatabase {
        /// The database that the snapshot was made of.
        of: String,
        /// This server's database.
        this: Uuid,
    },
    /// The file is not a snapshot.
    #[error("the file is not a snapshot of an index: {0}")]
    Foreign(&'static str),
}

/// Writes the index of a database as a tar archive; `folder` is the index folder of experiences, beside
/// which the others are. Returns the size of its files in bytes.
///
/// *Errors*: [`SnapshotError`].
pub fn save(folder: &Path, database: Uuid, out: impl Write) -> Result<u64, SnapshotError> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    let mut archive = tar::Builder::new(out);
    let mut bytes = 0;
    let mut found = false;
    for family in Family::ALL {
        let source = family.folder(folder);
        if !source.join(META).exists() {
            continue;
        }
        found = true;
        let linked = link_files(&source, parent)?;
        let name = Path::new(&database.to_string()).join(source.file_name().unwrap_or_default());
        for file in files(linked.path())? {
            let mut opened = File::open(linked.path().join(&file))?;
            bytes += opened.metadata()?.len();
            archive.append_file(name.join(&file), &mut opened)?;
        }
    }
    if !found {
        return Err(SnapshotError::NoIndex(folder.to_owned()));
    }
    archive.into_inner()?.flush()?;
    Ok(bytes)
}

/// Hard-links the files of a folder into a new one, all as of the same commit.
fn link_files(folder: &Path, parent: &Path) -> Result<TempDir, SnapshotError> {
    for _ in 0..TRIES {
        let copy = tempfile::Builder::new()
            .prefix("picture-")
            .tempdir_in(parent)?;
        let before = fs::read(folder.join(META))?;
        let linked = files(folder)?.iter().try_for_each(|file| {
            match fs::hard_link(folder.join(file), copy.path().join(file)) {
                // Removed meanwhile: either not part of the index any more, or the meta file changed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                linked => linked,
            }
        });
        linked?;
        if before == fs::read(folder.join(META))? {
            return Ok(copy);
        }
    }
    Err(SnapshotError::Unsteady)
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = PathBuf::from(entry.file_name());
        let is_temporary = TEMPORARY
            .iter()
            .any(|end| name.to_string_lossy().ends_with(end));
        if entry.file_type()?.is_file() && !is_temporary {
            files.push(name);
        }
    }
    files.sort();
    Ok(files)
}

/// Replaces a database's index by a snapshot, after the whole snapshot was unpacked; `folder` is the
/// index folder of experiences. Returns the number of files.
///
/// *Errors*: [`SnapshotError`]. An invalid snapshot leaves the existing index unchanged.
pub fn load(
    folder: &Path,
    database: Uuid,
    input: impl Read,
    replace: bool,
) -> Result<u64, SnapshotError> {
    let Some(_alone) = FolderUse::alone(folder)? else {
        return Err(SnapshotError::InUse(folder.to_owned()));
    };
    let present = Family::ALL.map(|family| family.folder(folder));
    if !replace && present.iter().any(|folder| folder.join(META).exists()) {
        return Err(SnapshotError::Present(folder.to_owned()));
    }
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let unpacked = tempfile::Builder::new()
        .prefix("unpacked-")
        .tempdir_in(parent)?;
    let name = folder.file_name().unwrap_or_default();
    let count = unpack(&unpacked.path().join(name), database, input)?;
    for target in present {
        let new = unpacked.path().join(target.file_name().unwrap_or_default());
        if target.exists() {
            fs::remove_dir_all(&target)?;
        }
        if new.exists() {
            fs::rename(&new, &target)?;
        }
    }
    Ok(count)
}

/// Unpacks the files of the known folders, and nothing else.
fn unpack(folder: &Path, database: Uuid, input: impl Read) -> Result<u64, SnapshotError> {
    let known = Family::ALL.map(|family| family.folder(folder));
    let mut archive = tar::Archive::new(input);
    let entries = archive
        .entries()
        .map_err(|_| SnapshotError::Foreign("it is not a tar archive"))?;
    let mut count = 0;
    for entry in entries {
        let mut entry =
            entry.map_err(|_| SnapshotError::Foreign("the tar archive is incomplete"))?;
        let path = entry.path()?.into_owned();
        let parts: Option<Vec<&str>> = path.components().map(plain).collect();
        let Some([of, name, file]) = parts.as_deref() else {
            return Err(SnapshotError::Foreign("it contains other files"));
        };
        if *of != database.to_string() {
            return Err(SnapshotError::OtherDatabase {
                of: (*of).to_owned(),
                this: database,
            });
        }
        let target = folder.with_file_name(name);
        if !known.contains(&target) || !entry.header().entry_type().is_file() {
            return Err(SnapshotError::Foreign(
                "it is of another version of the index",
            ));
        }
        fs::create_dir_all(&target)?;
        let mut out = File::create(target.join(file))?;
        io::copy(&mut entry, &mut out)?;
        out.sync_all()?;
        count += 1;
    }
    match count {
        0 => Err(SnapshotError::Foreign("it is empty")),
        count => Ok(count),
    }
}

/// Returns a component of a path if it is a plain name, and not `..` or a root.
fn plain(part: Component<'_>) -> Option<&str> {
    match part {
        Component::Normal(part) => part.to_str(),
        _ => None,
    }
}
