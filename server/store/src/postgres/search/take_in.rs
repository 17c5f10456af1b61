//! Taking records in: their words, their vectors, and what all records come to.

use std::{collections::HashMap, fmt::Write as _};

use sqlx::{PgConnection, Row};

use super::super::text::{given, kept};
use crate::{
    Result, SearchDocument,
    database::columns::{count_of, integer_of},
};

/// What taking records in changes about all of them.
#[derive(Default)]
struct Change {
    records: i64,
    length: i64,
    with_vector: i64,
    /// By term: how many records more have it.
    terms: HashMap<String, i64>,
}

impl Change {
    /// Counts a record in, or, with -1, out.
    fn count(&mut self, times: i64, terms: Vec<String>, length: i64, has_vector: bool) {
        self.records += times;
        self.length += times * length;
        self.with_vector += times * i64::from(has_vector);
        for term in terms {
            *self.terms.entry(term).or_default() += times;
        }
    }
}

/// Takes in the next records after a `seq`, unless another server has been there.
pub(super) async fn take_in(
    transaction: &mut PgConnection,
    after: u64,
    records: &[SearchDocument],
) -> Result<bool> {
    let row = sqlx::query("select seq from heads where family = 'experience_search' for update")
        .fetch_one(&mut *transaction)
        .await?;
    let up_to = count_of(row.try_get(0)?);
    let Some(last) = records.last().filter(|_| up_to == after) else {
        return Ok(false);
    };
    let dimensions = dimensions(transaction, records).await?;
    let mut change = Change::default();
    remove(transaction, records, &mut change).await?;
    for record in records.iter().filter(|record| !record.is_gone) {
        let fits = |passage: &&Vec<f32>| Some(passage.len()) == dimensions;
        let passages: Vec<String> = record.passages.iter().filter(fits).map(literal).collect();
        change.count(
            1,
            record.terms.clone(),
            i64::from(record.length),
            !passages.is_empty(),
        );
        insert(transaction, record, &passages).await?;
    }
    count(transaction, change, dimensions).await?;
    sqlx::query("update heads set seq = $1 where family = 'experience_search'")
        .bind(integer_of(last.seq))
        .execute(transaction)
        .await?;
    Ok(true)
}

/// Returns the dimensions of the vectors: the first that come set them.
async fn dimensions(
    transaction: &mut PgConnection,
    records: &[SearchDocument],
) -> Result<Option<usize>> {
    let row = sqlx::query("select dimensions from experience_search_state")
        .fetch_one(transaction)
        .await?;
    let known = row.try_get::<Option<i32>, _>(0)?.map(i64::from);
    let first = || records.iter().flat_map(|record| &record.passages).next();
    Ok(known
        .map(|known| count_of(known) as usize)
        .or_else(|| first().map(Vec::len)))
}

/// Removes earlier versions, and what is gone.
async fn remove(
    transaction: &mut PgConnection,
    records: &[SearchDocument],
    change: &mut Change,
) -> Result<()> {
    let ids: Vec<String> = records.iter().map(|record| record.id.to_string()).collect();
    let removed = sqlx::query(
        "delete from experience_search where id = any($1) \
         returning tsvector_to_array(terms), length, passages",
    )
    .bind(ids)
    .fetch_all(transaction)
    .await?;
    for row in removed {
        let terms: Vec<String> = row.try_get(0)?;
        let terms = terms.into_iter().map(given).collect();
        let length = i64::from(row.try_get::<i32, _>(1)?);
        change.count(-1, terms, length, row.try_get::<i32, _>(2)? > 0);
    }
    Ok(())
}

/// Writes a record and its vectors.
async fn insert(
    transaction: &mut PgConnection,
    record: &SearchDocument,
    passages: &[String],
) -> Result<()> {
    let terms: Vec<_> = record.terms.iter().map(|term| kept(term)).collect();
    sqlx::query(
        "with record as (\
            insert into experience_search (id, terms, frequencies, length, passages) \
            values ($1, array_to_tsvector($2::text[]), $3, $4, cardinality($5::text[])) returning id) \
         insert into experience_passages (experience_id, embedding) \
         select record.id, passage::halfvec from record, unnest($5::text[]) as passage",
    )
    .bind(record.id.to_string())
    .bind(terms)
    .bind(&record.frequencies)
    .bind(i32::try_from(record.length).unwrap_or(i32::MAX))
    .bind(passages)
    .execute(transaction)
    .await?;
    Ok(())
}

/// Counts what changed.
async fn count(
    transaction: &mut PgConnection,
    change: Change,
    dimensions: Option<usize>,
) -> Result<()> {
    let changed = change.terms.into_iter().filter(|(_, times)| *times != 0);
    let changed = changed.map(|(term, times)| (kept(&term).into_owned(), times));
    let (terms, times): (Vec<String>, Vec<i64>) = changed.unzip();
    sqlx::query(
        "insert into experience_terms as known (term, records) \
         select term, times from unnest($1::text[], $2::bigint[]) as new(term, times) \
         on conflict (term) do update set records = known.records + excluded.records",
    )
    .bind(terms)
    .bind(times)
    .execute(&mut *transaction)
    .await?;
    sqlx::query(
        "update experience_search_state set records = records + $1, length = length + $2, \
         with_vector = with_vector + $3, dimensions = $4",
    )
    .bind(change.records)
    .bind(change.length)
    .bind(change.with_vector)
    .bind(dimensions.map(|some| i32::try_from(some).unwrap_or(i32::MAX)))
    .execute(transaction)
    .await?;
    Ok(())
}

/// Writes an embedding as pgvector reads it.
pub(super) fn literal(embedding: &Vec<f32>) -> String {
    let mut text = String::with_capacity(embedding.len() * 10);
    let mut before = '[';
    for value in embedding {
        // Writing to a string cannot fail. Six digits are more than half precision keeps.
        let _ = write!(text, "{before}{value:.6}");
        before = ',';
    }
    text.push(']');
    text
}
