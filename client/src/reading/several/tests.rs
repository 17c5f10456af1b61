//! Which record a reference names if several servers are asked.

use recall_kit_shared_types::knowledge::EntryData;

use super::*;
use crate::Labelled;

fn record(id: &str) -> Lookup {
    let entry = json!({
        "id": id, "type": "decision", "title": format!("about {id}"), "content": "", "tags": [],
        "project": null, "confidence": 3, "status": "active", "memory_type": "episodic",
        "created_at": "", "updated_at": "", "last_accessed": null, "access_count": 0,
        "consolidation_score": 0.0, "embeddings": {"summary": true, "context": false},
        "links": {"outgoing": [], "incoming": []},
    });
    let entry: EntryData = serde_json::from_value(entry).expect("an entry");
    Lookup::One(Shown::Record(Box::new(Labelled::from(entry))))
}

/// Returns the id and the server of the record that is found, or the error's text.
fn resolve(answers: Vec<(&str, Lookup)>) -> Result<(String, String), String> {
    let reference: Reference = "01JD8".parse().expect("an id");
    let answers = answers.into_iter();
    let answers = answers.map(|(server, found)| (Some(server.to_owned()), found));
    let silent = Unanswered {
        server: "old".to_owned(),
        reason: "no answer within 2000 ms".to_owned(),
    };
    match resolved(&reference, answers.collect(), &[silent]) {
        Ok(Shown::Record(record)) => Ok((record.item.id, record.origin.unwrap_or_default())),
        Ok(Shown::Section(_)) => Err("a section".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn one_record_on_any_server_is_found() {
    let found = |id: &str, server: &str| Ok((id.to_owned(), server.to_owned()));
    let only = vec![("team", Lookup::Missing), ("public", record("01JD8A"))];
    assert_eq!(resolve(only), found("01JD8A", "public"));
    // A record that was moved from one server to another is the same.
    let twice = vec![("team", record("01JD8A")), ("public", record("01JD8A"))];
    assert_eq!(resolve(twice), found("01JD8A", "team"));
}

#[test]
fn several_records_are_named_and_none_is_shown() {
    let two = vec![("team", record("01JD8A")), ("public", record("01JD8B"))];
    let expected = "several records begin with `01JD8`; use more of one id\n  \
                    01JD8A: about 01JD8A (team)\n  01JD8B: about 01JD8B (public)";
    assert_eq!(resolve(two), Err(expected.to_owned()));
    let several = Lookup::Several(vec![
        json!({"id": "01JD8C", "title": "one"}),
        json!({"id": "01JD8D", "title": "other"}),
    ]);
    let mixed = vec![("team", several), ("public", record("01JD8A"))];
    let expected = "several records begin with `01JD8`; use more of one id\n  01JD8C: one (team)\n  \
                    01JD8D: other (team)\n  01JD8A: about 01JD8A (public)";
    assert_eq!(resolve(mixed), Err(expected.to_owned()));
}

#[test]
fn a_missing_record_may_be_on_the_server_that_did_not_answer() {
    let none = vec![("team", Lookup::Missing), ("public", Lookup::Missing)];
    let expected = "no record has an id that begins with `01JD8`; old did not answer: no answer within 2000 ms";
    assert_eq!(resolve(none), Err(expected.to_owned()));
}
