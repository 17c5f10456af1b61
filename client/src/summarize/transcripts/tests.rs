//! The same conversation in the formats of all tools, and texts that are not a conversation.

#![allow(clippy::unwrap_used)]

use super::*;

/// A transcript of `tests/data/transcripts`.
macro_rules! transcript {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../tests/data/transcripts/", $name)),
        )
    };
}

const ASKED: &str =
    "The image of our api does not build any more since I added sqlx. Can you fix it?";
const BUILD: &str = "docker build -t api .";
const PREPARE: &str = "cargo sqlx prepare --workspace";
const LAST_WORDS: &str = "Works, thank you!";

#[test]
fn transcripts_of_agents_contain_messages_and_actions() {
    for (name, text) in [
        transcript!("claude_code.jsonl"),
        transcript!("cline_api_conversation_history.json"),
        transcript!("cline_ui_messages.json"),
        transcript!("continue_session.json"),
        transcript!("codex_rollout.jsonl"),
        transcript!("gemini_session.json"),
        transcript!("gemini_checkpoint.json"),
        transcript!("claude_code_export.txt"),
    ] {
        let conversation = Conversation::read(text).unwrap();
        let turns = conversation.turns();
        let words: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        let words = words.join("\n");
        assert_eq!(turns[0].text.replace("Got it.", ""), ASKED, "{name}");
        assert_eq!(turns.last().unwrap().text, LAST_WORDS, "{name}");
        assert!(
            words.contains("The query macros want a database"),
            "{name}: {words}"
        );
        assert!(words.contains("The image builds now"), "{name}: {words}");
        for noise in [
            "I should run the build",
            "VSCode",
            "todo list",
            "Be brief",
            "cwd",
            "caveat",
        ] {
            assert!(!words.contains(noise), "{name}: {noise}: {words}");
        }
        let actions: Vec<&Action> = turns.iter().flat_map(|turn| &turn.actions).collect();
        let commands = actions.iter().filter(|it| it.kind == ActionKind::Command);
        let commands: Vec<&str> = commands.map(|it| it.input.as_str()).collect();
        assert_eq!(commands, [BUILD, PREPARE, BUILD], "{name}");
        let output = actions[0].output.as_deref().unwrap();
        assert!(
            output.contains("error: set `DATABASE_URL`"),
            "{name}: {output}"
        );
        assert!(
            output.contains("ERROR: failed to solve"),
            "{name}: {output}"
        );
        let last = actions.last().unwrap();
        assert!(!last.failed, "{name}");
        assert!(
            last.output
                .as_deref()
                .unwrap()
                .contains("Finished `release`"),
            "{name}"
        );
        let edits: Vec<&&Action> = actions
            .iter()
            .filter(|it| it.kind == ActionKind::Edit)
            .collect();
        assert_eq!(edits.len(), 1, "{name}");
        assert!(
            edits[0].input.contains("Dockerfile"),
            "{name}: {}",
            edits[0].input
        );
        assert!(edits[0].input.contains("ENV SQLX_OFFLINE=true"), "{name}");
    }
}

#[test]
fn exports_and_plain_text_contain_messages() {
    for (name, text) in [
        transcript!("chatgpt_conversations.json"),
        transcript!("plain.txt"),
    ] {
        let conversation = Conversation::read(text).unwrap();
        let turns = conversation.turns();
        let roles: Vec<Role> = turns.iter().map(|turn| turn.role).collect();
        let (user, assistant) = (Role::User, Role::Assistant);
        assert_eq!(roles, [user, assistant, user, assistant, user], "{name}");
        assert!(turns[0].text.starts_with(ASKED), "{name}");
        assert!(
            turns[0].text.contains("error: set `DATABASE_URL`"),
            "{name}"
        );
        assert!(turns[1].text.contains(PREPARE), "{name}");
        assert!(turns[2].text.contains("Finished `release`"), "{name}");
        assert_eq!(turns[4].text, LAST_WORDS, "{name}");
    }
}

