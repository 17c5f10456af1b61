//! Searching in PostgreSQL instead of in the server's memory.

mod large;

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, Script, Server, experience, questions, run, server_command,
    solved_records, tell, within_deadline,
};
use recall_kit_tests_postgres::{Binaries, Cluster};
use serde_json::json;

/// How far the mean of nDCG@10 may be from that of the index in memory.
const TOLERANCE: f64 = 0.01;

fn cluster() -> Cluster {
    Cluster::of(Binaries::with_vector(), &[])
}

fn searching_in<'a>(engine: &'static str, home: &'a Home) -> Launch<'a> {
    Launch::new(home).args(&["--search-engine", engine])
}

/// Mean nDCG@10 of questions with one answer each, of which every `each`th is asked.
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
async fn the_database_finds_what_the_index_in_memory_finds() {
    let cluster = cluster();
    let database = cluster.url(&cluster.database());
    let homes = [(); 2].map(|()| Home::with_database(&database));
    let model = EmbeddingsEndpoint::start(Script::Know).await;
    let launch = |engine, home| {
        let launch = searching_in(engine, home).embeddings("openai");
        launch.env("RECALL_KIT_EMBEDDINGS__BASE_URL", model.url())
    };
    let memory = launch("memory", &homes[0]).start().await;
    for record in solved_records() {
        memory.wire.submit(record).await;
    }
    memory.wire.vectors_made().await;
    // These are there before it starts, and it takes them in.
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
    tell(format_args!(
        "nDCG@10: in memory {expected:.4}, in the database {found:.4}"
    ));
    assert!(expected > 0.6, "the questions can be answered: {expected}");
    assert!((expected - found).abs() <= TOLERANCE, "{expected} {found}");
    // Its memory holds no index, and neither does its folder.
    assert!(!homes[1].index().exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_stores_the_other_finds_with_the_next_query() {
    let cluster = cluster();
    let name = cluster.database();
    let homes = [(); 3].map(|()| Home::with_database(&cluster.url(&name)));
    let launch = |home| searching_in("postgres", home);
    // Both make the tables at the same time.
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
    // What is said of the index is said of the database, as of the last query.
    first.wire.query("word").await;
    let metrics = first.wire.get("/metrics").await.text;
    assert!(metrics.contains("recall_kit_index_records 23"), "{metrics}");
    let told = Launch::new(&homes[2]).env("RECALL_KIT_SEARCH__ENGINE", "postgres");
    let doctor = told.run_command("doctor").await;
    assert!(
        doctor
            .expect_code(0)
            .contains("the database finds 23 experiences"),
        "{doctor:?}"
    );
    first.stop().await;
    second.stop().await;
    // A lost table of figures shows, is repaired, and a start fills it again.
    cluster.sql(
        &name,
        "delete from experience_search where id = (select min(id) from experiences)",
    );
    cluster.sql(
        &name,
        "update experience_search_state set records = records - 1",
    );
    let told = |home| Launch::new(home).env("RECALL_KIT_SEARCH__ENGINE", "postgres");
    let doctor = told(&homes[2]).run_command("doctor").await;
    assert!(
        doctor.expect_code(1).contains("it should find 23"),
        "{doctor:?}"
    );
    told(&homes[2])
        .args(&["--repair"])
        .run_command("doctor")
        .await
        .expect_code(0);
    let again = launch(&homes[2]).start().await;
    assert_eq!(
        again.wire.titles("ECONNREFUSED").await,
        ["ECONNREFUSED on startup"]
    );
    let rekall = again.wire.query("word3from").await;
    assert_eq!(rekall["experiences"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_cannot_search_says_so_at_the_start() {
    let without_extension = Cluster::start();
    let url = without_extension.url(&without_extension.database());
    let with_extension = cluster();
    let name = with_extension.database();
    let empty = with_extension.url(&name);
    for (home, args, said) in [
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
        assert!(refused.stderr.contains(said), "{said}: {refused:?}");
    }
    // The schema alone is not enough; with the tables a server starts that may change nothing.
    let home = Home::with_database(&empty);
    Launch::new(&home)
        .run_command("migrate")
        .await
        .expect_code(0);
    let start = || searching_in("postgres", &home).args(&["--no-migrate"]);
    let refused = start().run().await;
    let said = "let an administrator run `create extension vector`";
    assert!(refused.stderr.contains(said), "{refused:?}");
    with_extension.sql(&name, "create extension vector");
    let refused = start().run().await;
    let said = "migrate --search-engine postgres";
    assert!(refused.stderr.contains(said), "{refused:?}");
    let migrate = Launch::new(&home).env("RECALL_KIT_SEARCH__ENGINE", "postgres");
    migrate.run_command("migrate").await.expect_code(0);
    start().start().await.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_hidden_the_database_does_not_find() {
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
