//! Where settings come from, which ones are rejected, and what may be shown of them.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, fs, path::PathBuf, time::Duration};

use recall_kit_sanitizer::RuleGroup;
use tempfile::TempDir;

use super::*;
use crate::ConfiguredSanitizer;

const EXAMPLE: &str = include_str!("../../../recall-kit-client.config.json.example");

fn environment(variables: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    variables.iter().map(owned).collect()
}

/// Loads `file` from a directory of its own, under the given environment, once the user trusts it.
pub(super) fn load(file: &str, variables: &[(&str, &str)]) -> Result<ClientConfig, String> {
    let dir = TempDir::new().unwrap();
    let search = trusting(&dir, file, variables);
    let loaded = search.load().map_err(|error| error.to_string())?;
    Ok(loaded.config)
}

/// Writes `file` into a folder of `dir`, trusts it, and returns a search in that folder.
fn trusting(dir: &TempDir, file: &str, variables: &[(&str, &str)]) -> ConfigSearch {
    let search = ConfigSearch {
        working_dir: Some(dir.path().join("project")),
        user_dir: Some(dir.path().join("user")),
        environment: environment(variables),
        ..ConfigSearch::default()
    };
    let path = dir.path().join("project").join(CONFIG_FILE_NAME);
    fs::create_dir_all(dir.path().join("project")).unwrap();
    fs::write(&path, file).unwrap();
    // Trusts also what is not a configuration, as if it had been one of a newer program.
    let canonical = path.canonicalize().unwrap();
    let hash = ring::digest::digest(&ring::digest::SHA256, file.as_bytes());
    let sha256: String = hash
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let decision = serde_json::json!({"version": 1, "files": [
        {"path": canonical, "sha256": sha256, "trusted": true, "decided_at": 0},
    ]});
    fs::create_dir_all(dir.path().join("user")).unwrap();
    fs::write(dir.path().join("user/trusted.json"), decision.to_string()).unwrap();
    search
}

#[test]
fn the_example_configuration_is_read() {
    let config = load(EXAMPLE, &[]).unwrap();
    assert_eq!(config.server.url, LOCAL_SERVER_URL);
    assert_eq!(config.server.attempt_timeout(), Duration::from_secs(5));
    assert_eq!(config.ai.model, "gpt-4");
    assert_eq!(config.ai.api_key, Some(ApiKey::new("YOUR_API_KEY")));
    assert_eq!(
        config.sanitizer.rules,
        [
            RuleGroup::RemoveApiKeys,
            RuleGroup::AnonymizeVariables,
            RuleGroup::RemoveUrls
        ]
    );
    assert!(!config.sends_unasked());
}

#[test]
fn an_empty_object_gives_the_defaults() {
    assert_eq!(load("{}", &[]).unwrap(), ClientConfig::default());
    assert_eq!(
        ConfigSearch::default().load().unwrap().config,
        ClientConfig::default()
    );
}

#[test]
fn settings_are_serialized_without_the_key() {
    let mut config = ClientConfig::default();
    config.ai.api_key = Some(ApiKey::new("hidden"));
    let written = serde_json::to_string(&config).unwrap();
    assert!(!written.contains("hidden"));
    assert!(!format!("{config:?}").contains("hidden"));
    assert_eq!(load(&written, &[]).unwrap(), ClientConfig::default());
}

#[test]
fn the_environment_takes_precedence_over_the_file() {
    let config = load(
        r#"{"server": {"url": "mcp://other", "timeout": 1}}"#,
        &[
            ("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "250"),
            ("RECALL_KIT_CLIENT_AUTOSUBMIT", "true"),
            ("RECALL_KIT_CLIENT_PROMPT_ON_SUBMIT", "false"),
            ("RECALL_KIT_CLIENT_AI__API_KEY", "k"),
            (
                "RECALL_KIT_CLIENT_SANITIZER__RULES",
                "remove_urls, remove_api_keys",
            ),
            ("UNRELATED", "x"),
        ],
    )
    .unwrap();
    assert_eq!(config.server.url, "mcp://other");
    assert_eq!(config.server.timeout, 250);
    assert!(config.sends_unasked());
    assert_eq!(config.ai.api_key, Some(ApiKey::new("k")));
    assert_eq!(
        config.sanitizer.rules,
        [RuleGroup::RemoveUrls, RuleGroup::RemoveApiKeys]
    );
}

#[test]
fn a_named_or_own_file_may_use_the_environment() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join(CONFIG_FILE_NAME);
    fs::write(
        &file,
        r#"{"server": {"url": "http://${HOST}:${PORT}/mcp"}}"#,
    )
    .unwrap();
    let variables = [("HOST", "memory"), ("PORT", "99")];
    let path = file.to_str().unwrap();
    let named = [&variables[..], &[("RECALL_KIT_CLIENT_CONFIG", path)]].concat();
    let within = Some(dir.path().to_owned());
    let search = |explicit, user_dir, variables| ConfigSearch {
        explicit,
        working_dir: within.clone(),
        user_dir,
        environment: environment(variables),
    };
    for search in [
        search(Some(file.clone()), None, &variables),
        search(None, within.clone(), &variables),
        search(None, None, &named),
    ] {
        let config = search.load().unwrap().config;
        assert_eq!(config.server.url, "http://memory:99/mcp");
    }
    let found = search(None, None, &variables).load().unwrap();
    assert_eq!(found.config, ClientConfig::default());
    assert_eq!(*found.ignored[0].standing(), Standing::New);
}

