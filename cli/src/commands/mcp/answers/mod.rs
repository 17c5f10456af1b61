//! The answers to the agent: JSON, as structured content and as text. What others wrote comes with a notice, its origin
//! and its age.

mod additions;

use std::borrow::Cow;

use recall_kit_client::{Draft, Error, InvalidLine, Kept, OutboxError, QueryResults};
use recall_kit_sanitizer::{remove_invisible, without_invisible};
use recall_kit_shared_types::{SubmitExperienceData, ToolName};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, ErrorCode, JsonObject},
};
use serde_json::{Value, json};
use uuid::Uuid;

pub(super) use self::additions::{add_fits, add_states};
use super::{delivery::Delivered, dialogue::Refusal};
use crate::fence::{NOTICE, age, age_of_id};

/// Returns whether a tool of the server answers with what others wrote.
fn is_reading(tool: ToolName) -> bool {
    match tool {
        ToolName::Recall
        | ToolName::QueryExperiences
        | ToolName::RekallSearch
        | ToolName::RekallShow
        | ToolName::RekallSuggestLinks
        | ToolName::RekallSuggestGeneralize
        | ToolName::SearchLibraries
        | ToolName::GetLibraryDocs => true,
        ToolName::SubmitExperience
        | ToolName::ReportOutcome
        | ToolName::ReportEpisode
        | ToolName::RekallHelp
        | ToolName::RekallAdd
        | ToolName::RekallLink
        | ToolName::RekallAcceptSuggestion
        | ToolName::RekallRejectSuggestion
        | ToolName::IngestLibrary
        | ToolName::CalculatorAdd => false,
    }
}

/// Creates an answer without invisible characters, which a server may have returned.
fn answer(value: Value, is_error: bool) -> CallToolResult {
    let value = without_invisible_in(value);
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result.is_error = Some(is_error);
    result
}

/// Removes invisible characters from every text of a value.
fn without_invisible_in(value: Value) -> Value {
    let json = value.to_string();
    match without_invisible(&json) {
        Cow::Borrowed(_) => value,
        Cow::Owned(json) => serde_json::from_str(&json).unwrap_or_default(),
    }
}

/// Removes invisible characters from the result of a tool of the server, and says of what others wrote where it comes
/// from.
pub(super) fn passed_on(mut result: CallToolResult, tool: &str, origin: &str) -> CallToolResult {
    for block in &mut result.content {
        if let ContentBlock::Text(block) = block {
            remove_invisible(&mut block.text);
        }
    }
    result.structured_content = result.structured_content.map(without_invisible_in);
    if tool.parse().is_ok_and(is_reading) && result.is_error != Some(true) {
        label(&mut result, origin);
    }
    result
}

/// Adds the notice and the origin to an answer that is an object, and to each text in it how old it is.
fn label(result: &mut CallToolResult, origin: &str) {
    change(result, |fields| {
        fields.values_mut().for_each(add_ages);
        fields.insert("notice".to_owned(), json!(NOTICE));
        fields.entry("origin").or_insert_with(|| json!(origin));
    });
}

/// Changes an answer that is an object, as structured content and as text.
fn change(result: &mut CallToolResult, change: impl Fn(&mut JsonObject)) {
    for block in &mut result.content {
        if let ContentBlock::Text(block) = block
            && let Ok(mut fields) = serde_json::from_str::<JsonObject>(&block.text)
        {
            change(&mut fields);
            block.text = Value::Object(fields).to_string();
        }
    }
    if let Some(Value::Object(fields)) = &mut result.structured_content {
        change(fields);
    }
}

/// Adds its age to each object that has a time of creation, or an id with one in it.
fn add_ages(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(add_ages),
        Value::Object(fields) => {
            fields.values_mut().for_each(add_ages);
            let text = |name: &str| fields.get(name).and_then(Value::as_str);
            let age = match text("created_at") {
                Some(time) => age(time),
                None => text("id").and_then(age_of_id),
            };
            if let (Some(age), false) = (age, fields.contains_key("age")) {
                fields.insert("age".to_owned(), json!(age));
            }
        }
        _ => {}
    }
}

