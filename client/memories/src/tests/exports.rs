//! The JSON exports of mem0, claude-mem and cq.
//!
//! The data is written after the code of each program, which was not run for it: mem0ai 2.2.1,
//! `mem0/memory/main.py` (`_get_all_from_vector_store`) and `mem0/configs/base.py` (`MemoryItem`); OpenMemory at
//! commit 54e275af, `openmemory/api/app/routers/backup.py` (`_export_sqlite`, `_export_logical_memories_gz`);
//! claude-mem 13.25.3, `scripts/export-memories.ts` (`ExportData`), with the rows of `SessionStore`; cq at commit
//! 0571f735, `cli/cmd/query.go` and `sdk/go/types.go` (`KnowledgeUnit`).

use std::fs;

use recall_kit_shared_types::knowledge::EntryType;
use serde_json::{Value, json};

use super::{content, read};
use crate::{Body, ReadError, Reading};

/// Reads a text as the export of a source.
fn read_as(source: &str, text: &str) -> Result<Reading, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("export.json");
    fs::write(&file, text).unwrap();
    read(source, &file)
}

fn exported(source: &str, value: &Value) -> Reading {
    read_as(source, &serde_json::to_string_pretty(value).unwrap()).unwrap()
}

/// Returns the ids of what is left out, with the reasons.
fn skipped(found: &Reading) -> Vec<(&str, &str)> {
    let skipped = found.skipped.iter();
    skipped
        .map(|it| (it.id.as_str(), it.reason.as_str()))
        .collect()
}

fn kind(found: &Reading, at: usize) -> Option<EntryType> {
    match found.records[at].body {
        Body::Entry { kind, .. } => Some(kind),
        Body::Experience { .. } => None,
    }
}

#[test]
fn mem0s_get_all_has_the_memories_with_their_metadata() {
    let memory = |id: &str, text: &str| {
        json!({"id": id, "memory": text, "hash": "0cc175b9", "metadata": null,
               "created_at": "2026-05-01T10:00:00.123456-07:00", "updated_at": null, "user_id": "dev"})
    };
    let mut decided = memory("9f1c", "The API is versioned by path\nsince May");
    decided["metadata"] = json!({"category": "decision", "source": "chat"});
    decided["updated_at"] = json!("2026-06-02T09:00:00+00:00");
    decided["actor_id"] = json!("dev");
    let found = exported(
        "mem0",
        &json!({"results": [decided, memory("9f1d", "Use UTC"), memory("9f1e", " ")]}),
    );
    let ids: Vec<&str> = found.records.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["9f1c", "9f1d"]);
    let first = &found.records[0];
    assert_eq!(first.title, "The API is versioned by path");
    assert_eq!(content(first), "The API is versioned by path\nsince May");
    assert_eq!(
        first.written_at.as_deref(),
        Some("2026-06-02T09:00:00+00:00")
    );
    assert_eq!(
        (kind(&found, 0), first.tags.as_slice()),
        (Some(EntryType::Decision), &["decision".to_owned()][..])
    );
    assert_eq!(
        found.records[1].written_at.as_deref(),
        Some("2026-05-01T10:00:00.123456-07:00")
    );
    assert_eq!(skipped(&found), [("9f1e", "it has no text")]);
}

#[test]
fn a_page_of_mem0s_platform_is_read_and_an_export_of_a_form_of_ones_own_is_not() {
    let memory = json!({"id": "4be2", "memory": "Deploys run on Tuesdays", "user_id": "dev", "metadata": {"type": "project"},
                        "categories": ["configuration"], "created_at": "2026-05-01T10:00:00-07:00",
                        "updated_at": "2026-05-01T10:00:00-07:00", "expiration_date": null});
    let page = json!({"count": 1, "next": null, "previous": null, "results": [memory]});
    let found = exported("mem0", &page);
    assert_eq!(found.records[0].tags, ["configuration", "project"]);
    assert_eq!(kind(&found, 0), Some(EntryType::Config));
    let own = json!({"full_name": "a", "current_role": "b", "company": "c"}).to_string();
    let error = read_as("mem0", &own).unwrap_err().to_string();
    assert!(error.contains("nor the result of get_all()"), "{error}");
}

#[test]
fn both_files_of_openmemorys_archive_have_the_memories_that_were_not_put_away() {
    let memory = |id: &str, state: &str| {
        json!({"id": id, "user_id": "u", "app_id": "a", "content": format!("Note {id}"), "metadata": {"mcp_client": "cursor"},
               "state": state, "created_at": "2026-05-01T10:00:00+00:00", "updated_at": "2026-05-02T10:00:00+00:00",
               "archived_at": null, "deleted_at": null, "category_ids": ["c1"]})
    };
    let document = json!({
        "user": {"id": "u", "user_id": "dev", "name": "dev", "email": null},
        "apps": [{"id": "a", "name": "cursor"}],
        "categories": [{"id": "c1", "name": "pitfall"}, {"id": "c2", "name": "food"}],
        "memories": [memory("m1", "active"), memory("m2", "paused"), memory("m3", "archived"), memory("m4", "deleted")],
        "memory_categories": [{"memory_id": "m1", "category_id": "c1"}],
        "status_history": [], "access_controls": [],
        "export_meta": {"version": "1", "generated_at": "2026-05-03T10:00:00+00:00"},
    });
    let found = exported("mem0", &document);
    let ids: Vec<&str> = found.records.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["m1", "m2"]);
    assert_eq!(found.records[0].tags, ["pitfall"]);
    let left_out = [
        ("m3", "it was archived there"),
        ("m4", "it was deleted there"),
    ];
    assert_eq!(skipped(&found), left_out);

    let line = |id: &str, state: &str| {
        json!({"id": id, "content": format!("Note {id}"), "metadata": {}, "created_at": null, "state": state,
               "updated_at": "2026-05-02T10:00:00+00:00", "app": "cursor", "categories": ["pitfall"]})
        .to_string()
    };
    let one = read_as("mem0", &line("m1", "active")).unwrap();
    assert_eq!(one.records.len(), 1);
    let lines = [
        line("m1", "active"),
        line("m4", "deleted"),
        r#"{"id": "m5", "con"#.to_owned(),
    ];
    let found = read_as("mem0", &lines.join("\n")).unwrap();
    assert_eq!(
        (found.records.len(), kind(&found, 0)),
        (1, Some(EntryType::Pitfall))
    );
    assert_eq!(
        found.records[0].written_at.as_deref(),
        Some("2026-05-02T10:00:00+00:00")
    );
    assert_eq!(
        skipped(&found),
        [
            ("m4", "it was deleted there"),
            ("line 3", "it is damaged JSON")
        ]
    );
}

