//! The administration of experiences: change, hide, delete, list.
//!
//! Every change takes the next `seq`, so that every index sees it. The effect of a change on the state of
//! a record is computed here, for every database. The queries that leave out hidden or deleted records
//! say so in their documentation.

pub(crate) mod applicability;
pub(crate) mod content_hash;
pub(crate) mod group_commit;
pub(crate) mod idempotency;
pub(crate) mod observed;

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use super::{AuditEvent, Experience, ExperienceContent, Result, StoreError, StoredExperience};

/// The version of a record, and whether it is hidden or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperienceState {
    /// 1 as submitted, one more for each change that a person made.
    pub version: u64,
    /// When its texts last changed.
    pub changed_at: Option<Timestamp>,
    /// When it was hidden.
    pub hidden_at: Option<Timestamp>,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

impl Default for ExperienceState {
    fn default() -> Self {
        Self {
            version: 1,
            changed_at: None,
            hidden_at: None,
            deleted_at: None,
        }
    }
}

/// The visibility of a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Standing {
    /// Searches find it.
    #[default]
    Visible,
    /// Searches do not find it until it is made visible again.
    Hidden,
    /// Searches do not find it, and it is purged after some weeks. A record that is both hidden and
    /// deleted counts as deleted.
    Deleted,
}

/// A change of a record that the caller requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedExperience {
    /// The record.
    pub id: Uuid,
    /// The version that the caller has read; `None` accepts any version.
    pub expected: Option<u64>,
    /// The kind of change.
    pub change: ExperienceChange,
    /// The time of the change.
    pub now: Timestamp,
    /// The event for the audit list; stored only if something changes.
    pub event: Option<AuditEvent>,
}

/// The kind of a change. Except for an edit, a change to the state that the record already has changes
/// nothing, and the record keeps its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExperienceChange {
    /// Replaces the texts.
    Edit {
        /// All new texts.
        content: Box<ExperienceContent>,
        /// The model and the quantised embedding that it made; if `None`, a vector is added later.
        vector: Option<(String, Vec<u8>)>,
    },
    /// Searches no longer find it.
    Hide,
    /// Searches find it again.
    Unhide,
    /// Searches no longer find it, and it is purged later.
    Delete,
    /// Undoes the deletion.
    Restore,
}

/// An experience that has no vector yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The record.
    pub experience: Experience,
    /// The record's version when it was read.
    pub version: u64,
}

/// A vector for an experience that is already stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperienceVector {
    /// The record.
    pub id: Uuid,
    /// The record's version when its text was read, see [`ExperienceState`].
    pub version: u64,
    /// The quantised embedding.
    pub vector: Vec<u8>,
}

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Number of records to skip.
    pub offset: u64,
    /// Maximum number of records.
    pub limit: u32,
}

/// The order in which experiences are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExperienceOrder {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first.
    Oldest,
    /// By how often queries returned them, the most often first; with equal counts the newest first.
    MostSeen,
}

/// Which experiences are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperienceListing {
    /// Their visibility.
    pub standing: Standing,
    /// Their order.
    pub order: ExperienceOrder,
    /// The page of the list.
    pub page: Page,
}

/// An experience in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperienceBrief {
    /// Its id.
    pub id: Uuid,
    /// Its title.
    pub title: String,
    /// Its keywords.
    pub keywords: Vec<String>,
    /// How often queries returned it.
    pub query_count: u64,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// Its version, and whether it is hidden or deleted.
    pub state: ExperienceState,
}

impl ExperienceState {
    /// Returns the visibility of the record.
    pub fn standing(&self) -> Standing {
        match (self.deleted_at, self.hidden_at) {
            (Some(_), _) => Standing::Deleted,
            (None, Some(_)) => Standing::Hidden,
            (None, None) => Standing::Visible,
        }
    }

    /// Returns the state of the record after a change; `None` if nothing changes.
    ///
    /// *Errors*: [`StoreError::VersionChanged`], [`StoreError::ExperienceDeleted`].
    pub(super) fn changed(&self, changed: &ChangedExperience) -> Result<Option<Self>> {
        let (now, current) = (Some(changed.now), self.version);
        if changed.expected.is_some_and(|expected| expected != current) {
            return Err(StoreError::VersionChanged { current });
        }
        let next = match &changed.change {
            ExperienceChange::Delete => Self {
                deleted_at: self.deleted_at.or(now),
                ..*self
            },
            ExperienceChange::Restore => Self {
                deleted_at: None,
                ..*self
            },
            _ if self.deleted_at.is_some() => {
                return Err(StoreError::ExperienceDeleted(changed.id));
            }
            ExperienceChange::Edit { .. } => Self {
                changed_at: now,
                ..*self
            },
            ExperienceChange::Hide => Self {
                hidden_at: self.hidden_at.or(now),
                ..*self
            },
            ExperienceChange::Unhide => Self {
                hidden_at: None,
                ..*self
            },
        };
        let is_edit = matches!(changed.change, ExperienceChange::Edit { .. });
        Ok((is_edit || next != *self).then(|| Self {
            version: current.saturating_add(1),
            ..next
        }))
    }
}

impl ExperienceListing {
    /// Returns the condition for the listed records, as SQL.
    pub(super) const fn condition(&self) -> &'static str {
        match self.standing {
            Standing::Visible => "hidden_at is null and deleted_at is null",
            Standing::Hidden => "hidden_at is not null and deleted_at is null",
            Standing::Deleted => "deleted_at is not null",
        }
    }

    /// Returns the order of the listed records, as SQL.
    pub(super) const fn order(&self) -> &'static str {
        match self.order {
            ExperienceOrder::Newest => "created_at desc, id desc",
            ExperienceOrder::Oldest => "created_at, id",
            ExperienceOrder::MostSeen => "query_count desc, created_at desc, id desc",
        }
    }
}

/// The administration of experiences; see [`super::Store`] for what every method guarantees.
#[async_trait]
pub trait ExperienceStore: Send + Sync {
    /// Returns a record with its vector of the database's model, even if it is hidden or deleted.
    async fn stored_experience(&self, id: Uuid) -> Result<Option<StoredExperience>>;
    /// Changes a record and returns its new state ([`StoreError::NoExperience`],
    /// [`StoreError::VersionChanged`], [`StoreError::ExperienceDeleted`]).
    async fn change_experience(&self, changed: &ChangedExperience) -> Result<ExperienceState>;
    /// Replaces a record by a later version of it, with its vector as one of `model` (without a vector
    /// if `None`); `false` if the stored version is the same or later ([`StoreError::NoExperience`]).
    async fn overtake_experience(
        &self,
        model: Option<&str>,
        later: &StoredExperience,
    ) -> Result<bool>;
    /// Returns a page of a list, and the total number of records in the list.
    async fn list_experiences(
        &self,
        listing: &ExperienceListing,
    ) -> Result<(Vec<ExperienceBrief>, u64)>;
    /// Purges up to `limit` records that were deleted before a point in time; returns how many.
    async fn purge_experiences(&self, before: Timestamp, limit: u32) -> Result<u64>;
    /// Computes the content hash of up to `limit` records that older versions of the program wrote;
    /// returns how many, 0 if none is left.
    async fn hash_experiences(&self, limit: u32) -> Result<u64>;
    /// Returns how many records are stored, including hidden and deleted ones.
    async fn stored_experience_count(&self) -> Result<u64>;
}

#[cfg(test)]
mod tests;
