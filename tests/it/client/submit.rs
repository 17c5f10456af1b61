//! `recall-kit-client submit`: sanitized first, shown, confirmed by a person, then sent.

use recall_kit_tests::{
    Home, Keystroke, Output, Recorder, Server,
    answers::{CANCEL, CONFIRM, EDIT},
    client, on_terminal, run, screen,
};
use tokio::process::Command;

#[tokio::test]
async fn with_yes_the_sanitized_experience_is_sent_and_its_id_printed() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let context = format!("export TOKEN={}\ncargo publish\n", token());
    let file = home.write("context.txt", &context);
    let file = file.to_string_lossy();
    for (source, stdin) in [(file.as_ref(), ""), ("-", context.as_str())] {
        let args = ["--yes", "--context", source, "--keywords", "Cargo, PUBLISH"];
        let output = run(submit(&home, &server, &args), stdin).await;
        let id = output.expect_code(0).trim().to_owned();
        assert!(!output.stderr.contains(&token()), "{}", output.stderr);
        let records = server.wire.all("publishing", 50).await;
        let record = &records[&id];
        let stored = record["context"].as_str().unwrap();
        assert!(stored.contains("cargo publish"), "{stored}");
        assert!(!stored.contains(&token()), "{stored}");
        assert_eq!(record["keywords"], serde_json::json!(["cargo", "publish"]));
    }
}

#[tokio::test]
async fn what_a_draft_resembles_is_said_before_the_question() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let wire = Recorder::start(server.port(), true).await;
    let url = wire.url();
    let submit = |more: &[&str]| {
        let problem = format!("The registry rejects the token {}", token());
        let args = [
            &[
                "--server",
                &url,
                "submit",
                "--title",
                "Publishing a crate fails",
            ][..],
            &["--problem", &problem, "--solution", "Log in first"],
            more,
        ];
        client(&home, &args.concat())
    };
    let resembles = "there is something like it already: Publishing a crate fails (";
    let first = run(submit(&["--yes"]), "").await;
    let id = first.expect_code(0).trim().to_owned();
    assert!(!first.stderr.contains(resembles), "{first:?}");
    let second = run(submit(&["--yes", "--keywords", "again"]), "").await;
    second.expect_code(0);
    assert!(second.stderr.contains(resembles), "{second:?}");
    assert!(second.stderr.contains(&id[..13]), "{second:?}");
    // Nothing but the sanitized title and problem leaves before the yes.
    let asked = answer(&home, &submit(&["--root-cause", "a secret reason"]), CANCEL).await;
    assert!(asked.stdout.contains(resembles), "{}", asked.stdout);
    let sent = wire.sent();
    assert!(sent.contains("query_experiences"), "{sent}");
    assert!(
        !sent.contains("secret reason") && !sent.contains(&token()),
        "{sent}"
    );

    home.configure_client(r#"{"searchOnSubmit": false}"#);
    let unasked = run(submit(&["--yes", "--keywords", "third"]), "").await;
    unasked.expect_code(0);
    assert!(!unasked.stderr.contains(resembles), "{unasked:?}");
}

#[tokio::test]
async fn a_dry_run_shows_the_sanitized_text_and_sends_nothing() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let args = ["--dry-run", "--context", "-"];
    let context = format!("curl -H 'Authorization: Bearer {}'", token());
    let output = run(submit(&home, &server, &args), context).await;
    output.expect_code(0);
    let shown = format!("{}{}", output.stdout, output.stderr);
    assert!(shown.contains("Publishing a crate fails"), "{shown}");
    assert!(shown.contains("curl -H"), "{shown}");
    assert!(!shown.contains(&token()), "{shown}");
    assert_eq!(server.wire.query("publishing").await["total"], 0);
}

