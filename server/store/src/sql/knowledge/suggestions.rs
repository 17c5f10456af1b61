//! Suggestions: pending ones, and decided ones, which are never suggested again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::SuggestionType;
use sqlx::FromRow;
use ulid::Ulid;

use super::{EntryWrites, links};
use crate::{
    AuditEvent, Cluster, NewLink, NewSuggestion, Result, StoredSuggestion, Suggestion,
    SuggestionStatus,
    database::columns::{count_of, status_of, time_of, timestamp_of, ulid_of, word_of},
    sql::{Columns, Family, SqlConnection, access::audit::note_change, query},
};

/// Stores link suggestions.
pub(crate) async fn insert_links(
    connection: &mut impl EntryWrites,
    new: &[NewSuggestion],
) -> Result<u64> {
    if new.is_empty() {
        return Ok(0);
    }
    // The lock keeps others from creating links meanwhile.
    connection.lock_family(Family::Entries).await?;
    let new: Vec<_> = new.iter().collect();
    insert(connection, &new).await
}

/// Writes suggestions, except for pairs that are linked or were suggested before and generalisations that
/// are decided; returns how many it wrote.
pub(super) async fn insert(
    connection: &mut impl EntryWrites,
    new: &[&NewSuggestion],
) -> Result<u64> {
    let pairs: Vec<_> = new.iter().copied().filter_map(Pair::of).collect();
    let mut stored = connection.insert_pairs(&pairs).await?;
    for new in new {
        if new.kind == SuggestionType::Generalize {
            stored += u64::from(put_cluster(connection, new).await?);
        }
    }
    Ok(stored)
}

/// A suggestion to link two entries.
pub(crate) struct Pair<'a> {
    pub(crate) new: &'a NewSuggestion,
    pub(crate) lower: Ulid,
    pub(crate) upper: Ulid,
}

impl<'a> Pair<'a> {
    fn of(new: &'a NewSuggestion) -> Option<Self> {
        match (new.kind, new.entries.as_slice()) {
            (SuggestionType::Link, [a, b]) => Some(Self {
                new,
                lower: *a.min(b),
                upper: *a.max(b),
            }),
            _ => None,
        }
    }

    /// Returns the value of the column `pair`.
    pub(crate) fn text(&self) -> String {
        pair(self.lower, self.upper)
    }
}

/// The key of a suggestion to link two entries: both ids, the smaller one first.
fn pair(a: Ulid, b: Ulid) -> String {
    format!("{} {}", a.min(b), a.max(b))
}

/// Writes which entries a suggestion is about.
pub(crate) async fn insert_entries(
    connection: &mut impl SqlConnection,
    suggestion: &NewSuggestion,
) -> Result<()> {
    query(
        "insert into suggestion_entries (suggestion_id, entry_id) \
         select $1, value from unnest($2) as value where true on conflict do nothing",
    )
    .bind(suggestion.id)
    .bind(suggestion.entries.as_slice())
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores a generalisation, or updates the pending one with its id; `false` without any change if it was
/// decided meanwhile.
pub(crate) async fn put_cluster(
    connection: &mut impl SqlConnection,
    new: &NewSuggestion,
) -> Result<bool> {
    let written = query(
        "insert into suggestions (id, type, score, reason, created_at) \
         values ($1, 'generalize', $2, $3, $4) on conflict (id) do update set \
         score = excluded.score, reason = excluded.reason where suggestions.status = 'pending'",
    )
    .bind(new.id)
    .bind(new.score)
    .bind(&new.reason)
    .bind(new.created_at)
    .execute(connection)
    .await?;
    let is_pending = written == 1;
    if is_pending {
        insert_entries(connection, new).await?;
    }
    Ok(is_pending)
}

/// Reads every generalisation that was suggested for any of these entries.
pub(crate) async fn clusters_of(
    connection: &mut impl SqlConnection,
    ids: &[Ulid],
) -> Result<Vec<Cluster>> {
    let rows: Vec<ClusterRow> = query(
        "select s.id, s.status, e.entry_id from suggestions s \
         join suggestion_entries e on e.suggestion_id = s.id \
         where s.type = 'generalize' and s.id in (select suggestion_id from suggestion_entries \
         where entry_id = any($1)) order by s.id, e.entry_id",
    )
    .bind(ids)
    .fetch_all(connection)
    .await?;
    let mut clusters: BTreeMap<Ulid, Cluster> = BTreeMap::new();
    for row in rows {
        let cluster = clusters.entry(row.id).or_insert_with(|| Cluster {
            id: row.id,
            status: row.status,
            entries: Vec::new(),
        });
        cluster.entries.push(row.entry);
    }
    Ok(clusters.into_values().collect())
}

struct ClusterRow {
    id: Ulid,
    status: SuggestionStatus,
    entry: Ulid,
}

impl<'r, R: Columns> FromRow<'r, R> for ClusterRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: ulid_of(id)?,
            status: status_of(row.read("status")?, id)?,
            entry: ulid_of(row.read("entry_id")?)?,
        })
    }
}

