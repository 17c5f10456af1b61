//! Outcomes and standings.

use std::collections::BTreeSet;

use jiff::Timestamp;
use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind};
use sqlx::FromRow;
use uuid::Uuid;

use super::{Columns, Id, SqlConnection, access::audit::note_change, query};
use crate::{
    NewOutcome, OUTCOMES_OF_VOICE_MAX, OutcomeImport, OutcomeStanding, Report, ReportedOutcome,
    Result, StoreError, StoredOutcome, VoiceWeights,
    database::columns::{count_of, damaged, id_of, integer_of, time_of, timestamp_of},
    outcomes::standing::{agrees, standing_of},
};

/// The word for a change of the solution in the column `outcome`.
const SOLUTION_CHANGED: &str = "solution_changed";

/// Selects what [`StoredOutcome`] is read from.
macro_rules! select_outcomes {
    () => {
        "select id, experience_id, outcome, at, principal, tier, evidence, recall_id, note from outcomes "
    };
}

/// Selects what [`OutcomeStanding`] is read from.
macro_rules! select_standings {
    () => {
        "select experience_id, worked, worked_with_changes, did_not_work, voices, is_contested, strong_for, \
         strong_against, weak_for, weak_against, as_of, last_at, last_worked_at, last_failed_at \
         from standings "
    };
}

/// Stores an outcome inside a transaction.
pub(crate) async fn report(
    connection: &mut impl SqlConnection,
    new: &NewOutcome,
) -> Result<ReportedOutcome> {
    if !is_visible(connection, new.experience).await? {
        return Err(StoreError::NoExperience(new.experience));
    }
    // From here on other transactions that report on the experience wait for the commit of this one.
    lock_standing(connection, new.experience, new.at).await?;
    let known = match earlier(connection, new).await? {
        Some(known) => Some(known),
        None => beyond_the_most(connection, new).await?,
    };
    if known.is_none() {
        let outcome = StoredOutcome {
            id: new.id,
            experience: new.experience,
            at: new.at,
            report: Some(new.report.clone()),
        };
        insert(connection, &outcome, new.idempotency_key.as_deref()).await?;
    }
    let standing = rebuild(connection, new.experience, new.at).await?;
    let standing = standing.ok_or_else(|| damaged("standing", &new.experience.to_string()))?;
    let is_new = known.is_none();
    note_change(connection, new.event.as_ref().filter(|_| is_new)).await?;
    let (id, tier) = known.unwrap_or((new.id, new.report.tier));
    Ok(ReportedOutcome {
        id,
        tier,
        is_new,
        standing,
    })
}

/// Whether an experience exists and is neither hidden nor deleted.
async fn is_visible(connection: &mut impl SqlConnection, experience: Uuid) -> Result<bool> {
    let found: Option<Id> = query(
        "select id from experiences where id = $1 and coalesce(hidden_at, deleted_at) is null",
    )
    .bind(experience)
    .fetch_optional(connection)
    .await?;
    Ok(found.is_some())
}

/// Creates the row of a standing if it is missing, and locks it until the commit.
async fn lock_standing(
    connection: &mut impl SqlConnection,
    experience: Uuid,
    now: Timestamp,
) -> Result<()> {
    query(
        "insert into standings (experience_id, worked, worked_with_changes, did_not_work, voices, \
         is_contested, strong_for, strong_against, weak_for, weak_against, as_of, last_at, updated_at) \
         values ($1, 0, 0, 0, 0, $3, 0, 0, 0, 0, $2, $2, $2) \
         on conflict (experience_id) do update set updated_at = excluded.updated_at",
    )
    .bind(experience)
    .bind(now)
    .bind(false)
    .execute(connection)
    .await?;
    Ok(())
}

