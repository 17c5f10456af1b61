//! A damaged index folder: the server notices and logs it, rebuilds the index and answers as before; `doctor`
//! finds and repairs it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use recall_kit_tests::{Home, Launch, Output, Server, records::record_set, run, server_command};

/// Enough records for an index on disk.
const SET: usize = 2_050;

async fn command(home: &Home, args: &[&str], stdin: String) -> Output {
    run(server_command(home, args), stdin).await
}

/// Creates a database with an index on disk and no running server.
async fn indexed() -> Home {
    let home = Home::new();
    let import = command(&home, &["import", "-"], record_set(1, SET)).await;
    import.expect_code(0);
    let repair = command(&home, &["doctor", "--repair"], String::new()).await;
    let report = repair.expect_code(0);
    assert!(
        report.contains("rebuilt: 2050 records, 2050 of them on disk"),
        "{report}"
    );
    home
}

async fn serve(home: &Home) -> Server {
    let launch = Launch::new(home).env("RECALL_KIT_QUERY__TIMEOUT_MS", 60_000);
    launch.start().await
}

/// Returns the results of some queries.
async fn answers(server: &Server) -> Vec<String> {
    let mut answers = Vec::new();
    for query in [
        "set1rare0",
        "set1rare102 docker",
        "docker fails",
        "not there",
    ] {
        let data = server.wire.query(query).await;
        let found = data["experiences"].as_array().unwrap().iter();
        let ids: Vec<_> = found.map(|found| found["id"].to_string()).collect();
        answers.push(format!("{query}: {} {ids:?}", data["total"]));
    }
    answers
}

/// Returns the files of an index folder that are not empty.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let files = entries.map(|entry| entry.path());
    let mut files: Vec<_> = files
        .filter(|path| fs::metadata(path).unwrap().len() > 0)
        .collect();
    files.sort();
    files
}

/// A kind of damage to a file.
type Damage = (&'static str, fn(&Path));

const DAMAGES: [Damage; 4] = [
    ("cut in half", |file| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("cut to six bytes", |file| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..6]).unwrap();
    }),
    ("flipped in the middle", |file| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(file, bytes).unwrap();
    }),
    ("gone", |file| fs::remove_file(file).unwrap()),
];

#[tokio::test]
async fn a_damaged_file_is_noticed_and_the_answers_stay_right() {
    let home = indexed().await;
    let folder = home.index();
    let server = serve(&home).await;
    let expected = answers(&server).await;
    assert!(!server.log().contains("rebuilt"), "{}", server.log());
    server.kill().await;
    let intact: Vec<_> = files(&folder)
        .into_iter()
        .map(|file| (file.clone(), fs::read(file).unwrap()))
        .collect();
    for (file, _) in &intact {
        for (how, damage_file) in DAMAGES {
            fs::remove_dir_all(&folder).unwrap();
            fs::create_dir(&folder).unwrap();
            for (path, bytes) in &intact {
                fs::write(path, bytes).unwrap();
            }
            damage_file(file);
            let name = file.file_name().unwrap().to_string_lossy();
            let server = serve(&home).await;
            let log = server.log();
            // Two kinds of files are not essential: the list of files serves only to remove unused ones, and
            // the saved rows only spare the start from reading them from the database.
            let is_optional = name == ".managed.json" || name.starts_with("rows");
            assert!(
                log.contains("rebuilt") || is_optional,
                "{name} {how}: {log}"
            );
            let is_reported =
                name != "rows" || how == "gone" || log.contains("the saved records are not used");
            assert!(is_reported, "{name} {how}: {log}");
            assert!(!log.contains("panicked"), "{name} {how}: {log}");
            assert_eq!(answers(&server).await, expected, "{name} {how}");
            server.kill().await;
        }
    }
}

#[tokio::test]
async fn a_folder_without_a_valid_index_is_replaced() {
    let home = indexed().await;
    let server = serve(&home).await;
    let expected = answers(&server).await;
    server.kill().await;
    let foreign = r#"{"index_settings":{},"segments":[],"schema":[],"opstamp":0}"#;
    for text in ["somebody's notes", "", foreign] {
        fs::remove_dir_all(home.index()).unwrap();
        fs::create_dir(home.index()).unwrap();
        fs::write(home.index().join("meta.json"), text).unwrap();
        let server = serve(&home).await;
        let log = server.log();
        assert!(log.contains("rebuilt"), "{text:?}: {log}");
        assert_eq!(answers(&server).await, expected, "{text:?}");
        server.kill().await;
    }
}

#[tokio::test]
async fn doctor_finds_and_repairs_a_damaged_index_if_no_server_uses_it() {
    let home = indexed().await;
    let doctor = || command(&home, &["doctor"], String::new());
    let repair = || command(&home, &["doctor", "--repair"], String::new());
    let report = doctor().await;
    let report = report.expect_code(0);
    assert!(report.contains("2050 records up to write 2050"), "{report}");
    assert!(
        report.contains("the newest 2050 looked up and found"),
        "{report}"
    );

    let files = files(&home.index());
    let postings = files
        .iter()
        .find(|file| file.extension().is_some_and(|e| e == "idx"));
    let (_, flip) = DAMAGES[2];
    flip(postings.unwrap());
    let report = doctor().await;
    let report = report.expect_code(1);
    assert!(
        report.contains("FAIL  index") && report.contains("damaged"),
        "{report}"
    );
    assert!(report.contains("doctor --repair"), "{report}");
    repair().await.expect_code(0);
    doctor().await.expect_code(0);

    let server = serve(&home).await;
    let expected = answers(&server).await;
    let refused = repair().await;
    let report = refused.expect_code(1);
    assert!(
        report.contains("used by a server; nothing was changed"),
        "{report}"
    );
    assert_eq!(answers(&server).await, expected);
    server.kill().await;
    // The lock ends with the process, even after a kill.
    repair().await.expect_code(0);
}

#[tokio::test]
async fn an_index_ahead_of_a_restored_backup_is_noticed() {
    let home = Home::new();
    let import = |set| command(&home, &["import", "-"], set);
    import(record_set(2, 10)).await.expect_code(0);
    let backup = fs::read(home.database()).unwrap();
    import(record_set(1, SET)).await.expect_code(0);
    let repair = command(&home, &["doctor", "--repair"], String::new()).await;
    repair.expect_code(0);
    fs::write(home.database(), backup).unwrap();

    let doctor = command(&home, &["doctor"], String::new()).await;
    let report = doctor.expect_code(1);
    assert!(
        report.contains("up to write 2060, the database only to 10"),
        "{report}"
    );
    let server = serve(&home).await;
    assert!(server.log().contains("ahead of the database"));
    assert_eq!(server.wire.query("set1").await["total"], 0);
    assert_eq!(server.wire.query("set2").await["total"], 10);
}
