//! What becomes of a confirmed experience after each answer that a server, or a gateway before it, may
//! give: it is kept, and sent again or not, and what of the others that wait.

use recall_kit_tests::{Gateway, GatewayAnswer, Home, Server, client, run};
use serde_json::json;

use super::{
    MODES,
    away::{submit, waiting},
    play, share, stored, url,
};

/// One answer, and what follows.
struct Outcome {
    answer: GatewayAnswer,
    /// How often each of two that wait was tried after they were gone through.
    attempts: [u64; 2],
    /// Whether it is not sent again until a person looks.
    refused: bool,
}

const fn outcome(answer: GatewayAnswer, attempts: [u64; 2], refused: bool) -> Outcome {
    Outcome {
        answer,
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

/// The server does not have the tool, or does not understand the call.
const NO_SUCH_TOOL: GatewayAnswer = ok(
    JSON,
    r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"no such tool"}}"#,
);

const OUTCOMES: [Outcome; 10] = [
    // Too large is too large later too; the rest may be smaller.
    outcome(status(413), [2, 2], true),
    // A gateway that does not understand it, or wants a person to sign in.
    outcome(status(400), [2, 2], false),
    outcome(status(302), [2, 2], false),
    // Busy with this one is perhaps not busy with the next.
    outcome(status(429), [2, 2], false),
    // Who may not, may not with any.
    outcome(status(401), [2, 1], false),
    outcome(status(403), [2, 1], false),
    outcome(NO_SUCH_TOOL, [2, 2], true),
    // It broke down over this one.
    outcome(
        ok(
            JSON,
            r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"out of order"}}"#,
        ),
        [2, 2],
        false,
    ),
    // What answers is no answer.
    outcome(ok("text/html", "<h1>Sign in</h1>"), [2, 2], false),
    outcome(
        ok(
            JSON,
            r#"{"jsonrpc":"2.0","id":$id,"result":{"content":[],"structuredContent":{}}}"#,
        ),
        [2, 2],
        false,
    ),
];

#[tokio::test]
async fn every_answer_keeps_or_refuses_what_it_concerns_and_loses_nothing() {
    for Outcome {
        answer,
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
        let told = match refused {
            true => "it stays in the outbox",
            false => "it waits in the outbox",
        };
        assert!(said.contains(told), "{answer:?}: {said}");
        assert!(said.contains("hint: "), "{answer:?}: {said}");
        let kept = waiting(&home, &here).await;
        assert_eq!(kept.len(), 3, "{answer:?}");
        let newest = kept.iter().find(|one| one["title"] == "First hand");
        assert_eq!(newest.unwrap()["refused"], refused, "{answer:?}");

        // The server is itself again: what was not refused goes, once.
        gateway.now(None);
        flush().await.expect_code(0);
        let left = waiting(&home, &here).await.len();
        assert_eq!(left, if refused { 3 } else { 0 }, "{answer:?}");
        for title in ["Older", "Newer", "First hand"] {
            let number = stored(&server, title).await;
            assert_eq!(number, usize::from(!refused), "{answer:?}: {title}");
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

#[tokio::test]
async fn what_was_refused_stays_until_the_user_gives_it_up_or_agrees_to_another_text() {
    let yes = json!({"action": "accept", "content": {"answer": "confirm"}});
    let no = json!({"action": "accept", "content": {"answer": "cancel"}});
    let edit = json!({"action": "accept", "content": {"answer": "edit"}});
    let shorter = json!({"action": "accept", "content": {"title": "Made shorter"}});
    for mode in MODES {
        for (answers, status, left) in [
            (json!([yes, no]), "not_sent", 0),
            (json!([yes, {"action": "cancel"}]), "not_sent", 1),
            (json!([yes, "vanish"]), "", 1),
            (json!([yes, edit, shorter, yes]), "stored", 0),
        ] {
            let home = Home::new();
            let server = Server::start(&home).await;
            let here = url(&server);
            let script = json!({"elicitation": answers, "calls": [share(&"x".repeat(501))]});
            let seen = play(&home, &here, mode, &script).await;
            let listed = waiting(&home, &here).await;
            assert_eq!(listed.len(), left, "{answers}: {seen}");
            for one in &listed {
                assert_eq!(one["refused"], true, "{answers}: {one}");
            }
            if !status.is_empty() {
                let told = &seen["answers"][0]["data"];
                assert_eq!(told["status"], status, "{answers}: {seen}");
                let id = listed.first().map(|one| &one["id"]);
                assert_eq!(told.get("outbox_id"), id, "{answers}: {seen}");
            }
            let shortened = stored(&server, "Made shorter").await;
            assert_eq!(shortened, usize::from(status == "stored"), "{answers}");
        }
    }
}

#[tokio::test]
async fn an_agent_is_told_what_lies_in_the_outbox_and_what_to_do() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let gateway = Gateway::start(server.port()).await;
    // Sent unasked, nobody is there to change the text.
    let settings = json!({"autoSubmit": true, "promptOnSubmit": false}).to_string();
    let own = ".config/recall-kit/recall-kit-client.config.json";
    home.write(own, settings);
    for (number, (answer, status, hint)) in [
        (status(401), "kept", "for access"),
        (NO_SUCH_TOOL, "refused", "outbox edit"),
        (status(413), "refused", "outbox edit"),
    ]
    .into_iter()
    .enumerate()
    {
        gateway.now(Some(answer));
        let script = json!({"calls": [share("Nobody is asked")]});
        let seen = play(&home, &gateway.url(), MODES[0], &script).await;
        let answered = &seen["answers"][0];
        let told = &answered["data"];
        assert_eq!(told["status"], status, "{seen}");
        assert_eq!(answered["is_error"], status == "refused", "{seen}");
        assert!(told.to_string().contains(hint), "{seen}");
        let listed = waiting(&home, &gateway.url()).await;
        assert_eq!(listed.len(), number + 1, "{listed:?}");
        let its = listed.iter().find(|one| one["id"] == told["outbox_id"]);
        assert_eq!(its.unwrap()["refused"], status == "refused", "{seen}");
    }
}
