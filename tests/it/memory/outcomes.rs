//! `report_outcome`, the standings that queries return, and the order that outcomes give.

use recall_kit_tests::{
    Home, Launch, McpSession, Server, StdioPeer, Visitor, Wire, client, envelope, experience,
    make_key, make_user, run, server_command,
};
use recall_kit_tests_postgres::Cluster;
use serde_json::{Value, json};

const META: &str = "io.recallkit/recall";
const QUESTION: &str = "linker cannot find zlib";

fn record(title: &str, solution: &str) -> Value {
    let mut record = experience(title);
    record["problem_description"] = json!(QUESTION);
    record["solution"] = json!(solution);
    record
}

/// Reports an outcome, and returns the envelope.
async fn report(wire: &Wire, id: &str, outcome: &str) -> Value {
    wire.call(
        "report_outcome",
        json!({"experience_id": id, "outcome": outcome}),
    )
    .await
}

async fn asked(wire: &Wire, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {META: true}});
    wire.rpc("tools/call", params).await["result"].clone()
}

/// Creates a key whose outcomes count in full, and returns a client with it.
async fn trusted(home: &Home, server: &Server, name: &str) -> Wire {
    let args = ["keys", "create", "--name", name, "--trusted"];
    let made = run(server_command(home, &args), "").await;
    let key = made.expect_code(0).trim().to_owned();
    Wire::with_headers(server.wire.base(), &[("x-api-key", &key)])
}

#[tokio::test]
async fn outcomes_add_up_to_a_standing_over_every_transport() {
    let home = Home::new();
    let server = Launch::new(&home).start().await;
    let id = server
        .wire
        .submit(record("zlib is missing", "install zlib1g-dev"))
        .await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let arguments = json!({"experience_id": id, "outcome": "worked", "note": "on Debian"});
    let first = session.call("report_outcome", arguments).await;
    let first = envelope(&first);
    assert_eq!(first["success"], true, "{first}");
    let data = &first["data"];
    assert_eq!(
        (&data["experience_id"], &data["counted"]),
        (&json!(id), &json!(true))
    );
    assert_eq!(data["standing"]["state"], "fresh", "{first}");

    let short = &id[..13];
    let changed = report(&server.wire, short, "worked_with_changes").await;
    let standing = &changed["data"]["standing"];
    assert_eq!(standing["worked"], 1, "{changed}");
    assert_eq!(
        (&standing["worked_with_changes"], &standing["voices"]),
        (&json!(1), &json!(1))
    );
    assert!(
        standing["last_at"].as_str().unwrap().ends_with('Z'),
        "{changed}"
    );

    // A query without the key in `_meta` is answered as ever.
    let plain = json!({"name": "query_experiences", "arguments": {"keywords": QUESTION}});
    let plain = server.wire.rpc("tools/call", plain).await["result"].clone();
    assert!(
        plain
            .get("_meta")
            .is_none_or(|meta| meta.get(META).is_none()),
        "{plain}"
    );
    assert!(
        !plain.to_string().contains("on Debian"),
        "notes are for people: {plain}"
    );
    let found = asked(
        &server.wire,
        "query_experiences",
        json!({"keywords": QUESTION}),
    )
    .await;
    assert_eq!(found["_meta"][META]["standings"][&id], *standing, "{found}");
    let recall_id = found["_meta"][META]["recall_id"].as_str().unwrap();
    let same = json!({"experience_id": id, "outcome": "worked", "recall_id": recall_id});
    assert_eq!(
        server.wire.call("report_outcome", same).await["success"],
        true
    );
    let recalled = asked(&server.wire, "recall", json!({"query": QUESTION})).await;
    let listed = recalled["structuredContent"]["results"][0]["id"]
        .as_str()
        .unwrap();
    let standings = &recalled["_meta"][META]["standings"];
    assert_eq!(standings[listed]["worked"], 2, "{recalled}");
    let wrong = json!({"name": "recall", "arguments": {"query": "x"}, "_meta": {META: "yes"}});
    assert_eq!(
        server.wire.rpc("tools/call", wrong).await["error"]["code"],
        -32602
    );

    server.kill().await;
    let again = Server::start(&home).await;
    let found = asked(
        &again.wire,
        "query_experiences",
        json!({"keywords": QUESTION}),
    )
    .await;
    assert_eq!(
        found["_meta"][META]["standings"][&id]["worked"], 2,
        "{found}"
    );
}

