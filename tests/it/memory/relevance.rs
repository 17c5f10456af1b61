//! The parts of a relevance: in the answer to clients that ask for them, in `query -v`, and in the log at debug
//! level.

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, McpSession, Script, Server, client, experience, run,
};
use serde_json::{Value, json};

const KEY: &str = "io.recallkit/relevance-parts";
const MESSAGE: &str = "error: docker daemon at /srv/a.sock is not running";

/// A server whose first record matches [`MESSAGE`] in words, meaning and error message.
async fn server<'a>(launch: Launch<'a>, endpoint: &EmbeddingsEndpoint) -> Server {
    let launch = launch
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url());
    let server = launch.start().await;
    let mut same = experience("Docker daemon");
    same["problem_description"] = json!("error: docker daemon at /run/b.sock is not running");
    server.wire.submit_embedded(same).await;
    let mut other = experience("A docker daemon is not running well");
    other["problem_description"] = json!("The docker daemon is running, and slow");
    server.wire.submit_embedded(other).await;
    server
}

/// Checks that the parts belong to the records and add up to their scores.
fn check_parts(parts: &Value, records: &Value) {
    let (parts, records) = (parts.as_array().unwrap(), records.as_array().unwrap());
    assert_eq!(parts.len(), records.len());
    let units = |value: &Value| (value.as_f64().unwrap() * 10_000.0).round();
    for (part, record) in parts.iter().zip(records) {
        assert_eq!(part["id"], record["id"]);
        let sum: f64 = ["lexical", "semantic", "fingerprint"]
            .map(|name| units(&part[name]))
            .iter()
            .sum();
        assert_eq!(sum, units(&record["relevance_score"]), "{part} {record}");
    }
    let first = &parts[0];
    for name in ["lexical", "semantic", "fingerprint", "recency", "rank"] {
        assert!(first[name].as_f64().unwrap() > 0.0, "{name}: {first}");
    }
}

#[tokio::test]
async fn parts_come_with_the_answer_if_requested() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = server(Launch::new(&home), &endpoint).await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let params = |wanted: Value| {
        json!({
            "name": "query_experiences",
            "arguments": {"keywords": MESSAGE},
            "_meta": {KEY: wanted},
        })
    };
    for transport in ["plain", "mcp"] {
        let ask = async |wanted: Value| match transport {
            "plain" => server.wire.rpc("tools/call", params(wanted)).await,
            _ => session.request("tools/call", params(wanted)).await,
        };
        let answer = ask(json!(true)).await;
        let result = &answer["result"];
        let data = &result["structuredContent"]["data"];
        assert_eq!(data["total"], 2, "{transport}: {answer}");
        check_parts(&result["_meta"][KEY], &data["experiences"]);
        let answer = ask(json!(false)).await;
        assert_eq!(answer["result"].get("_meta"), None, "{transport}: {answer}");
        let answer = ask(json!("yes")).await;
        let details = answer["error"]["data"]["details"].to_string();
        assert!(
            details.contains("must be a boolean, not a string"),
            "{details}"
        );
    }
}

#[tokio::test]
async fn verbose_queries_show_the_parts() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = server(Launch::new(&home), &endpoint).await;
    let ask = async |flags: &[&str]| {
        let url = server.wire.base();
        let args = [&["--server", url, "query", MESSAGE], flags].concat();
        run(client(&home, &args), "").await
    };
    let output = ask(&["-v"]).await;
    let shown = output.expect_code(0);
    assert_eq!(shown.matches(" = lexical 0.").count(), 2, "{shown}");
    assert!(shown.contains(": rank 0."), "{shown}");
    let output = ask(&[]).await;
    assert!(!output.expect_code(0).contains("lexical"), "{output:?}");

    let output = ask(&["-v", "--json"]).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer["parts"].as_array().unwrap().len(), 2, "{answer}");
    let output = ask(&["--json"]).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer.get("parts"), None, "{answer}");
}

/// The fingerprint of a message uses its words, quotes and lines, so the client must not remove them.
#[tokio::test]
async fn a_pasted_message_is_recognised_by_its_fingerprint() {
    let home = Home::new();
    let server = Launch::new(&home).embeddings("off").start().await;
    let mut same = experience("Where the state went");
    same["problem_description"] = json!(
        "After an update:\nTypeError: cannot read property \"owner\" of the object at \
         /srv/one/app.js:12:7, as it is undefined"
    );
    server.wire.submit(same).await;
    let pasted = "How do I repair this?\n  TypeError: cannot read property \"colour\" of the object at \
                  /opt/two/main.js:340:91, as it is undefined\n    at paint (/opt/two/main.js:1:2)";
    let args = ["--server", server.wire.base(), "query", "-v", "--json"];
    let output = run(client(&home, &[&args[..], &[pasted]].concat()), "").await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    let parts = &answer["parts"][0];
    assert!(parts["fingerprint"].as_f64().unwrap() > 0.0, "{answer}");
}

