//! How submits are written: in transactions that hold the head of their family, one alone as a
//! statement that does.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    NewEntry, NewExperience, Result, StoreError, SubmittedExperience,
    experiences::group_commit::{Alone, BatchWriter},
    postgres::{
        Head,
        connection::{
            cluster::Cluster,
            fault::{self, Fault},
            listener::CHANNEL,
            transaction::Transaction,
        },
        experiences, knowledge,
    },
};

/// A cluster as one family's submits see it.
struct Door {
    cluster: Arc<Cluster>,
    head: Head,
    /// This server, as others hear of it.
    server: String,
}

impl Door {
    fn new(cluster: &Arc<Cluster>, head: Head, server: Uuid) -> Self {
        Self {
            cluster: Arc::clone(cluster),
            head,
            server: server.to_string(),
        }
    }

    /// Begins a transaction and waits for the head; other servers are told with the commit.
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

/// Whether a transaction of submits may be repeated: also one of which nobody knows whether its commit
/// arrived, as a record that is there already is recognised.
fn may_pass(error: &StoreError) -> bool {
    fault::of(error) != Fault::Lasting
}

/// Where experiences go.
pub(crate) struct Experiences(Door);

impl Experiences {
    pub(crate) fn new(cluster: &Arc<Cluster>, server: Uuid) -> Self {
        Self(Door::new(cluster, Head::Experiences, server))
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

    async fn insert_alone(&self, new: &NewExperience) -> Option<Alone<SubmittedExperience>> {
        let Door {
            cluster, server, ..
        } = &self.0;
        let mut connection = match cluster.connection().await {
            Ok(connection) => connection,
            Err(error) => return Some(Alone::NotBegun(error)),
        };
        let inserted = experiences::insert_alone(&mut connection, new, (CHANNEL, server));
        match cluster.in_time(inserted).await {
            Ok(false) => None,
            Ok(true) => Some(Alone::Written(Ok(SubmittedExperience::new(new.id)))),
            Err(error) => Some(Alone::Written(Err(error))),
        }
    }

    fn may_pass(&self, error: &StoreError) -> bool {
        may_pass(error)
    }
}

/// Where entries go.
pub(crate) struct Entries(Door);

impl Entries {
    pub(crate) fn new(cluster: &Arc<Cluster>, server: Uuid) -> Self {
        Self(Door::new(cluster, Head::Entries, server))
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
        let inserted = knowledge::insert_entry(write, new);
        self.0.cluster.in_time(inserted).await
    }

    async fn commit(&self, write: Self::Write) -> Result<()> {
        self.0.cluster.commit(write).await
    }

    fn may_pass(&self, error: &StoreError) -> bool {
        may_pass(error)
    }
}
