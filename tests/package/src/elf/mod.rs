//! What a Linux program needs of the system that it runs on: its shared libraries and the version of glibc, read
//! from its ELF file.

use anyhow::{Context as _, bail, ensure};

/// Section types of the ELF format.
const DYNAMIC: u32 = 6;
const VERSIONS_NEEDED: u32 = 0x6fff_fffe;
/// The entry of the dynamic section that names a library.
const NEEDED: u64 = 1;

/// A version of glibc, such as 2.28.
pub(crate) type Version = (u32, u32);

/// What a program needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The shared libraries, in the file's order.
    pub(crate) libraries: Vec<String>,
    /// The newest version of glibc of which it uses a symbol; `None` if it does not use glibc.
    pub(crate) glibc: Option<Version>,
}

impl Needs {
    /// Reads the file of a 64-bit little-endian program.
    pub(crate) fn read(file: &[u8]) -> anyhow::Result<Self> {
        ensure!(
            file.starts_with(b"\x7fELF\x02\x01"),
            "not a 64-bit little-endian ELF file"
        );
        let sections = sections(file).context("the ELF file is cut off or damaged")?;
        let mut needs = Self::default();
        for section in &sections {
            let strings = sections.get(section.link);
            let read = match section.kind {
                DYNAMIC => strings.map(|strings| needs.read_libraries(file, section, strings)),
                VERSIONS_NEEDED => {
                    strings.map(|strings| needs.read_versions(file, section, strings))
                }
                _ => continue,
            };
            if read.flatten().is_none() {
                bail!("the ELF file is cut off or damaged");
            }
        }
        Ok(needs)
    }

    fn read_libraries(&mut self, file: &[u8], section: &Section, strings: &Section) -> Option<()> {
        for entry in section.bytes(file)?.chunks_exact(16) {
            if long(entry, 0)? == NEEDED {
                self.libraries.push(strings.text(file, long(entry, 8)?)?);
            }
        }
        Some(())
    }

    /// Reads the list of libraries, each with the list of its versions that are needed.
    fn read_versions(&mut self, file: &[u8], section: &Section, strings: &Section) -> Option<()> {
        let bytes = section.bytes(file)?;
        let mut library = 0;
        loop {
            let mut version = library + word(bytes, library + 8)? as usize;
            loop {
                let name = strings.text(file, u64::from(word(bytes, version + 8)?))?;
                self.glibc = self.glibc.max(glibc_version(&name));
                match word(bytes, version + 12)? as usize {
                    0 => break,
                    next => version += next,
                }
            }
            match word(bytes, library + 12)? as usize {
                0 => return Some(()),
                next => library += next,
            }
        }
    }
}

/// Parses a name such as `GLIBC_2.28`; `None` for names of other libraries.
fn glibc_version(name: &str) -> Option<Version> {
    let mut numbers = name.strip_prefix("GLIBC_")?.split('.');
    let major = numbers.next()?.parse().ok()?;
    Some((major, numbers.next()?.parse().ok()?))
}

/// A section's header.
struct Section {
    kind: u32,
    offset: usize,
    size: usize,
    /// The number of the section with its strings.
    link: usize,
}

impl Section {
    fn bytes<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        file.get(self.offset..self.offset.checked_add(self.size)?)
    }

    /// Returns the text at an offset of a section of strings.
    fn text(&self, file: &[u8], offset: u64) -> Option<String> {
        let rest = self.bytes(file)?.get(usize::try_from(offset).ok()?..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(rest.get(..end)?).into_owned())
    }
}

fn sections(file: &[u8]) -> Option<Vec<Section>> {
    let start = usize::try_from(long(file, 0x28)?).ok()?;
    let size = usize::from(short(file, 0x3a)?);
    let count = usize::from(short(file, 0x3c)?);
    let mut sections = Vec::new();
    for index in 0..count {
        let header = file.get(start.checked_add(index * size)?..)?;
        sections.push(Section {
            kind: word(header, 4)?,
            offset: usize::try_from(long(header, 0x18)?).ok()?,
            size: usize::try_from(long(header, 0x20)?).ok()?,
            link: word(header, 0x28)? as usize,
        });
    }
    Some(sections)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests;