#[test]
fn claude_mems_export_has_observations_and_summaries() {
    let observation = |id: u32, kind: &str| {
        json!({"id": id, "memory_session_id": "memory-1", "project": "shop", "text": null, "type": kind,
               "title": format!("Title {id}"), "subtitle": "The list was slow", "facts": "[\"It took 4 s\"]",
               "narrative": "One query for all rows", "concepts": "[\"problem-solution\",\"cache\"]", "files_read": "[]",
               "files_modified": "[]", "prompt_number": 1, "discovery_tokens": 0, "created_at": "2026-05-01T10:00:00.000Z",
               "created_at_epoch": 1_777_629_600_000_u64})
    };
    let summary = json!({"id": 3, "memory_session_id": "memory-1", "project": "shop", "request": "Make it fast",
                         "investigated": "The queries", "learned": "It asks once a row", "completed": "One query",
                         "next_steps": "", "files_read": null, "files_edited": null, "notes": null, "prompt_number": 1,
                         "discovery_tokens": 0, "created_at": "2026-05-01T10:05:00.000Z", "created_at_epoch": 1_777_629_900_000_u64});
    let mut empty = observation(9, "change");
    for field in ["subtitle", "facts", "narrative"] {
        empty[field] = Value::Null;
    }
    let export = json!({
        "exportedAt": "2026-05-02T10:00:00.000Z", "exportedAtEpoch": 1_777_716_000_000_u64, "query": "list", "project": "shop",
        "totalObservations": 3, "totalSessions": 1, "totalSummaries": 1, "totalPrompts": 1,
        "observations": [observation(1, "bugfix"), observation(2, "decision"), empty],
        "sessions": [{"id": 1, "content_session_id": "content-1", "memory_session_id": "memory-1", "project": "shop"}],
        "summaries": [summary],
        "prompts": [{"id": 1, "content_session_id": "content-1", "prompt_number": 1, "prompt_text": "Make it fast"}],
    });
    let found = exported("claude-mem", &export);
    let ids: Vec<&str> = found.records.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["observation 1", "observation 2", "summary 3"]);
    assert_eq!(skipped(&found), [("observation 9", "it has no text")]);
    let first = &found.records[0];
    let body = Body::Experience {
        problem: "The list was slow".to_owned(),
        root_cause: None,
        solution: "One query for all rows".to_owned(),
        context: Some("- It took 4 s".to_owned()),
    };
    assert_eq!(first.body, body);
    assert_eq!(first.tags, ["problem-solution", "cache"]);
    assert_eq!(first.project.as_deref(), Some("shop"));
    assert_eq!(
        first.written_at.as_deref(),
        Some("2026-05-01T10:00:00.000Z")
    );
    assert_eq!(kind(&found, 1), Some(EntryType::Decision));
    assert!(content(&found.records[2]).contains("Learned: It asks once a row"));
}

#[test]
fn cqs_units_are_read_as_a_list_an_answer_one_unit_and_lines() {
    let unit = |id: &str| {
        json!({"id": id, "version": 1, "domains": ["api", "go"],
               "insight": {"summary": "Flaky API", "detail": "It fails under load.", "action": "Retry with jitter."},
               "context": {"languages": ["go"], "frameworks": null, "pattern": ""},
               "evidence": {"confidence": 0.7, "confirmations": 2, "first_observed": "2026-03-25T10:00:00Z"},
               "tier": "local", "created_by": "agent-go", "flags": null})
    };
    let mut replaced = unit("ku_2");
    replaced["superseded_by"] = json!("ku_1");
    let list = json!([unit("ku_1"), replaced]);
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    let lines = format!("{}\n{}\n", unit("ku_1"), replaced);
    let answer = json!({"units": list, "source": "local"});
    for text in [pretty(&list), pretty(&answer), lines] {
        let found = read_as("cq", &text).unwrap();
        assert_eq!(
            skipped(&found),
            [("ku_2", "a newer unit replaces it there")],
            "{text}"
        );
        let [record] = found.records.as_slice() else {
            panic!("{text}: {found:?}")
        };
        let body = Body::Experience {
            problem: "It fails under load.".to_owned(),
            root_cause: None,
            solution: "Retry with jitter.".to_owned(),
            context: Some("Languages: go".to_owned()),
        };
        assert_eq!((record.id.as_str(), &record.body), ("ku_1", &body));
        assert_eq!(record.tags, ["api", "go"]);
        assert_eq!(record.written_at.as_deref(), Some("2026-03-25T10:00:00Z"));
    }
    assert_eq!(
        read_as("cq", &pretty(&unit("ku_1"))).unwrap().records.len(),
        1
    );
    assert_eq!(read_as("cq", "[]").unwrap(), Reading::default());
    let error = read_as("cq", r#"{"total_count": 3}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("a list of knowledge units"), "{error}");
}
