//! Damaged pages of a database: records on other pages are served, and the log describes the damage.

use std::{
    fs::OpenOptions,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use recall_kit_tests::{Home, Launch, Server, Wire, experience};
use recall_kit_tests_postgres::Cluster;
use serde_json::json;

/// The number of experiences in a database, and of entries.
const RECORDS: usize = 200;
/// The number of the record on the damaged page.
const HIT: usize = 100;
/// Records on a page of results.
const PAGE: u64 = 50;

/// Returns a text that occurs once in a database, followed by so much text that records fill pages.
fn text(kind: &str, number: usize) -> String {
    format!(
        "{kind}-{number}-begins {}",
        "long enough to fill pages ".repeat(20)
    )
}

/// Fills a database; returns the ids of the experiences and the titles of the entries, since searches return
/// shortened ids of entries.
async fn fill(wire: &Wire) -> [Vec<String>; 2] {
    let mut names = [Vec::new(), Vec::new()];
    for number in 0..RECORDS {
        let mut record = experience(&format!("wombat number{number}"));
        record["solution"] = text("experience", number).into();
        names[0].push(wire.submit(record).await);
        let title = format!("quokka number{number}");
        let entry = json!({"type": "bug", "title": title, "content": text("entry", number),
            "project": "zoo"});
        wire.call("rekall_add", entry).await;
        names[1].push(title);
    }
    names
}

/// Overwrites the pages of a file that contain a text: the page with its row, and pages where older copies of
/// the row remain.
fn damage(path: &Path, page: usize, text: &str) {
    let bytes = std::fs::read(path).unwrap();
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let has_text = |page: &[u8]| {
        let mut windows = page.windows(text.len());
        windows.any(|window| window == text.as_bytes())
    };
    let mut damaged = 0;
    for (number, _) in bytes
        .chunks(page)
        .enumerate()
        .filter(|(_, page)| has_text(page))
    {
        let place = (number * page) as u64;
        file.write_all_at(&vec![0x5a; page], place).unwrap();
        damaged += 1;
    }
    assert!(damaged > 0, "the text is in the file");
}

/// Returns the file of a PostgreSQL table.
fn file_of(cluster: &Cluster, database: &str, table: &str) -> PathBuf {
    let file = cluster.sql(database, &format!("select pg_relation_filepath('{table}')"));
    cluster.folder().join("data").join(file)
}

/// Queries everything and checks that only records of the damaged page are missing.
async fn check_others_are_served(server: &Server, [ids, titles]: &[Vec<String>; 2]) {
    let wire = &server.wire;
    let mut found = Vec::new();
    for offset in (0..RECORDS as u64).step_by(PAGE as usize) {
        let data = wire.query_page("wombat", PAGE, offset).await;
        let records = data["experiences"].as_array().expect("a page of results");
        found.extend(records.iter().map(|record| record["id"].clone()));
    }
    check_most("experiences", ids, |id| found.contains(&json!(id)));
    let mut found = Vec::new();
    for title in titles {
        let wanted = json!({"query": title, "project": "zoo"});
        let data = wire.call("rekall_search", wanted).await;
        let results = data["results"].as_array().expect("a page of results");
        found.extend(results.iter().map(|result| result["title"].clone()));
    }
    check_most("entries", titles, |title| found.contains(&json!(title)));
    let log = server.log();
    assert!(
        log.contains("the database is damaged") && log.contains("Restore a backup"),
        "{log}"
    );
}

#[track_caller]
fn check_most(kind: &str, names: &[String], is_there: impl Fn(&String) -> bool) {
    let there = names.iter().filter(|name| is_there(name)).count();
    assert!(there < RECORDS, "{kind}: a page is damaged");
    // A page has at most a dozen records.
    assert!(there >= RECORDS - 24, "{kind}: {there} of {RECORDS}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_starting_server_serves_records_on_undamaged_pages() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let names = fill(&server.wire).await;
    server.stop().await;
    for kind in ["experience", "entry"] {
        damage(&home.database(), 4_096, &text(kind, HIT));
    }
    let server = Server::start(&home).await;
    check_others_are_served(&server, &names).await;
    server.wire.submit(experience("After the damage")).await;
    assert_eq!(server.wire.query("after damage").await["total"], 1);
    server.stop().await;
    let doctor = Launch::new(&home).run_command("doctor").await;
    doctor.expect_code(1);
    assert!(doctor.stdout.contains("is damaged: "), "{doctor:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_server_serves_records_on_undamaged_pages() {
    let mut cluster = Cluster::start();
    let database = cluster.database();
    let home = Home::with_database(&cluster.url(&database));
    let server = Server::start(&home).await;
    let names = fill(&server.wire).await;
    let files = [("experiences", "experience"), ("entries", "entry")]
        .map(|(table, kind)| (file_of(&cluster, &database, table), kind));
    cluster.stop();
    for (file, kind) in files {
        damage(&file, 8_192, &text(kind, HIT));
    }
    cluster.resume_serving();
    check_others_are_served(&server, &names).await;
    server.stop().await;
    let server = Server::start(&home).await;
    check_others_are_served(&server, &names).await;
}
