//! What happens to a confirmed experience after each answer that a server, or a gateway in front of it, may
//! give: it is kept, and either sent again or not. Also what happens to the other entries of the outbox.

use recall_kit_tests::{Gateway, GatewayAnswer, Home, Server, client, run};
use serde_json::json;

use super::{
    MODES,
    away::{submit, waiting},
    play, share, stored, url,
};

/// One answer, and what must follow.
struct Outcome {
    answer: GatewayAnswer,
    /// The number of attempts for each of two waiting entries after one more flush.
    attempts: [u64; 2],
    /// Whether the entry counts as refused: it is not sent again until the user edits it.
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

/// The error of a server that does not have the tool, or does not understand the call.
const NO_SUCH_TOOL: GatewayAnswer = ok(
    JSON,
    r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"no such tool"}}"#,
);

const OUTCOMES: [Outcome; 10] = [
    // A body that is too large stays too large; the next entry may be smaller.
    outcome(status(413), [2, 2], true),
    // A gateway that does not understand the request, or wants a person to sign in.
    outcome(status(400), [2, 2], false),
    outcome(status(302), [2, 2], false),
    // A server that is too busy for this entry may have time for the next one.
    outcome(status(429), [2, 2], false),
    // Without permission every other entry would be refused as well, so the next one is not sent.
    outcome(status(401), [2, 1], false),
    outcome(status(403), [2, 1], false),
    outcome(NO_SUCH_TOOL, [2, 2], true),
    // The server failed on this entry.
    outcome(
        ok(
            JSON,
            r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"out of order"}}"#,
        ),
        [2, 2],
        false,
    ),
    // The answer is not one of a RecallKit server.
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
async fn no_answer_of_a_server_or_gateway_loses_an_experience() {
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
        gateway.set_answer(Some(status(500)));
        for title in ["Older", "Newer"] {
            submit(&home, &here, title).await.expect_code(1);
        }

        gateway.set_answer(Some(answer));
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
        let direct = submit(&home, &here, "First hand").await;
        direct.expect_code(1);
        let stderr = direct.stderr;
        let expected = match refused {
            true => "it stays in the outbox",
            false => "it waits in the outbox",
        };
        assert!(stderr.contains(expected), "{answer:?}: {stderr}");
        assert!(stderr.contains("hint: "), "{answer:?}: {stderr}");
        let entries = waiting(&home, &here).await;
        assert_eq!(entries.len(), 3, "{answer:?}");
        let newest = entries.iter().find(|one| one["title"] == "First hand");
        assert_eq!(newest.unwrap()["refused"], refused, "{answer:?}");

        // The gateway passes requests on again: entries that were not refused are sent once.
        gateway.set_answer(None);
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
async fn an_experience_that_is_too_large_is_shown_again_for_editing() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let gateway = Gateway::start(server.port()).await;
    gateway.set_answer(Some(status(413)));
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
async fn a_refused_experience_stays_until_the_user_drops_it_or_confirms_an_edited_text() {
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
                let result = &seen["answers"][0]["data"];
                assert_eq!(result["status"], status, "{answers}: {seen}");
                let id = listed.first().map(|one| &one["id"]);
                assert_eq!(result.get("outbox_id"), id, "{answers}: {seen}");
            }
            let shortened = stored(&server, "Made shorter").await;
            assert_eq!(shortened, usize::from(status == "stored"), "{answers}");
        }
    }
}

#[tokio::test]
async fn the_agent_learns_what_is_in_the_outbox_and_what_to_do() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let gateway = Gateway::start(server.port()).await;
    // The experience is sent without asking, so nobody can change the text.
    let settings = json!({"autoSubmit": true, "promptOnSubmit": false}).to_string();
    let own = ".config/recall-kit/recall-kit-client.config.json";
    home.write(own, settings);
    for (number, (answer, status, hint)) in [
        (status(401), "kept", "stores the key"),
        (NO_SUCH_TOOL, "refused", "outbox edit"),
        (status(413), "refused", "outbox edit"),
    ]
    .into_iter()
    .enumerate()
    {
        gateway.set_answer(Some(answer));
        let script = json!({"calls": [share("Nobody is asked")]});
        let seen = play(&home, &gateway.url(), MODES[0], &script).await;
        let answered = &seen["answers"][0];
        let result = &answered["data"];
        assert_eq!(result["status"], status, "{seen}");
        assert_eq!(answered["is_error"], status == "refused", "{seen}");
        assert!(result.to_string().contains(hint), "{seen}");
        let listed = waiting(&home, &gateway.url()).await;
        assert_eq!(listed.len(), number + 1, "{listed:?}");
        let its = listed.iter().find(|one| one["id"] == result["outbox_id"]);
        assert_eq!(its.unwrap()["refused"], status == "refused", "{seen}");
    }
}
