//! Reading a request's body, within the limits of size, time and calls.

use std::time::Duration;

use axum::{
    body::Bytes,
    extract::Request,
    http::{HeaderMap, StatusCode, header, request},
    response::Response,
};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use recall_kit_shared_types::RpcError;

use crate::transports::{
    HttpState,
    guard::{rate::Counted, refusal::refuse},
};

/// Reads a request's body.
///
/// *Errors*: a refusal with 413, 408 or 429 beyond the limits of size, time or calls; 400 if reading
/// fails.
pub(crate) async fn collect(
    state: &HttpState,
    counted: Counted,
    request: Request,
) -> Result<(request::Parts, Bytes), Response> {
    let limits = state.app.admission.limits();
    let (head, body) = request.into_parts();
    let too_large = || {
        state.app.metrics.refused("body_size");
        refuse(
            StatusCode::PAYLOAD_TOO_LARGE,
            RpcError::InvalidRequest,
            &format!(
                "the request body is larger than {} bytes",
                limits.body_bytes
            ),
        )
    };
    if content_length(&head.headers).is_some_and(|bytes| bytes > u64::from(limits.body_bytes)) {
        return Err(too_large());
    }
    let timeout = Duration::from_millis(limits.body_timeout_ms);
    let reading = Limited::new(body, limits.body_bytes as usize).collect();
    let body = match tokio::time::timeout(timeout, reading).await {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(too_large()),
        Ok(Err(_)) => {
            return Err(refuse(
                StatusCode::BAD_REQUEST,
                RpcError::InvalidRequest,
                "the request body could not be read",
            ));
        }
        Err(_) => {
            state.app.metrics.refused("body_timeout");
            return Err(refuse(
                StatusCode::REQUEST_TIMEOUT,
                RpcError::InvalidRequest,
                "the request body did not come in time",
            ));
        }
    };
    let counted = state.count_items(&body, counted, 1);
    counted.map_err(|refusal| *refusal)?;
    Ok((head, body))
}

/// Returns the body's size in bytes as `Content-Length` states it.
fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}
