//! What becomes of a confirmed experience after each answer that a server, or a gateway before it, may
//! give: who keeps it, who sends it again, and what of the others that wait.

use recall_kit_tests::{Gateway, GatewayAnswer, Home, Server, client, run};
use serde_json::json;

use super::{
    MODES,
    away::{submit, waiting},
    play, share, stored,
};

/// One answer, and what follows.
struct Outcome {
    answer: GatewayAnswer,
    /// Whether a submission that hears it is kept for later.
    is_kept: bool,
    /// How often each of two that wait was tried after they were gone through.
    attempts: [u64; 2],
    /// Whether they are given up until a person looks.
    refused: bool,
}

const fn outcome(
    answer: GatewayAnswer,
    is_kept: bool,
    attempts: [u64; 2],
    refused: bool,
) -> Outcome {
    Outcome {
        answer,
        is_kept,
        attempts,
        refused,
    }
}

const fn status(status: u16) -> GatewayAnswer {
    GatewayAnswer {
        status,
        content_type: "text/plain",
        body: "",
    }
}

const fn ok(content_type: &'static str, body: &'static str) -> GatewayAnswer {
    GatewayAnswer {
        status: 200,
        content_type,
        body,
    }
}

const JSON: &str = "application/json";

const OUTCOMES: [Outcome; 10] = [
    // Too large is too large later too; the rest may be smaller.
    outcome(status(413), false, [2, 2], true),
    // A gateway that does not understand it, or wants a person to sign in.
    outcome(status(400), true, [2, 2], false),
    outcome(status(302), true, [2, 2], false),
    // Busy with this one is perhaps not busy with the next.
    outcome(status(429), true, [2, 2], false),
    // Who may not, may not with any.
    outcome(status(401), false, [2, 1], false),
    outcome(status(403), false, [2, 1], false),
    // It does not have the tool, or does not understand the call.
    outcome(
        ok(
            JSON,
            r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"no such tool"}}"#,
        ),
        false,
        [2, 2],
        true,
    ),
    // It broke down over this one.
    outcome(
        ok(
            JSON,
            r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"out of order"}}"#,
        ),
        true,
        [2, 2],
        false,
    ),
    // What answers is no answer.
    outcome(ok("text/html", "<h1>Sign in</h1>"), true, [2, 2], false),
    outcome(
        ok(
            JSON,
            r#"{"jsonrpc":"2.0","id":$id,"result":{"content":[],"structuredContent":{}}}"#,
        ),
        true,
        [2, 2],
        false,
    ),
];

#[tokio::test]
async fn every_answer_keeps_or_refuses_what_it_concerns_and_loses_nothing() {
    for Outcome {
        answer,
        is_kept,
        attempts,
        refused,
    } in OUTCOMES
    {
        let home = Home::new();
        let server = Server::start(&home).await;
        let gateway = Gateway::start(server.port()).await;
        let here = gateway.url();
        let flush = || run(client(&home, &["--server", &here, "outbox", "flush"]), "");
        gateway.now(Some(status(500)));
        for title in ["Older", "Newer"] {
            submit(&home, &here, title).await.expect_code(1);
        }

        gateway.now(Some(answer));
        flush().await.expect_code(1);
        let listed = waiting(&home, &here).await;
        let tried: Vec<_> = listed.iter().map(|one| &one["attempts"]).collect();
        assert_eq!(
            tried,
            [&json!(attempts[0]), &json!(attempts[1])],
            "{answer:?}"
        );
        for one in &listed {
            assert_eq!(one["refused"], refused, "{answer:?}: {one}");
        }
        let first_hand = submit(&home, &here, "First hand").await;
        first_hand.expect_code(1);
        let said = first_hand.stderr;
        assert_eq!(
            said.contains("it waits in the outbox"),
            is_kept,
            "{answer:?}: {said}"
        );
        assert!(said.contains("hint: "), "{answer:?}: {said}");
        let kept = waiting(&home, &here).await.len();
        assert_eq!(kept, 2 + usize::from(is_kept), "{answer:?}");

        // The server is itself again: what was not refused goes, once.
        gateway.now(None);
        flush().await.expect_code(0);
        let left = waiting(&home, &here).await.len();
        assert_eq!(left, if refused { 2 } else { 0 }, "{answer:?}");
        for (title, is_sent) in [
            ("Older", !refused),
            ("Newer", !refused),
            ("First hand", is_kept),
        ] {
            let number = stored(&server, title).await;
            assert_eq!(number, usize::from(is_sent), "{answer:?}: {title}");
        }
    }
}

#[tokio::test]
async fn what_is_too_large_is_shown_again_to_be_shortened() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let gateway = Gateway::start(server.port()).await;
    gateway.now(Some(status(413)));
    let answers = [
        json!({"action": "accept", "content": {"answer": "confirm"}}),
        json!({"action": "decline"}),
    ];
    let script = json!({"elicitation": answers, "calls": [share("Too large")]});
    let seen = play(&home, &gateway.url(), MODES[0], &script).await;
    let again = seen["questions"][1]["message"].as_str();
    let again = again.unwrap_or_else(|| panic!("it is not shown again: {seen}"));
    assert!(again.contains("413"), "{again}");
    assert_eq!(seen["answers"][0]["data"]["reason"], "declined", "{seen}");
    assert!(waiting(&home, &gateway.url()).await.is_empty());
}
