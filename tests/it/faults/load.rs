//! Many clients that query and submit: no errors, and no acknowledged record is lost.
//!
//! `RECALL_KIT_LOAD=1000x60` runs 1,000 clients for 60 seconds. `RECALL_KIT_BIN_DIR` selects another build, and
//! `RECALL_KIT_LOAD_MODEL=1` turns the embedding model on.

use std::{collections::HashSet, time::Duration};

use recall_kit_tests::{Home, Launch, Load, print_figure, python, raise_open_files};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_clients_get_no_error_and_lose_nothing() {
    let wanted = std::env::var("RECALL_KIT_LOAD").unwrap_or_else(|_| "200x5".to_owned());
    let (clients, seconds) = wanted.split_once('x').expect("CLIENTSxSECONDS");
    let load = Load {
        clients: clients.parse().unwrap(),
        duration: Duration::from_secs(seconds.parse().unwrap()),
    };
    let model = std::env::var_os("RECALL_KIT_LOAD_MODEL").map_or("off", |_| "builtin");
    raise_open_files();
    let home = Home::new();
    let server = Launch::new(&home)
        .embeddings(model)
        .args(&["--log-level", "warn"])
        .start()
        .await;
    let report = load.run(server.port()).await;
    print_figure(format_args!("{wanted}, embeddings {model}\n{report}"));
    assert!(report.errors.is_empty(), "{report}\n{}", server.log());
    assert!(!report.acknowledged.is_empty());

    // Killed as by a power cut: acknowledged records must be on disk by now.
    server.kill().await;
    let database = home.database();
    let stored = python(&home, "stored_ids.py", &[&database.to_string_lossy()]).await;
    let stored = stored.expect_code(0).lines().map(str::to_owned);
    let stored: HashSet<String> = stored.collect();
    let lost: Vec<_> = report.acknowledged.difference(&stored).collect();
    assert!(lost.is_empty(), "{} lost: {lost:?}", lost.len());
    assert_eq!(stored.len(), report.acknowledged.len(), "nothing twice");
}