/// Reads the pending suggestions with the highest scores whose entries all exist, and their total number,
/// in one statement, so that both are read from the same snapshot.
pub(crate) async fn pending(
    connection: &mut impl SqlConnection,
    kind: SuggestionType,
    limit: u32,
) -> Result<(Vec<Suggestion>, u64)> {
    let rows = query(
        "with waiting as (select s.id, s.type, s.status, s.score, s.reason, s.created_at \
         from suggestions s where s.type = $1 and s.status = 'pending' and not exists \
         (select 1 from suggestion_entries m where m.suggestion_id = s.id \
         and not exists (select 1 from entries where id = m.entry_id))), \
         page as (select id, type, status, score, reason, created_at from waiting \
         order by score desc, id limit $2) \
         select t.total, s.id, s.type, s.status, s.score, s.reason, s.created_at, \
         e.id as entry_id, e.title from (select count(*) as total from waiting) t \
         left join page s on true left join suggestion_entries m on m.suggestion_id = s.id \
         left join entries e on e.id = m.entry_id order by s.score desc, s.id, e.id",
    )
    .bind(kind.as_str())
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(grouped(rows))
}

/// Reads a suggestion and the number of entries that it was created with.
pub(crate) async fn by_id(
    connection: &mut impl SqlConnection,
    id: Ulid,
) -> Result<Option<(Suggestion, usize)>> {
    let rows = query(
        "select (select count(*) from suggestion_entries where suggestion_id = $1) as total, \
         s.id, s.type, s.status, s.score, s.reason, s.created_at, e.id as entry_id, e.title \
         from suggestions s left join suggestion_entries m on m.suggestion_id = s.id \
         left join entries e on e.id = m.entry_id where s.id = $1 order by e.id",
    )
    .bind(id)
    .fetch_all(connection)
    .await?;
    let (mut suggestions, made_of) = grouped(rows);
    let made_of = usize::try_from(made_of).unwrap_or(usize::MAX);
    Ok(suggestions.pop().map(|suggestion| (suggestion, made_of)))
}

/// A suggestion and one of its entries; a total stands in every row.
struct SuggestionRow {
    total: u64,
    /// Without entries; `None` if there are no suggestions, as the total needs a row.
    suggestion: Option<Suggestion>,
    /// `None` if the entry does not exist any more.
    entry: Option<(Ulid, String)>,
}

impl<'r, R: Columns> FromRow<'r, R> for SuggestionRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: Option<&str> = row.read("id")?;
        let suggestion = id.map(|id| {
            Ok::<_, sqlx::Error>(Suggestion {
                id: ulid_of(id)?,
                kind: word_of(row.read("type")?, "type", id)?,
                status: status_of(row.read("status")?, id)?,
                entries: Vec::new(),
                score: row.read("score")?,
                reason: row.text("reason")?,
                created_at: timestamp_of(row.read("created_at")?, id)?,
            })
        });
        let entry: Option<&str> = row.read("entry_id")?;
        Ok(Self {
            total: count_of(row.read("total")?),
            suggestion: suggestion.transpose()?,
            entry: entry
                .map(|id| Ok::<_, sqlx::Error>((ulid_of(id)?, row.text("title")?)))
                .transpose()?,
        })
    }
}

/// Collects the entries of each suggestion; returns the suggestions and the total.
fn grouped(rows: Vec<SuggestionRow>) -> (Vec<Suggestion>, u64) {
    let total = rows.first().map_or(0, |row| row.total);
    let mut suggestions: Vec<Suggestion> = Vec::new();
    for row in rows {
        let Some(suggestion) = row.suggestion else {
            continue;
        };
        match suggestions.last_mut() {
            Some(last) if last.id == suggestion.id => last.entries.extend(row.entry),
            _ => suggestions.push(Suggestion {
                entries: row.entry.into_iter().collect(),
                ..suggestion
            }),
        }
    }
    (suggestions, total)
}

