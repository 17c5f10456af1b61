//! The rate limit: calls in a minute for each API key or address. A large body counts as several calls.

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

/// Calls a minute if the settings set no limit.
const DEFAULT_CALLS_PER_MINUTE: u32 = 60_000;
/// The number of stored callers above which inactive ones are removed.
const MAX_CALLERS: usize = 100_000;
/// Calls between two checks of that number: counting and removing visit all callers, which takes a while.
const CLEAN_UP_EVERY: u32 = 10_000;

/// The key under which calls are counted: all calls with the same value share one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::transports) enum Counted {
    /// Calls with one API key, from any address.
    Key(Uuid),
    /// Calls from one IPv4 address, or from one IPv6 /64 network, which is what one customer gets.
    Address(IpAddr),
    /// Calls that a proxy forwarded for one such address or network. They never count as local.
    Forwarded(IpAddr),
}

impl Counted {
    pub(in crate::transports) fn address(address: IpAddr) -> Self {
        Self::Address(customer_network(address))
    }

    pub(super) fn forwarded(address: IpAddr) -> Self {
        Self::Forwarded(customer_network(address))
    }

    /// Calls whose address is not known.
    pub(in crate::transports) fn unknown() -> Self {
        Self::Address(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
    }

    /// Returns the flow of the calls for fair queueing. Calls without a key share one voice with those
    /// from neighbouring addresses, since it is easy to get another address nearby.
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

/// The size of a body, and how it converts to calls.
#[derive(Debug, Clone, Copy)]
pub(in crate::transports) struct Size {
    pub(in crate::transports) bytes: usize,
    /// The number of bytes that counts as one more call; with 0, bytes do not count.
    pub(in crate::transports) per_call: u32,
}

impl Size {
    /// Returns how many calls a body with so many items counts as: one for each item, and one for every
    /// `per_call` bytes. Bytes alone never exceed the limit of a minute, so that a large body may have
    /// to wait longer but is never refused for good.
    pub(in crate::transports) fn calls(self, items: u32, limit: Option<u32>) -> u32 {
        let limit = limit.unwrap_or(DEFAULT_CALLS_PER_MINUTE);
        let bytes = u32::try_from(self.bytes).unwrap_or(u32::MAX);
        let by_bytes = bytes.checked_div(self.per_call).unwrap_or_default();
        items.saturating_add(by_bytes).min(limit.max(items))
    }
}

/// Counts calls. The limit may change at any time; the count then starts again.
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
    /// Counts calls against a limit: `None` is the default, which does not apply to this machine; 0 is no
    /// limit.
    ///
    /// *Errors*: how long to wait, in whole seconds, if they are too many.
    pub(in crate::transports) fn count(
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
            // More calls at once than a whole minute allows: waiting does not help.
            Err(_) => Err(60),
        }
    }

    fn limiter(&self, limit: NonZeroU32) -> Arc<DefaultKeyedRateLimiter<Counted>> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match current.as_mut().filter(|current| current.limit == limit) {
            Some(current) => {
                current.calls = current.calls.wrapping_add(1);
                if current.calls % CLEAN_UP_EVERY == 0 && current.limiter.len() > MAX_CALLERS {
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
