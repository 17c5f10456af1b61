//! What goes into the packages of one version for one platform.

use std::{fs, path::Path};

use anyhow::Context as _;

use crate::{
    archive::{Entry, Format},
    platform::Platform,
    programs::{Program, SHELLS},
};

/// Where the project lives; the release workflow puts the packages below `releases`.
pub(crate) const REPOSITORY: &str = "https://github.com/recall-kit/recall-kit";

/// One sentence about the project.
pub(crate) const SUMMARY: &str = "Shared memory for AI coding agents";

/// The licence, as an SPDX expression.
pub(crate) const LICENCE: &str = "MIT OR Apache-2.0";

/// The texts of the licences, and of what the programs contain that others made.
pub(crate) const LICENCE_FILES: [&str; 4] =
    ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE.md"];

/// Everything that packages are made of.
pub(crate) struct Release<'a> {
    /// The version, without a `v`.
    pub(crate) version: String,
    /// What the programs run on.
    pub(crate) platform: &'static Platform,
    /// The project's files.
    pub(crate) root: &'a Path,
    /// The programs.
    pub(crate) programs: Vec<Program>,
    /// How archives are written.
    pub(crate) format: Format,
}

/// A finished package.
pub(crate) struct Package {
    /// The name of its file.
    pub(crate) name: String,
    /// What it is, for people.
    pub(crate) about: &'static str,
    /// The file.
    pub(crate) bytes: Vec<u8>,
}

impl Release<'_> {
    /// Returns the name of the archive, without its suffix.
    pub(crate) fn name(&self) -> String {
        format!("recall-kit-{}-{}", self.version, self.platform.target)
    }

    /// Reads a file of the project.
    pub(crate) fn read(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let path = self.root.join(name);
        fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Returns the programs as entries below a folder.
    pub(crate) fn program_files(&self, folder: &str) -> Vec<Entry<'_>> {
        let mut files = Vec::new();
        for program in &self.programs {
            let name = self.platform.file_name(program.name);
            let path = format!("{folder}{name}");
            files.push(Entry::program(path, program.bytes.as_slice()));
        }
        files
    }

    /// Returns the texts of the licences as entries below a folder.
    pub(crate) fn licence_files(&self, folder: &str) -> anyhow::Result<Vec<Entry<'static>>> {
        let entry = |name| {
            let path = format!("{folder}{name}");
            Ok(Entry::file(path, self.read(name)?))
        };
        LICENCE_FILES.into_iter().map(entry).collect()
    }

    /// Makes the archive with both programs, their pages, scripts and licences.
    pub(crate) fn archive(&self) -> anyhow::Result<Package> {
        let name = self.name();
        let folder = format!("{name}/");
        let mut entries = self.program_files(&folder);
        entries.extend(self.licence_files(&folder)?);
        for text in ["CHANGELOG.md", "README.md"] {
            entries.push(Entry::file(format!("{folder}{text}"), self.read(text)?));
        }
        for program in &self.programs {
            for (page, bytes) in &program.pages {
                entries.push(Entry::file(format!("{folder}man/{page}"), bytes.as_slice()));
            }
            for ((_, file), script) in SHELLS.iter().zip(&program.completions) {
                let file = file.replace("{}", program.name);
                let path = format!("{folder}completions/{file}");
                entries.push(Entry::file(path, script.as_slice()));
            }
        }
        Ok(Package {
            name: format!("{name}.tar.gz"),
            about: "both programs, manual pages, completions",
            bytes: self.format.tar_gz(&entries)?,
        })
    }
}