#[test]
fn a_found_file_may_use_the_environment_only_for_the_key() {
    let variables = [("TOKEN", "what-the-token-is")];
    let config = load(r#"{"ai": {"apiKey": "${TOKEN}"}}"#, &variables).unwrap();
    assert_eq!(config.ai.api_key, Some(ApiKey::new("what-the-token-is")));
    for (file, key) in [
        (r#"{"server": {"url": "http://x/${TOKEN}"}}"#, "server.url"),
        (r#"{"ai": {"model": "${TOKEN}"}}"#, "ai.model"),
        (
            r#"{"sanitizer": {"rules": ["${TOKEN}"]}}"#,
            "sanitizer.rules",
        ),
    ] {
        let error = load(file, &variables).unwrap_err();
        assert!(error.contains(&format!("`{key}`")), "{error}");
        assert!(error.contains("--config"), "{error}");
        assert!(!error.contains("what-the-token-is"), "{error}");
    }
}

#[test]
fn errors_do_not_quote_values() {
    let secret = ["hunter", "86"].join("-");
    let check = |file: String, words: &str| {
        let error = load(&file, &[]).unwrap_err();
        assert!(!error.contains(&secret), "{error}");
        assert!(error.contains(words), "{error:?} lacks {words:?}");
    };
    check(
        format!(r#"{{"server": {{"timeout": "{secret}"}}}}"#),
        "`server.timeout` in the configuration has to be a whole number",
    );
    check(
        format!(r#"{{"autoSubmit": "{secret}"}}"#),
        "`autoSubmit` in the configuration has to be true or false",
    );
    check(
        format!(r#"{{"sanitizer": {{"rules": ["{secret}"]}}}}"#),
        "remove_personal_info",
    );
    check(format!("{{\n\"ai\": {secret}}}"), "line 2 column 7");
}

#[test]
fn invalid_settings_are_rejected_with_a_helpful_message() {
    let check = |file: &str, variables: &[(&str, &str)], words: &str| {
        let error = load(file, variables).unwrap_err();
        assert!(error.contains(words), "{error:?} lacks {words:?}");
    };
    check("{", &[], "is not JSON");
    check("[]", &[], "config.json is not a JSON object");
    check(r#"{"sever": {}}"#, &[], "did you mean `server`?");
    check(
        r#"{"server": {"uri": ""}}"#,
        &[],
        "did you mean `server.url`?",
    );
    check(r#"{"timeout": 1}"#, &[], "did you mean `server.timeout`?");
    check(
        r#"{"ai": {"apikey": ""}}"#,
        &[],
        "did you mean `ai.apiKey`?",
    );
    check(r#"{"autosubmit": true}"#, &[], "did you mean `autoSubmit`?");
    check(
        r#"{"server": "x"}"#,
        &[],
        "`server` in the configuration file",
    );
    check(r#"{"server": {"timeout": "soon"}}"#, &[], "server.timeout");
    check(r#"{"server": {"timeout": 0}}"#, &[], "at least 1");
    check(
        r#"{"sanitizer": {"rules": ["remove_url"]}}"#,
        &[],
        "remove_urls",
    );
    check(
        r#"{"ai": {"apiKey": "${NO_SUCH}"}}"#,
        &[],
        "no variable `NO_SUCH`",
    );
    check(r#"{"ai": {"apiKey": "${OPEN"}}"#, &[], "`${` without `}`");
    check(
        "{}",
        &[("RECALL_KIT_CLIENT_SERVER__URI", "x")],
        "did you mean `RECALL_KIT_CLIENT_SERVER__URL`?",
    );
}

#[test]
fn files_are_searched_in_order() {
    let dir = TempDir::new().unwrap();
    let [project, nested, user] = ["project", "project/a/b", "user"].map(|name| {
        let path = dir.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    });
    let mut search = ConfigSearch {
        working_dir: Some(nested),
        user_dir: Some(user.clone()),
        ..ConfigSearch::default()
    };
    let path = |search: &ConfigSearch| search.load().unwrap().path;
    assert_eq!(path(&search), None);

    let in_user = user.join(CONFIG_FILE_NAME);
    fs::write(&in_user, "{}").unwrap();
    assert_eq!(path(&search), Some(in_user.clone()));

    let in_project = project.join(CONFIG_FILE_NAME);
    fs::write(&in_project, r#"{"submitTo": "x"}"#).unwrap();
    assert_eq!(path(&search), Some(in_user));
    fs::write(&in_project, "{}").unwrap();
    let store = search.trust_store().unwrap();
    store.decide(&search.examine(&in_project), true).unwrap();
    assert_eq!(path(&search), Some(in_project));

    for (variable, explicit, name) in [
        ("named.json", None, "named.json"),
        ("named.json", Some("explicit.json"), "explicit.json"),
    ] {
        search.environment = environment(&[("RECALL_KIT_CLIENT_CONFIG", variable)]);
        search.explicit = explicit.map(PathBuf::from);
        let error = search.load().unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn server_urls_are_normalized() {
    let check = |url: &str, expected: &str| {
        let parsed = url.parse::<ServerUrl>().map(|url| url.to_string());
        assert_eq!(parsed.unwrap(), expected, "{url}");
    };
    check("mcp://recall-kit-server", "mcp://recall-kit-server");
    check(
        "mcp://recall-kit-server:8090",
        "http://recall-kit-server:8090/mcp",
    );
    check("mcp://memory", "http://memory:8090/mcp");
    check("mcp://127.0.0.1:9000", "http://127.0.0.1:9000/mcp");
    check("mcp://memory:80", "http://memory/mcp");
    check("mcp://[::1]", "http://[::1]:8090/mcp");
    check("mcp://memory/team/mcp", "http://memory:8090/team/mcp");
    check("http://127.0.0.1:8090/mcp", "http://127.0.0.1:8090/mcp");
    check(" https://memory.test/stream ", "https://memory.test/stream");

    let raw = "http://memory:8090/mcp?team=a";
    assert_eq!(raw.parse::<ServerUrl>().unwrap().as_str(), raw);

    for url in [
        "",
        "memory",
        "mcp://",
        "ftp://memory",
        "http://",
        "mcp://memory:port",
    ] {
        assert!(url.parse::<ServerUrl>().is_err(), "{url:?}");
    }
}

#[test]
fn urls_are_shown_without_credentials() {
    let secret = ["hunter", "86"].join("-");
    let check = |url: &str, expected: &str| {
        let url = url.replace("SECRET", &secret);
        let server = ServerConfig {
            url: url.clone(),
            ..ServerConfig::default()
        };
        let mut shown = vec![format!("{server:?}")];
        match url.parse::<ServerUrl>() {
            Ok(url) => {
                assert!(url.as_str().contains(&secret), "the endpoint is unchanged");
                let health = url.sibling("/healthz").unwrap();
                shown.extend([url.to_string(), format!("{url:?}"), health.to_string()]);
                assert_eq!(url.to_string(), expected);
            }
            Err(error) => {
                shown.extend([error.to_string(), format!("{error:?}")]);
                assert_eq!(error.url, expected);
            }
        }
        assert!(!shown.concat().contains(&secret), "{shown:?}");
    };
    check("http://me:SECRET@memory:99/mcp", "http://***@memory:99/mcp");
    check("mcp://SECRET@memory", "http://***@memory:8090/mcp");
    check("mcp://:SECRET@memory", "http://***@memory:8090/mcp");
    check("https://memory/mcp?key=SECRET#SECRET", "https://memory/mcp");
    check("ftp://me:SECRET@memory/?k=SECRET", "ftp://***@memory/");
    check("http://me:SE/SECRET@memory:port", "http://***@memory:port");
    check("me:SECRET@memory", "***@memory");
    let secret = ["gh", "p_"].concat() + &"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"[..36];
    for text in [secret.as_str(), &"a".repeat(32), "a key, of words"] {
        let error = text.parse::<ServerUrl>().unwrap_err();
        assert_eq!(error.url, "***");
    }
    // A text that can only be a host is shown.
    for text in ["foo", "memory.corp.example:8090/mcp"] {
        assert_eq!(text.parse::<ServerUrl>().unwrap_err().url, text);
    }
}

/// A file with one user-defined rule; `change` replaces one of its lines.
fn with_rule(change: Option<(&str, &str)>) -> String {
    let rule = r#"{"sanitizer": {"allow": ["ci@oakmere.net"], "custom": [{
        "id": "staff-number",
        "kind": "staff number",
        "group": "remove_personal_info",
        "anchors": ["OC-"],
        "pattern": "OC-[0-9]{6}",
        "replacement": "${STAFF_NUMBER}",
        "examples": [["by OC-41", "8264"]],
        "negativeExamples": ["OC-4"]
    }]}}"#;
    match change {
        Some((line, other)) => {
            assert!(rule.contains(line), "{line}");
            rule.replacen(line, other, 1)
        }
        None => rule.to_owned(),
    }
}

#[test]
fn own_rules_are_read_without_replacing_variables() {
    let config = load(&with_rule(None), &[]).unwrap();
    assert_eq!(config.sanitizer.allow, ["ci@oakmere.net"]);
    let sanitizer = ConfiguredSanitizer::new(config.sanitizer.clone()).unwrap();
    let clean = sanitizer.sanitize("OC-418264 wrote to ci@oakmere.net and cd@oakmere.net");
    assert_eq!(
        clean.text,
        "${STAFF_NUMBER} wrote to ci@oakmere.net and user@example.com"
    );
    assert_eq!(clean.findings[0].kind, "staff number");

    let written = serde_json::to_string(&config).unwrap();
    assert_eq!(load(&written, &[]).unwrap(), config);

    let rules = serde_json::to_string(&config.sanitizer.custom).unwrap();
    let variables = [
        ("RECALL_KIT_CLIENT_SANITIZER__CUSTOM", rules.as_str()),
        ("RECALL_KIT_CLIENT_SANITIZER__ALLOW", r#"["/a{1,2}/", "b"]"#),
    ];
    let config = load("{}", &variables).unwrap();
    assert_eq!(config.sanitizer.custom.len(), 1);
    assert_eq!(config.sanitizer.allow, ["/a{1,2}/", "b"]);
}

#[test]
fn an_invalid_own_rule_is_reported_with_its_key() {
    let check = |line: &str, other: &str, words: &[&str]| {
        let error = load(&with_rule(Some((line, other))), &[]).unwrap_err();
        for words in words {
            assert!(error.contains(words), "{error:?} lacks {words:?}");
        }
        assert!(!error.contains("8264"), "an example is repeated: {error}");
    };
    let pattern = r#""pattern": "OC-[0-9]{6}""#;
    check(
        pattern,
        r#""pattern": "OC-([0-9]{6}""#,
        &[
            "`sanitizer.custom[0].pattern`",
            "`staff-number`",
            "unclosed",
        ],
    );
    check(
        pattern,
        r#""patern": "OC-[0-9]{6}""#,
        &["`sanitizer.custom[0].patern`", "did you mean `pattern`?"],
    );
    check(
        pattern,
        r#""pattern": "OC-[0-9]{9}""#,
        &["`sanitizer.custom[0].examples`", "example 1"],
    );
    check(
        r#""negativeExamples": ["OC-4"]"#,
        r#""negativeExamples": ["OC-48264", "OC-418264"]"#,
        &["`sanitizer.custom[0].negativeExamples`", "example 2"],
    );
    check(
        r#""group": "remove_personal_info","#,
        r#""group": "anonymize_variables","#,
        &["`sanitizer.custom[0].group`", "remove_urls"],
    );
    check(
        r#""kind": "staff number","#,
        "",
        &["`sanitizer.custom[0].kind` is missing"],
    );
    check(
        r#"[["by OC-41", "8264"]]"#,
        r#"[["by OC-41", 8264]]"#,
        &["`sanitizer.custom[0].examples`", "a list of strings"],
    );
    check(
        r#""allow": ["ci@oakmere.net"]"#,
        r#""allow": ["x", "/.*/"]"#,
        &["`sanitizer.allow[1]`", "narrow it"],
    );
}

#[test]
fn the_sanitizer_settings_are_read_even_if_other_settings_cannot_be() {
    let dir = TempDir::new().unwrap();
    let file = with_rule(None).replacen('{', r#"{"ai": {"apiKey": "${UNSET}"}, "#, 1);
    let search = trusting(&dir, &file, &[]);
    let error = search.load().unwrap_err();
    assert!(matches!(error, ConfigError::UnsetVariable(_)), "{error}");
    let sanitizer = search.load_sanitizer().unwrap().config.sanitizer;
    assert_eq!(sanitizer.custom.len(), 1);
    assert_eq!(sanitizer.allow, ["ci@oakmere.net"]);
}

#[test]
fn keys_and_personal_data_are_always_removed_from_outgoing_text() {
    let check = |enabled: bool, rules: &[RuleGroup], expected: &[RuleGroup]| {
        let rules = rules.to_vec();
        let settings = SanitizerConfig {
            enabled,
            rules,
            ..SanitizerConfig::default()
        };
        assert_eq!(settings.outgoing_groups(), expected);
    };
    let always = [RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo];
    check(true, &[], &always);
    check(true, &RuleGroup::ALL, &RuleGroup::ALL);
    check(false, &RuleGroup::ALL, &[]);
}
