//! Drafts without a model, in three languages.

#![allow(clippy::unwrap_used)]

use super::*;

/// A conversation, and what its draft's fields contain: title, problem, cause, solution, context.
type Case = (&'static str, [&'static str; 5]);

const CASES: [Case; 5] = [
    (
        "User: The page stays on 0 although I click. Why?\n\
         Assistant: The problem is a stale closure: the callback sees the first count. Use setCount(c => c + 1).\n\
         ```js\nsetCount(c => c + 1);\n```\n\
         User: Fixed, thanks!",
        [
            "The page stays on 0 although I click. Why?",
            "The page stays on 0",
            "The problem is a stale closure",
            "Use setCount(c => c + 1)",
            "setCount(c => c + 1);",
        ],
    ),
    (
        "用户：启动服务时报错\nError: listen EADDRINUSE: address already in use :::3000\n\
         助手：根本原因是上一个进程没有退出。先结束占用 3000 端口的进程。\n\
         用户：好了，谢谢",
        [
            "Error: listen EADDRINUSE: address already in use :::3000",
            "启动服务时报错",
            "根本原因是上一个进程没有退出",
            "先结束占用 3000 端口的进程",
            "",
        ],
    ),
    (
        "Utilisateur : Le build ne marche pas\n[2026-03-02 10:00:00] fatal: erreur de lecture du fichier config.toml\n\
         Assistant : La cause est un tabulateur dans le fichier. Remplacez-le par des espaces.\n\
         Utilisateur : Ça marche, merci",
        [
            "fatal: erreur de lecture du fichier config.toml",
            "Le build ne marche pas",
            "La cause est un tabulateur",
            "Remplacez-le par des espaces",
            "",
        ],
    ),
    // A text by a single author.
    (
        "Docker cannot resolve names\n\ndocker: Error response: lookup registry: no such host\n\n\
         Solution: set dns in daemon.json and restart",
        [
            "docker: Error response: lookup registry: no such host",
            "Docker cannot resolve names",
            "",
            "set dns in daemon.json",
            "",
        ],
    ),
    // A problem without a solution.
    (
        "error: it is broken\nwhat now",
        ["error: it is broken", "what now", "", "", ""],
    ),
];

#[test]
fn a_draft_contains_the_last_error_the_changes_and_what_worked() {
    for (transcript, expected) in CASES {
        let draft = draft(&Conversation::read(transcript).unwrap());
        let optional = |text: &Option<String>| text.clone().unwrap_or_default();
        let fields = [
            draft.title.clone(),
            draft.problem_description.clone(),
            optional(&draft.root_cause),
            draft.solution.clone(),
            optional(&draft.context),
        ];
        for (field, words) in fields.iter().zip(expected) {
            assert!(field.contains(words), "{transcript}:\n{words}\n{fields:#?}");
            assert_eq!(
                words.is_empty(),
                field.is_empty(),
                "{transcript}:\n{fields:#?}"
            );
        }
        assert_eq!(draft.title, expected[0], "{transcript}");
    }
}

#[test]
fn the_last_error_is_used_but_not_errors_in_files_that_were_read() {
    let action = |kind, input: &str, output: &str, failed| Action {
        tool: "t".to_owned(),
        kind,
        input: input.to_owned(),
        output: Some(output.to_owned()),
        failed,
    };
    let agent = |actions: Vec<Action>| Turn {
        role: Role::Assistant,
        text: String::new(),
        actions,
    };
    let request = Turn {
        role: Role::User,
        text: "make it build".to_owned(),
        actions: Vec::new(),
    };
    let turns = vec![
        request,
        agent(vec![action(
            ActionKind::Command,
            "make",
            "error: first",
            true,
        )]),
        agent(vec![
            action(ActionKind::Edit, "a.c\n-x\n+y", "ok", false),
            action(
                ActionKind::Command,
                "make",
                "12:00 error: second\n10 errors",
                true,
            ),
            action(
                ActionKind::Other,
                "log.txt",
                "error: of somebody else",
                false,
            ),
            action(ActionKind::Edit, "src/b.c\n-1\n+2", "ok", false),
            action(
                ActionKind::Command,
                "make",
                "0 errors, done\ntest no_error_at_all ... ok",
                false,
            ),
            action(ActionKind::Command, "ls", "", false),
        ]),
    ];
    let draft = draft(&Conversation::from_turns(turns).unwrap());
    assert_eq!(draft.title, "error: second");
    assert_eq!(
        draft.solution,
        "Changed: a.c, b.c\n\nThis worked afterwards: `make`"
    );
    assert_eq!(draft.keywords, ["make", "a.c", "b.c"]);
}

#[test]
fn keywords_and_titles_contain_no_placeholders() {
    let code = "setCount(count + 1) with API key=YOUR_API_KEY, as user@example.com on var_001";
    for (transcript, title, keywords) in [
        (
            format!("User: {code}; why? The page stays on 0.\nAssistant: Use useState's form.\n"),
            "The page stays on 0.",
            vec!["setcount", "api"],
        ),
        (
            format!("User: {code}\nAssistant: Ask again."),
            "setCount(count + 1) with API … as … on …",
            vec!["setcount", "api"],
        ),
        (
            "User: It stops\nerror: login of user@example.com refused by fetchToken()\n\
             Assistant: Log in."
                .to_owned(),
            "error: login of … refused by fetchToken()",
            vec!["fetchtoken"],
        ),
    ] {
        let draft = draft(&Conversation::read(&transcript).unwrap());
        assert_eq!(draft.title, title, "{transcript}");
        assert_eq!(draft.keywords, keywords, "{transcript}");
    }
    for (command, program) in [
        ("RUST_LOG=debug cargo test", Some("cargo")),
        ("sudo ./gradlew build", Some("gradlew")),
        ("(cd x", None),
        ("\"$EDITOR\" YOUR_NAME", None),
    ] {
        assert_eq!(program_of(command), program, "{command}");
    }
}

#[test]
fn a_long_first_line_is_cut_at_a_sentence_or_a_word() {
    let words = "several words ".repeat(20);
    assert_eq!(title_of(&format!("It stops. {words}"), ""), "It stops.");
    let title = title_of(&words, "");
    assert!(
        title.ends_with(" several…") && title.chars().count() <= 120,
        "{title}"
    );
}
