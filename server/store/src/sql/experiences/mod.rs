//! Experience records: read by id and in commit order, and what their insertion shares.

pub(crate) mod changes;
pub(crate) mod content_hashes;
pub(crate) mod submissions;
pub(crate) mod transfer;
pub(crate) mod vectors;

use jiff::Timestamp;
use recall_kit_shared_types::applicability::Applies;
use sqlx::FromRow;
use uuid::Uuid;

use super::{Columns, Dialects, Id, SqlConnection, query};
use crate::{
    Experience, ExperienceContent, ExperienceVector, IndexRow, IndexedExperience, NewCount,
    QueryCount, Result, StoredExperience,
    database::columns::{count_of, damaged, id_of, integer_of, known_of, timestamp_of},
};

/// Writes of many rows: SQLite writes them one by one, PostgreSQL in one statement.
pub(crate) trait ExperienceWrites: SqlConnection {
    /// Writes records at the next `seq`s, in their order, and their vectors as vectors of `model` (no vectors
    /// if `None`).
    fn insert_records(
        &mut self,
        model: Option<&str>,
        new: &[&StoredExperience],
    ) -> impl Future<Output = Result<()>> + Send;
    /// Writes the vectors whose records still have the embedded version and no vector of the model, and moves
    /// these records to the next `seq`s, so that every index reads them again; returns how many vectors were
    /// written.
    fn write_vectors(
        &mut self,
        model: &str,
        vectors: &[ExperienceVector],
    ) -> impl Future<Output = Result<u64>> + Send;
    /// Writes content hashes of records.
    fn put_hashes(
        &mut self,
        hashes: &[(Uuid, [u8; 32])],
    ) -> impl Future<Output = Result<()>> + Send;
    /// Adds query counts.
    fn add_query_counts(
        &mut self,
        counts: &[NewCount],
        now: Timestamp,
    ) -> impl Future<Output = Result<()>> + Send;
}

/// Selects what [`Experience`] is read from.
macro_rules! select_experiences {
    () => {
        "select id, title, problem_description, root_cause, solution, context, keywords, applies, query_count, \
         popularity, created_at from experiences "
    };
}

/// Reads records by id, including hidden and deleted ones.
pub(crate) async fn by_ids(
    connection: &mut impl SqlConnection,
    ids: &[Uuid],
) -> Result<Vec<Experience>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    query(concat!(select_experiences!(), "where id = any($1)"))
        .bind(ids)
        .fetch_all(connection)
        .await
}

/// Reads visible records by id.
///
/// The condition is deliberately not written as in the partial indexes for lists: as long as the table is
/// not analysed, PostgreSQL's planner would scan such an index completely instead of looking up ids.
pub(crate) async fn visible(
    connection: &mut impl SqlConnection,
    ids: &[Uuid],
) -> Result<Vec<Experience>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    // Every query reads its results here, so the statement is not translated anew each time.
    let visible = connection.dialect(Dialects {
        sqlite: concat!(
            select_experiences!(),
            "where id in (select value from json_each($1)) \
             and coalesce(hidden_at, deleted_at) is null"
        ),
        postgres: concat!(
            select_experiences!(),
            "where id = any($1) and coalesce(hidden_at, deleted_at) is null"
        ),
    });
    query(visible).bind(ids).fetch_all(connection).await
}

/// Reads ids with a prefix, as a range of the index on ids; of all records or of visible ones.
pub(crate) async fn with_prefix(
    connection: &mut impl SqlConnection,
    prefix: &str,
    (limit, all): (u32, bool),
) -> Result<Vec<Uuid>> {
    // Every character of an id comes before `~`.
    let ids: Vec<Id> = query(
        "select id from experiences where id >= $1 and id < $2 \
         and ($3 or coalesce(hidden_at, deleted_at) is null) order by id limit $4",
    )
    .bind(prefix)
    .bind(format!("{prefix}~"))
    .bind(all)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(ids.into_iter().map(|id| id.0).collect())
}

/// Reads records in commit order.
pub(crate) async fn after(
    connection: &mut impl SqlConnection,
    seq: u64,
    limit: u32,
) -> Result<Vec<IndexedExperience>> {
    query(
        "select e.seq, e.id, e.title, e.problem_description, e.root_cause, e.solution, e.context, e.keywords, \
         e.applies, e.query_count, e.popularity, e.created_at, v.vector, \
         (e.hidden_at is not null or e.deleted_at is not null) as is_gone from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > $1 order by e.seq limit $2",
    )
    .bind(integer_of(seq))
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads the index rows, without texts, of records after one `seq` and up to another.
pub(crate) async fn index_rows(
    connection: &mut impl SqlConnection,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>> {
    query(
        "select e.seq, e.id, e.query_count, e.popularity, e.created_at, v.vector, \
         (e.hidden_at is not null or e.deleted_at is not null) as is_gone from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > $1 and e.seq <= $2 order by e.seq limit $3",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads the counts written at or after a point in time.
pub(crate) async fn counts_since(
    connection: &mut impl SqlConnection,
    moment: Timestamp,
) -> Result<Vec<QueryCount>> {
    query(
        "select id, query_count, popularity from experiences where updated_at >= $1 \
         and (query_count > 0 or popularity > 0)",
    )
    .bind(moment)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for Experience {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: id_of(id)?,
            content: ExperienceContent::from_row(row)?,
            query_count: count_of(row.read("query_count")?),
            popularity: count_of(row.read("popularity")?),
            created_at: timestamp_of(row.read("created_at")?, id)?,
        })
    }
}

impl<'r, R: Columns> FromRow<'r, R> for ExperienceContent {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            title: row.text("title")?,
            problem_description: row.text("problem_description")?,
            root_cause: row.optional_text("root_cause")?,
            solution: row.text("solution")?,
            context: row.optional_text("context")?,
            keywords: keywords_of(row)?,
            applies: applies_of(row)?,
        })
    }
}

fn keywords_of(row: &impl Columns) -> Result<Vec<String>> {
    let keywords: &str = row.read("keywords")?;
    match serde_json::from_str(keywords) {
        Ok(keywords) => Ok(keywords),
        Err(_) => Err(damaged("keywords", row.read("id")?)),
    }
}

fn applies_of(row: &impl Columns) -> Result<Option<Vec<Applies>>> {
    let applies: Option<&str> = row.read("applies")?;
    let applies = applies.map(known_of).transpose();
    applies.or_else(|_| Err(damaged("applies", row.read("id")?)))
}

impl<'r, R: Columns> FromRow<'r, R> for IndexedExperience {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let index_row = IndexRow::from_row(row)?;
        Ok(Self {
            content: match index_row.is_gone {
                true => None,
                false => Some(ExperienceContent::from_row(row)?),
            },
            row: index_row,
        })
    }
}

/// Of an experience.
impl<'r, R: Columns> FromRow<'r, R> for IndexRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            seq: count_of(row.read("seq")?),
            id: id_of(id)?,
            created_at: timestamp_of(row.read("created_at")?, id)?,
            query_count: count_of(row.read("query_count")?),
            popularity: count_of(row.read("popularity")?),
            vector: row.read("vector")?,
            is_gone: row.read("is_gone")?,
        })
    }
}

/// Of an experience.
impl<'r, R: Columns> FromRow<'r, R> for QueryCount {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            id: id_of(row.read("id")?)?,
            query_count: count_of(row.read("query_count")?),
            popularity: count_of(row.read("popularity")?),
        })
    }
}
