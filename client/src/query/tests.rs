//! What a query sends, and the shape of its results.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;

/// The data of the example response in the contract.
fn contract_example() -> QueryExperiencesData {
    let answer = json!({"experiences": [{
        "id": "550e8400-e29b-41d4-a716-446655440000",
        "title": "React useState not updating state",
        "problem_description": "State variable not updating after setState call",
        "root_cause": "React 18's strict mode causes double rendering, and direct state updates may be batched incorrectly",
        "solution": "Use functional update form: setState(prev => prev + 1)",
        "context": "React 18+ with strict mode\n\nCode example:\nconst [count, setCount] = useState(0);\nsetCount(count + 1); // Wrong\nsetCount(prev => prev + 1); // Correct",
        "keywords": ["react", "hooks", "state"],
        "query_count": 45,
        "created_at": "2025-01-20T10:30:00Z",
        "relevance_score": 0.95
    }], "total": 1, "limit": 10, "offset": 0});
    serde_json::from_value(answer).unwrap()
}

#[test]
fn results_have_the_documented_shape() {
    let results = serde_json::to_value(QueryResults::from(contract_example())).unwrap();
    assert_eq!(results["found"], true);
    assert_eq!(results["count"], 1);
    let experience = &results["experiences"][0];
    assert_eq!(experience["title"], "React useState not updating state");
    assert_eq!(
        experience["problem"],
        "State variable not updating after setState call"
    );
    assert_eq!(
        experience["solution"],
        "Use functional update form: setState(prev => prev + 1)"
    );
    assert_eq!(
        experience["code"],
        "const [count, setCount] = useState(0);\nsetCount(count + 1); // Wrong\nsetCount(prev => prev + 1); // Correct"
    );
    assert_eq!(experience["keywords"], json!(["react", "hooks", "state"]));
    assert_eq!(experience["relevance"], 0.95);
    assert_eq!(experience["context"], "React 18+ with strict mode");
}

#[test]
fn a_secret_is_removed_before_its_quotes_are_stripped() {
    let keywords =
        |request: QueryRequest| request.into_wire(&ConfiguredSanitizer::default()).keywords;
    let ascii = ["Tr0ub4dor", "3"].join("&");
    let chinese = ["密碼", "hunter86"].concat();
    for (secret, text) in [
        (&ascii, format!("password: \"{ascii}\"")),
        (&ascii, format!("why is `password: \"{ascii}\"` refused?")),
        (&ascii, format!("{{\"password\": \"{ascii}\"}}")),
        (&chinese, format!("password：\"{chinese}\"")),
    ] {
        for request in [
            QueryRequest::from_text(&*text),
            QueryRequest::keywords(&*text),
        ] {
            assert!(!format!("{request:?}").contains(secret.as_str()));
            let sent = keywords(request);
            assert!(!sent.contains(secret.as_str()), "{text} sends {sent}");
            assert!(sent.contains("password"), "{text} sends {sent}");
        }
    }
}

#[test]
fn an_api_key_is_never_sent_whatever_the_settings_say() {
    let key = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_");
    let text = format!("deployment {key}");
    for settings in [
        json!({"enabled": false}),
        json!({"rules": []}),
        json!({"allow": [key]}),
    ] {
        let sanitizer =
            ConfiguredSanitizer::new(serde_json::from_value(settings).unwrap()).unwrap();
        for request in [
            QueryRequest::from_text(&*text),
            QueryRequest::keywords(&*text),
        ] {
            let sent = request.into_wire(&sanitizer).keywords;
            assert!(!sent.contains(&key), "{:?}", sanitizer.settings());
            assert!(sent.contains("deployment"), "the rest is sent: {sent}");
        }
    }
}

#[test]
fn an_empty_result_is_an_answer() {
    let mut data = contract_example();
    data.experiences.clear();
    data.total = 0;
    let results = QueryResults::from(data);
    assert!(!results.found);
    assert_eq!(results.count, 0);
}

#[test]
fn records_whose_relevance_rounds_to_zero_are_left_out() {
    let mut data = contract_example();
    let record = data.experiences[0].clone();
    let with = |relevance_score: f64| ExperienceRecord {
        relevance_score,
        ..record.clone()
    };
    data.experiences = [0.9, 0.0049, 0.005, 0.0].map(with).into();
    data.total = 6;
    let mut results = QueryResults::from(data);
    results.retain_from(MIN_RELEVANCE);
    let left: Vec<f64> = results.experiences.iter().map(|it| it.relevance).collect();
    assert_eq!(left, [0.9, 0.005]);
    assert_eq!((results.found, results.count, results.total), (true, 2, 4));
    results.retain_from(1.0);
    assert_eq!((results.found, results.count, results.total), (false, 0, 2));
}

#[test]
fn limit_and_offset_are_sent_only_when_given() {
    let wire = |request: QueryRequest| {
        serde_json::to_value(request.into_wire(&ConfiguredSanitizer::default())).unwrap()
    };
    assert_eq!(
        wire("How do I fix E0502?".into()),
        json!({"keywords": "fix E0502"})
    );
    assert_eq!(
        wire(
            QueryRequest::keywords("how is the")
                .with_limit(5)
                .with_offset(10)
        ),
        json!({"keywords": "how is the", "limit": 5, "offset": 10})
    );
}

#[test]
fn private_hosts_are_removed_from_queries_if_the_rules_say_so() {
    let text = ["refused by http://10.20.", "30.40:8080/x at buildbox-33"].concat();
    let sent = |sanitizer: serde_json::Value| {
        let settings = serde_json::from_value(sanitizer).unwrap();
        let sanitizer = ConfiguredSanitizer::new(settings).unwrap();
        QueryRequest::keywords(&*text)
            .into_wire(&sanitizer)
            .keywords
    };
    let own = json!([{
        "id": "build-box", "kind": "build machine", "group": "remove_urls", "pattern": "buildbox-[0-9]+",
        "replacement": "HOST", "examples": ["buildbox-7"],
    }]);
    assert_eq!(
        sent(json!({"rules": ["remove_urls"], "custom": own})),
        "refused by http://192.0.2.1:8080/x at HOST"
    );
    assert_eq!(
        sent(json!({"rules": ["remove_api_keys"], "custom": own})),
        text
    );
}

#[track_caller]
fn check_standing(
    counts: [u64; 3],
    voices: u64,
    last_at: &str,
    state: StandingState,
    expected: &str,
) {
    let [worked, worked_with_changes, did_not_work] = counts;
    let standing = Standing {
        worked,
        worked_with_changes,
        did_not_work,
        voices,
        last_at: last_at.to_owned(),
        state,
    };
    let now = "2026-11-27T12:00:00Z".parse().unwrap();
    assert_eq!(sentence(&standing, now).unwrap_or_default(), expected);
}

#[test]
fn a_standing_is_one_sentence() {
    use StandingState::{Contested, Fresh, New, Stale};
    let said = "worked 4×, last 12 days ago, 2 people";
    check_standing([4, 0, 0], 2, "2026-11-15T12:00:00Z", Fresh, said);
    let said = "worked 1×, did not work 2×, last 1 day ago, 3 people, contested";
    check_standing([1, 0, 2], 3, "2026-11-26T11:00:00Z", Contested, said);
    let said = "worked with changes 1×, last today, 1 person, stale";
    check_standing([0, 1, 0], 1, "2027-01-01T00:00:00Z", Stale, said);
    check_standing([0, 0, 0], 0, "2026-11-15T12:00:00Z", New, "");
}
