//! Several servers on one PostgreSQL database.

use std::time::Duration;

use recall_kit_tests::{Home, Launch, Server, experience, make_key, revoke_key, within_deadline};
use recall_kit_tests_postgres::Cluster;
use reqwest::Method;

/// Returns a new home that uses the same database.
fn replica(cluster: &Cluster, database: &str) -> Home {
    Home::with_database(&cluster.url(database))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_stored_by_one_replica_is_found_by_the_others_next_query() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let homes = [replica(&cluster, &database), replica(&cluster, &database)];
    // Both migrate the new database at the same time.
    let (first, second) = tokio::join!(Server::start(&homes[0]), Server::start(&homes[1]));
    for number in 0..15 {
        for (writer, reader) in [(&first, &second), (&second, &first)] {
            let word = format!("word{number}from{}", writer.port());
            let id = writer.wire.submit(experience(&word)).await;
            let data = reader.wire.query(&word).await;
            assert_eq!(data["experiences"][0]["id"], id.as_str(), "{word}");
            assert_eq!(data["total"], 1, "{word}");
        }
    }
    // The query counts of both servers are added up.
    for server in [&first, &second] {
        for _ in 0..3 {
            server
                .wire
                .query(&format!("word0from{}", first.port()))
                .await;
        }
    }
    let ports = [first.port(), second.port()];
    first.stop().await;
    second.stop().await;
    let counted =
        "select query_count from experiences where title like 'word0from%' order by seq limit 1";
    // One query by the other server, and three queries by each server.
    assert_eq!(cluster.sql(&database, counted), "7");
    // A third server, which starts only now, finds everything.
    let late = replica(&cluster, &database);
    let third = Server::start(&late).await;
    for (number, port) in (0..15).flat_map(|number| ports.map(|port| (number, port))) {
        let word = format!("word{number}from{port}");
        assert_eq!(third.wire.query(&word).await["total"], 1, "{word}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_lost_by_the_database_are_removed_from_the_index() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let home = replica(&cluster, &database);
    let server = Server::start(&home).await;
    for word in ["kept", "lost"] {
        server.wire.submit(experience(word)).await;
        assert_eq!(server.wire.query(word).await["total"], 1);
    }
    // The state after a failover to a standby that was behind.
    cluster.sql(
        &database,
        "delete from experiences where title = 'lost'; \
         update heads set seq = seq - 1 where family = 'experiences'",
    );
    assert_eq!(server.wire.query("kept").await["total"], 1);
    assert_eq!(server.wire.query("lost").await["total"], 0);
    server.wire.submit(experience("later")).await;
    assert_eq!(server.wire.query("later").await["total"], 1);
    assert!(server.log().contains("ahead of the database"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_schema_holds_separate_data() {
    let cluster = Cluster::start();
    let database = cluster.database();
    cluster.sql(&database, "create schema one; create schema two");
    let home = |schema: &str| {
        let url = cluster.url(&database);
        Home::with_database(&format!("{url}?options=-csearch_path%3D{schema}"))
    };
    let homes = [home("one"), home("two")];
    // Both create their tables at the same time.
    let (first, second) = tokio::join!(Server::start(&homes[0]), Server::start(&homes[1]));
    for (server, other) in [(&first, &second), (&second, &first)] {
        let word = format!("wombat{}", server.port());
        server.wire.submit(experience(&word)).await;
        assert_eq!(server.wire.query(&word).await["total"], 1, "{word}");
        assert_eq!(other.wire.query(&word).await["total"], 0, "{word}");
    }
    let heads = "select (select seq from one.heads where family = 'experiences'), \
        (select seq from two.heads where family = 'experiences')";
    assert_eq!(cluster.sql(&database, heads), "1|1");
    let shared = "select count(*) from pg_tables where schemaname = 'public'";
    assert_eq!(cluster.sql(&database, shared), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_valid_and_revoked_on_all_replicas_at_once() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let homes = [replica(&cluster, &database), replica(&cluster, &database)];
    let key = make_key(&homes[0], "team", "write").await;
    let launch = |home| Launch::new(home).args(&["--access", "required"]);
    let (first, second) = (
        launch(&homes[0]).start().await,
        launch(&homes[1]).start().await,
    );
    let bearer = format!("Bearer {key}");
    for server in [&first, &second] {
        assert_eq!(status(server, &bearer).await, 200);
    }
    revoke_key(&homes[1], "team").await;
    for server in [&first, &second] {
        assert_eq!(status(server, &bearer).await, 401);
    }
}

/// Waits until the condition is true.
async fn until(condition: impl Fn() -> bool) {
    let waited = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    within_deadline("the database", waited).await;
}

async fn status(server: &Server, bearer: &str) -> u16 {
    let body = recall_kit_tests::json_rpc("tools/list", serde_json::json!({})).to_string();
    let headers = [
        ("content-type", "application/json"),
        ("authorization", bearer),
    ];
    server
        .wire
        .send(Method::POST, "/mcp", &headers, body)
        .await
        .status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_records_are_found_whatever_the_state_of_the_standby() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut standby = cluster.standby();
    let home = replica(&cluster, &database);
    let reads = standby.url(&database);
    let launch = || Launch::new(&home).args(&["--read-database", &reads]);
    let server = launch().start().await;
    server.wire.submit(experience("Before it lagged")).await;
    assert_eq!(server.wire.query("before lagged").await["total"], 1);

    // The standby does not replay changes, so the primary answers.
    standby.sql("postgres", "select pg_wal_replay_pause()");
    for number in 0..5 {
        let word = format!("lagging{number}");
        server.wire.submit(experience(&word)).await;
        assert_eq!(server.wire.query(&word).await["total"], 1, "{word}");
    }
    standby.sql("postgres", "select pg_wal_replay_resume()");
    let caught_up = "select seq from heads where family = 'experiences'";
    until(|| standby.sql(&database, caught_up) == "6").await;

    // The standby is frozen, so the primary answers.
    assert_eq!(server.wire.query("lagging4").await["total"], 1);
    standby.pause();
    server.wire.submit(experience("While it stood still")).await;
    assert_eq!(server.wire.query("while stood still").await["total"], 1);
    standby.unpause();
    server.stop().await;

    // The standby has caught up, and a new server fills its index from it.
    until(|| standby.sql(&database, caught_up) == "7").await;
    let scans = "select seq_scan + idx_scan from pg_stat_user_tables where relname = 'experiences'";
    let before: u64 = standby.sql(&database, scans).parse().expect("a number");
    let late = replica(&cluster, &database);
    let server = Launch::new(&late)
        .args(&["--read-database", &reads])
        .start()
        .await;
    assert_eq!(server.wire.query("lagging3").await["total"], 1);
    until(|| {
        let now: u64 = standby.sql(&database, scans).parse().expect("a number");
        now > before
    })
    .await;

    // The standby freezes in the middle of a read.
    standby.pause();
    assert_eq!(server.wire.query("lagging4").await["total"], 1);
    standby.unpause();

    // The standby has crashed.
    standby.crash();
    server.wire.submit(experience("After it was gone")).await;
    assert_eq!(server.wire.query("after gone").await["total"], 1);
    assert_eq!(server.wire.query("lagging4").await["total"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_server_starts_from_the_saved_index_of_another_one() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let home = replica(&cluster, &database);
    let set = recall_kit_tests::records::record_set(1, 2_100);
    let import = recall_kit_tests::server_command(&home, &["import", "-"]);
    recall_kit_tests::run(import, set).await.expect_code(0);
    let server = Server::start(&home).await;
    let total = server.wire.query("set1").await["total"].clone();
    let file = home.path().join("index.tar");
    let file = file.to_string_lossy();
    // A server saves its index every few seconds; a stop saves it at once unless it is saved already.
    let saving = async {
        loop {
            let save = recall_kit_tests::server_command(&home, &["index", "save", &file]);
            let saved = recall_kit_tests::run(save, "").await;
            if saved.code == Some(0) || !saved.stderr.contains("there is no index") {
                break saved;
            }
        }
    };
    within_deadline("a saved index", saving)
        .await
        .expect_code(0);

    let other = replica(&cluster, &database);
    let load = |args: &[&str]| {
        let command = [&["index", "load", &file], args].concat();
        recall_kit_tests::run(recall_kit_tests::server_command(&other, &command), "")
    };
    load(&[]).await.expect_code(0);
    let refused = load(&[]).await;
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    load(&["--force"]).await.expect_code(0);
    let second = Server::start(&other).await;
    assert_eq!(second.wire.query("set1").await["total"], total);
    let log = second.log();
    assert!(
        !log.contains("rebuilt") && !log.contains("damaged"),
        "{log}"
    );
    let in_use = load(&["--force"]).await;
    assert!(
        in_use.stderr.contains("is used by a server"),
        "{}",
        in_use.stderr
    );

    // The saved index of another database is not used.
    let foreign = Home::new();
    Server::start(&foreign).await.stop().await;
    let command = recall_kit_tests::server_command(&foreign, &["index", "load", "--force", &file]);
    let refused = recall_kit_tests::run(command, "").await;
    assert!(
        refused
            .stderr
            .contains("the snapshot belongs to the database"),
        "{}",
        refused.stderr
    );
}
