//! What lock files say, a reader for each format. They read a text and decide nothing about what is private beyond
//! what the file says.

mod bun;
mod cargo;
mod dotnet;
mod go;
mod gradle;
mod maven;
mod npm;
mod php;
mod pnpm;
mod python;
mod requirements;
mod ruby;
#[cfg(test)]
mod tests;
mod yarn;

use thiserror::Error;

use crate::{
    files::Others,
    package::{Ecosystem, Package},
};

pub(crate) use gradle::without_comments;
pub(crate) use npm::PUBLIC as NPM_HOSTS;
pub(crate) use python::PUBLIC as PYTHON_HOSTS;

/// The most packages of a file.
pub(crate) const MAX_PACKAGES: usize = 50_000;

/// Why a file could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Problem {
    /// It is larger than what is read.
    #[error("is larger than 16 MiB")]
    TooLarge,
    /// It is a folder, a pipe or a device.
    #[error("is not a regular file")]
    NotAFile,
    /// It is not UTF-8, or has a NUL.
    #[error("is not text")]
    NotText,
    /// It cannot be opened.
    #[error("cannot be opened")]
    Unreadable,
    /// It is, or leads, outside of the repository.
    #[error("leads outside of the repository")]
    Outside,
    /// It leads to too many other files.
    #[error("leads to too many files")]
    TooManyFiles,
    /// It has too many packages.
    #[error("has more than 50,000 packages")]
    TooManyPackages,
    /// It has not the form of such a file.
    #[error("does not have the form of such a file")]
    Malformed,
    /// There were too many files.
    #[error("is one of too many files")]
    NotRead,
}

/// Reads a text; `Others` opens the files that it leads to.
type Reader = fn(&str, &mut Others<'_>) -> Result<Vec<Package>, Problem>;

/// How much a file says about what is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// It has what is installed.
    Lock,
    /// It has what the project asks for.
    Manifest,
}

/// A kind of lock file, or a manifest with exact versions.
#[derive(Debug, Clone, Copy)]
pub struct LockFile {
    /// Its file name; a `*` stands for any characters. It may be in a folder: `gradle/libs.versions.toml`.
    pub name: &'static str,
    /// What its packages are.
    pub ecosystem: Ecosystem,
    /// How much it says.
    pub strength: Strength,
    reader: Reader,
}

const fn lock(name: &'static str, ecosystem: Ecosystem, reader: Reader) -> LockFile {
    let strength = Strength::Lock;
    LockFile {
        name,
        ecosystem,
        strength,
        reader,
    }
}

const fn manifest(name: &'static str, ecosystem: Ecosystem, reader: Reader) -> LockFile {
    let strength = Strength::Manifest;
    LockFile {
        strength,
        ..lock(name, ecosystem, reader)
    }
}

/// Every file that is read. Of two lock files of an ecosystem in one folder, changed at the same time, the first
/// counts.
pub const LOCK_FILES: [LockFile; 26] = [
    lock("Cargo.lock", Ecosystem::Cargo, cargo::read),
    lock("package-lock.json", Ecosystem::Npm, npm::read),
    lock("npm-shrinkwrap.json", Ecosystem::Npm, npm::read),
    lock("pnpm-lock.yaml", Ecosystem::Npm, pnpm::read),
    lock("yarn.lock", Ecosystem::Npm, yarn::read),
    lock("bun.lock", Ecosystem::Npm, bun::read),
    // An older version of Bun writes one that is no text.
    lock("bun.lockb", Ecosystem::Npm, |_, _| Err(Problem::NotText)),
    lock("uv.lock", Ecosystem::Pypi, python::read_uv),
    lock("poetry.lock", Ecosystem::Pypi, python::read_poetry),
    lock("pdm.lock", Ecosystem::Pypi, python::read_poetry),
    lock("Pipfile.lock", Ecosystem::Pypi, python::read_pipfile),
    manifest("requirements*.txt", Ecosystem::Pypi, requirements::read),
    lock("go.mod", Ecosystem::Golang, go::read),
    lock("Gemfile.lock", Ecosystem::Gem, ruby::read),
    lock("gems.locked", Ecosystem::Gem, ruby::read),
    lock("composer.lock", Ecosystem::Composer, php::read),
    lock("gradle.lockfile", Ecosystem::Maven, gradle::read_lock),
    manifest(
        "gradle/libs.versions.toml",
        Ecosystem::Maven,
        gradle::read_catalog,
    ),
    manifest("build.gradle", Ecosystem::Maven, gradle::read_script),
    manifest("build.gradle.kts", Ecosystem::Maven, gradle::read_script),
    manifest("pom.xml", Ecosystem::Maven, maven::read),
    lock("packages.lock.json", Ecosystem::Nuget, dotnet::read_lock),
    manifest(
        "Directory.Packages.props",
        Ecosystem::Nuget,
        dotnet::read_project,
    ),
    manifest("*.csproj", Ecosystem::Nuget, dotnet::read_project),
    manifest("*.fsproj", Ecosystem::Nuget, dotnet::read_project),
    manifest("packages.config", Ecosystem::Nuget, dotnet::read_project),
];

impl LockFile {
    /// Returns whether a file with this name is one.
    pub fn is_named(&self, name: &str) -> bool {
        match self.name.split_once('*') {
            Some((begin, end)) => {
                name.len() >= begin.len() + end.len()
                    && name.starts_with(begin)
                    && name.ends_with(end)
            }
            None => self.name == name,
        }
    }

    /// Reads a text of this kind.
    ///
    /// *Errors*: if it has not the form of such a file, or leads to one that cannot be read.
    pub(crate) fn read(
        &self,
        text: &str,
        others: &mut Others<'_>,
    ) -> Result<Vec<Package>, Problem> {
        let packages = (self.reader)(text, others)?;
        match packages.len() > MAX_PACKAGES {
            true => Err(Problem::TooManyPackages),
            false => Ok(packages),
        }
    }
}
