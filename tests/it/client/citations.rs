//! The files that entries cite, beside an agent and at a terminal: named when an entry is added, compared when it is shown.

use std::fs;

use recall_kit_tests::{Home, Recorder, Server, StdioPeer, client, run};
use serde_json::{Value, json};

use crate::agents::served::greet;

const KEY: &str = "io.recallkit/citations";
/// The SHA-256 of twenty times `one\ntwo\n`.
const HASH: &str = "d586eab07cf9d77478438873aea6591832b0939564ebd45defccde8298768319";
const TEXT: &str = "`src/pool.rs:3` runs dry; see docs/gone.md, src/kept.rs, .env, out/made.rs, tls/server.pem, ../outside.rs \
                    and /etc/hostname.";

/// Repeats a text, so that its file is large enough to be cited.
fn long(text: &str) -> String {
    text.repeat(20)
}

/// Returns a home with a repository in a folder below it.
fn repository() -> Home {
    let home = Home::new();
    let (lines, text) = (long("one\r\ntwo\r\n"), long("text"));
    let text = text.as_str();
    for (path, text) in [
        (".git/HEAD", ""),
        ("src/pool.rs", lines.as_str()),
        ("src/kept.rs", text),
        ("docs/gone.md", text),
        (".env", "PIN=1234"),
        (".gitignore", "out/\n"),
        ("out/made.rs", text),
        ("tls/server.pem", text),
        ("../outside.rs", text),
    ] {
        home.write(&format!("work/shop/{path}"), text);
    }
    home
}

/// Starts the program beside an agent that works in a folder of the repository.
async fn host(home: &Home, url: &str) -> StdioPeer {
    let mut command = client(home, &["--server", url, "mcp", "--profile", "full"]);
    command.current_dir(home.path().join("work/shop/src"));
    let mut host = StdioPeer::of(command);
    greet(&mut host, json!({})).await;
    host
}

async fn call(host: &mut StdioPeer, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let answer = host.request("tools/call", params).await;
    let result = answer["result"].clone();
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"], "both say the same");
    text
}

