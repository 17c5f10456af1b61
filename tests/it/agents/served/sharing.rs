//! Sharing: nothing is sent before the user confirms, and exactly the shown text is sent.

use recall_kit_tests::{Home, Server, run, server_command};
use serde_json::{Value, json};

use super::{MODES, play, share, stored, token, url};

fn accept(answer: &str) -> Value {
    json!({"action": "accept", "content": {"answer": answer}})
}

#[tokio::test]
async fn the_shown_text_is_stored_after_the_user_confirms() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for mode in MODES {
        let title = format!("Publishing fails in {mode}");
        let calls = json!([
            {"tool": "query_experiences", "arguments": {"keywords": title}},
            share(&title),
            {"tool": "query_experiences", "arguments": {"keywords": title, "limit": 1}},
        ]);
        let script = json!({"elicitation": [accept("confirm")], "calls": calls});
        let seen = play(&home, &url(&server), mode, &script).await;
        assert!(!seen.to_string().contains(&token()), "{seen}");

        let shown = seen["questions"][0]["message"].as_str().unwrap();
        for part in [title.as_str(), "cargo publish", "Removed: 1 × "] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let answered = &seen["answers"][1]["data"];
        assert_eq!(answered["status"], "stored", "{seen}");
        let found = &seen["answers"][2]["data"];
        assert_eq!(
            (&found["found"], &found["count"]),
            (&json!(true), &json!(1))
        );
        let record = &found["experiences"][0];
        assert_eq!(record["id"], answered["id"], "{seen}");
        assert_eq!(record["keywords"], json!(["cargo", "publish"]));
        assert_eq!(stored(&server, &title).await, 1, "{mode}");
    }
}

#[tokio::test]
async fn the_user_learns_that_something_like_it_is_there() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let script = json!({
        "elicitation": [accept("confirm"), accept("cancel")],
        "calls": [share("Publishing fails behind a proxy"), share("Publishing fails behind a proxy")],
    });
    let seen = play(&home, &url(&server), MODES[0], &script).await;
    let shown = |number: usize| seen["questions"][number]["message"].as_str().unwrap();
    let resembles = "there is something like it already: Publishing fails behind a proxy";
    assert!(!shown(0).contains(resembles), "{seen}");
    assert!(shown(1).contains(resembles), "{seen}");
}

#[tokio::test]
async fn an_edited_text_needs_another_confirmation() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for mode in MODES {
        let title = format!("Edited by hand in {mode}");
        // Text that a person types is sanitized as well.
        let edited = json!({"action": "accept", "content": {
            "title": title,
            "solution": format!("export TOKEN={}", token()),
        }});
        let answers = [accept("edit"), edited, accept("confirm")];
        let script = json!({"elicitation": answers, "calls": [share("Before it was edited")]});
        let seen = play(&home, &url(&server), mode, &script).await;
        let form = &seen["questions"][1]["schema"]["properties"];
        assert_eq!(form["title"]["default"], "Before it was edited", "{seen}");
        let again = seen["questions"][2]["message"].as_str().unwrap();
        assert!(again.contains(&title), "{again}");
        assert!(!again.contains(&token()), "{again}");
        assert_eq!(seen["answers"][0]["data"]["status"], "stored", "{seen}");
        assert_eq!(stored(&server, &title).await, 1, "{mode}");
        assert_eq!(stored(&server, "Before it was edited").await, 0, "{mode}");
    }
}

/// Returns where the record with a title is said to apply.
async fn applies(home: &Home, server: &Server, title: &str) -> Value {
    let found = server.wire.query(title).await;
    let id = found["experiences"][0]["id"].as_str().unwrap().to_owned();
    let shown = run(server_command(home, &["records", "show", &id]), "").await;
    let shown: Value = serde_json::from_str(shown.expect_code(0)).unwrap();
    shown["applies"].clone()
}

