//! The schema of a file: migrated if necessary.

use sqlx::{Connection as _, Row, SqliteConnection};
use uuid::Uuid;

use crate::{Result, database::migrations};

/// Migrates a file if migrations are missing. Otherwise it writes nothing, so that opening works while
/// another process writes, if the file is read-only, and after a newer version of the program migrated it.
///
/// *Errors*: [`crate::StoreError::NewerSchema`], otherwise the database's error.
pub(super) async fn prepare(connection: &mut SqliteConnection) -> Result<()> {
    let migrator = migrations::sqlite();
    // If this read fails, the migration below fails with a better error.
    let applied = applied(connection).await.unwrap_or_default();
    if let Some((_, needs)) = &applied {
        migrations::check_need(needs.as_deref(), &migrator)?;
    }
    if applied.is_none_or(|(found, _)| found < migrations::newest(&migrator)) {
        migrate(connection).await?;
    }
    Ok(())
}

/// Reads the number of the last migration, and the schema that the database requires of programs; `None`
/// if the database is incomplete.
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

/// Applies missing migrations inside one immediate transaction, so that if two processes start at once, the
/// second one waits and then has nothing to do.
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
