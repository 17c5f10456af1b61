//! Outcomes and standings.
//!
//! Transactions lock what they need in the same order: the head of experiences, the head of standings
//! ([`next_revision`]), then experiences.

use jiff::Timestamp;
use recall_kit_shared_types::{
    applicability::Environment,
    outcomes::{Evidence, OutcomeKind},
};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use super::{Columns, Id, SqlConnection, access::audit::note_change, query};
use crate::{
    NewOutcome, OUTCOMES_OF_VOICE_MAX, OUTCOMES_OF_VOICE_PERIOD, OUTCOMES_WITHOUT_WEIGHT_MAX,
    OutcomeStanding, Report, ReportedOutcome, Result, SOLUTION_CHANGED, StoreError, StoredOutcome,
    database::columns::{damaged, id_of, text_of, timestamp_of},
    outcomes::standing::{agrees, standing_of},
};

/// Selects what [`StoredOutcome`] is read from.
macro_rules! select_outcomes {
    () => {
        "select id, experience_id, outcome, at, principal, tier, evidence, recall_id, note, environment \
         from outcomes "
    };
}

pub(crate) mod applicability;
pub(crate) mod keys;
mod moving;
mod standings;

use self::standings::put;
pub(crate) use self::{
    moving::{by_page, count, import},
    standings::{next_revision, standings, standings_after},
};

/// The outcomes up to which a standing is computed from all of them.
const REBUILT_UP_TO: u32 = 200;
/// The last outcomes with an environment from which it is computed where an experience applies.
const OBSERVED_MAX: u32 = 500;
/// The last changes of a solution that are looked at; each halves what was said before.
const CHANGES_MAX: u32 = 64;
/// The last reports of a principal among which the experiences are looked for that it reported on last.
const LAST_REPORTS: u32 = 1_000;

/// Stores an outcome inside a transaction.
pub(crate) async fn report(
    connection: &mut impl SqlConnection,
    new: &NewOutcome,
) -> Result<ReportedOutcome> {
    if !is_visible(connection, new.experience).await? {
        return Err(StoreError::NoExperience(new.experience));
    }
    // Whoever reports too often makes nobody wait.
    if let Some(known) = known(connection, new).await? {
        return Ok(known);
    }
    // From here on other transactions that change standings wait for the commit of this one.
    let revision = next_revision(connection).await?;
    if let Some(known) = known(connection, new).await? {
        return Ok(known);
    }
    let own = own(connection, &new.report.principal, new.experience).await?;
    let outcome = StoredOutcome {
        id: new.id,
        experience: new.experience,
        at: new.at,
        report: Some(new.report.clone()),
    };
    insert(connection, &outcome, new.idempotency_key.as_deref()).await?;
    let standing = with_outcome(connection, &outcome, &own).await?;
    let mut standing = standing.ok_or_else(|| damaged("standing", &new.experience.to_string()))?;
    put(connection, &mut standing, revision).await?;
    if new.report.environment.is_some() {
        applicability::observe(connection, new.experience).await?;
    }
    note_change(connection, new.event.as_ref()).await?;
    Ok(ReportedOutcome {
        id: new.id,
        tier: new.report.tier,
        is_new: true,
        counts: new.report.counts(),
        standing,
    })
}

