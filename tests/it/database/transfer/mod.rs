//! `recall-kit-server export` and `import`: records are transferred completely, importing twice changes
//! nothing, and lines that cannot be imported are reported one by one.

mod knowledge;

use std::fs;

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, Output, Script, Server, experience,
    records::{header, lines, record, record_set},
    run, server_command,
};
use serde_json::{Value, json};

const ID: &str = "01a2006f-0eef-7035-b7ed-2bebae567e13";
const OTHER: &str = "01a2006f-0eef-7035-b7ed-2bebae567e14";

async fn import(home: &Home, text: &str) -> Output {
    run(server_command(home, &["import", "-"]), text).await
}

async fn export(home: &Home) -> String {
    let output = run(server_command(home, &["export", "-"]), "").await;
    output.expect_code(0).to_owned()
}

fn parse(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

/// A server that uses the endpoint as its embedding model.
fn with_model<'a>(home: &'a Home, endpoint: &EmbeddingsEndpoint) -> Launch<'a> {
    Launch::new(home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
}

#[tokio::test]
async fn records_are_transferred_completely() {
    let (old, new) = (Home::new(), Home::new());
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = with_model(&old, &endpoint).start().await;
    let id = server
        .wire
        .submit_embedded(experience("Docker is slow"))
        .await;
    let mut full = experience("Zeilen\nund \"Zeichen\" 🛠 发票");
    full["root_cause"] = json!("\u{1}\t\u{2028}");
    full["context"] = json!("let x = 1;\r\n");
    full["keywords"] = json!(["b", "a b"]);
    server.wire.submit_embedded(full).await;
    server.wire.query("docker").await;
    server.stop().await;

    let file = old.path().join("all.jsonl");
    let path = file.to_string_lossy();
    let exported = run(server_command(&old, &["export", &path]), "").await;
    assert_eq!(exported.expect_code(0), "", "{exported:?}");
    assert!(exported.stderr.contains("exported 2 records"));
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(export(&old).await, text);
    let records = parse(&text);
    assert_eq!(records.len(), 3);
    let docker = &records[1];
    assert_eq!(
        (&docker["id"], &docker["query_count"]),
        (&json!(id), &json!(1))
    );
    assert!(docker["vector"].is_string(), "{docker}");

    let imported = with_model(&new, &endpoint).args(&[&path]);
    let imported = imported.run_command("import").await;
    let report = imported.expect_code(0);
    assert!(
        report.contains("imported 2, already there 0, conflicts 0, refused 0"),
        "{report}"
    );
    assert!(!report.contains("without a vector"), "{report}");
    assert_eq!(export(&new).await, text, "nothing changed on the way");

    // Nothing has to be embedded again, and search by meaning finds the record.
    let server = with_model(&new, &endpoint).start().await;
    let found = server.wire.query("conteneur").await;
    assert_eq!(found["experiences"][0]["id"], id.as_str(), "{found}");
}

#[tokio::test]
async fn records_without_a_usable_vector_are_embedded_by_the_server() {
    let home = Home::new();
    let text = lines(&[header(), record(ID, "Docker is slow")]);
    let text = text.replace("null}\n", "\"another model\"}\n");
    let imported = import(&home, &text).await;
    let report = imported.expect_code(0);
    assert!(report.contains("1 without a vector"), "{report}");
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = with_model(&home, &endpoint).start().await;
    server.logged("vectors of records computed").await;
    let found = server.wire.query("conteneur").await;
    assert_eq!(found["experiences"][0]["id"], ID, "{found}");

    let without_vectors = run(server_command(&home, &["export", "-", "--no-vectors"]), "").await;
    let without_vectors = parse(without_vectors.expect_code(0));
    assert_eq!(without_vectors[0]["embedding_model"], Value::Null);
    assert_eq!(without_vectors[1]["vector"], Value::Null);
}

