//! Answers within a token budget: sections are shortened and continue on the next pages.

use recall_kit_tests::{BothProtocols, EmbeddingsEndpoint, Home, Launch, Script, Server};
use serde_json::{Value, json};

use super::{ingest, server};

/// The maximum number of bytes per token in English prose and JSON.
const MAX_BYTES: usize = 6;

/// Calls `get-library-docs` over both protocols; returns the answer, and its size as text in bytes.
async fn get_docs(protocols: &BothProtocols, arguments: Value) -> (Value, usize) {
    let result = protocols.call("get-library-docs", arguments).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    (serde_json::from_str(text).unwrap(), text.len())
}

/// Returns all pages of an answer with `most` tokens per page.
async fn pages(protocols: &BothProtocols, topic: &str, most: usize) -> Vec<Value> {
    let mut pages = Vec::new();
    for page in 1..=10 {
        let arguments = json!({"topic": topic, "maxTokens": most, "page": page});
        let (answer, bytes) = get_docs(protocols, arguments).await;
        assert!(bytes <= most * MAX_BYTES, "{bytes} for {most}: {answer}");
        let documents = answer["documents"].as_array().unwrap();
        assert!(!documents.is_empty(), "page {page}: {answer}");
        let has_more = answer["hasMore"].as_bool().unwrap();
        pages.push(answer);
        if !has_more {
            break;
        }
    }
    pages
}

fn texts(pages: &[Value]) -> Vec<&str> {
    let documents = pages.iter().map(|page| page["documents"].as_array());
    documents
        .flat_map(Option::unwrap)
        .map(|one| one["content"].as_str().or(one["code"].as_str()).unwrap())
        .collect()
}

/// Writes a page about valves: a section with two examples, a long list of steps, and a section in Chinese.
fn write_docs(home: &Home) {
    let steps: Vec<String> = (0..150)
        .map(|step| {
            format!(
                "Step {step} turns valve number {step} by {} degrees.",
                step * 2
            )
        })
        .collect();
    let text = format!(
        "# Valves\n\n- [Opening](#opening)\n- [Steps](#steps)\n\n## Opening\n\nA valve is opened slowly, \
         since the water behind it is under pressure and pushes.\n\nIn Rust a valve is opened like this:\n\n\
         ```rust\nlet valve = Valve::new(7);\nvalve.open();\n```\n\nIn Python a valve is opened like this:\n\n\
         ```python\nvalve = Valve(7)\nvalve.open()\n```\n\n## Steps\n\n{}\n\n## 阀门\n\n\
         阀门要慢慢打开，因为后面的水有压力。\n",
        steps.join("\n\n")
    );
    home.write("docs/valves.md", text);
}

#[tokio::test]
async fn answers_keep_the_token_budget_and_lose_nothing() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Plumbing", "1").await;
    let running = Server::start(&home).await;
    let protocols = BothProtocols::open(&running.wire).await;
    for most in [200, 450, 2_000, 20_000] {
        let pages = pages(&protocols, "valve opened steps", most).await;
        assert_eq!(pages.len() == 1, most == 20_000, "{most}");
        let cut = pages[0]["documents"]
            .to_string()
            .contains("[… cut here: continues on page 2]");
        assert_eq!(cut, pages[0].to_string().contains("\"truncated\":true"));
        if most < 2_000 {
            // Ten small pages end before the documentation does.
            continue;
        }
        let all = texts(&pages).join("\n");
        for step in 0..150 {
            let sentence = format!("turns valve number {step} by");
            assert!(all.contains(&sentence), "{most}: {sentence}");
        }
    }
    let (usual, _) = get_docs(&protocols, json!({"topic": "valve opened steps"})).await;
    let two_thousand = json!({"topic": "valve opened steps", "maxTokens": 2_000});
    assert_eq!(get_docs(&protocols, two_thousand).await.0, usual);
}

#[tokio::test]
async fn a_section_is_one_hit_with_its_examples() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Plumbing", "1").await;
    let running = Server::start(&home).await;
    let protocols = BothProtocols::open(&running.wire).await;
    let arguments = json!({"topic": "how a valve is opened", "libraryId": 1, "version": "1"});
    let (answer, _) = get_docs(&protocols, arguments).await;
    assert_eq!(
        (&answer["libraryName"], &answer["version"]),
        (&json!("Plumbing"), &json!("1"))
    );
    let documents = answer["documents"].as_array().unwrap();
    let titles: Vec<&Value> = documents.iter().map(|one| &one["title"]).collect();
    let of_section = titles.iter().filter(|title| **title == "Valves > Opening");
    assert_eq!(of_section.count(), 1, "{answer}");
    let section = documents
        .iter()
        .find(|one| one["title"] == "Valves > Opening");
    let text = section.unwrap()["content"].as_str().unwrap();
    for part in ["under pressure", "Valve::new(7)", "valve = Valve(7)"] {
        assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
    }
    assert!(
        !answer.to_string().contains("- Opening"),
        "navigation: {answer}"
    );

    // In a search over all libraries each document names its library.
    let code = json!({"topic": "how a valve is opened", "mode": "code"});
    let (answer, _) = get_docs(&protocols, code).await;
    let documents = answer["documents"].as_array().unwrap();
    let languages: Vec<&Value> = documents.iter().map(|one| &one["language"]).collect();
    assert_eq!(languages.len(), 2, "{answer}");
    assert!(documents.iter().all(|one| one["libraryName"] == "Plumbing"));
}

#[tokio::test]
async fn an_invalid_token_budget_is_refused() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Plumbing", "1").await;
    let running = Server::start(&home).await;
    let protocols = BothProtocols::open(&running.wire).await;
    for most in [
        json!(199),
        json!(20_001),
        json!("many"),
        json!(200.5),
        json!(-1),
    ] {
        let arguments = json!({"topic": "valve", "maxTokens": most});
        let (answer, _) = get_docs(&protocols, arguments).await;
        let error = &answer["error"];
        assert_eq!(error["code"], "VALIDATION_ERROR", "{answer}");
        let message = "maxTokens must be a whole number from 200 to 20000";
        assert!(error.to_string().contains(message), "{answer}");
    }
    let args = [
        "libraries",
        "docs",
        "plumbing",
        "valve",
        "--max-tokens",
        "300",
        "--json",
    ];
    let read = server(&home, &args).await;
    let read: Value = serde_json::from_str(read.expect_code(0)).unwrap();
    let tokens: u64 = read["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["tokens"].as_u64().unwrap())
        .sum();
    assert!((1..=300).contains(&tokens), "{read}");
}

#[tokio::test]
async fn missing_vectors_are_reported_until_all_are_there() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Plumbing", "1").await;
    let endpoint = EmbeddingsEndpoint::start(Script::Refuse(500)).await;
    let running = Launch::new(&home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .start()
        .await;
    let wire = &running.wire;
    let answer = wire
        .call("get-library-docs", json!({"topic": "valve"}))
        .await;
    let progress = &answer["embeddingProgress"];
    assert_eq!(progress["embedded"], 0, "{answer}");
    let total = progress["total"].as_u64().unwrap();
    assert!(total > 3, "{answer}");
    for page in ["/libraries", "/libraries/1/1"] {
        let shown = wire.get(page).await.text;
        let words = format!("0 of {total} chunks have vectors so far");
        assert!(shown.contains(&words), "{page}: {shown}");
    }
}
