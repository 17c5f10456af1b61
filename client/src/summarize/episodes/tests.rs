//! Which parts of a conversation are solved problems.

use crate::{Action, ActionKind, ClientConfig, Conversation, Draft, RecallKitClient, Role, Turn};

fn said(role: Role, text: &str) -> Turn {
    Turn {
        role,
        text: text.to_owned(),
        actions: Vec::new(),
    }
}

fn ran(input: &str, output: &str, failed: bool) -> Turn {
    let action = Action {
        tool: "Bash".to_owned(),
        kind: ActionKind::Command,
        input: input.to_owned(),
        output: Some(output.to_owned()),
        failed,
    };
    Turn {
        actions: vec![action],
        ..said(Role::Assistant, "")
    }
}

fn of(turns: Vec<Turn>) -> Vec<super::Episode> {
    Conversation::from_turns(turns).unwrap().episodes()
}

const ERROR: &str = "error[E0502]: cannot borrow `v` as mutable\n --> src/main.rs:3:5";

#[test]
fn an_episode_reaches_from_the_request_to_the_first_success() {
    let episodes = of(vec![
        said(Role::User, "Add a cache"),
        said(Role::Assistant, "Done."),
        said(Role::User, "The build fails"),
        ran("cd app && cargo build --release", ERROR, true),
        ran("cargo build", ERROR, true),
        ran("ls src", "main.rs", false),
        ran("RUST_LOG=1 cargo build", "Finished", false),
        said(Role::Assistant, "The borrow ended too late."),
        said(Role::User, "Thanks"),
    ]);
    let [episode] = episodes.as_slice() else {
        panic!("{episodes:?}")
    };
    assert_eq!(episode.failures, 2);
    let turns = episode.conversation.turns();
    assert_eq!(turns[0].text, "The build fails");
    assert!(turns.last().unwrap().text.contains("too late"));
}

#[test]
fn what_never_passed_or_shows_no_error_is_no_episode() {
    assert!(of(vec![ran("cargo build", ERROR, true), ran("ls", "a", false)]).is_empty());
    assert!(of(vec![ran("grep x", "", true), ran("grep x", "x", false)]).is_empty());
    let mut long = vec![ran("cargo build", ERROR, true)];
    long.extend(
        (0..super::MAX_TURNS).flat_map(|_| [said(Role::User, "go on"), ran("ls", "a", false)]),
    );
    long.push(ran("cargo build", "Finished", false));
    assert!(of(long).is_empty());
}

#[test]
fn a_fingerprint_leaves_out_numbers_paths_and_names() {
    let same = [
        "TypeError: cannot read 'a' of undefined at /home/x/app.js:10:3",
        "TypeError: cannot read 'b' of undefined at /srv/y.js:7:1",
    ];
    assert_eq!(super::fingerprint(same[0]), super::fingerprint(same[1]));
    assert_ne!(
        super::fingerprint(same[0]),
        super::fingerprint("TypeError: x is no function")
    );
}

#[test]
fn a_fingerprint_carries_neither_a_person_nor_the_path_of_a_user() {
    let client = RecallKitClient::builder()
        .config(ClientConfig::default())
        .build()
        .unwrap();
    let fingerprint = |error: &str| {
        let found = of(vec![
            ran("git push", error, true),
            ran("git push", "done", false),
        ]);
        let [episode] = found.as_slice() else {
            panic!("{error}: {found:?}")
        };
        assert!(!format!("{episode:?}").contains(error));
        client.fingerprint_of(episode)
    };
    for error in [
        "error: permission to shop denied to Annika Sorensen",
        "error: the lock is held by Annika Sorensen since Monday",
        "error: the lock is held by McSorensen",
        "error: commit rejected, author Annika Sorensen <annika.sorensen@shop.example>",
        "error: cannot open /home/annika/srv/shop/main.rs",
        "error: cannot open /Users/Annika Sorensen/work/main.rs",
        "error: cannot open C:\\Users\\Annika Sorensen\\work\\main.rs",
        "error: cannot open ~annika/work",
        "error: no access for annika@shop.example",
        "error: Author: Annika Sorensen may not push here",
        "error: signed off by: Annika Sorensen",
    ] {
        let found = fingerprint(error);
        for name in ["annika", "sorensen"] {
            assert!(!found.contains(name), "{error}: {found}");
        }
        assert!(found.starts_with("error: "), "{found}");
    }
    let denied = |name: &str| fingerprint(&format!("error: permission to shop denied to {name}"));
    assert_eq!(denied("Annika Sorensen"), denied("Bogdan"));
    // Identifiers tell errors apart.
    assert_ne!(
        fingerprint("error: it failed with NullPointerException"),
        fingerprint("error: it failed with ENOENT")
    );
}

fn edited(path: &str) -> Turn {
    let mut turn = ran(path, "ok", false);
    turn.actions[0].kind = ActionKind::Edit;
    turn
}

#[test]
fn what_was_tried_and_did_not_help_is_named() {
    let check = |turns: Vec<Turn>, expected: &str| {
        let conversation = Conversation::from_turns(turns).unwrap();
        let mut draft = Draft::new("t", "p", "s");
        draft.context = Some("Rust 1.90".to_owned());
        super::add_failed_ways(&mut draft, &conversation);
        let context = draft.context.unwrap();
        let said = context.strip_prefix("Rust 1.90").unwrap().trim();
        assert_eq!(said, expected);
    };
    let failed = || ran("cargo build", ERROR, true);
    let passed = || ran("cargo build", "Finished", false);
    check(
        vec![
            ran("cargo update", "ok", false),
            failed(),
            ran("cat Cargo.toml", "…", false),
            ran("cargo clean", "ok", false),
            failed(),
            edited("/work/src/main.rs\n+let x = 1;"),
            ran("cargo clean", "ok", false),
            failed(),
            edited("/work/src/lib.rs"),
            passed(),
        ],
        "Did not work: `cargo clean`; a change of main.rs",
    );
    check(vec![failed(), edited("a.rs"), passed()], "");
    check(
        vec![failed(), ran("cargo clean", "ok", false), failed()],
        "",
    );
    // A step after which another error came was needed.
    let install = ran("apt-get install libssl-dev", "ok", false);
    let fails_with = |error: &str| ran("cargo build", error, true);
    let missing = "error: could not find openssl\n";
    check(
        vec![
            fails_with(missing),
            install.clone(),
            fails_with("error: could not find zlib\n"),
            edited("/work/build.rs"),
            passed(),
        ],
        "",
    );
    check(
        vec![
            fails_with(missing),
            ran("cargo clean", "ok", false),
            fails_with(missing),
            install,
            fails_with("src/main.rs:3:5: error: cannot borrow `v`"),
            edited("/work/src/lib.rs"),
            fails_with("src/main.rs:14:9: error: cannot borrow `v`"),
            edited("/work/src/main.rs"),
            passed(),
        ],
        "Did not work: `cargo clean`; a change of lib.rs",
    );
    let many: Vec<Turn> = (0..20)
        .flat_map(|number| {
            [
                failed(),
                ran(&format!("make {}", "x".repeat(60 + number)), "ok", false),
            ]
        })
        .chain([failed(), passed()])
        .collect();
    let conversation = Conversation::from_turns(many).unwrap();
    let mut draft = Draft::new("t", "p", "s");
    super::add_failed_ways(&mut draft, &conversation);
    let context = draft.context.clone().unwrap();
    assert!(context.chars().count() <= 260, "{context}");
    super::add_failed_ways(&mut draft, &conversation);
    assert_eq!(draft.context.unwrap(), context, "once");
}
