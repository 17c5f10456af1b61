//! The programs that are packaged: built or taken from a folder, stripped if asked, and measured; and the pages and
//! scripts that they print.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail, ensure};

use crate::platform::Platform;

/// A program and how large it may be. *Unit*: bytes.
pub(crate) const PROGRAMS: [(&str, u64); 2] = [
    ("recall-kit-client", 20_000_000),
    ("recall-kit-server", 60_000_000),
];

/// The shells that completion scripts are made for, and how their files are named.
pub(crate) const SHELLS: [(&str, &str); 4] = [
    ("bash", "{}.bash"),
    ("fish", "{}.fish"),
    ("powershell", "_{}.ps1"),
    ("zsh", "_{}"),
];

/// A program with what it prints about itself.
pub(crate) struct Program {
    /// Its name, without the platform's suffix.
    pub(crate) name: &'static str,
    /// The file.
    pub(crate) bytes: Vec<u8>,
    /// The manual pages by file name, in order.
    pub(crate) pages: Vec<(String, Vec<u8>)>,
    /// The completion scripts, in the order of [`SHELLS`].
    pub(crate) completions: Vec<Vec<u8>>,
}

/// Builds both programs with the profile `dist`, and returns their folder.
pub(crate) fn build(root: &Path, platform: &Platform) -> anyhow::Result<PathBuf> {
    let mut cargo = cargo(root);
    cargo.args(["build", "--profile", "dist", "--locked"]);
    cargo.args([
        "--package",
        "recall-kit-server",
        "--package",
        "recall-kit-cli",
    ]);
    let is_other = platform != Platform::of_this_program()?;
    if is_other {
        cargo.args(["--target", platform.target]);
    }
    let status = cargo.status().context("cannot start cargo")?;
    ensure!(status.success(), "the programs could not be built");
    let mut metadata = self::cargo(root);
    metadata.args(["metadata", "--format-version", "1", "--no-deps"]);
    let metadata: serde_json::Value = serde_json::from_slice(&printed(metadata)?)?;
    let target = metadata["target_directory"].as_str().unwrap_or("target");
    let mut folder = PathBuf::from(target);
    if is_other {
        folder.push(platform.target);
    }
    Ok(folder.join("dist"))
}

/// Reads the programs of a folder, and checks that they are of this version.
pub(crate) fn read(
    folder: &Path,
    platform: &Platform,
    version: &str,
    strip: bool,
) -> anyhow::Result<Vec<Program>> {
    let work = tempfile::tempdir()?;
    let mut programs = Vec::new();
    for (name, _) in PROGRAMS {
        let file_name = platform.file_name(name);
        let mut file = folder.join(&file_name);
        ensure!(file.is_file(), "there is no {}", file.display());
        if strip {
            let copy = work.path().join(&file_name);
            let mut strip = Command::new("strip");
            strip.arg("-o").arg(&copy).arg(&file);
            printed(strip)?;
            file = copy;
        }
        let told = ask(&file, &["--version"])?;
        let told = String::from_utf8_lossy(&told);
        ensure!(
            told.trim() == format!("{name} {version}"),
            "{} is {}, and Cargo.toml says {version}",
            file.display(),
            told.trim()
        );
        let pages = work.path().join(format!("{name}-pages"));
        ask(&file, &["man", &pages.to_string_lossy()])?;
        let scripts = SHELLS
            .iter()
            .map(|(shell, _)| ask(&file, &["completions", shell]));
        programs.push(Program {
            name,
            pages: files(&pages)?,
            completions: scripts.collect::<Result<_, _>>()?,
            bytes: fs::read(&file).with_context(|| file.display().to_string())?,
        });
    }
    Ok(programs)
}

/// Fails if a program is larger than it may be.
pub(crate) fn check_sizes(programs: &[Program]) -> anyhow::Result<()> {
    for (program, (name, limit)) in programs.iter().zip(PROGRAMS) {
        let size = program.bytes.len() as u64;
        if size > limit {
            bail!(
                "{name} has {size} bytes, and the limit is {limit}: find out why, or allow it with \
                 --allow-large"
            );
        }
    }
    Ok(())
}

/// Prepares a run of the cargo that runs this program.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// Runs a command and returns what it prints.
pub(crate) fn printed(mut command: Command) -> anyhow::Result<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot start {name}"))?;
    ensure!(
        output.status.success(),
        "{name} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(output.stdout)
}

fn ask(program: &Path, args: &[&str]) -> anyhow::Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(args);
    printed(command)
}

/// Reads the files of a folder, in the order of their names.
fn files(folder: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push((name, fs::read(entry.path())?));
    }
    found.sort();
    Ok(found)
}
