//! The folder with the packages of a release, of one platform or of all: the packages, the formula, the installer
//! and the checksums of everything.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};

use crate::{checksum, homebrew, platform::PLATFORMS, release::Package};

/// The script that downloads, checks and installs an archive.
const INSTALLER: &str = include_str!("../install.sh");

/// The name of the file with the checksums of the others.
const CHECKSUMS: &str = "SHA256SUMS";

/// Writes the packages.
pub(crate) fn write(folder: &Path, packages: &[Package]) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for package in packages {
        replace(&folder.join(&package.name), &package.bytes)?;
    }
    Ok(())
}

/// Writes what names the packages of every platform: the formula, the installer and the checksums.
pub(crate) fn write_index(folder: &Path, version: &str) -> anyhow::Result<()> {
    let mut archives = Vec::new();
    for platform in &PLATFORMS {
        let name = format!("recall-kit-{version}-{}.tar.gz", platform.target);
        if let Ok(bytes) = fs::read(folder.join(name)) {
            archives.push((platform, checksum::hex(&bytes)));
        }
    }
    ensure!(
        !archives.is_empty(),
        "there is no archive of version {version} in {}",
        folder.display()
    );
    if let Some(formula) = homebrew::formula(version, &archives) {
        replace(&folder.join("recall-kit.rb"), formula.as_bytes())?;
    }
    replace(&folder.join("install.sh"), INSTALLER.as_bytes())?;
    let mut lines = String::new();
    for path in files(folder, version)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let checksum = checksum::hex(&fs::read(&path)?);
        lines.push_str(&format!("{checksum}  {name}\n"));
    }
    replace(&folder.join(CHECKSUMS), lines.as_bytes())
}

/// Returns the files of this version, in the order of their names.
fn files(folder: &Path, version: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_of_version = name.contains(&format!("-{version}"))
            || name.contains(&format!("_{version}_"))
            || ["install.sh", "recall-kit.rb"].contains(&&*name);
        if path.is_file() && is_of_version {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Writes a file in one step: whoever reads it finds the old one or the new one.
fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let part = path.with_extension("part");
    let cannot = || format!("cannot write {}", path.display());
    fs::write(&part, bytes).with_context(cannot)?;
    fs::rename(&part, path).with_context(cannot)
}