#[tokio::test]
async fn the_log_has_the_parts_only_at_debug_level_and_never_texts() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    for (level, lines) in [("info", 0), ("debug", 1)] {
        let launch = Launch::new(&home).args(&["--log-level", level]);
        let server = server(launch, &endpoint).await;
        let found = server.wire.query(MESSAGE).await;
        let log = server.stop().await;
        let ranked: Vec<&str> = log
            .lines()
            .filter(|line| line.contains("ranked, "))
            .collect();
        assert_eq!(ranked.len(), lines, "{level}: {log}");
        let records = found["experiences"].as_array().unwrap();
        assert_eq!(records.len(), 2, "{found}");
        for record in records {
            let (id, score) = (record["id"].as_str().unwrap(), &record["relevance_score"]);
            let part = format!("{id} {:.4} = lexical ", score.as_f64().unwrap());
            assert!(
                ranked.iter().all(|line| line.contains(&part)),
                "{part}: {log}"
            );
        }
        assert!(!log.to_lowercase().contains("daemon"), "{log}");
    }
}

/// With the built-in model: two records that differ by one word, and one that is only related.
#[tokio::test]
async fn near_duplicates_have_similar_scores_and_ranks_are_the_sum_of_their_parts() {
    let home = Home::new();
    let server = Launch::new(&home).embeddings("builtin").start().await;
    for (title, solution) in [
        (
            "Gateway times out on large exports in staging",
            "Raise proxy_read_timeout to 120 seconds.",
        ),
        (
            "Gateway times out on large exports in testing",
            "Raise proxy_read_timeout to 120 seconds.",
        ),
        (
            "Exports of large tables are slow",
            "Stream rows instead of building the file in memory.",
        ),
        (
            "Cargo cannot find the linker",
            "Install the build tools of the system.",
        ),
    ] {
        let record = json!({"title": title, "problem_description": title, "solution": solution});
        server.wire.submit(record).await;
    }
    server.wire.vectors_made().await;
    for question in [
        "the gateway times out on large exports",
        "504 du proxy pendant un gros export",
        "导出大文件时网关超时",
    ] {
        let call = json!({
            "name": "query_experiences",
            "arguments": {"keywords": question},
            "_meta": {KEY: true},
        });
        let answer = server.wire.rpc("tools/call", call).await;
        let result = &answer["result"];
        let records = &result["structuredContent"]["data"]["experiences"];
        let records = records.as_array().unwrap();
        let score = |at: usize| records[at]["relevance_score"].as_f64().unwrap();
        for duplicate in &records[..2] {
            let title = duplicate["title"].as_str().unwrap();
            assert!(
                title.starts_with("Gateway times out"),
                "{question}: {answer}"
            );
        }
        assert!((score(0) - score(1)).abs() <= 0.05, "{question}: {answer}");
        assert!(score(0) > 0.3, "{question}: {answer}");
        for at in 1..records.len() {
            // The results are ordered by relevance, since all records are equally new and popular; and no score
            // is 0.
            assert!(
                score(at - 1) >= score(at) - 0.05 && score(at) > 0.0,
                "{answer}"
            );
        }
        let mut ranks = Vec::new();
        for (part, record) in result["_meta"][KEY].as_array().unwrap().iter().zip(records) {
            let of = |name: &str| part[name].as_f64().unwrap();
            let relevance = record["relevance_score"].as_f64().unwrap();
            let sum = 0.6 * relevance + 0.3 * of("popularity") + 0.1 * of("recency");
            assert!((sum - of("rank")).abs() < 0.0002, "{part} {record}");
            ranks.push(of("rank"));
        }
        assert!(ranks.is_sorted_by(|a, b| a >= b), "{ranks:?}");
    }
    for everyday in [
        "How long do I boil an egg?",
        "Was ziehe ich zur Hochzeit an?",
        "猫为什么打呼噜？",
    ] {
        assert_eq!(server.wire.query(everyday).await["total"], 0, "{everyday}");
    }
}
