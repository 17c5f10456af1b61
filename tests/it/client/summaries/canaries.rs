//! Secrets and personal strings planted all over a conversation: none of them leaves, none is kept.

use recall_kit_tests::{AiAnswer, AiEndpoint, Home, Server, run};
use serde_json::{Value, json};

use super::{TOLD, WRITTEN, configure, to};
use crate::client::canaries::{Canary, KINDS, check_known, planted};

/// Returns a conversation that has all of it.
pub(crate) fn told(planted: &[Canary]) -> String {
    let mut told = TOLD.to_owned();
    for (n, Canary { line, secrets, .. }) in planted.iter().enumerate() {
        let role = if n % 2 == 0 { "User" } else { "Assistant" };
        let secret = &secrets[0];
        told.push_str(&format!("{role}: and then\n{line}\n"));
        // What was given away once is known everywhere.
        if n % 5 == 0 && secret.len() > 12 {
            told.push_str(&format!("{role}: as I said, {secret} it was\n"));
        }
    }
    told
}

#[tokio::test]
async fn no_planted_string_reaches_model_server_log_or_disk() {
    let answers = [
        &[AiAnswer::Say(WRITTEN.to_owned())][..],
        &[AiAnswer::Fail(500, Some(0), "")],
    ];
    let server_home = Home::new();
    let server = Server::start(&server_home).await;
    for kind in KINDS {
        let planted = planted(kind);
        let told = told(&planted);
        for answers in answers {
            let seen = submitted(&server, &told, answers).await;
            check_known(kind, &planted, &seen);
        }
    }
    let home = Home::new();
    let args = ["submit", "--yes", "--from-conversation", "-"];
    let commands = KINDS.map(|kind| (kind, to(&home, &server, &args)));
    server.stop().await;
    for (kind, command) in commands {
        let planted = planted(kind);
        let output = run(command, told(&planted)).await;
        assert!(output.stderr.contains("outbox"), "{output:?}");
        check_known(kind, &planted, &[kept(&home)]);
    }
}

/// What was seen of a conversation that was submitted: by the model, in the store, in logs.
async fn submitted(server: &Server, told: &str, answers: &[AiAnswer]) -> [String; 5] {
    let home = Home::new();
    let endpoint = AiEndpoint::start(answers).await;
    configure(&home, endpoint.settings(json!({"contextWindow": 60_000})));
    let args = ["-vv", "submit", "--yes", "--from-conversation", "-"];
    let output = run(to(&home, server, &args), told).await;
    output.expect_code(0);
    let asked = endpoint.asked();
    let bodies: Vec<String> = asked.iter().map(|(_, body)| body.to_string()).collect();
    assert!(!bodies.is_empty(), "the model is asked");
    assert!(
        bodies.iter().all(|body| body.contains("and then")),
        "the model is shown it"
    );
    let stored = server.wire.all("npm ERESOLVE", 50).await;
    assert!(!stored.is_empty(), "it is stored");
    let stored = Value::from_iter(stored);
    [
        bodies.concat(),
        stored.to_string(),
        output.stdout,
        output.stderr,
        server.log(),
    ]
}

/// What lies on disk of conversations that were confirmed while the server was away.
fn kept(home: &Home) -> String {
    let folder = home.path().join(".local/share/recall-kit/outbox");
    let files = std::fs::read_dir(folder).unwrap();
    let texts = files.map(|file| std::fs::read(file.unwrap().path()).unwrap_or_default());
    let texts: Vec<_> = texts
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    let text = texts.concat();
    assert!(
        text.contains("ERESOLVE"),
        "nothing was kept, or not as it is"
    );
    text
}