/// Returns id and tier of the outcome that was stored under the same key.
async fn earlier(
    connection: &mut impl SqlConnection,
    new: &NewOutcome,
) -> Result<Option<(Uuid, f64)>> {
    let Some(key) = &new.idempotency_key else {
        return Ok(None);
    };
    let earlier: Option<StoredOutcome> =
        query(concat!(select_outcomes!(), "where idempotency_key = $1"))
            .bind(key)
            .fetch_optional(connection)
            .await?;
    let Some(StoredOutcome {
        id,
        experience,
        report: Some(report),
        ..
    }) = earlier
    else {
        return Ok(None);
    };
    let tier = report.tier;
    // The tier may have changed meanwhile.
    let report = Report {
        tier: new.report.tier,
        ..report
    };
    match experience == new.experience && report == new.report {
        true => Ok(Some((id, tier))),
        false => Err(StoreError::KeyReused),
    }
}

/// Returns id and tier of the last outcome of a principal that has reported on the experience too often.
async fn beyond_the_most(
    connection: &mut impl SqlConnection,
    new: &NewOutcome,
) -> Result<Option<(Uuid, f64)>> {
    let principal = &new.report.principal;
    let reported =
        query("select count(*) from outcomes where principal = $1 and experience_id = $2")
            .bind(principal)
            .bind(new.experience)
            .fetch_count(connection)
            .await?;
    if reported < OUTCOMES_OF_VOICE_MAX {
        return Ok(None);
    }
    let last: StoredOutcome = query(concat!(
        select_outcomes!(),
        "where principal = $1 and experience_id = $2 order by at desc, id desc limit 1"
    ))
    .bind(principal)
    .bind(new.experience)
    .fetch_one(connection)
    .await?;
    Ok(last.report.map(|report| (last.id, report.tier)))
}

