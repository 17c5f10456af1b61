//! Suggestions: pending ones, and decided ones, which are never suggested again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::SuggestionType;
use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use ulid::Ulid;

use super::{json_of, links};
use crate::{
    AuditEvent, Cluster, NewLink, NewSuggestion, Result, StoredSuggestion, Suggestion,
    SuggestionStatus,
    database::columns::{count_of, damaged, status_of, timestamp_of, ulid_of, word_of},
    sqlite::access::people::note_change,
};

/// The columns that the statements below read of a suggestion.
const COLUMNS: &str = "select s.id, s.type, s.status, s.score, s.reason, s.created_at";

/// Stores link suggestions, all in one transaction.
pub(super) async fn insert_links(
    write: &mut SqliteConnection,
    new: &[NewSuggestion],
) -> Result<u64> {
    let mut stored = 0;
    for suggestion in new {
        stored += u64::from(insert(&mut *write, suggestion).await?);
    }
    Ok(stored)
}

/// Writes a suggestion inside a write transaction; `false` if the pair is linked or was suggested before,
/// or if the generalisation is decided.
pub(super) async fn insert(write: &mut SqliteConnection, new: &NewSuggestion) -> Result<bool> {
    match new.kind {
        SuggestionType::Link => insert_link(write, new).await,
        SuggestionType::Generalize => insert_cluster(write, new).await,
    }
}

async fn insert_link(write: &mut SqliteConnection, new: &NewSuggestion) -> Result<bool> {
    let [a, b] = *new.entries else {
        return Ok(false);
    };
    let pair = pair(a, b);
    let done = sqlx::query(
        "insert into suggestions (id, type, pair, score, reason, created_at) \
         select ?1, 'link', ?2, ?3, ?4, ?5 where not exists (select 1 from entry_links \
         where (source_id = ?6 and target_id = ?7) or (source_id = ?7 and target_id = ?6)) \
         on conflict (pair) do nothing",
    )
    .bind(new.id.to_string())
    .bind(pair)
    .bind(new.score)
    .bind(&new.reason)
    .bind(new.created_at.as_microsecond())
    .bind(a.to_string())
    .bind(b.to_string())
    .execute(&mut *write)
    .await?;
    let is_new = done.rows_affected() == 1;
    if is_new {
        insert_entries(write, new).await?;
    }
    Ok(is_new)
}

async fn insert_entries(write: &mut SqliteConnection, suggestion: &NewSuggestion) -> Result<()> {
    sqlx::query(
        "insert into suggestion_entries (suggestion_id, entry_id) \
         select ?, value from json_each(?) where true on conflict do nothing",
    )
    .bind(suggestion.id.to_string())
    .bind(json_of(&suggestion.entries))
    .execute(write)
    .await?;
    Ok(())
}

/// Reads every generalisation that was suggested for any of these entries.
pub(super) async fn clusters_of(readers: &SqlitePool, ids: &[Ulid]) -> Result<Vec<Cluster>> {
    let rows = sqlx::query(
        "select s.id, s.status, e.entry_id from suggestions s \
         join suggestion_entries e on e.suggestion_id = s.id \
         where s.type = 'generalize' and s.id in (select suggestion_id from suggestion_entries \
         where entry_id in (select value from json_each(?))) order by s.id, e.entry_id",
    )
    .bind(json_of(ids))
    .fetch_all(readers)
    .await?;
    let mut clusters: BTreeMap<Ulid, Cluster> = BTreeMap::new();
    for row in &rows {
        let text: &str = row.try_get(0)?;
        let id = ulid_of(text)?;
        let status = status_of(row.try_get(1)?, text)?;
        let cluster = clusters.entry(id).or_insert_with(|| Cluster {
            id,
            status,
            entries: Vec::new(),
        });
        cluster.entries.push(ulid_of(row.try_get(2)?)?);
    }
    Ok(clusters.into_values().collect())
}

/// Stores a generalisation, or updates the pending one with its id.
pub(super) async fn put_cluster(write: &mut SqliteConnection, new: &NewSuggestion) -> Result<()> {
    insert_cluster(&mut *write, new).await?;
    Ok(())
}

