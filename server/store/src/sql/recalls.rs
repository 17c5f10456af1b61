//! Recalls and episodes.

use jiff::{Timestamp, ToSpan as _};
use sqlx::FromRow;
use uuid::Uuid;

use super::{Columns, SqlConnection, query};
use crate::{
    Episode, EpisodeCounts, Recall, Recovery, Result,
    database::columns::{count_of, damaged, id_of, integer_of, json_of, timestamp_of},
};

/// Stores recalls.
pub(crate) async fn add(connection: &mut impl SqlConnection, recalls: &[Recall]) -> Result<()> {
    for recall in recalls {
        query(
            "insert into recalls (id, at, principal, fingerprint_hash, shown, withheld, policy, propensity) \
             values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (id) do nothing",
        )
        .bind(recall.id)
        .bind(recall.at)
        .bind(recall.principal.as_str())
        .bind(recall.fingerprint_hash.as_str())
        .bind(list_of(&recall.shown))
        .bind(list_of(&recall.withheld))
        .bind(recall.policy.as_str())
        .bind(recall.propensity)
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// Stores an episode, unless its principal has reported so many in the last 24 hours.
pub(crate) async fn add_episode(
    connection: &mut impl SqlConnection,
    episode: &Episode,
    most: u64,
) -> Result<bool> {
    let since = episode.at.saturating_sub(24.hours()).unwrap_or(episode.at);
    let reported = query("select count(*) from episodes where principal = $1 and at > $2")
        .bind(episode.principal.as_str())
        .bind(since)
        .fetch_count(connection)
        .await?;
    if reported >= most {
        return Ok(false);
    }
    query(
        "insert into episodes (id, at, principal, recall_id, host, family, failures, recovered, ms, commands) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (id) do nothing",
    )
    .bind(episode.id)
    .bind(episode.at)
    .bind(episode.principal.as_str())
    .bind(episode.recall_id.map(|id| id.to_string()))
    .bind(episode.host.as_str())
    .bind(episode.family.as_str())
    .bind(i64::from(episode.failures))
    .bind(episode.has_recovered)
    .bind(integer_of(episode.ms))
    .bind(i64::from(episode.commands))
    .execute(connection)
    .await?;
    Ok(true)
}

/// Reads the newest recalls.
pub(crate) async fn newest(connection: &mut impl SqlConnection, limit: u32) -> Result<Vec<Recall>> {
    query(
        "select id, at, principal, fingerprint_hash, shown, withheld, policy, propensity from recalls \
         order by at desc, id desc limit $1",
    )
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Sums up the episodes since a point in time.
pub(crate) async fn recovery(
    connection: &mut impl SqlConnection,
    since: Timestamp,
) -> Result<Recovery> {
    let sums: Vec<Sums> = query(
        "select recalls.id is not null as had_recall, recovered, count(*) as episodes, \
         cast(sum(failures) as bigint) as failures, cast(sum(commands) as bigint) as commands, \
         cast(sum(ms) as bigint) as ms \
         from episodes left join recalls on recalls.id = episodes.recall_id \
         where episodes.at >= $1 group by recalls.id is not null, recovered",
    )
    .bind(since)
    .fetch_all(connection)
    .await?;
    let mut recovery = Recovery::default();
    for sums in sums {
        let counts = match sums.had_recall {
            true => &mut recovery.with_recall,
            false => &mut recovery.without,
        };
        counts.episodes += sums.counts.episodes;
        if sums.recovered {
            *counts = EpisodeCounts {
                episodes: counts.episodes,
                recovered: sums.counts.episodes,
                ..sums.counts
            };
        }
    }
    Ok(recovery)
}

/// Removes old recalls and episodes.
pub(crate) async fn forget(
    connection: &mut impl SqlConnection,
    before: Timestamp,
    most: u64,
    limit: u32,
) -> Result<u64> {
    let tables = [
        (
            "delete from recalls where id in (select id from recalls where at < $1 limit $2)",
            "select count(*) from recalls",
            "delete from recalls where id in (select id from recalls order by at limit $1)",
        ),
        (
            "delete from episodes where id in (select id from episodes where at < $1 limit $2)",
            "select count(*) from episodes",
            "delete from episodes where id in (select id from episodes order by at limit $1)",
        ),
    ];
    let mut removed = 0;
    for (old, count, oldest) in tables {
        removed += query(old)
            .bind(before)
            .bind(limit)
            .execute(connection)
            .await?;
        let beyond = query(count)
            .fetch_count(connection)
            .await?
            .saturating_sub(most);
        if beyond > 0 {
            let beyond = integer_of(beyond.min(limit.into()));
            removed += query(oldest).bind(beyond).execute(connection).await?;
        }
    }
    Ok(removed)
}

/// Returns ids as a JSON list.
fn list_of(ids: &[Uuid]) -> String {
    let ids: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    json_of(&ids)
}

impl<'r, R: Columns> FromRow<'r, R> for Recall {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let ids = |column| -> sqlx::Result<Vec<Uuid>> {
            let list: &str = row.read(column)?;
            Ok(serde_json::from_str(list).map_err(|_| damaged("recall", id))?)
        };
        Ok(Self {
            id: id_of(id)?,
            at: timestamp_of(row.read("at")?, id)?,
            principal: row.text("principal")?,
            fingerprint_hash: row.text("fingerprint_hash")?,
            shown: ids("shown")?,
            withheld: ids("withheld")?,
            policy: row.text("policy")?,
            propensity: row.read("propensity")?,
        })
    }
}

/// The sums over the episodes with or without a recall that recovered or did not.
struct Sums {
    had_recall: bool,
    recovered: bool,
    counts: EpisodeCounts,
}

impl<'r, R: Columns> FromRow<'r, R> for Sums {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            had_recall: row.read("had_recall")?,
            recovered: row.read("recovered")?,
            counts: EpisodeCounts {
                episodes: count_of(row.read("episodes")?),
                recovered: 0,
                failures: count_of(row.read("failures")?),
                commands: count_of(row.read("commands")?),
                ms: count_of(row.read("ms")?),
            },
        })
    }
}
