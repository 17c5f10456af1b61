//! Experiences as people look after them: changed, hidden, deleted, listed.
//!
//! Every change takes the next `seq`, so that every index follows; which searches leave out what is
//! hidden or deleted is said there. What a change makes of a record is worked out here for every
//! database.

pub(crate) mod content_hash;
pub(crate) mod group_commit;
pub(crate) mod idempotency;

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use super::{AuditEvent, Experience, ExperienceContent, Result, StoreError, StoredExperience};

/// Which version of a record there is, and whether it is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperienceState {
    /// 1 as submitted, one more for each change that a person made.
    pub version: u64,
    /// When its texts last changed.
    pub changed_at: Option<Timestamp>,
    /// Since when it is hidden.
    pub hidden_at: Option<Timestamp>,
    /// Since when it is deleted.
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

/// Whether a record is to be found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Standing {
    /// By everybody.
    #[default]
    Visible,
    /// By nobody, until it is shown again.
    Hidden,
    /// By nobody, and after some weeks it goes for good; deleted wins over hidden.
    Deleted,
}

/// What is to become of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedExperience {
    /// The record.
    pub id: Uuid,
    /// The version that whoever changes it has seen; any where there is none.
    pub expected: Option<u64>,
    /// What is done.
    pub change: ExperienceChange,
    /// When.
    pub now: Timestamp,
    /// What the audit list is to say of it, if anything changes.
    pub event: Option<AuditEvent>,
}

/// What is done with a record. One that is as it is to be stays so, and keeps its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExperienceChange {
    /// It gets other texts.
    Edit {
        /// All of them.
        content: Box<ExperienceContent>,
        /// Their quantised embedding and the model that made it; without one it gets it later.
        vector: Option<(String, Vec<u8>)>,
    },
    /// Nobody finds it any more.
    Hide,
    /// It is found again.
    Unhide,
    /// Nobody finds it any more, and it is going to be removed.
    Delete,
    /// It is as it was before it was deleted.
    Restore,
}

/// An experience whose text is to be embedded.
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

/// A place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Records to skip.
    pub offset: u64,
    /// Records at most.
    pub limit: u32,
}

/// In which order experiences are listed; of those alike the newest come first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExperienceOrder {
    /// Those submitted last first.
    #[default]
    Newest,
    /// Those submitted first first.
    Oldest,
    /// Those that queries returned most often first.
    MostSeen,
}

/// Which experiences are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperienceListing {
    /// Whether they are to be found.
    pub standing: Standing,
    /// Which come first.
    pub order: ExperienceOrder,
    /// Which part of them.
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
    /// Which version it is, and whether it is hidden or deleted.
    pub state: ExperienceState,
}

impl ExperienceState {
    /// Returns whether the record is to be found.
    pub fn standing(&self) -> Standing {
        match (self.deleted_at, self.hidden_at) {
            (Some(_), _) => Standing::Deleted,
            (None, Some(_)) => Standing::Hidden,
            (None, None) => Standing::Visible,
        }
    }

    /// Returns what a change makes of a record in this state; `None` where nothing changes.
    ///
    /// *Errors*: [`StoreError::VersionChanged`], [`StoreError::ExperienceDeleted`].
    pub(super) fn changed(&self, changed: &ChangedExperience) -> Result<Option<Self>> {
        let (now, current) = (Some(changed.now), self.version);
        if changed.expected.is_some_and(|seen| seen != current) {
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
    /// Returns the condition that the listed records meet, as SQL.
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

/// What looking after experiences needs; see [`super::Store`] for what every method keeps.
#[async_trait]
pub trait ExperienceStore: Send + Sync {
    /// Returns a record with its vector of the database's model, also one that is hidden or deleted.
    async fn stored_experience(&self, id: Uuid) -> Result<Option<StoredExperience>>;
    /// Changes a record and returns what it is then ([`StoreError::NoExperience`],
    /// [`StoreError::VersionChanged`], [`StoreError::ExperienceDeleted`]).
    async fn change_experience(&self, changed: &ChangedExperience) -> Result<ExperienceState>;
    /// Puts a later version of a record into the place of an earlier one, with its vector where it is of
    /// the database's model; `false` where what is there is not earlier
    /// ([`StoreError::NoExperience`]).
    async fn overtake_experience(
        &self,
        model: Option<&str>,
        later: &StoredExperience,
    ) -> Result<bool>;
    /// Returns a page of a list, and how many records the whole list has.
    async fn list_experiences(
        &self,
        listing: &ExperienceListing,
    ) -> Result<(Vec<ExperienceBrief>, u64)>;
    /// Removes up to `limit` records for good that were deleted before a moment; returns how many.
    async fn purge_experiences(&self, before: Timestamp, limit: u32) -> Result<u64>;
    /// Hashes what up to `limit` records say that older programs wrote; returns how many, 0 where none
    /// is left.
    async fn hash_experiences(&self, limit: u32) -> Result<u64>;
    /// Returns how many records are stored, also those that are hidden or deleted.
    async fn stored_experience_count(&self) -> Result<u64>;
}

#[cfg(test)]
mod tests;