#[tokio::test]
async fn an_import_can_wait_for_vectors_while_searches_go_on() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::HangOn("Held")).await;
    let launch = || with_model(&home, &endpoint).env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 100_000);
    let server = launch().start().await;
    let file = home.write("set.jsonl", lines(&[header(), record(ID, "Held: docker")]));
    let path = file.to_string_lossy();
    let importing = launch().args(&[&path, "--wait"]).run_command("import");
    let meanwhile = async {
        while server.wire.query("held docker").await["total"] == 0 {}
        assert_eq!(server.wire.query("conteneur").await["total"], 0);
        let metrics = server.wire.get("/metrics").await.text;
        assert!(
            metrics.contains("\nrecall_kit_queue_vectors 1\n"),
            "{metrics}"
        );
        let checked = launch().run_command("doctor").await;
        let report = checked.expect_code(0);
        assert!(
            report.contains("; 1 records have no vector yet"),
            "{report}"
        );
        endpoint.set_script(Script::Answer);
    };
    let (imported, ()) = futures::future::join(importing, meanwhile).await;
    let report = imported.expect_code(0);
    assert!(report.contains("imported 1, "), "{report}");
    assert!(report.contains("every record has a vector of "), "{report}");
    let found = server.wire.query("conteneur").await;
    assert_eq!(found["experiences"][0]["id"], ID, "{found}");
    let checked = launch().run_command("doctor").await;
    let report = checked.expect_code(0);
    assert!(report.contains(", every record has its vector"), "{report}");

    // Without a model `--wait` is refused before anything is imported.
    let off = Launch::new(&home)
        .args(&[&path, "--wait"])
        .run_command("import");
    let off = off.await;
    off.expect_code(1);
    assert!(off.stderr.contains("embeddings are off"), "{}", off.stderr);
    endpoint.set_script(Script::Refuse(500));
    let fresh = home.write("more.jsonl", lines(&[header(), record(OTHER, "More")]));
    server.stop().await;
    let failed = launch().args(&[&fresh.to_string_lossy(), "--wait"]);
    let failed = failed.run_command("import").await;
    assert!(failed.expect_code(1).contains("imported 1, "), "{failed:?}");
    let expected = "1 records are left without a vector";
    assert!(failed.stderr.contains(expected), "{}", failed.stderr);
}

#[tokio::test]
async fn vectors_that_do_not_fit_are_replaced_and_reported_once() {
    let (old, new) = (Home::new(), Home::new());
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = with_model(&old, &endpoint).start().await;
    server
        .wire
        .submit_embedded(experience("Docker is slow"))
        .await;
    server.stop().await;
    let mut records = parse(&export(&old).await);
    for (id, vector) in [(ID, "AgAAAIA/AQE="), (OTHER, "no base64!")] {
        let mut unfit = records[1].clone();
        (unfit["id"], unfit["vector"]) = (json!(id), json!(vector));
        records.push(unfit);
    }
    let file = new.write("set.jsonl", lines(&records));
    let import = with_model(&new, &endpoint).args(&[&file.to_string_lossy()]);
    let imported = import.run_command("import").await;
    let report = imported.expect_code(0);
    assert!(report.contains("imported 3, "), "{report}");
    assert!(
        report.contains("2 vectors did not match the model and were not imported"),
        "{report}"
    );
    assert!(report.contains("2 without a vector"), "{report}");
    let expected = "line 3: its vector is not imported: it has 2 dimensions, not 16\n";
    assert_eq!(imported.stderr, expected);
    let server = with_model(&new, &endpoint).start().await;
    server.logged("vectors of records computed").await;
    assert_eq!(server.wire.query("conteneur").await["total"], 3);
}

#[tokio::test]
async fn importing_again_changes_nothing_and_conflicts_keep_the_stored_record() {
    let home = Home::new();
    let mine = record(ID, "Mine");
    import(&home, &lines(&[header(), mine.clone()]))
        .await
        .expect_code(0);
    let before = export(&home).await;
    let mut counted = mine.clone();
    counted["query_count"] = json!(9);
    // Blank lines are skipped, however many there are.
    let blank = "\n".repeat(17 * 1024 * 1024);
    let again = format!("{}\n{mine}\n{blank}{counted}", header());
    let again = import(&home, &again).await;
    let report = again.expect_code(0);
    assert!(
        report.contains("imported 0, already there 2, conflicts 0"),
        "{report}"
    );

    let mut other = mine;
    other["solution"] = json!("Do something else");
    let fresh = record("01a2006f-0eef-7035-b7ed-2bebae567e14", "Fresh");
    let conflict = import(&home, &lines(&[header(), other, fresh])).await;
    let report = conflict.expect_code(1);
    assert!(
        report.contains("imported 1, already there 0, conflicts 1"),
        "{report}"
    );
    let stderr = &conflict.stderr;
    assert!(
        stderr.contains(&format!("line 2: conflict: {ID}")),
        "{stderr}"
    );
    assert!(stderr.contains("differ in solution"), "{stderr}");
    assert!(export(&home).await.starts_with(&before));
}