async fn insert(
    connection: &mut impl SqlConnection,
    outcome: &StoredOutcome,
    key: Option<&str>,
) -> Result<()> {
    let report = outcome.report.as_ref();
    query(
        "insert into outcomes (id, experience_id, outcome, at, principal, tier, evidence, recall_id, note, \
         idempotency_key) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(outcome.id)
    .bind(outcome.experience)
    .bind(report.map_or(SOLUTION_CHANGED, |report| report.kind.as_str()))
    .bind(outcome.at)
    .bind(report.map(|report| report.principal.as_str()))
    .bind(report.map(|report| report.tier))
    .bind(report.map(|report| report.evidence.as_str()))
    .bind(report.and_then(|report| report.recall_id.as_deref()))
    .bind(report.and_then(|report| report.note.as_deref()))
    .bind(key)
    .execute(connection)
    .await?;
    Ok(())
}

/// Computes a standing from all outcomes of an experience, and stores it; the row must be locked. `None` without
/// reports.
async fn rebuild(
    connection: &mut impl SqlConnection,
    experience: Uuid,
    now: Timestamp,
) -> Result<Option<OutcomeStanding>> {
    let outcomes: Vec<StoredOutcome> = query(concat!(
        select_outcomes!(),
        "where experience_id = $1 order by at, id"
    ))
    .bind(experience)
    .fetch_all(connection)
    .await?;
    let Some(standing) = standing_of(experience, &outcomes, now) else {
        return Ok(None);
    };
    let weights = &standing.weights;
    query(
        "update standings set worked = $2, worked_with_changes = $3, did_not_work = $4, voices = $5, \
         is_contested = $6, strong_for = $7, strong_against = $8, weak_for = $9, weak_against = $10, \
         as_of = $11, last_at = $12, last_worked_at = $13, last_failed_at = $14, updated_at = $15 \
         where experience_id = $1",
    )
    .bind(experience)
    .bind(integer_of(standing.worked))
    .bind(integer_of(standing.worked_with_changes))
    .bind(integer_of(standing.did_not_work))
    .bind(integer_of(standing.voices))
    .bind(standing.is_contested)
    .bind(weights.strong_for)
    .bind(weights.strong_against)
    .bind(weights.weak_for)
    .bind(weights.weak_against)
    .bind(weights.as_of)
    .bind(standing.last_at)
    .bind(standing.last_worked_at)
    .bind(standing.last_failed_at)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(Some(standing))
}

/// Notes that the solution of an experience was changed, which halves its earlier voices.
pub(crate) async fn solution_changed(
    connection: &mut impl SqlConnection,
    experience: Uuid,
    now: Timestamp,
) -> Result<()> {
    let (has_outcomes,): (bool,) =
        query("select exists (select 1 from outcomes where experience_id = $1)")
            .bind(experience)
            .fetch_one(connection)
            .await?;
    if !has_outcomes {
        return Ok(());
    }
    lock_standing(connection, experience, now).await?;
    let change = StoredOutcome {
        id: Uuid::now_v7(),
        experience,
        at: now,
        report: None,
    };
    insert(connection, &change, None).await?;
    rebuild(connection, experience, now).await.map(drop)
}

/// Reads standings by experience.
pub(crate) async fn standings(
    connection: &mut impl SqlConnection,
    experiences: &[Uuid],
) -> Result<Vec<OutcomeStanding>> {
    if experiences.is_empty() {
        return Ok(Vec::new());
    }
    query(concat!(
        select_standings!(),
        "where experience_id = any($1)"
    ))
    .bind(experiences)
    .fetch_all(connection)
    .await
}

/// Reads standings, ordered by experience.
pub(crate) async fn standings_by_id(
    connection: &mut impl SqlConnection,
    after: Uuid,
    limit: u32,
) -> Result<Vec<OutcomeStanding>> {
    query(concat!(
        select_standings!(),
        "where experience_id > $1 order by experience_id limit $2"
    ))
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads the standings that were computed at or after a point in time.
pub(crate) async fn standings_since(
    connection: &mut impl SqlConnection,
    moment: Timestamp,
) -> Result<Vec<OutcomeStanding>> {
    query(concat!(select_standings!(), "where updated_at >= $1"))
        .bind(moment)
        .fetch_all(connection)
        .await
}

/// Reads the newest outcomes of an experience.
pub(crate) async fn newest_of(
    connection: &mut impl SqlConnection,
    experience: Uuid,
    limit: u32,
) -> Result<Vec<StoredOutcome>> {
    query(concat!(
        select_outcomes!(),
        "where experience_id = $1 order by at desc, id desc limit $2"
    ))
    .bind(experience)
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Counts the experiences on which a principal agrees with the others, of the last ones on which it reported.
pub(crate) async fn agreed(
    connection: &mut impl SqlConnection,
    principal: &str,
    experiences: u32,
) -> Result<u64> {
    let experiences: Vec<Id> = query(
        "select experience_id as id from outcomes where principal = $1 \
         group by experience_id order by max(at) desc limit $2",
    )
    .bind(principal)
    .bind(experiences)
    .fetch_all(connection)
    .await?;
    let experiences: Vec<Uuid> = experiences.into_iter().map(|id| id.0).collect();
    if experiences.is_empty() {
        return Ok(0);
    }
    let own: Vec<StoredOutcome> = query(concat!(
        select_outcomes!(),
        "where experience_id = any($1) and (principal = $2 or principal is null) \
         order by experience_id, at, id"
    ))
    .bind(experiences.as_slice())
    .bind(principal)
    .fetch_all(connection)
    .await?;
    let all = standings(connection, &experiences).await?;
    let agreed = own.chunk_by(|one, next| one.experience == next.experience);
    let agreed = agreed.filter(|own| {
        let experience = own.first().map(|one| one.experience);
        let all = all.iter().find(|one| Some(one.experience) == experience);
        all.is_some_and(|all| agrees(principal, own, &all.weights))
    });
    Ok(agreed.count() as u64)
}

/// Reads who shared an experience.
pub(crate) async fn author_of(
    connection: &mut impl SqlConnection,
    experience: Uuid,
) -> Result<Option<Uuid>> {
    let author: Option<(Option<String>,)> = query("select author from experiences where id = $1")
        .bind(experience)
        .fetch_optional(connection)
        .await?;
    author
        .and_then(|(author,)| author)
        .map(|author| id_of(&author))
        .transpose()
}

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

/// Stores outcomes unchanged, and computes the standings of their experiences.
pub(crate) async fn import(
    connection: &mut impl SqlConnection,
    outcomes: &[StoredOutcome],
    now: Timestamp,
) -> Result<Vec<OutcomeImport>> {
    let mut imports = Vec::with_capacity(outcomes.len());
    // In every transaction standings are locked in the same order.
    let mut changed = BTreeSet::new();
    for outcome in outcomes {
        let import = import_one(connection, outcome).await?;
        if import == OutcomeImport::Stored {
            changed.insert(outcome.experience);
        }
        imports.push(import);
    }
    for experience in changed {
        lock_standing(connection, experience, now).await?;
        rebuild(connection, experience, now).await?;
    }
    Ok(imports)
}

async fn import_one(
    connection: &mut impl SqlConnection,
    outcome: &StoredOutcome,
) -> Result<OutcomeImport> {
    let existing: Option<StoredOutcome> = query(concat!(select_outcomes!(), "where id = $1"))
        .bind(outcome.id)
        .fetch_optional(connection)
        .await?;
    if let Some(existing) = existing {
        return Ok(match existing == *outcome {
            true => OutcomeImport::Existing,
            false => OutcomeImport::Conflict,
        });
    }
    let experience: Option<Id> = query("select id from experiences where id = $1")
        .bind(outcome.experience)
        .fetch_optional(connection)
        .await?;
    if experience.is_none() {
        return Ok(OutcomeImport::ExperienceMissing);
    }
    insert(connection, outcome, None).await?;
    Ok(OutcomeImport::Stored)
}

/// Counts all outcomes.
pub(crate) async fn count(connection: &mut impl SqlConnection) -> Result<u64> {
    query("select count(*) from outcomes")
        .fetch_count(connection)
        .await
}

impl<'r, R: Columns> FromRow<'r, R> for StoredOutcome {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let principal = row.optional_text("principal")?;
        Ok(Self {
            id: id_of(id)?,
            experience: id_of(row.read("experience_id")?)?,
            at: timestamp_of(row.read("at")?, id)?,
            report: match principal {
                Some(principal) => Some(report_of(row, id, principal)?),
                None => None,
            },
        })
    }
}

fn report_of(row: &impl Columns, id: &str, principal: String) -> Result<Report> {
    let kind: &str = row.read("outcome")?;
    let kind = OutcomeKind::ALL
        .into_iter()
        .find(|one| one.as_str() == kind);
    let evidence: &str = row.read("evidence")?;
    let evidence = Evidence::ALL
        .into_iter()
        .find(|one| one.as_str() == evidence);
    Ok(Report {
        kind: kind.ok_or_else(|| damaged("outcome", id))?,
        principal,
        tier: row.read("tier")?,
        evidence: evidence.ok_or_else(|| damaged("evidence", id))?,
        recall_id: row.optional_text("recall_id")?,
        note: row.optional_text("note")?,
    })
}

impl<'r, R: Columns> FromRow<'r, R> for OutcomeStanding {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("experience_id")?;
        Ok(Self {
            experience: id_of(id)?,
            worked: count_of(row.read("worked")?),
            worked_with_changes: count_of(row.read("worked_with_changes")?),
            did_not_work: count_of(row.read("did_not_work")?),
            voices: count_of(row.read("voices")?),
            is_contested: row.read("is_contested")?,
            weights: VoiceWeights {
                strong_for: row.read("strong_for")?,
                strong_against: row.read("strong_against")?,
                weak_for: row.read("weak_for")?,
                weak_against: row.read("weak_against")?,
                as_of: timestamp_of(row.read("as_of")?, id)?,
            },
            last_at: timestamp_of(row.read("last_at")?, id)?,
            last_worked_at: time_of(row.read("last_worked_at")?, id)?,
            last_failed_at: time_of(row.read("last_failed_at")?, id)?,
        })
    }
}
