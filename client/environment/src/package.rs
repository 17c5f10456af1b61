//! A package as a lock file names it: its ecosystem, its version, and where it comes from.

use recall_kit_applicability::{PackageName, compared_name};

/// The maximum length of a name and of a version; longer ones are none. *Unit*: characters.
const MAX_NAME: usize = 214;
const MAX_VERSION: usize = 64;

/// Where packages of a language are published; the names are the types of package URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ecosystem {
    /// crates.io.
    Cargo,
    /// Packagist.
    Composer,
    /// RubyGems.
    Gem,
    /// Modules of Go.
    Golang,
    /// Maven Central, for Maven and Gradle.
    Maven,
    /// The registry of npm.
    Npm,
    /// NuGet.
    Nuget,
    /// The Python Package Index.
    Pypi,
}

impl Ecosystem {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Cargo,
        Self::Composer,
        Self::Gem,
        Self::Golang,
        Self::Maven,
        Self::Npm,
        Self::Nuget,
        Self::Pypi,
    ];

    /// Returns the type in a package URL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Composer => "composer",
            Self::Gem => "gem",
            Self::Golang => "golang",
            Self::Maven => "maven",
            Self::Npm => "npm",
            Self::Nuget => "nuget",
            Self::Pypi => "pypi",
        }
    }

    /// Returns the ecosystem with this type.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

    /// Returns a name in the form in which the registry compares it.
    pub fn normalized(self, name: &str) -> String {
        match self {
            // Old packages have capitals, and others have the same name without.
            Self::Npm => name.to_owned(),
            ecosystem => compared_name(ecosystem.as_str(), name),
        }
    }
}

/// Where a package comes from, as far as a lock file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// The public registry of its ecosystem, unless the settings of the package manager name another one.
    Registry,
    /// Another registry, or an archive at some address.
    OtherRegistry,
    /// A repository of git or another version control.
    Git,
    /// The project itself, a member of its workspace, a folder or a file.
    Local,
    /// The file does not tell.
    Unknown,
}

/// A package of a lock file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Package {
    /// Where packages of its language are published.
    pub ecosystem: Ecosystem,
    /// Its name: `@scope/name` for npm, `group:artifact` for Maven, `vendor/name` for Composer, the path of a module of
    /// Go.
    pub name: String,
    /// Its version, if it is exact.
    pub version: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether the project names it itself, if the file tells.
    pub is_direct: Option<bool>,
}

impl Package {
    /// Creates a package; `None` if no registry would take the name. A version that is none is left out.
    pub(crate) fn new(
        ecosystem: Ecosystem,
        name: &str,
        version: Option<&str>,
        origin: Origin,
    ) -> Option<Self> {
        let name = name.trim();
        is_name(ecosystem, name).then(|| Self {
            ecosystem,
            name: name.to_owned(),
            version: version.and_then(exact_version),
            origin,
            is_direct: None,
        })
    }

    /// Says whether the project names it itself.
    pub(crate) fn direct(self, is_direct: impl Into<Option<bool>>) -> Self {
        let is_direct = is_direct.into();
        Self { is_direct, ..self }
    }

    /// Returns the name by which it is recognised as the same; `None` if no package can have it.
    pub fn package_name(&self) -> Option<PackageName> {
        PackageName::of_familiar(self.ecosystem.as_str(), &self.name).ok()
    }

    /// Returns its package URL without the version; `None` if no package can have the name.
    pub fn purl(&self) -> Option<String> {
        Some(self.package_name()?.to_string())
    }
}

/// Returns whether a registry of the ecosystem would take the name.
fn is_name(ecosystem: Ecosystem, name: &str) -> bool {
    let is_word = |part: &str| {
        let mut chars = part.chars();
        let is_first = |c: char| c.is_ascii_alphanumeric() || c == '_';
        chars.next().is_some_and(is_first)
            && chars.all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c))
            && !part.contains("..")
    };
    let are_words = |name: &str, separator: char, count: std::ops::RangeInclusive<usize>| {
        count.contains(&name.split(separator).count()) && name.split(separator).all(is_word)
    };
    name.len() <= MAX_NAME
        && match ecosystem {
            Ecosystem::Npm => match name.strip_prefix('@') {
                Some(scoped) => are_words(scoped, '/', 2..=2),
                None => is_word(name),
            },
            Ecosystem::Maven => are_words(name, ':', 2..=2),
            Ecosystem::Composer => are_words(name, '/', 2..=2),
            Ecosystem::Golang => {
                let host = name.split('/').next().unwrap_or_default();
                host.contains('.') && are_words(name, '/', 1..=12)
            }
            _ => is_word(name),
        }
}

/// Returns a version if it has the form of one: digits first, perhaps after a `v`, and nothing but letters, digits and
/// signs.
pub(crate) fn exact_version(version: &str) -> Option<String> {
    let version = version.trim();
    let digits = version.strip_prefix('v').unwrap_or(version);
    let is_version = version.len() <= MAX_VERSION
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && version
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".+-_~!".contains(c));
    is_version.then(|| version.to_owned())
}
