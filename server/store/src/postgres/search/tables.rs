//! The search tables and their indexes: created, emptied, checked.

use sqlx::{AssertSqlSafe, PgConnection, Row, migrate::Migrate as _};

use crate::{Result, SearchUnavailable, sql::models};

/// The format of terms and passages; it is incremented with changes of the stemmer and of the language
/// map. Tables of an older format are created anew.
const FORMAT: i32 = 2;
/// Every table; tables that refer to others come first.
const TABLES: [&str; 4] = [
    "experience_passages",
    "experience_search",
    "experience_terms",
    "experience_search_state",
];
/// PostgreSQL's error code insufficient_privilege.
const NOT_ALLOWED: &str = "42501";
/// Maximum number of dimensions that pgvector can index as `halfvec`.
const MOST_DIMENSIONS: i32 = 4_000;

/// Creates the extension and the tables if they are missing, and empties the tables if the database's
/// model was replaced.
pub(super) async fn prepare(connection: &mut PgConnection, migrate: bool) -> Result<()> {
    // The lock of the migrations: if several servers start at once, one of them creates the tables.
    connection.lock().await?;
    let prepared = prepare_locked(connection, migrate).await;
    connection.unlock().await?;
    prepared
}

async fn prepare_locked(connection: &mut PgConnection, migrate: bool) -> Result<()> {
    prepare_extension(connection, migrate).await?;
    if format(connection).await? < FORMAT {
        if !migrate {
            return Err(SearchUnavailable::NoTables.into());
        }
        create(connection).await?;
    }
    let row = sqlx::query("select model from experience_search_state")
        .fetch_one(&mut *connection)
        .await?;
    let made_with: Option<String> = row.try_get(0)?;
    let model = models::model(connection).await?;
    if made_with.is_some() && made_with != model {
        if !migrate {
            return Err(SearchUnavailable::NoTables.into());
        }
        tracing::info!("the model of the vectors was replaced; the records are indexed again");
        let mut transaction = sqlx::Connection::begin(&mut *connection).await?;
        empty(&mut transaction).await?;
        transaction.commit().await?;
    }
    sqlx::query("update experience_search_state set model = $1 where model is distinct from $1")
        .bind(model)
        .execute(connection)
        .await?;
    Ok(())
}

/// Checks that the extension exists in a usable version, and creates it if it is missing.
async fn prepare_extension(connection: &mut PgConnection, create: bool) -> Result<()> {
    let row = sqlx::query(
        "select (select extversion from pg_extension where extname = 'vector'), \
         exists (select from pg_available_extensions where name = 'vector')",
    )
    .fetch_one(&mut *connection)
    .await?;
    let (version, is_installed): (Option<String>, bool) = (row.try_get(0)?, row.try_get(1)?);
    if version.is_none() {
        if !is_installed {
            return Err(SearchUnavailable::NotInstalled.into());
        }
        if !create {
            return Err(SearchUnavailable::NotCreated.into());
        }
        let created = sqlx::query("create extension if not exists vector");
        match created.execute(&mut *connection).await {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(NOT_ALLOWED) => {
                return Err(SearchUnavailable::NotCreated.into());
            }
            created => created?,
        };
    }
    let row = sqlx::query("select to_regtype('halfvec') is not null")
        .fetch_one(connection)
        .await?;
    match row.try_get(0)? {
        true => Ok(()),
        false => Err(SearchUnavailable::TooOld(version.unwrap_or_default()).into()),
    }
}

/// Reads the format of the tables; 0 if there are none.
async fn format(connection: &mut PgConnection) -> Result<i32> {
    let row = sqlx::query("select to_regclass('experience_search_state') is not null")
        .fetch_one(&mut *connection)
        .await?;
    if !row.try_get::<bool, _>(0)? {
        return Ok(0);
    }
    let row = sqlx::query("select coalesce(max(format), 0) from experience_search_state")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get(0)?)
}

/// Creates the tables, replacing older ones.
async fn create(connection: &mut PgConnection) -> Result<()> {
    let mut transaction = sqlx::Connection::begin(connection).await?;
    let drop = format!("drop table if exists {}", TABLES.join(", "));
    sqlx::raw_sql(AssertSqlSafe(drop))
        .execute(&mut *transaction)
        .await?;
    sqlx::raw_sql(include_str!("tables.sql"))
        .execute(&mut *transaction)
        .await?;
    sqlx::query(
        "insert into experience_search_state (format, records, length, with_vector) \
         values ($1, 0, 0, 0)",
    )
    .bind(FORMAT)
    .execute(&mut *transaction)
    .await?;
    sqlx::query(
        "insert into heads (family, seq) values ('experience_search', 0) \
         on conflict (family) do update set seq = 0",
    )
    .execute(&mut *transaction)
    .await?;
    Ok(transaction.commit().await?)
}

/// Empties the tables inside a transaction, and drops the index of the vectors, since the next vectors may
/// have other dimensions.
pub(super) async fn empty(transaction: &mut PgConnection) -> Result<()> {
    sqlx::raw_sql(
        "update heads set seq = 0 where family = 'experience_search'; \
         truncate experience_search, experience_passages, experience_terms; \
         drop index if exists experience_passages_embedding; \
         update experience_search_state set dimensions = null, records = 0, length = 0, with_vector = 0",
    )
    .execute(transaction)
    .await?;
    Ok(())
}

/// Creates the index of the vectors, unless there is one, another server is creating it, or there are no
/// vectors; returns whether there is one. Records can be added and found meanwhile. The connection must
/// be closed afterwards, since its settings are changed.
pub(super) async fn index_vectors(connection: &mut PgConnection) -> Result<bool> {
    let row = sqlx::query("select dimensions from experience_search_state")
        .fetch_one(&mut *connection)
        .await?;
    let dimensions: Option<i32> = row.try_get(0)?;
    let Some(dimensions) = dimensions.filter(|some| *some <= MOST_DIMENSIONS) else {
        return Ok(false);
    };
    if is_complete(connection).await? == Some(true) {
        return Ok(true);
    }
    if !try_lock_index(connection).await? {
        return Ok(false);
    }
    if is_complete(connection).await? == Some(false) {
        // Left behind by a server that exited while it created the index.
        sqlx::query("drop index concurrently experience_passages_embedding")
            .execute(&mut *connection)
            .await?;
    }
    // It must not time out. It uses one process: several need shared memory that a container may lack.
    for setting in [
        "set statement_timeout = 0",
        "set maintenance_work_mem = '512MB'",
        "set max_parallel_maintenance_workers = 0",
    ] {
        sqlx::query(setting).execute(&mut *connection).await?;
    }
    let create = format!(
        "create index concurrently if not exists experience_passages_embedding \
         on experience_passages using hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops)"
    );
    sqlx::query(AssertSqlSafe(create))
        .execute(connection)
        .await?;
    Ok(true)
}

/// Whether the index of the vectors is complete; `None` if there is none.
async fn is_complete(connection: &mut PgConnection) -> Result<Option<bool>> {
    let row = sqlx::query(
        "select indisvalid from pg_index \
         where indexrelid = to_regclass('experience_passages_embedding')",
    )
    .fetch_optional(connection)
    .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// Takes the advisory lock for creating the index until the connection is closed; `false` if another
/// server holds it.
async fn try_lock_index(connection: &mut PgConnection) -> Result<bool> {
    let row = sqlx::query("select pg_try_advisory_lock(hashtext('experience_passages_embedding'))")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get(0)?)
}