#[tokio::test]
async fn invalid_lines_are_reported_and_the_others_imported() {
    let home = Home::new();
    let mut secret = record("01a2006f-0eef-7035-b7ed-2bebae567e15", "With a secret");
    let password = ["hunter2", "-and-more"].concat();
    secret["context"] = json!(format!("postgres://me:{password}@db.internal/x"));
    let mut untitled = record("01a2006f-0eef-7035-b7ed-2bebae567e16", "");
    untitled["surprise"] = Value::Null;
    let huge = "x".repeat(65 * 1024 * 1024);
    let good = record(ID, "Good");
    let text = format!(
        "{}\r\n\n{secret}\n{untitled}\n{huge}\n{{\"type\": \"expe\n{good}\r\n{{\"type\":\"experience\",\"id\":\"",
        header()
    );
    let output = import(&home, &text).await;
    let report = output.expect_code(1);
    assert!(
        report.contains("imported 1, already there 0, conflicts 0, refused 5"),
        "{report}"
    );
    let stderr_lines: Vec<&str> = output.stderr.lines().collect();
    let expected = [
        ("line 3: refused: context: ", "1 × "),
        ("line 4: refused: ", "`surprise` is unknown"),
        ("line 5: refused: ", "longer than 64 MiB"),
        ("line 6: refused: the line is not JSON: ", "at byte"),
        ("line 8: refused: the line is not JSON: ", "EOF"),
    ];
    for (line, (start, words)) in stderr_lines.iter().zip(expected) {
        assert!(line.starts_with(start) && line.contains(words), "{line}");
    }
    assert_eq!(stderr_lines.len(), expected.len(), "{stderr_lines:?}");
    assert!(!output.stderr.contains(&password));
    let stored = parse(&export(&home).await);
    assert_eq!(stored.len(), 2, "the header and the good one");
}

#[tokio::test]
async fn a_running_server_finds_imported_records_at_once_and_can_be_exported() {
    let home = Home::new();
    let server = Server::start(&home).await;
    server.wire.submit(experience("Submitted before")).await;
    let mut counted = record(ID, "Imported meanwhile");
    counted["query_count"] = json!(41);
    import(&home, &lines(&[header(), counted]))
        .await
        .expect_code(0);
    let found = server.wire.query("imported meanwhile").await;
    let first = &found["experiences"][0];
    assert_eq!(
        (&first["id"], &first["query_count"]),
        (&json!(ID), &json!(41))
    );
    import(&home, &record_set(7, 1_234)).await.expect_code(0);
    assert_eq!(server.wire.query("set7").await["total"], 1_234);
    server.wire.submit(experience("Submitted after")).await;
    assert_eq!(parse(&export(&home).await).len(), 1 + 1_237);
}

#[tokio::test]
async fn a_killed_import_can_be_repeated() {
    let home = Home::new();
    let text = record_set(1, 3_000);
    let file = home.write("set.jsonl", &text);
    let path = file.to_string_lossy();
    let server = Server::start(&home).await;
    let mut import = server_command(&home, &["import", &path]);
    let mut import = recall_kit_tests::start(&mut import);
    // Some records are there, most likely not all.
    while server.wire.query("set1").await["total"] == 0 {}
    import.kill().await.unwrap();
    let there = server.wire.query("set1").await["total"].as_u64().unwrap();
    let again = run(server_command(&home, &["import", &path]), "").await;
    let report = again.expect_code(0);
    let rest = 3_000 - there;
    assert!(
        report.contains(&format!("imported {rest}, already there {there},")),
        "{report}"
    );
    assert_eq!(server.wire.query("set1").await["total"], 3_000);
}

#[tokio::test]
async fn exports_overwrite_no_file_without_force_and_leave_no_partial_file() {
    let home = Home::new();
    import(&home, &lines(&[header(), record(ID, "One")]))
        .await
        .expect_code(0);
    let taken = home.write("out/taken.jsonl", "mine");
    let taken = taken.to_string_lossy();
    let check = |args: &[&str], expected: &'static str| {
        let args = [&["export"], args].concat();
        let command = server_command(&home, &args);
        async move {
            let output = run(command, "").await;
            output.expect_code(1);
            assert!(output.stderr.contains(expected), "{}", output.stderr);
        }
    };
    check(&[&taken], "exists already; use another name, or --force").await;
    check(&["out", "--force"], "is not a file").await;
    check(&["/dev/null", "--force"], "is not a file").await;
    check(
        &["no/such/folder.jsonl"],
        "cannot write no/such/folder.jsonl",
    )
    .await;
    assert_eq!(fs::read_to_string(&*taken).unwrap(), "mine");
    let forced = run(server_command(&home, &["export", &taken, "--force"]), "").await;
    forced.expect_code(0);
    assert_eq!(fs::read_to_string(&*taken).unwrap(), export(&home).await);
    let left: Vec<_> = fs::read_dir(home.path().join("out")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn a_file_that_is_no_export_is_refused() {
    let home = Home::new();
    let check = async |text: &str, expected: &str| {
        let output = import(&home, text).await;
        output.expect_code(1);
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    };
    let record = record(ID, "No header above");
    check("", "the file is empty").await;
    check(
        &lines(std::slice::from_ref(&record)),
        "line 1 is not the header",
    )
    .await;
    let mut newer = header();
    newer["version"] = json!(2);
    check(&lines(&[newer, record]), "format version 2").await;
    for (file, expected) in [
        ("nowhere.jsonl", "cannot read nowhere"),
        (".", "is a folder"),
    ] {
        let output = run(server_command(&home, &["import", file]), "").await;
        output.expect_code(1);
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
    assert_eq!(parse(&export(&home).await).len(), 1);
}