/// The answer with the results of a query. `origin` is the server, if there is only one.
pub(super) fn found(results: &QueryResults, origin: &str) -> CallToolResult {
    let mut value = json!(results);
    let experiences = value["experiences"].as_array_mut();
    for experience in experiences.into_iter().flatten() {
        let created_at = experience["created_at"].as_str().unwrap_or_default();
        if let Some(age) = age(created_at) {
            experience["age"] = json!(age);
        }
        if experience.get("origin").is_none() {
            experience["origin"] = json!(origin);
        }
    }
    if results.found {
        value["notice"] = json!(NOTICE);
    }
    answer(value, false)
}

/// The answer to a failed call, with a hint.
pub(super) fn failed(error: &Error) -> CallToolResult {
    answer(json!({"status": "failed", "error": explained(error)}), true)
}

fn explained(error: &Error) -> Value {
    let mut value = json!({"message": error.to_string(), "hint": error.hint()});
    if let Some(body) = error.body() {
        value["code"] = json!(body.code);
        if let Some(fields) = &body.validation_errors {
            value["validation_errors"] = json!(fields);
        }
    }
    value
}

/// The answer to invalid arguments.
pub(super) fn invalid(message: impl Into<String>) -> CallToolResult {
    let message = message.into();
    answer(
        json!({"status": "failed", "error": {"message": message}}),
        true,
    )
}

/// The answer to a call that the host cancelled.
pub(super) fn cancelled(tool: &str) -> CallToolResult {
    invalid(format!(
        "the call of `{tool}` was cancelled; what the server had already done is not undone"
    ))
}

/// Returns the first required field that is blank.
pub(super) fn blank_field(draft: &Draft) -> Option<&'static str> {
    let required = [
        ("title", &draft.title),
        ("problem_description", &draft.problem_description),
        ("solution", &draft.solution),
    ];
    let blank = required.iter().find(|(_, text)| text.trim().is_empty());
    blank.map(|(field, _)| *field)
}

/// The answer to a draft with a blank required field.
pub(super) fn incomplete(field: &'static str) -> CallToolResult {
    invalid(format!(
        "`{field}` is empty and has to be filled in; nothing was sent. Give title, problem_description \
         and solution; fields that are given with a conversation override its summary"
    ))
}

/// The answer to a line about where an experience applies that cannot be read.
pub(super) fn wrong_applies(error: &InvalidLine) -> CallToolResult {
    invalid(format!(
        "`applies_to` cannot be read: {error}; nothing was sent"
    ))
}

/// The answer with a draft that waits for `confirm_experience`.
pub(super) fn waiting(id: Uuid, preview: &str) -> CallToolResult {
    let message = "Nothing was sent. Show the user this preview and ask whether to share it; then call \
                   confirm_experience with draft_id and the user's answer.";
    answer(
        json!({
            "status": "waiting",
            "draft_id": id,
            "preview": preview,
            "message": message,
        }),
        false,
    )
}

/// The answer if no draft with an id is waiting.
pub(super) fn unknown_draft() -> CallToolResult {
    invalid(
        "there is no waiting draft with this id: it was answered, or it waited too long. Nothing was sent; call \
         share_experience again",
    )
}

/// The answer that nothing was sent, with the reason; `rejected` is what the server rejected before.
pub(super) fn not_sent(refusal: Refusal, rejected: Option<&Kept>) -> CallToolResult {
    let (reason, message) = match refusal {
        Refusal::Declined => ("declined", "The user declined: nothing was sent."),
        Refusal::Cancelled | Refusal::Dismissed => {
            ("cancelled", "The user cancelled: nothing was sent.")
        }
        Refusal::TimedOut => ("timed_out", "Nobody answered in time: nothing was sent."),
        Refusal::Gone => ("gone", "There is nobody to ask: nothing was sent."),
        Refusal::NotAsked => (
            "not_asked",
            "The host could not ask the user: nothing was sent.",
        ),
        Refusal::TooManyRounds => (
            "too_many_rounds",
            "It was edited too often: nothing was sent. Call share_experience again.",
        ),
    };
    let mut value = json!({"status": "not_sent", "reason": reason, "message": message});
    if let Some(entry) = rejected {
        value["outbox_id"] = json!(entry.id());
        value["message"] = json!(format!(
            "{message} The text that the server rejected: {}.",
            how_to_resolve(entry)
        ));
    }
    answer(value, false)
}

