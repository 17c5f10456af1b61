//! The model that made the database's vectors.

use super::{Dialects, SqlConnection, query};
use crate::{Result, StoreError};

/// Reads the database's model.
pub(crate) async fn model(connection: &mut impl SqlConnection) -> Result<Option<String>> {
    let model: Option<(String,)> =
        query("select value from database_facts where name = 'embedding_model'")
            .fetch_optional(connection)
            .await?;
    Ok(model.map(|(model,)| model))
}

/// Makes a model the database's model if it has none ([`StoreError::OtherModel`] if it has another).
pub(crate) async fn claim(connection: &mut impl SqlConnection, configured: &str) -> Result<()> {
    query(
        "insert into database_facts (name, value) values ('embedding_model', $1) \
         on conflict (name) do nothing",
    )
    .bind(configured)
    .execute(connection)
    .await?;
    // Written by this process or by one that was faster.
    let stored = model(connection).await?.unwrap_or_default();
    check_claim(stored, configured)
}

/// Checks that the stored model is the configured one.
///
/// *Errors*: [`StoreError::OtherModel`].
pub(crate) fn check_claim(stored: String, configured: &str) -> Result<()> {
    match stored == configured {
        true => Ok(()),
        false => Err(StoreError::OtherModel {
            stored,
            configured: configured.to_owned(),
        }),
    }
}

/// Checks, inside a write transaction, that a model is still the database's model.
///
/// *Errors*: [`StoreError::ModelReplaced`].
pub(crate) async fn check_model(connection: &mut impl SqlConnection, model: &str) -> Result<()> {
    let check = connection.dialect(Dialects {
        sqlite: "select 1 from database_facts where name = 'embedding_model' and value = $1",
        // The lock keeps other servers from replacing the model before the commit.
        postgres: "select 1 from database_facts where name = 'embedding_model' and value = $1 \
                   for share",
    });
    let current: Option<(i32,)> = query(check).bind(model).fetch_optional(connection).await?;
    current.map(|_| ()).ok_or(StoreError::ModelReplaced)
}

/// Replaces the database's model.
pub(crate) async fn replace(connection: &mut impl SqlConnection, model: &str) -> Result<()> {
    query(
        "insert into database_facts (name, value) values ('embedding_model', $1) \
         on conflict (name) do update set value = excluded.value",
    )
    .bind(model)
    .execute(connection)
    .await?;
    Ok(())
}
