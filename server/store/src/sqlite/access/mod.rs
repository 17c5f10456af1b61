//! Access control: API keys and users.

mod people;

use jiff::Timestamp;
use sqlx::SqliteConnection;
use uuid::Uuid;

use crate::{Result, sql::query};

/// Writes when keys were last used; a later time that another process wrote is kept.
pub(super) async fn note_key_uses(
    write: &mut SqliteConnection,
    uses: &[(Uuid, Timestamp)],
) -> Result<()> {
    for (id, at) in uses {
        query(
            "update api_keys set last_used_at = max(coalesce(last_used_at, $1), $1) where id = $2",
        )
        .bind(*at)
        .bind(*id)
        .execute(write)
        .await?;
    }
    Ok(())
}