#[tokio::test]
async fn the_user_sees_and_changes_the_versions() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let stated =
        |range: &str| json!([{"purl": "pkg:npm/react", "range": range, "source": "stated"}]);
    for mode in MODES {
        let title = format!("Rendering stops in {mode}");
        let mut call = share(&title);
        call["arguments"]["problem_description"] = json!("react 18 renders nothing");
        let lines = |lines: &str| json!({"action": "accept", "content": {"applies_to": lines}});
        let answers = [
            accept("edit"),
            lines("npm react >2 <1"),
            accept("edit"),
            lines("npm react <19"),
            accept("confirm"),
        ];
        let script = json!({"elicitation": answers, "calls": [call]});
        let seen = play(&home, &url(&server), mode, &script).await;
        let question = |number: usize| seen["questions"][number]["message"].as_str().unwrap();
        assert!(question(0).contains("Applies to: npm react 18"), "{seen}");
        let form = &seen["questions"][1]["schema"]["properties"];
        assert_eq!(form["applies_to"]["default"], "npm react 18", "{seen}");
        let hint = form["applies_to"]["description"].as_str().unwrap();
        assert!(
            hint.contains("“none” says that no version matters"),
            "{hint}"
        );
        let problem = "`npm react >2 <1` cannot be read: no version is in the range `>2 <1`";
        assert!(question(2).contains(problem), "{seen}");
        assert!(question(4).contains("Applies to: npm react <19"), "{seen}");
        assert_eq!(seen["answers"][0]["data"]["status"], "stored", "{seen}");
        let found = applies(&home, &server, &title).await;
        assert_eq!(found, stated("vers:npm/<19"), "{mode}");
    }
    // An agent that shows the preview itself passes the changes on, or states them at once.
    let title = "Rendering stops for an agent";
    let mut call = share(title);
    call["arguments"]["applies_to"] = json!("npm react 17");
    let confirm = |arguments: Value| json!({"tool": "confirm_experience", "arguments": arguments});
    let edit = |lines: &str| {
        confirm(json!({"draft_id": "$draft_id", "answer": "edit", "applies_to": lines}))
    };
    let yes = confirm(json!({"draft_id": "$draft_id", "answer": "confirm"}));
    let wrong = json!({"calls": [&call, edit("foo bar 1")]});
    let wrong = play(&home, &url(&server), MODES[0], &wrong).await;
    let message = wrong["answers"][1]["data"]["error"]["message"].as_str();
    let message = message.unwrap();
    assert!(
        message.contains("`foo` is not a known ecosystem"),
        "{message}"
    );
    let calls = json!({"calls": [call, edit("npm react 16"), yes]});
    let seen = play(&home, &url(&server), MODES[0], &calls).await;
    let preview = |number: usize| seen["answers"][number]["data"]["preview"].as_str().unwrap();
    assert!(preview(0).contains("Applies to: npm react 17"), "{seen}");
    assert!(preview(1).contains("Applies to: npm react 16"), "{seen}");
    assert_eq!(seen["answers"][2]["data"]["status"], "stored", "{seen}");
    let found = applies(&home, &server, title).await;
    assert_eq!(found, stated("vers:npm/>=16|<17"));
}

#[tokio::test]
async fn an_incomplete_edit_is_shown_again_a_limited_number_of_times() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let title = |title: &str| json!({"action": "accept", "content": {"title": title}});
    for mode in MODES {
        let complete = format!("Filled in again in {mode}");
        let answers = [
            accept("edit"),
            title(" "),
            accept("edit"),
            title(&complete),
            accept("confirm"),
        ];
        let script = json!({"elicitation": answers, "calls": [share("Emptied by hand")]});
        let seen = play(&home, &url(&server), mode, &script).await;
        let again = seen["questions"][2]["message"].as_str().unwrap();
        assert!(again.contains("`title` is empty"), "{again}");
        assert_eq!(seen["answers"][0]["data"]["status"], "stored", "{seen}");
        assert_eq!(stored(&server, &complete).await, 1, "{mode}");
    }
    // Editing ends after a limited number of rounds; the last text would have been confirmed.
    let mut answers: Vec<Value> = (0..8)
        .flat_map(|round| [accept("edit"), title(&format!("Edited for ever {round}"))])
        .collect();
    answers.push(accept("confirm"));
    let script = json!({"elicitation": answers, "calls": [share("Emptied by hand")]});
    let seen = play(&home, &url(&server), MODES[0], &script).await;
    assert_eq!(
        seen["answers"][0]["data"]["reason"], "too_many_rounds",
        "{seen}"
    );
    for title in ["Edited for ever", "Emptied by hand"] {
        assert_eq!(stored(&server, title).await, 0, "{title}");
    }
}

#[tokio::test]
async fn without_confirmation_nothing_is_sent_and_the_agent_learns_why() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let declined = json!({"action": "decline"});
    let cancelled = json!({"action": "cancel"});
    let cases = [
        (json!([declined]), "declined"),
        (json!([cancelled]), "cancelled"),
        (json!([accept("cancel")]), "cancelled"),
        (json!([accept("edit"), declined]), "declined"),
        (json!([{"action": "accept", "content": {}}]), "cancelled"),
    ];
    for mode in MODES {
        for (answers, reason) in &cases {
            let script = json!({"elicitation": answers, "calls": [share("Never agreed to")]});
            let seen = play(&home, &url(&server), mode, &script).await;
            let result = &seen["answers"][0]["data"];
            assert_eq!(result["status"], "not_sent", "{answers}: {seen}");
            assert_eq!(result["reason"], *reason, "{answers}: {seen}");
        }
        assert_eq!(stored(&server, "Never agreed to").await, 0, "{mode}");
    }
}

