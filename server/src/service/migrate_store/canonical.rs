//! Records as canonical lines: equal in every database that holds the same, and never shown.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;

use super::pages::{MovedFile, MovedVersion, Page};
use crate::{
    service::transfer::line,
    store::{HashedApiKey, KnowledgeRecord, StoredIdempotencyKey},
};

/// Returns a page's lines. What is only numbered by its database, such as a file, has no number here.
pub(super) fn lines(page: &Page) -> Vec<u8> {
    let mut out = Vec::new();
    // Serializing into memory does not fail, and half a line would be no equal line.
    let written = match page {
        Page::Experiences(page) => page
            .iter()
            .try_for_each(|record| line::write(record, &mut out)),
        Page::Knowledge(page) => page
            .iter()
            .try_for_each(|record| knowledge(record, &mut out)),
        Page::ApiKeys(page) => page.iter().try_for_each(|key| api_key(key, &mut out)),
        Page::Keys(_, page) => page.iter().try_for_each(|each| key(each, &mut out)),
        Page::Files(page) => page.iter().try_for_each(|each| file(each, &mut out)),
        Page::Version(each) => version(each, &mut out),
    };
    if written.is_err() {
        out.clear();
    }
    out
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
