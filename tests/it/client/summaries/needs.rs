//! Keywords and the kind of problem in a query: from the model if the setting says so, otherwise by rules.

use recall_kit_tests::{AiAnswer, AiEndpoint, Home, Server, client, experience, run};
use serde_json::{Value, json};

use super::{configure, to};

const QUERY: &str = "用户遇到了React useState不更新的问题";
const MODEL_ANSWER: &str = r#"{"keywords": "stale closure", "problem_type": "state_management"}"#;

#[tokio::test]
async fn the_model_extracts_keywords_only_if_enabled() {
    for (enabled, answer, found, request_count) in [
        (
            true,
            AiAnswer::Say(MODEL_ANSWER.to_owned()),
            "A stale closure",
            1,
        ),
        (
            false,
            AiAnswer::Say(MODEL_ANSWER.to_owned()),
            "React useState",
            0,
        ),
        // Rules replace a model that fails, or that is too slow for a query.
        (
            true,
            AiAnswer::Say("no idea".to_owned()),
            "React useState",
            1,
        ),
        (true, AiAnswer::Fail(401, None, ""), "React useState", 1),
        (true, AiAnswer::Hang, "React useState", 1),
    ] {
        let home = Home::new();
        let server = Server::start(&home).await;
        for title in [
            "A stale closure keeps old values",
            "React useState does not update",
        ] {
            server.wire.submit(experience(title)).await;
        }
        let endpoint = AiEndpoint::start(std::slice::from_ref(&answer)).await;
        configure(&home, endpoint.settings(json!({"analyzeNeeds": enabled})));
        let token = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_");
        let need = format!("{QUERY} {token}");
        let output = run(to(&home, &server, &["--json", "-v", "query", &need]), "").await;
        let results: Value = serde_json::from_str(output.expect_code(0)).unwrap();
        let title = results["experiences"][0]["title"].as_str().unwrap();
        assert!(title.starts_with(found), "{enabled} {answer:?}: {results}");
        assert!(
            output.stderr.contains("about: 状态管理问题"),
            "{}",
            output.stderr
        );
        let requests = endpoint.requests();
        assert_eq!(requests.len(), request_count, "{enabled} {answer:?}");
        assert!(
            requests
                .iter()
                .all(|(_, body)| !body.to_string().contains(&token))
        );
    }
}

#[tokio::test]
async fn the_model_is_asked_once_for_all_servers() {
    for (answer, title) in [
        (AiAnswer::Say(MODEL_ANSWER.to_owned()), "A stale closure"),
        (AiAnswer::Fail(401, None, ""), "React useState"),
    ] {
        let homes = [Home::new(), Home::new(), Home::new()];
        let servers = [
            Server::start(&homes[0]).await,
            Server::start(&homes[1]).await,
        ];
        for title in [
            "A stale closure keeps old values",
            "React useState does not update",
        ] {
            servers[1].wire.submit(experience(title)).await;
        }
        let endpoint = AiEndpoint::start(std::slice::from_ref(&answer)).await;
        let named = |name: &str, server: &Server| json!({"name": name, "url": format!("{}/mcp", server.wire.base())});
        let settings = json!({
            "ai": endpoint.settings(json!({"analyzeNeeds": true})),
            "servers": [named("team", &servers[0]), named("public", &servers[1])],
            "queryDeadline": 10_000,
        });
        homes[2].configure_client(settings.to_string());
        let args = ["--json", "query", QUERY, "--limit", "50", "--offset", "50"];
        run(client(&homes[2], &args), "").await.expect_code(0);
        assert_eq!(endpoint.requests().len(), 1, "{answer:?}");
        let output = run(client(&homes[2], &["--json", "query", QUERY]), "").await;
        let results: Value = serde_json::from_str(output.expect_code(0)).unwrap();
        let first = results["experiences"][0]["title"].as_str().unwrap();
        assert!(first.starts_with(title), "{answer:?}: {results}");
    }
}