#[tokio::test]
async fn what_cannot_be_reported_is_refused_with_the_reason() {
    let home = Home::new();
    let reader = make_key(&home, "reader", "read").await;
    let server = Server::start(&home).await;
    let id = server
        .wire
        .submit(record("zlib is missing", "install zlib1g-dev"))
        .await;
    let entry = json!({"type": "bug", "title": "t", "content": "c"});
    let entry = server.wire.call("rekall_add", entry).await["id"].clone();
    let unknown = "01a2006f-0eef-7035-b7ed-2bebae567e13";
    for id in [unknown, &unknown[..13], entry.as_str().unwrap()] {
        let refused = report(&server.wire, id, "worked").await;
        assert_eq!(refused["error"]["code"], "NOT_FOUND", "{refused}");
        assert_eq!(
            refused["error"]["validation_errors"][0]["field"],
            "experience_id"
        );
    }
    let secret = ["hunter", "2x9!"].concat();
    for (change, field) in [
        (json!({"outcome": "broken"}), "outcome"),
        (json!({"outcome": null}), "outcome"),
        (json!({"experience_id": " "}), "experience_id"),
        (json!({"note": "n".repeat(501)}), "note"),
        (json!({"note": 7}), "note"),
        (json!({"note": format!("password={secret}")}), "note"),
        (json!({"recall_id": "r".repeat(65)}), "recall_id"),
        (json!({"mood": "good"}), "mood"),
    ] {
        let mut arguments = json!({"experience_id": id, "outcome": "worked"});
        for (name, value) in change.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        let refused = server.wire.call("report_outcome", arguments).await;
        let errors = refused["error"]["validation_errors"].as_array();
        let errors = errors.unwrap_or_else(|| panic!("{change}: {refused}"));
        assert_eq!(errors[0]["field"], field, "{refused}");
        assert!(!refused.to_string().contains(&secret), "{refused}");
    }
    let deleted = run(server_command(&home, &["records", "hide", &id]), "").await;
    deleted.expect_code(0);
    let refused = report(&server.wire, &id, "worked").await;
    assert_eq!(refused["error"]["code"], "NOT_FOUND", "{refused}");
    let reader = Wire::with_headers(server.wire.base(), &[("x-api-key", &reader)]);
    let params =
        json!({"name": "report_outcome", "arguments": {"experience_id": id, "outcome": "worked"}});
    assert_eq!(
        reader.rpc("tools/call", params).await["error"]["code"],
        -32005
    );
}

#[tokio::test]
async fn a_repeated_report_counts_once_and_one_key_is_one_voice() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let author = Wire::with_headers(
        server.wire.base(),
        &[("x-api-key", &make_key(&home, "author", "write").await)],
    );
    let id = author
        .submit(record("zlib is missing", "install zlib1g-dev"))
        .await;
    let session = McpSession::open(&author, "/mcp", "2025-11-25").await;
    let keyed = |outcome: &str| {
        json!({
            "name": "report_outcome",
            "arguments": {"experience_id": id, "outcome": outcome},
            "_meta": {"io.recallkit/idempotency-key": "once"},
        })
    };
    let first = envelope(&session.request("tools/call", keyed("worked")).await);
    let again = envelope(&author.rpc("tools/call", keyed("worked")).await);
    assert_eq!(again["data"]["id"], first["data"]["id"], "{again}");
    assert_eq!(again["data"]["standing"]["worked"], 1, "{again}");
    assert_eq!(
        again["data"]["counted"], false,
        "an author does not count: {again}"
    );
    let other = envelope(&author.rpc("tools/call", keyed("did_not_work")).await);
    assert_eq!(other["error"]["code"], "VALIDATION_ERROR", "{other}");

    let key = make_key(&home, "other", "write").await;
    let other = Wire::with_headers(server.wire.base(), &[("x-api-key", &key)]);
    for _ in 0..5 {
        report(&other, &id, "did_not_work").await;
    }
    let last = report(&other, &id, "did_not_work").await;
    let standing = &last["data"]["standing"];
    assert_eq!(
        (&standing["did_not_work"], &standing["voices"]),
        (&json!(6), &json!(2))
    );
    assert_eq!(last["data"]["counted"], true, "{last}");
}

