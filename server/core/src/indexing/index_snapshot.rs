//! The index of one server as a file, from which another server of the same database starts.
//!
//! Derived data like the index itself: a start checks what it finds, and reads from the database what
//! came later or cannot be used. Nothing in the folders is ever changed in place, only replaced, so
//! links to their files are a picture of one moment; it is taken again when a commit came in between.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
};

use tempfile::TempDir;
use uuid::Uuid;

use super::{family::Family, index_folder::FolderUse};
use crate::app::folder_of;

/// The file that says what an index consists of; it is replaced with every commit.
const META: &str = "meta.json";
/// How often the picture is taken again.
const TRIES: u32 = 20;
/// Files that are some process's alone.
const PASSING: [&str; 2] = [".lock", ".tmp"];

/// Why there is no snapshot, or why it was not used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A file could not be read or written.
    #[error("cannot read or write the index")]
    File(#[from] io::Error),
    /// There is nothing to save.
    #[error("there is no index at {0}; a server that runs writes it down every few seconds")]
    NoIndex(PathBuf),
    /// The index changes faster than it can be linked.
    #[error("the index changes all the time; try again")]
    Unsteady,
    /// Somebody uses the folder.
    #[error("{0} is used by a server; stop it, then load again; nothing was changed")]
    InUse(PathBuf),
    /// An index is there already.
    #[error("there is an index at {0} already; --force replaces it")]
    Present(PathBuf),
    /// The file belongs to another database.
    #[error("the snapshot is of the index of the database {of:?}, this one is {this}")]
    OtherDatabase {
        /// The database that the snapshot was made of.
        of: String,
        /// This server's database.
        this: Uuid,
    },
    /// The file is no snapshot.
    #[error("the file is no snapshot of an index: {0}")]
    Foreign(&'static str),
}

/// Writes the index of a database; `folder` is that of experiences, beside which the others are.
/// Returns how many bytes its files have.
///
/// *Errors*: [`SnapshotError`].
pub fn save(folder: &Path, database: Uuid, out: impl Write) -> Result<u64, SnapshotError> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    let mut archive = tar::Builder::new(out);
    let mut bytes = 0;
    let mut found = false;
    for family in Family::ALL {
        let of_family = folder_of(family, folder);
        if !of_family.join(META).exists() {
            continue;
        }
        found = true;
        let picture = picture(&of_family, parent)?;
        let name = Path::new(&database.to_string()).join(of_family.file_name().unwrap_or_default());
        for file in files(picture.path())? {
            let mut opened = File::open(picture.path().join(&file))?;
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

/// Links the files of a folder into a new one, all as of one moment.
fn picture(folder: &Path, parent: &Path) -> Result<TempDir, SnapshotError> {
    for _ in 0..TRIES {
        let picture = tempfile::Builder::new()
            .prefix("picture-")
            .tempdir_in(parent)?;
        let before = fs::read(folder.join(META))?;
        let linked = files(folder)?.iter().try_for_each(|file| {
            match fs::hard_link(folder.join(file), picture.path().join(file)) {
                // Removed meanwhile: no part of what is there now, or the meta file shows it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                linked => linked,
            }
        });
        linked?;
        if before == fs::read(folder.join(META))? {
            return Ok(picture);
        }
    }
    Err(SnapshotError::Unsteady)
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = PathBuf::from(entry.file_name());
        let is_passing = PASSING
            .iter()
            .any(|end| name.to_string_lossy().ends_with(end));
        if entry.file_type()?.is_file() && !is_passing {
            files.push(name);
        }
    }
    files.sort();
    Ok(files)
}

/// Puts a snapshot in the place of a database's index, whole or not at all; `folder` is that of
/// experiences. Returns how many files there were.
///
/// *Errors*: [`SnapshotError`]; the index that was there, if any, is as it was.
pub fn load(
    folder: &Path,
    database: Uuid,
    input: impl Read,
    replace: bool,
) -> Result<u64, SnapshotError> {
    let Some(_alone) = FolderUse::alone(folder)? else {
        return Err(SnapshotError::InUse(folder.to_owned()));
    };
    let present = Family::ALL.map(|family| folder_of(family, folder));
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
        let made = unpacked.path().join(target.file_name().unwrap_or_default());
        if target.exists() {
            fs::remove_dir_all(&target)?;
        }
        if made.exists() {
            fs::rename(&made, &target)?;
        }
    }
    Ok(count)
}

/// Unpacks the files of the known folders, and nothing else.
fn unpack(folder: &Path, database: Uuid, input: impl Read) -> Result<u64, SnapshotError> {
    let known = Family::ALL.map(|family| folder_of(family, folder));
    let mut archive = tar::Archive::new(input);
    let entries = archive
        .entries()
        .map_err(|_| SnapshotError::Foreign("it is no tar archive"))?;
    let mut count = 0;
    for entry in entries {
        let mut entry = entry.map_err(|_| SnapshotError::Foreign("it is no whole tar archive"))?;
        let path = entry.path()?.into_owned();
        let parts: Option<Vec<&str>> = path.components().map(plain).collect();
        let Some([of, name, file]) = parts.as_deref() else {
            return Err(SnapshotError::Foreign("it holds other files too"));
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

/// Returns a part of a path that leads nowhere else.
fn plain(part: Component<'_>) -> Option<&str> {
    match part {
        Component::Normal(part) => part.to_str(),
        _ => None,
    }
}
