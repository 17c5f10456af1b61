//! Secrets and personal strings planted all over a conversation: none of them is sent or stored.

use recall_kit_tests::{AiAnswer, AiEndpoint, Home, Server, run};
use serde_json::{Value, json};

use super::{CONVERSATION, SUMMARY, configure, to};
use crate::client::canaries::{Canary, KINDS, check, planted};

/// Returns a conversation that contains all the planted strings.
pub(crate) fn conversation_with(planted: &[Canary]) -> String {
    let mut text = CONVERSATION.to_owned();
    for (n, Canary { line, secrets, .. }) in planted.iter().enumerate() {
        let role = if n % 2 == 0 { "User" } else { "Assistant" };
        let secret = &secrets[0];
        text.push_str(&format!("{role}: and then\n{line}\n"));
        // A longer secret is found again wherever it occurs, also without the text around it.
        if n % 5 == 0 && secret.len() > 12 {
            text.push_str(&format!("{role}: as I said, {secret} it was\n"));
        }
    }
    text
}

#[tokio::test]
async fn no_planted_string_reaches_model_server_log_or_disk() {
    let answers = [
        &[AiAnswer::Say(SUMMARY.to_owned())][..],
        &[AiAnswer::Fail(500, Some(0), "")],
    ];
    let server_home = Home::new();
    let server = Server::start(&server_home).await;
    for kind in KINDS {
        let planted = planted(kind);
        let conversation = conversation_with(&planted);
        for answers in answers {
            let seen = submitted(&server, &conversation, answers).await;
            check(kind, &planted, &seen);
        }
    }
    let home = Home::new();
    let args = ["submit", "--yes", "--from-conversation", "-"];
    let commands = KINDS.map(|kind| (kind, to(&home, &server, &args)));
    server.stop().await;
    for (kind, command) in commands {
        let planted = planted(kind);
        let output = run(command, conversation_with(&planted)).await;
        assert!(output.stderr.contains("outbox"), "{output:?}");
        check(kind, &planted, &[outbox_text(&home)]);
    }
}

/// Submits the conversation; returns every place where a planted string could appear: the model's requests, the
/// stored records, stdout, stderr and the server's log.
async fn submitted(server: &Server, conversation: &str, answers: &[AiAnswer]) -> [String; 5] {
    let home = Home::new();
    let endpoint = AiEndpoint::start(answers).await;
    configure(&home, endpoint.settings(json!({"contextWindow": 60_000})));
    let args = ["-vv", "submit", "--yes", "--from-conversation", "-"];
    let output = run(to(&home, server, &args), conversation).await;
    output.expect_code(0);
    let requests = endpoint.requests();
    let bodies: Vec<String> = requests.iter().map(|(_, body)| body.to_string()).collect();
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

/// Returns the files of the outbox, which holds conversations confirmed while the server was away.
fn outbox_text(home: &Home) -> String {
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
