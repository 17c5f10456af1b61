//! `recall-kit-client summarize` and `submit --from-conversation`, with a scripted endpoint and without any.

pub(crate) mod canaries;
mod needs;
mod real_model;

use AiAnswer::{Break, CutOff, Fail, Foreign, Hang, Refuse, Say};
use recall_kit_tests::{
    AiAnswer, AiEndpoint, Home, Keystroke, Output, Server, answers, client, on_terminal, run,
};
use serde_json::{Value, json};

const CONVERSATION: &str = "\
User: npm install stops with: npm ERR! code ERESOLVE unable to resolve dependency tree
Assistant: react-table wants react 18, the project has 19. I ran `npm install --legacy-peer-deps`.
User: That works, thanks
";
const SUMMARY: &str = r#"{"title": "npm install stops with ERESOLVE",
    "problem_description": "npm ERR! code ERESOLVE unable to resolve dependency tree",
    "root_cause": "react-table wants react 18", "solution": "Run `npm install --legacy-peer-deps`.",
    "context": null, "keywords": ["npm", "ERESOLVE"]}"#;
/// A command that the scripted model invents.
const INVENTED: &str = "npm cache clean --force";

#[tokio::test]
async fn a_model_writes_the_draft_of_a_sanitized_conversation() {
    let home = Home::new();
    let endpoint = AiEndpoint::start(&[Say(SUMMARY.to_owned())]).await;
    configure(&home, endpoint.settings(json!({})));
    let token = ["npm", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_");
    let conversation =
        format!("{CONVERSATION}User: by the way //registry.npmjs.org/:_authToken={token}\n");
    let output = summarize(&home, &conversation, &["-vv"]).await;
    let summary: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(summary["made_by"], "ai", "{summary}");
    assert_eq!(summary["model"], "scripted");
    assert_eq!(summary["remarks"], json!([]));
    let draft = &summary["draft"];
    assert_eq!(draft["title"], "npm install stops with ERESOLVE");
    assert_eq!(draft["keywords"], json!(["npm", "eresolve"]));
    assert!(draft.get("context").is_none(), "{draft}");

    let requests = endpoint.requests();
    let [(key, body)] = requests.as_slice() else {
        panic!("{requests:?}");
    };
    assert_eq!(key, "Bearer the-key-of-tests");
    assert_eq!(body["model"], "scripted");
    let shape = &body["response_format"]["json_schema"];
    assert_eq!(shape["strict"], true, "{body}");
    let fields = [
        "title",
        "problem_description",
        "root_cause",
        "solution",
        "context",
        "keywords",
    ];
    assert_eq!(shape["schema"]["required"], json!(fields));
    let sent = body["messages"][1]["content"].as_str().unwrap();
    assert!(sent.contains("Person: npm install stops"), "{sent}");
    for text in [&body.to_string(), &output.stdout, &output.stderr] {
        assert!(!text.contains(&token));
    }
    assert!(
        !output.stderr.contains("the-key-of-tests"),
        "{}",
        output.stderr
    );
}

/// The endpoint's answers, the expected author of the draft, words of a remark, and the expected number of
/// requests.
type Case = (Vec<AiAnswer>, &'static str, &'static str, usize);

fn cases() -> Vec<Case> {
    let good = || Say(SUMMARY.to_owned());
    let say = |text: &str| Say(text.to_owned());
    vec![
        (vec![Fail(429, Some(0), ""), good()], "ai", "", 2),
        (vec![Fail(503, None, ""), good()], "ai", "", 2),
        (vec![Fail(429, Some(u32::MAX), "")], "extraction", "", 1),
        // The client does not wait for an hour.
        (
            vec![Fail(429, Some(3_600), "")],
            "extraction",
            "status 429: too many requests",
            1,
        ),
        (
            vec![Fail(500, Some(0), "")],
            "extraction",
            "status 500; try again later",
            4,
        ),
        (
            vec![Fail(401, None, "")],
            "extraction",
            "status 401; check ai.apiKey",
            1,
        ),
        (
            vec![Fail(404, None, "")],
            "extraction",
            "check ai.baseUrl and ai.model",
            1,
        ),
        (
            vec![Fail(400, None, "context_length_exceeded")],
            "extraction",
            "lower ai.contextWindow",
            1,
        ),
        // Older models do not support schemas, so the request is repeated without one.
        (vec![Fail(400, None, ""), good()], "ai", "", 2),
        (vec![Hang], "extraction", "did not answer within 700 ms", 1),
        (vec![Break], "extraction", "the connection broke", 1),
        (
            vec![Foreign(json!({"hello": "world"}))],
            "extraction",
            "not OpenAI-compatible",
            1,
        ),
        (
            vec![Foreign(json!("x".repeat(5 << 20)))],
            "extraction",
            "not OpenAI-compatible",
            1,
        ),
        (
            vec![say(&format!(
                "Here you are:\n```json\n{SUMMARY}\n```\nBye {{}}"
            ))],
            "ai",
            "",
            1,
        ),
        (vec![say("no JSON at all"), good()], "ai", "", 2),
        (vec![CutOff(SUMMARY[..80].to_owned()), good()], "ai", "", 2),
        (vec![CutOff(SUMMARY.to_owned())], "extraction", "cut off", 2),
        (
            vec![say(&SUMMARY[..80])],
            "extraction",
            "not have the requested format",
            2,
        ),
        (
            vec![say(r#"{"title": "x", "solution": []}"#)],
            "extraction",
            "not have the requested format",
            2,
        ),
        (vec![Refuse], "extraction", "declined", 1),
        (
            vec![say("I'm sorry, but I can't help with that.")],
            "extraction",
            "declined",
            1,
        ),
        (
            vec![say(&SUMMARY.replace("--legacy-peer-deps", "--force"))],
            "ai",
            "`npm install --force`",
            1,
        ),
    ]
}

#[tokio::test]
async fn every_model_failure_still_gives_a_draft_that_names_its_author() {
    for (answers, made_by, words, requests) in cases() {
        let home = Home::new();
        let endpoint = AiEndpoint::start(&answers).await;
        let shown = format!("{answers:?}").chars().take(100).collect::<String>();
        let patience = match answers.as_slice() {
            [Hang] => 700,
            _ => 60_000,
        };
        configure(&home, endpoint.settings(json!({"timeout": patience})));
        let output = summarize(&home, CONVERSATION, &["-v"]).await;
        let summary: Value = serde_json::from_str(output.expect_code(0)).unwrap();
        assert_eq!(summary["made_by"], made_by, "{shown}: {summary}");
        let remarks = summary["remarks"].to_string();
        assert!(remarks.contains(words), "{shown}: {summary}");
        assert_eq!(
            remarks.contains("\"extracted\""),
            made_by == "extraction",
            "{shown}"
        );
        assert_eq!(endpoint.requests().len(), requests, "{shown}");
        for field in ["title", "problem_description", "solution"] {
            let text = summary["draft"][field].as_str().unwrap_or_default();
            assert!(text.contains("npm"), "{shown}: {field}: {summary}");
        }
        // Error messages of endpoints may repeat the request.
        let output_text = format!("{}{}", output.stdout, output.stderr);
        assert!(
            !output_text.contains("the-key-of-tests"),
            "{shown}: {output_text}"
        );
        assert!(
            !output.stderr.contains("react-table"),
            "{shown}: {output_text}"
        );
    }
}

#[tokio::test]
async fn a_command_invented_by_the_model_is_marked_before_sending() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let written = SUMMARY.replace("npm install --legacy-peer-deps", INVENTED);
    let endpoint = AiEndpoint::start(&[Say(written)]).await;
    configure(&home, endpoint.settings(json!({})));
    let file = home.write("conversation.txt", CONVERSATION);
    let file = file.to_string_lossy();
    let submit = [
        "submit",
        "--from-conversation",
        &file,
        "--title",
        "A title of my own",
    ];
    for (keys, stored) in [(answers::CANCEL, 0), (answers::CONFIRM, 1)] {
        let step = Keystroke {
            after: "Edit",
            keys,
        };
        let output = on_terminal(&home, &to(&home, &server, &submit), &[step]).await;
        let shown = output.expect_code(0);
        let preview = shown.find("A title of my own").unwrap();
        let remark = shown.find("does not occur in the conversation").unwrap();
        assert!(
            preview < remark && remark < shown.find("Confirm").unwrap(),
            "{shown}"
        );
        assert!(shown[remark - 80..remark].contains(INVENTED), "{shown}");
        let found = server.wire.query("ERESOLVE").await;
        assert_eq!(found["total"], stored, "{found}");
    }
    let found = server.wire.query("ERESOLVE").await;
    let record = &found["experiences"][0];
    assert_eq!(record["title"], "A title of my own");
    assert_eq!(record["root_cause"], "react-table wants react 18");
}

#[tokio::test]
async fn the_model_is_not_called_if_nobody_can_confirm() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let endpoint = AiEndpoint::start(&[Say(SUMMARY.to_owned())]).await;
    configure(&home, endpoint.settings(json!({})));
    let args = ["submit", "--from-conversation", "-"];
    let output = run(to(&home, &server, &args), CONVERSATION).await;
    output.expect_code(2);
    assert!(output.stderr.contains("no terminal"), "{}", output.stderr);
    assert!(endpoint.requests().is_empty());

    let args = [&args[..], &["--yes"]].concat();
    let output = run(to(&home, &server, &args), CONVERSATION).await;
    let id = output.expect_code(0).trim().to_owned();
    let records = server.wire.all("ERESOLVE", 50).await;
    assert_eq!(records[&id]["title"], "npm install stops with ERESOLVE");
    assert!(
        output.stderr.contains("summarized by scripted"),
        "{}",
        output.stderr
    );

    let args = [&args[..], &["--context", "-"]].concat();
    run(to(&home, &server, &args), CONVERSATION)
        .await
        .expect_code(2);
}

#[tokio::test]
async fn without_a_model_the_draft_is_extracted_with_a_remark() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let story = include_str!("../../../data/transcripts/claude_code.jsonl");
    let args = ["submit", "--from-conversation", "-", "--yes"];
    let output = run(to(&home, &server, &args), story).await;
    let id = output.expect_code(0).trim().to_owned();
    assert!(
        output.stderr.contains("no AI wrote this"),
        "{}",
        output.stderr
    );
    let records = server.wire.all("DATABASE_URL sqlx", 50).await;
    let record = &records[&id];
    let solution = record["solution"].as_str().unwrap();
    assert!(solution.contains("Changed: Dockerfile"), "{solution}");
    assert!(
        solution.contains("worked afterwards: `docker build -t api .`"),
        "{solution}"
    );
    assert!(
        record["context"]
            .as_str()
            .unwrap()
            .contains("+ENV SQLX_OFFLINE=true")
    );
    assert_eq!(
        record["keywords"],
        json!(["cargo", "docker", "database_url", "dockerfile"])
    );
}

