//! The database of a test.

use std::{sync::Arc, time::Duration};

#[cfg(unix)]
use recall_kit_tests_postgres::Cluster;
use tempfile::TempDir;

use crate::{Store, StoreOptions, open};

/// A database of one test, which is deleted with this value.
pub(super) enum TestDatabase {
    /// A folder for a file that does not exist yet.
    Sqlite(TempDir),
    /// An empty database of a cluster.
    #[cfg(unix)]
    Postgres(Arc<Cluster>, String),
}

impl TestDatabase {
    pub(super) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    #[cfg(unix)]
    pub(super) fn postgres() -> Self {
        let cluster = Cluster::start();
        let name = cluster.database();
        Self::Postgres(Arc::new(cluster), name)
    }

    /// Returns another empty database of the same kind.
    pub(super) fn another(&self) -> Self {
        match self {
            Self::Sqlite(_) => Self::sqlite(),
            #[cfg(unix)]
            Self::Postgres(cluster, _) => Self::Postgres(Arc::clone(cluster), cluster.database()),
        }
    }

    /// Opens the database as another process would.
    pub(super) async fn open(&self) -> Arc<dyn Store> {
        let options = StoreOptions::new(self.url(), Duration::from_secs(5));
        open(&options).await.unwrap()
    }

    /// Returns the address of the database.
    pub(super) fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => {
                let path = folder.path().join("some/where/test.db");
                format!("sqlite:{}", path.display())
            }
            #[cfg(unix)]
            Self::Postgres(cluster, name) => cluster.url(name),
        }
    }
}
