//! Outcomes and standings; see [`OutcomeStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    NewOutcome, OutcomeImport, OutcomeStanding, OutcomeStore, ReportedOutcome, Result,
    StoredOutcome,
    postgres::{PostgresStore, fresh, read, write},
    sql::outcomes,
};

#[async_trait]
impl OutcomeStore for PostgresStore {
    async fn report_outcome(&self, new: &NewOutcome) -> Result<ReportedOutcome> {
        write!(self, transaction => outcomes::report(transaction, new))
    }

    async fn standings(&self, experiences: &[Uuid]) -> Result<Vec<OutcomeStanding>> {
        read!(self, connection => outcomes::standings(connection, experiences))
    }

    async fn standings_after(&self, revision: u64, limit: u32) -> Result<Vec<OutcomeStanding>> {
        fresh!(self, connection => outcomes::standings_after(connection, revision, limit))
    }

    async fn outcomes_of(&self, experience: Uuid, limit: u32) -> Result<Vec<StoredOutcome>> {
        fresh!(self, connection => outcomes::newest_of(connection, experience, limit))
    }

    async fn agreed_outcomes(&self, principal: &str, experiences: u32) -> Result<u64> {
        fresh!(self, connection => outcomes::agreed(connection, principal, experiences))
    }

    async fn author_of(&self, experience: Uuid) -> Result<Option<Uuid>> {
        fresh!(self, connection => outcomes::author_of(connection, experience))
    }

    async fn outcomes_by_id(&self, after: Uuid, limit: u32) -> Result<Vec<StoredOutcome>> {
        fresh!(self, connection => outcomes::by_page(connection, after, limit))
    }

    async fn import_outcomes(
        &self,
        outcomes: &[StoredOutcome],
        now: Timestamp,
    ) -> Result<Vec<OutcomeImport>> {
        if outcomes.is_empty() {
            return Ok(Vec::new());
        }
        write!(self, transaction => outcomes::import(transaction, outcomes, now))
    }

    async fn outcome_count(&self) -> Result<u64> {
        read!(self, connection => outcomes::count(connection))
    }
}
