//! Archives that are the same whenever and wherever they are made: entries in the order of their paths, one time
//! for all of them, and root as their owner.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    io::{self, Cursor, Write as _},
};

use anyhow::Context as _;
use flate2::{Compression, GzBuilder};
use jiff::{Timestamp, tz::TimeZone};
use tar::{EntryType, Header};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

/// A file of a package.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    /// Its path in the package, with `/`.
    pub(crate) path: String,
    /// What it holds.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Whether it can be run.
    pub(crate) is_program: bool,
}

impl<'a> Entry<'a> {
    /// Makes an entry for a file that is read.
    pub(crate) fn file(path: impl Into<String>, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            is_program: false,
        }
    }

    /// Makes an entry for a text.
    pub(crate) fn text(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self::file(path, text.into().into_bytes())
    }

    /// Makes an entry for a file that is run.
    pub(crate) fn program(path: impl Into<String>, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            is_program: true,
            ..Self::file(path, bytes)
        }
    }

    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// How archives are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    /// The time of every entry. *Unit*: seconds since 1970.
    pub(crate) time: u64,
    /// From 0, not compressed, to 9, the smallest.
    pub(crate) compression: u32,
}

impl Format {
    /// Makes a compressed tar archive of files; package managers create the folders.
    pub(crate) fn tar_gz(self, entries: &[Entry]) -> io::Result<Vec<u8>> {
        self.gzip(&self.tar(entries, &BTreeSet::new())?)
    }

    /// Makes a compressed tar archive with an entry for each folder, and paths that start with `./`.
    pub(crate) fn tar_gz_with_folders(self, entries: &[Entry]) -> io::Result<Vec<u8>> {
        let folders = entries.iter().flat_map(|entry| {
            let ends = entry.path.match_indices('/').map(|(at, _)| at + 1);
            ends.filter_map(|end| entry.path.get(..end))
        });
        let folders = folders.chain([""]).map(|folder| format!("./{folder}"));
        let entries: Vec<Entry> = entries
            .iter()
            .map(|entry| Entry {
                path: format!("./{}", entry.path),
                ..entry.clone()
            })
            .collect();
        self.gzip(&self.tar(&entries, &folders.collect())?)
    }

    fn tar(self, entries: &[Entry], folders: &BTreeSet<String>) -> io::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(Vec::new());
        for folder in folders {
            let mut header = self.header(EntryType::Directory, 0o755, 0)?;
            // `set_path` and `append_data` would take the leading `./` away.
            archive.append(raw_path(&mut header, folder)?, io::empty())?;
        }
        for entry in in_order(entries) {
            let size = entry.bytes.len() as u64;
            let mut header = self.header(EntryType::Regular, entry.mode(), size)?;
            match entry.path.starts_with("./") {
                true => archive.append(raw_path(&mut header, &entry.path)?, &*entry.bytes)?,
                false => archive.append_data(&mut header, &entry.path, &*entry.bytes)?,
            }
        }
        archive.into_inner()
    }

    fn header(self, kind: EntryType, mode: u32, size: u64) -> io::Result<Header> {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(size);
        header.set_mtime(self.time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_username("root")?;
        header.set_groupname("root")?;
        Ok(header)
    }

    /// Compresses bytes, without a name or a time.
    pub(crate) fn gzip(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let level = Compression::new(self.compression);
        let mut writer = GzBuilder::new().write(Vec::new(), level);
        writer.write_all(bytes)?;
        writer.finish()
    }

    /// Makes a zip archive, with the entries in the order given.
    pub(crate) fn zip(self, entries: &[Entry]) -> anyhow::Result<Vec<u8>> {
        let options = SimpleFileOptions::default().last_modified_time(self.zip_time()?);
        let options = match self.compression {
            0 => options.compression_method(CompressionMethod::Stored),
            level => options
                .compression_method(CompressionMethod::Deflated)
                .compression_level(Some(i64::from(level))),
        };
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for entry in entries {
            archive.start_file(&entry.path, options.unix_permissions(entry.mode()))?;
            archive.write_all(&entry.bytes)?;
        }
        Ok(archive.finish()?.into_inner())
    }

    fn zip_time(self) -> anyhow::Result<DateTime> {
        let time = Timestamp::from_second(i64::try_from(self.time)?)?;
        let time = time.to_zoned(TimeZone::UTC);
        let part = |number: i8| u8::try_from(number);
        DateTime::from_date_and_time(
            u16::try_from(time.year())?,
            part(time.month())?,
            part(time.day())?,
            part(time.hour())?,
            part(time.minute())?,
            part(time.second())?,
        )
        .context("zip archives hold times from 1980 to 2107")
    }

    /// Makes an archive in the format of `ar`, with the members in the order given.
    pub(crate) fn ar(self, members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = b"!<arch>\n".to_vec();
        for (name, bytes) in members {
            let (time, size) = (self.time, bytes.len());
            let header = format!(
                "{name:<16}{time:<12}{0:<6}{0:<6}{1:<8}{size:<10}`\n",
                0, "100644"
            );
            archive.extend_from_slice(header.as_bytes());
            archive.extend_from_slice(bytes);
            // Every member starts at an even offset.
            if size % 2 == 1 {
                archive.push(b'\n');
            }
        }
        archive
    }
}

/// Writes a path into a header as it is.
fn raw_path<'h>(header: &'h mut Header, path: &str) -> io::Result<&'h Header> {
    let field = &mut header.as_old_mut().name;
    let too_long = || io::Error::other(format!("too long for an archive: {path}"));
    let place = field.get_mut(..path.len()).ok_or_else(too_long)?;
    place.copy_from_slice(path.as_bytes());
    header.set_cksum();
    Ok(header)
}

fn in_order<'e, 'a>(entries: &'e [Entry<'a>]) -> Vec<&'e Entry<'a>> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    sorted
}

#[cfg(test)]
mod tests;
