//! The schema: migrated under an advisory lock, or only checked; and the integrity check.

use sqlx::{PgConnection, Row, error::DatabaseError};
use uuid::Uuid;

use crate::{
    Result, StoreError,
    database::{columns::id_of, migrations},
    postgres::connection::cluster::Cluster,
};

/// Every table, ordered so that each refers only to tables before it.
const TABLES: [&str; 35] = [
    "heads",
    "database_facts",
    "experiences",
    "experience_vectors",
    "idempotency_keys",
    "api_keys",
    "users",
    "web_sessions",
    "audit",
    "entries",
    "entry_vectors",
    "entry_links",
    "suggestions",
    "suggestion_entries",
    "entry_notes",
    "entry_idempotency_keys",
    "entry_experiences",
    "libraries",
    "library_versions",
    "docs_files",
    "version_files",
    "library_edition",
    "chunks",
    "chunk_vectors",
    "example_texts",
    "questions",
    "question_days",
    "question_latencies",
    "outcomes",
    "standings",
    "standings_head",
    "recalls",
    "episodes",
    "applicability",
    "applicability_head",
];

/// Migrates the schema, or checks that no migration is missing.
///
/// *Errors*: [`StoreError::OlderSchema`], [`StoreError::NewerSchema`], otherwise the database's error.
pub(super) async fn prepare(primary: &Cluster, migrate: bool) -> Result<()> {
    let mut acquired = primary.connection().await?;
    let connection = &mut *acquired;
    let migrator = migrations::postgres();
    let needed = migrations::newest(&migrator);
    let found = applied(connection).await?;
    if found < needed && !migrate {
        return Err(StoreError::OlderSchema { found, needed });
    }
    if found > 0 {
        let needs = fact(connection, "needs_schema").await?;
        migrations::check_need(needs.as_deref(), &migrator)?;
    }
    if found < needed {
        // A migration must not time out; the connection with this setting is closed afterwards.
        acquired.close_on_drop();
        let connection = &mut *acquired;
        sqlx::query("set statement_timeout = 0")
            .execute(&mut *connection)
            .await?;
        // Takes an advisory lock: if several servers start at once, one migrates and the others wait.
        migrator.run(&mut *connection).await?;
        sqlx::query(
            "insert into database_facts (name, value) values ('database_id', $1) \
             on conflict do nothing",
        )
        .bind(Uuid::new_v4().to_string())
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// Reads the number of the last migration; 0 in an empty database.
async fn applied(connection: &mut PgConnection) -> Result<i64> {
    let row = sqlx::query("select to_regclass('_sqlx_migrations') is not null")
        .fetch_one(&mut *connection)
        .await?;
    if !row.try_get::<bool, _>(0)? {
        return Ok(0);
    }
    // A database without its id is incomplete, whichever migrations were applied.
    let row = sqlx::query(
        "select coalesce(max(version), 0) from _sqlx_migrations where success \
         and to_regclass('database_facts') is not null",
    )
    .fetch_one(&mut *connection)
    .await?;
    let version = row.try_get(0)?;
    match version > 0 && fact(connection, "database_id").await?.is_none() {
        true => Ok(0),
        false => Ok(version),
    }
}

async fn fact(connection: &mut PgConnection, name: &str) -> Result<Option<String>> {
    let row = sqlx::query("select value from database_facts where name = $1")
        .bind(name)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// Reads the database's own id.
pub(super) async fn database_id(connection: &mut PgConnection) -> Result<Uuid> {
    let id = fact(connection, "database_id").await?;
    id_of(&id.unwrap_or_default())
}

/// Whether an error says that stored data is damaged: data_corrupted, index_corrupted, io_error or
/// undefined_file.
fn is_damage(error: &dyn DatabaseError) -> bool {
    let damage = ["XX001", "XX002", "58030", "58P01"];
    error.code().is_some_and(|code| damage.contains(&&*code))
}

/// Reads every row of every table, which finds damaged pages if the cluster has checksums, and tries a
/// write, which is rolled back. Returns what is damaged.
pub(super) async fn integrity(primary: &Cluster) -> Result<Option<String>> {
    let mut transaction = primary.begin().await?;
    // Reading everything must not time out.
    sqlx::query("set local statement_timeout = 0")
        .execute(&mut *transaction)
        .await?;
    for table in TABLES {
        let all = sqlx::AssertSqlSafe(format!("select count(t.*::text) from {table} t"));
        match sqlx::query(all).fetch_one(&mut *transaction).await {
            Ok(_) => {}
            Err(sqlx::Error::Database(error)) if is_damage(error.as_ref()) => {
                return Ok(Some(format!("table {table}: {error}")));
            }
            Err(error) => return Err(error.into()),
        }
    }
    sqlx::query("update heads set seq = seq")
        .execute(&mut *transaction)
        .await?;
    transaction.roll_back().await?;
    Ok(None)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use recall_kit_tests_postgres::Cluster;

    use super::TABLES;
    use crate::{StoreOptions, open};

    #[tokio::test]
    async fn the_integrity_check_reads_every_table() {
        let cluster = Cluster::start();
        let name = cluster.database();
        let options = StoreOptions::new(cluster.url(&name), Duration::from_secs(5));
        let store = open(&options).await.unwrap();
        assert_eq!(store.integrity().await.unwrap(), None);
        let tables = cluster.sql(
            &name,
            "select string_agg(table_name, ' ') from information_schema.tables \
             where table_schema = current_schema() and table_name <> '_sqlx_migrations'",
        );
        let mut tables: Vec<&str> = tables.split_whitespace().collect();
        let mut read = TABLES;
        tables.sort_unstable();
        read.sort_unstable();
        assert_eq!(tables, read);
    }
}
