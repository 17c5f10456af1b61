//! Turns the lists of what stays and of hosted services (`lists/*.toml`) into constants, so that no program
//! reads them when it starts.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "build/hosted.rs"]
mod hosted;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=lists");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let domains = hosted::domains(Path::new("lists/hosted.toml"))?;
    fs::write(
        out.join("hosted.rs"),
        format!(
            "/// Domains below which customers have names.\nconst HOSTED: &[&str] = &{domains:?};\n"
        ),
    )?;
    fs::write(out.join("keep.rs"), keep(Path::new("lists/keep.toml"))?)?;
    Ok(())
}

/// A constant for each list of the keep-list.
fn keep(file: &Path) -> Result<String, Box<dyn Error>> {
    let lists: BTreeMap<String, Vec<String>> = hosted::parsed(file)?;
    let mut out = String::new();
    for (name, words) in lists {
        writeln!(out, "const {}: &[&str] = &{words:?};", name.to_uppercase())?;
    }
    Ok(out)
}
