//! Candidates for a query: the records whose matching words weigh most, and those with the nearest
//! passages.

use sqlx::{AssertSqlSafe, FromRow as _, PgConnection, Row, postgres::PgRow};

use super::{super::text::encoded, take_in::literal};
use crate::{IndexRow, Result, SearchCandidate, SearchFor, database::columns::count_of};

/// Maximum number of candidates by words.
const BY_WORDS: u32 = 200;
/// Number of passages near each embedding; several may belong to one record. Also the number of passages
/// that the index considers.
const NEAREST: u32 = 200;
/// Maximum number of records read for each set of words; if more records match, an arbitrary part of them.
const WITH_WORD: u32 = 4_000;
/// Maximum number of passages that are compared one by one while there is no index of them.
const WITHOUT_INDEX: i64 = 50_000;
/// Statement timeout in milliseconds; no caller waits longer for the answer.
const TIMEOUT: u32 = 10_000;

/// Returns the command that begins the transaction of [`find`]. It forces the planner to use the indexes
/// of the tables, whatever its statistics say.
pub(super) fn begin() -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "begin read only; set local enable_seqscan = off; set local jit = off; \
         set local hnsw.ef_search = {NEAREST}; set local statement_timeout = {TIMEOUT}"
    ))
}

/// Returns the SQL for the ids of the records with the highest sums of weights; of equal ones those with
/// the greatest ids, which are the newest. `$1` holds the sets of words, `$2` their weights.
fn by_words() -> String {
    format!(
        "(select found.id from unnest($1::text[], $2::real[]) as wanted(terms, weight) \
         cross join lateral (select id from experience_search \
         where terms @@ wanted.terms::tsquery limit {WITH_WORD}) found \
         group by found.id order by sum(wanted.weight) desc, found.id desc limit {BY_WORDS})"
    )
}

/// Returns the SQL for the ids of the records with passages near the embeddings in `$3`.
fn by_meaning(dimensions: i32) -> String {
    format!(
        "(select found.id from unnest($3::text[]) as wanted(embedding) \
         cross join lateral (select p.experience_id as id from experience_passages p \
         order by p.embedding::halfvec({dimensions}) <#> wanted.embedding::halfvec({dimensions}) \
         limit {NEAREST}) found)"
    )
}

/// Finds candidates inside a transaction that was begun with [`begin`].
pub(super) async fn find(
    transaction: &mut PgConnection,
    wanted: &SearchFor,
) -> Result<Vec<SearchCandidate>> {
    let ids = ids(&mut *transaction, wanted).await?;
    let rows = sqlx::query(
        "select e.seq, e.id, e.query_count, e.popularity, e.created_at, v.vector, s.frequencies, s.length, \
         false as is_gone \
         from experience_search s join experiences e on e.id = s.id \
         left join experience_vectors v on v.experience_id = s.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where s.id = any($1) and coalesce(e.hidden_at, e.deleted_at) is null",
    )
    .bind(ids)
    .fetch_all(transaction)
    .await?;
    // A damaged record must not keep the others from being found.
    let readable = |row| match candidate_of(row) {
        Err(error) if error.is_damage() => None,
        candidate => Some(candidate),
    };
    rows.iter().filter_map(readable).collect()
}

/// Finds the ids of the candidates, each once.
async fn ids(transaction: &mut PgConnection, wanted: &SearchFor) -> Result<Vec<String>> {
    let row = sqlx::query(
        "select dimensions from experience_search_state where exists (\
            select from pg_index where indisvalid \
            and indexrelid = to_regclass('experience_passages_embedding')) \
         or (select count(*) from (select from experience_passages limit $1 + 1) few) <= $1",
    )
    .bind(WITHOUT_INDEX)
    .fetch_optional(&mut *transaction)
    .await?;
    let dimensions = row.map(|row| row.try_get::<Option<i32>, _>(0));
    let dimensions = dimensions.transpose()?.flatten();
    let has_dimensions =
        |embedding: &&Vec<f32>| usize::try_from(dimensions.unwrap_or(0)) == Ok(embedding.len());
    let embeddings = wanted.embeddings.iter().filter(has_dimensions);
    let embeddings: Vec<String> = embeddings.map(literal).collect();
    let (words, weights): (Vec<String>, Vec<f32>) = wanted
        .words
        .iter()
        .map(|(terms, weight)| (conjunction(terms), *weight))
        .unzip();
    let rows = match dimensions.filter(|_| !embeddings.is_empty()) {
        Some(dimensions) => {
            let both = format!("{} union {}", by_words(), by_meaning(dimensions));
            sqlx::query(AssertSqlSafe(both))
                .bind(words)
                .bind(weights)
                .bind(embeddings)
                .fetch_all(transaction)
                .await?
        }
        None => {
            sqlx::query(AssertSqlSafe(by_words()))
                .bind(words)
                .bind(weights)
                .fetch_all(transaction)
                .await?
        }
    };
    Ok(rows
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<_, _>>()?)
}

/// Formats terms as a tsquery for records that have all of them; each term is quoted, so that no character
/// in it acts as an operator.
fn conjunction(terms: &[String]) -> String {
    let quoted = terms.iter().map(|term| {
        let term = encoded(term).replace('\\', "\\\\").replace('\'', "''");
        format!("'{term}'")
    });
    quoted.collect::<Vec<_>>().join(" & ")
}

fn candidate_of(row: &PgRow) -> Result<SearchCandidate> {
    let length: i32 = row.try_get("length")?;
    Ok(SearchCandidate {
        row: IndexRow::from_row(row)?,
        frequencies: row.try_get("frequencies")?,
        length: u32::try_from(count_of(length.into())).unwrap_or(u32::MAX),
    })
}

/// Reads the vectors of a share of the records, at most `most`. The sample consists of whole pages and is
/// the same each time.
pub(super) async fn sample(
    connection: &mut PgConnection,
    (share, most): (f32, u32),
) -> Result<Vec<Vec<u8>>> {
    let rows = sqlx::query(
        "select v.vector from experience_vectors v tablesample system ($1) repeatable (1) \
         where v.model = (select value from database_facts where name = 'embedding_model') limit $2",
    )
    .bind((share * 100.0).clamp(0.0, 100.0))
    .bind(i64::from(most))
    .fetch_all(connection)
    .await?;
    Ok(rows
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<_, _>>()?)
}
