//! Faults of the PostgreSQL cluster under a working server: restarted, crashed, frozen, cut off, primary lost.

use recall_kit_tests::{
    CuttableProxy, Home, MixedLoad, Server, experience, print_figure, within_deadline,
};
use recall_kit_tests_postgres::Cluster;
use serde_json::json;

use super::check;

/// Concurrent clients.
const CLIENTS: usize = 6;
/// Acknowledgements before and after each fault.
const BETWEEN: usize = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_if_the_database_restarts_crashes_or_freezes() {
    let mut cluster = Cluster::start();
    let home = Home::with_database(&cluster.url(&cluster.database()));
    let server = Server::start(&home).await;
    let load = MixedLoad::start(CLIENTS, vec![server.wire.base().to_owned()]);
    for _ in 0..3 {
        load.acknowledged(BETWEEN).await;
        cluster.stop();
        cluster.resume_serving();
        load.acknowledged(BETWEEN).await;
        cluster.crash();
        cluster.resume_serving();
    }
    load.acknowledged(BETWEEN).await;
    let acknowledged = load.stop().await;
    check("database restarted and crashed", 6, &acknowledged, &home).await;

    let load = MixedLoad::start(CLIENTS, vec![server.wire.base().to_owned()]);
    load.acknowledged(BETWEEN).await;
    cluster.pause();
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    cluster.unpause();
    load.acknowledged(BETWEEN).await;
    let acknowledged = load.stop().await;
    check("database stood still for 10 s", 1, &acknowledged, &home).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_if_the_database_is_cut_off() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let proxy = CuttableProxy::start(cluster.port()).await;
    let direct = cluster.url(&database);
    let through = direct.replace(&cluster.port().to_string(), &proxy.port().to_string());
    let home = Home::with_database(&through);
    let server = Server::start(&home).await;
    let load = MixedLoad::start(CLIENTS, vec![server.wire.base().to_owned()]);
    for fault in [CuttableProxy::cut, CuttableProxy::break_off] {
        for _ in 0..3 {
            load.acknowledged(BETWEEN).await;
            fault(&proxy);
            tokio::time::sleep(std::time::Duration::from_secs(2)).await;
            proxy.restore();
        }
    }
    load.acknowledged(BETWEEN).await;
    let acknowledged = load.stop().await;
    check("network cut or broken for 2 s", 6, &acknowledged, &home).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_if_a_standby_takes_over() {
    let mut primary = Cluster::start_with(&["synchronous_commit=on"]);
    let database = primary.database();
    let standby = primary.standby();
    primary.sql(
        "postgres",
        "alter system set synchronous_standby_names = '*'",
    );
    primary.sql("postgres", "select pg_reload_conf()");
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", primary.port(), standby.port());
    let one = format!("127.0.0.1:{}", primary.port());
    let home = Home::with_database(&primary.url(&database).replace(&one, &hosts));
    let server = Server::start(&home).await;
    let load = MixedLoad::start(CLIENTS, vec![server.wire.base().to_owned()]);
    load.acknowledged(100).await;
    primary.crash();
    standby.promote();
    let promoted = std::time::Instant::now();
    load.acknowledged(1).await;
    let writable = promoted.elapsed();
    load.acknowledged(BETWEEN).await;
    let acknowledged = load.stop().await;
    print_figure(format!(
        "writable {:.2} s after the promotion",
        writable.as_secs_f64()
    ));
    assert!(writable.as_secs() < 5, "writable after {writable:?}");
    check("primary lost, standby promoted", 1, &acknowledged, &home).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_commit_result_is_lost_is_stored_once_without_a_key() {
    let mut cluster = Cluster::start_with(&["synchronous_commit=on"]);
    let database = cluster.database();
    let home = Home::with_database(&cluster.url(&database));
    let server = Server::start(&home).await;
    let wire = &server.wire;
    wire.submit(experience("Before the fault")).await;
    let entry = json!({"type": "bug", "title": "A quokka escapes", "content": "Shut the gate",
        "project": "zoo"});
    for (tool, arguments, table) in [
        (
            "submit_experience",
            experience("A wombat digs"),
            "experiences",
        ),
        ("rekall_add", entry, "entries"),
    ] {
        let before = count(&cluster, &database, table);
        // Every commit waits for a standby that does not exist. Ending the waiting connection does not undo the
        // commit, but the server gets no result.
        let alter = "alter system set synchronous_standby_names =";
        cluster.sql("postgres", &format!("{alter} 'nobody'"));
        cluster.stop();
        cluster.resume_serving();
        let broken_off = async {
            let waiting = format!(
                "select pid from pg_stat_activity where wait_event = 'SyncRep' \
                 and datname = '{database}' and query ~* '(insert into {table}|commit)'"
            );
            while cluster.sql("postgres", &waiting).is_empty() {
                tokio::task::yield_now().await;
            }
            cluster.sql("postgres", &format!("{alter} ''"));
            let end = waiting.replacen("pid", "pg_terminate_backend(pid)", 1);
            cluster.sql("postgres", &end);
            cluster.sql("postgres", "select pg_reload_conf()");
        };
        let broken_off = within_deadline("a commit that waits", broken_off);
        let (answer, ()) = tokio::join!(wire.call(tool, arguments), broken_off);
        assert!(answer["error"].is_null(), "{tool}: {answer}");
        assert_eq!(count(&cluster, &database, table), before + 1, "{tool}");
    }
}

fn count(cluster: &Cluster, database: &str, table: &str) -> u64 {
    let count = cluster.sql(database, &format!("select count(*) from {table}"));
    count.parse().unwrap()
}