#[tokio::test]
async fn without_a_terminal_nothing_is_sent_without_consent() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let output = run(submit(&home, &server, &[]), "").await;
    output.expect_code(2);
    assert!(output.stderr.contains("--yes"), "{}", output.stderr);
    assert_eq!(server.wire.query("publishing").await["total"], 0);

    // A file that comes with a repository may not allow this, even a trusted one; a file that the user names
    // may.
    let unasked = r#"{"autoSubmit": true, "promptOnSubmit": false}"#;
    let file = home.write("recall-kit-client.config.json", unasked);
    let found = run(submit(&home, &server, &[]), "").await;
    found.expect_code(2);
    assert!(found.stderr.contains("is ignored"), "{found:?}");
    let refused = run(client(&home, &["trust"]), "").await;
    refused.expect_code(1);
    assert!(
        refused.stderr.contains("name the file with --config"),
        "{refused:?}"
    );
    let found = run(submit(&home, &server, &[]), "").await;
    found.expect_code(2);
    assert_eq!(server.wire.query("publishing").await["total"], 0);
    let chosen = ["--config", file.to_str().unwrap()];
    run(submit(&home, &server, &chosen), "")
        .await
        .expect_code(0);
    assert_eq!(server.wire.query("publishing").await["total"], 1);
}

#[tokio::test]
async fn a_refusal_is_reported_field_by_field() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let long = "x".repeat(501);
    let args = [
        "--yes",
        "--title",
        &long,
        "--problem",
        "p",
        "--solution",
        "s",
    ];
    let output = run(submit_with_args(&home, &server, &args), "").await;
    output.expect_code(1);
    let stderr = &output.stderr;
    assert!(stderr.contains("title"), "{stderr}");
    assert!(stderr.contains("500"), "{stderr}");
    assert!(stderr.contains("hint: "), "{stderr}");
}

#[tokio::test]
async fn a_person_confirms_cancels_or_interrupts() {
    for (keys, code, stored) in [(CONFIRM, 0, 1), (CANCEL, 0, 0), (INTERRUPT, 130, 0)] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let output = answer(&home, &submit(&home, &server, &[]), keys).await;
        output.expect_code(code);
        let shown = &output.stdout;
        assert!(shown.contains("Publishing a crate fails"), "{shown}");
        let total = &server.wire.query("publishing").await["total"];
        assert_eq!(total, stored, "{keys:?}: {shown}");
    }
}

#[tokio::test]
async fn only_an_explicit_confirm_sends() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for keys in ["\u{1b}", "q", " ", "\r", "\u{1b}[A\u{1b}"] {
        let output = answer(&home, &submit(&home, &server, &[]), keys).await;
        let shown = output.expect_code(0);
        assert!(shown.contains("nothing was sent"), "{keys:?}: {shown}");
        // The prompt says which server gets the experience and who can read it there.
        let recipient = format!("It is sent to {}/mcp: anyone", server.wire.base());
        assert!(shown.contains(&recipient), "{shown}");
        assert!(shown.contains("Share this experience?"), "{shown}");
    }
    assert_eq!(server.wire.query("publishing").await["total"], 0);
}

#[tokio::test]
async fn keys_typed_before_the_question_do_not_answer_it() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let steps = [
        ("Title", "Publishing a crate fails\r"),
        ("Problem", "The registry wants a token\r"),
        ("Root cause", "\r"),
        ("Solution", "Log in first\r"),
        // These keys would send the experience, whether Confirm or Cancel was the initial choice.
        ("Keywords", "\r\r\u{1b}[A\r\r"),
        (PROMPT, "\u{1b}"),
    ];
    let steps = steps.map(|(after, keys)| Keystroke { after, keys });
    let output = on_terminal(&home, &submit_with_args(&home, &server, &[]), &steps).await;
    output.expect_code(0);
    assert_eq!(server.wire.query("publishing").await["total"], 0);
}

#[tokio::test]
async fn a_long_answer_is_displayed_once_and_an_empty_one_is_refused() {
    const LONG: &str = "The registry answers that the token is missing although the environment \
                        variable is set in the shell that runs the command, as it always was before";
    let home = Home::new();
    let server = Server::start(&home).await;
    let typed: &str = format!("{LONG}\r").leak();
    let steps = [
        ("Title", "\r"),
        ("please enter something", "Publishing\r"),
        ("Problem", typed),
        ("Root cause", "\u{3}"),
    ];
    let steps = steps.map(|(after, keys)| Keystroke { after, keys });
    let output = on_terminal(&home, &submit_with_args(&home, &server, &[]), &steps).await;
    let written = output.expect_code(130);
    // The terminal breaks rows anywhere, so spaces and rows are ignored.
    let shown = screen(written).concat().replace(' ', "");
    for part in ["Theregistryanswers", "alwayswasbefore"] {
        assert_eq!(shown.matches(part).count(), 1, "{part}: {shown}");
    }
}

