//! Converts questions into MCP's types, forms for elicitation and messages for sampling, and parses the answers.

#![expect(
    deprecated,
    reason = "hosts of versions before 2026-07-28 provide their model with sampling"
)]

use recall_kit_client::{Claims, Draft, Question, SampleError};
use rmcp::model::{
    CreateMessageRequest, CreateMessageRequestParams, ElicitRequest, ElicitRequestParams,
    ElicitationSchema, InputRequest, SamplingMessage,
};
use serde_json::{Value, json};

use crate::{
    applies,
    commands::mcp::{
        arguments::{APPLIES_TO, applies_to},
        dialogue::{Ask, Refusal, Reply, Shown},
    },
    words::Words,
};

/// The field of the answer to a preview.
const ANSWER: &str = "answer";
const CONFIRM: &str = "confirm";
const EDIT: &str = "edit";
const CANCEL: &str = "cancel";

/// A question in MCP's types.
pub(in crate::commands::mcp) enum McpQuestion {
    Elicitation(ElicitRequestParams),
    Sampling(CreateMessageRequestParams),
}

impl From<McpQuestion> for InputRequest {
    fn from(question: McpQuestion) -> Self {
        match question {
            McpQuestion::Elicitation(params) => Self::Elicitation(ElicitRequest::new(params)),
            McpQuestion::Sampling(params) => Self::CreateMessage(CreateMessageRequest::new(params)),
        }
    }
}

/// Converts a question into MCP's types; `has_titles` says whether the host supports choices with titles as of
/// 2025-11-25.
pub(in crate::commands::mcp) fn to_mcp(ask: &Ask, words: &Words, has_titles: bool) -> McpQuestion {
    match ask {
        Ask::Confirm(shown) => {
            let schema = choice(words, has_titles);
            form(
                format!("{}\n\n{}", words.question, preview(shown, words)),
                schema,
            )
        }
        Ask::Edit(draft) => form(words.edit.to_owned(), fields(draft, words)),
        Ask::Sample(question) => McpQuestion::Sampling(message(question)),
    }
}

/// Formats the preview: what would be sent, what was removed from it, and further notes.
pub(super) fn preview(shown: &Shown, words: &Words) -> String {
    let mut preview = words.fields(&shown.draft);
    preview.push_str("\n\n");
    preview.push_str(&words.removal_note(&shown.draft));
    for note in &shown.notes {
        preview.push_str("\n! ");
        preview.push_str(&crate::terminal::controls::visible(note));
    }
    preview
}

fn form(message: String, schema: Value) -> McpQuestion {
    let requested_schema: ElicitationSchema =
        serde_json::from_value(schema).expect("the forms have the shape of elicitation schemas");
    McpQuestion::Elicitation(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    })
}

fn choice(words: &Words, has_titles: bool) -> Value {
    let choices = [
        (CONFIRM, words.confirm),
        (EDIT, words.edit),
        (CANCEL, words.cancel),
    ];
    let (values, titles) = (choices.map(|it| it.0), choices.map(|it| it.1));
    let one_of = choices.map(|(value, title)| json!({"const": value, "title": title}));
    let property = match has_titles {
        true => json!({"type": "string", "oneOf": one_of}),
        false => json!({"type": "string", "enum": values, "enumNames": titles}),
    };
    json!({"type": "object", "properties": {ANSWER: property}, "required": [ANSWER]})
}

/// Returns the schema of the fields, with their current texts as defaults.
fn fields(draft: &Draft, words: &Words) -> Value {
    let text = |title: &str, text: &str| json!({"type": "string", "title": title, "default": text});
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    let lines = draft.applies.as_ref().map(Claims::to_lines);
    let lines = lines.unwrap_or_default();
    let mut applies = text(words.applies.label, &lines.join("; "));
    applies["description"] = json!(words.applies.hint);
    json!({
        "type": "object",
        "properties": {
            "title": text(words.title, &draft.title),
            "problem_description": text(words.problem, &draft.problem_description),
            "root_cause": text(words.root_cause, &optional(&draft.root_cause)),
            "solution": text(words.solution, &draft.solution),
            "context": text(words.context, &optional(&draft.context)),
            "keywords": text(words.keywords, &draft.keywords.join(", ")),
            APPLIES_TO: applies,
        },
        "required": ["title", "problem_description", "solution"],
    })
}

