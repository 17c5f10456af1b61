//! Adding records to the search tables: their terms, their vectors, and the statistics of all records.

use std::{collections::HashMap, fmt::Write as _};

use sqlx::{PgConnection, Row};

use super::super::text::{decoded, encoded};
use crate::{
    Result, SearchDocument,
    database::columns::{count_of, integer_of},
};

/// The change of the statistics of all records.
#[derive(Default)]
struct Change {
    records: i64,
    length: i64,
    with_vector: i64,
    /// By term: the change of the number of records with it.
    terms: HashMap<String, i64>,
}

impl Change {
    /// Adds a record to the counts (`sign` 1), or removes it (-1).
    fn count(&mut self, sign: i64, terms: Vec<String>, length: i64, has_vector: bool) {
        self.records += sign;
        self.length += sign * length;
        self.with_vector += sign * i64::from(has_vector);
        for term in terms {
            *self.terms.entry(term).or_default() += sign;
        }
    }
}

/// Adds the next records after a `seq`; `false` without any change if another server has added records.
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
        let has_dimensions = |passage: &&Vec<f32>| Some(passage.len()) == dimensions;
        let passages = record.passages.iter().filter(has_dimensions);
        let passages: Vec<String> = passages.map(literal).collect();
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

/// Returns the number of dimensions of the vectors; the first vectors determine it.
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

/// Removes earlier versions of records, and records that are hidden or deleted.
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
        let terms = terms.into_iter().map(decoded).collect();
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
    let terms: Vec<_> = record.terms.iter().map(|term| encoded(term)).collect();
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

/// Stores the change of the statistics.
async fn count(
    transaction: &mut PgConnection,
    change: Change,
    dimensions: Option<usize>,
) -> Result<()> {
    let changed = change.terms.into_iter().filter(|(_, count)| *count != 0);
    let changed = changed.map(|(term, count)| (encoded(&term).into_owned(), count));
    let (terms, counts): (Vec<String>, Vec<i64>) = changed.unzip();
    sqlx::query(
        "insert into experience_terms as known (term, records) \
         select term, times from unnest($1::text[], $2::bigint[]) as new(term, times) \
         on conflict (term) do update set records = known.records + excluded.records",
    )
    .bind(terms)
    .bind(counts)
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

/// Formats an embedding as a pgvector literal.
pub(super) fn literal(embedding: &Vec<f32>) -> String {
    let mut text = String::with_capacity(embedding.len() * 10);
    let mut separator = '[';
    for value in embedding {
        // Writing to a string cannot fail. Six decimal places are more precise than a `halfvec`.
        let _ = write!(text, "{separator}{value:.6}");
        separator = ',';
    }
    text.push(']');
    text
}
