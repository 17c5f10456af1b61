//! The schema of a file: brought up to date, or found to be.

use sqlx::{Connection as _, Row, SqliteConnection};
use uuid::Uuid;

use crate::{Result, database::migrations};

/// Migrates a file where migrations are missing. Otherwise a start writes nothing, and so works while
/// another process writes, when the file is read-only, and when a newer program was here.
///
/// *Errors*: [`crate::StoreError::NewerSchema`], else what the database said.
pub(super) async fn prepare(connection: &mut SqliteConnection) -> Result<()> {
    let migrator = migrations::sqlite();
    // Whatever goes wrong here, the migration says it better.
    let applied = applied(connection).await.unwrap_or_default();
    if let Some((_, needs)) = &applied {
        migrations::check_need(needs.as_deref(), &migrator)?;
    }
    if applied.is_none_or(|(found, _)| found < migrations::newest(&migrator)) {
        migrate(connection).await?;
    }
    Ok(())
}

/// Reads the number of the last migration, and the schema that the database asks programs for; `None`
/// where the database is not complete.
async fn applied(connection: &mut SqliteConnection) -> sqlx::Result<Option<(i64, Option<String>)>> {
    let row = sqlx::query(
        "select max(version), \
         (select value from database_facts where name = 'needs_schema') \
         from _sqlx_migrations where success \
         and exists (select 1 from database_facts where name = 'database_id')",
    )
    .fetch_one(connection)
    .await?;
    let version: Option<i64> = row.try_get(0)?;
    let needs = row.try_get(1)?;
    Ok(version.map(|version| (version, needs)))
}

/// Applies missing migrations inside one immediate transaction, so that of two processes
/// starting at once the second waits and then finds nothing left to do.
async fn migrate(connection: &mut SqliteConnection) -> Result<()> {
    let mut write = connection.begin_with("begin immediate").await?;
    migrations::sqlite().run(&mut *write).await?;
    sqlx::query(
        "insert into database_facts (name, value) values ('database_id', ?) on conflict do nothing",
    )
    .bind(Uuid::new_v4().to_string())
    .execute(&mut *write)
    .await?;
    write.commit().await?;
    Ok(())
}
