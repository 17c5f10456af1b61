//! A real language model, small as it is, on the whole path: a conversation becomes a stored experience.

use recall_kit_tests::{Home, LanguageModel, Server, run, server_command, tell};
use serde_json::{Value, json};

use super::{configure, to};

const TOLD: &str = "\
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
        // The smallest answers: this tests the path and the shape, not the wisdom.
        "contextWindow": 1024,
        "timeout": 110_000,
    });
    configure(&home, ai);
    let args = ["submit", "--yes", "--from-conversation", "-"];
    let output = run(to(&home, &server, &args), TOLD).await;
    let id = output.expect_code(0).trim().to_owned();
    let said = &output.stderr;
    assert!(
        said.contains("summarized by SmolLM2-135M-Instruct"),
        "{said}"
    );
    assert!(!said.contains("no AI wrote this"), "{said}");
    // Nobody knows by what words it would be found.
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
    tell(data);
}

/// Finds a field of a record at whatever depth of its line it stands.
fn field_of<'a>(line: &'a Value, name: &str) -> Option<&'a str> {
    let fields = line.as_object()?;
    let here = fields.get(name).and_then(Value::as_str);
    here.or_else(|| fields.values().find_map(|inner| field_of(inner, name)))
}