#[tokio::test]
async fn who_reports_and_on_what_evidence_is_stored_as_far_as_the_server_knows_it() {
    let home = Home::new();
    let key = make_key(&home, "key", "write").await;
    let mut peer = StdioPeer::start(&home, &[]);
    let arguments = record("zlib is missing", "install zlib1g-dev");
    let submit = json!({"name": "submit_experience", "arguments": arguments});
    let submitted = envelope(&peer.request("tools/call", submit).await);
    let id = submitted["data"]["id"].as_str().unwrap().to_owned();
    let call = |note: &str, evidence: Value| {
        json!({
            "name": "report_outcome",
            "arguments": {"experience_id": id, "outcome": "worked", "note": note},
            "_meta": {"io.recallkit/evidence": evidence},
        })
    };
    let own = call("over stdio", json!("person"));
    let own = envelope(&peer.request("tools/call", own).await);
    assert_eq!(own["data"]["counted"], true, "{own}");
    drop(peer);
    let server = Server::start(&home).await;
    let wire = Wire::with_headers(server.wire.base(), &[("x-api-key", &key)]);
    for (note, evidence) in [
        ("by a key", json!("person")),
        ("seen", json!("observed")),
        ("unsaid", Value::Null),
    ] {
        let reported = envelope(&wire.rpc("tools/call", call(note, evidence)).await);
        assert_eq!(reported["success"], true, "{reported}");
    }
    for wrong in [json!("gossip"), json!(7)] {
        let refused = envelope(&wire.rpc("tools/call", call("wrong", wrong)).await);
        let field = &refused["error"]["validation_errors"][0]["field"];
        assert_eq!(field, "_meta.io.recallkit/evidence", "{refused}");
    }
    server.stop().await;
    let exported = run(server_command(&home, &["export", "-"]), "").await;
    let exported = exported.expect_code(0);
    for (note, tier, evidence) in [
        ("over stdio", 1.0, "person"),
        ("by a key", 0.1, "agent"),
        ("seen", 0.1, "observed"),
        ("unsaid", 0.1, "agent"),
    ] {
        let mut lines = exported
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let line = lines.find(|line| line["note"] == note).unwrap();
        assert_eq!(
            (&line["tier"], &line["evidence"]),
            (&json!(tier), &json!(evidence)),
            "{line}"
        );
    }
}

#[tokio::test]
async fn outcomes_order_equally_good_results_with_either_database() {
    let cluster = Cluster::start();
    let database = cluster.url(&cluster.database());
    for home in [Home::new(), Home::with_database(&database)] {
        let server = Launch::new(&home).start().await;
        let (bad, good) = ("install zlib0 now", "install zlib1 now");
        let failing = server.wire.submit(record("zlib is missing", bad)).await;
        let working = server.wire.submit(record("zlib is missing", good)).await;
        let solutions = async || {
            let data = server.wire.query(QUESTION).await;
            let found = data["experiences"].as_array().unwrap().iter();
            let found = found.map(|one| {
                let relevance = one["relevance_score"].as_f64().unwrap();
                (one["solution"].as_str().unwrap().to_owned(), relevance)
            });
            found.collect::<Vec<_>>()
        };
        let before = solutions().await;
        for name in ["one", "two"] {
            let wire = trusted(&home, &server, name).await;
            report(&wire, &failing, "did_not_work").await;
            report(&wire, &working, "worked").await;
        }
        let after = solutions().await;
        assert_eq!(after[0].0, good, "{after:?}");
        assert_eq!(after[1].0, bad, "{after:?}");
        let mut relevances =
            [before, after].map(|found| found.iter().map(|one| one.1).collect::<Vec<_>>());
        relevances
            .iter_mut()
            .for_each(|one| one.sort_by(f64::total_cmp));
        assert_eq!(relevances[0], relevances[1], "the relevance stays");

        let one = trusted(&home, &server, "three").await;
        let contested = report(&one, &working, "did_not_work").await;
        assert_eq!(
            contested["data"]["standing"]["state"], "contested",
            "{contested}"
        );
    }
}

#[tokio::test]
async fn exports_carry_outcomes_and_authors() {
    let (old, new) = (Home::new(), Home::new());
    let server = Server::start(&old).await;
    let author = trusted(&old, &server, "author").await;
    let id = author
        .submit(record("zlib is missing", "install zlib1g-dev"))
        .await;
    let other = trusted(&old, &server, "other").await;
    report(&other, &id, "worked").await;
    report(&author, &id, "did_not_work").await;
    server.stop().await;
    let export = async |home: &Home| {
        let exported = run(server_command(home, &["export", "-"]), "").await;
        exported.expect_code(0).to_owned()
    };
    let text = export(&old).await;
    assert_eq!(text.matches("\"type\":\"outcome\"").count(), 2, "{text}");
    assert!(text.contains("\"author\":\""), "{text}");
    for expected in ["imported 3, already there 0", "imported 0, already there 3"] {
        let imported = run(server_command(&new, &["import", "-"]), text.clone()).await;
        let report = imported.expect_code(0);
        assert!(report.contains(expected), "{report}");
    }
    assert_eq!(export(&new).await, text);
    let server = Server::start(&new).await;
    let found = asked(
        &server.wire,
        "query_experiences",
        json!({"keywords": QUESTION}),
    )
    .await;
    let standing = &found["_meta"][META]["standings"][&id];
    assert_eq!(
        (&standing["worked"], &standing["did_not_work"]),
        (&json!(1), &json!(1)),
        "{found}"
    );
}

