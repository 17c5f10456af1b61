//! What texts mention, made so that one look at a package's name tells whether it matters: a project has thousands.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
    sync::LazyLock,
};

use recall_kit_applicability::imports;

use super::{
    mentions::{How, Mentions},
    ordinary_words,
};
use crate::package::{Ecosystem, Package};

/// The table of imports: the name in source code, and the packages in the form in which the registry compares them.
static IMPORTS: LazyLock<Vec<(Ecosystem, &str, Vec<String>)>> = LazyLock::new(|| {
    let imports = imports().filter_map(|import| {
        let ecosystem = Ecosystem::named(import.kind)?;
        let packages = import.packages().map(|name| form(ecosystem, name));
        Some((ecosystem, import.name, packages.collect()))
    });
    imports.collect()
});

/// Returns a name as the table of imports has it.
fn form(ecosystem: Ecosystem, name: &str) -> String {
    match ecosystem {
        Ecosystem::Maven => name.to_owned(),
        ecosystem => ecosystem.normalized(name),
    }
}

/// What texts mention.
pub(crate) struct Wanted {
    pub(super) mentions: Mentions,
    /// The packages that are mentioned by what source code has for them.
    imported: HashMap<(Ecosystem, &'static str), How>,
    /// The keys of everything that is mentioned.
    keys: HashSet<u64, BuildHasherDefault<KeyHasher>>,
}

impl Wanted {
    pub(crate) fn of(texts: &[&str]) -> Self {
        let mentions = Mentions::of(texts);
        let mut imported: HashMap<(Ecosystem, &'static str), How> = HashMap::new();
        for (ecosystem, name, packages) in IMPORTS.iter() {
            let how = match ecosystem {
                Ecosystem::Maven => mentions.has_dotted(name).then_some(How::Word),
                Ecosystem::Composer => mentions.has_long(name).then_some(How::Word),
                _ => mentions.of_name(name),
            };
            let Some(how) = how else { continue };
            for package in packages {
                let best = imported.entry((*ecosystem, package)).or_insert(how);
                *best = how.min(*best);
            }
        }
        let names = mentions
            .names()
            .chain(imported.keys().map(|(_, name)| *name));
        let keys = names.map(|name| Key::of(name).0).collect();
        Self {
            mentions,
            imported,
            keys,
        }
    }

    /// Returns whether a package may be mentioned; of few that are not, too.
    pub(crate) fn may_have(&self, ecosystem: Ecosystem, name: &str) -> bool {
        if self.has(Key::of(name)) {
            return true;
        }
        match ecosystem {
            Ecosystem::Golang => {
                let mut last = name.rsplit('/').take(2);
                last.any(|part| self.has(Key::of(part)))
            }
            Ecosystem::Maven => match name.split_once(':') {
                Some((group, artifact)) => self.may_have_artifact(group, artifact),
                None => false,
            },
            _ => false,
        }
    }

    fn may_have_artifact(&self, group: &str, artifact: &str) -> bool {
        let id = artifact.strip_suffix(".gradle.plugin");
        [Some(artifact), Some(group), id]
            .into_iter()
            .flatten()
            .any(|name| self.has(Key::of(name)))
            || self.has(owner_and_word(group, artifact))
    }

    fn has(&self, key: Key) -> bool {
        self.keys.contains(&key.0)
    }

    /// Returns how a package is mentioned by its own name, or by what source code has for it.
    pub(super) fn how(&self, package: &Package) -> Option<How> {
        let own = self.mentions.of_package(package);
        if self.imported.is_empty() {
            return own;
        }
        let name = form(package.ecosystem, &package.name);
        let imported = self.imported.get(&(package.ecosystem, name.as_str()));
        own.into_iter().chain(imported.copied()).min()
    }

    /// Returns whether a class is mentioned whose name begins with the owner of a group and the first word of an
    /// artifact: `org.apache.struts2.…` is of `org.apache.struts:struts2-core`.
    pub(super) fn has_owner_and_word(&self, group: &str, artifact: &str) -> bool {
        if !self.has(owner_and_word(group, artifact)) {
            return false;
        }
        let owner: Vec<&str> = group.split('.').take(2).collect();
        let word = artifact
            .split('-')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let name = format!("{}.{word}", owner.join(".").to_lowercase());
        !ordinary_words::is_common(&word) && self.mentions.has_dotted(&name)
    }
}

/// Returns the key of the first two parts of a group and the first word of an artifact.
fn owner_and_word(group: &str, artifact: &str) -> Key {
    let word = artifact.split('-').next().unwrap_or_default();
    let owner = group
        .match_indices('.')
        .nth(1)
        .map_or(group.len(), |(at, _)| at);
    let owner = group.get(..owner).unwrap_or_default();
    Key::of(owner).and(".").and(word)
}

/// A number for a name, the same for its spellings: in whatever case, and with `-`, `_` or `.`, also several of them.
///
/// *Source*: the hash function FNV-1a.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key(u64, bool);

impl Key {
    fn of(name: &str) -> Self {
        Self(0xcbf2_9ce4_8422_2325, false).and(name)
    }

    /// Adds a part to the name.
    fn and(self, part: &str) -> Self {
        let Self(mut hash, mut is_separator) = self;
        for byte in part.bytes() {
            let was_separator = is_separator;
            is_separator = matches!(byte, b'-' | b'_' | b'.');
            let byte = match is_separator {
                true if was_separator => continue,
                true => b'-',
                false => byte.to_ascii_lowercase(),
            };
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(hash, is_separator)
    }
}

/// Takes a key for its own hash.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        // The table goes by the highest bits, which a short name leaves alike.
        self.0 = key ^ key.rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    //! Keys are the same for the spellings of a name, and the table of imports is whole.

    use super::*;

    #[test]
    fn spellings_have_one_key() {
        for (one, other) in [
            ("typing_extensions", "Typing-Extensions"),
            ("zope.interface", "zope--interface"),
            ("@Types/node", "@types/node"),
        ] {
            assert_eq!(Key::of(one), Key::of(other), "{one}");
        }
        for (one, other) in [
            ("ab", "ba"),
            ("a-b", "ab"),
            ("react", "react-dom"),
            ("a/b", "a-b"),
        ] {
            assert_ne!(Key::of(one), Key::of(other), "{one}");
        }
        let whole = Key::of("org.apache.struts2");
        assert_eq!(owner_and_word("org.apache.struts", "Struts2-core"), whole);
        assert_eq!(Key::of("org.apache").and(".").and("struts2"), whole);
    }

    #[test]
    fn every_import_is_of_an_ecosystem() {
        assert_eq!(IMPORTS.len(), imports().count());
        assert!(IMPORTS.iter().all(|(_, _, packages)| !packages.is_empty()));
    }
}
