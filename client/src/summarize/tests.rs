//! What a model gets, and how a host's answers are used.

#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use super::*;
use crate::{Action, ActionKind, ClientConfig, Role, Turn};

/// A host that returns prepared answers and records the questions.
struct Host {
    answers: Mutex<Vec<Result<String, SampleError>>>,
    questions: Mutex<Vec<Question>>,
}

impl Host {
    fn saying(answers: &[&str]) -> Self {
        let answers = answers.iter().rev().map(|answer| Ok((*answer).to_owned()));
        Self {
            answers: Mutex::new(answers.collect()),
            questions: Mutex::default(),
        }
    }
}

#[async_trait]
impl Sampler for Host {
    async fn sample(&self, question: &Question) -> Result<String, SampleError> {
        self.questions.lock().unwrap().push(question.clone());
        let answer = self.answers.lock().unwrap().pop();
        answer.unwrap_or(Err(SampleError::Declined))
    }
}

fn client() -> RecallKitClient {
    let mut config = ClientConfig::default();
    config.ai.provider = "off".to_owned();
    RecallKitClient::new(config).unwrap()
}

const WRITTEN: &str = r#"{"title": "Build fails", "problem_description": "It says no",
    "root_cause": "", "solution": "Run `cargo clean now`", "context": null, "keywords": []}"#;

#[tokio::test]
async fn a_host_writes_the_draft_and_is_asked_at_most_twice() {
    let conversation = Conversation::read("User: error: no\nAssistant: so what").unwrap();
    for (answers, made_by, names, asked) in [
        (&[WRITTEN][..], MadeBy::Host, &["unknown_command"][..], 1),
        (&["hm", WRITTEN], MadeBy::Host, &["unknown_command"], 2),
        (
            &["hm", "hm", WRITTEN],
            MadeBy::Extraction,
            &["host_failed", "extracted"],
            2,
        ),
        (&[], MadeBy::Extraction, &["host_failed", "extracted"], 1),
        (
            &["I'm sorry, I can't"],
            MadeBy::Extraction,
            &["host_failed", "extracted"],
            1,
        ),
    ] {
        let host = Host::saying(answers);
        let summary = client()
            .summarize(&conversation, Some(&host))
            .await
            .unwrap();
        assert_eq!(summary.made_by, made_by, "{answers:?}");
        let found: Vec<&str> = summary.remarks.iter().map(Remark::name).collect();
        assert_eq!(found, names, "{answers:?}");
        assert_eq!(host.questions.lock().unwrap().len(), asked, "{answers:?}");
        assert!(!summary.draft.title.is_empty(), "{answers:?}");
    }
}

#[tokio::test]
async fn a_host_never_gets_a_secret_even_with_the_sanitizer_off() {
    let token = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_");
    let password = ["correct", "horse", "7291"].join("-");
    let turns = vec![
        Turn {
            role: Role::User,
            text: format!("it says {password} is wrong, and jane.doe@northwind-mail.com agrees"),
            actions: Vec::new(),
        },
        Turn {
            role: Role::Assistant,
            text: String::new(),
            actions: vec![Action {
                tool: "shell".to_owned(),
                kind: ActionKind::Command,
                input: format!("curl -H 'Authorization: Bearer {token}' x"),
                // The password is recognized here and has to be removed from the first turn, too.
                output: Some(format!("error: DB_PASSWORD={password}")),
                failed: true,
            }],
        },
    ];
    let conversation = Conversation::from_turns(turns).unwrap();
    for enabled in [true, false] {
        let mut config = ClientConfig::default();
        config.ai.provider = "off".to_owned();
        config.sanitizer.enabled = enabled;
        let host = Host::saying(&["hm", "hm"]);
        let client = RecallKitClient::new(config).unwrap();
        let summary = client.summarize(&conversation, Some(&host)).await.unwrap();
        let questions = host.questions.lock().unwrap();
        let seen: String = questions.iter().map(|one| one.text.as_str()).collect();
        let draft = format!(
            "{} {}",
            summary.draft.title, summary.draft.problem_description
        );
        assert_eq!(questions.len(), 2);
        assert!(seen.contains("it says"), "{seen}");
        for secret in [token.as_str(), &password, "jane.doe"] {
            assert!(
                !seen.contains(secret) && !draft.contains(secret),
                "enabled: {enabled}"
            );
        }
    }
}

#[test]
fn a_long_conversation_is_cut_to_its_most_important_parts() {
    let log = |word: &str| {
        (0..400)
            .map(|n| format!("{word} line {n}\n"))
            .collect::<String>()
    };
    let turn = |role, text: String, actions| Turn {
        role,
        text,
        actions,
    };
    let mut turns = vec![turn(Role::User, "the first words".to_owned(), Vec::new())];
    for n in 0..60 {
        let read = Action {
            tool: "read".to_owned(),
            kind: ActionKind::Other,
            input: format!("file {n}"),
            output: Some(log("harmless")),
            failed: false,
        };
        turns.push(turn(
            Role::Assistant,
            format!("I look at file {n}"),
            vec![read],
        ));
    }
    let failing = Action {
        tool: "sh".to_owned(),
        kind: ActionKind::Command,
        input: "cargo build".to_owned(),
        output: Some(format!(
            "{}error: the needle\n{}",
            log("before"),
            log("after")
        )),
        failed: true,
    };
    let change = Action {
        tool: "edit".to_owned(),
        kind: ActionKind::Edit,
        input: "src/main.rs\n+the change".to_owned(),
        output: None,
        failed: false,
    };
    turns.push(turn(Role::Assistant, String::new(), vec![failing, change]));
    turns.push(turn(
        Role::Assistant,
        "the last answer".to_owned(),
        Vec::new(),
    ));
    turns.push(turn(Role::User, "the last words".to_owned(), Vec::new()));
    let conversation = Conversation::from_turns(turns).unwrap();
    for budget in [400, 1_000, 4_000] {
        let excerpt = excerpt::of(&conversation, budget);
        let used = excerpt::tokens(&excerpt.text);
        assert!(used <= budget, "{used} of {budget}");
        assert!(excerpt.shown < 20, "{}", excerpt.shown);
        let mut rest = excerpt.text.as_str();
        for words in [
            "the first words",
            "$ cargo build",
            "error: the needle",
            "+the change",
            "the last answer",
            "the last words",
        ] {
            let at = rest.find(words);
            let at = at.unwrap_or_else(|| panic!("{budget}: {words}: {}", excerpt.text));
            rest = &rest[at..];
        }
    }
    let complete = excerpt::of(&conversation, 10_000_000);
    assert_eq!(complete.shown, 100);
    assert_eq!(complete.text.matches("harmless").count(), 60 * 400);
}
