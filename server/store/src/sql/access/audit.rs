//! The audit list: records are appended and never changed; the oldest are removed beyond a maximum.

use sqlx::FromRow;

use crate::{
    Actor, ActorKind, AuditEvent, AuditRecord, KeyImport, Result,
    access::people::AUDIT_MAX,
    database::columns::{count_of, damaged, id_of, integer_of, timestamp_of},
    sql::{Columns, SqlConnection, query},
};

/// Selects every column of a record.
macro_rules! select_records {
    () => {
        "select id, at, actor_kind, actor_id, actor_name, action, subject_kind, subject_id, details \
         from audit "
    };
}

/// Appends records.
pub(crate) async fn note(connection: &mut impl SqlConnection, events: &[AuditEvent]) -> Result<()> {
    // Numbers follow the commit order without gaps.
    connection.lock_table("audit").await?;
    for event in events {
        put(connection, None, event).await?;
    }
    query("delete from audit where id <= (select max(id) from audit) - $1")
        .bind(integer_of(AUDIT_MAX))
        .execute(connection)
        .await?;
    Ok(())
}

/// Appends the record of a change inside the transaction that makes it, after everything else: other
/// transactions that append wait from here until the commit.
pub(crate) async fn note_change(
    connection: &mut impl SqlConnection,
    event: Option<&AuditEvent>,
) -> Result<()> {
    match event {
        Some(event) => note(connection, std::slice::from_ref(event)).await,
        None => Ok(()),
    }
}

/// Reads the newest records before a number.
pub(crate) async fn newest(
    connection: &mut impl SqlConnection,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<AuditRecord>> {
    query(concat!(
        select_records!(),
        "where id < $1 order by id desc limit $2"
    ))
    .bind(integer_of(before.unwrap_or(u64::MAX)))
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads the oldest records after a number.
pub(crate) async fn after(
    connection: &mut impl SqlConnection,
    after: u64,
    limit: u32,
) -> Result<Vec<AuditRecord>> {
    query(concat!(
        select_records!(),
        "where id > $1 order by id limit $2"
    ))
    .bind(integer_of(after))
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Stores records unchanged.
pub(crate) async fn import(
    connection: &mut impl SqlConnection,
    records: &[AuditRecord],
) -> Result<Vec<KeyImport>> {
    // Numbers follow the commit order without gaps.
    connection.lock_table("audit").await?;
    let mut imports = Vec::with_capacity(records.len());
    for record in records {
        let existing: Option<AuditRecord> = query(concat!(select_records!(), "where id = $1"))
            .bind(integer_of(record.id))
            .fetch_optional(connection)
            .await?;
        imports.push(match existing {
            Some(existing) if existing == *record => KeyImport::Existing,
            Some(_) => KeyImport::Conflict,
            None => {
                put(connection, Some(record.id), &record.event).await?;
                KeyImport::Stored
            }
        });
    }
    Ok(imports)
}

/// Appends a record; without a number it gets the next one after the greatest.
async fn put(
    connection: &mut impl SqlConnection,
    id: Option<u64>,
    event: &AuditEvent,
) -> Result<()> {
    let (kind, subject) = event.subject.as_ref().map(|(a, b)| (a, b)).unzip();
    query(
        "insert into audit (id, at, actor_kind, actor_id, actor_name, action, subject_kind, \
         subject_id, details) \
         values (coalesce($1, (select coalesce(max(id), 0) + 1 from audit)), $2, $3, $4, $5, $6, $7, \
         $8, $9)",
    )
    .bind(id.map(integer_of))
    .bind(event.at)
    .bind(event.actor.kind.as_str())
    .bind(event.actor.id.map(|id| id.to_string()))
    .bind(&event.actor.name)
    .bind(&event.action)
    .bind(kind.map(String::as_str))
    .bind(subject.map(String::as_str))
    .bind(&event.details)
    .execute(connection)
    .await?;
    Ok(())
}

impl<'r, R: Columns> FromRow<'r, R> for AuditRecord {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id = count_of(row.read("id")?);
        let shown = id.to_string();
        let kind: &str = row.read("actor_kind")?;
        let actor: Option<&str> = row.read("actor_id")?;
        let subject: Option<String> = row.read("subject_kind")?;
        Ok(Self {
            id,
            event: AuditEvent {
                at: timestamp_of(row.read("at")?, &shown)?,
                actor: Actor {
                    kind: ActorKind::of(kind).ok_or_else(|| damaged("actor", &shown))?,
                    id: actor.map(id_of).transpose()?,
                    name: row.optional_text("actor_name")?,
                },
                action: row.read("action")?,
                subject: subject.zip(row.optional_text("subject_id")?),
                details: row.optional_text("details")?,
            },
        })
    }
}
