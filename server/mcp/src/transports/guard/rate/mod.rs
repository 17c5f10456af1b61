//! How many calls one key or one address may make in a minute; a large body counts as several.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
};
use recall_kit_fair_queue::flow::{Flow, Voice};
use recall_kit_settings::{customer_network, neighbourhood};
use uuid::Uuid;

/// Calls a minute where the settings say nothing.
const DEFAULT_CALLS_PER_MINUTE: u32 = 60_000;
/// Callers remembered before those that are quiet are forgotten.
const MAX_REMEMBERED: usize = 100_000;
/// Calls between two looks at how many are remembered: looking through all of them takes a while.
const TIDY_EVERY: u32 = 10_000;

/// Whose calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::transports) enum Counted {
    /// Those with one key, wherever they come from.
    Key(Uuid),
    /// Those from one address; of IPv6 from one network of 64 bits, which one customer gets.
    Address(IpAddr),
    /// Those that a proxy passed on for one address, likewise. They are never this machine's own.
    Forwarded(IpAddr),
}

impl Counted {
    pub(in crate::transports) fn address(address: IpAddr) -> Self {
        Self::Address(customer_network(address))
    }

    pub(super) fn forwarded(address: IpAddr) -> Self {
        Self::Forwarded(customer_network(address))
    }

    /// Those of whom nothing is known.
    pub(in crate::transports) fn nobody() -> Self {
        Self::Address(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
    }

    /// Returns whose work the calls are. Those without a key have one voice with their neighbours: it
    /// takes no effort to get another address nearby.
    pub(in crate::transports) fn flow(self) -> Flow {
        let neighbours = match self {
            Self::Key(_) => self,
            Self::Address(address) | Self::Forwarded(address) => {
                Self::Address(neighbourhood(address))
            }
        };
        Flow::new(&self, Voice::new(&neighbours))
    }

    pub(in crate::transports) fn is_this_machine(self) -> bool {
        matches!(self, Self::Address(address) if address.is_loopback() || address == IpAddr::V6(Ipv6Addr::UNSPECIFIED))
    }
}

/// How large a body is.
#[derive(Debug, Clone, Copy)]
pub(in crate::transports) struct Size {
    pub(in crate::transports) bytes: usize,
    /// Bytes that count as one call more; 0 counts none.
    pub(in crate::transports) per_call: u32,
}

impl Size {
    /// Returns how many calls a body with so many items counts as: one for each, and one for every
    /// `per_call` bytes. Bytes alone never make it more than a minute has room for, so that a large body
    /// waits longer but is not refused for ever.
    pub(in crate::transports) fn calls(self, items: u32, limit: Option<u32>) -> u32 {
        let limit = limit.unwrap_or(DEFAULT_CALLS_PER_MINUTE);
        let bytes = u32::try_from(self.bytes).unwrap_or(u32::MAX);
        let by_bytes = bytes.checked_div(self.per_call).unwrap_or_default();
        items.saturating_add(by_bytes).min(limit.max(items))
    }
}

/// Counts calls. The limit may change at any time; what was counted before is then forgotten.
#[derive(Default)]
pub(in crate::transports) struct Rate {
    current: Mutex<Option<Current>>,
}

struct Current {
    limit: NonZeroU32,
    limiter: Arc<DefaultKeyedRateLimiter<Counted>>,
    calls: u32,
}

impl Rate {
    /// Counts calls against the limit of the settings.
    ///
    /// *Errors*: how long to wait, in whole seconds, when they are too many.
    pub(in crate::transports) fn take(
        &self,
        limit: Option<u32>,
        counted: Counted,
        calls: u32,
    ) -> Result<(), u64> {
        let limit = match limit {
            None if counted.is_this_machine() => return Ok(()),
            None => DEFAULT_CALLS_PER_MINUTE,
            Some(limit) => limit,
        };
        let (Some(limit), Some(calls)) = (NonZeroU32::new(limit), NonZeroU32::new(calls)) else {
            return Ok(());
        };
        let limiter = self.limiter(limit);
        match limiter.check_key_n(&counted, calls) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(not_until)) => {
                let wait = not_until.wait_time_from(DefaultClock::default().now());
                Err(wait.as_secs().saturating_add(1))
            }
            // More at once than a whole minute has room for: no waiting helps.
            Err(_) => Err(60),
        }
    }

    fn limiter(&self, limit: NonZeroU32) -> Arc<DefaultKeyedRateLimiter<Counted>> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match current.as_mut().filter(|current| current.limit == limit) {
            Some(current) => {
                current.calls = current.calls.wrapping_add(1);
                if current.calls % TIDY_EVERY == 0 && current.limiter.len() > MAX_REMEMBERED {
                    current.limiter.retain_recent();
                }
                Arc::clone(&current.limiter)
            }
            None => {
                let limiter = Arc::new(RateLimiter::dashmap(Quota::per_minute(limit)));
                *current = Some(Current {
                    limit,
                    limiter: Arc::clone(&limiter),
                    calls: 0,
                });
                limiter
            }
        }
    }
}

#[cfg(test)]
mod tests;
