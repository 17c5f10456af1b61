//! Content hashes of experiences: computed for records that an older version of the program wrote, and
//! looked up.

use sqlx::FromRow;
use uuid::Uuid;

use super::ExperienceWrites;
use crate::{
    ExperienceContent, Result,
    database::columns::id_of,
    experiences::content_hash::content_hash,
    sql::{Columns, Dialects, Family, SqlConnection, query},
};

/// Whether there are records whose hashes may be missing or wrong.
pub(crate) async fn lag(connection: &mut impl SqlConnection) -> Result<bool> {
    let lag = connection.dialect(Dialects {
        sqlite: "select hashed < seq from head",
        postgres: "select hashed < seq from heads where family = 'experiences'",
    });
    query(lag).fetch_scalar(connection).await
}

/// Selects records with a condition.
macro_rules! select_contents {
    ($condition:literal) => {
        concat!(
            "select seq, id, title, problem_description, root_cause, solution, context, keywords, applies \
             from experiences where ",
            $condition
        )
    };
}

/// Hashes the next records whose hashes may be missing, inside a transaction; returns how many.
pub(crate) async fn hash_next(connection: &mut impl ExperienceWrites, limit: u32) -> Result<u64> {
    connection.lock_family(Family::Experiences).await?;
    if !lag(connection).await? {
        return Ok(0);
    }
    let next = connection.dialect(Dialects {
        sqlite: select_contents!("seq > (select hashed from head) order by seq limit $1"),
        postgres: select_contents!(
            "seq > (select hashed from heads where family = 'experiences') order by seq limit $1"
        ),
    });
    let records: Vec<HashedRow> = query(next).bind(limit).fetch_all(connection).await?;
    let hashes: Vec<_> = records.iter().map(|row| (row.id, row.hash)).collect();
    connection.put_hashes(&hashes).await?;
    let are_all = records.len() < limit as usize;
    let update = connection.dialect(Dialects {
        sqlite: "update head set hashed = case when $1 then seq else coalesce($2, hashed) end",
        postgres: "update heads set hashed = case when $1 then seq else coalesce($2, hashed) end \
                   where family = 'experiences'",
    });
    query(update)
        .bind(are_all)
        .bind(records.last().map(|row| row.seq))
        .execute(connection)
        .await?;
    Ok(records.len() as u64)
}

/// Returns the visible record with a content hash, inside a transaction that has locked the family.
pub(crate) async fn record_with(
    connection: &mut impl ExperienceWrites,
    hash: &[u8; 32],
) -> Result<Option<Uuid>> {
    let with_hash = connection.dialect(Dialects {
        sqlite: select_contents!(
            "content_hash = $1 and coalesce(hidden_at, deleted_at) is null \
             order by created_at, id limit 1"
        ),
        postgres: select_contents!("id = experience_with_hash($1)"),
    });
    loop {
        let found: Option<HashedRow> = query(with_hash)
            .bind(hash)
            .fetch_optional(connection)
            .await?;
        match found {
            None => return Ok(None),
            Some(row) if row.hash == *hash => return Ok(Some(row.id)),
            // An older version of the program changed the record without updating its hash.
            Some(row) => connection.put_hashes(&[(row.id, row.hash)]).await?,
        }
    }
}

/// A record with the hash of its texts.
struct HashedRow {
    seq: i64,
    id: Uuid,
    hash: [u8; 32],
}

impl<'r, R: Columns> FromRow<'r, R> for HashedRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            seq: row.read("seq")?,
            id: id_of(row.read("id")?)?,
            hash: content_hash(&ExperienceContent::from_row(row)?),
        })
    }
}
