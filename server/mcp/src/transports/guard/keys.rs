//! API keys of requests: reading them from headers, authenticating the caller, and checking again while
//! a stream is open.

use std::{sync::Arc, time::Duration};

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use recall_kit_core::access::{
    Access, AccessError, Caller,
    api_keys::{self, Refusal},
};
use recall_kit_settings::Secret;
use recall_kit_shared_types::RpcError;
use recall_kit_telemetry::chain;

use super::refusal::refuse;

/// How often the key behind an open stream is checked again.
const RECHECK: Duration = Duration::from_secs(1);

/// Returns all keys of a request, from the three headers that may hold one.
fn presented(headers: &HeaderMap) -> Vec<&str> {
    let plain = ["mcp_api_key", "x-api-key"]
        .iter()
        .flat_map(|name| headers.get_all(*name));
    let plain = plain.map(|value| value.to_str().unwrap_or_default());
    let bearer = headers.get_all(header::AUTHORIZATION).iter();
    let bearer = bearer.filter_map(|value| {
        let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    plain.chain(bearer).collect()
}

/// Returns the caller of a request.
///
/// *Errors*: a refusal with 401, or 503 when the database cannot be read.
pub(super) async fn admit(access: &Access, headers: &HeaderMap) -> Result<Caller, Response> {
    let keys = presented(headers);
    let admitted = access.admit(&keys).await;
    admitted.map_err(|error| match error {
        AccessError::Refused(Refusal::Unchecked(reason)) => {
            tracing::error!(error = chain(&reason), "an API key could not be checked");
            refuse(
                StatusCode::SERVICE_UNAVAILABLE,
                RpcError::InternalError,
                "the API key could not be checked; try again",
            )
        }
        error => unauthorized(&error),
    })
}

fn unauthorized(error: &AccessError) -> Response {
    let challenge = match error {
        AccessError::Missing => HeaderValue::from_static("Bearer realm=\"recall-kit\""),
        _ => HeaderValue::from_static("Bearer realm=\"recall-kit\", error=\"invalid_token\""),
    };
    let mut response = refuse(
        StatusCode::UNAUTHORIZED,
        RpcError::Unauthorized,
        &error.to_string(),
    );
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, challenge);
    response
}

/// The right to an open stream, which lasts as long as its API key is valid.
#[derive(Clone)]
pub(in crate::transports) struct Admission {
    access: Arc<Access>,
    key: Option<Secret>,
}

impl Admission {
    pub(in crate::transports) fn new(
        access: &Arc<Access>,
        headers: &HeaderMap,
        caller: &Caller,
    ) -> Self {
        Self {
            access: Arc::clone(access),
            key: caller.key.and_then(|_| {
                let keys = presented(headers);
                let key = keys.iter().find(|key| api_keys::is_key(key));
                key.map(|key| Secret::new(*key))
            }),
        }
    }

    /// Returns whether the key is still valid; true also if it cannot be checked, so that a short
    /// failure of the database does not end streams.
    pub(in crate::transports) async fn is_valid(&self) -> bool {
        let Some(key) = &self.key else { return true };
        let verified = self.access.verify(key.expose()).await;
        matches!(verified, Ok(_) | Err(Refusal::Unchecked(_)))
    }

    /// Waits until the key is no longer valid; forever if the request had no key.
    pub(in crate::transports) async fn ended(&self) {
        if self.key.is_none() {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(RECHECK).await;
            if !self.is_valid().await {
                return;
            }
        }
    }
}
