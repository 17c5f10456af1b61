//! Failed attempts to sign in, and how long whoever failed has to wait.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

/// Failures without a wait.
const FREE: u32 = 2;
/// The longest wait, in seconds.
const LONGEST: i64 = 15 * 60;
/// After so long without a failure those before are forgotten.
const MEMORY: SignedDuration = SignedDuration::from_hours(1);
/// The most names and addresses remembered.
const CAPACITY: usize = 10_000;

/// What failures are counted of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    /// A name, whether somebody has it or not; by its hash, as people type passwords there.
    Name([u8; 32]),
    /// An address; of IPv6 its first 64 bits, which one owner has all of.
    Address(IpAddr),
}

impl Counted {
    /// Counts a name, in any case, and however its characters are written.
    pub(super) fn name(name: &str) -> Self {
        let name: String = name.nfc().collect();
        Self::Name(Sha256::digest(name.to_lowercase()).into())
    }

    /// Counts an address.
    pub(super) fn address(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) & !u128::from(u64::MAX);
                IpAddr::V6(network.into())
            }
            v4 => v4,
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    last: Timestamp,
}

impl Failures {
    /// Until when nothing more is tried.
    fn wait_until(self) -> Timestamp {
        let doublings = self.count.saturating_sub(FREE + 1).min(30);
        let seconds = match self.count {
            0..=FREE => 0,
            _ => (1_i64 << doublings).min(LONGEST),
        };
        let wait = SignedDuration::from_secs(seconds);
        self.last.checked_add(wait).unwrap_or(Timestamp::MAX)
    }
}

/// Attempts that failed lately.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<HashMap<Counted, Failures>>);

impl Attempts {
    /// Begins an attempt: it counts as failed until [`Self::succeeded`] says otherwise, so that many
    /// at once get no further than one after the other.
    ///
    /// *Errors*: the seconds to wait; the attempt is then not counted.
    pub(super) fn begin(&self, counted: &[Counted], now: Timestamp) -> Result<(), u64> {
        let mut all = self.all();
        let ends = counted
            .iter()
            .filter_map(|one| recent(&all, one, now))
            .map(Failures::wait_until);
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

    /// Takes an attempt back. What was counted of the name is forgotten; of an address, on which
    /// others may be trying, only this attempt.
    pub(super) fn succeeded(&self, counted: &[Counted]) {
        let mut all = self.all();
        for one in counted {
            match (one, all.get_mut(one)) {
                (Counted::Address(_), Some(failures)) if failures.count > 1 => {
                    failures.count -= 1;
                }
                _ => drop(all.remove(one)),
            }
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Counted, Failures>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn recent(all: &HashMap<Counted, Failures>, counted: &Counted, now: Timestamp) -> Option<Failures> {
    let failures = all.get(counted).copied();
    failures.filter(|failures| now.duration_since(failures.last) < MEMORY)
}

/// Forgets what is too old, and where that is not enough the half that failed least.
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
