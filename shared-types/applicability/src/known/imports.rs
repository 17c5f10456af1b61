//! The table of names in source code for packages with other names. The client looks for all packages of a name among
//! those that are installed; a text means the first.

use std::{collections::HashMap, sync::LazyLock};

use crate::purl::PackageName;

const TABLE: &str = include_str!("imports.txt");

/// A name in source code, and the packages that it may be from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import {
    /// The type of the packages in package URLs.
    pub kind: &'static str,
    /// The name in lower case: of a module, of a Java package, of a namespace, or a common spelling.
    pub name: &'static str,
    packages: &'static str,
    /// Whether texts use the name as that of the first package.
    is_in_prose: bool,
}

impl Import {
    /// Goes through the packages as people of their ecosystem write them, the usual one first.
    pub fn packages(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.packages.split_whitespace()
    }
}

/// Goes through the names that source code has for packages with other names.
pub fn imports() -> impl Iterator<Item = Import> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (kind, rest) = line.split_once(' ')?;
        let (name, packages) = rest.split_once(' ')?;
        Some(Import {
            kind,
            name: name.strip_prefix('+').unwrap_or(name),
            packages,
            is_in_prose: name.starts_with('+'),
        })
    })
}

/// The names that texts use for packages, by ecosystem.
static IN_PROSE: LazyLock<HashMap<&'static str, super::Table>> = LazyLock::new(|| {
    let mut tables: HashMap<&str, super::Table> = HashMap::new();
    for import in imports().filter(|import| import.is_in_prose) {
        let package = import.packages().next();
        let package =
            package.and_then(|package| PackageName::of_familiar(import.kind, package).ok());
        if let Some(package) = package {
            tables
                .entry(import.kind)
                .or_default()
                .insert(import.name, package);
        }
    }
    tables
});

/// Returns the package of an import that prose uses as its name, as it does `cv2`, but not `git` or `serial`.
pub(super) fn in_prose(kind: &str, word: &str) -> Option<&'static PackageName> {
    IN_PROSE.get(kind)?.get(word)
}

#[cfg(test)]
mod tests {
    //! The table names packages, each name once.

    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_table_names_packages_each_import_once() {
        let mut seen = HashSet::new();
        for import in imports() {
            assert!(seen.insert((import.kind, import.name)), "{import:?}");
            assert_eq!(import.name, import.name.to_lowercase());
            assert!(import.packages().next().is_some(), "{import:?}");
            for package in import.packages() {
                let name = PackageName::of_familiar(import.kind, package);
                assert!(name.is_ok(), "{import:?}: {package}");
            }
        }
        assert!(seen.len() >= 350, "{}", seen.len());
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(seen.len(), lines.count(), "every line is read");
    }

    #[test]
    fn a_text_means_the_usual_package_and_only_of_marked_names() {
        let check = |kind, word, expected: Option<&str>| {
            let found = in_prose(kind, word).map(ToString::to_string);
            assert_eq!(found.as_deref(), expected, "{kind} {word}");
        };
        check("pypi", "cv2", Some("pkg:pypi/opencv-python"));
        check("pypi", "git", None);
        check(
            "maven",
            "org.apache.logging.log4j",
            Some("pkg:maven/org.apache.logging.log4j/log4j-core"),
        );
        check("cargo", "md5", None);
    }
}