#[tokio::test]
async fn an_agent_is_told_that_an_entry_was_written_for_another_version_of_a_file() {
    let home = repository();
    let server = Server::start(&home).await;
    let wire = Recorder::start(server.port(), true).await;
    let mut agent = host(&home, &wire.url()).await;
    let entry = json!({"type": "pitfall", "title": "The pool runs dry", "content": TEXT});
    let id = call(&mut agent, "rekall_add", entry).await["id"].clone();
    let stored = server.wire.call("rekall_show", json!({"id": id})).await;
    let cited = &stored["citations"];
    assert_eq!(
        cited[0],
        json!({"path": "src/pool.rs", "sha256": HASH}),
        "{stored}"
    );
    assert_eq!(cited[1]["path"], "docs/gone.md", "{stored}");
    assert_eq!(cited[2]["path"], "src/kept.rs", "{stored}");
    assert_eq!(cited.as_array().unwrap().len(), 3, "{stored}");
    // Nothing but paths and hashes leaves.
    let sent = wire.sent();
    assert!(sent.contains(HASH) && !sent.contains("1234"), "{sent}");
    assert!(
        !sent.contains("one\\r\\ntwo") && !sent.contains("work/shop"),
        "{sent}"
    );

    let shown = call(&mut agent, "rekall_show", json!({"id": id})).await;
    let states: Vec<&Value> = shown["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["state"])
        .collect();
    assert_eq!(states, ["same"; 3], "{shown}");
    let search = json!({"query": "pool dry"});
    let found = call(&mut agent, "rekall_search", search.clone()).await;
    assert_eq!(found["results"][0]["title"], "The pool runs dry", "{found}");
    assert_eq!(found["results"][0].get("citations"), None, "{found}");
    assert_eq!(found["results"][0].get("changed_files"), None, "{found}");

    // Other line ends are no change, another text is one.
    home.write("work/shop/src/pool.rs", long("one\ntwo\n"));
    let shown = call(&mut agent, "rekall_show", json!({"id": id})).await;
    assert_eq!(shown["citations"][0]["state"], "same", "{shown}");
    home.write("work/shop/src/pool.rs", long("one\n2\n"));
    fs::remove_file(home.path().join("work/shop/docs/gone.md")).unwrap();
    let shown = call(&mut agent, "rekall_show", json!({"id": id})).await;
    let files = &shown["citations"];
    assert_eq!(files[0]["state"], "changed", "{shown}");
    let note = files[0]["note"].as_str().unwrap();
    assert!(
        note.contains("was written for another version of this file"),
        "{note}"
    );
    assert_eq!(files[1]["state"], "missing", "{shown}");
    assert_eq!(
        files[1]["note"], "this file is not in the working tree",
        "{shown}"
    );
    let found = call(&mut agent, "rekall_search", search).await;
    assert_eq!(
        found["results"][0]["changed_files"],
        json!(["src/pool.rs"]),
        "{found}"
    );
    assert_eq!(
        found["results"][0]["missing_files"],
        json!(["docs/gone.md"]),
        "{found}"
    );

    at_a_terminal(&home, &wire.url(), id.as_str().unwrap()).await;

    // If no file is the same, the entry may be about another repository.
    home.write("work/shop/src/kept.rs", long("other"));
    let shown = call(&mut agent, "rekall_show", json!({"id": id})).await;
    let note = shown["citations"][0]["note"].as_str().unwrap();
    assert!(note.contains("may be about another repository"), "{note}");

    // Unless its project has the name of the repository: then a search names its files even if none of them is there.
    for (project, expected) in [("other", Value::Null), ("shop", json!(["src/kept.rs"]))] {
        home.write("work/shop/src/kept.rs", long("text"));
        let title = format!("Otters block the {project} intake");
        let entry = json!({"type": "bug", "title": title, "content": "see src/kept.rs", "project": project});
        call(&mut agent, "rekall_add", entry).await;
        fs::remove_file(home.path().join("work/shop/src/kept.rs")).unwrap();
        let search = json!({"query": title, "project": project});
        let found = call(&mut agent, "rekall_search", search).await;
        let found = &found["results"][0];
        assert_eq!(found["title"], title, "{found}");
        assert_eq!(found["missing_files"], expected, "{found}");
        assert_eq!(found["project"], Value::Null, "{found}");
    }
}

/// A person reads the same, in their language.
async fn at_a_terminal(home: &Home, url: &str, id: &str) {
    for (locale, changed, missing) in [
        (
            "en_US.UTF-8",
            "cites a file that differs here: src/pool.rs",
            "docs/gone.md, which is not in",
        ),
        (
            "fr_FR.UTF-8",
            "cite un fichier qui diffère ici\u{a0}: src/pool.rs",
            "docs/gone.md, absent de ce dépôt",
        ),
        (
            "zh_CN.UTF-8",
            "此处的 src/pool.rs 与其引用的文件不同",
            "涉及 docs/gone.md，但当前仓库中没有此文件",
        ),
    ] {
        for args in [&["show", id][..], &["knowledge", "pool dry"]] {
            let args = [&["--server", url], args].concat();
            let mut command = client(home, &args);
            command.env("LC_ALL", locale).env("COLUMNS", "200");
            command.current_dir(home.path().join("work/shop"));
            let output = run(command, "").await;
            let page = output.expect_code(0);
            assert!(
                page.contains(changed) && page.contains(missing),
                "{locale} {args:?}: {page}"
            );
        }
    }
    let mut command = client(home, &["--server", url, "--json", "show", id]);
    // Outside of a repository nothing can be told.
    command.current_dir(home.path());
    let page: Value = serde_json::from_str(run(command, "").await.expect_code(0)).unwrap();
    assert_eq!(page["citations"][0].get("state"), None, "{page}");
}

#[tokio::test]
async fn nothing_is_named_or_read_if_the_settings_do_not_want_it() {
    let home = repository();
    let server = Server::start(&home).await;
    let wire = Recorder::start(server.port(), true).await;
    home.configure_client(json!({"citations": "off"}).to_string());
    let mut agent = host(&home, &wire.url()).await;
    let entry = json!({"type": "pitfall", "title": "The pool runs dry", "content": TEXT});
    let id = call(&mut agent, "rekall_add", entry).await["id"].clone();
    call(&mut agent, "rekall_search", json!({"query": "pool"})).await;
    assert!(!wire.sent().contains(KEY), "{}", wire.sent());
    // An entry of others is shown as it is.
    let params = json!({
        "name": "rekall_add",
        "arguments": {"type": "bug", "title": "Of others"},
        "_meta": {KEY: [{"path": "src/pool.rs", "sha256": "0".repeat(64)}]},
    });
    let added = server.wire.rpc("tools/call", params).await;
    let other = added["result"]["structuredContent"]["id"].clone();
    let shown = call(&mut agent, "rekall_show", json!({"id": other})).await;
    assert_eq!(shown["citations"][0].get("state"), None, "{shown}");
    let own = call(&mut agent, "rekall_show", json!({"id": id})).await;
    assert_eq!(own.get("citations"), None, "{own}");
}
