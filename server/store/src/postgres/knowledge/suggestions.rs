//! Suggestions: pending ones, and decided ones, which are never suggested again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::SuggestionType;
use sqlx::{PgConnection, Row, postgres::PgRow};
use ulid::Ulid;

use super::{links, texts_of};
use crate::{
    AuditEvent, Cluster, NewLink, NewSuggestion, Result, StoredSuggestion, Suggestion,
    SuggestionStatus,
    database::columns::{count_of, status_of, timestamp_of, ulid_of, word_of},
    postgres::{
        Head,
        access::people::note_change,
        lock_head,
        text::{decoded, encoded},
    },
};

/// Stores link suggestions.
pub(super) async fn insert_links(
    connection: &mut PgConnection,
    new: &[NewSuggestion],
) -> Result<u64> {
    if new.is_empty() {
        return Ok(0);
    }
    // The lock keeps others from creating links meanwhile.
    lock_head(&mut *connection, Head::Entries).await?;
    insert(connection, &new.iter().collect::<Vec<_>>()).await
}

/// Writes suggestions, except for pairs that are linked or were suggested before and generalisations that
/// are decided; returns how many it wrote.
pub(super) async fn insert(connection: &mut PgConnection, new: &[&NewSuggestion]) -> Result<u64> {
    let pairs: Vec<_> = new.iter().copied().filter_map(Pair::of).collect();
    let mut stored = insert_pairs(&mut *connection, &pairs).await?;
    for new in new {
        if new.kind == SuggestionType::Generalize {
            stored += u64::from(put_cluster(&mut *connection, new).await?);
        }
    }
    Ok(stored)
}

/// A suggestion to link two entries.
struct Pair<'a> {
    new: &'a NewSuggestion,
    lower: String,
    upper: String,
}

impl<'a> Pair<'a> {
    fn of(new: &'a NewSuggestion) -> Option<Self> {
        match (new.kind, new.entries.as_slice()) {
            (SuggestionType::Link, [a, b]) => Some(Self {
                new,
                lower: a.min(b).to_string(),
                upper: a.max(b).to_string(),
            }),
            _ => None,
        }
    }

    /// Returns the value of the column `pair`.
    fn text(&self) -> String {
        pair(&self.lower, &self.upper)
    }
}

