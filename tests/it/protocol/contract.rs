//! Every example of the server contract, sent as documented and compared with the documented answer.

use std::collections::BTreeSet;

use recall_kit_tests::{Home, Server};
use serde_json::Value;

const QUERY: &str = include_str!("../../data/query_request.json");
const FOUND: &str = include_str!("../../data/query_response.json");
const SUBMIT: &str = include_str!("../../data/submit_request.json");
const SUBMITTED: &str = include_str!("../../data/submit_response.json");
const REFUSED: &str = include_str!("../../data/submit_error_response.json");

#[tokio::test]
async fn the_submit_example_is_answered_as_documented() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let answer = server.wire.call("submit_experience", json(SUBMIT)).await;
    assert_like("", &json(SUBMITTED), &answer);
}

#[tokio::test]
async fn the_query_example_is_answered_as_documented() {
    let home = Home::new();
    let server = Server::start(&home).await;
    // The record of this example differs in wording from that of the submit example.
    let mut record = json(FOUND)["data"]["experiences"][0].clone();
    let fields = record.as_object_mut().unwrap();
    for generated in ["id", "query_count", "created_at", "relevance_score"] {
        fields.remove(generated);
    }
    server.wire.submit(record).await;
    let answer = server.wire.call("query_experiences", json(QUERY)).await;
    assert_like("", &json(FOUND), &answer);
}

#[tokio::test]
async fn the_error_example_is_answered_as_documented() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut unsanitized = json(SUBMIT);
    let secret = ["ghp", "_", &"aB3dE5gH7j".repeat(4)[..36]].concat();
    unsanitized["context"] = format!("git push https://x:{secret}@git.corp.test/a").into();

    let answer = server
        .wire
        .call("submit_experience", unsanitized.clone())
        .await;
    assert_eq!(answer["error"]["code"], "CONTEXT_NOT_SANITIZED");
    let expected = &json(REFUSED)["error"]["validation_errors"];
    assert_like("", expected, &answer["error"]["validation_errors"]);

    // The code in the example is used when there are several problems.
    unsanitized["title"] = "".into();
    let answer = server.wire.call("submit_experience", unsanitized).await;
    let error = &answer["error"];
    assert_eq!(error["code"], json(REFUSED)["error"]["code"]);
    assert_eq!(error["message"], json(REFUSED)["error"]["message"]);
    let listed = error["validation_errors"].as_array().unwrap();
    assert!(listed.contains(&expected[0]), "{answer}");
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Compares an answer with an example: the same members and values, except for values that differ in every run,
/// which must have the example's form.
fn assert_like(at: &str, example: &Value, answer: &Value) {
    match (example, answer) {
        (Value::Object(example), Value::Object(answer)) => {
            let names = |members: &serde_json::Map<String, Value>| {
                members.keys().cloned().collect::<BTreeSet<_>>()
            };
            assert_eq!(names(example), names(answer), "members of {at}");
            for (name, example) in example {
                assert_like(&format!("{at}/{name}"), example, &answer[name]);
            }
        }
        (Value::Array(example), Value::Array(answer)) => {
            assert_eq!(example.len(), answer.len(), "length of {at}");
            for (index, (example, answer)) in example.iter().zip(answer).enumerate() {
                assert_like(&format!("{at}/{index}"), example, answer);
            }
        }
        _ => {
            let same = match at.rsplit('/').next() {
                Some("id") => answer.as_str().is_some_and(is_uuid),
                Some("created_at") => answer.as_str().is_some_and(is_recent_timestamp),
                Some("relevance_score") => answer.as_f64().is_some_and(|s| s > 0.0 && s <= 1.0),
                Some("query_count") => answer.is_u64(),
                _ => answer == example,
            };
            assert!(same, "{at}: {answer} instead of {example}");
        }
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && uuid::Uuid::try_parse(text).is_ok()
}

/// Returns whether a text is an ISO 8601 timestamp in UTC, at most an hour old.
fn is_recent_timestamp(text: &str) -> bool {
    let Ok(time) = text.parse::<jiff::Timestamp>() else {
        return false;
    };
    let age = jiff::Timestamp::now().duration_since(time).as_secs();
    text.ends_with('Z') && (-5..3600).contains(&age)
}
