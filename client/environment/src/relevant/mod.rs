//! What of a project matters to texts, such as a question, the output of a command and a record: that alone may leave
//! the machine.

mod languages;
mod mentions;
mod ordinary_words;
#[cfg(test)]
mod tests;
mod wanted;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    env::consts,
    path::Path,
};

use recall_kit_shared_types::applicability::{Environment, NamedVersion, PackageVersion};

use crate::{
    package::{Ecosystem, Package},
    printed::{Printed, printed as printed_in},
    project::{Finder, Known, Project},
    public::Held,
};
use mentions::{How, Mentions};
use wanted::Wanted;

/// The most packages of an environment.
const MAX_PACKAGES: usize = 50;
/// The most packages of a group of Maven that one mention of the group stands for.
const MAX_OF_GROUP: usize = 3;

/// The entries of a package that is mentioned.
type Mentioned<'a> = Vec<(How, &'a Known)>;

/// What would leave the machine, and what stays, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disclosure {
    /// What would leave.
    pub environment: Environment,
    /// What stays: how many packages for which reason.
    pub held: BTreeMap<Held, usize>,
    /// The packages that stay because they are private, or may be; never to be sent.
    pub private: Vec<(Package, Held)>,
}

impl Finder {
    /// Returns what of the project of a file or a folder matters to texts, like [`Finder::find_for`] and
    /// [`Project::relevant`], but without reading all of what was kept of the lock files.
    pub fn relevant(&self, start: &Path, texts: &[&str]) -> Environment {
        let wanted = Wanted::of(texts);
        let is_wanted = |ecosystem: Ecosystem, name: &str| wanted.may_have(ecosystem, name);
        let project = self.find_wanted(start, texts, Some(&is_wanted));
        let mentioned = project.mentioned(&wanted);
        project.environment(texts, &mentioned).0
    }
}

impl Project {
    /// Returns what of the project matters to texts: the public packages that they mention, and runtimes, operating
    /// system and architecture if they are about a build or a run.
    pub fn relevant(&self, texts: &[&str]) -> Environment {
        let mentioned = self.mentioned(&Wanted::of(texts));
        self.environment(texts, &mentioned).0
    }

    /// Like [`Project::relevant`], and says what stays, and why.
    pub fn disclosed(&self, texts: &[&str]) -> Disclosure {
        let mentioned = self.mentioned(&Wanted::of(texts));
        let (environment, too_many) = self.environment(texts, &mentioned);
        let mut disclosure = Disclosure {
            environment,
            ..Disclosure::default()
        };
        let mut counted: HashSet<(Ecosystem, &str, Held)> = HashSet::new();
        for (known, how) in self.packages.iter().zip(&mentioned) {
            let package = &known.package;
            let held = match (known.held, how) {
                (Some(held), _) => held,
                (None, None) => Held::NotMentioned,
                (None, Some(_)) => continue,
            };
            if counted.insert((package.ecosystem, &package.name, held)) {
                *disclosure.held.entry(held).or_default() += 1;
                if held.is_private() {
                    disclosure.private.push((package.clone(), held));
                }
            }
        }
        if too_many > 0 {
            disclosure.held.insert(Held::TooMany, too_many);
        }
        disclosure
    }

    /// Returns what of the packages that are mentioned may leave, and of how many there were more than may be sent.
    fn environment(&self, texts: &[&str], mentioned: &[Option<How>]) -> (Environment, usize) {
        let mut printed = Printed::default();
        texts
            .iter()
            .for_each(|text| printed.extend(printed_in(text)));
        let mut languages = languages::of(texts);
        languages.extend(printed.languages());
        let mut public: BTreeMap<String, Mentioned<'_>> = BTreeMap::new();
        for (known, how) in self.packages.iter().zip(mentioned) {
            let Some(how) = how else { continue };
            languages.insert(known.package.ecosystem);
            if known.held.is_none()
                && let Some(purl) = known.package.purl()
            {
                public.entry(purl).or_default().push((*how, known));
            }
        }
        let packages = ranked(public);
        let too_many = packages.len().saturating_sub(MAX_PACKAGES);
        let packages = packages.into_iter().take(MAX_PACKAGES);
        let packages = packages.map(|(purl, all)| PackageVersion {
            purl,
            version: self.version_of(&all, &printed),
        });
        let mut environment = Environment {
            packages: packages.collect(),
            ..Environment::default()
        };
        self.add_platform(&languages, &printed, &mut environment);
        (environment, too_many)
    }

