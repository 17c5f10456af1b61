//! Popular packages of each ecosystem, by the name that texts use for them.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use crate::purl::PackageName;

/// The lists, by type of package URL.
const LISTS: [(&str, &str); 8] = [
    ("cargo", include_str!("registries/cargo.txt")),
    ("composer", include_str!("registries/composer.txt")),
    ("gem", include_str!("registries/gem.txt")),
    ("golang", include_str!("registries/golang.txt")),
    ("maven", include_str!("registries/maven.txt")),
    ("npm", include_str!("registries/npm.txt")),
    ("nuget", include_str!("registries/nuget.txt")),
    ("pypi", include_str!("registries/pypi.txt")),
];

/// The shortest name that counts in a text about no ecosystem.
const MIN_NAME: usize = 4;

/// A package of a list.
#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: &'static str,
    path: &'static str,
    /// Whether its name is also an ordinary word.
    ordinary: bool,
}

/// The packages by name in lower case. Of several versions of a Go module, the last one counts.
static ENTRIES: LazyLock<HashMap<String, Vec<Entry>>> = LazyLock::new(|| {
    let mut entries: HashMap<String, Vec<Entry>> = HashMap::with_capacity(3_000);
    for (kind, list) in LISTS {
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            let path = line.trim_end_matches('*');
            let entry = Entry {
                kind,
                path,
                ordinary: line != path,
            };
            let of_name = entries.entry(name_in_prose(kind, path)).or_default();
            of_name.retain(|other| other.kind != kind);
            of_name.push(entry);
        }
    }
    entries
});

/// The vendors of Packagist.
static VENDORS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let composer = LISTS.iter().find(|(kind, _)| *kind == "composer");
    composer
        .iter()
        .flat_map(|(_, list)| list.lines())
        .filter_map(|line| line.split_once('/').map(|(vendor, _)| vendor))
        .collect()
});

/// Returns what prose calls a package: the artifact of Maven, the last part of a Go module's path.
fn name_in_prose(kind: &str, path: &str) -> String {
    let name = match kind {
        "maven" => path.rsplit(':').next(),
        "golang" => {
            let version = |part: &str| {
                part.strip_prefix('v')
                    .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
            };
            path.rsplit('/').find(|part| !version(part))
        }
        _ => None,
    };
    name.unwrap_or(path).to_ascii_lowercase()
}

/// Returns the package of a name in lower case: of the text's ecosystem, or else of the only one that has it, if the
/// name is no ordinary word.
pub(super) fn package(word: &str, ecosystem: Option<&str>) -> Option<PackageName> {
    of_ecosystem(word, ecosystem).or_else(|| named(only(word, ENTRIES.get(word)?)?))
}

/// Returns the package of a name that one ecosystem alone has, even if the name is also an ordinary word.
pub(super) fn sole_package(word: &str) -> Option<PackageName> {
    match ENTRIES.get(word)?.as_slice() {
        [entry] => named(entry),
        _ => None,
    }
}

/// Returns the package of a name in lower case in the text's ecosystem.
pub(super) fn of_ecosystem(word: &str, ecosystem: Option<&str>) -> Option<PackageName> {
    let entries = ENTRIES.get(word)?;
    named(entries.iter().find(|entry| Some(entry.kind) == ecosystem)?)
}

fn named(entry: &Entry) -> Option<PackageName> {
    PackageName::of_familiar(entry.kind, entry.path).ok()
}

/// Goes through the packages of the lists.
pub(super) fn packages() -> impl Iterator<Item = PackageName> {
    let entries = ENTRIES.values().flatten();
    entries.filter_map(named)
}

/// Returns the entry of a name that means one package in every text.
fn only<'e>(word: &str, entries: &'e [Entry]) -> Option<&'e Entry> {
    match entries {
        [entry] if !entry.ordinary && word.len() >= MIN_NAME => Some(entry),
        _ => None,
    }
}

/// The number of marks in [`MARKS`], a power of two.
const MARK_COUNT: usize = 1 << 16;

/// Marks of the names, so that most words of a text need no look-up.
static MARKS: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let mut marks = vec![false; MARK_COUNT];
    for name in ENTRIES.keys() {
        marks[mark(name)] = true;
    }
    marks
});

/// Returns the place of a word's mark: its length, its first three bytes and its last one tell most words apart.
fn mark(word: &str) -> usize {
    let byte = |at: usize| word.as_bytes().get(at).copied().map_or(0, usize::from);
    let last = byte(word.len().saturating_sub(1));
    (word.len() * 0x9e5 + byte(0) * 0x1f3 + byte(1) * 0x3b + byte(2) * 0x7 + last * 0x2b1)
        % MARK_COUNT
}

/// Returns the ecosystem of a name that means one package in every text.
pub(crate) fn ecosystem_of(word: &str) -> Option<&'static str> {
    if word.len() < MIN_NAME || !MARKS[mark(word)] {
        return None;
    }
    only(word, ENTRIES.get(word)?).map(|entry| entry.kind)
}

/// Returns whether a name in lower case is that of a package, and also an ordinary word or a short one.
pub(super) fn is_ordinary_name(word: &str) -> bool {
    ENTRIES
        .get(word)
        .is_some_and(|entries| word.len() < MIN_NAME || entries.iter().any(|entry| entry.ordinary))
}

/// Returns whether Packagist has packages of a vendor.
pub(crate) fn is_vendor(name: &str) -> bool {
    VENDORS.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_name_packages() {
        for (kind, list) in LISTS {
            let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
            assert!(lines.is_sorted(), "{kind}");
            for line in lines {
                let word = name_in_prose(kind, line.trim_end_matches('*'));
                assert!(package(&word, Some(kind)).is_some(), "{kind} {line}");
            }
        }
    }

    #[test]
    fn names_of_several_ecosystems_and_ordinary_words_need_a_hint() {
        let found = |word: &str, kind| package(word, kind).map(|package| package.to_string());
        assert_eq!(
            found("simplejson", None),
            Some("pkg:pypi/simplejson".into())
        );
        assert_eq!(found("bcrypt", None), None);
        assert_eq!(found("bcrypt", Some("gem")), Some("pkg:gem/bcrypt".into()));
        assert_eq!(found("click", None), None);
        assert_eq!(found("click", Some("pypi")), Some("pkg:pypi/click".into()));
        assert_eq!(
            found("spring-security-web", None),
            Some("pkg:maven/org.springframework.security/spring-security-web".into())
        );
    }
}
