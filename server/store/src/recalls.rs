//! Recalls and episodes: what agents were shown for a query, and how failing commands came to work again. They hold
//! ids, hashes, words from fixed lists and counts, and no texts.

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use super::Result;

/// The experiences that a query showed to an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// Its id, by which outcomes and episodes name it.
    pub id: Uuid,
    /// When it was asked.
    pub at: Timestamp,
    /// Who asked: a user, key or network, as in [`crate::Report::principal`].
    pub principal: String,
    /// A hash of the query: equal for equal queries of this database.
    pub fingerprint_hash: String,
    /// The experiences that were shown, in their order.
    pub shown: Vec<Uuid>,
    /// Those that matched and were not shown.
    pub withheld: Vec<Uuid>,
    /// The rule by which something is withheld.
    pub policy: String,
    /// 0–1: how likely the rule shows what was shown.
    pub propensity: f64,
}

/// A failing command, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Episode {
    /// Its id, chosen by the client: an episode that is reported again is stored once.
    pub id: Uuid,
    /// When it was reported.
    pub at: Timestamp,
    /// Who reported it: a user, key or network, as in [`crate::Report::principal`].
    pub principal: String,
    /// What the agent was shown; `None` if nothing.
    pub recall_id: Option<Uuid>,
    /// The program in which the agent runs.
    pub host: String,
    /// The program that failed.
    pub family: String,
    /// How often it failed.
    pub failures: u32,
    /// Whether it worked in the end.
    pub has_recovered: bool,
    /// Milliseconds from the first failure to the end.
    pub ms: u64,
    /// The commands and edits in between.
    pub commands: u32,
}

/// Sums over episodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EpisodeCounts {
    /// How many there are.
    pub episodes: u64,
    /// How many ended with a working command.
    pub recovered: u64,
    /// The failures of those.
    pub failures: u64,
    /// The commands and edits of those.
    pub commands: u64,
    /// The milliseconds of those.
    pub ms: u64,
}

/// The episodes of a period.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Those in which the agent was shown experiences, by a recall that is stored.
    pub with_recall: EpisodeCounts,
    /// The others.
    pub without: EpisodeCounts,
}

/// Recalls and episodes; see [`crate::Store`] for what every method guarantees.
#[async_trait]
pub trait RecallStore: Send + Sync {
    /// Stores recalls; those whose id is stored already are left as they are.
    async fn add_recalls(&self, recalls: &[Recall]) -> Result<()>;
    /// Stores an episode unless its id is stored already, or its principal has reported `most` in the last 24 hours;
    /// returns whether it is stored.
    async fn add_episode(&self, episode: &Episode, most: u64) -> Result<bool>;
    /// Returns up to `limit` recalls, the newest first.
    async fn recalls(&self, limit: u32) -> Result<Vec<Recall>>;
    /// Returns the sums over the episodes that were reported since a point in time.
    async fn recovery(&self, since: Timestamp) -> Result<Recovery>;
    /// Removes the recalls and episodes before a point in time, then the oldest beyond `most` of each, each at most
    /// `limit` rows. Returns how many were removed.
    async fn forget_recalls(&self, before: Timestamp, most: u64, limit: u32) -> Result<u64>;
}
