//! `recall-kit-client import-from`: what other memories and agents have stored arrives once, sanitized, and
//! only after one yes. The stores below `tests/data/import_from` were written by the programs themselves.

mod bad_input;
mod confirmation;
mod history;
mod links;

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use recall_kit_tests::{Home, Output, Server, client, print_figure, python, run};
use serde_json::{Value, json};

/// A source, its file below `tests/data/import_from`, and how many of its records are left out.
const STORES: [(&str, &str, u64); 9] = [
    ("server-memory", "server-memory.jsonl", 0),
    ("basic-memory", "basic-memory.json", 0),
    ("mcp-memory-service", "mcp-memory-service.sql", 0),
    // The export has the records of the database.
    ("mcp-memory-service", "mcp-memory-service.json", 100),
    ("mem0", "mem0.sql", 3),
    ("claude-mem", "claude-mem.sql", 0),
    ("cq", "cq.sql", 0),
    ("engram", "engram.sql", 0),
    ("agents-md", "AGENTS.md", 0),
];

/// A token that the sanitizer has to find.
fn secret() -> String {
    ["ghp", &"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"[..36]].join("_")
}

fn data(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/import_from/");
    format!("{folder}{file}")
}

/// Builds a database from its SQL, changed by more SQL, and returns its path.
async fn database(home: &Home, file: &str, more: &[&str]) -> String {
    let path = home.write(&format!("foreign/{file}.db"), "");
    let path = path.to_string_lossy().into_owned();
    let (sql, secret) = (data(file), secret());
    let mut args = vec![sql.as_str(), &path, &secret];
    args.extend(more);
    python(home, "import_from/build.py", &args)
        .await
        .expect_code(0);
    path
}

/// Puts a store below the home as its program would, with a secret in the place of the canary.
async fn store(home: &Home, file: &str) -> String {
    if file.ends_with(".sql") {
        return database(home, file, &[]).await;
    }
    if file == "AGENTS.md" {
        let section = |n: u32| format!("## Rule {n}\n\nUse table {n} with {}.\n\n", secret());
        let text: String = (0..100).map(section).collect();
        return home
            .write("shop/AGENTS.md", text)
            .to_string_lossy()
            .into_owned();
    }
    let text = fs::read_to_string(data(file))
        .unwrap()
        .replace("CANARY", &secret());
    if file != "basic-memory.json" {
        return home.write(file, text).to_string_lossy().into_owned();
    }
    let notes: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    for (name, note) in &notes {
        home.write(&format!("notes/{name}"), note.as_str().unwrap());
    }
    home.path().join("notes").to_string_lossy().into_owned()
}

/// Runs `import-from` against a server.
async fn import(home: &Home, server: &Server, args: &[&str]) -> Output {
    let url = server.wire.base().to_owned();
    let mut command = client(home, &["--server", &url, "import-from"]);
    command.args(args);
    run(command, "").await
}

fn counts(output: &Output) -> Value {
    serde_json::from_str(output.expect_code(0)).unwrap()
}

/// Returns everything that lies below a folder.
fn on_disk(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => all.extend(on_disk(&entry.path())),
            false => all.extend(fs::read(entry.path()).unwrap_or_default()),
        }
    }
    all
}

async fn count(home: &Home, table: &str) -> u64 {
    let database = home.database().to_string_lossy().into_owned();
    let sql = format!("select count(*) from {table}");
    let counted = python(home, "run_sql.py", &[&database, &sql]).await;
    counted.expect_code(0).trim().parse().unwrap()
}

