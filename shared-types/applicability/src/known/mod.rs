//! Packages that are known by name: what programs import, what people call frameworks, and programs with versions.
//!
//! *Source*: the registries' own pages of the packages; `imports.txt` says where its names stand.

mod imports;
mod packages;
mod registries;
mod tools;

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

pub use self::imports::{Import, imports};
pub(crate) use self::{
    registries::{ecosystem_of, is_vendor},
    tools::is_tool,
};
use crate::{purl::PackageName, subject::Subject};

/// What is known of an ecosystem: names in lower case, and the package of each.
type Table = HashMap<&'static str, PackageName>;

static TABLES: LazyLock<HashMap<&'static str, Table>> = LazyLock::new(|| {
    let mut tables: HashMap<&str, Table> = HashMap::new();
    for (kind, entries) in packages::PACKAGES {
        let table = tables.entry(kind).or_default();
        for entry in entries.split_whitespace() {
            let (names, path) = entry.split_once('=').unwrap_or((entry, entry));
            if let Some(package) = named(kind, path) {
                for name in names.split(',') {
                    table.insert(name, package.clone());
                }
            }
        }
    }
    tables
});

/// Names of several words, and of one word that means a package in every text.
static PHRASES: LazyLock<HashMap<&'static str, Subject>> = LazyLock::new(|| {
    let packages = packages::PHRASES
        .iter()
        .filter_map(|(name, kind, path)| Some((*name, Subject::Package(named(kind, path)?))));
    let tools = tools::PHRASES
        .iter()
        .map(|(name, tool)| (*name, Subject::tool(tool)));
    let systems = tools::SYSTEMS
        .iter()
        .map(|(name, os)| (*name, Subject::os(os)));
    packages.chain(tools).chain(systems).collect()
});

/// Names a package by its path: `react`, `@babel/core`, `org.slf4j/slf4j-api`.
fn named(kind: &str, path: &str) -> Option<PackageName> {
    PackageName::of_familiar(kind, path).ok()
}

/// The packages that everybody knows, from all tables.
static POPULAR: LazyLock<HashSet<PackageName>> = LazyLock::new(|| {
    let of_tables = TABLES.values().flat_map(|table| table.values().cloned());
    let of_imports = imports().flat_map(|import| {
        let packages = import.packages();
        packages.filter_map(move |package| named(import.kind, package))
    });
    of_tables
        .chain(of_imports)
        .chain(registries::packages())
        .collect()
});

/// Returns whether a package is in one of the tables, so that its name tells nothing about who uses it.
pub(crate) fn is_popular(package: &PackageName) -> bool {
    POPULAR.contains(package)
}

/// The first words of names of several words.
static FIRST_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    PHRASES
        .keys()
        .filter_map(|phrase| phrase.split_once(' '))
        .map(|(first, _)| first)
        .collect()
});

/// Returns whether a name of several words starts with a word.
pub(crate) fn starts_name(word: &str) -> bool {
    FIRST_WORDS.contains(word)
}

/// Returns what a name of several words means: "spring boot", "visual studio".
pub(crate) fn name_of_words(words: &str) -> Option<Subject> {
    PHRASES.get(words).cloned()
}

/// Returns whether a name in lower case is that of a package, and also an ordinary word.
pub(crate) fn is_ordinary_name(word: &str) -> bool {
    registries::is_ordinary_name(word) && !TABLES.values().any(|table| table.contains_key(word))
}

/// Returns the package of a name that one ecosystem alone has, even if the name is also an ordinary word.
pub(crate) fn sole_package(word: &str) -> Option<PackageName> {
    registries::sole_package(word)
}

/// Returns the package of a name in lower case: of the text's ecosystem, or of the only one that has it.
pub(crate) fn package(word: &str, ecosystem: Option<&str>) -> Option<PackageName> {
    if let Some(Subject::Package(package)) = PHRASES.get(word) {
        return Some(package.clone());
    }
    let of = |kind: &str| {
        let package = TABLES.get(kind).and_then(|table| table.get(word));
        package.or_else(|| imports::in_prose(kind, word)).cloned()
    };
    if let Some(found) = ecosystem.and_then(of) {
        return Some(found);
    }
    if let Some(found) = ecosystem.and_then(|_| registries::of_ecosystem(word, ecosystem)) {
        return Some(found);
    }
    let mut found = packages::KINDS.iter().filter_map(|kind| of(kind));
    match (found.next(), found.next()) {
        (Some(only), None) => Some(only),
        (Some(_), Some(_)) => None,
        (None, _) => registries::package(word, ecosystem),
    }
}
