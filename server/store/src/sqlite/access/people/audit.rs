//! The audit list: records are appended and never changed; the oldest are removed beyond a maximum.

use sqlx::{AssertSqlSafe, Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};

use crate::{
    Actor, ActorKind, AuditEvent, AuditRecord, KeyImport, Result,
    access::people::AUDIT_MAX,
    database::columns::{count_of, damaged, id_of, integer_of, timestamp_of},
};

/// Selects every column of a record.
const RECORD: &str = "select id, at, actor_kind, actor_id, actor_name, action, subject_kind, \
                      subject_id, details from audit";

/// Appends records.
pub(super) async fn note(write: &mut SqliteConnection, events: &[AuditEvent]) -> Result<()> {
    for event in events {
        put(&mut *write, None, event).await?;
    }
    sqlx::query("delete from audit where id <= (select max(id) from audit) - ?")
        .bind(integer_of(AUDIT_MAX))
        .execute(&mut *write)
        .await?;
    Ok(())
}

/// Appends the record of a change inside the transaction that makes it.
pub(crate) async fn note_change(
    write: &mut SqliteConnection,
    event: Option<&AuditEvent>,
) -> Result<()> {
    match event {
        Some(event) => note(write, std::slice::from_ref(event)).await,
        None => Ok(()),
    }
}

/// Reads the newest records before a number.
pub(super) async fn newest(
    readers: &SqlitePool,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<AuditRecord>> {
    let sql = format!("{RECORD} where id < ? order by id desc limit ?");
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(integer_of(before.unwrap_or(u64::MAX)))
        .bind(limit)
        .fetch_all(readers)
        .await?;
    rows.iter().map(record_of).collect()
}

/// Reads the oldest records after a number.
pub(super) async fn after(
    readers: &SqlitePool,
    after: u64,
    limit: u32,
) -> Result<Vec<AuditRecord>> {
    let sql = format!("{RECORD} where id > ? order by id limit ?");
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(integer_of(after))
        .bind(limit)
        .fetch_all(readers)
        .await?;
    rows.iter().map(record_of).collect()
}

/// Stores records unchanged.
pub(super) async fn import(
    write: &mut SqliteConnection,
    records: &[AuditRecord],
) -> Result<Vec<KeyImport>> {
    let mut imports = Vec::with_capacity(records.len());
    for record in records {
        let sql = format!("{RECORD} where id = ?");
        let existing = sqlx::query(AssertSqlSafe(sql))
            .bind(integer_of(record.id))
            .fetch_optional(&mut *write)
            .await?;
        imports.push(match existing.as_ref().map(record_of).transpose()? {
            Some(existing) if existing == *record => KeyImport::Existing,
            Some(_) => KeyImport::Conflict,
            None => {
                put(&mut *write, Some(record.id), &record.event).await?;
                KeyImport::Stored
            }
        });
    }
    Ok(imports)
}

async fn put(write: &mut SqliteConnection, id: Option<u64>, event: &AuditEvent) -> Result<()> {
    let (kind, subject) = event.subject.as_ref().map(|(a, b)| (a, b)).unzip();
    // Without a number it gets the next one after the greatest.
    sqlx::query(
        "insert into audit (id, at, actor_kind, actor_id, actor_name, action, subject_kind, \
         subject_id, details) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(id.map(integer_of))
    .bind(event.at.as_microsecond())
    .bind(event.actor.kind.as_str())
    .bind(event.actor.id.map(|id| id.to_string()))
    .bind(&event.actor.name)
    .bind(&event.action)
    .bind(kind)
    .bind(subject)
    .bind(&event.details)
    .execute(write)
    .await?;
    Ok(())
}

fn record_of(row: &SqliteRow) -> Result<AuditRecord> {
    let id = count_of(row.try_get("id")?);
    let shown = id.to_string();
    let kind: &str = row.try_get("actor_kind")?;
    let actor: Option<&str> = row.try_get("actor_id")?;
    let subject: Option<String> = row.try_get("subject_kind")?;
    Ok(AuditRecord {
        id,
        event: AuditEvent {
            at: timestamp_of(row.try_get("at")?, &shown)?,
            actor: Actor {
                kind: ActorKind::of(kind).ok_or_else(|| damaged("actor", &shown))?,
                id: actor.map(id_of).transpose()?,
                name: row.try_get("actor_name")?,
            },
            action: row.try_get("action")?,
            subject: subject.zip(row.try_get("subject_id")?),
            details: row.try_get("details")?,
        },
    })
}