#[tokio::test]
async fn the_terminal_reports_outcomes_and_keeps_them_while_the_server_is_away() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let id = server
        .wire
        .submit(record("zlib is missing", "install zlib1g-dev"))
        .await;
    let url = format!("{}/mcp", server.wire.base());
    let ask = async |args: &[&str]| {
        let args = [&["--server", &url], args].concat();
        run(client(&home, &args), "").await
    };
    let mail = ["jane.doe", "oakmere-clinic.net"].join("@");
    let note = format!("asked {mail}, works after a restart");
    let reported = ask(&["--json", "outcome", &id[..13], "worked", "--note", &note]).await;
    let answer: Value = serde_json::from_str(reported.expect_code(0)).unwrap();
    assert_eq!(answer["data"]["experience_id"], json!(id), "{answer}");
    let shown = ask(&["--json", "query", QUESTION]).await;
    let shown: Value = serde_json::from_str(shown.expect_code(0)).unwrap();
    let standing = shown["experiences"][0]["standing"].as_str().unwrap();
    assert_eq!(standing, "worked 1×, last today, 1 person", "{shown}");
    let unknown = ask(&["outcome", "01a2006f-0eef", "failed"]).await;
    unknown.expect_code(1);
    assert!(unknown.stderr.contains("not found"), "{unknown:?}");
    ask(&["outcome", "nonsense", "failed"]).await.expect_code(2);

    server.stop().await;
    let away = ask(&["outcome", &id, "failed"]).await;
    away.expect_code(1);
    let waiting = ask(&["outbox", "list"]).await;
    let line = format!("{id}: did_not_work");
    assert!(waiting.expect_code(0).contains(&line), "{waiting:?}");
    let port = url.rsplit(':').next().unwrap().split('/').next().unwrap();
    let server = Launch::new(&home).port(port.parse().unwrap()).start().await;
    ask(&["outbox", "flush"]).await.expect_code(0);
    let found = asked(
        &server.wire,
        "query_experiences",
        json!({"keywords": QUESTION}),
    )
    .await;
    let standing = &found["_meta"][META]["standings"][&id];
    assert_eq!(
        (&standing["worked"], &standing["did_not_work"]),
        (&json!(1), &json!(1)),
        "{found}"
    );

    make_user(&home, "writer", "writer", &[]).await;
    let page = Visitor::signed_in(&server, "writer")
        .await
        .page(&format!("/experiences/{id}"))
        .await;
    assert!(page.text.contains("works after a restart"), "{}", page.text);
    assert!(!page.text.contains(&mail), "{}", page.text);
}

#[tokio::test]
async fn pages_list_outcomes_and_take_those_of_people() {
    let home = Home::new();
    make_user(&home, "writer", "writer", &[]).await;
    make_user(&home, "reader", "reader", &[]).await;
    let server = Server::start(&home).await;
    let id = server
        .wire
        .submit(record("zlib is missing", "install zlib1g-dev"))
        .await;
    let (page, to) = (
        format!("/experiences/{id}"),
        format!("/experiences/{id}/outcome"),
    );
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let fields = [("outcome", "worked"), ("note", "only <b>with</b> sudo")];
    let forged = writer.post(&to, &fields).await;
    assert_ne!(
        forged.status, 303,
        "a form without its token: {}",
        forged.text
    );
    let done = writer.fill_in(&page, &to, &fields).await;
    assert_eq!(done.status, 303, "{}", done.text);
    assert_eq!(done.headers["location"], format!("{page}?done=outcome"));
    let shown = writer.page(&format!("{page}?done=outcome")).await.text;
    for words in [
        "Your outcome was stored",
        "Worked 1×",
        "only &lt;b&gt;with",
        "1 voice",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let empty = writer.fill_in(&page, &to, &[("outcome", "")]).await;
    assert_eq!(empty.status, 400, "{}", empty.text);
    let mut reader = Visitor::signed_in(&server, "reader").await;
    let shown = reader.page(&page).await.text;
    assert!(
        shown.contains("only &lt;b&gt;with") && !shown.contains(&to),
        "{shown}"
    );
}
