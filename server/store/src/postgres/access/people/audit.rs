//! The audit list: records are appended and never changed; the oldest are removed beyond a maximum.

use sqlx::{AssertSqlSafe, PgConnection, Row, postgres::PgRow};

use crate::{
    Actor, ActorKind, AuditEvent, AuditRecord, KeyImport, Result,
    access::people::AUDIT_MAX,
    database::columns::{count_of, damaged, id_of, integer_of, timestamp_of},
    postgres::text::{decoded, encoded},
};

/// Selects every column of a record.
const RECORD: &str = "select id, at, actor_kind, actor_id, actor_name, action, subject_kind, \
                      subject_id, details from audit";

/// Appends records.
pub(super) async fn note(transaction: &mut PgConnection, events: &[AuditEvent]) -> Result<()> {
    lock(transaction).await?;
    for event in events {
        put(&mut *transaction, None, event).await?;
    }
    sqlx::query("delete from audit where id <= (select max(id) from audit) - $1")
        .bind(integer_of(AUDIT_MAX))
        .execute(&mut *transaction)
        .await?;
    Ok(())
}

/// Appends the record of a change inside the transaction that makes it, after everything else: other
/// transactions that append wait from here until the commit.
pub(crate) async fn note_change(
    transaction: &mut PgConnection,
    event: Option<&AuditEvent>,
) -> Result<()> {
    match event {
        Some(event) => note(transaction, std::slice::from_ref(event)).await,
        None => Ok(()),
    }
}

/// Reads the newest records before a number.
pub(super) async fn newest(
    connection: &mut PgConnection,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<AuditRecord>> {
    let sql = format!("{RECORD} where id < $1 order by id desc limit $2");
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(integer_of(before.unwrap_or(u64::MAX)))
        .bind(i64::from(limit))
        .fetch_all(connection)
        .await?;
    rows.iter().map(record_of).collect()
}

/// Reads the oldest records after a number.
pub(super) async fn after(
    connection: &mut PgConnection,
    after: u64,
    limit: u32,
) -> Result<Vec<AuditRecord>> {
    let sql = format!("{RECORD} where id > $1 order by id limit $2");
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(integer_of(after))
        .bind(i64::from(limit))
        .fetch_all(connection)
        .await?;
    rows.iter().map(record_of).collect()
}

/// Stores records unchanged.
pub(super) async fn import(
    transaction: &mut PgConnection,
    records: &[AuditRecord],
) -> Result<Vec<KeyImport>> {
    lock(transaction).await?;
    let mut imports = Vec::with_capacity(records.len());
    for record in records {
        let sql = format!("{RECORD} where id = $1");
        let existing = sqlx::query(AssertSqlSafe(sql))
            .bind(integer_of(record.id))
            .fetch_optional(&mut *transaction)
            .await?;
        imports.push(match existing.as_ref().map(record_of).transpose()? {
            Some(existing) if existing == *record => KeyImport::Existing,
            Some(_) => KeyImport::Conflict,
            None => {
                put(&mut *transaction, Some(record.id), &record.event).await?;
                KeyImport::Stored
            }
        });
    }
    Ok(imports)
}

/// Keeps other transactions from appending until the commit, so that numbers follow the commit order
/// without gaps.
async fn lock(transaction: &mut PgConnection) -> Result<()> {
    sqlx::query("lock table audit in share row exclusive mode")
        .execute(transaction)
        .await?;
    Ok(())
}

/// Appends a record; without a number it gets the next one after the greatest.
async fn put(transaction: &mut PgConnection, id: Option<u64>, event: &AuditEvent) -> Result<()> {
    let (kind, subject) = event.subject.as_ref().map(|(a, b)| (a, b)).unzip();
    sqlx::query(
        "insert into audit (id, at, actor_kind, actor_id, actor_name, action, subject_kind, \
         subject_id, details) \
         values (coalesce($1, (select coalesce(max(id), 0) + 1 from audit)), $2, $3, $4, $5, $6, $7, \
         $8, $9)",
    )
    .bind(id.map(integer_of))
    .bind(event.at.as_microsecond())
    .bind(event.actor.kind.as_str())
    .bind(event.actor.id.map(|id| id.to_string()))
    .bind(event.actor.name.as_deref().map(encoded))
    .bind(&event.action)
    .bind(kind)
    .bind(subject.map(|subject| encoded(subject)))
    .bind(event.details.as_deref().map(encoded))
    .execute(transaction)
    .await?;
    Ok(())
}

fn record_of(row: &PgRow) -> Result<AuditRecord> {
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
                name: row.try_get::<Option<String>, _>("actor_name")?.map(decoded),
            },
            action: row.try_get("action")?,
            subject: subject.zip(row.try_get::<Option<String>, _>("subject_id")?.map(decoded)),
            details: row.try_get::<Option<String>, _>("details")?.map(decoded),
        },
    })
}