#[tokio::test]
async fn nothing_is_sent_if_the_host_disconnects_or_cancels_during_the_question() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut given_up = share("Given up mid-question");
    given_up["cancel_when_asked"] = json!(true);
    for mode in MODES {
        let calls = json!([share("The host vanishes")]);
        let script = json!({"elicitation": ["vanish"], "calls": calls});
        let seen = play(&home, &url(&server), mode, &script).await;
        assert_eq!(seen["questions"].as_array().unwrap().len(), 1, "{seen}");

        let query = json!({"tool": "query_experiences", "arguments": {"keywords": "given up"}});
        let script = json!({"elicitation": ["hang"], "calls": [given_up, query]});
        let seen = play(&home, &url(&server), mode, &script).await;
        assert_eq!(seen["answers"][0], "cancelled", "{seen}");
        assert_eq!(seen["answers"][1]["data"]["count"], 0, "{seen}");
    }
    for title in ["The host vanishes", "Given up mid-question"] {
        assert_eq!(stored(&server, title).await, 0, "{title}");
    }
}

#[tokio::test]
async fn a_host_without_elicitation_gets_a_draft_to_show() {
    let query =
        |title: &str| json!({"tool": "query_experiences", "arguments": {"keywords": title}});
    let confirm = |arguments: Value| json!({"tool": "confirm_experience", "arguments": arguments});
    for mode in MODES {
        let home = Home::new();
        let server = Server::start(&home).await;
        let title = format!("Shown by the agent in {mode}");
        let edit = json!({"draft_id": "$draft_id", "answer": "edit", "title": title});
        let yes = json!({"draft_id": "$draft_id", "answer": "confirm"});
        let no = json!({"draft_id": "$draft_id", "answer": "cancel"});
        let calls = json!([
            share("Before the agent edited it"),
            confirm(edit),
            query(&title),
            confirm(json!({"draft_id": "0b2a", "answer": "confirm"})),
            share("Cancelled by the agent"),
            confirm(no.clone()),
            confirm(json!({"draft_id": "not one", "answer": "confirm"})),
            share(&title),
            confirm(yes),
            query(&title),
        ]);
        let seen = play(&home, &url(&server), mode, &json!({"calls": calls})).await;
        assert!(!seen.to_string().contains(&token()), "{seen}");
        let data = |number: usize| &seen["answers"][number]["data"];
        assert_eq!(data(0)["status"], "waiting", "{seen}");
        let preview = data(1)["preview"].as_str().unwrap();
        assert!(preview.contains(&title), "{preview}");
        assert_ne!(data(0)["draft_id"], data(1)["draft_id"], "{seen}");
        assert_eq!(data(2)["count"], 0, "{seen}");
        assert_eq!(seen["answers"][3]["is_error"], true, "{seen}");
        assert_eq!(data(5)["reason"], "cancelled", "{seen}");
        assert_eq!(seen["answers"][6]["is_error"], true, "{seen}");
        assert_eq!(data(8)["status"], "stored", "{seen}");
        assert_eq!(data(9)["count"], 1, "{seen}");
        for title in ["Before the agent edited it", "Cancelled by the agent"] {
            assert_eq!(stored(&server, title).await, 0, "{title}");
        }
    }
}

#[tokio::test]
async fn fields_with_an_answer_other_than_edit_are_refused() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let confirm = |arguments: Value| json!({"tool": "confirm_experience", "arguments": arguments});
    for answer in ["confirm", "cancel"] {
        let misused = json!({"draft_id": "$draft_id", "answer": answer, "solution": "Another one"});
        let calls = json!([share("Old words"), confirm(misused)]);
        let seen = play(&home, &url(&server), MODES[0], &json!({"calls": calls})).await;
        let answered = &seen["answers"][1];
        assert_eq!(answered["is_error"], true, "{seen}");
        let message = answered["data"]["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("`solution`") && message.contains("`edit`"),
            "{message}"
        );
        assert_eq!(stored(&server, "Old words").await, 0, "{answer}");
    }
}

#[tokio::test]
async fn it_is_sent_without_asking_only_if_both_settings_say_so() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for (auto_submit, prompt, status) in [
        (false, true, "waiting"),
        (true, true, "waiting"),
        (false, false, "waiting"),
        (true, false, "stored"),
    ] {
        let settings = json!({"autoSubmit": auto_submit, "promptOnSubmit": prompt});
        // The user's own settings: a file that comes with a project may not decide this.
        let own = ".config/recall-kit/recall-kit-client.config.json";
        home.write(own, settings.to_string());
        let script = json!({"calls": [share("Sent without asking")]});
        let seen = play(&home, &url(&server), MODES[0], &script).await;
        let result = &seen["answers"][0]["data"];
        assert_eq!(result["status"], status, "{settings}: {seen}");
        if status == "stored" {
            assert_eq!(result["asked"], false, "{seen}");
            let note = result["note"].as_str().unwrap();
            assert!(
                note.contains("without asking") && note.contains("Removed"),
                "{note}"
            );
        }
    }
    assert_eq!(stored(&server, "Sent without asking").await, 1);
}

