//! Each format in several versions, and hostile files.

#![allow(clippy::unwrap_used)]

mod formats;
mod hostile;

use std::{fs, path::Path};

use super::{LOCK_FILES, Problem};
use crate::{files::Others, package::Package};

/// Reads a file of a folder with these files, as if the folder were a repository.
fn read_with(name: &str, files: &[(&str, &str)]) -> Result<Vec<Package>, Problem> {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    read_at(&root, name)
}

fn read_at(root: &Path, name: &str) -> Result<Vec<Package>, Problem> {
    let path = root.join(name);
    let file = path.file_name().unwrap().to_str().unwrap();
    let mut kinds = LOCK_FILES.iter();
    let kind = kinds
        .find(|kind| kind.is_named(file) || name.ends_with(kind.name))
        .unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut others = Others::new(root, path.parent().unwrap());
    kind.read(&text, &mut others)
}

/// Returns the packages as `name version origin direct`, without what is the usual.
fn shown(packages: Result<Vec<Package>, Problem>) -> Vec<String> {
    let packages = packages.unwrap();
    let shown = packages.iter().map(|package| {
        let version = package.version.as_deref().unwrap_or("-");
        let direct = match package.is_direct {
            Some(true) => " direct",
            Some(false) => " transitive",
            None => "",
        };
        let origin = format!("{:?}", package.origin).to_lowercase();
        format!("{} {version} {origin}{direct}", package.name)
    });
    shown.collect()
}

/// Checks what one file says.
fn check(name: &str, text: &str, expected: &[&str]) {
    assert_eq!(
        shown(read_with(name, &[(name, text)])),
        expected,
        "{name}: {text}"
    );
}
