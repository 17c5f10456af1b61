//! `recall-kit-client sanitize`: writes sanitized text to stdout and the findings to stderr; also works as a
//! filter.

use recall_kit_tests::{Home, client, on_terminal, run, start, within_deadline};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

const AFTER: &str = include_str!("../../data/sanitize_after.js");

/// The example of the protocol before it is sanitized; assembled here, so that secret scanners do not report
/// this file.
fn before() -> String {
    AFTER.replace("YOUR_API_KEY", concat!("sk-", "1234567890"))
}

#[tokio::test]
async fn the_documented_example_is_sanitized_exactly() {
    let home = Home::new();
    let output = run(client(&home, &["sanitize"]), before()).await;
    assert_eq!(output.expect_code(0), AFTER);
    assert!(!output.stderr.contains("1234567890"), "{}", output.stderr);
    assert!(!output.stderr.is_empty(), "what was found is said");

    let file = home.write("snippet.js", before());
    let output = run(client(&home, &["sanitize", &file.to_string_lossy()]), "").await;
    assert_eq!(output.expect_code(0), AFTER);

    let again = run(client(&home, &["sanitize", "-"]), AFTER).await;
    assert_eq!(again.expect_code(0), AFTER);
}

#[tokio::test]
async fn rules_choose_what_is_removed() {
    let home = Home::new();
    let mail = ["jane.roe", "corp-mail.net"].join("@");
    let text = format!(
        "mail {mail} at http://build.corp-mail.net/x with {}\n",
        token()
    );
    for (rules, removed, remaining) in [
        ("remove_api_keys", vec![token()], vec![mail.clone()]),
        ("remove_personal_info", vec![mail.clone()], vec![token()]),
        (
            "remove_urls,remove_api_keys",
            vec![token(), "http://build".to_owned()],
            vec![mail.clone()],
        ),
    ] {
        let output = run(client(&home, &["sanitize", "--rules", rules]), &text).await;
        let out = output.expect_code(0);
        for word in removed {
            assert!(!out.contains(&word), "{rules} left {word}: {out}");
        }
        for word in remaining {
            assert!(out.contains(&word), "{rules} took {word}: {out}");
        }
    }
    let args = ["sanitize", "--rules", "remove_everything"];
    let output = run(client(&home, &args), &text).await;
    output.expect_code(2);
    assert!(
        output.stderr.contains("remove_api_keys"),
        "{}",
        output.stderr
    );
}

