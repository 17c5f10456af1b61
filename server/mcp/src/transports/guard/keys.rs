//! API keys of a request: where they stand, whom they let in, and whether they still do.

use std::{sync::Arc, time::Duration};

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use recall_kit_core::{
    access::{
        self, AccessError, Caller,
        api_keys::{self, Refusal},
    },
    app::App,
};
use recall_kit_settings::Secret;
use recall_kit_shared_types::RpcError;
use recall_kit_telemetry::chain;

use super::refusal::refuse;

/// How often it is looked whether the key behind an open stream still counts.
const RECHECK: Duration = Duration::from_secs(1);

/// Returns the keys that a request shows, in any of the three headers.
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

/// Decides who a request comes from; refuses it with 401, or 503 when the database is away.
pub(super) async fn admit(app: &App, headers: &HeaderMap) -> Result<Caller, Response> {
    let shown = presented(headers);
    let admitted = access::admit(&app.keys, app.access, &shown, app.now()).await;
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

/// The right to an open stream: it lasts as long as the key.
#[derive(Clone)]
pub(in crate::transports) struct Admission {
    app: Arc<App>,
    key: Option<Secret>,
}

impl Admission {
    pub(in crate::transports) fn new(app: &Arc<App>, headers: &HeaderMap, caller: &Caller) -> Self {
        Self {
            app: Arc::clone(app),
            key: caller.key.and_then(|_| {
                let shown = presented(headers);
                let key = shown.iter().find(|shown| api_keys::is_key(shown));
                key.map(|key| Secret::new(*key))
            }),
        }
    }

    /// Returns whether the key still counts; a database that is away for a moment ends no stream.
    pub(in crate::transports) async fn still_stands(&self) -> bool {
        let Some(key) = &self.key else { return true };
        let verified = self.app.keys.verify(key.expose(), self.app.now()).await;
        matches!(verified, Ok(_) | Err(Refusal::Unchecked(_)))
    }

    /// Waits until the key does not count any more; for ever where there is none.
    pub(in crate::transports) async fn ended(&self) {
        if self.key.is_none() {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(RECHECK).await;
            if !self.still_stands().await {
                return;
            }
        }
    }
}