#[tokio::test]
async fn every_record_of_every_program_arrives_once_and_without_secrets() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut stored = 0;
    for (source, file, left_out) in STORES {
        let path = store(&home, file).await;
        let dry = import(&home, &server, &[source, &path, "--dry-run", "--json"]).await;
        let found = counts(&dry);
        let fields: Vec<&String> = found.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["source", "found", "kept", "skipped"]);
        let skipped = found["skipped"].as_array().unwrap().len() as u64;
        let kept = found["kept"].as_u64().unwrap();
        assert_eq!(kept + skipped, found["found"].as_u64().unwrap(), "{file}");
        assert_eq!(skipped, left_out, "{file}: {found}");
        assert_eq!(
            kept,
            if left_out == 100 { 0 } else { 100 },
            "{file}: {found}"
        );
        assert_eq!(
            count(&home, "experiences").await + count(&home, "entries").await,
            stored
        );

        let since = std::time::Instant::now();
        let done = import(&home, &server, &[source, &path, "--yes", "--json"]).await;
        let seconds = since.elapsed().as_secs_f64();
        assert_eq!(counts(&done)["stored"], kept, "{file}: {done:?}");
        print_figure(format!("{file}: {:.0} records/s", kept as f64 / seconds));
        stored += kept;

        let again = import(&home, &server, &[source, &path, "--yes", "--json"]).await;
        assert_eq!(counts(&again)["kept"], 0, "{file}: {again:?}");
        for output in [dry, done, again] {
            let said = format!("{}{}", output.stdout, output.stderr);
            assert!(!said.contains(&secret()), "{file}");
            assert!(!said.contains("warning"), "{file}: {said}");
        }
    }
    assert_eq!(
        count(&home, "experiences").await + count(&home, "entries").await,
        stored
    );
    let ledger = home.path().join(".local/share/recall-kit/imported.jsonl");
    let mode = fs::metadata(&ledger).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept = [on_disk(&home.data_dir()), fs::read(ledger).unwrap()].concat();
    assert!(!String::from_utf8_lossy(&kept).contains(&secret()));

    // The server's own check is the second guard: without the list nothing is stored twice either.
    fs::remove_file(home.path().join(".local/share/recall-kit/imported.jsonl")).unwrap();
    let path = store(&home, "server-memory.jsonl").await;
    counts(&import(&home, &server, &["server-memory", &path, "--yes", "--json"]).await);
    let cq = home
        .path()
        .join("foreign/cq.sql.db")
        .to_string_lossy()
        .into_owned();
    counts(&import(&home, &server, &["cq", &cq, "--yes", "--json"]).await);
    assert_eq!(
        count(&home, "experiences").await + count(&home, "entries").await,
        stored
    );
}

#[tokio::test]
async fn a_record_says_where_it_came_from_and_relations_become_links() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let path = store(&home, "basic-memory.json").await;
    import(&home, &server, &["basic-memory", &path, "--yes"])
        .await
        .expect_code(0);
    let query = json!({"query": "Queue note 11 relates to", "limit": 20, "type": "decision"});
    let found = server.wire.call("rekall_search", query).await;
    let results = found["results"].as_array().unwrap();
    let one = results.iter().find(|one| one["title"] == "Queue note 11");
    let id = one.unwrap_or_else(|| panic!("{found}"))["id"].clone();
    let entry = server.wire.call("rekall_show", json!({"id": id})).await;
    let content = entry["content"].as_str().unwrap();
    assert!(
        content.contains("(imported from basic-memory: "),
        "{content}"
    );
    let tags = entry["tags"].to_string();
    assert!(
        tags.contains("from-basic-memory") && tags.contains("queue"),
        "{tags}"
    );
    assert_eq!(entry["memory_type"], "semantic");
    let links = ["outgoing", "incoming"].map(|side| entry["links"][side].as_array().unwrap().len());
    assert_eq!(links.iter().sum::<usize>(), 2, "{}", entry["links"]);

    let path = store(&home, "cq.sql").await;
    import(&home, &server, &["cq", &path, "--yes"])
        .await
        .expect_code(0);
    let found = server.wire.query("Queue note 11").await;
    let record = &found["experiences"][0];
    let context = record["context"].as_str().unwrap();
    let origin = "(imported from cq: ku_0000000000000000000000000000000b, 2026-05-01T10:00:00Z)";
    assert!(context.contains(origin), "{context}");
}

#[tokio::test]
async fn auto_finds_the_usual_places_of_a_project_and_of_the_user() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let nothing = import(&home, &server, &["auto", "--dry-run"]).await;
    nothing.expect_code(0);
    assert!(
        nothing.stderr.contains("no source has anything"),
        "{nothing:?}"
    );

    home.write("shop/CLAUDE.md", "# Shop\n\n## Style\nTabs.\n");
    home.write(
        "shop/.cursor/rules/a.mdc",
        "---\ndescription: API\n---\nUse v2.\n",
    );
    home.write("shop/.github/copilot-instructions.md", "Answer briefly.\n");
    home.write(".claude/CLAUDE.md", "## Language\nFrench.\n");
    home.write(
        ".claude/projects/-work-shop/memory/debugging.md",
        "---\nname: Debugging\ntype: feedback\n---\nRead the log first.\n",
    );
    home.write(
        "basic-memory/a.md",
        "---\ntitle: A\npermalink: a\n---\n- [fact] x\n",
    );
    let url = server.wire.base().to_owned();
    let mut command = client(
        &home,
        &["--server", &url, "import-from", "auto", "--yes", "--json"],
    );
    command.current_dir(home.path().join("shop"));
    let imported = run(command, "").await;
    let sources = counts(&imported);
    let sources: Vec<(&str, u64)> = sources
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["source"].as_str().unwrap(),
                one["stored"].as_u64().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("claude-code", 3),
        ("cursor", 1),
        ("copilot", 1),
        ("basic-memory", 1),
    ];
    assert_eq!(sources, expected);
    let found = server
        .wire
        .call("rekall_search", json!({"query": "Tabs", "project": "shop"}))
        .await;
    assert_eq!(found["results"][0]["title"], "Style", "{found}");
}