async fn insert_pairs(connection: &mut PgConnection, pairs: &[Pair<'_>]) -> Result<u64> {
    if pairs.is_empty() {
        return Ok(0);
    }
    let each = |column: fn(&Pair<'_>) -> String| pairs.iter().map(column).collect::<Vec<_>>();
    let scores: Vec<f64> = pairs.iter().map(|pair| pair.new.score).collect();
    let reasons: Vec<_> = pairs.iter().map(|pair| encoded(&pair.new.reason)).collect();
    let moments: Vec<i64> = pairs
        .iter()
        .map(|pair| pair.new.created_at.as_microsecond())
        .collect();
    let row = sqlx::query(
        "with made as (insert into suggestions (id, type, pair, score, reason, created_at) \
         select n.id, 'link', n.lower || ' ' || n.upper, n.score, n.reason, n.moment \
         from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::bigint[]) \
         with ordinality as n (id, lower, upper, score, reason, moment, place) \
         where not exists (select 1 from entry_links \
         where (source_id = n.lower and target_id = n.upper) \
         or (source_id = n.upper and target_id = n.lower)) \
         order by n.place on conflict (pair) do nothing returning id, pair), \
         placed as (insert into suggestion_entries (suggestion_id, entry_id) \
         select id, unnest(string_to_array(pair, ' ')) from made on conflict do nothing) \
         select count(*) from made",
    )
    .bind(each(|pair| pair.new.id.to_string()))
    .bind(each(|pair| pair.lower.clone()))
    .bind(each(|pair| pair.upper.clone()))
    .bind(scores)
    .bind(reasons)
    .bind(moments)
    .fetch_one(connection)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Stores a generalisation, or updates the pending one with its id; `false` without any change if it was
/// decided meanwhile.
pub(super) async fn put_cluster(
    connection: &mut PgConnection,
    new: &NewSuggestion,
) -> Result<bool> {
    let row = sqlx::query(
        "with made as (insert into suggestions (id, type, score, reason, created_at) \
         values ($1, 'generalize', $2, $3, $4) on conflict (id) do update set \
         score = excluded.score, reason = excluded.reason where suggestions.status = 'pending' \
         returning id), \
         placed as (insert into suggestion_entries (suggestion_id, entry_id) \
         select id, unnest($5::text[]) from made on conflict do nothing) \
         select count(*) from made",
    )
    .bind(new.id.to_string())
    .bind(new.score)
    .bind(encoded(&new.reason))
    .bind(new.created_at.as_microsecond())
    .bind(texts_of(&new.entries))
    .fetch_one(connection)
    .await?;
    Ok(row.try_get::<i64, _>(0)? == 1)
}

/// Reads every generalisation that was suggested for any of these entries.
pub(super) async fn clusters_of(
    connection: &mut PgConnection,
    ids: &[Ulid],
) -> Result<Vec<Cluster>> {
    let rows = sqlx::query(
        "select s.id, s.status, e.entry_id from suggestions s \
         join suggestion_entries e on e.suggestion_id = s.id \
         where s.type = 'generalize' and s.id in (select suggestion_id from suggestion_entries \
         where entry_id = any($1)) order by s.id, e.entry_id",
    )
    .bind(texts_of(ids))
    .fetch_all(connection)
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

/// The columns from which a suggestion is read, of the table `s`.
macro_rules! suggestion {
    () => {
        "s.id, s.type, s.status, s.score, s.reason, s.created_at, \
         array(select e.id from suggestion_entries m join entries e on e.id = m.entry_id \
         where m.suggestion_id = s.id order by e.id) as entries, \
         array(select e.title from suggestion_entries m join entries e on e.id = m.entry_id \
         where m.suggestion_id = s.id order by e.id) as titles "
    };
}

/// Reads the pending suggestions with the highest scores whose entries all exist, and their total number.
pub(super) async fn pending(
    connection: &mut PgConnection,
    kind: SuggestionType,
    limit: u32,
) -> Result<(Vec<Suggestion>, u64)> {
    // One statement, so that both are read from the same snapshot.
    let rows = sqlx::query(concat!(
        "with waiting as (select s.id, s.type, s.status, s.score, s.reason, s.created_at \
         from suggestions s where s.type = $1 and s.status = 'pending' and not exists \
         (select 1 from suggestion_entries m where m.suggestion_id = s.id \
         and not exists (select 1 from entries where id = m.entry_id))), \
         page as (select id, type, status, score, reason, created_at from waiting \
         order by score desc, id limit $2) \
         select t.total, ",
        suggestion!(),
        "from (select count(*) as total from waiting) t left join page s on true \
         order by s.score desc, s.id"
    ))
    .bind(kind.as_str())
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    let total = rows.first().map(|row| row.try_get("total")).transpose()?;
    let mut suggestions = Vec::with_capacity(rows.len());
    for row in &rows {
        // If there are no suggestions, there is one row with the total.
        if row.try_get::<Option<&str>, _>("id")?.is_some() {
            suggestions.push(suggestion_of(row)?);
        }
    }
    Ok((suggestions, count_of(total.unwrap_or(0))))
}

/// Reads a suggestion and the number of entries that it was created with.
pub(super) async fn by_id(
    connection: &mut PgConnection,
    id: Ulid,
) -> Result<Option<(Suggestion, usize)>> {
    let row = sqlx::query(concat!(
        "select ",
        suggestion!(),
        ", (select count(*) from suggestion_entries m where m.suggestion_id = s.id) as made_of \
         from suggestions s where s.id = $1"
    ))
    .bind(id.to_string())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let made_of = usize::try_from(count_of(row.try_get("made_of")?)).unwrap_or(usize::MAX);
    Ok(Some((suggestion_of(&row)?, made_of)))
}

fn suggestion_of(row: &PgRow) -> Result<Suggestion> {
    let id: &str = row.try_get("id")?;
    let entries: Vec<String> = row.try_get("entries")?;
    let titles: Vec<String> = row.try_get("titles")?;
    let named = entries.iter().zip(titles);
    Ok(Suggestion {
        id: ulid_of(id)?,
        kind: word_of(row.try_get("type")?, "type", id)?,
        status: status_of(row.try_get("status")?, id)?,
        entries: named
            .map(|(id, title)| Ok((ulid_of(id)?, decoded(title))))
            .collect::<Result<_>>()?,
        score: row.try_get("score")?,
        reason: decoded(row.try_get("reason")?),
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
    })
}

/// Reads suggestions with their decisions, ordered by id.
pub(super) async fn by_page(
    connection: &mut PgConnection,
    after: Ulid,
    limit: u32,
) -> Result<Vec<StoredSuggestion>> {
    let rows = sqlx::query(
        "select s.id, s.type, s.status, s.score, s.reason, s.created_at, s.decided_at, \
         array(select entry_id from suggestion_entries where suggestion_id = s.id \
         order by entry_id) as entries \
         from suggestions s where s.id > $1 order by s.id limit $2",
    )
    .bind(after.to_string())
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(stored_suggestion_of).collect()
}

fn stored_suggestion_of(row: &PgRow) -> Result<StoredSuggestion> {
    let id: &str = row.try_get("id")?;
    let entries: Vec<String> = row.try_get("entries")?;
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
            reason: decoded(row.try_get("reason")?),
            created_at: timestamp_of(row.try_get("created_at")?, id)?,
        },
        status: status_of(row.try_get("status")?, id)?,
        decided_at: decided_at
            .map(|micros| timestamp_of(micros, id))
            .transpose()?,
    })
}

/// Stores a suggestion unchanged; `false` if it exists already, or another one for the same two entries.
pub(super) async fn import(connection: &mut PgConnection, new: &StoredSuggestion) -> Result<bool> {
    let suggestion = &new.suggestion;
    let row = sqlx::query(
        "with made as (insert into suggestions \
         (id, type, status, pair, score, reason, created_at, decided_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning id), \
         placed as (insert into suggestion_entries (suggestion_id, entry_id) \
         select id, unnest($9::text[]) from made on conflict do nothing) \
         select count(*) from made",
    )
    .bind(suggestion.id.to_string())
    .bind(suggestion.kind.as_str())
    .bind(new.status.as_str())
    .bind(Pair::of(suggestion).map(|pair| pair.text()))
    .bind(suggestion.score)
    .bind(encoded(&suggestion.reason))
    .bind(suggestion.created_at.as_microsecond())
    .bind(new.decided_at.map(Timestamp::as_microsecond))
    .bind(texts_of(&suggestion.entries))
    .fetch_one(connection)
    .await?;
    Ok(row.try_get::<i64, _>(0)? == 1)
}

/// Accepts the pending suggestion to link two entries, because they are linked now.
pub(super) async fn settle_pair(connection: &mut PgConnection, link: &NewLink) -> Result<()> {
    sqlx::query(
        "update suggestions set status = 'accepted', decided_at = $1 \
         where pair = $2 and status = 'pending'",
    )
    .bind(link.created_at.as_microsecond())
    .bind(pair(link.source, link.target))
    .execute(connection)
    .await?;
    Ok(())
}

/// The key of a suggestion to link two entries: both ids, the smaller one first.
fn pair<Id: Ord + std::fmt::Display>(a: Id, b: Id) -> String {
    format!("{} {}", (&a).min(&b), (&a).max(&b))
}

/// Accepts a pending suggestion and stores the resulting link.
pub(super) async fn accept(
    connection: &mut PgConnection,
    id: Ulid,
    link: Option<&NewLink>,
    (now, event): (Timestamp, Option<&AuditEvent>),
) -> Result<bool> {
    lock_head(&mut *connection, Head::Entries).await?;
    if !decide(&mut *connection, id, SuggestionStatus::Accepted, now).await? {
        return Ok(false);
    }
    if let Some(link) = link {
        // The link may exist already if a user created it meanwhile.
        links::insert_into(&mut *connection, link).await?;
    }
    note_change(connection, event).await?;
    Ok(true)
}

/// Rejects a pending suggestion.
pub(super) async fn reject(
    connection: &mut PgConnection,
    id: Ulid,
    now: Timestamp,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    let decided = decide(&mut *connection, id, SuggestionStatus::Rejected, now).await?;
    note_change(connection, event.filter(|_| decided)).await?;
    Ok(decided)
}

/// Writes a decision; `false` if the suggestion was decided before. Concurrent decisions wait for the first
/// one's commit.
async fn decide(
    connection: &mut PgConnection,
    id: Ulid,
    status: SuggestionStatus,
    now: Timestamp,
) -> Result<bool> {
    let done = sqlx::query(
        "update suggestions set status = $1, decided_at = $2 where id = $3 and status = 'pending'",
    )
    .bind(status.as_str())
    .bind(now.as_microsecond())
    .bind(id.to_string())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}
