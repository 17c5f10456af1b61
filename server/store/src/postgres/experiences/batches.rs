//! Writing submissions: in transactions that lock the head of their family; a single one as one
//! statement that locks it.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    NewEntry, NewExperience, Result, StoreError, SubmittedExperience,
    experiences::group_commit::{BatchWriter, SingleWrite},
    postgres::{
        Head,
        connection::{
            cluster::Cluster,
            fault::{self, Fault},
            listener::CHANNEL,
            transaction::Transaction,
        },
        experiences,
    },
    sql::knowledge::entries,
};

/// Begins the write transactions of one family.
struct FamilyWriter {
    cluster: Arc<Cluster>,
    head: Head,
    /// The id of this server, which is sent with notifications to other servers.
    server: String,
}

impl FamilyWriter {
    fn new(cluster: &Arc<Cluster>, head: Head, server: Uuid) -> Self {
        Self {
            cluster: Arc::clone(cluster),
            head,
            server: server.to_string(),
        }
    }

    /// Begins a transaction and locks the head; the commit notifies other servers.
    async fn begin(&self) -> Result<Transaction> {
        let mut tries = self.cluster.tries();
        loop {
            let begun = async {
                let mut transaction = self.cluster.begin().await?;
                sqlx::query(
                    "select seq, pg_notify($1, $2) from heads where family = $3 for update",
                )
                .bind(CHANNEL)
                .bind(&self.server)
                .bind(self.head.as_str())
                .fetch_one(&mut *transaction)
                .await?;
                Ok(transaction)
            };
            match self.cluster.in_time(begun).await {
                Err(error) if tries.again(&error).await => {}
                other => return other,
            }
        }
    }
}

/// Whether a transaction of submissions may be repeated. That includes one whose commit may or may not
/// have succeeded, since a record that is stored already is recognised.
fn is_transient(error: &StoreError) -> bool {
    fault::of(error) != Fault::Lasting
}

/// Writes experiences.
pub(crate) struct Experiences(FamilyWriter);

impl Experiences {
    pub(crate) fn new(cluster: &Arc<Cluster>, server: Uuid) -> Self {
        Self(FamilyWriter::new(cluster, Head::Experiences, server))
    }
}

#[async_trait]
impl BatchWriter for Experiences {
    type New = NewExperience;
    type Stored = SubmittedExperience;
    type Write = Transaction;

    async fn begin(&self) -> Result<Self::Write> {
        self.0.begin().await
    }

    async fn insert(
        &self,
        write: &mut Self::Write,
        new: &NewExperience,
    ) -> Result<SubmittedExperience> {
        let inserted = experiences::insert(write, new);
        self.0.cluster.in_time(inserted).await
    }

    async fn commit(&self, write: Self::Write) -> Result<()> {
        self.0.cluster.commit(write).await
    }

    async fn insert_single(&self, new: &NewExperience) -> Option<SingleWrite<SubmittedExperience>> {
        let FamilyWriter {
            cluster, server, ..
        } = &self.0;
        let mut connection = match cluster.connection().await {
            Ok(connection) => connection,
            Err(error) => return Some(SingleWrite::NotBegun(error)),
        };
        let inserted = experiences::insert_single(&mut connection, new, (CHANNEL, server));
        match cluster.in_time(inserted).await {
            Ok(false) => None,
            Ok(true) => Some(SingleWrite::Written(Ok(SubmittedExperience::new(new.id)))),
            Err(error) => Some(SingleWrite::Written(Err(error))),
        }
    }

    fn is_transient(&self, error: &StoreError) -> bool {
        is_transient(error)
    }
}

/// Writes entries.
pub(crate) struct Entries(FamilyWriter);

impl Entries {
    pub(crate) fn new(cluster: &Arc<Cluster>, server: Uuid) -> Self {
        Self(FamilyWriter::new(cluster, Head::Entries, server))
    }
}

#[async_trait]
impl BatchWriter for Entries {
    type New = NewEntry;
    type Stored = Uuid;
    type Write = Transaction;

    async fn begin(&self) -> Result<Self::Write> {
        self.0.begin().await
    }

    async fn insert(&self, write: &mut Self::Write, new: &NewEntry) -> Result<Uuid> {
        let inserted = entries::insert(&mut **write, new);
        self.0.cluster.in_time(inserted).await
    }

    async fn commit(&self, write: Self::Write) -> Result<()> {
        self.0.cluster.commit(write).await
    }

    fn is_transient(&self, error: &StoreError) -> bool {
        is_transient(error)
    }
}
