//! An older and a newer version of the server on one database.

use recall_kit_tests::{
    Home, Launch, MixedLoad, Output, Server, experience, lock_database, python,
};
use recall_kit_tests_postgres::Cluster;

use super::check;

/// Concurrent clients.
const CLIENTS: usize = 4;
/// What a later version might do: add a column and a table, and record its migration.
const LATER: &str = "\
    alter table experiences add column mood text; \
    create table moods (name text primary key); \
    insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
    values (9999, 'moods', true, '\\x00', 0)";
/// What a later version does if older versions cannot use the database any more.
const BREAKING: &str = "insert into database_facts (name, value) values ('needs_schema', '9999')";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_server_keeps_working_while_a_newer_one_migrates() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let home = Home::with_database(&cluster.url(&database));
    let before = Server::start(&home).await;
    let load = MixedLoad::start(CLIENTS, vec![before.wire.base().to_owned()]);
    load.acknowledged(30).await;
    cluster.sql(&database, LATER);
    load.acknowledged(30).await;
    // A server of the old version that starts only now.
    let late = Server::start(&home).await;
    load.switch_to(vec![late.wire.base().to_owned()]);
    load.acknowledged(30).await;
    let acknowledged = load.stop().await;
    assert!(
        acknowledged.refused.is_empty(),
        "{:?}",
        acknowledged.refused
    );
    check("rolling upgrade", 1, &acknowledged, &home).await;

    cluster.sql(&database, BREAKING);
    let refused = Launch::new(&home).run().await;
    assert_ne!(refused.code, Some(0));
    assert!(
        refused.stderr.contains("newer version"),
        "{}",
        refused.stderr
    );
}

/// The same migration for a SQLite file, as separate statements.
const LATER_FILE: [&str; 3] = [
    "alter table experiences add column mood text",
    "create table moods (name text primary key)",
    "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
     values (9999, 'moods', true, x'00', 0)",
];

async fn on_file(home: &Home, statements: &[&str]) -> Output {
    let database = home.database().display().to_string();
    let args: Vec<&str> = [database.as_str()]
        .iter()
        .chain(statements)
        .copied()
        .collect();
    python(home, "run_sql.py", &args).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_server_uses_a_newer_file_unless_it_requires_a_newer_server() {
    let home = Home::new();
    Server::start(&home).await.stop().await;
    on_file(&home, &LATER_FILE).await.expect_code(0);
    // There is nothing to migrate, so the start does not wait for the write lock.
    let lock = lock_database(&home).await;
    let older = Server::start(&home).await;
    lock.release().await;
    older.wire.submit(experience("After the newer one")).await;
    older.stop().await;

    on_file(&home, &[BREAKING]).await.expect_code(0);
    let refused = Launch::new(&home).run().await;
    assert_ne!(refused.code, Some(0));
    assert!(
        refused.stderr.contains("newer version"),
        "{}",
        refused.stderr
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_may_not_migrate_says_what_to_do() {
    let cluster = Cluster::start();
    let home = Home::with_database(&cluster.url(&cluster.database()));
    let refused = Launch::new(&home).args(&["--no-migrate"]).run().await;
    assert_ne!(refused.code, Some(0));
    assert!(
        refused.stderr.contains("recall-kit-server migrate"),
        "{}",
        refused.stderr
    );
    Launch::new(&home)
        .run_command("migrate")
        .await
        .expect_code(0);
    let server = Launch::new(&home).args(&["--no-migrate"]).start().await;
    server.wire.submit(experience("After the migration")).await;
}