/// Reads suggestions with their decisions, ordered by id.
pub(crate) async fn by_page(
    connection: &mut impl SqlConnection,
    after: Ulid,
    limit: u32,
) -> Result<Vec<StoredSuggestion>> {
    let rows: Vec<StoredRow> = query(
        "select s.id, s.type, s.status, s.score, s.reason, s.created_at, s.decided_at, m.entry_id \
         from (select id, type, status, score, reason, created_at, decided_at from suggestions \
         where id > $1 order by id limit $2) s \
         left join suggestion_entries m on m.suggestion_id = s.id order by s.id, m.entry_id",
    )
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    let mut stored: Vec<StoredSuggestion> = Vec::new();
    for StoredRow(next) in rows {
        match stored.last_mut() {
            Some(last) if last.suggestion.id == next.suggestion.id => {
                last.suggestion.entries.extend(next.suggestion.entries);
            }
            _ => stored.push(next),
        }
    }
    Ok(stored)
}

/// A suggestion with one of its entries.
struct StoredRow(StoredSuggestion);

impl<'r, R: Columns> FromRow<'r, R> for StoredRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let entry: Option<&str> = row.read("entry_id")?;
        Ok(Self(StoredSuggestion {
            suggestion: NewSuggestion {
                id: ulid_of(id)?,
                kind: word_of(row.read("type")?, "type", id)?,
                entries: entry.map(ulid_of).transpose()?.into_iter().collect(),
                score: row.read("score")?,
                reason: row.text("reason")?,
                created_at: timestamp_of(row.read("created_at")?, id)?,
            },
            status: status_of(row.read("status")?, id)?,
            decided_at: time_of(row.read("decided_at")?, id)?,
        }))
    }
}

/// Stores a suggestion unchanged; `false` if it exists already, or another one for the same two entries.
pub(super) async fn import(
    connection: &mut impl SqlConnection,
    new: &StoredSuggestion,
) -> Result<bool> {
    let suggestion = &new.suggestion;
    let written = query(
        "insert into suggestions (id, type, status, pair, score, reason, created_at, decided_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing",
    )
    .bind(suggestion.id)
    .bind(suggestion.kind.as_str())
    .bind(new.status.as_str())
    .bind(Pair::of(suggestion).map(|pair| pair.text()))
    .bind(suggestion.score)
    .bind(&suggestion.reason)
    .bind(suggestion.created_at)
    .bind(new.decided_at)
    .execute(connection)
    .await?;
    let is_new = written == 1;
    if is_new {
        insert_entries(connection, suggestion).await?;
    }
    Ok(is_new)
}

/// Accepts the pending suggestion to link two entries, because they are linked now.
pub(super) async fn settle_pair(connection: &mut impl SqlConnection, link: &NewLink) -> Result<()> {
    query(
        "update suggestions set status = 'accepted', decided_at = $1 \
         where pair = $2 and status = 'pending'",
    )
    .bind(link.created_at)
    .bind(pair(link.source, link.target))
    .execute(connection)
    .await?;
    Ok(())
}

/// Accepts a pending suggestion and stores the resulting link.
pub(crate) async fn accept(
    connection: &mut impl SqlConnection,
    id: Ulid,
    link: Option<&NewLink>,
    (now, event): (Timestamp, Option<&AuditEvent>),
) -> Result<bool> {
    connection.lock_family(Family::Entries).await?;
    if !decide(connection, id, SuggestionStatus::Accepted, now).await? {
        return Ok(false);
    }
    if let Some(link) = link {
        // The link may exist already if a user created it meanwhile.
        links::insert_into(connection, link).await?;
    }
    note_change(connection, event).await?;
    Ok(true)
}

/// Rejects a pending suggestion.
pub(crate) async fn reject(
    connection: &mut impl SqlConnection,
    id: Ulid,
    now: Timestamp,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    let decided = decide(connection, id, SuggestionStatus::Rejected, now).await?;
    note_change(connection, event.filter(|_| decided)).await?;
    Ok(decided)
}

/// Writes a decision; `false` if the suggestion was decided before. Concurrent decisions wait for the first
/// one's commit.
async fn decide(
    connection: &mut impl SqlConnection,
    id: Ulid,
    status: SuggestionStatus,
    now: Timestamp,
) -> Result<bool> {
    let decided = query(
        "update suggestions set status = $1, decided_at = $2 where id = $3 and status = 'pending'",
    )
    .bind(status.as_str())
    .bind(now)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(decided == 1)
}
