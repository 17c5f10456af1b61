//! `recall-kit-package`: makes the packages that users install, for one platform.

mod archive;
mod checksum;
mod debian;
mod elf;
mod folder;
mod homebrew;
mod npm;
mod platform;
mod programs;
mod release;
mod sbom;
mod wheel;

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::Context as _;
use clap::Parser;

use crate::{
    archive::Format,
    elf::Needs,
    platform::Platform,
    programs::Program,
    release::{Package, Release},
};

const EXAMPLES: &str = "\
Examples:
  cargo run -p recall-kit-package
      builds both programs with the profile dist, and writes the packages to target/packages
  cargo run -p recall-kit-package -- --programs target/release --strip --compression 1
      packages programs that exist, quickly
  cargo run -p recall-kit-package -- --index-only --out collected
      completes a folder with the packages of several platforms";

/// Makes the packages of RecallKit for this platform: an archive, npm packages, a wheel, a Debian package, a
/// Homebrew formula, an SBOM, the installer and SHA256SUMS. The same programs make the same files.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Args {
    /// The folder with both programs; without it, they are built with the profile dist
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// The folder to write to [default: target/packages in the project]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The platform of the programs, which this machine must be able to run [default: this one]
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// The project's folder
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))]
    source: PathBuf,
    /// The time of every file in the packages, in seconds since 1970 [default: that of the latest commit]
    #[arg(long, value_name = "SECONDS", env = "SOURCE_DATE_EPOCH")]
    time: Option<u64>,
    /// How far archives are compressed, from 0 (not at all) to 9
    #[arg(long, value_name = "LEVEL", default_value_t = 9,
        value_parser = clap::value_parser!(u32).range(0..=9))]
    compression: u32,
    /// Strip copies of the programs, which the profile dist has done already
    #[arg(long)]
    strip: bool,
    /// Allow programs that are larger than 20 MB (client) and 60 MB (server)
    #[arg(long)]
    allow_large: bool,
    /// Make no packages; write the formula, the installer and SHA256SUMS for those in the folder
    #[arg(long, conflicts_with_all = ["programs", "strip", "target", "time"])]
    index_only: bool,
}

#[expect(clippy::print_stderr, reason = "the command's messages")]
fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> anyhow::Result<()> {
    let version = version(&args.source)?;
    let out = args.out.clone();
    let out = out.unwrap_or_else(|| args.source.join("target/packages"));
    if args.index_only {
        return folder::write_index(&out, &version);
    }
    let platform = match &args.target {
        Some(target) => Platform::of_target(target)?,
        None => Platform::of_this_program()?,
    };
    let programs = match &args.programs {
        Some(folder) => folder.clone(),
        None => programs::build(&args.source, platform)?,
    };
    let programs = programs::read(&programs, platform, &version, args.strip)?;
    for program in &programs {
        print_size(program.bytes.len(), program.name, "the program");
    }
    if !args.allow_large {
        programs::check_sizes(&programs)?;
    }
    let needs = needs(platform, &programs)?;
    let time = args.time.map_or_else(|| commit_time(&args.source), Ok)?;
    let release = Release {
        version,
        platform,
        root: &args.source,
        programs,
        format: Format {
            time,
            compression: args.compression,
        },
    };
    let mut packages = vec![release.archive()?, sbom::package(&release)?];
    packages.extend(npm::packages(&release)?);
    packages.push(wheel::package(&release, needs.as_ref())?);
    packages.extend(debian::package(&release, needs.as_ref())?);
    folder::write(&out, &packages)?;
    folder::write_index(&out, &release.version)?;
    for Package { name, about, bytes } in &packages {
        print_size(bytes.len(), name, about);
    }
    Ok(())
}

/// Reads the version from the workspace's `Cargo.toml`.
fn version(root: &Path) -> anyhow::Result<String> {
    let path = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let manifest: toml::Table = toml::from_str(&text)?;
    let mut value = manifest.get("workspace");
    for key in ["package", "version"] {
        value = value.and_then(|table| table.get(key));
    }
    let version = value.and_then(toml::Value::as_str);
    Ok(version
        .context("Cargo.toml has no workspace.package.version")?
        .to_owned())
}

/// Returns what both programs need of the system; `None` where that is not read.
fn needs(platform: &Platform, programs: &[Program]) -> anyhow::Result<Option<Needs>> {
    if platform.libc.is_none() {
        return Ok(None);
    }
    let mut all = Needs::default();
    for program in programs {
        let needs = Needs::read(&program.bytes).context(program.name)?;
        all.glibc = all.glibc.max(needs.glibc);
        all.libraries.extend(needs.libraries);
    }
    Ok(Some(all))
}

/// Returns the time of the latest commit. *Unit*: seconds since 1970.
fn commit_time(root: &Path) -> anyhow::Result<u64> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["log", "-1", "--format=%ct"]);
    let unknown = "the time of the latest commit is unknown; name a time with --time";
    let printed = programs::printed(git).context(unknown)?;
    let printed = String::from_utf8(printed)?;
    printed.trim().parse().context(unknown)
}

#[expect(clippy::print_stdout, reason = "the command's answer")]
fn print_size(bytes: usize, name: &str, about: &str) {
    // Rounded to a tenth of a megabyte, upwards.
    let tenths = bytes.div_ceil(100_000);
    println!("{:>6}.{} MB  {name}  ({about})", tenths / 10, tenths % 10);
}

#[cfg(test)]
mod tests;
