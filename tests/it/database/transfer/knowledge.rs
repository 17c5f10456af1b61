//! The knowledge base in exports: entries, links and suggestions are transferred completely.

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Script, experience,
    records::{header, lines},
    run, server_command,
};
use serde_json::{Value, json};

use super::{export, import, parse, with_model};

#[tokio::test]
async fn the_knowledge_base_is_transferred_with_links_and_suggestions() {
    let (old, new) = (Home::new(), Home::new());
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = with_model(&old, &endpoint).start().await;
    let wire = &server.wire;
    let add = async |title: &str, context: Option<&str>| {
        let entry = json!({"type": "bug", "title": title, "tags": ["a-b"], "project": "Shop 🛠",
            "content": "line\r\n\u{1}", "context": context, "confidence": 5});
        wire.call("rekall_add", entry).await["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let mut ids = Vec::new();
    for title in ["docker one", "docker two", "docker three", "docker four"] {
        ids.push(add(title, Some("said before")).await);
    }
    for (source, relation, target) in [(1, "supersedes", 0), (2, "contradicts", 1)] {
        let link =
            json!({"source_id": ids[source], "target_id": ids[target], "relation_type": relation});
        wire.call("rekall_link", link).await;
    }
    let waiting = wire.call("rekall_suggest_links", json!({})).await;
    let first = &waiting["suggestions"][0]["id"];
    wire.call("rekall_reject_suggestion", json!({"suggestion_id": first}))
        .await;
    wire.call("rekall_show", json!({"id": ids[3]})).await;
    let experience = wire.submit(experience("Docker is slow")).await;
    server.stop().await;
    let promote = ["entries", "promote", &experience, "--type", "pitfall"];
    run(server_command(&old, &promote), "").await.expect_code(0);

    let text = export(&old).await;
    let records = parse(&text);
    let of = |kind: &str| records.iter().filter(|one| one["type"] == kind).count();
    assert_eq!(
        (of("experience"), of("entry"), of("link")),
        (1, 5, 2),
        "{text}"
    );
    assert!(of("suggestion") >= 2, "{text}");
    assert!(text.contains(r#""status":"rejected""#), "{text}");
    assert!(
        text.contains(&format!(r#""promoted_from":"{experience}""#)),
        "{text}"
    );
    let file = old.write("all.jsonl", &text);
    let imported = with_model(&new, &endpoint).args(&[&file.to_string_lossy()]);
    let imported = imported.run_command("import").await;
    let report = imported.expect_code(0);
    let all = records.len() - 1;
    assert!(
        report.contains(&format!(
            "imported {all}, already there 0, conflicts 0, refused 0"
        )),
        "{report}"
    );
    assert_eq!(export(&new).await, text, "nothing changed on the way");
    let again = import(&new, &text).await;
    let report = again.expect_code(0);
    assert!(
        report.contains(&format!("imported 0, already there {all}, conflicts 0")),
        "{report}"
    );

    let server = with_model(&new, &endpoint).start().await;
    let found = server
        .wire
        .call("rekall_search", json!({"query": "conteneur"}))
        .await;
    assert!(
        found["total"].as_u64().unwrap() >= 4,
        "found by meaning: {found}"
    );
    let page = server.wire.get("/metrics").await;
    for line in ["knowledge_entries 5", "knowledge_links 2"] {
        assert!(
            page.text.contains(&format!("\nrecall_kit_{line}\n")),
            "{line}: {}",
            page.text
        );
    }
    server.stop().await;
    let doctor = with_model(&new, &endpoint).run_command("doctor").await;
    let report = doctor.expect_code(0);
    for words in [
        "entry index",
        "the next start adds 5 more",
        "5 entries, 2 links",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
}

#[tokio::test]
async fn invalid_knowledge_is_refused_line_by_line() {
    let home = Home::new();
    let entry = |id: &str| {
        json!({"type": "entry", "id": id, "entry_type": "bug", "title": "t", "memory_type": "episodic",
            "status": "active", "created_at": "2026-11-01T09:40:00Z", "updated_at": "2026-11-01T09:40:00Z"})
    };
    let with = |mut line: Value, field: &str, value: Value| {
        line[field] = value;
        line
    };
    const A: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const B: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAW";
    let link = |id: &str, source: &str, target: &str| {
        json!({"type": "link", "id": id, "source_id": source, "target_id": target,
            "relation_type": "supersedes", "created_at": "2026-11-01T09:40:00Z"})
    };
    let text = lines(&[
        header(),
        entry(A),
        entry(B),
        link(A, A, B),
        link(B, B, A),
        link(
            "01ARZ3NDEKTSV4RRFFQ69G5FAX",
            A,
            "01ARZ3NDEKTSV4RRFFQ69G5FAZ",
        ),
        link("01ARZ3NDEKTSV4RRFFQ69G5FAX", A, A),
        with(entry(A), "title", json!("other")),
        with(entry(A), "confidence", json!(6)),
        with(entry(A), "status", json!("gone")),
        with(entry(A), "mood", json!("good")),
        json!({"type": "suggestion", "id": A, "suggestion_type": "link", "status": "pending",
            "entries": [A], "score": 1, "created_at": "2026-11-01T09:40:00Z"}),
        json!({"type": "library"}),
    ]);
    let output = import(&home, &text).await;
    let report = output.expect_code(1);
    assert!(
        report.contains("imported 3, already there 0, conflicts 1, refused 8"),
        "{report}"
    );
    for words in [
        "line 5: refused: the link would create a cycle",
        "line 6: refused: one of the entries that it links is missing",
        "line 7: refused: `target_id` must be another entry",
        "line 8: conflict: 01ARZ3NDEKTSV4RRFFQ69G5FAV is another record in this database, which is unchanged; they differ in title",
        "line 9: refused: confidence: The confidence must be",
        "line 10: refused: `status` must be active or obsolete",
        "line 11: refused: the field `mood` is unknown",
        "line 12: refused: `entries` must name two entries",
        "line 13: refused: records of this `type` are unknown",
    ] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
}
