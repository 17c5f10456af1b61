//! Many processes on one SQLite file.

use std::time::Duration;

use recall_kit_tests::{Home, MixedLoad, Server};

use super::check;

/// Processes on one file.
const PROCESSES: usize = 8;
/// How long they work.
const WORK: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_processes_on_one_file_refuse_no_call() {
    let home = Home::new();
    let mut servers = Vec::new();
    for _ in 0..PROCESSES {
        servers.push(Server::start(&home).await);
    }
    let addresses = servers.iter().map(|server| server.wire.base().to_owned());
    let load = MixedLoad::start(PROCESSES * 2, addresses.collect());
    tokio::time::sleep(WORK).await;
    let acknowledged = load.stop().await;
    assert!(
        acknowledged.refused.is_empty(),
        "{:?}",
        acknowledged.refused
    );
    check("8 processes on one file for 60 s", 1, &acknowledged, &home).await;
}