fn message(question: &Question) -> CreateMessageRequestParams {
    let Question {
        system,
        text,
        schema,
        max_tokens,
    } = question;
    let mut params =
        CreateMessageRequestParams::new(vec![SamplingMessage::user_text(text)], *max_tokens);
    params.system_prompt = Some(format!(
        "{system}\n\nAnswer with JSON of this schema and nothing else:\n{schema}"
    ));
    params
}

/// Parses the answer to a question; anything that is not clearly a yes is a no.
pub(in crate::commands::mcp) fn reply(ask: &Ask, answer: &Value) -> Reply {
    match ask {
        Ask::Sample(_) => Reply::Sampled(sampled(answer)),
        Ask::Confirm(_) | Ask::Edit(_) => match answer["action"].as_str() {
            Some("accept") => accepted(ask, &answer["content"]),
            Some("decline") => Reply::No(Refusal::Declined),
            Some("cancel") => Reply::No(Refusal::Dismissed),
            _ => Reply::No(Refusal::NotAsked),
        },
    }
}

fn accepted(ask: &Ask, content: &Value) -> Reply {
    match ask {
        Ask::Edit(draft) => edited(draft, content),
        _ => match content[ANSWER].as_str() {
            Some(CONFIRM) => Reply::Confirm,
            Some(EDIT) => Reply::Edit,
            Some(CANCEL) => Reply::No(Refusal::Cancelled),
            _ => Reply::No(Refusal::Dismissed),
        },
    }
}

/// Applies a filled-in form to a draft; missing fields are not changed.
pub(in crate::commands::mcp) fn edited(draft: &Draft, content: &Value) -> Reply {
    let text = |field: &str| content[field].as_str().map(str::to_owned);
    let keywords = |value: &Value| -> Option<Vec<String>> {
        match value {
            Value::String(line) => Some(line.split([',', '，']).map(str::to_owned).collect()),
            Value::Array(words) => {
                let words = words.iter().filter_map(Value::as_str);
                Some(words.map(str::to_owned).collect())
            }
            _ => None,
        }
    };
    let before = draft.applies.as_ref();
    let lines = applies_to(content);
    let applies = lines.map(|lines| applies::read_edited(&lines, before));
    let (applies, problem) = match applies {
        None => (draft.applies.clone(), None),
        Some(Ok(applies)) => (applies, None),
        Some(Err(problem)) => (draft.applies.clone(), Some(problem)),
    };
    let edited = Draft {
        title: text("title").unwrap_or_else(|| draft.title.clone()),
        problem_description: text("problem_description")
            .unwrap_or_else(|| draft.problem_description.clone()),
        root_cause: text("root_cause").or_else(|| draft.root_cause.clone()),
        solution: text("solution").unwrap_or_else(|| draft.solution.clone()),
        context: text("context").or_else(|| draft.context.clone()),
        keywords: keywords(&content["keywords"]).unwrap_or_else(|| draft.keywords.clone()),
        applies,
    };
    Reply::Edited(Box::new(edited), problem)
}

/// Returns the text of a model's message, which may have one block or several.
fn sampled(answer: &Value) -> Result<String, SampleError> {
    let content = &answer["content"];
    let texts: Vec<&str> = match content {
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect(),
        block => block["text"].as_str().into_iter().collect(),
    };
    match texts.is_empty() {
        true => Err(SampleError::Failed(
            "its answer contains no text".to_owned(),
        )),
        false => Ok(texts.concat()),
    }
}
