//! What the agent is told: JSON, as structured content and as text.

use std::borrow::Cow;

use recall_kit_client::{Draft, Error, Kept, OutboxError, QueryResults};
use recall_kit_sanitizer::{remove_invisible, without_invisible};
use recall_kit_shared_types::SubmitExperienceData;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, ErrorCode},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{delivery::Delivered, dialogue::Refusal};

/// An answer. Servers may return invisible characters: the agent does not get them.
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

/// Removes invisible characters from what a tool of the server returned.
pub(super) fn passed_on(mut result: CallToolResult) -> CallToolResult {
    for block in &mut result.content {
        if let ContentBlock::Text(block) = block {
            remove_invisible(&mut block.text);
        }
    }
    result.structured_content = result.structured_content.map(without_invisible_in);
    result
}

/// What a query found.
pub(super) fn found(results: &QueryResults) -> CallToolResult {
    answer(json!(results), false)
}

/// Why a call failed, and what can be done.
pub(super) fn failed(error: &Error) -> CallToolResult {
    answer(json!({"status": "failed", "error": explained(error)}), true)
}

fn explained(error: &Error) -> Value {
    let mut said = json!({"message": error.to_string(), "hint": error.hint()});
    if let Some(body) = error.body() {
        said["code"] = json!(body.code);
        if let Some(fields) = &body.validation_errors {
            said["validation_errors"] = json!(fields);
        }
    }
    said
}

/// Arguments that cannot be used.
pub(super) fn unusable(message: impl Into<String>) -> CallToolResult {
    let message = message.into();
    answer(
        json!({"status": "failed", "error": {"message": message}}),
        true,
    )
}

/// A call that the host cancelled.
pub(super) fn given_up(tool: &str) -> CallToolResult {
    unusable(format!(
        "the call of `{tool}` was cancelled; what the server had done by then stays done"
    ))
}

/// Returns the first required field in which nothing stands.
pub(super) fn blank_field(draft: &Draft) -> Option<&'static str> {
    let required = [
        ("title", &draft.title),
        ("problem_description", &draft.problem_description),
        ("solution", &draft.solution),
    ];
    let blank = required.iter().find(|(_, text)| text.trim().is_empty());
    blank.map(|(field, _)| *field)
}

/// A draft that lacks something.
pub(super) fn incomplete(field: &'static str) -> CallToolResult {
    unusable(format!(
        "`{field}` is empty and has to be filled in; nothing was sent. Give title, problem_description \
         and solution; what is given beside a conversation wins over its summary"
    ))
}

/// What waits for `confirm_experience`.
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

/// Nothing waits under an id.
pub(super) fn unknown_draft() -> CallToolResult {
    unusable(
        "no draft waits under this id: it was answered, or waited too long. Nothing was sent; call \
         share_experience again",
    )
}

/// Nothing was sent, and why; `stays` is what the server refused before.
pub(super) fn not_sent(refusal: Refusal, stays: Option<&Kept>) -> CallToolResult {
    let (reason, message) = match refusal {
        Refusal::Declined => ("declined", "The user declined: nothing was sent."),
        Refusal::Cancelled | Refusal::Dismissed => {
            ("cancelled", "The user cancelled: nothing was sent.")
        }
        Refusal::TimedOut => ("timed_out", "Nobody answered in time: nothing was sent."),
        Refusal::Gone => ("gone", "Nobody is there to ask: nothing was sent."),
        Refusal::NotAsked => (
            "not_asked",
            "The host could not ask the user: nothing was sent.",
        ),
        Refusal::TooManyRounds => (
            "too_many_rounds",
            "It was edited too often: nothing was sent. Call share_experience again.",
        ),
    };
    let mut said = json!({"status": "not_sent", "reason": reason, "message": message});
    if let Some(kept) = stays {
        said["outbox_id"] = json!(kept.id());
        said["message"] = json!(format!(
            "{message} As for the text that the server refused: {}.",
            how_to_mend(kept)
        ));
    }
    answer(said, false)
}

/// The call was cancelled when there was consent already.
pub(super) fn perhaps_sent() -> CallToolResult {
    let message = "The call was cancelled while the confirmed experience was being sent: it may have \
                   been sent, or waits in the outbox. Do not share it again; query_experiences shows \
                   whether it is there.";
    answer(json!({"status": "unknown", "message": message}), false)
}

/// What came of what was confirmed. `unasked` is for the user where the settings agreed instead.
pub(super) fn delivered(delivered: &Delivered, unasked: Option<&str>) -> CallToolResult {
    let mut said = match delivered {
        Delivered::Stored(data) => {
            let SubmitExperienceData { id, message, .. } = data;
            let mut said = json!({"status": "stored", "id": id, "message": message});
            if !data.notes.is_empty() {
                said["notes"] = json!(data.notes);
            }
            said
        }
        Delivered::NotStored(error, held) => match (held.missing(), held.kept()) {
            (Some(cause), first) => return lost(cause, error, first),
            (None, Some(kept)) if kept.refused => return refused(kept, error),
            (None, Some(kept)) => waits(kept, error),
            (None, None) => return failed(error),
        },
        Delivered::Broken(error) => return failed(error),
    };
    if let Some(note) = unasked {
        said["asked"] = json!(false);
        said["note"] = json!(note);
    }
    answer(said, false)
}

/// What the server does not have yet.
fn waits(kept: &Kept, error: &Error) -> Value {
    let message = format!(
        "Not stored yet: {error}. It waits in the outbox and is sent once when the server takes it; \
         do not share it again."
    );
    json!({
        "status": "kept",
        "outbox_id": kept.id(),
        "message": message,
        "hint": error.hint(),
    })
}

/// What the server does not want as it is.
fn refused(kept: &Kept, error: &Error) -> CallToolResult {
    let mut said = explained(error);
    said["hint"] = json!(format!("{}; {}", error.hint(), how_to_mend(kept)));
    let said = json!({"status": "refused", "outbox_id": kept.id(), "error": said});
    answer(said, true)
}

fn how_to_mend(kept: &Kept) -> String {
    let id = kept.id();
    format!(
        "it stays in the outbox and is not sent again as it is; the user changes and sends it with \
         `recall-kit-client outbox edit {id}`, or gives it up with `outbox drop {id}`"
    )
}

/// What is neither at the server nor in the outbox; `first` is what was confirmed before it.
fn lost(cause: &OutboxError, error: &Error, first: Option<&Kept>) -> CallToolResult {
    let mut said = explained(error);
    said["message"] = json!(format!("{error}; and it could not be kept: {cause}"));
    said["hint"] = json!(format!("{}; {}", cause.hint(), error.hint()));
    let mut said = json!({"status": "failed", "error": said});
    if let Some(first) = first {
        said["outbox_id"] = json!(first.id());
        said["message"] = json!(format!(
            "As for the text that was confirmed before: {}.",
            how_to_mend(first)
        ));
    }
    answer(said, true)
}

/// An error of the way to the server, where the protocol has no result for it.
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