#[tokio::test]
async fn a_long_conversation_is_cut_to_the_context_window() {
    let home = Home::new();
    let endpoint = AiEndpoint::start(&[Say(SUMMARY.to_owned())]).await;
    configure(&home, endpoint.settings(json!({"contextWindow": 2_048})));
    let log = "Assistant: [INFO] compiled one more of many modules\n".repeat(2_000);
    let conversation = CONVERSATION.replacen("Assistant: ", &format!("{log}Assistant: "), 1);
    let output = summarize(&home, &conversation, &[]).await;
    let summary: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(summary["remarks"][0]["kind"], "cut", "{summary}");
    let (_, body) = endpoint.requests().remove(0);
    let sent = body["messages"].to_string();
    // A token has about three characters.
    let answer = body["max_tokens"].as_u64().unwrap() as usize;
    assert!(
        sent.len() / 3 + answer < 2_048,
        "{} and {answer}",
        sent.len()
    );
    for words in [
        "npm ERR! code ERESOLVE",
        "--legacy-peer-deps",
        "That works",
        "[…]",
    ] {
        assert!(sent.contains(words), "{words}: {sent}");
    }
}

#[tokio::test]
async fn remarks_are_in_the_users_language() {
    let home = Home::new();
    for (locale, words) in [
        ("zh_CN.UTF-8", "本摘要未经 AI 撰写"),
        ("fr_FR.UTF-8", "aucune IA n'a rédigé ceci"),
        ("de_DE.UTF-8", "no AI wrote this"),
    ] {
        let mut command = client(&home, &["summarize", "-"]);
        command.env("LC_ALL", locale);
        let output = run(command, CONVERSATION).await;
        output.expect_code(0);
        assert!(output.stderr.contains(words), "{locale}: {}", output.stderr);
    }
}

