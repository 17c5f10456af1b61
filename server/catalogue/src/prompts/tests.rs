//! Templates: filling in, omitted lines, errors and suggestions.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::{MAX_SUGGESTED, Prompt, own, own::TECHNOLOGIES};

/// A prompt of one message with a required argument `must` and the optional ones `may` and `also`.
fn prompt(text: &str) -> Result<Prompt, String> {
    let settings = json!({
        "name": "p",
        "arguments": [
            { "name": "must", "required": true, "values": ["alpha", "Beta", "alphabet", "gamma ray"] },
            { "name": "may" },
            { "name": "also" },
        ],
        "messages": [{ "text": text }],
    });
    Prompt::new(&serde_json::from_value(settings).unwrap()).map_err(|error| error.to_string())
}

fn fill(text: &str, values: Value) -> Result<String, String> {
    let filled = prompt(text).unwrap().fill(values.as_object().unwrap());
    match filled {
        Ok(messages) => Ok(messages.into_iter().map(|(_, text)| text).collect()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn placeholders_are_filled_once() {
    let check = |text: &str, expected: &str| {
        let values = json!({ "must": " {may} ", "may": "x", "also": 7 });
        assert_eq!(fill(text, values).unwrap(), expected, "{text}");
    };
    check("", "");
    check("plain", "plain");
    check("{may}", "x");
    check("<{may}{also}>", "<x7>");
    // Placeholders in a value are not filled in.
    check("{must} {may}", "{may} x");
    // Only plain names are placeholders: JSON and code stay as they are.
    check(r#"{"a": {"b": {}}} {may}"#, r#"{"a": {"b": {}}} x"#);
    check(r#"{"a":{"b":{may}}}"#, r#"{"a":{"b":x}}"#);
    check("fn f() { if x {} }", "fn f() { if x {} }");
    check("{} { may } {may", "{} { may } {may");
    check("a } b { c", "a } b { c");
    // Doubled braces stand for the placeholder's text.
    check("{{may}} is {may}", "{may} is x");
    check("{{unknown}}", "{unknown}");
    check("{{ }} {{", "{{ }} {{");
    check("ä{may}ö\n\nß{{may}}ü", "äxö\n\nß{may}ü");
}

#[test]
fn lines_with_only_absent_arguments_are_removed() {
    let check = |values: Value, expected: &str| {
        let text = "Error: {must}\nWith: {may}\nBoth: {may}{also}\n\nEnd";
        assert_eq!(fill(text, values).unwrap(), expected);
    };
    check(json!({ "must": "m" }), "Error: m\n\nEnd");
    check(
        json!({ "must": "m", "may": null, "also": "  " }),
        "Error: m\n\nEnd",
    );
    check(
        json!({ "must": "m", "also": "a" }),
        "Error: m\nBoth: a\n\nEnd",
    );
    check(
        json!({ "must": "m", "may": "y" }),
        "Error: m\nWith: y\nBoth: y\n\nEnd",
    );
}

#[test]
fn invalid_arguments_and_templates_are_rejected_with_a_message() {
    let check = |values: Value, words: &[&str]| {
        let message = fill("{must}", values).unwrap_err();
        for word in words {
            assert!(message.contains(word), "{message}");
        }
    };
    check(json!({}), &["`must` is required"]);
    check(json!({ "must": " \n" }), &["`must` is required"]);
    check(
        json!({ "must": "x", "mai": "y" }),
        &["unknown argument `mai`", "must, may, also"],
    );
    let long = "x".repeat(64 * 1024 + 1);
    check(json!({ "must": long }), &["`must` is longer than"]);
    for (text, words) in [
        ("{whom}", ["`{whom}` is not an argument", "{{whom}}"]),
        ("{must} {Must}", ["`{Must}`", "{{Must}}"]),
    ] {
        let message = prompt(text).unwrap_err();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    for (field, value, words) in [
        ("name", json!(" "), "1-128 bytes"),
        ("name", json!("n".repeat(129)), "1-128 bytes"),
        ("messages", json!([]), "at least one message"),
    ] {
        let mut settings = json!({ "name": "p", "messages": [{ "text": "x" }] });
        settings[field] = value;
        let message = Prompt::new(&serde_json::from_value(settings).unwrap()).unwrap_err();
        assert!(message.to_string().contains(words), "{message}");
    }
}

#[test]
fn suggestions_start_with_what_was_typed_and_then_contain_it() {
    let prompt = prompt("{must}").unwrap();
    let check = |typed: &str, expected: &[&str]| {
        let (values, total) = prompt.suggest("must", typed);
        assert_eq!(values, expected, "{typed:?}");
        assert_eq!(total, expected.len());
    };
    check("", &["alpha", "Beta", "alphabet", "gamma ray"]);
    check("ALPHA", &["alpha", "alphabet"]);
    check("bet", &["Beta", "alphabet"]);
    check("ray", &["gamma ray"]);
    check("delta", &[]);
    assert_eq!(prompt.suggest("may", ""), (vec![], 0));
    let many: Vec<String> = (0..150).map(|n| format!("value {n}")).collect();
    let (values, total) = super::suggest(many.iter().map(String::as_str), "value");
    assert_eq!((values.len(), total), (MAX_SUGGESTED, 150));
}

#[test]
fn the_servers_own_prompts_are_valid() {
    for prompt in own() {
        let checked = prompt.check();
        assert!(checked.is_ok(), "{checked:?}");
        let values: serde_json::Map<String, Value> = prompt
            .arguments
            .iter()
            .filter(|argument| argument.required)
            .map(|argument| (argument.name.clone(), json!("THE VALUE")))
            .collect();
        let messages = prompt.fill(&values).unwrap();
        let text: String = messages.into_iter().map(|(_, text)| text).collect();
        assert_eq!(text.contains("THE VALUE"), !values.is_empty(), "{text}");
        assert!(!text.contains(['{', '}']), "{text}");
    }
    assert!(TECHNOLOGIES.is_sorted());
}
