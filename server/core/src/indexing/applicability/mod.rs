//! Where experiences apply, in memory: read once at start, and updated when texts are read or outcomes reported, here or
//! by another process. Searches place experiences by how they fit the environment of the one who asks.

pub(crate) mod reading;

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, AtomicU64},
    },
};

use recall_kit_applicability::{
    Claims, Fitness, Judgement, PackageName, Subject, Surroundings, Vocabulary, judge, verdict,
};
use recall_kit_search::{Certainty, Fit};
use recall_kit_shared_types::applicability::Verdict;
use recall_kit_store::{Store, StoreError, StoredApplicability};
use uuid::Uuid;

/// Rows read from the database at once.
const BATCH: u32 = 5_000;
/// How often records must use a name before it is one in other texts.
const USES_MIN: u32 = 2;

/// The factor on the closeness of an experience that applies.
const APPLIES: f32 = 1.08;
/// The factor if it is about another version with the same major version.
const SAME_MAJOR: f32 = 0.88;
/// The factor if it is about another version.
const OTHER_VERSION: f32 = 0.80;
/// The factor if it is about another operating system or architecture.
const OTHER_PLATFORM: f32 = 0.85;
/// The factor if it is known not to work there.
const CONTRADICTED: f32 = 0.6;

/// Where all experiences apply of which that is known.
#[derive(Default)]
pub struct Applicabilities {
    known: RwLock<Known>,
    /// The revision up to which the rows of all processes are known.
    revision: Mutex<u64>,
    /// Locked while texts are read, see [`reading`].
    reading: tokio::sync::Mutex<()>,
    /// The `seq` up to which the texts are known to be read.
    read_up_to: AtomicU64,
    /// Whether many texts are left, as after an upgrade.
    is_behind: AtomicBool,
}

#[derive(Default)]
struct Known {
    /// The claims of each experience, and their revision.
    claims: HashMap<Uuid, (u64, Arc<Claims>)>,
    /// The packages of all claims by the last part of their names.
    names: HashMap<String, Name>,
}

/// A name that records use for a package.
struct Name {
    /// `None` for a name of several packages.
    package: Option<PackageName>,
    /// How many records use it; one alone could give any word a meaning.
    uses: u32,
}

/// The claims of an experience, and their revision.
type Compiled = (Uuid, u64, Claims);

fn compiled(stored: &StoredApplicability) -> Compiled {
    let all = stored.applies.iter().chain(&stored.observed);
    (stored.experience, stored.revision, Claims::read_known(all))
}

/// Returns the packages that claims are about.
fn packages(claims: &Claims) -> BTreeSet<PackageName> {
    let packages = claims.iter().filter_map(|claim| match &claim.subject {
        Subject::Package(package) => Some(package.clone()),
        _ => None,
    });
    packages.collect()
}

impl Known {
    fn put(&mut self, (experience, revision, claims): Compiled) {
        let before = self.claims.get(&experience);
        let before = before.map_or_else(BTreeSet::new, |(_, claims)| packages(claims));
        // Each experience counts once, however often it is read.
        for package in &packages(&claims) - &before {
            self.learn(&package);
        }
        let new = (revision, Arc::new(claims));
        match self.claims.entry(experience) {
            Entry::Vacant(entry) => {
                entry.insert(new);
            }
            // What is read at the same time arrives here in any order.
            Entry::Occupied(mut entry) => {
                if entry.get().0 <= revision {
                    entry.insert(new);
                }
            }
        }
    }

    fn learn(&mut self, package: &PackageName) {
        match self.names.entry(package.name().to_lowercase()) {
            Entry::Vacant(entry) => {
                entry.insert(Name {
                    package: Some(package.clone()),
                    uses: 1,
                });
            }
            Entry::Occupied(mut entry) => {
                let name = entry.get_mut();
                name.uses = name.uses.saturating_add(1);
                if name.package.as_ref().is_some_and(|known| known != package) {
                    name.package = None;
                }
            }
        }
    }
}

impl Vocabulary for Known {
    fn package(&self, name: &str) -> Option<PackageName> {
        let name = self.names.get(&name.to_lowercase())?;
        name.package.clone().filter(|_| name.uses >= USES_MIN)
    }
}

impl Applicabilities {
    /// Reads the rows that changed since the last time: at first all.
    ///
    /// *Errors*: those of the database.
    pub(crate) async fn refresh(&self, store: &dyn Store) -> Result<(), StoreError> {
        let mut revision = *self.revision();
        loop {
            let batch = store.applicability_after(revision, BATCH).await?;
            let Some(last) = batch.last() else {
                return Ok(());
            };
            revision = last.revision;
            let compiled: Vec<Compiled> = batch.iter().map(compiled).collect();
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            compiled.into_iter().for_each(|one| known.put(one));
            drop(known);
            let mut read_up_to = self.revision();
            *read_up_to = (*read_up_to).max(revision);
        }
    }

    /// Runs a function with the names of packages that are known.
    pub(crate) fn with_vocabulary<T>(&self, run: impl FnOnce(&dyn Vocabulary) -> T) -> T {
        run(&*self.read())
    }

    /// Returns where an experience applies; `None` if nothing is known.
    pub fn claims(&self, id: Uuid) -> Option<Arc<Claims>> {
        let known = self.read();
        let (_, claims) = known.claims.get(&id)?;
        (!claims.is_empty()).then(|| Arc::clone(claims))
    }

    /// Says how an experience fits an environment; `None` if nothing is known of where it applies.
    pub fn judge(&self, id: Uuid, surroundings: &Surroundings) -> Option<Judgement> {
        Some(judge(self.claims(id)?.as_ref(), surroundings))
    }

    /// Returns the factor on the closeness of an experience to a question from an environment.
    pub(crate) fn factor(&self, id: Uuid, surroundings: &Surroundings) -> f32 {
        match self.read().claims.get(&id) {
            None => 1.0,
            Some((_, claims)) => factor_of(verdict(claims, surroundings)),
        }
    }

    /// Returns whether an experience fits a question from an environment.
    pub(crate) fn fit(&self, id: Uuid, surroundings: &Surroundings) -> Fit {
        match self.read().claims.get(&id) {
            None => Fit::Unknown,
            Some((_, claims)) => fit_of(verdict(claims, surroundings)),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn revision(&self) -> std::sync::MutexGuard<'_, u64> {
        self.revision.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fit_of(fitness: Fitness) -> Fit {
    let certainty = match fitness.is_about_it {
        true => Certainty::Sure,
        false => Certainty::Doubtful,
    };
    match fitness.verdict {
        Verdict::Unknown => Fit::Unknown,
        Verdict::Applies => Fit::Fits(certainty),
        Verdict::OtherVersion | Verdict::OtherPlatform | Verdict::Contradicted => {
            Fit::Misfits(certainty)
        }
    }
}

fn factor_of(fitness: Fitness) -> f32 {
    match fitness.verdict {
        Verdict::Applies => APPLIES,
        Verdict::Unknown => 1.0,
        Verdict::OtherVersion if fitness.same_major => SAME_MAJOR,
        Verdict::OtherVersion => OTHER_VERSION,
        Verdict::OtherPlatform => OTHER_PLATFORM,
        Verdict::Contradicted => CONTRADICTED,
    }
}