#[test]
fn damaged_lines_are_skipped_and_counted() {
    let (_, text) = transcript!("claude_code.jsonl");
    let complete = Conversation::read(text).unwrap();
    // The file already has one damaged line.
    assert_eq!(complete.reading().skipped, 1);
    let torn: String = text
        .lines()
        .map(|line| format!("{line}\n{}\n", &line[..9]))
        .collect();
    let torn = Conversation::read(&torn).unwrap();
    assert_eq!(torn.turns(), complete.turns());
    assert_eq!(torn.reading().skipped, 1 + text.lines().count());
    let (_, text) = transcript!("chatgpt_conversations.json");
    assert_eq!(Conversation::read(text).unwrap().reading().others, 1);
}

#[test]
fn texts_without_a_conversation_are_rejected() {
    let deep = format!("[{}", "[".repeat(100_000));
    for (text, expected) in [
        ("", TranscriptError::Empty),
        (" \n ", TranscriptError::Empty),
        ("[]", TranscriptError::Unknown),
        ("{}", TranscriptError::Unknown),
        (
            "{\"dependencies\": {\"react\": \"19\"}}",
            TranscriptError::Unknown,
        ),
        ("[{\"id\": 7}]", TranscriptError::Unknown),
        (
            "[{\"role\": \"user\", \"content\": \" \"}]",
            TranscriptError::Empty,
        ),
        ("PK\0\u{3}", TranscriptError::NotText),
        (
            "{\"messages\": [",
            TranscriptError::Damaged {
                line: 1,
                column: 14,
            },
        ),
    ] {
        assert_eq!(Conversation::read(text).unwrap_err(), expected, "{text}");
    }
    let deep = Conversation::read(&deep).unwrap_err();
    assert!(matches!(deep, TranscriptError::Damaged { .. }), "{deep}");
    for text in [
        "user: root\nhost: db\n",
        "if (x) { y() }",
        "[info] all is well",
    ] {
        let conversation = Conversation::read(text).unwrap();
        assert_eq!(conversation.turns().len(), 1, "{text}");
    }
}

#[test]
fn long_texts_are_left_out_whole() {
    let long = "x".repeat(2 << 20);
    let read = |text: &str| Conversation::read(text).unwrap();
    let one = read(&format!("User: first\nAssistant: {long}\nUser: last"));
    let words: Vec<&str> = one.turns().iter().map(|turn| turn.text.as_str()).collect();
    assert_eq!((words, one.reading().left_out), (vec!["first\n\nlast"], 1));
    let turn = format!("User: {}\nAssistant: so\n", "y".repeat(900 << 10));
    let many = read(&format!(
        "User: first\nAssistant: so\n{}User: last",
        turn.repeat(20)
    ));
    let bytes: usize = many.turns().iter().map(Turn::bytes).sum();
    assert!(bytes <= 8 << 20, "{bytes}");
    assert!(many.reading().left_out > 10, "{:?}", many.reading());
    assert_eq!(many.turns()[0].text, "first");
    assert_eq!(many.turns().last().unwrap().text, "last");
}

#[test]
fn many_tags_are_read_in_linear_time() {
    // Quadratic time would take hours.
    let marks = [
        "<thinking>",
        "<thinking>x</thinking>",
        "<read_file>",
        "<read_file>x</read_file>",
        "<task>x</task>",
    ];
    for mark in marks {
        for role in ["user", "assistant"] {
            let content = mark.repeat((900 << 10) / mark.len());
            let transcript = serde_json::json!([{"role": "user", "content": "hello"}, {"role": role, "content": content}]);
            let conversation = Conversation::read(&transcript.to_string()).unwrap();
            assert_eq!(
                conversation.turns()[0].text.lines().next(),
                Some("hello"),
                "{mark}"
            );
        }
    }
}