#[tokio::test]
async fn without_asking_only_versions_of_things_that_everybody_may_know_are_sent() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let own = ".config/recall-kit/recall-kit-client.config.json";
    let settings = json!({"autoSubmit": true, "promptOnSubmit": false});
    home.write(own, settings.to_string());
    let react = json!([{"purl": "pkg:npm/react", "range": "vers:npm/<19", "source": "stated"}]);
    let read = json!([{"purl": "pkg:npm/react", "range": "vers:npm/>=18|<19", "source": "stated"}]);
    for (number, (lines, expected)) in [
        // Nothing is proposed; the server reads the texts.
        (Value::Null, &read),
        (json!("npm react <19"), &react),
        (json!(["npm react <19", "npm @quasar/ui 2"]), &react),
        (json!("npm @quasar/ui 2"), &read),
        (json!("none"), &Value::Null),
    ]
    .into_iter()
    .enumerate()
    {
        let title = format!("Rendering stops for nobody {number}");
        let mut call = share(&title);
        call["arguments"]["problem_description"] = json!("react 18 renders nothing");
        call["arguments"]["solution"] = json!(format!("Wait for release number{number}"));
        call["arguments"]["applies_to"] = lines.clone();
        let seen = play(&home, &url(&server), MODES[0], &json!({"calls": [call]})).await;
        let result = &seen["answers"][0]["data"];
        assert_eq!(result["status"], "stored", "{lines}: {seen}");
        assert_eq!(applies(&home, &server, &title).await, *expected, "{lines}");
        // What is not sent is named.
        let note = result["note"].as_str().unwrap();
        let is_private = lines.to_string().contains("quasar");
        assert_eq!(note.contains("npm @quasar/ui 2"), is_private, "{note}");
    }
}

#[tokio::test]
async fn problems_are_reported_field_by_field() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let long = "x".repeat(501);
    let call = |arguments: Value| json!({"tool": "share_experience", "arguments": arguments});
    let calls = json!([
        call(json!({"title": "Nothing else"})),
        call(json!({"title": 5})),
        call(json!({"headline": "unknown"})),
        call(json!({"title": long, "problem_description": "p", "solution": "s"})),
    ]);
    let shorter = json!({"action": "accept", "content": {"title": "Made shorter"}});
    let answers = [
        accept("confirm"),
        accept("edit"),
        shorter,
        accept("confirm"),
    ];
    let script = json!({"elicitation": answers, "calls": calls});
    let seen = play(&home, &url(&server), MODES[0], &script).await;
    for (number, word) in [(0, "problem_description"), (1, "string"), (2, "headline")] {
        let answer = &seen["answers"][number];
        assert_eq!(answer["is_error"], true, "{seen}");
        let message = answer["data"]["error"]["message"].as_str().unwrap();
        assert!(message.contains(word), "{message}");
    }
    // A text that the server refused is shown again with the reason, so that the user can correct it.
    let again = seen["questions"][1]["message"].as_str().unwrap();
    assert!(again.contains("title") && again.contains("500"), "{again}");
    assert_eq!(seen["answers"][3]["data"]["status"], "stored", "{seen}");
    assert_eq!(stored(&server, "Made shorter").await, 1);
}

#[tokio::test]
async fn the_question_is_in_the_users_language() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for (locale, question, confirm) in [
        ("zh_CN.UTF-8", "是否要保存这次经验", "确认"),
        ("fr_FR.UTF-8", "Enregistrer cette expérience", "Confirmer"),
        ("de_DE.UTF-8", "Save this experience?", "Confirm"),
    ] {
        let mut call = share("Asked in a language");
        // Values that some agents send for fields that they leave out.
        call["arguments"]["root_cause"] = Value::Null;
        call["arguments"]["keywords"] = Value::Null;
        call["arguments"]["conversation"] = json!("");
        let script = json!({
            "elicitation": [{"action": "decline"}],
            "calls": [call],
            "env": {"LC_ALL": locale},
        });
        let seen = play(&home, &url(&server), MODES[0], &script).await;
        let first_question = &seen["questions"][0];
        assert!(
            first_question["message"]
                .as_str()
                .unwrap()
                .contains(question),
            "{first_question}"
        );
        assert!(
            first_question["schema"].to_string().contains(confirm),
            "{first_question}"
        );
    }
}
