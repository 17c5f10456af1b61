//! Searching in PostgreSQL: full-text search over the terms of this program, and pgvector over its
//! embeddings.
//!
//! It finds candidates; ranking happens elsewhere. A server that adds records to the search tables locks
//! the row of `experience_search` in `heads` until the commit, so that no record is skipped and no count
//! is added twice. Submissions never wait for this lock.

mod candidates;
mod tables;
mod take_in;

use async_trait::async_trait;
use sqlx::{Connection as _, PgConnection, Row};

use super::{
    Head, PostgresStore, fresh, in_transaction, on_reader, read,
    text::{decoded, encoded},
    write,
};
use crate::{
    Result, SearchCandidate, SearchDocument, SearchFor, SearchState, SearchStore,
    SearchUnavailable, database::columns::count_of, postgres::connection::fault,
};

#[async_trait]
impl SearchStore for PostgresStore {
    async fn prepare_search(&self) -> Result<()> {
        let mut connection = self.primary.connection().await?;
        // Closing the connection releases its advisory lock and rolls back an unfinished transaction.
        connection.close_on_drop();
        tables::prepare(&mut connection, self.migrates).await
    }

    async fn reset_search(&self) -> Result<()> {
        write!(self, transaction => tables::empty(transaction))
    }

    async fn search_state(&self, terms: &[String]) -> Result<SearchState> {
        let state = match fresh!(self, connection => state(connection, terms)) {
            Err(error) if fault::is_missing_table(&error) => {
                return Err(SearchUnavailable::NoTables.into());
            }
            state => state?,
        };
        if let Some(standby) = &self.standby {
            standby.must_have(Head::Experiences, state.head);
            standby.must_have(Head::ExperienceSearch, state.up_to);
        }
        Ok(state)
    }

    async fn take_into_search(&self, after: u64, records: &[SearchDocument]) -> Result<bool> {
        write!(self, transaction => take_in::take_in(transaction, after, records))
    }

    async fn index_search_vectors(&self) -> Result<bool> {
        if !self.migrates {
            return Ok(false);
        }
        let mut connection = self.primary.connection().await?.detach();
        let indexed = tables::index_vectors(&mut connection).await;
        connection.close().await?;
        indexed
    }

    async fn search_candidates(&self, wanted: &SearchFor) -> Result<Vec<SearchCandidate>> {
        on_reader!(self, cluster =>
            in_transaction!(cluster, candidates::begin(), transaction =>
                candidates::find(transaction, wanted)))
    }

    async fn sample_vectors(&self, share: f32, most: u32) -> Result<Vec<Vec<u8>>> {
        read!(self, connection => candidates::sample(connection, (share, most)))
    }
}

/// Reads the statistics and the counts of terms in one statement, so that they are consistent.
async fn state(connection: &mut PgConnection, terms: &[String]) -> Result<SearchState> {
    let terms: Vec<_> = terms.iter().map(|term| encoded(term)).collect();
    let row = sqlx::query(
        "select s.records, s.length, s.with_vector, \
         (select seq from heads where family = 'experiences') as head, \
         (select seq from heads where family = 'experience_search') as up_to, \
         array(select term from experience_terms where term = any($1) order by term) as terms, \
         array(select records from experience_terms where term = any($1) order by term) as counts \
         from experience_search_state s",
    )
    .bind(terms)
    .fetch_one(connection)
    .await?;
    let terms: Vec<String> = row.try_get("terms")?;
    let counts: Vec<i64> = row.try_get("counts")?;
    let counts = counts.into_iter().map(count_of);
    let number = |column: &str| Ok::<_, sqlx::Error>(count_of(row.try_get(column)?));
    Ok(SearchState {
        head: number("head")?,
        up_to: number("up_to")?,
        records: number("records")?,
        length: number("length")?,
        with_vector: number("with_vector")?,
        frequencies: terms.into_iter().map(decoded).zip(counts).collect(),
    })
}
