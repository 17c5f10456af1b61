//! Refusals: HTTP responses whose body is a JSON-RPC error without an id.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use recall_kit_shared_types::RpcError;
use serde_json::json;

use crate::tools::error_data;

/// How long a client should wait when too many sessions, streams or sockets are open, in seconds.
const RETRY_AFTER_LIMIT: u64 = 5;

/// Returns a refusal with a status, a cause and details.
pub(in crate::transports) fn refuse(
    status: StatusCode,
    cause: RpcError,
    details: &str,
) -> Response {
    let error = json!({
        "code": cause.plain_code(),
        "message": cause.message(),
        "data": error_data(details),
    });
    (
        status,
        Json(json!({ "jsonrpc": "2.0", "id": null, "error": error })),
    )
        .into_response()
}

/// 429: too many calls.
pub(in crate::transports) fn too_many(seconds: u64) -> Response {
    let details = format!("too many calls; try again in {seconds} s");
    let refusal = refuse(
        StatusCode::TOO_MANY_REQUESTS,
        RpcError::TooManyRequests,
        &details,
    );
    retry_after(refusal, seconds)
}

/// 503: the limit of open sessions, streams or sockets is reached.
pub(in crate::transports) fn limit_reached(what: &str) -> Response {
    let details = format!("too many {what} are open; close some, or try again later");
    let refusal = refuse(
        StatusCode::SERVICE_UNAVAILABLE,
        RpcError::TooManyRequests,
        &details,
    );
    retry_after(refusal, RETRY_AFTER_LIMIT)
}

fn retry_after(mut refusal: Response, seconds: u64) -> Response {
    refusal
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    refusal
}
