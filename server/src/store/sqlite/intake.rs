//! How submits are written: in immediate transactions of the one writer.

use async_trait::async_trait;
use sqlx::{Sqlite, SqlitePool, Transaction};
use uuid::Uuid;

use super::{experiences, knowledge};
use crate::store::{NewEntry, NewExperience, Result, submits::Intake};

/// Where experiences go.
pub(super) struct Experiences(pub(super) SqlitePool);

/// Where entries go.
pub(super) struct Entries(pub(super) SqlitePool);

#[async_trait]
impl Intake for Experiences {
    type New = NewExperience;
    type Write = Transaction<'static, Sqlite>;

    async fn begin(&self) -> Result<Self::Write> {
        Ok(self.0.begin_with("begin immediate").await?)
    }

    async fn insert(&self, write: &mut Self::Write, new: &NewExperience) -> Result<Uuid> {
        experiences::insert(write, new).await
    }

    async fn commit(&self, write: Self::Write) -> Result<()> {
        Ok(write.commit().await?)
    }
}

#[async_trait]
impl Intake for Entries {
    type New = NewEntry;
    type Write = Transaction<'static, Sqlite>;

    async fn begin(&self) -> Result<Self::Write> {
        Ok(self.0.begin_with("begin immediate").await?)
    }

    async fn insert(&self, write: &mut Self::Write, new: &NewEntry) -> Result<Uuid> {
        knowledge::insert_entry(write, new).await
    }

    async fn commit(&self, write: Self::Write) -> Result<()> {
        Ok(write.commit().await?)
    }
}
