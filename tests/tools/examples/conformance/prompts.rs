//! Prompts with every kind of content.

use std::sync::LazyLock;

use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, Prompt},
};
use serde_json::{Value, json};

use crate::{
    complete,
    content::{embedded, image, text},
    fixture,
};

/// Returns every prompt.
pub(crate) fn all() -> &'static [Prompt] {
    static PROMPTS: LazyLock<Vec<Prompt>> = LazyLock::new(|| {
        fixture(json!([
            {"name": "test_simple_prompt", "description": "A text"},
            {
                "name": "test_prompt_with_arguments",
                "description": "A text with two arguments in it",
                "arguments": [
                    {"name": "arg1", "description": "First test argument", "required": true},
                    {"name": "arg2", "description": "Second test argument", "required": true},
                ],
            },
            {
                "name": "test_prompt_with_embedded_resource",
                "description": "A resource and a text",
                "arguments": [
                    {"name": "resourceUri", "description": "The resource's URI", "required": true},
                ],
            },
            {"name": "test_prompt_with_image", "description": "An image and a text"},
            {
                "name": "test_input_required_result_prompt",
                "description": "A text that needs a word from the user",
            },
        ]))
    });
    &PROMPTS
}

/// Gets a prompt that needs only its arguments.
///
/// *Errors*: invalid parameters, if the name is unknown or an argument is missing.
pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref().and_then(|all| all.get(name));
        value.and_then(Value::as_str).ok_or_else(|| {
            ErrorData::invalid_params(format!("the argument {name} is missing"), None)
        })
    };
    let contents = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => vec![text(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1")?,
            argument("arg2")?
        ))],
        "test_prompt_with_embedded_resource" => vec![
            embedded(
                argument("resourceUri")?,
                "text/plain",
                "Embedded resource content for testing.",
            ),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.")],
        name => {
            return Err(ErrorData::invalid_params(
                format!("there is no prompt {name}"),
                None,
            ));
        }
    };
    Ok(of_user(contents))
}

/// Returns a prompt with one user message for each content.
pub(crate) fn of_user(contents: Vec<Value>) -> GetPromptResult {
    let user_message = |content| json!({"role": "user", "content": content});
    let messages: Vec<Value> = contents.into_iter().map(user_message).collect();
    complete(json!({"messages": messages}))
}
