//! Unique names, announced changes, and watched resources.

#![allow(clippy::unwrap_used)]

use recall_kit_settings::Settings;
use serde_json::{Value, json};

use super::{Catalogue, Change, Entries};

fn entries(settings: Value) -> Result<Entries, String> {
    let settings: Settings = serde_json::from_value(settings).unwrap();
    Entries::of(&settings).map_err(|error| error.to_string())
}

fn program(name: &str, command: &str) -> Value {
    json!({ "name": name, "description": "d", "command": [command] })
}

fn memo(name: &str, text: &str) -> Value {
    json!({ "uri": format!("memo://{name}"), "text": text })
}

fn prompt(name: &str) -> Value {
    json!({ "name": name, "messages": [{ "text": "x" }] })
}

#[test]
fn names_must_be_unique() {
    let check = |settings: Value, words: &str| {
        let message = entries(settings).unwrap_err();
        assert!(message.contains(words), "{message}");
    };
    let programs = |names: [&str; 2]| json!({ "tools": { "programs": names.map(|name| program(name, "true")) } });
    check(programs(["a", "a"]), "tools.programs `a` appears twice");
    // Reserved even while the example tool is off, so that enabling it does not break the settings.
    check(programs(["a", "calculator_add"]), "`calculator_add`");
    check(programs(["query_experiences", "b"]), "`query_experiences`");
    let memos = json!({ "resources": [memo("a", "1"), memo("a", "2")] });
    check(memos, "resources `memo://a` appears twice");
    let prompts = json!({ "prompts": [prompt("review_experience")] });
    check(prompts, "prompts `review_experience` appears twice");
    check(json!({ "prompts": [prompt(" ")] }), "prompts ` `: ");
    assert!(entries(programs(["a", "b"])).is_ok());
}

#[test]
fn exactly_the_lists_and_texts_that_changed_are_announced() {
    let before = json!({
        "tools": { "programs": [program("a", "true")] },
        "resources": [memo("a", "1"), memo("b", "1")],
        "prompts": [prompt("p")],
    });
    let check = |pointer: &str, value: Value, expected: &[Change]| {
        let catalogue = Catalogue::new(entries(before.clone()).unwrap());
        let mut changes = catalogue.changes();
        let mut after = before.clone();
        *after.pointer_mut(pointer).unwrap() = value;
        catalogue.replace(entries(after).unwrap());
        let mut announced = Vec::new();
        while let Ok(change) = changes.try_recv() {
            announced.push(change);
        }
        assert_eq!(announced, expected, "{pointer}");
    };
    check("/tools", before["tools"].clone(), &[]);
    check("/tools/programs/0", program("a", "false"), &[Change::Tools]);
    check("/tools/programs", json!([]), &[Change::Tools]);
    check("/tools", json!({ "calculator": true }), &[Change::Tools]);
    check("/prompts", json!([]), &[Change::Prompts]);
    check("/resources/1", memo("c", "1"), &[Change::Resources]);
    check(
        "/resources/1",
        memo("b", "2"),
        &[Change::Resources, Change::Resource("memo://b".into())],
    );
}

#[test]
fn a_change_between_two_checks_is_detected() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("notes.txt");
    let uri = format!("file://{}", path.display());
    let entries = entries(json!({ "resources": [{ "uri": uri }, memo("a", "1")] }));
    let catalogue = Catalogue::new(entries.unwrap());
    let changed = || {
        let changed = catalogue.changed_files();
        changed.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(catalogue.watch(&uri) && catalogue.watch("memo://a"));
    assert_eq!(changed(), Vec::<String>::new());
    for text in [Some("one"), Some("other"), None] {
        match text {
            Some(text) => std::fs::write(&path, text).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        assert_eq!(changed(), [uri.as_str()], "{text:?}");
        assert_eq!(changed(), Vec::<String>::new(), "{text:?}");
    }
    // With two subscriptions it is watched until both end.
    assert!(catalogue.watch(&uri));
    catalogue.unwatch(&uri);
    std::fs::write(&path, "back").unwrap();
    assert_eq!(changed(), [uri.as_str()]);
    catalogue.unwatch(&uri);
    catalogue.unwatch(&uri);
    std::fs::write(&path, "unseen by anybody").unwrap();
    assert_eq!(changed(), Vec::<String>::new());
}
