//! Search with PostgreSQL as engine instead of the server's index in memory.

mod large;

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, Script, Server, experience, print_figure, questions, run,
    server_command, solved_records, within_deadline,
};
use recall_kit_tests_postgres::{Binaries, Cluster};
use serde_json::json;

/// The maximum difference between the mean nDCG@10 of both engines.
const TOLERANCE: f64 = 0.01;

fn cluster() -> Cluster {
    Cluster::of(Binaries::with_vector(), &[])
}

fn searching_in<'a>(engine: &'static str, home: &'a Home) -> Launch<'a> {
    Launch::new(home).args(&["--search-engine", engine])
}

/// Returns the mean nDCG@10 over every `each`th question; each question has one right answer.
async fn ndcg(server: &Server, each: usize) -> f64 {
    let questions: Vec<_> = questions().into_iter().step_by(each).collect();
    let mut sum = 0.0;
    for (question, answer) in &questions {
        let found = server.wire.titles(question).await;
        if let Some(place) = found.iter().take(10).position(|title| title == answer) {
            sum += 1.0 / (place as f64 + 2.0).log2();
        }
    }
    sum / questions.len() as f64
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_search_is_as_good_as_the_index_in_memory() {
    let cluster = cluster();
    let database = cluster.url(&cluster.database());
    let homes = [(); 2].map(|()| Home::with_database(&database));
    let model = EmbeddingsEndpoint::start(Script::Meaning).await;
    let launch = |engine, home| {
        let launch = searching_in(engine, home).embeddings("openai");
        launch.env("RECALL_KIT_EMBEDDINGS__BASE_URL", model.url())
    };
    let memory = launch("memory", &homes[0]).start().await;
    for record in solved_records() {
        memory.wire.submit(record).await;
    }
    memory.wire.vectors_made().await;
    // The records exist before the second server starts, which adds them to its search tables.
    let postgres = launch("postgres", &homes[1]).start().await;
    let last = postgres
        .wire
        .submit(experience("the last of all records"))
        .await;
    let taken_in = async {
        let words = "the last of all records";
        while postgres.wire.query(words).await["experiences"][0]["id"] != last.as_str() {}
    };
    within_deadline("all records", taken_in).await;
    postgres.wire.vectors_made().await;
    let (expected, found) = (ndcg(&memory, 1).await, ndcg(&postgres, 1).await);
    print_figure(format_args!(
        "nDCG@10: in memory {expected:.4}, in the database {found:.4}"
    ));
    assert!(expected > 0.6, "the questions can be answered: {expected}");
    assert!((expected - found).abs() <= TOLERANCE, "{expected} {found}");
    // The server has no index, neither in memory nor in its folder.
    assert!(!homes[1].index().exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_stored_by_one_server_is_found_by_the_others_next_query() {
    let cluster = cluster();
    let name = cluster.database();
    let homes = [(); 3].map(|()| Home::with_database(&cluster.url(&name)));
    let launch = |home| searching_in("postgres", home);
    // Both create the tables at the same time.
    let (first, second) = tokio::join!(launch(&homes[0]).start(), launch(&homes[1]).start());
    for number in 0..10 {
        for (writer, reader) in [(&first, &second), (&second, &first)] {
            let word = format!("word{number}from{}", writer.port());
            let id = writer.wire.submit(experience(&word)).await;
            let data = reader.wire.query(&word).await;
            assert_eq!(data["experiences"][0]["id"], id.as_str(), "{word}: {data}");
            assert_eq!(data["total"], 1, "{word}");
        }
    }
    for title in [
        r"back\slash's ' & | ! :* C++",
        "数据库 连接超时",
        "ECONNREFUSED on startup",
    ] {
        first.wire.submit(experience(title)).await;
        assert_eq!(
            second.wire.titles(title).await.first().map(String::as_str),
            Some(title)
        );
    }
    for syntax in ["'", "\\", "a & !b", "x:*", "<->", "')); --"] {
        second.wire.query(syntax).await;
    }
    // The metrics of the index describe the search tables, as of the last query.
    first.wire.query("word").await;
    let metrics = first.wire.get("/metrics").await.text;
    assert!(metrics.contains("recall_kit_index_records 23"), "{metrics}");
    let with_postgres = Launch::new(&homes[2]).env("RECALL_KIT_SEARCH__ENGINE", "postgres");
    let doctor = with_postgres.run_command("doctor").await;
    assert!(
        doctor
            .expect_code(0)
            .contains("the database finds 23 experiences"),
        "{doctor:?}"
    );
    first.stop().await;
    second.stop().await;
    // A lost row of the search table is reported and repaired, and the next start fills the table again.
    cluster.sql(
        &name,
        "delete from experience_search where id = (select min(id) from experiences)",
    );
    cluster.sql(
        &name,
        "update experience_search_state set records = records - 1",
    );
    let launch_postgres = |home| Launch::new(home).env("RECALL_KIT_SEARCH__ENGINE", "postgres");
    let doctor = launch_postgres(&homes[2]).run_command("doctor").await;
    assert!(
        doctor.expect_code(1).contains("it should find 23"),
        "{doctor:?}"
    );
    launch_postgres(&homes[2])
        .args(&["--repair"])
        .run_command("doctor")
        .await
        .expect_code(0);
    let again = launch(&homes[2]).start().await;
    assert_eq!(
        again.wire.titles("ECONNREFUSED").await,
        ["ECONNREFUSED on startup"]
    );
    let partial_match = again.wire.query("word3from").await;
    assert_eq!(partial_match["experiences"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_cannot_search_is_refused_at_the_start() {
    let without_extension = Cluster::start();
    let url = without_extension.url(&without_extension.database());
    let with_extension = cluster();
    let name = with_extension.database();
    let empty = with_extension.url(&name);
    for (home, args, expected) in [
        (
            Home::new(),
            &[][..],
            "works with PostgreSQL only; this database is a SQLite file",
        ),
        (
            Home::with_database(&url),
            &[],
            "does not have the extension `vector`",
        ),
        (
            Home::with_database(&empty),
            &["--no-migrate"],
            "recall-kit-server migrate",
        ),
    ] {
        let refused = searching_in("postgres", &home).args(args).run().await;
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains(expected), "{expected}: {refused:?}");
    }
    // The schema alone is not enough. With the search tables a server starts even if it may not migrate.
    let home = Home::with_database(&empty);
    Launch::new(&home)
        .run_command("migrate")
        .await
        .expect_code(0);
    let start = || searching_in("postgres", &home).args(&["--no-migrate"]);
    let refused = start().run().await;
    let expected = "let an administrator run `create extension vector`";
    assert!(refused.stderr.contains(expected), "{refused:?}");
    with_extension.sql(&name, "create extension vector");
    let refused = start().run().await;
    let expected = "migrate --search-engine postgres";
    assert!(refused.stderr.contains(expected), "{refused:?}");
    let migrate = Launch::new(&home).env("RECALL_KIT_SEARCH__ENGINE", "postgres");
    migrate.run_command("migrate").await.expect_code(0);
    start().start().await.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_search_does_not_find_hidden_records() {
    let cluster = cluster();
    let home = Home::with_database(&cluster.url(&cluster.database()));
    let server = searching_in("postgres", &home).start().await;
    let total = async || server.wire.query("wombat tunnels").await["total"].clone();
    let id = server
        .wire
        .submit(experience("wombat tunnels collapse"))
        .await;
    server.wire.submit(experience("wombat tunnels flood")).await;
    for (change, found) in [("hide", 1), ("delete", 1), ("restore", 1), ("unhide", 2)] {
        let change = ["records", change, &id];
        run(server_command(&home, &change), "").await.expect_code(0);
        assert_eq!(total().await, found, "{change:?}");
    }
}