#[tokio::test]
async fn settings_that_would_leak_data_are_refused() {
    let far = "http://ai.example:9/v1";
    let section = |url: &str| json!({"baseUrl": url, "apiKey": "the-key-of-tests"});
    // A file that comes with a repository may not send conversations anywhere.
    let home = Home::new();
    let endpoint = AiEndpoint::start(&[Say(SUMMARY.to_owned())]).await;
    let near = json!({"ai": endpoint.settings(json!({}))}).to_string();
    let file = home.write("recall-kit-client.config.json", near);
    let output = summarize(&home, CONVERSATION, &[]).await;
    let summary: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(summary["made_by"], "extraction");
    assert!(output.stderr.contains("is ignored"), "{}", output.stderr);
    assert!(endpoint.requests().is_empty());

    // A file that the user names may, but no key is sent unencrypted.
    std::fs::write(&file, json!({"ai": section(far)}).to_string()).unwrap();
    let output = summarize(&home, CONVERSATION, &["--config", &file.to_string_lossy()]).await;
    let summary: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(summary["made_by"], "extraction");
    let remarks = summary["remarks"].to_string();
    assert!(remarks.contains("sent unencrypted"), "{remarks}");
    assert!(!format!("{remarks}{}", output.stderr).contains("the-key-of-tests"));
}

