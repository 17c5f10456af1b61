//! Database files: copied while servers write, checked, and locked so that they can be replaced.

use std::{path::Path, time::Duration};

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Row, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteLockingMode},
};
use uuid::Uuid;

use crate::{
    Result, StoreError,
    database::{
        columns::{count_of, id_of},
        migrations,
    },
    sqlite::is_busy,
};

/// Tables whose rows are counted for the report, and how the report calls them.
const COUNTED: [(&str, &str); 7] = [
    ("experiences", "experiences"),
    ("entries", "entries"),
    ("entry_links", "links"),
    ("suggestions", "suggestions"),
    ("api_keys", "API keys"),
    ("users", "users"),
    ("library_versions", "library versions"),
];

/// What a database file contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holdings {
    /// The database's own id.
    pub id: Uuid,
    /// The number of its last migration.
    pub schema: i64,
    /// Names of record types with the number of records.
    pub counts: Vec<(&'static str, u64)>,
}

/// A file that cannot be used as a database.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not a database of this program.
    #[error("it is not a RecallKit database")]
    Foreign,
    /// Its pages are damaged.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A newer version of the program wrote it.
    #[error(
        "it has schema {found}, this version of recall-kit-server knows it up to {known}; use a newer one"
    )]
    Newer {
        /// Its schema.
        found: i64,
        /// The last one that this program has.
        known: i64,
    },
    /// A server or another program has it open.
    #[error("a server or another program uses it; stop that first")]
    InUse,
    /// It could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for FileError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code());
        match code
            .and_then(|code| code.parse::<i32>().ok())
            .map(|code| code & 0xff)
        {
            Some(11) => Self::Damaged(error.to_string()),
            Some(26) => Self::Foreign,
            _ => Self::Store(error.into()),
        }
    }
}

/// Copies a consistent snapshot of a database into an empty file; servers may write meanwhile.
///
/// *Errors*: [`FileError`], about the database.
pub async fn copy_file(database: &Path, into: &Path, patience: Duration) -> Result<(), FileError> {
    let mut connection = open(database, patience).await?;
    sqlx::query("vacuum into ?")
        .bind(into.to_string_lossy())
        .execute(&mut connection)
        .await?;
    connection.close().await?;
    Ok(())
}

/// Reads all of a database file and checks that it is undamaged and that this program can use it.
///
/// *Errors*: [`FileError`].
pub async fn check_file(file: &Path, patience: Duration) -> Result<Holdings, FileError> {
    let mut connection = open(file, patience).await?;
    let verdict: String = sqlx::query("pragma integrity_check(1)")
        .fetch_one(&mut connection)
        .await?
        .try_get(0)?;
    if verdict != "ok" {
        return Err(FileError::Damaged(verdict));
    }
    let known = migrations::newest(&migrations::sqlite());
    let (id, found) = identity(&mut connection).await?;
    if found > known {
        return Err(FileError::Newer { found, known });
    }
    let mut counts = Vec::with_capacity(COUNTED.len());
    for (table, name) in COUNTED {
        let count = match table_exists(&mut connection, table).await? {
            true => {
                let sql = format!("select count(*) from {table}");
                let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(&mut connection);
                count_of(row.await?.try_get(0)?)
            }
            false => 0,
        };
        counts.push((name, count));
    }
    connection.close().await?;
    Ok(Holdings {
        id,
        schema: found,
        counts,
    })
}

async fn identity(connection: &mut SqliteConnection) -> Result<(Uuid, i64), FileError> {
    for table in ["database_facts", "_sqlx_migrations", "experiences"] {
        if !table_exists(connection, table).await? {
            return Err(FileError::Foreign);
        }
    }
    let row = sqlx::query(
        "select value, (select max(version) from _sqlx_migrations where success) \
         from database_facts where name = 'database_id'",
    )
    .fetch_optional(connection)
    .await?;
    let row = row.ok_or(FileError::Foreign)?;
    let schema: Option<i64> = row.try_get(1)?;
    Ok((id_of(row.try_get(0)?)?, schema.ok_or(FileError::Foreign)?))
}

async fn table_exists(connection: &mut SqliteConnection, table: &str) -> Result<bool, FileError> {
    let found = sqlx::query("select 1 from sqlite_master where type = 'table' and name = ?")
        .bind(table)
        .fetch_optional(connection)
        .await?;
    Ok(found.is_some())
}

async fn open(file: &Path, patience: Duration) -> Result<SqliteConnection, FileError> {
    let options = SqliteConnectOptions::new().filename(file);
    let options = options.read_only(true).busy_timeout(patience);
    Ok(options.connect().await?)
}

/// A database file that no other connection can open and that has no write-ahead log.
pub struct HeldFile(SqliteConnection);

impl HeldFile {
    /// Locks a file exclusively; its write-ahead log is first moved into it.
    ///
    /// *Errors*: [`FileError::InUse`] if another connection has it open; other errors if it cannot be used.
    pub async fn take(file: &Path, patience: Duration) -> Result<Self, FileError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(false)
            .locking_mode(SqliteLockingMode::Exclusive)
            .busy_timeout(patience);
        let locked = async {
            let mut connection = options.connect().await?;
            let mode: String = sqlx::query("pragma journal_mode = delete")
                .fetch_one(&mut connection)
                .await?
                .try_get(0)?;
            sqlx::query("begin exclusive")
                .execute(&mut connection)
                .await?;
            Ok::<_, sqlx::Error>((connection, mode))
        };
        match locked.await {
            Ok((connection, mode)) if mode == "delete" => Ok(Self(connection)),
            Ok(_) => Err(FileError::InUse),
            Err(error) if is_busy(&error) => Err(FileError::InUse),
            Err(error) => Err(error.into()),
        }
    }

    /// Releases the lock.
    pub async fn release(self) {
        self.0.close().await.ok();
    }
}
