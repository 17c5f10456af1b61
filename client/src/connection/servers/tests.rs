//! How the answers of several servers are merged.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use crate::{ClientConfig, RecallKitClient};

/// Returns the results of a server: ids and relevances, and the total.
fn found(records: &[(&str, f64)], total: u64) -> Option<Result<QueryResults, Error>> {
    let experiences = records.iter().map(|(id, relevance)| {
        json!({
            "id": id, "title": id, "problem": "", "solution": "", "keywords": [],
            "relevance": relevance, "query_count": 0, "created_at": "",
        })
    });
    let results = json!({
        "found": true, "count": records.len(), "total": total,
        "experiences": experiences.collect::<Vec<_>>(),
    });
    Some(Ok(serde_json::from_value(results).unwrap()))
}

fn failed(reason: &str) -> Option<Result<QueryResults, Error>> {
    let (server, reason) = ("somewhere".to_owned(), reason.to_owned());
    Some(Err(Error::Answer { server, reason }))
}

fn servers(submit_to: &str) -> Servers {
    let named = |name: &str| json!({"name": name, "url": "http://127.0.0.1:9/mcp"});
    let config: ClientConfig = serde_json::from_value(json!({
        "servers": [named("team"), named("public"), named("old")],
        "submitTo": submit_to,
    }))
    .unwrap();
    RecallKitClient::builder()
        .config(config)
        .build_all()
        .unwrap()
}

#[test]
fn results_of_all_servers_are_merged_by_relevance_and_labelled() {
    let request = QueryRequest::from_text("x").with_limit(3).with_offset(1);
    let answers = vec![
        found(
            &[("a", 0.9), ("b", 0.4), ("both", 0.3), ("noise", 0.004)],
            8,
        ),
        found(&[("c", 0.8), ("d", 0.4), ("both", 0.35)], 5),
        None,
    ];
    let merged = servers("public").merged(answers, &request).unwrap();
    let page: Vec<_> = merged
        .experiences
        .iter()
        .map(|it| (it.id.as_str(), it.origin.as_deref().unwrap()))
        .collect();
    assert_eq!(page, [("c", "public"), ("b", "team"), ("d", "public")]);
    // A record that both have counts once.
    assert_eq!((merged.count, merged.found, merged.total), (3, true, 11));
    let late = Unanswered {
        server: "old".to_owned(),
        reason: "no answer within 2000 ms".to_owned(),
    };
    assert_eq!(merged.unanswered, [late]);
}

#[test]
fn a_query_fails_only_if_no_server_answers() {
    let request = QueryRequest::from_text("x");
    let merged = servers("team").merged(vec![failed("1"), found(&[], 0), failed("3")], &request);
    let merged = merged.unwrap();
    assert_eq!((merged.found, merged.total), (false, 0));
    let unanswered: Vec<_> = merged
        .unanswered
        .iter()
        .map(|it| it.server.as_str())
        .collect();
    assert_eq!(unanswered, ["team", "old"]);
    for (submit_to, answers, expected) in [
        ("public", vec![failed("1"), failed("2"), failed("3")], "2"),
        ("public", vec![None, None, failed("3")], "3"),
    ] {
        let error = servers(submit_to).merged(answers, &request).unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}

#[test]
fn submissions_go_to_the_chosen_server() {
    assert_eq!(servers("public").chosen().name(), Some("public"));
    let mut config = servers("team").chosen().config().clone();
    let one = RecallKitClient::new(config.clone()).unwrap();
    assert_eq!(one.name(), Some("team"));
    config.submit_to = Some("new".to_owned());
    let error = RecallKitClient::new(config).unwrap_err().to_string();
    assert!(error.contains("it has team, public, old"), "{error}");
}
