//! Tools that only return something: one for each kind of content.

use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use crate::complete;

/// A PNG of one red pixel, in base64.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/// A WAV without samples, in base64.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// Calls a tool of this kind; returns `None` if there is none of that name.
pub(crate) fn call(name: &str, arguments: &Value) -> Option<CallToolResult> {
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image()]),
        "test_audio_content" => json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => json!([embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image(),
            embedded(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#,
            ),
        ]),
        "test_error_handling" => {
            let content = json!([text("This tool intentionally returns an error for testing")]);
            return Some(complete(json!({"content": content, "isError": true})));
        }
        "json_schema_2020_12_tool" | "test_custom_header" => {
            json!([text(&format!("Called with {arguments}"))])
        }
        _ => return None,
    };
    Some(complete(json!({"content": content})))
}

/// Returns a text as content.
pub(crate) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns the picture as content.
pub(crate) fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

/// Returns a resource that is embedded in an answer.
pub(crate) fn embedded(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}})
}
