//! Faults of SQLite's file and of the machine: a damaged page, many processes, a clock that jumps.

use std::time::Duration;

use recall_kit_tests::{Home, Launch, MixedLoad, Server, experience};

use super::check;

/// Processes on one file.
const PROCESSES: usize = 8;
/// Records in the file whose page is damaged.
const RECORDS: u64 = 400;
/// How long they work.
const WORK: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_processes_on_one_file_refuse_nobody() {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_page_is_found_and_other_rows_are_read() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for number in 0..RECORDS {
        let text = format!("number{number} {}", "long enough to fill pages ".repeat(20));
        let mut record = experience(&format!("wombat{number}"));
        record["solution"] = text.into();
        server.wire.submit(record).await;
    }
    server.stop().await;
    damage(&home);
    let server = Server::start(&home).await;
    let mut found = 0;
    for number in 0..RECORDS {
        let data = server.wire.query(&format!("wombat{number}")).await;
        found += data["total"].as_u64().unwrap();
    }
    assert!(found < RECORDS, "some rows are gone");
    assert!(found > RECORDS / 2, "other rows are read: {found}");
    let log = server.log();
    assert!(
        log.contains("the database is damaged") && log.contains("Restore a backup"),
        "{log}"
    );
    server.wire.submit(experience("After the damage")).await;
    assert_eq!(server.wire.query("after damage").await["total"], 1);
    server.stop().await;
    let doctor = Launch::new(&home).run_command("doctor").await;
    assert_ne!(doctor.code, Some(0));
    let said = format!("{}{}", doctor.stdout, doctor.stderr);
    assert!(
        said.contains("damage") || said.contains("malformed"),
        "{said}"
    );
}

/// Overwrites a leaf in the middle of the file.
fn damage(home: &Home) {
    use std::os::unix::fs::FileExt as _;
    const PAGE: u64 = 4_096;
    let path = home.database();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let pages = file.metadata().unwrap().len() / PAGE;
    file.write_all_at(&[0x5a; PAGE as usize], pages / 2 * PAGE)
        .unwrap();
}
