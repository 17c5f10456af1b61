//! Users of the web pages on the command line, and the link that creates the first of them.

use std::fs;

use recall_kit_tests::{Home, Launch, Output, run, server_command};
use serde_json::{Value, json};

const LINK: &str = "set up the web pages: ";

async fn users(home: &Home, args: &[&str], input: &str) -> Output {
    run(server_command(home, &[&["users"], args].concat()), input).await
}

/// A password line built from the name, so that no text here looks like a real password.
fn password_line(name: &str) -> String {
    format!("{name} knows it by heart\n")
}

async fn create(home: &Home, name: &str, more: &[&str]) -> Output {
    let args = [&["create", name, "--password-stdin"][..], more].concat();
    users(home, &args, &password_line(name)).await
}

async fn listed(home: &Home) -> Vec<Value> {
    let listed = users(home, &["list", "--json"], "").await;
    serde_json::from_str(listed.expect_code(0)).unwrap()
}

#[tokio::test]
async fn users_are_created_listed_and_changed() {
    let home = Home::new();
    let empty = users(&home, &["list"], "").await;
    assert_eq!(empty.expect_code(0), "");
    assert!(empty.stderr.contains("users create"), "{}", empty.stderr);
    create(&home, "ada", &["--role", "admin"])
        .await
        .expect_code(0);
    let limit = ["--role", "writer", "--project", "Shop", "--project", "shop"];
    let made = create(&home, "Zoë", &limit).await;
    assert_eq!(made.expect_code(0), "");
    assert!(made.stderr.contains("limited to Shop"), "{}", made.stderr);

    users(&home, &["disable", "ZOË"], "").await.expect_code(0);
    let records = listed(&home).await;
    let fields = ["name", "role", "projects", "state"];
    let shown: Vec<Value> = records
        .iter()
        .map(|user| fields.iter().map(|field| user[field].clone()).collect())
        .collect();
    assert_eq!(
        shown,
        [
            json!(["ada", "admin", null, "active"]),
            json!(["Zoë", "writer", ["Shop"], "disabled"]),
        ]
    );
    users(&home, &["enable", "zoë"], "").await.expect_code(0);
    assert_eq!(listed(&home).await[1]["state"], "active");
    let new = ["password", "zoë", "--password-stdin"];
    users(&home, &new, "another one that is long enough\n")
        .await
        .expect_code(0);

    for (args, input, words) in [
        (
            &["create", "ADA", "--role", "reader", "--password-stdin"][..],
            "long enough for one\n",
            "already",
        ),
        (
            &["create", "eve", "--role", "reader", "--password-stdin"],
            "too short\n",
            "12 to 200",
        ),
        (
            &["create", "eve", "--role", "reader"],
            "",
            "--password-stdin",
        ),
        (
            &[
                "create",
                "eve",
                "--role",
                "admin",
                "--project",
                "a",
                "--password-stdin",
            ],
            "long enough for one\n",
            "limited",
        ),
        (&["disable", "ada"], "", "only administrator"),
        (&["enable", "nobody"], "", "users list"),
    ] {
        let refused = users(&home, args, input).await;
        assert_eq!(refused.code, Some(1), "{args:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
        let password = input.trim();
        assert!(
            password.is_empty() || !refused.stderr.contains(password),
            "{args:?}"
        );
    }
    assert_eq!(listed(&home).await.len(), 2);
    let stored = data_files(&home);
    assert!(stored.contains("Zoë"), "the right files are searched");
    assert!(!stored.contains("knows it by heart"));
}

/// Returns the text of every file in the server's data directory.
fn data_files(home: &Home) -> String {
    let files = fs::read_dir(home.data_dir()).unwrap().flatten();
    let files = files.filter(|file| file.path().is_file());
    let texts = files.map(|file| fs::read(file.path()).unwrap());
    texts
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

#[tokio::test]
async fn the_server_prints_the_set_up_link_until_there_is_an_administrator() {
    let home = Home::new();
    let trace = ["--log-level", "trace"];
    let server = Launch::new(&home).args(&trace).start().await;
    let line = server.logged(LINK).await;
    let url = line.split(LINK).nth(1).unwrap().trim();
    let path = url.strip_prefix(server.wire.base()).unwrap();
    let token = path.strip_prefix("/set-up/").unwrap();
    assert_eq!(token.len(), 43, "{line}");
    // Whatever the answer is, no log line about the request contains the token.
    server.wire.get(path).await;
    assert_eq!(server.stop().await.matches(token).count(), 1);
    let stored = data_files(&home);
    assert!(
        stored.contains("SQLite format 3"),
        "the database is among it"
    );
    assert!(!stored.contains(token));

    let again = Launch::new(&home).start().await;
    let other = again.logged(LINK).await;
    assert!(!other.contains(token), "{other}");
    drop(again);
    create(&home, "reader", &["--role", "reader"])
        .await
        .expect_code(0);
    let still = Launch::new(&home).start().await;
    still.logged(LINK).await;
    drop(still);
    create(&home, "ada", &["--role", "admin"])
        .await
        .expect_code(0);
    let done = Launch::new(&home).start().await;
    assert!(!done.stop().await.contains(LINK));
}
