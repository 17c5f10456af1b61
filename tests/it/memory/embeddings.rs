//! Search by meaning: the embedded model, an OpenAI-compatible endpoint, and the effects of their failures.

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, Script, Server, experience, run, server_command,
    within_deadline,
};
use serde_json::json;

#[tokio::test]
async fn chinese_and_french_queries_find_english_records() {
    let home = Home::new();
    let server = Launch::new(&home).embeddings("builtin").start().await;
    let records = [
        (
            "Old container images fill the disk",
            "The build host runs out of disk space because unused images pile up",
            "Prune unused images every night",
        ),
        (
            "Browser rejects the site after the certificate expired",
            "Visitors see a warning page since the certificate is no longer valid",
            "Renew the certificate and reload the web server",
        ),
        (
            "Migration cannot add a column to a large table",
            "Altering the table locks it for hours and requests pile up",
            "Add the column as nullable first, then fill it in small steps",
        ),
    ];
    for (title, problem, solution) in records {
        let record = json!({"title": title, "problem_description": problem, "solution": solution});
        server.wire.submit_embedded(record).await;
    }
    for (query, expected) in [
        ("磁盘空间不足，如何清理未使用的镜像", 0),
        ("证书过期后浏览器拒绝访问网站", 1),
        ("给大表添加字段时锁表很久", 2),
        ("le disque est plein à cause des vieilles images", 0),
        ("le navigateur refuse le site, certificat expiré", 1),
        ("impossible d'ajouter une colonne à une grande table", 2),
    ] {
        let found = server.wire.titles(query).await;
        let first = found.first().map(String::as_str);
        assert_eq!(first, Some(records[expected].0), "{query}: {found:?}");
    }
    let nothing = server.wire.query("recette de gâteau aux pommes").await;
    assert_eq!(nothing["total"], 0, "{nothing}");
}

#[tokio::test]
async fn an_openai_compatible_endpoint_works_end_to_end() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = openai(&home, &endpoint, "model-a").start().await;
    let id = server
        .wire
        .submit_embedded(experience("A docker image is too large"))
        .await;
    server
        .wire
        .submit_embedded(experience("An invoice was sent twice"))
        .await;
    let authorization = endpoint.received("docker image").await;
    assert_eq!(authorization, format!("Bearer {}", key()));
    let data = server.wire.query("容器").await;
    assert_eq!(data["experiences"][0]["id"], id.as_str(), "{data}");
    assert_eq!(data["total"], 1, "{data}");
    let log = server.stop().await;
    assert!(log.contains("Tool called: query_experiences"), "{log}");
    assert!(!log.contains(&key()));
}

#[tokio::test]
async fn lexical_search_works_if_the_endpoint_fails() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = openai(&home, &endpoint, "model-a").start().await;
    server
        .wire
        .submit_embedded(experience("A docker image is too large"))
        .await;
    for status in [401, 500] {
        endpoint.set_script(Script::Refuse(status));
        let data = server.wire.query("docker image").await;
        assert_eq!(data["total"], 1, "{status}: {data}");
        let none = server.wire.query("容器").await;
        assert_eq!(none["total"], 0, "{status}: {none}");
    }
    server.logged("WARN").await;
    server
        .wire
        .submit(experience("Stored while the endpoint was away"))
        .await;
    assert_eq!(server.wire.query("endpoint away").await["total"], 1);
    endpoint.set_script(Script::Answer);
    assert_eq!(server.wire.query("容器").await["total"], 1);
}

#[tokio::test]
async fn a_query_past_its_deadline_times_out() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = openai(&home, &endpoint, "model-a")
        .env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 10_000)
        .env("RECALL_KIT_QUERY__TIMEOUT_MS", 300)
        .start()
        .await;
    server
        .wire
        .submit_embedded(experience("A docker image is too large"))
        .await;
    endpoint.set_script(Script::Hang);
    let arguments = json!({"keywords": "docker image"});
    let answer = server.wire.call("query_experiences", arguments).await;
    assert_eq!(answer["error"]["code"], "TIMEOUT", "{answer}");
    endpoint.set_script(Script::Answer);
    assert_eq!(server.wire.query("docker image").await["total"], 1);
}

#[tokio::test]
async fn a_database_of_another_model_is_not_opened_until_reembedded() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = openai(&home, &endpoint, "model-a").start().await;
    let id = server
        .wire
        .submit_embedded(experience("A docker image is too large"))
        .await;
    server.stop().await;

    let refused = openai(&home, &endpoint, "model-b").run().await;
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    for word in ["model-a", "model-b", "recall-kit-server reembed"] {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }

    let server = Server::start(&home).await;
    assert_eq!(
        server.wire.query("docker").await["total"],
        1,
        "lexical works"
    );
    server.stop().await;

    let reembedded = openai(&home, &endpoint, "model-b")
        .run_command("reembed")
        .await;
    reembedded.expect_code(0);
    let server = openai(&home, &endpoint, "model-b").start().await;
    let data = server.wire.query("容器").await;
    assert_eq!(data["experiences"][0]["id"], id.as_str(), "{data}");
}

#[tokio::test]
async fn an_edit_during_embedding_leaves_no_vector_of_the_old_text() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::HangOn("docker")).await;
    let server = openai(&home, &endpoint, "model-a")
        .env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 60_000)
        .start()
        .await;
    let long = "nothing that has a topic ".repeat(4_000);
    let record = json!({"title": "A docker image is too large", "problem_description": long,
        "solution": "look into it"});
    let id = server.wire.submit(record).await;
    endpoint.received("docker").await;
    let title = "The certificate is too old";
    let edit = ["records", "edit", &id, "--title", title];
    run(server_command(&home, &edit), "").await.expect_code(0);
    assert_eq!(server.wire.query("certificate").await["total"], 1);
    endpoint.set_script(Script::Answer);
    let embedded = async { while server.wire.query("证书").await["total"] != 1 {} };
    within_deadline("a vector of the new text", embedded).await;
    assert_eq!(server.wire.query("容器").await["total"], 0);
}

fn openai<'a>(home: &'a Home, endpoint: &EmbeddingsEndpoint, model: &str) -> Launch<'a> {
    Launch::new(home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .env("RECALL_KIT_EMBEDDINGS__MODEL", model)
        .env("RECALL_KIT_EMBEDDINGS__API_KEY", key())
}

/// A key that does not look like one, so that it can appear somewhere only because of this test.
fn key() -> String {
    ["loopback", "endpoint", "key"].join("-")
}