async fn insert_cluster(write: &mut SqliteConnection, new: &NewSuggestion) -> Result<bool> {
    let done = sqlx::query(
        "insert into suggestions (id, type, score, reason, created_at) \
         values (?, 'generalize', ?, ?, ?) on conflict (id) do update set \
         score = excluded.score, reason = excluded.reason where status = 'pending'",
    )
    .bind(new.id.to_string())
    .bind(new.score)
    .bind(&new.reason)
    .bind(new.created_at.as_microsecond())
    .execute(&mut *write)
    .await?;
    // A suggestion that was decided meanwhile is not changed.
    let is_pending = done.rows_affected() == 1;
    if is_pending {
        insert_entries(write, new).await?;
    }
    Ok(is_pending)
}

/// Reads the pending suggestions with the highest scores whose entries all exist, and their total number.
pub(super) async fn pending(
    readers: &SqlitePool,
    kind: SuggestionType,
    limit: u32,
) -> Result<(Vec<Suggestion>, u64)> {
    const WAITING: &str = "from suggestions s where s.type = ? and s.status = 'pending' and not \
         exists (select 1 from suggestion_entries e where e.suggestion_id = s.id \
         and e.entry_id not in (select id from entries))";
    let mut read = readers.begin().await?;
    let total = format!("select count(*) {WAITING}");
    let total = sqlx::query(sqlx::AssertSqlSafe(total))
        .bind(kind.as_str())
        .fetch_one(&mut *read)
        .await?;
    let page = format!("{COLUMNS} {WAITING} order by s.score desc, s.id limit ?");
    let rows = sqlx::query(sqlx::AssertSqlSafe(page))
        .bind(kind.as_str())
        .bind(limit)
        .fetch_all(&mut *read)
        .await?;
    let mut suggestions = Vec::with_capacity(rows.len());
    for row in &rows {
        suggestions.push(suggestion_of(&mut read, row).await?);
    }
    Ok((suggestions, count_of(total.try_get(0)?)))
}

/// Reads a suggestion and the number of entries that it was created with.
pub(super) async fn by_id(readers: &SqlitePool, id: Ulid) -> Result<Option<(Suggestion, usize)>> {
    let mut read = readers.begin().await?;
    let found = format!("{COLUMNS} from suggestions s where s.id = ?");
    let row = sqlx::query(sqlx::AssertSqlSafe(found))
        .bind(id.to_string())
        .fetch_optional(&mut *read)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let made_of = sqlx::query("select count(*) from suggestion_entries where suggestion_id = ?")
        .bind(id.to_string())
        .fetch_one(&mut *read)
        .await?;
    let made_of = usize::try_from(count_of(made_of.try_get(0)?)).unwrap_or(usize::MAX);
    Ok(Some((suggestion_of(&mut read, &row).await?, made_of)))
}

async fn suggestion_of(read: &mut SqliteConnection, row: &SqliteRow) -> Result<Suggestion> {
    let id: &str = row.try_get("id")?;
    let entries = sqlx::query(
        "select e.id, e.title from suggestion_entries s join entries e on e.id = s.entry_id \
         where s.suggestion_id = ? order by e.id",
    )
    .bind(id)
    .fetch_all(read)
    .await?;
    let named = |row: &SqliteRow| Ok((ulid_of(row.try_get(0)?)?, row.try_get(1)?));
    Ok(Suggestion {
        id: ulid_of(id)?,
        kind: word_of(row.try_get("type")?, "type", id)?,
        status: status_of(row.try_get("status")?, id)?,
        entries: entries.iter().map(named).collect::<Result<_>>()?,
        score: row.try_get("score")?,
        reason: row.try_get("reason")?,
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
    })
}

/// Reads suggestions with their decisions, ordered by id.
pub(super) async fn by_page(
    readers: &SqlitePool,
    after: Ulid,
    limit: u32,
) -> Result<Vec<StoredSuggestion>> {
    let rows = sqlx::query(
        "select s.id, s.type, s.status, s.score, s.reason, s.created_at, s.decided_at, \
         (select json_group_array(entry_id) from (select entry_id from suggestion_entries \
         where suggestion_id = s.id order by entry_id)) as entries \
         from suggestions s where s.id > ? order by s.id limit ?",
    )
    .bind(after.to_string())
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(stored_suggestion_of).collect()
}

