//! `report_episode`: programs count how failing commands came to work again, and the insights compare those after a
//! recall with the others.

use recall_kit_tests::{Home, Server, Visitor, experience};
use serde_json::{Value, json};

const META: &str = "io.recallkit/recall";

fn episode(id: u32, recall_id: Option<&str>, recovered: bool) -> Value {
    json!({
        "id": format!("018f0000-0000-7000-8000-{id:012}"), "recall_id": recall_id, "host": "codex", "family": "cargo",
        "failures": 2, "recovered": recovered, "ms": 90_000, "commands": 7,
    })
}

#[tokio::test]
async fn insights_compare_episodes_after_a_recall_with_the_others() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let wire = &server.wire;
    wire.submit(experience("linker cannot find zlib")).await;
    let asked = json!({"name": "query_experiences", "arguments": {"keywords": "linker zlib"},
        "_meta": {META: true}});
    let asked = wire.rpc("tools/call", asked).await["result"].clone();
    let recall_id = asked["_meta"][META]["recall_id"].as_str().unwrap();

    let listed = wire.rpc("tools/list", json!({})).await["result"].to_string();
    assert!(!listed.contains("report_episode"), "{listed}");
    let after = episode(1, Some(recall_id), true);
    for reported in [
        &after,
        &after,
        &episode(2, Some(recall_id), false),
        &episode(3, None, false),
    ] {
        let answer = wire.call("report_episode", reported.clone()).await;
        let data = json!({"id": reported["id"], "kept": true});
        assert_eq!((&answer["success"], &answer["data"]), (&json!(true), &data));
    }
    let shown = Visitor::anonymous(&server).page("/insights").await.text;
    let table = shown.split(">Recovery</h2>").nth(1).unwrap();
    let table = table.split("</section>").next().unwrap();
    assert!(table.contains("Not causal"), "{table}");
    let row = |name: &str| -> Vec<String> {
        let row = table
            .split(name)
            .nth(1)
            .unwrap()
            .split("</tr>")
            .next()
            .unwrap();
        let cells = row.split("<td class=\"number\">").skip(1);
        cells
            .map(|cell| cell.split('<').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        row("After a recall</th>"),
        ["2", "1 (50 %)", "2.0", "7.0", "1.5"]
    );
    assert_eq!(row("Without one</th>"), ["1", "0 (0 %)", "–", "–", "–"]);
}

#[tokio::test]
async fn an_episode_with_texts_is_refused() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for (field, value) in [
        ("id", json!("one")),
        ("recall_id", json!("the last")),
        ("family", json!("cargo build -p secret")),
        ("host", json!("H".repeat(9))),
        ("failures", json!(0)),
        ("ms", json!(-1)),
        ("commands", json!("seven")),
        ("recovered", json!("yes")),
        ("command", json!("cargo build")),
    ] {
        let mut wrong = episode(9, None, true);
        wrong[field] = value.clone();
        let answer = server.wire.call("report_episode", wrong).await;
        assert_eq!(answer["error"]["code"], "VALIDATION_ERROR", "{answer}");
        let problem = &answer["error"]["validation_errors"][0];
        assert_eq!(problem["field"], field, "{answer}");
    }
    let missing = server.wire.call("report_episode", json!({})).await;
    assert_eq!(
        missing["error"]["code"], "MISSING_REQUIRED_FIELDS",
        "{missing}"
    );
    let fields = missing["error"]["validation_errors"].as_array().unwrap();
    assert_eq!(fields.len(), 7, "{missing}");
}