/// The answer to a call that was cancelled after the consent.
pub(super) fn perhaps_sent() -> CallToolResult {
    let message = "The call was cancelled while the confirmed experience was being sent: it may have \
                   been sent, or it waits in the outbox. Do not share it again; query_experiences shows \
                   whether it is there.";
    answer(json!({"status": "unknown", "message": message}), false)
}

/// The answer with the result of a confirmed experience. `unasked` is a note for the user if the settings
/// agreed instead.
pub(super) fn delivered(delivered: &Delivered, unasked: Option<&str>) -> CallToolResult {
    let mut value = match delivered {
        Delivered::Stored(data) => {
            let SubmitExperienceData { id, message, .. } = data;
            let mut value = json!({"status": "stored", "id": id, "message": message});
            if !data.notes.is_empty() {
                value["notes"] = json!(data.notes);
            }
            value
        }
        Delivered::NotStored(error, entry) => match (entry.missing(), entry.stored()) {
            (Some(cause), first) => return not_in_outbox(cause, error, first),
            (None, Some(entry)) if entry.refused => return rejected(entry, error),
            (None, Some(entry)) => in_outbox(entry, error),
            (None, None) => return failed(error),
        },
        Delivered::TaskFailed(error) => return failed(error),
    };
    if let Some(note) = unasked {
        value["asked"] = json!(false);
        value["note"] = json!(note);
    }
    answer(value, false)
}

/// The answer with an experience that waits in the outbox.
fn in_outbox(entry: &Kept, error: &Error) -> Value {
    let message = format!(
        "Not stored yet: {error}. It waits in the outbox and is sent exactly once, when the server accepts it; \
         do not share it again."
    );
    json!({
        "status": "kept",
        "outbox_id": entry.id(),
        "message": message,
        "hint": error.hint(),
    })
}

/// The answer with an experience that the server rejected.
fn rejected(entry: &Kept, error: &Error) -> CallToolResult {
    let mut value = explained(error);
    value["hint"] = json!(format!("{}; {}", error.hint(), how_to_resolve(entry)));
    let value = json!({"status": "refused", "outbox_id": entry.id(), "error": value});
    answer(value, true)
}

fn how_to_resolve(entry: &Kept) -> String {
    let id = entry.id();
    format!(
        "it stays in the outbox and is not sent again without a change; the user changes and sends it with \
         `recall-kit-client outbox edit {id}`, or discards it with `outbox drop {id}`"
    )
}

/// The answer with an experience that is neither at the server nor in the outbox; `first` was confirmed before it.
fn not_in_outbox(cause: &OutboxError, error: &Error, first: Option<&Kept>) -> CallToolResult {
    let mut value = explained(error);
    value["message"] = json!(format!(
        "{error}; and it could not be saved in the outbox: {cause}"
    ));
    value["hint"] = json!(format!("{}; {}", cause.hint(), error.hint()));
    let mut value = json!({"status": "failed", "error": value});
    if let Some(first) = first {
        value["outbox_id"] = json!(first.id());
        value["message"] = json!(format!(
            "The text that was confirmed before: {}.",
            how_to_resolve(first)
        ));
    }
    answer(value, true)
}

/// Converts an error into a protocol error, for methods whose results cannot contain one.
pub(super) fn protocol_error(error: &Error) -> ErrorData {
    match error {
        Error::Protocol { code, message } => {
            ErrorData::new(ErrorCode(*code), message.clone(), None)
        }
        error => {
            let hint = json!({"hint": error.hint()});
            ErrorData::internal_error(error.to_string(), Some(hint))
        }
    }
}
