//! Schemes of versions: how each kind of package writes and orders its versions.
//!
//! A version is read leniently: `1.13`, `2` and `v1.2` are versions of every scheme. What follows a `+` names a build
//! and does not count. PEP 440 has its own crate; the other schemes become a list of symbols whose order is
//! lexicographic, and therefore total.

mod symbols;
#[cfg(test)]
mod tests;

use std::{cmp::Ordering, str::FromStr};

use recall_kit_shared_types::applicability::applicability_limits::MAX_WORD_CHARS;

use self::symbols::Symbol;

/// How versions are written and ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// Rust crates: semantic versions.
    Cargo,
    /// PHP packages: `1.2.3-beta1`, `1.2.3-p1`.
    Composer,
    /// RubyGems: letters make a pre-release.
    Gem,
    /// Runtimes, programs, and packages of other kinds: numbers, then words with the usual meaning.
    Generic,
    /// Go modules: semantic versions behind a `v`.
    Golang,
    /// Erlang and Elixir packages: semantic versions.
    Hex,
    /// Maven's order of numbers and qualifiers.
    Maven,
    /// npm packages: semantic versions.
    Npm,
    /// NuGet packages: semantic versions with up to four numbers.
    Nuget,
    /// Dart packages: semantic versions.
    Pub,
    /// Python packages: PEP 440.
    Pypi,
}

impl Scheme {
    /// Returns the scheme of a package URL's type; [`Scheme::Generic`] for types without a scheme of their own.
    pub fn of_purl_type(kind: &str) -> Self {
        Self::named(kind).unwrap_or(Self::Generic)
    }

    /// Returns the scheme of this name.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "cargo" => Self::Cargo,
            "composer" => Self::Composer,
            "gem" => Self::Gem,
            "generic" => Self::Generic,
            "golang" => Self::Golang,
            "hex" => Self::Hex,
            "maven" => Self::Maven,
            "npm" => Self::Npm,
            "nuget" => Self::Nuget,
            "pub" => Self::Pub,
            "pypi" => Self::Pypi,
            _ => return None,
        })
    }

    /// Returns the name of the scheme in package URLs and VERS strings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Composer => "composer",
            Self::Gem => "gem",
            Self::Generic => "generic",
            Self::Golang => "golang",
            Self::Hex => "hex",
            Self::Maven => "maven",
            Self::Npm => "npm",
            Self::Nuget => "nuget",
            Self::Pub => "pub",
            Self::Pypi => "pypi",
        }
    }

    /// Returns whether versions `0.x` promise nothing to `0.y`, so that the second number counts as the major one.
    ///
    /// *Source*: Semantic Versioning, item 4; runtimes, programs and systems follow no such rule.
    pub const fn minor_is_major_below_one(self) -> bool {
        !matches!(self, Self::Generic)
    }

    /// Compares two versions; `None` if one of them is no version of this scheme.
    pub fn compare(self, left: &str, right: &str) -> Option<Ordering> {
        Some(Version::parse(self, left)?.cmp_in_scheme(&Version::parse(self, right)?))
    }
}

/// A version that can be compared with others of its scheme.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    /// As it was written, without a leading `v`.
    text: Box<str>,
    key: Key,
}

#[derive(Debug, Clone)]
enum Key {
    Pep440(Box<pep440_rs::Version>),
    Symbols(Box<[Symbol]>),
}

/// How a version lies to the bound of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Below,
    /// A pre-release of the bound itself: before it in order, but of its kind.
    PreRelease,
    At,
    Above,
}

impl Version {
    /// Reads a version; `None` for texts that do not start with a number, or are too long.
    pub(crate) fn parse(scheme: Scheme, text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let text = text.strip_prefix('=').unwrap_or(text);
        if text.len() > MAX_WORD_CHARS || !text.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || ".-_+~!:".contains(c);
        if !text.chars().all(allowed) {
            return None;
        }
        let key = match scheme {
            Scheme::Pypi => Key::Pep440(Box::new(pep440(text)?)),
            _ => Key::Symbols(symbols::of(scheme, text)?.into()),
        };
        Some(Self {
            text: text.into(),
            key,
        })
    }

    /// Returns the version as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Compares two versions of one scheme. Versions of different schemes have an order, too, but without meaning.
    pub(crate) fn cmp_in_scheme(&self, other: &Self) -> Ordering {
        match (&self.key, &other.key) {
            (Key::Pep440(left), Key::Pep440(right)) => left.cmp(right),
            (Key::Symbols(left), Key::Symbols(right)) => left.cmp(right),
            (Key::Pep440(_), Key::Symbols(_)) => Ordering::Less,
            (Key::Symbols(_), Key::Pep440(_)) => Ordering::Greater,
        }
    }

    /// Returns how this version lies to a bound.
    ///
    /// A pre-release of a plain bound is told apart, as package managers do: `2.0rc1` is not `<2.0`. A flavour such as
    /// `31.1-jre` is at the bound `31.1`.
    pub(crate) fn position(&self, bound: &Self) -> Position {
        match self.cmp_in_scheme(bound) {
            Ordering::Equal => Position::At,
            Ordering::Less if self.is_pre_release_of(bound) => Position::PreRelease,
            Ordering::Less => Position::Below,
            Ordering::Greater if self.is_flavour_of(bound) => Position::At,
            Ordering::Greater => Position::Above,
        }
    }

    fn is_pre_release_of(&self, bound: &Self) -> bool {
        match (&self.key, &bound.key) {
            (Key::Pep440(version), Key::Pep440(bound)) => {
                version.any_prerelease()
                    && !bound.any_prerelease()
                    && !bound.is_post()
                    && version.only_release() == bound.only_release()
            }
            (Key::Symbols(version), Key::Symbols(bound)) => {
                symbols::is_pre_release_of(version, bound)
            }
            _ => false,
        }
    }

    fn is_flavour_of(&self, bound: &Self) -> bool {
        match (&self.key, &bound.key) {
            (Key::Symbols(version), Key::Symbols(bound)) => symbols::is_flavour_of(version, bound),
            _ => false,
        }
    }

    /// Returns the numbers at the start, as written: `[1, 9, 0]` of `1.9.0rc1`.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let text = self
            .text
            .split_once('!')
            .map_or(&*self.text, |(_, rest)| rest);
        let mut numbers = Vec::new();
        for part in text.split('.') {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let Ok(number) = part[..digits].parse() else {
                break;
            };
            numbers.push(number);
            if digits < part.len() {
                break;
            }
        }
        numbers
    }

    /// Returns whether it consists of numbers and dots only.
    pub(crate) fn is_plain(&self) -> bool {
        self.text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp_in_scheme(other).is_eq()
    }
}

impl Eq for Version {}

/// Reads a version of PEP 440 without its local part, which no public range names.
fn pep440(text: &str) -> Option<pep440_rs::Version> {
    let public = text.split_once('+').map_or(text, |(public, _)| public);
    let parsed = pep440_rs::Version::from_str(public).ok();
    // Python packages of companies are not always versioned by PEP 440: `1.2.3-final`, `2.0.0_1`.
    parsed.or_else(|| {
        let end = public.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        pep440_rs::Version::from_str(public[..end].trim_end_matches('.')).ok()
    })
}
