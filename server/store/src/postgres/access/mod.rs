//! Access control: API keys and users.

mod people;

use jiff::Timestamp;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// Writes when keys were last used; a later time that another server wrote is kept.
pub(super) async fn note_key_uses(
    transaction: &mut PgConnection,
    uses: &[(Uuid, Timestamp)],
) -> Result<()> {
    let (ids, moments): (Vec<String>, Vec<i64>) = uses
        .iter()
        .map(|(id, at)| (id.to_string(), at.as_microsecond()))
        .unzip();
    sqlx::query(
        "update api_keys k set last_used_at = greatest(k.last_used_at, used.at) \
         from (select id, max(at) as at from unnest($1::text[], $2::bigint[]) as u(id, at) group by id) \
         as used where k.id = used.id",
    )
    .bind(ids)
    .bind(moments)
    .execute(transaction)
    .await?;
    Ok(())
}
