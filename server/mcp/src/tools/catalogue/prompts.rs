//! `prompts/list` and `prompts/get`, as JSON. Source: MCP specification, "Prompts".

use recall_kit_catalogue::prompts::Prompt;
use serde_json::{Value, json};

use crate::tools::{CallError, Features, Object, invalid, shown};

/// Lists the prompts.
pub fn list(features: &Features) -> Value {
    let entries = features.app().catalogue.entries();
    let prompts: Vec<Value> = entries.prompts.iter().map(shape).collect();
    json!({ "prompts": prompts })
}

fn shape(prompt: &Prompt) -> Value {
    let arguments: Vec<Value> = prompt
        .arguments
        .iter()
        .map(|argument| {
            json!({
                "name": argument.name,
                "description": argument.description.as_deref().unwrap_or_default(),
                "required": argument.required,
            })
        })
        .collect();
    let mut shape = json!({ "name": prompt.name });
    if let Some(object) = shape.as_object_mut() {
        for (field, text) in [
            ("title", &prompt.title),
            ("description", &prompt.description),
        ] {
            if let Some(text) = text {
                object.insert(field.to_owned(), json!(text));
            }
        }
        object.insert("arguments".to_owned(), Value::Array(arguments));
    }
    shape
}

/// Fills the arguments into a prompt.
///
/// *Errors*: [`recall_kit_shared_types::RpcError::InvalidParams`] for an unknown prompt, and for
/// arguments that are missing or unknown.
pub fn get(features: &Features, name: &str, arguments: &Object) -> Result<Value, CallError> {
    let entries = features.app().catalogue.entries();
    let prompt = entries
        .prompts
        .iter()
        .find(|prompt| prompt.name == name)
        .ok_or_else(|| {
            let known: Vec<&str> = entries.prompts.iter().map(|p| p.name.as_str()).collect();
            invalid(format!(
                "unknown prompt `{}`; the prompts are {}",
                shown(name),
                known.join(", ")
            ))
        })?;
    let filled = prompt
        .fill(arguments)
        .map_err(|error| invalid(error.to_string()))?;
    let messages: Vec<Value> = filled
        .into_iter()
        .map(|(role, text)| json!({ "role": role, "content": { "type": "text", "text": text } }))
        .collect();
    Ok(json!({
        "description": prompt.description.as_deref().unwrap_or_default(),
        "messages": messages,
    }))
}