    /// Returns the version of a package: the one that was printed, else that of the nearest file, in which a direct
    /// dependency counts before others. If versions contradict each other, none.
    fn version_of(&self, all: &[(How, &Known)], printed: &Printed) -> Option<String> {
        let (_, first) = all.first()?;
        if let Some(version) = printed.version_of(&first.package) {
            return Some(version);
        }
        let key = |known: &Known| {
            let file = self.files.get(known.file);
            (
                known.package.version.is_none(),
                file.map(|file| (file.rank, file.strength)),
                match known.package.is_direct {
                    Some(true) => 0,
                    None => 1,
                    Some(false) => 2,
                },
            )
        };
        let best = all.iter().map(|(_, known)| key(known)).min()?;
        let all = all.iter().map(|(_, known)| known);
        let mut versions = all.filter(|known| key(known) == best);
        let first = versions.next()?.package.version.clone();
        let is_same = versions.all(|known| known.package.version == first);
        first.filter(|_| is_same)
    }

    /// Adds runtimes, tools and the platform, if the texts are about a build or a run in one of the languages.
    fn add_platform(
        &self,
        languages: &BTreeSet<Ecosystem>,
        printed: &Printed,
        environment: &mut Environment,
    ) {
        environment.runtimes = printed.runtimes.clone();
        environment.tools = printed.tools.clone();
        let names = languages
            .iter()
            .flat_map(|language| languages::runtimes(*language));
        for name in names {
            let runtimes = &mut environment.runtimes;
            let is_known = |all: &[NamedVersion]| all.iter().any(|it| it.name == *name);
            let own = self.runtimes.iter().find(|it| it.name == *name);
            if let Some(own) = own.filter(|_| !is_known(runtimes)) {
                runtimes.push(own.clone());
            }
        }
        if !languages.is_empty() || !environment.is_empty() {
            environment.os = Some(consts::OS.to_owned());
            environment.arch = Some(consts::ARCH.to_owned());
        }
    }

    /// Returns how each package is mentioned.
    fn mentioned(&self, wanted: &Wanted) -> Vec<Option<How>> {
        let mut found: Vec<Option<How>> = vec![None; self.packages.len()];
        let mut groups: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
        for (at, (known, found)) in self.packages.iter().zip(&mut found).enumerate() {
            let package = &known.package;
            if !wanted.may_have(package.ecosystem, &package.name) {
                continue;
            }
            *found = wanted.how(package);
            if let (Ecosystem::Maven, Some((group, artifact))) =
                (package.ecosystem, package.name.split_once(':'))
            {
                groups.entry(group).or_default().push((at, artifact));
            }
        }
        let mut add = |at: usize| {
            if let Some(found) = found.get_mut(at) {
                *found = Some(found.map_or(How::Word, |before| before.min(How::Word)));
            }
        };
        for (group, artifacts) in groups {
            if wanted.mentions.has_dotted(&group.to_lowercase()) {
                of_group(group, &artifacts, &wanted.mentions, &mut add);
            } else {
                let of_owner = artifacts.into_iter();
                let of_owner = of_owner.filter(|(_, it)| wanted.has_owner_and_word(group, it));
                of_owner.for_each(|(at, _)| add(at));
            }
        }
        found
    }
}

/// Sorts packages: the clearest mentions and what the project names itself first.
fn ranked(public: BTreeMap<String, Mentioned<'_>>) -> Vec<(String, Mentioned<'_>)> {
    let mut public: Vec<_> = public.into_iter().collect();
    public.sort_by_cached_key(|(purl, all)| {
        let best = all
            .iter()
            .map(|(how, known)| (*how, known.package.is_direct != Some(true), known.file));
        (best.min(), purl.clone())
    });
    public
}

/// Adds those of a group's artifacts that a class of the group may be from: `org.springframework.web.…` is of
/// `spring-web`. If that is not clear, all of a small group.
fn of_group(
    group: &str,
    artifacts: &[(usize, &str)],
    mentions: &Mentions,
    add: &mut impl FnMut(usize),
) {
    let group = group.to_lowercase();
    let classes: BTreeSet<&str> = mentions.below(&group).collect();
    if classes.is_empty() {
        return;
    }
    let last = group.rsplit('.').next().unwrap_or_default();
    let is_of = |artifact: &str| {
        let words = artifact.split(['-', '.']);
        // The first word is often the name of the project, as in `spring-web`.
        let mut words = words.filter(|word| word.len() > 1 && !last.contains(*word));
        words.any(|word| {
            classes
                .iter()
                .any(|class| class.split('.').take(2).any(|part| part == word))
        })
    };
    let certain: Vec<usize> = artifacts
        .iter()
        .filter(|(_, artifact)| is_of(artifact))
        .map(|(at, _)| *at)
        .collect();
    if !certain.is_empty() {
        certain.into_iter().for_each(add);
        return;
    }
    let names: BTreeSet<&str> = artifacts.iter().map(|(_, artifact)| *artifact).collect();
    let is_small = names.len() <= MAX_OF_GROUP;
    for (at, artifact) in artifacts {
        if is_small || artifact.ends_with("-core") {
            add(*at);
        }
    }
}
