//! Databases that cannot be used: locked, full, corrupt. Answers contain no internals, the log says what
//! happened, and `doctor` says what to do.

use recall_kit_tests::{
    Home, Launch, Output, Server, Wire, experience, lock_database, run, server_command,
};
use serde_json::{Value, json};

#[tokio::test]
async fn a_corrupt_file_prevents_the_start_with_a_clear_message() {
    let home = Home::new();
    home.write(
        "data/recall-kit.db",
        "this is no database at all\n".repeat(500),
    );
    let output = Launch::new(&home).run().await;
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    let stderr = &output.stderr;
    assert!(stderr.contains("error: "), "{stderr}");
    assert!(stderr.contains("recall-kit.db"), "{stderr}");
    assert!(
        stderr.contains("not a database") || stderr.contains("corrupt"),
        "{stderr}"
    );
    assert!(stderr.contains("hint: "), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");

    let doctor = doctor(&home).await;
    assert_eq!(doctor.code, Some(1), "{}", doctor.stdout);
    let report = doctor.stdout.to_lowercase();
    assert!(report.contains("recall-kit.db"), "{report}");
    assert!(
        report.contains("backup") || report.contains("move"),
        "what to do: {report}"
    );
}

#[tokio::test]
async fn doctor_reports_a_sound_database_as_ok() {
    let home = Home::new();
    let server = Server::start(&home).await;
    server.wire.submit(experience("Healthy")).await;
    let output = doctor(&home).await;
    let report = output.expect_code(0);
    assert!(report.contains("recall-kit.db"), "{report}");
    server.stop().await;
    doctor(&home).await.expect_code(0);
}

#[tokio::test]
async fn a_locked_database_refuses_writes_and_recovers() {
    let home = Home::new();
    let server = Server::start(&home).await;
    server.wire.submit(experience("Before the lock")).await;
    let lock = lock_database(&home).await;
    check_refused(&server.wire, "Under the lock").await;
    assert_eq!(server.wire.query("before the lock").await["total"], 1);
    server.logged("lock").await;

    lock.release().await;
    server.wire.submit(experience("Behind the lock")).await;
    assert_eq!(server.wire.query("behind").await["total"], 1);
    assert_eq!(server.wire.query("under").await["total"], 0);
}

#[tokio::test]
async fn a_read_only_database_refuses_writes_and_answers_queries() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let id = server.wire.submit(experience("Written in time")).await;
    server.stop().await;
    home.open_to_all();
    home.make_database_read_only();

    let mut server = Launch::new(&home).unprivileged().start().await;
    check_refused(&server.wire, "Written too late").await;
    server.logged("readonly").await;
    let found = server.wire.query("written").await;
    assert_eq!(found["experiences"][0]["id"], id.as_str(), "{found}");
    assert_eq!(found["total"], 1);
    assert!(server.runs());
}

#[tokio::test]
async fn a_full_disk_refuses_writes_and_the_process_stays_up() {
    let home = Home::new();
    Server::start(&home).await.stop().await;
    let mut server = Launch::new(&home).largest_file_kib(1_500).start().await;
    let id = server
        .wire
        .submit(experience("Before the disk was full"))
        .await;
    let mut refused = Value::Null;
    for number in 0..50 {
        let mut record = experience(&format!("Fills the disk {number}"));
        record["problem_description"] = json!("many words ".repeat(20_000));
        let answer = server.wire.call("submit_experience", record).await;
        if answer["success"] == false {
            refused = answer;
            break;
        }
    }
    assert_without_internals(&refused);
    assert!(server.runs(), "{}", server.log());
    let found = server.wire.query("before disk full").await;
    assert_eq!(found["experiences"][0]["id"], id.as_str(), "{found}");
    server.kill().await;

    let server = Server::start(&home).await;
    let found = server.wire.query("before disk full").await;
    assert_eq!(found["experiences"][0]["id"], id.as_str(), "{found}");
    server.wire.submit(experience("There is room again")).await;
}

async fn check_refused(wire: &Wire, title: &str) {
    let answer = wire.call("submit_experience", experience(title)).await;
    assert_without_internals(&answer);
}

#[track_caller]
fn assert_without_internals(answer: &Value) {
    assert_eq!(answer["error"]["code"], "DATABASE_ERROR", "{answer}");
    let text = answer.to_string().to_lowercase();
    for internal in ["sqlite", "sqlx", "insert", "recall-kit.db", "busy", "code:"] {
        assert!(!text.contains(internal), "{internal} in {text}");
    }
}

async fn doctor(home: &Home) -> Output {
    run(server_command(home, &["doctor", "--embeddings", "off"]), "").await
}