#[tokio::test]
async fn json_lines_are_sanitized_line_by_line() {
    let home = Home::new();
    let snippet = "const apiKey = load();\nuse(apiKey);";
    let lines = [
        json!({"id": "example", "text": before()}),
        json!({"id": "names", "text": snippet, "rules": ["anonymize_variables"]}),
        json!({"id": "none", "text": before(), "rules": []}),
        json!({"id": "empty", "text": ""}),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let output = run(client(&home, &["sanitize", "--json-lines"]), input).await;
    let answers: Vec<Value> = output
        .expect_code(0)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let anonymous = "const var_001 = load();\nuse(var_001);";
    let expected = [
        json!({"id": "example", "text": AFTER}),
        json!({"id": "names", "text": anonymous}),
        json!({"id": "none", "text": before()}),
        json!({"id": "empty", "text": ""}),
    ];
    assert_eq!(answers, expected);

    let output = run(client(&home, &["sanitize", "--json-lines"]), "{\"id\":1}\n").await;
    output.expect_code(1);
    assert!(output.stderr.contains("line 1"), "{}", output.stderr);
}

#[tokio::test]
async fn the_filter_answers_before_its_input_ends() {
    let home = Home::new();
    let mut child = start(&mut client(&home, &["sanitize", "--json-lines"]));
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    // The second line is incomplete at first; the first line must be answered nevertheless.
    for (number, rest) in [(1, "{\"id\": 2, "), (2, "")] {
        let line = match number {
            1 => json!({"id": 1, "text": before()}).to_string(),
            _ => format!("\"text\": {}}}", json!(before())),
        };
        let written = format!("{line}\n{rest}");
        input.write_all(written.as_bytes()).await.unwrap();
        let answer = within_deadline("an answer", answers.next_line()).await;
        let answer: Value = serde_json::from_str(&answer.unwrap().unwrap()).unwrap();
        assert_eq!(answer, json!({"id": number, "text": AFTER}));
    }
    drop(input);
    let end = within_deadline("the filter's end", child.wait()).await;
    assert!(end.is_ok_and(|status| status.success()));
}

#[tokio::test]
async fn a_check_reports_the_position_of_findings_and_fails() {
    let home = Home::new();
    home.write("clean.js", AFTER);
    home.write("dirty.js", format!("// 数据\n{}", before()));
    home.write("binary", [0xff, 0xfe]);
    let check = |args: &'static [&'static str]| run(client(&home, args), "");

    let output = check(&["sanitize", "--check", "clean.js"]).await;
    assert_eq!(output.expect_code(0), "");

    let output = check(&["sanitize", "--check", "clean.js", "dirty.js"]).await;
    let report = output.expect_code(1);
    assert!(report.starts_with("dirty.js:2:17: API key"), "{report}");
    assert_eq!(report.lines().count(), 1, "{report}");

    // A file that cannot be checked is a failure; the other files are checked nevertheless.
    let output = check(&["sanitize", "--check", "binary", "dirty.js"]).await;
    let report = output.expect_code(1);
    assert!(report.starts_with("dirty.js:2:17"), "{report}");
    assert!(
        report.contains("binary:1:1: not checked: not UTF-8"),
        "{report}"
    );
    let output = check(&["sanitize", "--check", "missing", "dirty.js"]).await;
    assert!(output.expect_code(1).starts_with("dirty.js:2:17"));
    assert!(
        output.stderr.contains("cannot read missing"),
        "{}",
        output.stderr
    );
    check(&["sanitize", "--check", "binary"])
        .await
        .expect_code(1);

    let output = check(&["sanitize", "--report", "json", "dirty.js"]).await;
    let report: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    let finding = json!({
        "file": "dirty.js",
        "line": 2,
        "column": 17,
        "length": 13,
        "group": "remove_api_keys",
        "rule": report["findings"][0]["rule"],
        "kind": "API key",
        "replacement": "YOUR_API_KEY",
    });
    assert_eq!(report["findings"], json!([finding]));
    assert_eq!(report["counts"], json!([{"kind": "API key", "count": 1}]));
    assert!(!output.stdout.contains("1234567890"), "{}", output.stdout);

    check(&["sanitize", "clean.js", "dirty.js"])
        .await
        .expect_code(2);
    check(&["sanitize", "--check", "--json-lines"])
        .await
        .expect_code(2);
}

#[tokio::test]
async fn a_large_text_is_sanitized_to_its_end() {
    let home = Home::new();
    let filler = "数据 nothing to see in this line\n".repeat(130_000);
    let text = |middle: &str| format!("{filler}键 {middle}\n{filler}{middle} again\n");
    let mail = ["jane.roe", "corp-mail.net"].join("@");
    let file = home.write("long.txt", text(&mail));
    let file = file.to_string_lossy();
    let output = run(client(&home, &["sanitize", &file]), "").await;
    let clean = output.expect_code(0);
    assert!(clean == text("user@example.com"), "{} bytes", clean.len());

    let output = run(client(&home, &["sanitize", "--check", &file]), "").await;
    let report = output.expect_code(1);
    assert!(report.contains(":130001:3: e-mail address"), "{report}");
    assert!(report.contains(":260002:1: e-mail address"), "{report}");
}

