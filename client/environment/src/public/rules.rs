//! Which packages of a lock file are private, and why.

use std::collections::{BTreeMap, HashSet};

use super::{ProjectFolder, cargo, dotnet, go, java, npm, owners, php, python, ruby};
use crate::package::{Ecosystem, Origin, Package};

/// Why a package stays on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Held {
    /// It comes from another registry or archive than the public registry.
    OtherRegistry,
    /// It comes from a repository.
    Git,
    /// It belongs to the project or its workspace, or is a folder or a file.
    Local,
    /// The settings of the package manager name another registry, or cannot be read.
    Settings,
    /// Its scope, group or owner has private packages, or is not known to be public.
    Owner,
    /// It is not known where it comes from.
    Unknown,
    /// The text does not mention it.
    NotMentioned,
    /// There were more than may be sent.
    TooMany,
}

impl Held {
    /// Returns why a package from there is private; `None` if it is from the public registry.
    pub(crate) const fn of_origin(origin: Origin) -> Option<Self> {
        match origin {
            Origin::Registry => None,
            Origin::OtherRegistry => Some(Self::OtherRegistry),
            Origin::Git => Some(Self::Git),
            Origin::Local => Some(Self::Local),
            Origin::Unknown => Some(Self::Unknown),
        }
    }

    /// Returns a word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OtherRegistry => "other_registry",
            Self::Git => "git",
            Self::Local => "local",
            Self::Settings => "settings",
            Self::Owner => "owner",
            Self::Unknown => "unknown",
            Self::NotMentioned => "not_mentioned",
            Self::TooMany => "too_many",
        }
    }

    /// Returns whether the package is private, or may be.
    pub const fn is_private(self) -> bool {
        !matches!(self, Self::NotMentioned | Self::TooMany)
    }
}

/// The rules for the packages of the lock files of one folder.
pub(crate) struct Rules<'a> {
    surroundings: ProjectFolder<'a>,
    redirected: BTreeMap<Ecosystem, bool>,
    /// The patterns of private modules of Go.
    modules: Vec<String>,
    /// The names and the scopes for which settings have sources of their own.
    sources: HashSet<String>,
}

impl<'a> Rules<'a> {
    /// Reads the settings for these ecosystems.
    pub(crate) fn new(
        surroundings: ProjectFolder<'a>,
        ecosystems: impl Iterator<Item = Ecosystem>,
    ) -> Self {
        let mut rules = Self {
            surroundings,
            redirected: BTreeMap::new(),
            modules: Vec::new(),
            sources: HashSet::new(),
        };
        for ecosystem in ecosystems {
            if rules.redirected.contains_key(&ecosystem) {
                continue;
            }
            let is_redirected = match ecosystem {
                Ecosystem::Cargo => cargo::is_replaced(&surroundings),
                Ecosystem::Composer => php::is_redirected(&surroundings),
                Ecosystem::Gem => ruby::is_redirected(&surroundings),
                Ecosystem::Golang => match go::private(&surroundings) {
                    Some(modules) => {
                        rules.modules = modules;
                        false
                    }
                    None => true,
                },
                Ecosystem::Maven => java::is_redirected(&surroundings),
                Ecosystem::Npm => {
                    rules.sources.extend(npm::private_scopes(&surroundings));
                    npm::is_redirected(&surroundings)
                }
                Ecosystem::Nuget => dotnet::is_redirected(&surroundings),
                Ecosystem::Pypi => {
                    let sources = python::private_in_manifest(&surroundings);
                    rules.sources.extend(sources);
                    python::is_redirected(&surroundings)
                }
            };
            rules.redirected.insert(ecosystem, is_redirected);
        }
        rules
    }

    /// Returns why a package is private; `None` if it is certainly public.
    pub(crate) fn held(&self, package: &Package) -> Option<Held> {
        if let Some(held) = Held::of_origin(package.origin) {
            return Some(held);
        }
        // Without having read the settings it is not known.
        if self.redirected.get(&package.ecosystem) != Some(&false) {
            return Some(Held::Settings);
        }
        let is_public = match package.ecosystem {
            Ecosystem::Npm => {
                let scope = package.name.split('/').next().unwrap_or_default();
                owners::is_public_scope(&package.name) && !self.sources.contains(scope)
            }
            Ecosystem::Golang => go::is_public(&package.name, &self.modules),
            Ecosystem::Maven => java::is_public(&self.surroundings, package),
            Ecosystem::Pypi => {
                let name = package.ecosystem.normalized(&package.name);
                !self.sources.contains(&name)
            }
            _ => true,
        };
        (!is_public).then_some(Held::Owner)
    }
}
