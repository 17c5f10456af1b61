//! Details for jsonrpsee's errors, which have only a code and a generic message.
//!
//! For a malformed body, an invalid request or an unknown method, `error.data.details` says what is
//! wrong with this input.

use axum::body::Bytes;
use memchr::memmem;
use recall_kit_shared_types::RpcError;
use recall_kit_telemetry::metrics::Metrics;
use serde_json::{Map, Value, json};

use crate::tools::error_data;

const METHODS: &str = "initialize, ping, logging/setLevel, tools/list, tools/call, resources/list, \
                       resources/templates/list, resources/read, prompts/list, prompts/get, \
                       completion/complete";
const REQUEST_SHAPE: &str = "a request is an object with \"jsonrpc\": \"2.0\", a string \"method\", and an \
                             \"id\" that is a string or a number; \"params\" is an object";

/// Adds `data.details` to every error of an answer that lacks them; other answers are returned unparsed.
pub(crate) fn explain(request: &[u8], answer: Bytes, metrics: &Metrics) -> Bytes {
    // An answer that holds only errors is short; a long one is a page of records.
    if answer.len() > 64 * 1024 || memmem::find(&answer, br#""error":{"#).is_none() {
        return answer;
    }
    let Ok(mut parsed) = serde_json::from_slice::<Value>(&answer) else {
        return answer;
    };
    let request = serde_json::from_slice::<Value>(request);
    let changed = match &mut parsed {
        Value::Array(answers) => {
            answers
                .iter_mut()
                .filter_map(|answer| add_details(answer, &request, metrics))
                .count()
                > 0
        }
        single => add_details(single, &request, metrics).is_some(),
    };
    if changed {
        parsed.to_string().into()
    } else {
        answer
    }
}

/// Adds details to one answer and counts the error; `None` if the answer needs none.
fn add_details(
    answer: &mut Value,
    request: &Result<Value, serde_json::Error>,
    metrics: &Metrics,
) -> Option<()> {
    let id = answer.get("id").cloned().unwrap_or(Value::Null);
    let error = answer.get_mut("error")?.as_object_mut()?;
    if error.get("data").is_some_and(Value::is_object) {
        return None;
    }
    if error.get("code") == Some(&json!(RpcError::InvalidRequest.plain_code())) {
        // jsonrpsee's message differs from the specification's.
        set_cause(error, RpcError::InvalidRequest);
    }
    let unknown_method = json!(RpcError::MethodNotFound.plain_code());
    let details = match request {
        // jsonrpsee reports invalid UTF-8 as an invalid request, and a bare JSON value as a parse error.
        Err(reason) => {
            set_cause(error, RpcError::ParseError);
            format!("the body is not JSON: {reason}")
        }
        Ok(Value::Array(items)) if items.is_empty() => {
            "a batch must hold at least one request".to_owned()
        }
        Ok(request @ (Value::Array(_) | Value::Object(_))) => match error.get("data") {
            _ if error.get("code") == Some(&unknown_method) => {
                let method = method_of(request, &id).unwrap_or_default();
                format!("The requested method '{method}' does not exist; the methods are {METHODS}")
            }
            Some(Value::String(data)) => data.clone(),
            _ => {
                // jsonrpsee reports an object that is not a request as a parse error.
                if error.get("code") == Some(&json!(RpcError::ParseError.plain_code())) {
                    set_cause(error, RpcError::InvalidRequest);
                }
                REQUEST_SHAPE.to_owned()
            }
        },
        Ok(_) => {
            set_cause(error, RpcError::InvalidRequest);
            REQUEST_SHAPE.to_owned()
        }
    };
    error.insert("data".to_owned(), error_data(&details));
    let code = error.get("code").and_then(Value::as_i64);
    let cause = RpcError::ALL
        .iter()
        .find(|cause| Some(cause.plain_code().into()) == code);
    metrics.failed(cause.map_or("", |cause| cause.name()));
    Some(())
}

fn set_cause(error: &mut Map<String, Value>, cause: RpcError) {
    error.insert("code".to_owned(), json!(cause.plain_code()));
    error.insert("message".to_owned(), json!(cause.message()));
}

/// Returns the method of the request with this id, without control characters and at most 80 characters
/// long.
fn method_of(request: &Value, id: &Value) -> Option<String> {
    let single = match request {
        Value::Array(items) => items.iter().find(|item| item.get("id") == Some(id))?,
        single => single,
    };
    Some(
        single
            .get("method")?
            .as_str()?
            .chars()
            .filter(|c| !c.is_control())
            .take(80)
            .collect(),
    )
}

#[cfg(test)]
mod tests;