#[tokio::test]
async fn the_confirmation_prompt_has_the_documented_text() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let draft = [
        "--title",
        "React useState not updating state",
        "--problem",
        "State variable not updating after setState call",
        "--solution",
        "Use functional update form",
    ];
    let mut command = submit_with_args(&home, &server, &draft);
    command.env("LC_ALL", "zh_CN.UTF-8");
    let step = Keystroke {
        after: "编辑",
        keys: INTERRUPT,
    };
    let shown = on_terminal(&home, &command, &[step]).await.stdout;
    let example = [
        "检测到您刚刚解决了一个问题，是否要保存这次经验？",
        "标题: React useState not updating state",
        "问题: State variable not updating after setState call",
        "解决方案: Use functional update form",
        "确认",
        "取消",
        "编辑",
    ];
    let mut rest = shown.as_str();
    for words in example {
        let at = rest.find(words);
        let at = at.unwrap_or_else(|| panic!("{words} is not in its place: {shown}"));
        rest = &rest[at + words.len()..];
    }
}

#[tokio::test]
async fn the_preview_lists_earlier_removals_after_an_edit() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let context = home.write("context.txt", format!("TOKEN={}\n", token()));
    let context = context.to_string_lossy();
    let mut command = submit(&home, &server, &["--context", &context]);
    command.env("EDITOR", "true");
    let step = |keys| Keystroke {
        after: PROMPT,
        keys,
    };
    let output = on_terminal(&home, &command, &[step(EDIT), step(CANCEL)]).await;
    let shown = output.expect_code(0);
    assert_eq!(shown.matches("Removed: 1 × ").count(), 2, "{shown}");
    assert!(!shown.contains("Nothing had to be removed"), "{shown}");
}

#[tokio::test]
async fn a_person_can_edit_the_draft_before_it_is_sent() {
    let home = Home::new();
    let server = Server::start(&home).await;
    // The editor also adds a secret: text that a person types is sanitized as well.
    let script = format!(
        "#!/bin/sh\nsed -i 's/Publishing a crate fails/Publishing an edited crate fails {}/' \"$1\"\n",
        token()
    );
    let editor = home.write("editor.sh", script);
    let mut command = submit(&home, &server, &[]);
    command.env("EDITOR", format!("sh {}", editor.display()));
    let steps = [
        Keystroke {
            after: PROMPT,
            keys: EDIT,
        },
        Keystroke {
            after: PROMPT,
            keys: CONFIRM,
        },
    ];
    let output = on_terminal(&home, &command, &steps).await;
    output.expect_code(0);
    let found = server.wire.query("publishing").await;
    let title = found["experiences"][0]["title"].as_str().unwrap();
    assert!(
        title.starts_with("Publishing an edited crate fails"),
        "{title}"
    );
    assert!(!title.contains(&token()), "{title}");
}

/// A text above the choices. It is shown once for each question; the choices themselves are redrawn on every
/// key.
const PROMPT: &str = "Esc cancels";
const INTERRUPT: &str = "\u{3}";

async fn answer(home: &Home, command: &Command, keys: &'static str) -> Output {
    on_terminal(
        home,
        command,
        &[Keystroke {
            after: PROMPT,
            keys,
        }],
    )
    .await
}

fn submit(home: &Home, server: &Server, args: &[&str]) -> Command {
    let draft = [
        "--title",
        "Publishing a crate fails",
        "--problem",
        "The registry says that the token is missing",
        "--solution",
        "Log in first",
    ];
    submit_with_args(home, server, &[&draft, args].concat())
}

fn submit_with_args(home: &Home, server: &Server, args: &[&str]) -> Command {
    let url = format!("{}/mcp", server.wire.base());
    client(home, &[&["--server", &url, "submit"], args].concat())
}

fn token() -> String {
    ["ghp", &"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"[..36]].join("_")
}
