//! `recall-kit-server migrate-store`: everything of one database is copied into another one of any kind, also
//! after an interrupted run.

use std::time::Duration;

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, Output, Script, Server, envelope, experience, make_key,
    records::record_set, revoke_key, run, server_command, start, within_deadline,
};
use recall_kit_tests_postgres::Cluster;
use serde_json::json;

/// Records in the source: more than one batch of a migration.
const RECORDS: usize = 900;

async fn server(home: &Home, args: &[&str]) -> Output {
    run(server_command(home, args), "").await
}

fn address(home: &Home) -> String {
    format!("sqlite:{}", home.database().display())
}

fn migrate_args<'a>(from: &'a str, to: &'a str) -> [&'a str; 5] {
    ["migrate-store", "--from", from, "--to", to]
}

/// Returns the table that a migration prints without its last lines: the counts and the comparison of each
/// kind.
fn figures(output: &Output) -> Vec<String> {
    let lines = output.stdout.lines().skip(1).take(13);
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// Fills a database with something of each kind of data.
async fn fill(home: &Home) {
    let set = record_set(1, RECORDS);
    let imported = run(server_command(home, &["import", "-"]), set).await;
    imported.expect_code(0);
    let user = [
        "users",
        "create",
        "zoe",
        "--role",
        "admin",
        "--password-stdin",
    ];
    let made = run(server_command(home, &user), "a password of several words\n").await;
    made.expect_code(0);
    home.write(
        "notes/a.md",
        "---\ntitle: A note\ntype: bug\n---\nWhat it says\n",
    );
    let notes = home.path().join("notes");
    server(home, &["entries", "import", &notes.to_string_lossy()])
        .await
        .expect_code(0);
    home.write(
        "docs/README.md",
        "# Gin\n\nA web framework.\n\n```go\nr := gin.Default()\nr.Run()\n```\n",
    );
    home.write(
        "docs/routes.md",
        "# Routes\n\nA route leads to a handler.\n",
    );
    for version in ["v1", "v2"] {
        let args = ["ingest", "Gin", "docs", "--version", version];
        server(home, &args).await.expect_code(0);
        home.write("docs/routes.md", "# Routes\n\nRoutes are grouped.\n");
    }
    let default = [
        "libraries",
        "set",
        "Gin",
        "--default",
        "v2",
        "--description",
        "Web",
    ];
    server(home, &default).await.expect_code(0);
    let _key = make_key(home, "kept", "write").await;
    let _key = make_key(home, "gone", "admin").await;
    revoke_key(home, "gone").await;

    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let launch = Launch::new(home).embeddings("openai");
    let launch = launch.env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url());
    let server = launch.start().await;
    let wire = &server.wire;
    wire.submit_keyed("experience-key", experience("Docker is slow"))
        .await;
    let found = wire.query("docker").await;
    let outcome = json!({"experience_id": found["experiences"][0]["id"], "outcome": "worked"});
    let params = json!({"name": "report_outcome", "arguments": outcome,
        "_meta": {"io.recallkit/idempotency-key": "outcome-key"}});
    envelope(&wire.rpc("tools/call", params).await);
    let mut ids = Vec::new();
    for title in ["docker one", "docker two", "docker three", "docker four"] {
        let entry =
            json!({"type": "bug", "title": title, "content": "line\r\n\u{1}", "context": "said"});
        let params = json!({"name": "rekall_add", "arguments": entry,
            "_meta": {"io.recallkit/idempotency-key": title.replace(' ', "-")}});
        let added = envelope(&wire.rpc("tools/call", params).await);
        let id = added["id"].as_str().or(added["data"]["id"].as_str());
        ids.push(id.unwrap().to_owned());
    }
    let link = json!({"source_id": ids[1], "target_id": ids[0], "relation_type": "supersedes"});
    wire.call("rekall_link", link).await;
    let waiting = wire.call("rekall_suggest_links", json!({})).await;
    let first = &waiting["suggestions"][0]["id"];
    wire.call("rekall_reject_suggestion", json!({"suggestion_id": first}))
        .await;
    wire.call("rekall_show", json!({"id": ids[3]})).await;
    server
        .logged("vectors of documentation chunks computed")
        .await;
    let all_have_vectors = async {
        let line = "\nrecall_kit_queue_vectors 0\n";
        while !wire.get("/metrics").await.text.contains(line) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within_deadline("vectors", all_have_vectors).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_copied_there_and_back_also_after_an_interrupted_run() {
    let (old, back) = (Home::new(), Home::new());
    fill(&old).await;
    let cluster = Cluster::start();
    let name = cluster.database();
    let (from, between, to) = (address(&old), cluster.url(&name), address(&back));
    server(&old, &["migrate", "--database", &between])
        .await
        .expect_code(0);

    // Killed when some records are there, but not all: a trigger makes the later inserts wait.
    cluster.sql(
        &name,
        "create function stall() returns trigger language plpgsql as $$ begin \
         if exists (select from experiences) then perform pg_sleep(60); end if; \
         return null; end $$; \
         create trigger stall before insert on experiences execute function stall()",
    );
    let mut killed = start(&mut server_command(&old, &migrate_args(&from, &between)));
    let something = async {
        while cluster.sql(&name, "select count(*) > 0 from experiences") == "f" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within_deadline("the first records", something).await;
    killed.kill().await.unwrap();
    cluster.sql(
        &name,
        "select pg_terminate_backend(pid) from pg_stat_activity \
         where application_name = 'recall-kit-server'",
    );
    cluster.sql(&name, "drop function stall cascade");

    let resumed = server(&old, &migrate_args(&from, &between)).await;
    let report = resumed.expect_code(0);
    assert!(!report.contains("already there 0,"), "{report}");
    let rows = figures(&resumed);
    assert!(rows.iter().all(|row| row.ends_with(" equal")), "{report}");
    for kind in [
        format!("experiences {0} {0} ", RECORDS + 1),
        "outcomes 1 1 ".to_owned(),
        "entries 5 5 ".to_owned(),
        "links 1 1 ".to_owned(),
        "API keys 2 2 ".to_owned(),
        "users 1 1 ".to_owned(),
        "audit records 8 8 ".to_owned(),
        "idempotency keys of experiences 1 1 ".to_owned(),
        "idempotency keys of entries 4 4 ".to_owned(),
        "idempotency keys of outcomes 1 1 ".to_owned(),
        "documentation files 3 3 ".to_owned(),
        "library versions 2 2 ".to_owned(),
    ] {
        assert!(
            rows.iter().any(|row| row.starts_with(&kind)),
            "{kind}: {report}"
        );
    }
    assert!(!rows[3].starts_with("suggestions 0 "), "{report}");
    for table in [
        "chunk_vectors",
        "entry_vectors",
        "experience_vectors",
        "entry_notes",
    ] {
        assert_ne!(
            cluster.sql(&name, &format!("select count(*) from {table}")),
            "0",
            "{table}"
        );
    }

    let returned = server(&back, &migrate_args(&between, &to)).await;
    let report = returned.expect_code(0);
    assert!(report.contains("already there 0, conflicts 0"), "{report}");
    assert_eq!(figures(&returned), rows, "the same on the way back");
    let export = async |home: &Home| {
        server(home, &["export", "-"])
            .await
            .expect_code(0)
            .to_owned()
    };
    assert_eq!(export(&old).await, export(&back).await);
    let keys = async |home: &Home| server(home, &["keys", "list", "--json"]).await.stdout;
    assert_eq!(keys(&old).await, keys(&back).await);

    // Differences are found and named.
    cluster.sql(
        &name,
        "update experiences set solution = 'another one' where seq = 1",
    );
    cluster.sql(
        &name,
        "update chunks set text = 'another one' where seq = (select max(seq) from chunks)",
    );
    let differs = server(&old, &migrate_args(&from, &between)).await;
    let report = differs.expect_code(1);
    let different: Vec<String> = figures(&differs);
    let different = different.iter().filter(|row| row.ends_with(" DIFFERENT"));
    let kinds: Vec<_> = different
        .map(|row| row.split(' ').next().unwrap())
        .collect();
    assert_eq!(kinds, ["experiences", "documentation"], "{report}");
    assert!(
        differs.stderr.contains("conflict: experiences")
            && differs.stderr.contains("they differ in solution"),
        "{differs:?}"
    );
    let named = |kind: &str, id: &str, how: &str| {
        let mut lines = differs.stderr.lines();
        lines.any(|line| {
            line.starts_with(&format!("difference: {kind} {id}")) && line.ends_with(how)
        })
    };
    assert!(
        named("experiences", "", "not the same in both")
            && named("documentation files", "", "not the same in both"),
        "{differs:?}"
    );
}

#[tokio::test]
async fn another_run_copies_later_changes_of_the_source() {
    let (old, new) = (Home::new(), Home::new());
    let (from, to) = (address(&old), address(&new));
    let running = Server::start(&old).await;
    let first = running.wire.submit(experience("Docker is slow")).await;
    let mut ids = Vec::new();
    for title in ["docker one", "docker two", "docker three"] {
        let entry = json!({"type": "bug", "title": title, "content": "Docker is slow to build"});
        let added = running.wire.call("rekall_add", entry).await;
        ids.push(added["id"].as_str().unwrap().to_owned());
    }
    old.write("docs/README.md", "# Gin\n\nA web framework.\n");
    for version in ["v1", "v2"] {
        let args = ["ingest", "Gin", "docs", "--version", version];
        server(&old, &args).await.expect_code(0);
    }
    let _key = make_key(&old, "gone", "read").await;
    let note = async |content: &str| {
        let note = format!("---\ntitle: A note\n---\n{content}\n");
        let folder = old.write("notes/a.md", note).parent().unwrap().to_owned();
        let args = ["entries", "import", &folder.to_string_lossy()];
        server(&old, &args).await.expect_code(0);
    };
    note("What it says").await;
    server(&old, &migrate_args(&from, &to)).await.expect_code(0);

    note("What it says now").await;
    for change in [
        &["edit", &first, "--title", "Docker is slow on Sundays"][..],
        &["hide", &first],
    ] {
        let args = [&["records"], change].concat();
        server(&old, &args).await.expect_code(0);
    }
    old.write("docs/README.md", "# Gin\n\nA web framework in Go.\n");
    server(&old, &["ingest", "Gin", "docs", "--version", "v2"])
        .await
        .expect_code(0);
    running.wire.query("docker").await;
    running.wire.submit(experience("Cargo is slow")).await;
    let link = json!({"source_id": ids[1], "target_id": ids[0], "relation_type": "supersedes"});
    running.wire.call("rekall_link", link).await;
    running
        .wire
        .call("rekall_show", json!({"id": ids[2]}))
        .await;
    running.stop().await;
    revoke_key(&old, "gone").await;
    let default = [
        "libraries",
        "set",
        "Gin",
        "--default",
        "v2",
        "--description",
        "Web",
    ];
    server(&old, &default).await.expect_code(0);
    let again = server(&old, &migrate_args(&from, &to)).await;
    let report = again.expect_code(0);
    let rows = figures(&again);
    assert!(rows.iter().all(|row| row.ends_with(" equal")), "{report}");
    assert!(report.contains("conflicts 0"), "{report}");
    let hidden = server(&new, &["records", "show", &first]).await;
    let shown = hidden.expect_code(0);
    assert!(shown.contains("Docker is slow on Sundays"), "{shown}");
    assert!(hidden.stderr.contains("hidden, version 3"), "{hidden:?}");

    let link = old
        .path()
        .join("data")
        .join("..")
        .join("data")
        .join("recall-kit.db");
    let same = format!("sqlite:{}", link.display());
    for (from, to, words) in [
        (&from, &same, "name the same database"),
        (
            &"sqlite:nowhere.db".to_owned(),
            &to,
            "there is no database nowhere.db",
        ),
        (
            &from,
            &"mysql://host/x".to_owned(),
            "cannot open a database at",
        ),
    ] {
        let refused = server(&old, &migrate_args(from, to)).await;
        refused.expect_code(1);
        assert!(
            refused.stderr.contains(words),
            "{words}: {}",
            refused.stderr
        );
    }
}
