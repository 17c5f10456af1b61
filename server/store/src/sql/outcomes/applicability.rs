//! Where experiences apply, as it is stored.

use std::collections::{HashMap, HashSet};

use recall_kit_shared_types::applicability::Applies;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    ExperienceContent, ReadTexts, Result, StoredApplicability, UnreadExperience, UnreadExperiences,
    database::columns::{count_of, damaged, id_of, integer_of, json_of, known_of},
    experiences::observed::observed,
    sql::{Columns, Id, SqlConnection, query},
};

/// Selects what [`StoredApplicability`] is read from.
macro_rules! select_applicability {
    () => {
        "select experience_id, revision, applies, observed from applicability "
    };
}

/// Returns the next revision. Other transactions that need one wait for the commit of this one, so that revisions are
/// committed in their order.
pub(crate) async fn next_revision(connection: &mut impl SqlConnection) -> Result<u64> {
    query("update applicability_head set revision = revision + 1 where id = 1 returning revision")
        .fetch_count(connection)
        .await
}

/// Reads the rows with a higher revision, ordered by it.
pub(crate) async fn after(
    connection: &mut impl SqlConnection,
    revision: u64,
    limit: u32,
) -> Result<Vec<StoredApplicability>> {
    query(concat!(
        select_applicability!(),
        "where revision > $1 order by revision limit $2"
    ))
    .bind(integer_of(revision))
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads rows by experience.
pub(crate) async fn of(
    connection: &mut impl SqlConnection,
    experiences: &[Uuid],
) -> Result<Vec<StoredApplicability>> {
    if experiences.is_empty() {
        return Ok(Vec::new());
    }
    query(concat!(
        select_applicability!(),
        "where experience_id = any($1)"
    ))
    .bind(experiences)
    .fetch_all(connection)
    .await
}

/// Up to which `seq` texts were read, and by which version of the reader.
struct Mark {
    read_up_to: u64,
    reader: i64,
}

impl<'r, R: Columns> FromRow<'r, R> for Mark {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            read_up_to: count_of(row.read("read_up_to")?),
            reader: row.read("reader")?,
        })
    }
}

/// Returns the mark after which a reader goes on; `None` if a later version of it reads the texts.
async fn mark_of(connection: &mut impl SqlConnection, reader: u32) -> Result<Option<u64>> {
    let mark: Mark = query("select read_up_to, reader from applicability_head where id = 1")
        .fetch_one(connection)
        .await?;
    Ok(match mark.reader.cmp(&i64::from(reader)) {
        std::cmp::Ordering::Less => Some(0),
        std::cmp::Ordering::Equal => Some(mark.read_up_to),
        std::cmp::Ordering::Greater => None,
    })
}

/// Reads the next experiences whose texts have to be read.
pub(crate) async fn unread(
    connection: &mut impl SqlConnection,
    reader: u32,
    limit: u32,
) -> Result<UnreadExperiences> {
    let Some(after) = mark_of(connection, reader).await? else {
        return Ok(UnreadExperiences::default());
    };
    let experiences = query(
        "select seq, id, title, problem_description, root_cause, solution, context, keywords, applies \
         from experiences where seq > $1 order by seq limit $2",
    )
    .bind(integer_of(after))
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(UnreadExperiences { after, experiences })
}

/// Stores what was read, and moves the mark, unless that was moved meanwhile.
pub(crate) async fn put_read(
    connection: &mut impl SqlConnection,
    read: &ReadTexts,
) -> Result<bool> {
    // The head is locked first, so that the mark stays as it is read.
    let mut revision = next_revision(connection).await?;
    if mark_of(connection, read.reader).await? != Some(read.after) {
        return Ok(false);
    }
    let ids: Vec<Uuid> = read.applies.iter().map(|(id, _)| *id).collect();
    let stored = of(connection, &ids).await?;
    let stored: HashMap<Uuid, StoredApplicability> = stored
        .into_iter()
        .map(|stored| (stored.experience, stored))
        .collect();
    let existing = existing(connection, &ids).await?;
    for (id, applies) in &read.applies {
        let is_known = match stored.get(id) {
            Some(stored) => stored.applies == *applies,
            None => applies.is_empty(),
        };
        if !is_known && existing.contains(id) {
            let observed = stored.get(id).map(|stored| stored.observed.as_slice());
            put(
                connection,
                *id,
                (applies, observed.unwrap_or_default()),
                revision,
            )
            .await?;
            revision = next_revision(connection).await?;
        }
    }
    query("update applicability_head set read_up_to = $1, reader = $2 where id = 1")
        .bind(integer_of(read.up_to))
        .bind(read.reader)
        .execute(connection)
        .await?;
    Ok(true)
}

/// Returns which experiences exist.
async fn existing(connection: &mut impl SqlConnection, ids: &[Uuid]) -> Result<HashSet<Uuid>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let existing: Vec<Id> = query("select id from experiences where id = any($1)")
        .bind(ids)
        .fetch_all(connection)
        .await?;
    Ok(existing.into_iter().map(|id| id.0).collect())
}

/// Stores what is known of an experience with a revision.
pub(crate) async fn put(
    connection: &mut impl SqlConnection,
    experience: Uuid,
    (applies, observed): (&[Applies], &[Applies]),
    revision: u64,
) -> Result<()> {
    query(
        "insert into applicability (experience_id, revision, applies, observed) values ($1, $2, $3, $4) \
         on conflict (experience_id) do update set revision = excluded.revision, \
         applies = excluded.applies, observed = excluded.observed",
    )
    .bind(experience)
    .bind(integer_of(revision))
    .bind(json_of(applies))
    .bind(json_of(observed))
    .execute(connection)
    .await?;
    Ok(())
}

/// Computes what outcomes say about where an experience applies, after one with an environment was stored.
pub(crate) async fn observe(connection: &mut impl SqlConnection, experience: Uuid) -> Result<()> {
    let revision = next_revision(connection).await?;
    let outcomes = super::with_environment(connection, experience).await?;
    let observed = observed(&outcomes);
    let stored = of(connection, &[experience]).await?.pop();
    let stored = stored.map(|stored| (stored.applies, stored.observed));
    let (applies, before) = stored.unwrap_or_default();
    match observed == before {
        true => Ok(()),
        false => put(connection, experience, (&applies, &observed), revision).await,
    }
}

impl<'r, R: Columns> FromRow<'r, R> for UnreadExperience {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            seq: count_of(row.read("seq")?),
            id: id_of(row.read("id")?)?,
            content: ExperienceContent::from_row(row)?,
        })
    }
}

impl<'r, R: Columns> FromRow<'r, R> for StoredApplicability {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("experience_id")?;
        let list = |name: &str| -> sqlx::Result<Vec<Applies>> {
            let text: &str = row.read(name)?;
            Ok(known_of(text).map_err(|_| damaged("applicability", id))?)
        };
        Ok(Self {
            experience: id_of(id)?,
            revision: count_of(row.read("revision")?),
            applies: list("applies")?,
            observed: list("observed")?,
        })
    }
}
