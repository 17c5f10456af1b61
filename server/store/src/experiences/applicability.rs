//! Where experiences apply: stated by their authors, or read from their texts, and what outcomes add.
//!
//! This is derived from experiences and outcomes and kept because reading all texts takes minutes. The texts are read in
//! commit order, up to a mark; an edit gives a record a later `seq`, so its texts are read again.

use async_trait::async_trait;
use recall_kit_shared_types::applicability::Applies;
use uuid::Uuid;

use crate::{ExperienceContent, Result};

/// What is known of one experience.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredApplicability {
    /// The experience.
    pub experience: Uuid,
    /// Grows with every change.
    pub revision: u64,
    /// Stated by its author, or read from its texts.
    pub applies: Vec<Applies>,
    /// Where it worked or failed, according to outcomes.
    pub observed: Vec<Applies>,
}

/// The next experiences whose texts have to be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnreadExperiences {
    /// The mark after which they come.
    pub after: u64,
    /// The experiences, in commit order.
    pub experiences: Vec<UnreadExperience>,
}

/// An experience whose texts have to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct UnreadExperience {
    /// Its place in commit order.
    pub seq: u64,
    /// Its id.
    pub id: Uuid,
    /// Its texts.
    pub content: ExperienceContent,
}

/// What was read from texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadTexts {
    /// The version of what read them.
    pub reader: u32,
    /// The mark before them, see [`UnreadExperiences::after`].
    pub after: u64,
    /// The mark after them.
    pub up_to: u64,
    /// Where each experience applies.
    pub applies: Vec<(Uuid, Vec<Applies>)>,
}

/// Where experiences apply; see [`crate::Store`] for what every method guarantees.
#[async_trait]
pub trait ApplicabilityStore: Send + Sync {
    /// Returns up to `limit` rows with a higher revision, ordered by it. A row that is committed later has a higher
    /// revision than all that were committed before.
    async fn applicability_after(
        &self,
        revision: u64,
        limit: u32,
    ) -> Result<Vec<StoredApplicability>>;
    /// Returns what is known of these experiences, in no particular order; of others nothing is known.
    async fn applicability(&self, experiences: &[Uuid]) -> Result<Vec<StoredApplicability>>;
    /// Returns up to `limit` experiences whose texts this version of the reader has not read; none if a later version
    /// reads them.
    async fn unread_experiences(&self, reader: u32, limit: u32) -> Result<UnreadExperiences>;
    /// Stores what was read and moves the mark; `false`, and nothing is stored, if the mark was moved meanwhile.
    async fn put_read_texts(&self, read: &ReadTexts) -> Result<bool>;
}
