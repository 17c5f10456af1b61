//! Takes the pictures of the web pages in `docs/pictures`, on a server with presentable records: run with
//! `tests/run screenshots`. Not one of the normal tests, since it writes into the source tree.

use std::path::Path;

use recall_kit_tests::{
    Home, Launch, Server, Visitor, make_key, make_user, password_of, python, run, run_browser_flow,
    server_command,
};
use serde_json::json;

/// The maximum size of a picture in bytes.
const MOST_BYTES: u64 = 250_000;

/// Documentation of three small libraries: name, version, text.
const LIBRARIES: [(&str, &str, &str); 3] = [
    (
        "Axum",
        "0.8",
        "# Axum\n\nA web framework in Rust.\n\n## Routing\n\nA router leads from a path to a handler.\n\n\
         ```rust\nlet app = Router::new().route(\"/\", get(handler));\n```\n",
    ),
    (
        "Gin",
        "v1.11",
        "# Gin\n\nA web framework in Go.\n\n## Middleware\n\nMiddleware runs around handlers.\n\n\
         ```go\nr := gin.Default()\nr.Use(gin.Logger())\n```\n",
    ),
    (
        "Docker Compose",
        "latest",
        "# Compose\n\nServices of one application.\n\n## Volumes\n\nA named volume outlives its containers.\n\n\
         ```yaml\nvolumes:\n  data: {}\n```\n",
    ),
];

/// Starts a server with records, libraries, users, and weeks of queries.
async fn shown(home: &Home) -> Server {
    let records = python(home, "demo.py", &["records"]).await;
    let import = server_command(home, &["import", "-"]);
    run(import, records.expect_code(0)).await.expect_code(0);
    for (name, version, text) in LIBRARIES {
        home.write(&format!("{name}/README.md"), text);
        let args = ["ingest", name, name, "--version", version];
        run(server_command(home, &args), "").await.expect_code(0);
    }
    let database = home.database();
    let args = ["questions", &*database.to_string_lossy()];
    python(home, "demo.py", &args).await.expect_code(0);
    make_user(home, "ada", "admin", &[]).await;
    make_user(home, "grace", "writer", &["shop"]).await;
    make_key(home, "build-agent", "write").await;
    let server = Launch::new(home).start().await;
    let mut ada = Visitor::signed_in(&server, "ada").await;
    let key = [
        ("name", "review-agent"),
        ("scope", "read"),
        ("expires", "90d"),
    ];
    let made = ada.fill_in("/keys", "/keys", &key).await;
    assert_eq!(made.status, 200, "{}", made.text);
    server
}

#[tokio::test]
async fn pictures_of_the_pages_are_taken() {
    let home = Home::new();
    let server = shown(&home).await;
    let found = server.wire.query("docker volume is empty").await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let parameters = json!({
        "experience": found["experiences"][0]["id"],
        "folder": folder,
        "password": password_of("ada"),
    });
    let url = server.wire.base();
    run_browser_flow(&home, "pictures.mjs", "pictures", url, &parameters).await;
    let pictures = std::fs::read_dir(&folder).unwrap();
    let sizes: Vec<_> = pictures
        .map(|picture| picture.unwrap())
        .map(|picture| (picture.file_name(), picture.metadata().unwrap().len()))
        .collect();
    assert_eq!(sizes.len(), 8, "{sizes:?}");
    assert!(
        sizes.iter().all(|(_, bytes)| *bytes < MOST_BYTES),
        "{sizes:?}"
    );
}
