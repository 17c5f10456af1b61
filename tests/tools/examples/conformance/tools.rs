//! The list of tools, with the names and texts of the suites.

use std::sync::LazyLock;

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::fixture;

/// Returns every tool; the first one takes no arguments, which the header scenarios rely on.
pub(crate) fn all() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        let mut tools: Vec<Tool> = WITHOUT_ARGUMENTS
            .iter()
            .map(|(name, description)| tool(name, description, json!({"type": "object"})))
            .collect();
        tools.extend([
            tool(
                "test_sampling",
                "Asks the client's model",
                with_string("prompt"),
            ),
            tool("test_elicitation", "Asks the user", with_string("message")),
            tool("greet", "Greets", with_string("name")),
            tool(
                "slow_compute",
                "Takes so many seconds, as a task where the client can",
                json!({
                    "type": "object",
                    "properties": {"seconds": {"type": "number"}, "label": {"type": "string"}},
                    "required": ["seconds"],
                }),
            ),
            tool(
                "test_custom_header",
                "Has an argument that also travels in a header",
                json!({
                    "type": "object",
                    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
                }),
            ),
            tool(
                "json_schema_2020_12_tool",
                "Has a schema with keywords of JSON Schema 2020-12",
                schema_2020_12(),
            ),
        ]);
        tools
    });
    &TOOLS
}

/// The names and descriptions of the tools without arguments.
const WITHOUT_ARGUMENTS: [(&str, &str); 29] = [
    ("test_simple_text", "Returns text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns audio"),
    ("test_embedded_resource", "Returns a resource"),
    (
        "test_multiple_content_types",
        "Returns text, an image and a resource",
    ),
    ("test_error_handling", "Always fails"),
    ("test_tool_with_logging", "Logs three messages"),
    ("test_logging_tool", "Logs one message"),
    ("test_tool_with_progress", "Reports progress three times"),
    ("test_reconnection", "Answers after a while"),
    (
        "test_elicitation_sep1034_defaults",
        "Asks the user with default values",
    ),
    (
        "test_elicitation_sep1330_enums",
        "Asks the user with every kind of enum",
    ),
    ("test_missing_capability", "Needs a client with a model"),
    ("test_trigger_tool_change", "Tells that the tools changed"),
    (
        "test_trigger_prompt_change",
        "Tells that the prompts changed",
    ),
    ("test_streaming_elicitation", "Needs a word from the user"),
    (
        "test_input_required_result_elicitation",
        "Needs the user's name",
    ),
    (
        "test_input_required_result_sampling",
        "Needs an answer of the client's model",
    ),
    (
        "test_input_required_result_list_roots",
        "Needs the client's roots",
    ),
    (
        "test_input_required_result_request_state",
        "Gives the client a state to bring back",
    ),
    (
        "test_input_required_result_multiple_inputs",
        "Needs three things at once",
    ),
    (
        "test_input_required_result_multi_round",
        "Needs two things, one after the other",
    ),
    (
        "test_input_required_result_tampered_state",
        "Gives the client a sealed state",
    ),
    (
        "test_input_required_result_capabilities",
        "Asks only what the client can answer",
    ),
    ("failing_job", "Fails, as a task"),
    ("protocol_error_job", "Breaks down, as a task"),
    ("confirm_delete", "Asks back, as a task"),
    ("multi_input", "Asks back twice at once, as a task"),
    (
        "test_tool_with_task",
        "Needs the user's name, then greets as a task",
    ),
];

fn tool(name: &str, description: &str, input_schema: Value) -> Tool {
    fixture(json!({"name": name, "description": description, "inputSchema": input_schema}))
}

fn with_string(name: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]})
}

/// A schema that must be passed on unchanged (SEP-1613, SEP-2106).
fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"],
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
