//! Writing submissions: in immediate transactions on the only connection that writes.

use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    NewEntry, NewExperience, Result, SubmittedExperience,
    experiences::group_commit::BatchWriter,
    sql::knowledge::entries,
    sqlite::{
        connection::writer::{Write, Writer},
        experiences,
    },
};

/// Writes experiences.
pub(crate) struct Experiences(pub(crate) Writer);

/// Writes entries.
pub(crate) struct Entries(pub(crate) Writer);

#[async_trait]
impl BatchWriter for Experiences {
    type New = NewExperience;
    type Stored = SubmittedExperience;
    type Write = Write;

    async fn begin(&self) -> Result<Self::Write> {
        self.0.begin().await
    }

    async fn insert(
        &self,
        write: &mut Self::Write,
        new: &NewExperience,
    ) -> Result<SubmittedExperience> {
        self.0.noted(experiences::insert(write, new).await)
    }

    async fn commit(&self, write: Self::Write) -> Result<()> {
        write.commit().await
    }
}

#[async_trait]
impl BatchWriter for Entries {
    type New = NewEntry;
    type Stored = Uuid;
    type Write = Write;

    async fn begin(&self) -> Result<Self::Write> {
        self.0.begin().await
    }

    async fn insert(&self, write: &mut Self::Write, new: &NewEntry) -> Result<Uuid> {
        let inserted = entries::insert(&mut **write, new).await;
        self.0.noted(inserted)
    }

    async fn commit(&self, write: Self::Write) -> Result<()> {
        write.commit().await
    }
}