/// Returns the answer for an outcome that is not stored: one under the same key is, or the principal reports too often.
async fn known(
    connection: &mut impl SqlConnection,
    new: &NewOutcome,
) -> Result<Option<ReportedOutcome>> {
    let (id, report, counts) = match earlier(connection, new).await? {
        Some((id, report)) => {
            let counts = report.counts();
            (id, report, counts)
        }
        None => match beyond_the_most(connection, new).await? {
            Some((id, report)) => (id, report, false),
            None => return Ok(None),
        },
    };
    let standing = stored(connection, new.experience).await?;
    Ok(Some(ReportedOutcome {
        id,
        tier: report.tier,
        is_new: false,
        counts,
        standing: standing.ok_or_else(|| damaged("standing", &new.experience.to_string()))?,
    }))
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

/// Whether an experience has so few outcomes that its standing is computed from all of them.
async fn has_few(connection: &mut impl SqlConnection, experience: Uuid) -> Result<bool> {
    let some = query(
        "select count(*) from (select 1 from outcomes where experience_id = $1 limit $2) as counted",
    )
    .bind(experience)
    .bind(REBUILT_UP_TO + 1)
    .fetch_count(connection)
    .await?;
    Ok(some <= REBUILT_UP_TO.into())
}

/// Returns id and report of the outcome that was stored under the same key.
///
/// Its principal and its tier may be others than now: they are those of the caller's network if it has no key, and a key
/// becomes known. A person's word becomes an agent's without a person's connection.
async fn earlier(
    connection: &mut impl SqlConnection,
    new: &NewOutcome,
) -> Result<Option<(Uuid, Report)>> {
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
    let said = |report: &Report| {
        let is_observed = report.evidence == Evidence::Observed;
        (
            report.kind,
            is_observed,
            report.recall_id.clone(),
            report.note.clone(),
        )
    };
    match experience == new.experience && said(&report) == said(&new.report) {
        true => Ok(Some((id, report))),
        false => Err(StoreError::KeyReused),
    }
}

/// Reads the last reports of a principal on an experience, and the last changes of its solution, sorted by time.
async fn own(
    connection: &mut impl SqlConnection,
    principal: &str,
    experience: Uuid,
) -> Result<Vec<StoredOutcome>> {
    let mut own: Vec<StoredOutcome> = query(concat!(
        select_outcomes!(),
        "where principal = $1 and experience_id = $2 order by at desc, id desc limit $3"
    ))
    .bind(principal)
    .bind(experience)
    .bind(OUTCOMES_OF_VOICE_MAX)
    .fetch_all(connection)
    .await?;
    let changes: Vec<StoredOutcome> = query(concat!(
        select_outcomes!(),
        "where experience_id = $1 and principal is null order by at desc, id desc limit $2"
    ))
    .bind(experience)
    .bind(CHANGES_MAX)
    .fetch_all(connection)
    .await?;
    own.extend(changes);
    own.sort_by_key(|one| (one.at, one.id));
    Ok(own)
}

/// Returns id and report of the last outcome of a principal that has reported too often in the last time. Those of a
/// clock that is ahead do not belong to it.
async fn beyond_the_most(
    connection: &mut impl SqlConnection,
    new: &NewOutcome,
) -> Result<Option<(Uuid, Report)>> {
    let most = match new.report.tier > 0.0 {
        true => OUTCOMES_OF_VOICE_MAX,
        false => OUTCOMES_WITHOUT_WEIGHT_MAX,
    };
    let since = new.at.checked_sub(OUTCOMES_OF_VOICE_PERIOD);
    let of_late: Vec<StoredOutcome> = query(concat!(
        select_outcomes!(),
        "where principal = $1 and experience_id = $2 and at > $3 and at <= $4 order by at desc, id desc limit $5"
    ))
    .bind(&new.report.principal)
    .bind(new.experience)
    .bind(since.unwrap_or(Timestamp::MIN))
    .bind(new.at)
    .bind(most)
    .fetch_all(connection)
    .await?;
    let is_beyond = of_late.len() >= most as usize;
    let last = of_late.into_iter().next().filter(|_| is_beyond);
    Ok(last.and_then(|last| Some((last.id, last.report?))))
}

/// Stores an outcome.
async fn insert(
    connection: &mut impl SqlConnection,
    outcome: &StoredOutcome,
    key: Option<&str>,
) -> Result<()> {
    let report = outcome.report.as_ref();
    query(
        "insert into outcomes (id, experience_id, outcome, at, principal, tier, evidence, recall_id, note, \
         environment, idempotency_key) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
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
    .bind(report.and_then(|report| Some(text_of(report.environment.as_ref()?))))
    .bind(key)
    .execute(connection)
    .await?;
    Ok(())
}

/// Computes the standing of an experience with an outcome that was just stored; `None` without reports. `own` are the
/// earlier reports of its principal and the changes of the solution, sorted by time.
async fn with_outcome(
    connection: &mut impl SqlConnection,
    outcome: &StoredOutcome,
    own: &[StoredOutcome],
) -> Result<Option<OutcomeStanding>> {
    let experience = outcome.experience;
    let kept = match has_few(connection, experience).await? {
        true => None,
        false => stored(connection, experience).await?,
    };
    match kept.filter(|kept| kept.takes(outcome, outcome.at)) {
        Some(kept) => Ok(Some(kept.with(own, outcome))),
        None => rebuilt(connection, experience, outcome.at).await,
    }
}

/// Computes the standing of an experience from all of its outcomes; `None` without reports.
async fn rebuilt(
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
    Ok(standing_of(experience, &outcomes, now))
}

/// Reads the standing of an experience.
async fn stored(
    connection: &mut impl SqlConnection,
    experience: Uuid,
) -> Result<Option<OutcomeStanding>> {
    Ok(standings(connection, &[experience]).await?.pop())
}

/// Notes that the solution of an experience was changed, which halves its earlier voices. `revision` is the
/// [`next_revision`], taken before the experience was locked.
pub(crate) async fn solution_changed(
    connection: &mut impl SqlConnection,
    (experience, now): (Uuid, Timestamp),
    revision: u64,
) -> Result<()> {
    let (has_outcomes,): (bool,) =
        query("select exists (select 1 from outcomes where experience_id = $1)")
            .bind(experience)
            .fetch_one(connection)
            .await?;
    if !has_outcomes {
        return Ok(());
    }
    let change = StoredOutcome {
        id: Uuid::now_v7(),
        experience,
        at: now,
        report: None,
    };
    insert(connection, &change, None).await?;
    if let Some(mut standing) = with_outcome(connection, &change, &[]).await? {
        put(connection, &mut standing, revision).await?;
    }
    applicability::observe(connection, experience).await
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

/// Reads the last outcomes of strong voices that say where an experience was used, since its solution was changed; the last
/// one last.
pub(crate) async fn with_environment(
    connection: &mut impl SqlConnection,
    experience: Uuid,
) -> Result<Vec<StoredOutcome>> {
    let mut outcomes: Vec<StoredOutcome> = query(concat!(
        select_outcomes!(),
        "where experience_id = $1 and environment is not null and tier >= 0.5 \
         and at > coalesce((select max(at) from outcomes where experience_id = $1 and principal is null), $3) \
         order by at desc, id desc limit $2"
    ))
    .bind(experience)
    .bind(OBSERVED_MAX)
    .bind(Timestamp::MIN)
    .fetch_all(connection)
    .await?;
    outcomes.reverse();
    Ok(outcomes)
}

/// Counts the experiences on which a principal agrees with the strong voices of others, of the last ones on which it
/// reported.
pub(crate) async fn agreed(
    connection: &mut impl SqlConnection,
    principal: &str,
    experiences: u32,
) -> Result<u64> {
    let reported: Vec<Id> = query(
        "select experience_id as id from outcomes where principal = $1 order by at desc limit $2",
    )
    .bind(principal)
    .bind(LAST_REPORTS)
    .fetch_all(connection)
    .await?;
    let mut last = Vec::new();
    for Id(experience) in reported {
        if last.len() < experiences as usize && !last.contains(&experience) {
            last.push(experience);
        }
    }
    let mut agreed = 0;
    for standing in standings(connection, &last).await? {
        if standing.strong_voices == 0 {
            continue;
        }
        let own = own(connection, principal, standing.experience).await?;
        agreed += u64::from(agrees(principal, &own, &standing.weights));
    }
    Ok(agreed)
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

fn environment_of(row: &impl Columns, id: &str) -> Result<Option<Environment>> {
    let environment: Option<&str> = row.read("environment")?;
    let environment = environment.map(serde_json::from_str::<Value>).transpose();
    let environment = environment.map_err(|_| damaged("environment", id))?;
    // A later version of the program may have written another shape.
    Ok(environment.and_then(|environment| serde_json::from_value(environment).ok()))
}

fn report_of(row: &impl Columns, id: &str, principal: String) -> Result<Report> {
    let kind: &str = row.read("outcome")?;
    let evidence: &str = row.read("evidence")?;
    Ok(Report {
        kind: OutcomeKind::of(kind).ok_or_else(|| damaged("outcome", id))?,
        principal,
        tier: row.read("tier")?,
        evidence: Evidence::of(evidence).ok_or_else(|| damaged("evidence", id))?,
        recall_id: row.optional_text("recall_id")?,
        note: row.optional_text("note")?,
        environment: environment_of(row, id)?,
    })
}