#[tokio::test]
async fn custom_rules_and_allow_entries_apply_everywhere() {
    let home = Home::new();
    let mail = |name: &str| [name, "corp-mail.net"].join("@");
    let rule = json!({
        "id": "staff-number",
        "kind": "staff number",
        "group": "remove_personal_info",
        "anchors": ["CM-"],
        "pattern": r"\bCM-[0-9]{6}\b",
        "replacement": "YOUR_STAFF_NUMBER",
        "examples": ["by CM-418264"],
        "negativeExamples": ["CM-4"],
    });
    let config = json!({
        "ai": {"apiKey": "${NOT_SET_HERE}"},
        "sanitizer": {"custom": [rule], "allow": [mail("build")]},
    });
    home.configure_client(config.to_string());
    let text = format!(
        "CM-418264 asked {} and {}\n",
        mail("build"),
        mail("jane.roe")
    );
    let expected = format!(
        "YOUR_STAFF_NUMBER asked {} and user@example.com\n",
        mail("build")
    );
    let output = run(client(&home, &["sanitize"]), &text).await;
    assert_eq!(output.expect_code(0), expected);
    assert!(
        output.stderr.contains("1 × staff number"),
        "{}",
        output.stderr
    );

    let line = json!({"id": 1, "text": text}).to_string();
    let output = run(client(&home, &["sanitize", "--json-lines"]), line).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer["text"], expected);

    // Servers apply their own rules: text that they would refuse is removed before sending, and the allow entry
    // that does not apply is named.
    let config = json!({"sanitizer": config["sanitizer"]});
    home.configure_client(config.to_string());
    let submit = [
        "submit",
        "--dry-run",
        "--title",
        "t",
        "--problem",
        "p",
        "--solution",
        "s",
        "--context",
        "-",
    ];
    let output = run(client(&home, &submit), &text).await;
    let shown = output.expect_code(0);
    let sent = "YOUR_STAFF_NUMBER asked user@example.com and user@example.com";
    assert!(shown.contains(sent), "{shown}");
    assert!(output.stderr.contains("allow entry 1"), "{}", output.stderr);

    let broken = config.to_string().replace("by CM-418264", "by CM-41826");
    home.configure_client(broken);
    for args in [&["sanitize"][..], &submit] {
        let output = run(client(&home, args), &text).await;
        output.expect_code(1);
        let stderr = &output.stderr;
        assert!(
            stderr.contains("`sanitizer.custom[0].examples`"),
            "{stderr}"
        );
        assert!(stderr.contains("`staff-number`"), "{stderr}");
        assert!(
            !stderr.contains("41826"),
            "an example is repeated: {stderr}"
        );
    }
}

#[tokio::test]
async fn a_terminal_shows_removed_and_inserted_text() {
    let home = Home::new();
    let file = home.write("snippet.js", before());
    let mut command = client(&home, &["sanitize", &file.to_string_lossy()]);
    command.env("TERM", "xterm");
    let shown = on_terminal(&home, &command, &[]).await.stdout;
    let [goes, comes] = [
        concat!("\u{1b}[31msk-", "1234567890\u{1b}[0m"),
        "\u{1b}[32mYOUR_API_KEY\u{1b}[0m",
    ];
    let place = |words: &str| {
        let at = shown.find(words);
        at.unwrap_or_else(|| panic!("{words:?} is not shown: {shown:?}"))
    };
    assert!(place(goes) < place(comes), "{shown}");
    assert!(place(comes) < place("found 1 × API key"), "{shown}");

    command.env("NO_COLOR", "1");
    let shown = on_terminal(&home, &command, &[]).await.stdout;
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert!(shown.contains("1 - const apiKey = \"sk-"), "{shown}");

    command.arg("--quiet");
    let shown = on_terminal(&home, &command, &[]).await.stdout;
    assert_eq!(shown.replace('\r', ""), AFTER);
}

#[tokio::test]
async fn text_without_findings_is_unchanged() {
    let home = Home::new();
    for text in [
        "",
        "no newline at the end",
        "crlf\r\n\0nul\r\n",
        "数据库 🦀\n\n\n",
    ] {
        let output = run(client(&home, &["sanitize"]), text).await;
        assert_eq!(output.expect_code(0), text);
    }
}

fn token() -> String {
    ["ghp", &"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"[..36]].join("_")
}