fn stored_suggestion_of(row: &SqliteRow) -> Result<StoredSuggestion> {
    let id: &str = row.try_get("id")?;
    let entries: Vec<String> =
        serde_json::from_str(row.try_get("entries")?).map_err(|_| damaged("entries", id))?;
    let decided_at: Option<i64> = row.try_get("decided_at")?;
    Ok(StoredSuggestion {
        suggestion: NewSuggestion {
            id: ulid_of(id)?,
            kind: word_of(row.try_get("type")?, "type", id)?,
            entries: entries
                .iter()
                .map(|id| ulid_of(id))
                .collect::<Result<_>>()?,
            score: row.try_get("score")?,
            reason: row.try_get("reason")?,
            created_at: timestamp_of(row.try_get("created_at")?, id)?,
        },
        status: status_of(row.try_get("status")?, id)?,
        decided_at: decided_at
            .map(|micros| timestamp_of(micros, id))
            .transpose()?,
    })
}

/// Stores a suggestion unchanged, inside a write transaction; `false` if it exists already, or another one
/// for the same two entries.
pub(super) async fn import(write: &mut SqliteConnection, new: &StoredSuggestion) -> Result<bool> {
    let suggestion = &new.suggestion;
    let pair = match (suggestion.kind, suggestion.entries.as_slice()) {
        (SuggestionType::Link, [a, b]) => Some(pair(*a, *b)),
        _ => None,
    };
    let done = sqlx::query(
        "insert into suggestions (id, type, status, pair, score, reason, created_at, decided_at) \
         values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
    )
    .bind(suggestion.id.to_string())
    .bind(suggestion.kind.as_str())
    .bind(new.status.as_str())
    .bind(pair)
    .bind(suggestion.score)
    .bind(&suggestion.reason)
    .bind(suggestion.created_at.as_microsecond())
    .bind(new.decided_at.map(Timestamp::as_microsecond))
    .execute(&mut *write)
    .await?;
    let is_new = done.rows_affected() == 1;
    if is_new {
        insert_entries(write, suggestion).await?;
    }
    Ok(is_new)
}

/// Accepts the pending suggestion to link two entries, because they are linked now.
pub(super) async fn settle_pair(write: &mut SqliteConnection, link: &NewLink) -> Result<()> {
    sqlx::query(
        "update suggestions set status = 'accepted', decided_at = ? \
         where pair = ? and status = 'pending'",
    )
    .bind(link.created_at.as_microsecond())
    .bind(pair(link.source, link.target))
    .execute(write)
    .await?;
    Ok(())
}

/// The key of a suggestion to link two entries: both ids, the smaller one first.
fn pair(a: Ulid, b: Ulid) -> String {
    format!("{} {}", a.min(b), a.max(b))
}

/// Accepts a pending suggestion and stores the resulting link.
pub(super) async fn accept(
    write: &mut SqliteConnection,
    id: Ulid,
    link: Option<&NewLink>,
    (now, event): (Timestamp, Option<&AuditEvent>),
) -> Result<bool> {
    if !decide(&mut *write, id, SuggestionStatus::Accepted, now).await? {
        return Ok(false);
    }
    if let Some(link) = link {
        // The link may exist already if a user created it meanwhile.
        links::insert_into(&mut *write, link).await?;
    }
    note_change(write, event).await?;
    Ok(true)
}

/// Rejects a pending suggestion.
pub(super) async fn reject(
    write: &mut SqliteConnection,
    id: Ulid,
    now: Timestamp,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    let decided = decide(&mut *write, id, SuggestionStatus::Rejected, now).await?;
    note_change(write, event.filter(|_| decided)).await?;
    Ok(decided)
}

/// Writes a decision inside a write transaction; `false` if the suggestion was decided before.
async fn decide(
    write: &mut SqliteConnection,
    id: Ulid,
    status: SuggestionStatus,
    now: Timestamp,
) -> Result<bool> {
    let done = sqlx::query(
        "update suggestions set status = ?, decided_at = ? where id = ? and status = 'pending'",
    )
    .bind(status.as_str())
    .bind(now.as_microsecond())
    .bind(id.to_string())
    .execute(write)
    .await?;
    Ok(done.rows_affected() == 1)
}
