//! A real, small language model on the whole path: a conversation becomes a stored experience.

use recall_kit_tests::{Home, LanguageModel, Server, print_figure, run, server_command};
use serde_json::{Value, json};

use super::{configure, to};

const CONVERSATION: &str = "\
User: git push fails with: error: failed to push some refs, the tip of your branch is behind
Assistant: Somebody else pushed before you. I ran `git pull --rebase` and then `git push`.
User: It works now, thank you
";

#[tokio::test]
async fn a_real_model_writes_an_experience_that_is_stored() {
    let home = Home::new();
    let (server, model) = tokio::join!(Server::start(&home), LanguageModel::start(&home));
    let ai = json!({
        "provider": "openai",
        "model": "SmolLM2-135M-Instruct",
        "baseUrl": model.url(),
        // A small context keeps the answer short: this tests the path and the form, not the quality.
        "contextWindow": 1024,
        "timeout": 110_000,
    });
    configure(&home, ai);
    let args = ["submit", "--yes", "--from-conversation", "-"];
    let output = run(to(&home, &server, &args), CONVERSATION).await;
    let id = output.expect_code(0).trim().to_owned();
    let stderr = &output.stderr;
    assert!(
        stderr.contains("summarized by SmolLM2-135M-Instruct"),
        "{stderr}"
    );
    assert!(!stderr.contains("no AI wrote this"), "{stderr}");
    // The words of the draft are not known, so the record is found in an export.
    let exported = run(server_command(&home, &["export", "-"]), "").await;
    let lines = exported.expect_code(0).lines();
    let mut records = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let data = records
        .find(|record| record.to_string().contains(&id))
        .unwrap();
    for field in ["title", "problem_description", "solution"] {
        let text = field_of(&data, field).unwrap();
        assert!(text.chars().any(char::is_alphanumeric), "{field}: {data}");
    }
    print_figure(data);
}

/// Finds a field of a record at any depth of the exported line.
fn field_of<'a>(line: &'a Value, name: &str) -> Option<&'a str> {
    let fields = line.as_object()?;
    let here = fields.get(name).and_then(Value::as_str);
    here.or_else(|| fields.values().find_map(|inner| field_of(inner, name)))
}
