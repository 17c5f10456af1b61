//! A torn index folder: the server notices, says so, builds it anew and answers as before; `doctor`
//! finds it and repairs it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use recall_kit_tests::{Home, Launch, Output, Server, records::record_set, run, server_command};

/// Records enough for an index on disk.
const SET: usize = 2_050;

async fn command(home: &Home, args: &[&str], stdin: String) -> Output {
    run(server_command(home, args), stdin).await
}

/// A database with an index on disk that no server uses.
async fn indexed() -> Home {
    let home = Home::new();
    let import = command(&home, &["import", "-"], record_set(1, SET)).await;
    import.expect_code(0);
    let repair = command(&home, &["doctor", "--repair"], String::new()).await;
    let said = repair.expect_code(0);
    assert!(
        said.contains("built anew: 2050 records, 2050 of them on disk"),
        "{said}"
    );
    home
}

async fn serve(home: &Home) -> Server {
    let launch = Launch::new(home).env("RECALL_KIT_QUERY__TIMEOUT_MS", 60_000);
    launch.start().await
}

/// What some queries find.
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

/// The files of an index folder whose content matters.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let files = entries.map(|entry| entry.path());
    let mut files: Vec<_> = files
        .filter(|path| fs::metadata(path).unwrap().len() > 0)
        .collect();
    files.sort();
    files
}

/// A way in which a file can be torn.
type Tear = (&'static str, fn(&Path));

const TEARS: [Tear; 4] = [
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
async fn a_torn_file_is_noticed_and_the_answers_stay_right() {
    let home = indexed().await;
    let folder = home.index();
    let server = serve(&home).await;
    let expected = answers(&server).await;
    assert!(!server.log().contains("rebuilt"), "{}", server.log());
    server.kill().await;
    let whole: Vec<_> = files(&folder)
        .into_iter()
        .map(|file| (file.clone(), fs::read(file).unwrap()))
        .collect();
    for (file, _) in &whole {
        for (how, tear) in TEARS {
            fs::remove_dir_all(&folder).unwrap();
            fs::create_dir(&folder).unwrap();
            for (path, bytes) in &whole {
                fs::write(path, bytes).unwrap();
            }
            tear(file);
            let name = file.file_name().unwrap().to_string_lossy();
            let server = serve(&home).await;
            let log = server.log();
            // The list of files is only for removing those that nobody needs any more; saved rows spare
            // the start reading them from the database.
            let is_spare = name == ".managed.json" || name.starts_with("rows");
            assert!(log.contains("rebuilt") || is_spare, "{name} {how}: {log}");
            let is_told =
                name != "rows" || how == "gone" || log.contains("the saved records are not used");
            assert!(is_told, "{name} {how}: {log}");
            assert!(!log.contains("panicked"), "{name} {how}: {log}");
            assert_eq!(answers(&server).await, expected, "{name} {how}");
            server.kill().await;
        }
    }
}

#[tokio::test]
async fn what_is_no_index_is_replaced() {
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
async fn doctor_finds_a_torn_index_and_repairs_it_alone() {
    let home = indexed().await;
    let doctor = || command(&home, &["doctor"], String::new());
    let repair = || command(&home, &["doctor", "--repair"], String::new());
    let said = doctor().await;
    let said = said.expect_code(0);
    assert!(said.contains("2050 records up to write 2050"), "{said}");
    assert!(
        said.contains("the newest 2050 looked up and found"),
        "{said}"
    );

    let files = files(&home.index());
    let postings = files
        .iter()
        .find(|file| file.extension().is_some_and(|e| e == "idx"));
    let (_, flip) = TEARS[2];
    flip(postings.unwrap());
    let said = doctor().await;
    let said = said.expect_code(1);
    assert!(
        said.contains("FAIL  index") && said.contains("torn"),
        "{said}"
    );
    assert!(said.contains("doctor --repair"), "{said}");
    repair().await.expect_code(0);
    doctor().await.expect_code(0);

    let server = serve(&home).await;
    let expected = answers(&server).await;
    let refused = repair().await;
    let said = refused.expect_code(1);
    assert!(
        said.contains("used by a server; nothing was changed"),
        "{said}"
    );
    assert_eq!(answers(&server).await, expected);
    server.kill().await;
    // The lock ends with the process, however it ended.
    repair().await.expect_code(0);
}

#[tokio::test]
async fn an_index_that_is_ahead_of_a_restored_backup_is_noticed() {
    let home = Home::new();
    let import = |set| command(&home, &["import", "-"], set);
    import(record_set(2, 10)).await.expect_code(0);
    let backup = fs::read(home.database()).unwrap();
    import(record_set(1, SET)).await.expect_code(0);
    let repair = command(&home, &["doctor", "--repair"], String::new()).await;
    repair.expect_code(0);
    fs::write(home.database(), backup).unwrap();

    let doctor = command(&home, &["doctor"], String::new()).await;
    let said = doctor.expect_code(1);
    assert!(
        said.contains("up to write 2060, the database only to 10"),
        "{said}"
    );
    let server = serve(&home).await;
    assert!(server.log().contains("ahead of the database"));
    assert_eq!(server.wire.query("set1").await["total"], 0);
    assert_eq!(server.wire.query("set2").await["total"], 10);
}
