//! The wheel for PyPI: both programs, and the script `recall-kit`, which starts the client.

use anyhow::{Context as _, ensure};

use crate::{
    archive::Entry,
    checksum,
    elf::{Needs, Version},
    release::{LICENCE, LICENCE_FILES, Package, REPOSITORY, Release, SUMMARY},
};

/// The module that finds and starts the programs.
const MODULE: [(&str, &str); 2] = [
    (
        "recall_kit/__init__.py",
        include_str!("../python/__init__.py"),
    ),
    (
        "recall_kit/__main__.py",
        include_str!("../python/__main__.py"),
    ),
];

/// The page of the package.
const README: &str = include_str!("../python/README.md");

/// The libraries that the platform tags of PEP 600 promise on every system.
const PROMISED: [&str; 9] = [
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
];

/// Makes the wheel.
pub(crate) fn package(release: &Release, needs: Option<&Needs>) -> anyhow::Result<Package> {
    let version = &release.version;
    let tag = tag(release, needs)?;
    let (data, info) = (
        format!("recall_kit-{version}.data"),
        format!("recall_kit-{version}.dist-info"),
    );
    let mut entries: Vec<Entry> = MODULE
        .iter()
        .map(|(path, text)| Entry::file(*path, text.as_bytes()))
        .collect();
    entries.extend(release.program_files(&format!("{data}/scripts/")));
    entries.push(Entry::text(format!("{info}/METADATA"), metadata(version)));
    let generator = env!("CARGO_PKG_VERSION");
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: recall-kit-package {generator}\nRoot-Is-Purelib: false\n\
         Tag: py3-none-{tag}\n"
    );
    entries.push(Entry::text(format!("{info}/WHEEL"), wheel));
    let scripts = "[console_scripts]\nrecall-kit = recall_kit.__main__:main\n";
    entries.push(Entry::text(format!("{info}/entry_points.txt"), scripts));
    entries.extend(release.licence_files(&format!("{info}/licenses/"))?);
    // The list of files is the last one, and does not name itself with a checksum.
    let record = format!("{info}/RECORD");
    let listed = record_of(&entries) + &record + ",,\n";
    entries.push(Entry::text(record, listed));
    Ok(Package {
        name: format!("recall_kit-{version}-py3-none-{tag}.whl"),
        about: "PyPI: the wheel for this platform",
        bytes: release.format.zip(&entries)?,
    })
}

/// Returns the platform tag: on glibc, it names the version that the programs need.
fn tag(release: &Release, needs: Option<&Needs>) -> anyhow::Result<String> {
    let wheel = release.platform.wheel;
    if release.platform.libc != Some("glibc") {
        return Ok(wheel.to_owned());
    }
    let needs = needs.context("what the programs need is unknown")?;
    for library in &needs.libraries {
        ensure!(
            PROMISED.contains(&library.as_str()),
            "the programs need {library}, which wheels for Linux must not rely on"
        );
    }
    // A static program runs with any version; the oldest one that a tag can name is 2.17 in practice.
    let (major, minor): Version = needs.glibc.unwrap_or((2, 17));
    Ok(format!("manylinux_{major}_{minor}_{wheel}"))
}

fn metadata(version: &str) -> String {
    let licences = LICENCE_FILES.map(|name| format!("License-File: {name}\n"));
    format!(
        "Metadata-Version: 2.4\nName: recall-kit\nVersion: {version}\nSummary: {SUMMARY}\n\
         Keywords: mcp,agents,memory\nLicense-Expression: {LICENCE}\n{}\
         Project-URL: Homepage, {REPOSITORY}\nProject-URL: Changelog, {REPOSITORY}/blob/main/CHANGELOG.md\n\
         Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{README}",
        licences.concat()
    )
}

fn record_of(entries: &[Entry]) -> String {
    let line = |entry: &Entry| {
        let (checksum, size) = (checksum::base64(&entry.bytes), entry.bytes.len());
        format!("{},sha256={checksum},{size}\n", entry.path)
    };
    entries.iter().map(line).collect()
}
