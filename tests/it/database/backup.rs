//! `recall-kit-server backup` and `restore`: a backup contains everything acknowledged before it, and neither
//! command overwrites existing data without `--force`.

use std::fs;

use recall_kit_tests::{
    Home, MixedLoad, Output, Server, experience, make_key, run, server_command,
};
use serde_json::Value;

async fn server(home: &Home, args: &[&str]) -> Output {
    run(server_command(home, args), "").await
}

async fn export(home: &Home) -> String {
    server(home, &["export", "-"])
        .await
        .expect_code(0)
        .to_owned()
}

/// Parses the records of an export, without its header.
fn records(export: &str) -> Vec<Value> {
    let lines = export.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_made_under_load_is_complete_and_restorable() {
    let (home, elsewhere) = (Home::new(), Home::new());
    let running = Server::start(&home).await;
    let _key = make_key(&home, "kept", "read").await;
    let load = MixedLoad::start(4, vec![running.wire.base().to_owned()]);
    load.acknowledged(60).await;
    let before = running.wire.submit(experience("Acknowledged before")).await;
    let file = home.path().join("copy.db");
    let path = file.to_string_lossy().into_owned();
    let made = server(&home, &["backup", &path]).await;
    let report = made.expect_code(0);
    assert!(
        report.contains(" experiences, ") && report.contains("1 API keys"),
        "{report}"
    );
    load.acknowledged(20).await;
    load.stop().await;

    let again = server(&home, &["backup", &path]).await;
    again.expect_code(1);
    assert!(
        again
            .stderr
            .contains("is there already; give another name, or --force"),
        "{again:?}"
    );
    server(&elsewhere, &["restore", &path]).await.expect_code(0);
    let restored = export(&elsewhere).await;
    assert!(restored.contains(&before), "acknowledged before the backup");
    // Every record of the backup is in the database, which has more by now. Only ids are compared, since query
    // counts went on meanwhile.
    let now = export(&home).await;
    let (then, now) = (records(&restored), records(&now));
    assert!(
        then.len() >= 61 && then.len() < now.len(),
        "{} of {}",
        then.len(),
        now.len()
    );
    for record in &then {
        assert!(now.iter().any(|one| one["id"] == record["id"]), "{record}");
    }
    let copy = Home::new();
    let address = format!("sqlite:{path}");
    let export_of_copy = server(&copy, &["export", "-", "--database", &address]).await;
    assert_eq!(
        export_of_copy.expect_code(0),
        restored,
        "restored is what the backup holds"
    );
    let doctor = server(&elsewhere, &["doctor"]).await;
    doctor.expect_code(0);
    running.stop().await;
    server(&home, &["backup", &path, "--force"])
        .await
        .expect_code(0);

    // Restored over a database that was written to since: the later records are gone, also from the index.
    server(&elsewhere, &["restore", &path, "--force"])
        .await
        .expect_code(0);
    let later = Server::start(&elsewhere).await;
    later
        .wire
        .submit(experience("Written after the backup"))
        .await;
    later.stop().await;
    server(&elsewhere, &["restore", &path, "--force"])
        .await
        .expect_code(0);
    let later = Server::start(&elsewhere).await;
    assert_eq!(
        later
            .wire
            .titles("written after the backup")
            .await
            .iter()
            .filter(|title| title.contains("Written after"))
            .count(),
        0
    );
    let found = later.wire.titles("acknowledged before").await;
    assert!(
        found.contains(&"Acknowledged before".to_owned()),
        "{found:?}"
    );
    later.stop().await;
    let left = fs::read_dir(elsewhere.data_dir()).unwrap().flatten();
    let left: Vec<String> = left
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.contains("before-restore") && !name.starts_with(".tmp")),
        "{left:?}"
    );
}

#[tokio::test]
async fn existing_data_is_not_overwritten_by_mistake() {
    let (home, other) = (Home::new(), Home::new());
    let running = Server::start(&home).await;
    running.wire.submit(experience("Docker is slow")).await;
    let good = other.path().join("good.db");
    let good = good.to_string_lossy().into_owned();
    server(&home, &["backup", &good]).await.expect_code(0);
    let expected_export = export(&home).await;

    // Refused: a good file while a server runs, a file with damaged pages, a truncated file, and a text file.
    let bytes = fs::read(&good).unwrap();
    let mut torn = bytes.clone();
    let middle = torn.len() / 2 / 4096 * 4096;
    torn[middle..middle + 4096].fill(0xa5);
    let torn = other.write("torn.db", torn).to_string_lossy().into_owned();
    let cut = other
        .write("cut.db", &bytes[..bytes.len() / 3])
        .to_string_lossy()
        .into_owned();
    let text = other
        .write("notes.txt", "no database\n".repeat(1000))
        .to_string_lossy()
        .into_owned();
    let in_use = "a server or another program uses it; stop that first";
    for (file, words) in [
        (&good, in_use),
        (&torn, "damaged"),
        (&cut, "damaged"),
        (&text, "not a RecallKit database"),
    ] {
        let refused = server(&home, &["restore", file, "--force"]).await;
        refused.expect_code(1);
        assert!(refused.stderr.contains(words), "{file}: {}", refused.stderr);
    }
    running.wire.submit(experience("Still at work")).await;
    running.stop().await;
    for (file, words) in [
        (&good, "is there already; give another name, or --force"),
        (&"none.db".to_owned(), "there is no file none.db"),
    ] {
        let refused = server(&home, &["restore", file]).await;
        refused.expect_code(1);
        assert!(refused.stderr.contains(words), "{file}: {}", refused.stderr);
    }
    assert_eq!(records(&export(&home).await).len(), 2);

    // Restoring over a damaged database is allowed, since that is what a backup is for.
    fs::write(home.database(), "torn".repeat(5000)).unwrap();
    server(&home, &["restore", &good, "--force"])
        .await
        .expect_code(0);
    assert_eq!(export(&home).await, expected_export);

    let postgres = "postgres://me@127.0.0.1:1/x";
    for command in [
        &["backup", "x.db", "--database", postgres][..],
        &["restore", &good, "--database", postgres],
    ] {
        let refused = server(&home, command).await;
        refused.expect_code(1);
        assert!(
            refused.stderr.contains("pg_dump")
                && refused.stderr.contains("docs/operations/backup.md"),
            "{refused:?}"
        );
    }
}
