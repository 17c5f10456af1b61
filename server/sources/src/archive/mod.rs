//! Archives, read as streams: nothing is ever unpacked to disk.

mod meter;
mod names;
mod tar;
mod zip;

use std::{fs::File, io::Read as _, path::Path};

use recall_kit_documents::readers::is_readable;

pub(super) use self::tar::walk as walk_tar;
use super::{SourceError, gather::Gather};

/// Bytes that are read to recognize the kind of a file: in a tar archive, the signature is behind the first
/// name.
const HEAD: u64 = 512;
const TAR_MARK: usize = 257;

/// The format of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Zip,
    Tar,
    TarGz,
}

/// Returns the format of an archive; `None` if the file is not an archive.
///
/// The contents decide, unless the file has the name of a document.
///
/// *Errors*: the format is not supported.
pub(super) fn packing(path: &Path, name: &str) -> Result<Option<Packing>, SourceError> {
    if is_readable(name) {
        return Ok(None);
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.map_err(|error| SourceError::unreadable(path, error))?;
    let kinds: [(&[u8], Packing); 3] = [
        (b"PK\x03\x04", Packing::Zip),
        (b"PK\x05\x06", Packing::Zip),
        (b"\x1f\x8b", Packing::TarGz),
    ];
    let others: [(&[u8], &str); 5] = [
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"\x28\xb5\x2f\xfd", "Zstandard"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07", "RAR"),
    ];
    if let Some((_, kind)) = others.iter().find(|(mark, _)| head.starts_with(mark)) {
        return Err(SourceError::ArchiveKind(kind));
    }
    let named_tar = Path::new(name).extension().is_some_and(|e| e == "tar");
    let marked_tar = head
        .get(TAR_MARK..)
        .is_some_and(|at| at.starts_with(b"ustar"));
    Ok(
        match kinds.iter().find(|(mark, _)| head.starts_with(mark)) {
            Some((_, packing)) => Some(*packing),
            None => (named_tar || marked_tar).then_some(Packing::Tar),
        },
    )
}

/// Visits the files of an archive: of a zip in the order of their paths, of a tar in the order of the archive.
pub(super) fn walk(
    packing: Packing,
    path: &Path,
    gather: &mut Gather<'_>,
) -> Result<(), SourceError> {
    let unreadable = |error| SourceError::unreadable(path, error);
    let file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let limit = gather.limits.download_bytes;
    if length > limit {
        let what = "bytes of an archive";
        return Err(SourceError::TooMuch { what, limit });
    }
    match packing {
        Packing::Zip => zip::walk(file, length, gather),
        Packing::Tar => walk_tar(file, gather).map(|_| ()),
        Packing::TarGz => tar::walk_gz(file, gather).map(|_| ()),
    }
}

#[cfg(test)]
mod tests;
