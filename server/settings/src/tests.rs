//! Precedence of sources, unknown keys, defaults.

#![allow(clippy::unwrap_used)]

use std::io::Write as _;

use serde_json::{Map, Value, json};

use super::{AccessMode, EmbeddingProvider, PromptRole, Settings, SettingsError, Transport};

fn load(file: &str, flags: serde_json::Value) -> Result<Settings, SettingsError> {
    let mut path = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    path.write_all(file.as_bytes()).unwrap();
    let flags = flags.as_object().cloned().unwrap_or_else(Map::new);
    Settings::load(Some(path.path()), &flags)
}

#[test]
fn flags_win_over_the_file_and_the_file_over_defaults() {
    let file =
        "port = 1\nhost = \"127.0.0.2\"\n[embeddings]\nprovider = \"off\"\n[query]\ntimeout_ms = 7";
    let settings = load(
        file,
        json!({ "port": 2, "embeddings": { "provider": "openai" } }),
    )
    .unwrap();
    assert_eq!(settings.port, 2);
    assert_eq!(settings.host.to_string(), "127.0.0.2");
    assert_eq!(settings.embeddings.provider, EmbeddingProvider::Openai);
    assert_eq!(settings.query.timeout_ms, 7);
    assert_eq!(settings.limits, super::LimitSettings::default());
}

#[test]
fn transports_have_other_spellings() {
    for (given, expected) in [
        ("sse", Transport::Http),
        ("http-stream", Transport::Http),
        ("stdio", Transport::Stdio),
    ] {
        assert_eq!(
            load("", json!({ "transport": given })).unwrap().transport,
            expected
        );
    }
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    for (file, key, nearest) in [
        ("prot = 1", "prot", Some("port")),
        (
            "[query]\ntimeout = 1",
            "query.timeout",
            Some("query.timeout_ms"),
        ),
        ("[zzz]\nq = 1", "zzz", None),
        (
            "[tools]\ncalculater = true",
            "tools.calculater",
            Some("tools.calculator"),
        ),
        (
            "[[tools.programs]]\nname = \"x\"\ncomand = [\"x\"]",
            "tools.programs.comand",
            Some("tools.programs.command"),
        ),
        (
            "[[resources]]\nuri = \"memo://x\"\n[[resources]]\nmimetype = \"a/b\"",
            "resources.mimetype",
            Some("resources.mime_type"),
        ),
        ("[[prompts]]\nprompts = 1", "prompts.prompts", None),
        (
            "[[prompts]]\n[[prompts.arguments]]\nrequird = true",
            "prompts.arguments.requird",
            Some("prompts.arguments.required"),
        ),
        (
            "[[prompts]]\n[[prompts.messages]]\ntest = \"x\"",
            "prompts.messages.test",
            Some("prompts.messages.text"),
        ),
    ] {
        match load(file, json!({})) {
            Err(SettingsError::UnknownKey {
                key: found,
                nearest: near,
            }) => {
                assert_eq!((found.as_str(), near.as_deref()), (key, nearest), "{file}");
            }
            other => panic!("{file}: {other:?}"),
        }
    }
}

#[test]
fn the_example_file_shows_every_setting_and_its_default() {
    // A setting is commented out with `#` alone, prose with `# `.
    let example = include_str!("../../deploy/recall-kit-server.example.toml");
    let settings: Vec<&str> = example
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| line.trim_start_matches('#'))
        .collect();
    let file = settings.join("\n");
    load(&file, json!({})).unwrap();
    let shown = config::Config::builder()
        .add_source(config::File::from_str(&file, config::FileFormat::Toml));
    let shown: Value = shown.build().unwrap().try_deserialize().unwrap();
    compare(&super::known_tree(), &shown, "");
}

/// Checks that every known key is shown, with its default if it has one. Items of lists have
/// no defaults: each of their keys must appear in one of the items shown.
fn compare(known: &Value, shown: &Value, path: &str) {
    match known {
        Value::Null => assert!(!shown.is_null(), "{path} is not shown"),
        Value::Array(samples) if !samples.is_empty() => {
            let items = shown.as_array().expect(path);
            for key in samples[0].as_object().unwrap().keys() {
                let is_shown = items.iter().any(|item| item.get(key).is_some());
                assert!(is_shown, "{path}.{key} is not shown");
            }
        }
        Value::Object(sections) => {
            for (key, below) in sections {
                compare(below, &shown[key], &format!("{path}.{key}"));
            }
        }
        default => assert_eq!(shown, default, "{path}"),
    }
}

