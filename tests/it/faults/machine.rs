//! Faults of the machine: a clock that jumps, a disk that is full.

use std::path::{Path, PathBuf};

use recall_kit_tests::{Home, Launch, MixedLoad, Server, experience};
use recall_kit_tests_postgres::{Cluster, SmallDisk};
use serde_json::json;

use super::check;

/// Concurrent clients.
const CLIENTS: usize = 4;
/// Acknowledgements before and after each jump.
const BETWEEN: usize = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_if_the_clock_jumps() {
    let cluster = Cluster::start();
    let homes = [
        ("SQLite", Home::new()),
        (
            "PostgreSQL",
            Home::with_database(&cluster.url(&cluster.database())),
        ),
    ];
    for (database, home) in &homes {
        let clock = home.write("clock", "+0");
        let server = with_clock(home, &clock).await;
        let load = MixedLoad::start(CLIENTS, vec![server.wire.base().to_owned()]);
        for jump in ["+86400", "-86400", "+0"] {
            load.acknowledged(BETWEEN).await;
            home.write("clock", jump);
        }
        load.acknowledged(BETWEEN).await;
        let acknowledged = load.stop().await;
        assert!(
            acknowledged.refused.is_empty(),
            "{:?}",
            acknowledged.refused
        );
        let records = server.wire.all("release notes", 50).await;
        let days: std::collections::BTreeSet<_> = records
            .values()
            .filter_map(|record| record["created_at"].as_str()?.get(..10))
            .collect();
        assert!(days.len() > 1, "the clock did jump: {days:?}");
        server.stop().await;
        check(&format!("clock ±1 day, {database}"), 3, &acknowledged, home).await;
    }
}

/// Starts a server whose clock is set by a file, which can change at any moment.
async fn with_clock(home: &Home, clock: &Path) -> Server {
    let library = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten();
    let library: Option<PathBuf> = library
        .map(|folder| folder.path().join("faketime/libfaketime.so.1"))
        .find(|path| path.exists());
    let library = library.expect("libfaketime is missing; tests/run installs the package faketime");
    Launch::new(home)
        .env("LD_PRELOAD", library.display())
        .env("FAKETIME_TIMESTAMP_FILE", clock.display())
        .env("FAKETIME_NO_CACHE", 1)
        .env("FAKETIME_DONT_FAKE_MONOTONIC", 1)
        .start()
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_refuses_writes_and_recovers() {
    let Some(disk) = SmallDisk::mount(96) else {
        recall_kit_tests::print_figure("not run: only root can mount a small disk");
        return;
    };
    let cluster = Cluster::on(disk.path());
    let home = Home::with_database(&cluster.url(&cluster.database()));
    let server = Server::start(&home).await;
    let load = MixedLoad::start(CLIENTS, vec![server.wire.base().to_owned()]);
    load.acknowledged(BETWEEN).await;
    disk.fill();
    // A large record needs space at once.
    let mut large = experience("Too large for this disk");
    large["problem_description"] = json!("many words ".repeat(40_000));
    let refused = server.wire.call("submit_experience", large).await;
    assert_eq!(refused["error"]["code"], "DATABASE_ERROR", "{refused}");
    disk.make_room();
    load.acknowledged(BETWEEN).await;
    let acknowledged = load.stop().await;
    check("disk full and back, PostgreSQL", 1, &acknowledged, &home).await;
}
