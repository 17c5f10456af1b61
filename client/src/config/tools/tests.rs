//! The forms of `tools`, in files and in the environment.

use super::*;
use crate::config::tests::load;

#[test]
fn tools_are_a_section_and_their_older_form_is_a_list() {
    let check = |file: &str, variables: &[(&str, &str)], profile: ToolProfile, others: &[&str]| {
        let others = others.iter().map(|&other| other.to_owned()).collect();
        let tools = load(file, variables).map(|config| config.tools);
        assert_eq!(tools, Ok(ToolsConfig { profile, others }), "{file}");
    };
    let (core, full) = (ToolProfile::Core, ToolProfile::Full);
    check("{}", &[], core, &[]);
    check(r#"{"tools": ["word_count"]}"#, &[], core, &["word_count"]);
    check(r#"{"tools": {"profile": "full"}}"#, &[], full, &[]);
    let both = r#"{"tools": {"profile": "full", "others": ["word_count"]}}"#;
    check(both, &[], full, &["word_count"]);
    let profile = ("RECALL_KIT_CLIENT_TOOLS__PROFILE", "full");
    check(
        r#"{"tools": ["word_count"]}"#,
        &[profile],
        full,
        &["word_count"],
    );
    for variable in ["RECALL_KIT_CLIENT_TOOLS", "RECALL_KIT_CLIENT_TOOLS__OTHERS"] {
        check(both, &[(variable, "a, b")], full, &["a", "b"]);
    }
}

#[test]
fn tools_of_another_shape_are_refused() {
    let check = |file: &str, expected: &str| {
        let error = load(file, &[]).err().unwrap_or_default();
        assert!(error.contains(expected), "{file}: {error}");
    };
    check(r#"{"tools": {"profile": "many"}}"#, "core or full");
    check(
        r#"{"tools": {"others": "word_count"}}"#,
        "a list of strings",
    );
    check(r#"{"tools": [{}]}"#, "a list of strings");
    check(r#"{"tools": {"profil": "core"}}"#, "`tools.profile`");
    check(r#"{"tools": "full"}"#, "tools");
}

#[test]
fn written_settings_name_what_is_not_the_default() {
    let written = |tools: ToolsConfig| {
        let config = crate::ClientConfig {
            tools,
            ..crate::ClientConfig::default()
        };
        serde_json::to_value(config).expect("settings are plain data")
    };
    let default = written(ToolsConfig::default());
    assert_eq!(
        (default.get("tools"), default.get("searchOnSubmit")),
        (None, None)
    );
    let full = ToolsConfig {
        profile: ToolProfile::Full,
        others: Vec::new(),
    };
    assert_eq!(written(full)["tools"], json!({"profile": "full"}));
}

#[test]
fn hooks_and_outcomes_are_set_by_file_and_environment() {
    let check = |file: &str, variables: &[(&str, &str)], expected: (u32, OutcomesMode)| {
        let config = load(file, variables).expect("the settings are valid");
        let found = (config.hooks.tokens_per_session, config.outcomes);
        assert_eq!(found, expected, "{file} {variables:?}");
    };
    check("{}", &[], (2000, OutcomesMode::Observe));
    let environment = |file: &str, variables: &[(&str, &str)]| {
        load(file, variables).map(|config| config.environment)
    };
    assert_eq!(environment("{}", &[]), Ok(EnvironmentMode::Relevant));
    let off = Ok(EnvironmentMode::Off);
    assert_eq!(environment(r#"{"environment": "off"}"#, &[]), off);
    assert_eq!(
        environment("{}", &[("RECALL_KIT_CLIENT_ENVIRONMENT", "off")]),
        off
    );
    let citations = |file: &str, variables: &[(&str, &str)]| {
        load(file, variables).map(|config| config.citations)
    };
    assert_eq!(citations("{}", &[]), Ok(CitationsMode::On));
    let off = Ok(CitationsMode::Off);
    assert_eq!(citations(r#"{"citations": "off"}"#, &[]), off);
    let variable = [("RECALL_KIT_CLIENT_CITATIONS", "off")];
    assert_eq!(citations("{}", &variable), off);
    let file = r#"{"hooks": {"tokens_per_session": 500}, "outcomes": "ask"}"#;
    check(file, &[], (500, OutcomesMode::Ask));
    let variables = [
        ("RECALL_KIT_CLIENT_HOOKS__TOKENS_PER_SESSION", "0"),
        ("RECALL_KIT_CLIENT_OUTCOMES", "off"),
    ];
    check(file, &variables, (0, OutcomesMode::Off));
    for (file, expected) in [
        (r#"{"outcomes": "always"}"#, "observe, ask or off"),
        (r#"{"environment": "all"}"#, "relevant or off"),
        (r#"{"citations": true}"#, "on or off"),
        (r#"{"hooks": {"tokens_per_session": -1}}"#, "0 or more"),
        (r#"{"hooks": {"tokens": 1}}"#, "hooks.tokens_per_session"),
    ] {
        let error = load(file, &[]).err().unwrap_or_default();
        assert!(error.contains(expected), "{file}: {error}");
    }
}
