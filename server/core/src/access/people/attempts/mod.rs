//! Counts failed sign-in attempts, and decides how long the next attempt has to wait.
//!
//! Failures count for a name together with the network they come from, so that strangers who guess a
//! password never make its owner wait on another network. A network has a second, more generous count
//! over all names. A browser that signed in before is known by its own token and has its own count.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use quick_cache::sync::Cache;
use recall_kit_settings::customer_network;
use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;
use uuid::Uuid;

/// After this time without a failure, earlier failures no longer count.
const MEMORY: SignedDuration = SignedDuration::from_hours(1);
/// The most failure counts kept in memory.
const CAPACITY: usize = 10_000;
/// The most known browsers kept in memory; the least recently used ones are evicted first.
const DEVICES: usize = 10_000;

/// A SHA-256, of a folded name or of a token.
type Hash = [u8; 32];

/// The key of a failure count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    /// A name, whether or not a user has it, tried from a network. The name is hashed, because people
    /// sometimes type passwords there.
    Name(Hash, IpAddr),
    /// A network, with whatever credentials.
    Network(IpAddr),
    /// A browser that signed in with the name before, by the hash of its token.
    Device(Hash),
    /// A signed-in user who has to repeat the current password.
    User(Uuid),
}

/// After how many failures attempts have to wait, and how long.
struct Policy {
    /// How many failures cause no wait.
    free: u32,
    /// The longest wait, in seconds.
    longest: i64,
}

impl Counted {
    const fn policy(self) -> Policy {
        match self {
            Self::Network(_) => Policy {
                free: 20,
                longest: 60,
            },
            Self::Name(..) | Self::Device(_) | Self::User(_) => Policy {
                free: 2,
                longest: 15 * 60,
            },
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    last: Timestamp,
}

impl Failures {
    /// Returns the time before which further attempts are rejected.
    fn wait_until(self, policy: &Policy) -> Timestamp {
        let seconds = match self.count.checked_sub(policy.free + 1) {
            None => 0,
            Some(doublings) => (1_i64 << doublings.min(30)).min(policy.longest),
        };
        let wait = SignedDuration::from_secs(seconds);
        self.last.checked_add(wait).unwrap_or(Timestamp::MAX)
    }
}

/// Recent failed attempts, and the browsers that signed in.
#[derive(Debug)]
pub(super) struct Attempts {
    failures: Mutex<HashMap<Counted, Failures>>,
    /// The name that each known browser signed in with.
    devices: Cache<Hash, Hash>,
    /// An administrator had the failures up to this time cleared.
    cleared_up_to: Mutex<Option<Timestamp>>,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            failures: Mutex::default(),
            devices: Cache::new(DEVICES),
            cleared_up_to: Mutex::default(),
        }
    }
}

impl Attempts {
    /// Returns the counts that an attempt with a name belongs to; `device` is the hash of the browser's
    /// token.
    pub(super) fn of_name(&self, name: &str, from: IpAddr, device: Option<&Hash>) -> Vec<Counted> {
        let name = hash_of_name(name);
        match device.filter(|device| self.devices.get(*device) == Some(name)) {
            Some(device) => vec![Counted::Device(*device)],
            None => {
                let network = customer_network(from);
                vec![Counted::Name(name, network), Counted::Network(network)]
            }
        }
    }

    /// Returns the counts that an attempt without a name belongs to.
    pub(super) fn of_network(from: IpAddr) -> Vec<Counted> {
        vec![Counted::Network(customer_network(from))]
    }

    /// Records a browser that signed in with a name.
    pub(super) fn know_device(&self, device: Hash, name: &str) {
        self.devices.insert(device, hash_of_name(name));
    }

    /// Begins an attempt: it counts as failed until [`Self::succeeded`] is called, so that simultaneous
    /// attempts gain nothing over successive ones.
    ///
    /// *Errors*: the seconds to wait; the attempt is not counted then.
    pub(super) fn begin(&self, counted: &[Counted], now: Timestamp) -> Result<(), u64> {
        let mut all = self.failures();
        let ends = counted.iter().filter_map(|one| {
            let failures = recent(&all, one, now)?;
            Some(failures.wait_until(&one.policy()))
        });
        if let Some(end) = ends.max().filter(|end| *end > now) {
            let left = end.duration_since(now).as_millis();
            return Err(u64::try_from(left).unwrap_or(0).div_ceil(1_000));
        }
        make_room(&mut all, counted.len(), now);
        for one in counted {
            let count = recent(&all, one, now).map_or(0, |failures| failures.count);
            let count = count.saturating_add(1);
            all.insert(*one, Failures { count, last: now });
        }
        Ok(())
    }

    /// Removes a successful attempt from the counts. The counts of a name, browser or user are reset; the
    /// count of a network, which other people may share, only loses this attempt.
    pub(super) fn succeeded(&self, counted: &[Counted]) {
        let mut all = self.failures();
        for one in counted {
            match (one, all.get_mut(one)) {
                (Counted::Network(_), Some(failures)) if failures.count > 1 => failures.count -= 1,
                _ => drop(all.remove(one)),
            }
        }
    }

    /// Clears every failure up to a time; `false` if that was done before.
    pub(super) fn forget(&self, up_to: Timestamp) -> bool {
        let mut cleared_up_to = self
            .cleared_up_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if cleared_up_to.is_some_and(|before| before >= up_to) {
            return false;
        }
        *cleared_up_to = Some(up_to);
        self.failures().retain(|_, failures| failures.last > up_to);
        true
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<Counted, Failures>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hashes a name, ignoring case and Unicode composition.
fn hash_of_name(name: &str) -> Hash {
    let name: String = name.nfc().collect();
    Sha256::digest(name.to_lowercase()).into()
}

fn recent(all: &HashMap<Counted, Failures>, counted: &Counted, now: Timestamp) -> Option<Failures> {
    let failures = all.get(counted).copied();
    failures.filter(|failures| now.duration_since(failures.last) < MEMORY)
}

/// Removes counts that are too old, and if that is not enough, the half with the fewest failures.
fn make_room(all: &mut HashMap<Counted, Failures>, more: usize, now: Timestamp) {
    if all.len() + more <= CAPACITY {
        return;
    }
    all.retain(|_, failures| now.duration_since(failures.last) < MEMORY);
    if all.len() + more > CAPACITY {
        let mut ranks: Vec<_> = all.values().map(|one| (one.count, one.last)).collect();
        ranks.sort_unstable();
        if let Some(middle) = ranks.get(ranks.len() / 2).copied() {
            all.retain(|_, one| (one.count, one.last) > middle);
        }
    }
}

#[cfg(test)]
mod tests;
