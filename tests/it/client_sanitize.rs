//! `recall-kit-client sanitize`: sanitized text on stdout, what was found on stderr, as a filter too.

use recall_kit_tests::{Home, client, run};
use serde_json::{Value, json};

const AFTER: &str = include_str!("../data/sanitize_after.js");

/// The protocol's example before it is sanitized; put together, so that no scanner trips over it.
fn before() -> String {
    AFTER.replace("YOUR_API_KEY", concat!("sk-", "1234567890"))
}

#[tokio::test]
async fn the_protocols_example_comes_out_exactly() {
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
    for (rules, gone, kept) in [
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
        for word in gone {
            assert!(!out.contains(&word), "{rules} left {word}: {out}");
        }
        for word in kept {
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
async fn json_lines_are_a_filter_for_other_programs() {
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
async fn text_without_findings_passes_byte_for_byte() {
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
