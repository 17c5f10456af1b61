//! Fair use of the model: large records of one caller do not block the queries of another, and a busy model
//! makes no query fail.

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, Script, Wire, envelope, experience, json_rpc, make_key,
    within_deadline,
};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

const LEXICAL_ONLY: &str = "io.recallkit/lexical-only";

/// Returns pseudo-random digits without spaces (xorshift).
fn digits(bytes: usize, seed: u64) -> String {
    let mut state = seed;
    let digit = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'0' + (state % 10) as u8)
    };
    (0..bytes).map(digit).collect()
}

#[tokio::test]
async fn large_records_of_one_caller_do_not_block_queries_of_another() {
    let home = Home::new();
    let server = Launch::new(&home).embeddings("builtin").start().await;
    let writer = make_key(&home, "writer", "write").await;
    let reader = make_key(&home, "reader", "read").await;
    let wire = |key: &str| Wire::with_headers(server.wire.base(), &[("x-api-key", key)]);
    server.wire.submit(experience("Probed record")).await;

    let mut submitting = JoinSet::new();
    for seed in [1, 2] {
        let writer = wire(&writer);
        submitting.spawn(async move {
            let mut record = experience("Long record");
            record["context"] = json!(digits(600_000, seed));
            writer.submit(record).await
        });
    }
    let reader = wire(&reader);
    let mut query_count = 0;
    while query_count < 20 || !submitting.is_empty() {
        // Each query text is used once, so that the model is needed.
        let arguments = json!({"keywords": format!("probed record number {query_count}")});
        let answer = reader.call("query_experiences", arguments).await;
        assert_eq!(answer["success"], true, "query {query_count}: {answer}");
        query_count += 1;
        while let Some(submitted) = submitting.try_join_next() {
            submitted.unwrap();
        }
    }
}

fn openai<'a>(home: &'a Home, endpoint: &EmbeddingsEndpoint) -> Launch<'a> {
    Launch::new(home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .env("RECALL_KIT_EMBEDDINGS__API_KEY", "loopback")
}

#[tokio::test]
async fn an_answer_found_without_the_model_says_so() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = openai(&home, &endpoint)
        .env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 200)
        .start()
        .await;
    let record = experience("A docker image is too large");
    server.wire.submit_embedded(record).await;
    let call = async |tool: &str, arguments: Value| {
        let call = json!({"name": tool, "arguments": arguments});
        server.wire.rpc("tools/call", call).await
    };
    let query =
        async |keywords: &str| call("query_experiences", json!({"keywords": keywords})).await;
    endpoint.set_script(Script::Hang);
    for (keywords, total) in [("docker image", 1), ("容器", 0)] {
        let answer = query(keywords).await;
        assert_eq!(envelope(&answer)["data"]["total"], total, "{answer}");
        assert_eq!(
            answer["result"]["_meta"],
            json!({LEXICAL_ONLY: true}),
            "{answer}"
        );
    }
    let answer = call("rekall_search", json!({"query": "docker"})).await;
    assert_eq!(answer["result"]["_meta"][LEXICAL_ONLY], true, "{answer}");
    endpoint.set_script(Script::Answer);
    let answer = query("容器").await;
    assert_eq!(envelope(&answer)["data"]["total"], 1, "{answer}");
    assert!(answer["result"].get("_meta").is_none(), "{answer}");
}

#[tokio::test]
async fn a_record_is_stored_while_the_model_is_busy_and_embedded_later() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = openai(&home, &endpoint)
        .env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 600_000)
        .start()
        .await;
    endpoint.set_script(Script::Hang);
    let record = experience("A docker image is too large");
    let id = server.wire.submit(record).await;
    endpoint.set_script(Script::Answer);
    let found = async {
        loop {
            let data = server.wire.query("容器").await;
            if data["total"] == 1 {
                return data["experiences"][0]["id"].clone();
            }
        }
    };
    assert_eq!(within_deadline("the record's vector", found).await, id);
}

#[tokio::test]
async fn a_large_body_counts_as_several_calls() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__CALLS_PER_MINUTE", 200)
        .start()
        .await;
    let ping = |bytes: usize| json_rpc("ping", json!({"padding": "x".repeat(bytes)})).to_string();
    let names = ["modest", "greedy", "huge"];
    let [modest, greedy, huge] = names.map(|name| make_key(&home, name, "read"));
    let (modest, greedy, huge) = (modest.await, greedy.await, huge.await);
    let send = async |key: &str, body: String| {
        let headers = [("x-api-key", key)];
        let answer = server.wire.send(Method::POST, "/mcp", &headers, body);
        answer.await.status
    };
    for _ in 0..20 {
        assert_eq!(send(&modest, ping(10)).await, 200);
    }
    // 150 KiB are 150 calls, and 51 more are too many.
    assert_eq!(send(&greedy, ping(150 * 1024)).await, 200);
    assert_eq!(send(&greedy, ping(60 * 1024)).await, 429);
    assert_eq!(send(&modest, ping(10)).await, 200);
    // A body larger than the whole limit uses it up, and is accepted.
    assert_eq!(send(&huge, ping(900 * 1024)).await, 200);
    assert_eq!(send(&huge, ping(100 * 1024)).await, 429);
}
