//! Standings as they are stored.

use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    GroupWeights, LastVerdicts, OutcomeStanding, Result, VoiceWeights,
    database::columns::{count_of, id_of, integer_of, time_of, timestamp_of},
    sql::{Columns, SqlConnection, query},
};

/// Selects what [`OutcomeStanding`] is read from.
macro_rules! select_standings {
    () => {
        "select experience_id, revision, worked, worked_with_changes, did_not_work, voices, strong_voices, \
         strong_for, strong_against, strong_no, weak_for, weak_against, weak_no, as_of, last_at, worked_at, \
         failed_at, strong_worked_at, strong_failed_at from standings "
    };
}

/// Returns the next revision. Other transactions that need one wait for the commit of this one, so that revisions are
/// committed in their order.
pub(crate) async fn next_revision(connection: &mut impl SqlConnection) -> Result<u64> {
    query("update standings_head set revision = revision + 1 where id = 1 returning revision")
        .fetch_count(connection)
        .await
}

/// Stores a standing with a revision.
pub(super) async fn put(
    connection: &mut impl SqlConnection,
    standing: &mut OutcomeStanding,
    revision: u64,
) -> Result<()> {
    standing.revision = revision;
    let VoiceWeights {
        strong,
        weak,
        as_of,
    } = &standing.weights;
    query(
        "insert into standings (experience_id, revision, worked, worked_with_changes, did_not_work, voices, \
         strong_voices, strong_for, strong_against, strong_no, weak_for, weak_against, weak_no, as_of, last_at, \
         worked_at, failed_at, strong_worked_at, strong_failed_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) \
         on conflict (experience_id) do update set revision = excluded.revision, worked = excluded.worked, \
         worked_with_changes = excluded.worked_with_changes, did_not_work = excluded.did_not_work, \
         voices = excluded.voices, strong_voices = excluded.strong_voices, strong_for = excluded.strong_for, \
         strong_against = excluded.strong_against, strong_no = excluded.strong_no, weak_for = excluded.weak_for, \
         weak_against = excluded.weak_against, weak_no = excluded.weak_no, as_of = excluded.as_of, \
         last_at = excluded.last_at, worked_at = excluded.worked_at, failed_at = excluded.failed_at, \
         strong_worked_at = excluded.strong_worked_at, strong_failed_at = excluded.strong_failed_at",
    )
    .bind(standing.experience)
    .bind(integer_of(revision))
    .bind(integer_of(standing.worked))
    .bind(integer_of(standing.worked_with_changes))
    .bind(integer_of(standing.did_not_work))
    .bind(integer_of(standing.voices))
    .bind(integer_of(standing.strong_voices))
    .bind(strong.for_it)
    .bind(strong.against)
    .bind(strong.no)
    .bind(weak.for_it)
    .bind(weak.against)
    .bind(weak.no)
    .bind(*as_of)
    .bind(standing.last_at)
    .bind(standing.last.worked_at)
    .bind(standing.last.failed_at)
    .bind(standing.last_strong.worked_at)
    .bind(standing.last_strong.failed_at)
    .execute(connection)
    .await?;
    Ok(())
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

/// Reads the standings with a higher revision, ordered by it.
pub(crate) async fn standings_after(
    connection: &mut impl SqlConnection,
    revision: u64,
    limit: u32,
) -> Result<Vec<OutcomeStanding>> {
    query(concat!(
        select_standings!(),
        "where revision > $1 order by revision limit $2"
    ))
    .bind(integer_of(revision))
    .bind(limit)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for OutcomeStanding {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("experience_id")?;
        let time = |name: &str| -> sqlx::Result<_> { Ok(time_of(row.read(name)?, id)?) };
        Ok(Self {
            experience: id_of(id)?,
            worked: count_of(row.read("worked")?),
            worked_with_changes: count_of(row.read("worked_with_changes")?),
            did_not_work: count_of(row.read("did_not_work")?),
            voices: count_of(row.read("voices")?),
            strong_voices: count_of(row.read("strong_voices")?),
            weights: VoiceWeights {
                strong: GroupWeights {
                    for_it: row.read("strong_for")?,
                    against: row.read("strong_against")?,
                    no: row.read("strong_no")?,
                },
                weak: GroupWeights {
                    for_it: row.read("weak_for")?,
                    against: row.read("weak_against")?,
                    no: row.read("weak_no")?,
                },
                as_of: timestamp_of(row.read("as_of")?, id)?,
            },
            last_at: timestamp_of(row.read("last_at")?, id)?,
            last: LastVerdicts {
                worked_at: time("worked_at")?,
                failed_at: time("failed_at")?,
            },
            last_strong: LastVerdicts {
                worked_at: time("strong_worked_at")?,
                failed_at: time("strong_failed_at")?,
            },
            revision: count_of(row.read("revision")?),
        })
    }
}
