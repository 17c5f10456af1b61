//! Outcomes for exports, and those of another database.

use std::collections::BTreeMap;

use jiff::Timestamp;
use uuid::Uuid;

use super::{applicability, has_few, insert, next_revision, own, put, rebuilt, stored};
use crate::{
    OutcomeImport, OutcomeStanding, Result, StoredOutcome,
    sql::{Family, Id, SqlConnection, query},
};

/// Reads outcomes, ordered by id.
pub(crate) async fn by_page(
    connection: &mut impl SqlConnection,
    after: Uuid,
    limit: u32,
) -> Result<Vec<StoredOutcome>> {
    query(concat!(
        select_outcomes!(),
        "where id > $1 order by id limit $2"
    ))
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Stores outcomes unchanged, and updates the standings of their experiences. What this costs does not depend on how
/// many outcomes an experience has, except if some of them are from the future or older than a change of the solution.
pub(crate) async fn import(
    connection: &mut impl SqlConnection,
    outcomes: &[StoredOutcome],
    now: Timestamp,
) -> Result<Vec<OutcomeImport>> {
    // Nobody may lock several experiences in another order meanwhile.
    connection.lock_family(Family::Experiences).await?;
    next_revision(connection).await?;
    let mut imports = Vec::with_capacity(outcomes.len());
    // `None`: is computed anew at the end.
    let mut changed: BTreeMap<Uuid, Option<OutcomeStanding>> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(import) = not_imported(connection, outcome).await? {
            imports.push(import);
            continue;
        }
        let experience = outcome.experience;
        let kept = match changed.remove(&experience) {
            Some(kept) => kept,
            None if has_few(connection, experience).await? => None,
            None => stored(connection, experience).await?,
        };
        let kept = match kept.filter(|kept| kept.takes(outcome, now)) {
            Some(kept) => Some(kept.with(&own_of(connection, outcome).await?, outcome)),
            None => None,
        };
        insert(connection, outcome, None).await?;
        changed.insert(experience, kept);
        imports.push(OutcomeImport::Stored);
    }
    for (experience, kept) in changed {
        let standing = match kept {
            Some(kept) => Some(kept),
            None => rebuilt(connection, experience, now).await?,
        };
        if let Some(mut standing) = standing {
            let revision = next_revision(connection).await?;
            put(connection, &mut standing, revision).await?;
            applicability::observe(connection, experience).await?;
        }
    }
    Ok(imports)
}

/// Returns what became of an outcome that cannot be stored, or is stored already.
async fn not_imported(
    connection: &mut impl SqlConnection,
    outcome: &StoredOutcome,
) -> Result<Option<OutcomeImport>> {
    let existing: Option<StoredOutcome> = query(concat!(select_outcomes!(), "where id = $1"))
        .bind(outcome.id)
        .fetch_optional(connection)
        .await?;
    if let Some(existing) = existing {
        return Ok(Some(match existing == *outcome {
            true => OutcomeImport::Existing,
            false => OutcomeImport::Conflict,
        }));
    }
    let experience: Option<Id> = query("select id from experiences where id = $1")
        .bind(outcome.experience)
        .fetch_optional(connection)
        .await?;
    Ok(match experience {
        Some(_) => None,
        None => Some(OutcomeImport::ExperienceMissing),
    })
}

/// Reads the last reports of an outcome's principal, and the changes of the solution; a change needs none.
async fn own_of(
    connection: &mut impl SqlConnection,
    outcome: &StoredOutcome,
) -> Result<Vec<StoredOutcome>> {
    match &outcome.report {
        Some(report) => own(connection, &report.principal, outcome.experience).await,
        None => Ok(Vec::new()),
    }
}

/// Counts all outcomes.
pub(crate) async fn count(connection: &mut impl SqlConnection) -> Result<u64> {
    query("select count(*) from outcomes")
        .fetch_count(connection)
        .await
}
