//! Records as canonical lines for comparison: equal in all databases with the same data, and never shown.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use recall_kit_store::{
    AuditRecord, HashedApiKey, HashedUser, KnowledgeRecord, PasswordHash, StoredIdempotencyKey,
};
use serde_json::json;

use super::pages::{MovedFile, MovedVersion, Page};
use crate::line;

/// A record's name and its lines.
pub(super) type Canonical = (String, Vec<u8>);

/// Returns a page's records. Numbers that a database assigns itself, such as those of files, are left out.
pub(super) fn records(page: &Page) -> serde_json::Result<Vec<Canonical>> {
    match page {
        Page::Experiences(page) => all(page, |one| one.experience.id.to_string(), line::write),
        Page::Outcomes(page) => all(page, |one| one.id.to_string(), line::write_outcome),
        Page::Knowledge(page) => all(page, knowledge_id, knowledge),
        Page::ApiKeys(page) => all(page, |one| one.record.id.to_string(), api_key),
        Page::Users(page) => all(page, |one| one.record.id.to_string(), user),
        Page::Audit(page) => all(page, |one| one.id.to_string(), audit),
        Page::Keys(_, page) => all(page, |one| one.key.clone(), key),
        Page::Files(page) => all(page, file_id, file),
        Page::Version(one) => all(std::slice::from_ref(&**one), MovedVersion::name, version),
    }
}

fn all<R>(
    records: &[R],
    id: impl Fn(&R) -> String,
    write: impl Fn(&R, &mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<Vec<Canonical>> {
    let canonical = |record| {
        let mut lines = Vec::new();
        write(record, &mut lines)?;
        Ok((id(record), lines))
    };
    records.iter().map(canonical).collect()
}

/// Returns path and the beginning of the hash, which distinguishes files with the same path.
fn file_id(file: &MovedFile) -> String {
    let [a, b, c, d, ..] = file.hash;
    format!("{} ({a:02x}{b:02x}{c:02x}{d:02x})", file.path)
}

fn knowledge_id(record: &KnowledgeRecord) -> String {
    match record {
        KnowledgeRecord::Entry(entry) => entry.entry.id.to_string(),
        KnowledgeRecord::Link(link) => link.id.to_string(),
        KnowledgeRecord::Suggestion(suggestion) => suggestion.suggestion.id.to_string(),
    }
}

fn knowledge(record: &KnowledgeRecord, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match record {
        KnowledgeRecord::Entry(entry) => line::write_entry(entry, out),
        KnowledgeRecord::Link(link) => line::write_link(link, out),
        KnowledgeRecord::Suggestion(suggestion) => line::write_suggestion(suggestion, out),
    }
}

fn api_key(key: &HashedApiKey, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let record = &key.record;
    let line = json!([
        record.id,
        record.name,
        record.prefix,
        STANDARD.encode(key.hash),
        record.scope.as_str(),
        record.created_at,
        record.expires_at,
        record.last_used_at,
        record.revoked_at,
        record.projects.names(),
        record.is_trusted,
    ]);
    line_of(&line, out)
}

fn user(user: &HashedUser, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let record = &user.record;
    let line = json!([
        record.id,
        record.name,
        user.password.as_ref().map(PasswordHash::expose),
        record.role.as_str(),
        record.projects.names(),
        record.created_at,
        record.disabled_at,
        record.last_seen_at,
    ]);
    line_of(&line, out)
}

fn audit(record: &AuditRecord, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let event = &record.event;
    let line = json!([
        record.id,
        event.at,
        event.actor.kind.as_str(),
        event.actor.id,
        event.actor.name,
        event.action,
        event.subject,
        event.details,
    ]);
    line_of(&line, out)
}

fn key(key: &StoredIdempotencyKey, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let fingerprint = STANDARD.encode(key.fingerprint);
    line_of(
        &json!([key.key, fingerprint, key.record, key.created_at]),
        out,
    )
}

fn file(file: &MovedFile, out: &mut Vec<u8>) -> serde_json::Result<()> {
    line_of(&json!([STANDARD.encode(file.hash), file.path]), out)?;
    file.chunks.iter().try_for_each(|chunk| {
        let content = &chunk.content;
        let line = json!([
            chunk.place,
            content.kind.as_str(),
            content.title,
            content.description,
            content.language,
            content.text,
            content.line,
            content.tokens,
            chunk.vector.as_ref().map(|vector| STANDARD.encode(vector)),
        ]);
        line_of(&line, out)
    })
}

fn version(moved: &MovedVersion, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let version = &moved.version;
    let line = json!([
        moved.library,
        moved.description,
        moved.is_default,
        version.version,
        version.source,
        version.at,
        version.revision,
        [version.files, version.chunks, version.tokens],
        version.ingested_at,
    ]);
    line_of(&line, out)?;
    moved
        .files
        .iter()
        .try_for_each(|(path, hash)| line_of(&json!([path, STANDARD.encode(hash)]), out))
}

fn line_of(line: &serde_json::Value, out: &mut Vec<u8>) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.push(b'\n');
    Ok(())
}
