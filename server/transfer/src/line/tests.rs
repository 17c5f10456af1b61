//! Records are read as they were written, and errors never repeat a value.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::applicability::Applies;
use recall_kit_store::ExperienceContent;

use super::*;

const ID: &str = "01a2006f-0eef-7035-b7ed-2bebae567e13";

fn record() -> StoredExperience {
    StoredExperience {
        experience: Experience {
            id: ID.parse().unwrap(),
            content: ExperienceContent {
                title: "Zeile\n\"zwei\" 🛠".to_owned(),
                problem_description: "\u{1}\u{2028}".to_owned(),
                root_cause: None,
                solution: "mend".to_owned(),
                context: Some("fn main() {}".to_owned()),
                keywords: vec!["a b".to_owned()],
                applies: Some(vec![Applies {
                    purl: Some("pkg:npm/react".to_owned()),
                    range: Some("vers:npm/<19".to_owned()),
                    ..Applies::default()
                }]),
            },
            query_count: u64::try_from(i64::MAX).unwrap(),
            popularity: 8,
            created_at: Timestamp::from_microsecond(1_700_000_000_123_456).unwrap(),
        },
        state: ExperienceState::default(),
        vector: Some(vec![0, 255, 7]),
        author: Some(Uuid::from_u128(5)),
    }
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let without_vector = StoredExperience {
        vector: None,
        ..record()
    };
    let at = |second| Some(Timestamp::from_second(second).unwrap());
    let deleted = StoredExperience {
        state: ExperienceState {
            version: 4,
            changed_at: at(1),
            hidden_at: at(2),
            deleted_at: at(3),
        },
        ..record()
    };
    let mut for_all_versions = record();
    for_all_versions.experience.content.applies = Some(Vec::new());
    let mut unstated = record();
    unstated.experience.content.applies = None;
    for record in [
        record(),
        without_vector,
        deleted,
        for_all_versions,
        unstated,
    ] {
        let mut line = Vec::new();
        write(&record, &mut line).unwrap();
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert_eq!(read(&line).unwrap(), Record::Experience(Box::new(record)));
    }
}

#[test]
fn a_header_is_read_as_it_was_written_and_others_are_rejected() {
    for model in [None, Some("m".to_owned())] {
        let header = Header {
            embedding_model: model,
        };
        assert_eq!(Header::read(header.to_line().as_bytes()), Ok(header));
    }
    let check = |line: &str, expected| assert_eq!(Header::read(line.as_bytes()), Err(expected));
    check("", HeaderError::Empty);
    check("{}", HeaderError::Foreign);
    check("\u{1f}\u{8b} compressed", HeaderError::Foreign);
    check(r#"{"type":"experience"}"#, HeaderError::Foreign);
    check(r#"{"format":"other","version":1}"#, HeaderError::Foreign);
    let newer = r#"{"format":"recall-kit-export","version":2,"more":[]}"#;
    check(newer, HeaderError::Version(2));
}

/// Changes a field of a valid line, and checks that the error contains these words but not the value.
fn check(field: &str, value: Value, expected: &str) {
    let mut line = Vec::new();
    write(&record(), &mut line).unwrap();
    let mut fields: Map<String, Value> = serde_json::from_slice(&line).unwrap();
    fields.insert(field.to_owned(), value.clone());
    let reason = read(&serde_json::to_vec(&fields).unwrap());
    let reason = reason.unwrap_err().to_string();
    assert!(reason.contains(expected), "{field}: {reason}");
    let value = value.as_str().unwrap_or("no text");
    let repeats = value.len() > 3 && reason.contains(value);
    assert!(!repeats, "{field}: {reason}");
}

#[test]
fn invalid_records_are_rejected_with_a_message() {
    check("id", json!("not-a-uuid"), "`id` must be a UUID");
    check("id", json!(Uuid::nil()), "nil");
    check("id", json!(null), "`id` is missing");
    check("type", json!("library"), "`type`");
    check("type", json!(null), "`type` is missing");
    check(
        "created_at",
        json!("yesterday"),
        "`created_at` must be a time",
    );
    check("query_count", json!(-1), "whole number");
    check("query_count", json!(u64::MAX), "whole number");
    check("title", json!(" "), "title");
    check("title", json!(5), "`title` must be a string");
    check("title", json!("x".repeat(501)), "501");
    check("solution", json!(null), "solution is required");
    check("keywords", json!(["a", 1]), "list of strings");
    check("keywords", json!(vec!["k"; 101]), "101 keywords");
    check("surprise", json!("value"), "`surprise` is unknown");
    check("vector", json!([1, 2]), "`vector` must be a string");
    let secret = ["postgres://me:", "hunter2-and-more", "@db.internal/x"].concat();
    check("solution", json!(secret), "credential");
    check("context", json!(secret), "1 × ");
}

#[test]
fn errors_of_broken_lines_name_the_position() {
    let reason = |line: &[u8]| read(line).unwrap_err().to_string();
    assert!(reason(b"{\"type\": \"experience\", ").contains("at byte 23"));
    assert!(reason(b"{\"type\": \"exp\xff\"}").contains("not JSON"));
    assert!(reason(b"[1]").contains("not a JSON object"));
}

#[test]
fn harmless_problems_are_repaired() {
    let mut line = Vec::new();
    write(&record(), &mut line).unwrap();
    let mut fields: Map<String, Value> = serde_json::from_slice(&line).unwrap();
    fields.insert("vector".to_owned(), json!("no base64!"));
    fields.insert("keywords".to_owned(), json!([" A B ", "a b"]));
    fields.insert(
        "created_at".to_owned(),
        json!("2023-11-14T23:13:20.123456789+01:00"),
    );
    fields.remove("query_count");
    let read = read(&serde_json::to_vec(&fields).unwrap()).unwrap();
    let Record::Experience(read) = read else {
        panic!("{read:?}");
    };
    assert_eq!(
        (read.vector, read.experience.query_count),
        (Some(Vec::new()), 0)
    );
    assert_eq!(read.experience.content, record().experience.content);
    assert_eq!(read.experience.created_at, record().experience.created_at);
}
