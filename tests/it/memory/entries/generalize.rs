//! Drafts written by a language model behind a scripted endpoint; extraction if the model fails.

use recall_kit_tests::{ChatEndpoint, ChatScript, Home, Output};
use serde_json::Value;

use super::{add, command, entries, parse};

const MODEL_ANSWER: &str =
    r#"{"title": "Pools need time", "content": "Raise the timeout.", "tags": ["Pool Size"]}"#;

/// Adds three episodic entries; returns the arguments that generalise them with the endpoint.
async fn episodes(home: &Home, endpoint: &ChatEndpoint) -> Vec<String> {
    let config = home.write("ai.toml", endpoint.settings());
    let mut args = vec!["generalize".to_owned()];
    for (city, contact) in [
        ("Lyon", ""),
        ("Oslo", " Ask jane.doe@corp-mail.com."),
        ("Turin", ""),
    ] {
        let content = format!("The pool timeout was too short in {city}.{contact}");
        let title = format!("Pool timeout in {city}");
        args.push(add(home, &title, &["--content", &content]).await);
    }
    args.push("--config".to_owned());
    args.push(config.display().to_string());
    args
}

async fn generalize(home: &Home, args: &[String], more: &[&str]) -> Output {
    let args = args.iter().map(String::as_str).chain(more.iter().copied());
    command(home, &args.collect::<Vec<_>>()).await
}

#[tokio::test]
async fn a_model_writes_the_draft_without_seeing_personal_data() {
    let home = Home::new();
    let endpoint = ChatEndpoint::start(ChatScript::Say(MODEL_ANSWER)).await;
    let args = episodes(&home, &endpoint).await;
    let dry = generalize(&home, &args, &["--dry-run"]).await;
    assert!(
        dry.expect_code(0)
            .starts_with("Pools need time\n\nRaise the timeout.\n"),
        "{dry:?}"
    );
    assert!(
        dry.stderr.contains("written by scripted; read it"),
        "{dry:?}"
    );
    let made = parse(&generalize(&home, &args, &["--json", "--title", "Mine"]).await);
    assert_eq!(
        (&made["draft_by"], &made["title"]),
        (&"scripted".into(), &"Mine".into()),
        "{made}"
    );
    assert_eq!(made["tags"], serde_json::json!(["pool-size"]));
    let shown = parse(&entries(&home, &["show", made["id"].as_str().unwrap(), "--json"]).await);
    let content = shown["content"].as_str().unwrap();
    assert!(
        content.contains("## Made from\n\n- Pool timeout in Lyon ("),
        "{content}"
    );
    assert_eq!(shown["links"]["outgoing"].as_array().unwrap().len(), 3);

    let requests = endpoint.requests();
    assert_eq!(requests.len(), 2);
    let (key, body) = &requests[0];
    assert_eq!(key, "Bearer the-key-of-tests");
    assert_eq!(body["model"], "scripted");
    let schema = &body["response_format"]["json_schema"];
    assert_eq!(
        (&schema["strict"], &schema["name"]),
        (&true.into(), &"general_note".into())
    );
    assert_eq!(
        schema["schema"]["additionalProperties"],
        Value::Bool(false),
        "{schema}"
    );
    let text = body["messages"][1]["content"].as_str().unwrap();
    assert!(text.contains("# Note 2: Pool timeout in Oslo\n"), "{text}");
    assert!(!text.contains("jane.doe"), "{text}");
}

#[tokio::test]
async fn if_the_model_fails_the_draft_is_extracted_and_the_reason_shown() {
    for (script, words) in [
        (ChatScript::Refuse(429), "it refused with status 429"),
        (ChatScript::Refuse(500), "it refused with status 500"),
        (
            ChatScript::Refuse(401),
            "check ai.base_url, ai.model and the key",
        ),
        (
            ChatScript::Say("not JSON"),
            "not of the shape that was asked for",
        ),
        (
            ChatScript::Say(r#"{"title": "x"}"#),
            "not of the shape that was asked for",
        ),
        (
            ChatScript::Say(r#"{"title": "", "content": "x", "tags": []}"#),
            "draft cannot be stored",
        ),
        (ChatScript::CutOff(MODEL_ANSWER), "was cut off"),
        (ChatScript::Decline, "declined to answer"),
        (ChatScript::Foreign, "not of the OpenAI kind"),
    ] {
        let home = Home::new();
        let endpoint = ChatEndpoint::start(script).await;
        let args = episodes(&home, &endpoint).await;
        let made = generalize(&home, &args, &["--json"]).await;
        assert_eq!(
            parse(&made)["draft_by"],
            "extraction",
            "{script:?}: {made:?}"
        );
        assert!(made.stderr.contains(words), "{script:?}: {made:?}");
        assert!(
            made.stderr.contains("by extraction instead"),
            "{script:?}: {made:?}"
        );
        assert!(
            !made.stderr.contains("the-key-of-tests"),
            "{script:?}: {made:?}"
        );
        assert!(!made.stderr.contains("Oslo"), "{script:?}: {made:?}");
    }
}