#[tokio::test]
async fn a_slow_model_is_replaced_by_extraction_after_the_default_timeout() {
    let home = Home::new();
    let endpoint = AiEndpoint::start(&[Hang]).await;
    let mut settings = endpoint.settings(json!({}));
    settings.as_object_mut().unwrap().remove("timeout");
    configure(&home, settings);
    let output = summarize(&home, CONVERSATION, &[]).await;
    let summary: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(summary["made_by"], "extraction", "{summary}");
    let remarks = summary["remarks"].to_string();
    // A summary must end within 5 seconds, so the default timeout is a little shorter.
    assert!(remarks.contains("within 4500 ms"), "{remarks}");
}

#[tokio::test]
async fn input_that_is_no_conversation_is_refused_with_a_hint() {
    let home = Home::new();
    for (text, words) in [
        ("", "is empty"),
        ("{\"a\": 1}", "not a conversation of a known tool"),
        ("{\"messages\": [", "line 1 column 14"),
        ("a\0b", "not a text file"),
    ] {
        let output = summarize(&home, text, &[]).await;
        output.expect_code(1);
        assert!(output.stderr.contains(words), "{text}: {}", output.stderr);
        assert!(
            output.stderr.contains("hint: "),
            "{text}: {}",
            output.stderr
        );
    }
    let missing = run(client(&home, &["summarize", "missing.jsonl"]), "").await;
    missing.expect_code(1);
    assert!(
        missing.stderr.contains("missing.jsonl"),
        "{}",
        missing.stderr
    );
}

fn configure(home: &Home, ai: Value) {
    home.configure_client(json!({"ai": ai}).to_string());
}

async fn summarize(home: &Home, conversation: &str, args: &[&str]) -> Output {
    let args = [&["--json"], args, &["summarize", "-"]].concat();
    run(client(home, &args), conversation).await
}

fn to(home: &Home, server: &Server, args: &[&str]) -> tokio::process::Command {
    let url = format!("{}/mcp", server.wire.base());
    client(home, &[&["--server", &url], args].concat())
}