#[test]
fn an_error_about_a_broken_file_does_not_repeat_its_contents() {
    for (file, words) in [
        ("port = 1\n[embeddings]\napi_key = \"private-text", "line 3"),
        ("port = \"private-text\"", "port"),
        ("[query]\ntimeout_ms = [\"private-text\"]", "timeout_ms"),
    ] {
        let message = load(file, json!({})).unwrap_err().to_string();
        assert!(!message.contains("private-text"), "{message}");
        assert!(message.contains(words), "{file}: {message}");
    }
}

#[test]
fn schemas_and_environments_may_have_any_keys() {
    let file = r#"
        [[tools.programs]]
        name = "count"
        description = "Count words"
        command = ["wc", "-w"]
        env = { ANY_NAME = "hush" }
        input_schema = { type = "object", properties = { anything = { titel = "any" } } }
        output_schema = { "x-own" = 1 }
        [[prompts]]
        name = "p"
        messages = [{ role = "assistant", text = "x" }]
    "#;
    let settings = load(file, json!({})).unwrap();
    let program = &settings.tools.programs[0];
    assert_eq!(program.env["ANY_NAME"].expose(), "hush");
    let anything = &program.input_schema["properties"]["anything"];
    assert_eq!(anything["titel"], "any");
    assert_eq!(
        (program.timeout_ms, program.output_bytes),
        (30_000, 1 << 20)
    );
    assert_eq!(settings.prompts[0].messages[0].role, PromptRole::Assistant);
    assert!(!format!("{settings:?}").contains("hush"));
}

#[test]
fn an_open_address_needs_a_key_or_consent() {
    use super::AccessMode::{Anonymous, AnonymousRead, Required};
    let check = |file: &str, has_key: bool, expected: Option<AccessMode>| {
        let settings = load(file, json!({})).unwrap();
        let mode = match settings.access_mode(has_key) {
            Ok(mode) => Some(mode),
            Err(SettingsError::OpenToAll(address)) => {
                assert_eq!(address, settings.address());
                None
            }
            Err(SettingsError::OpenToOthers { .. }) => None,
            Err(other) => panic!("{file}: {other:?}"),
        };
        assert_eq!(mode, expected, "{file}, a key: {has_key}");
    };
    let open = |more: &str| format!("host = \"0.0.0.0\"\n{more}");
    check("", false, Some(Anonymous));
    check("", true, Some(Anonymous));
    check("host = \"::1\"", true, Some(Anonymous));
    check(&open(""), false, None);
    check(&open(""), true, Some(Required));
    check(&open("transport = \"stdio\""), false, Some(Anonymous));
    for (word, mode) in [
        ("anonymous", Anonymous),
        ("anonymous-read", AnonymousRead),
        ("required", Required),
    ] {
        assert_eq!(mode.to_string(), word);
        let chosen = format!("[access]\nmode = \"{word}\"");
        check(&chosen, true, Some(mode));
        check(&open(&chosen), false, Some(mode));
    }
    assert!(load("[access]\nmode = \"open\"", json!({})).is_err());

    // A host name or a proxy by which other machines reach the server needs one as well.
    for others in [
        "hosts = [\"localhost\", \"kit.example.com\"]",
        "hosts = [\"192.0.2.7:8090\"]",
        "trusted_proxies = [\"127.0.0.1\"]",
    ] {
        let reached = format!("[access]\n{others}\n");
        check(&reached, false, None);
        check(&reached, true, Some(Required));
        check(
            &format!("{reached}mode = \"anonymous\""),
            false,
            Some(Anonymous),
        );
        let refused = load(&reached, json!({})).unwrap().access_mode(false);
        let words = refused.unwrap_err().to_string();
        assert!(words.contains("--access anonymous"), "{words}");
    }
    let near =
        "hosts = [\"LOCALHOST:3000\", \"kit.localhost\", \"127.0.0.1:80\", \"::1\", \"[::1]:1\"]";
    check(&format!("[access]\n{near}"), false, Some(Anonymous));
}

#[test]
fn proxies_are_addresses_or_networks() {
    let settings = load(
        "[access]\ntrusted_proxies = [\"10.0.0.0/8\", \"::1\"]",
        json!({}),
    );
    assert_eq!(settings.unwrap().access.trusted_proxies.len(), 2);
    let refused = load("[access]\ntrusted_proxies = [\"proxy.example\"]", json!({}));
    let words = refused.unwrap_err().to_string();
    assert!(
        words.contains("10.0.0.0/8") && !words.contains("proxy.example"),
        "{words}"
    );
}

#[test]
fn secrets_stay_out_of_debug_output() {
    let word = ["hush", "hush"].concat();
    let settings = load(&format!("[embeddings]\napi_key = \"{word}\""), json!({})).unwrap();
    assert_eq!(settings.embeddings.api_key.expose(), word);
    assert!(!format!("{settings:?}").contains(&word));
}
