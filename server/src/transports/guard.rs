//! The guard in front of every route: which hosts and origins may talk to the server.
//!
//! A web page must not reach a server on the user's machine by a name that it made point there (DNS
//! rebinding), so both `Host` and `Origin` have to be names the server goes by.

use std::{net::IpAddr, sync::Arc};

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use recall_kit_shared_types::RpcError;
use serde_json::json;

use crate::{app::App, tools::error_data};

/// Lets a request through or refuses it with 403.
pub(super) async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = request
        .uri()
        .authority()
        .map(|a| a.as_str())
        .or_else(|| text(headers, header::HOST));
    if !host.is_some_and(|host| is_known(&app, host)) {
        app.metrics.refused("host");
        return refuse(
            StatusCode::FORBIDDEN,
            "the Host header names no host that this server goes by; add the name to access.hosts",
        );
    }
    if headers.contains_key(header::ORIGIN)
        && !origin_host(headers).is_some_and(|host| is_known(&app, host))
    {
        app.metrics.refused("origin");
        return refuse(
            StatusCode::FORBIDDEN,
            "the Origin header names no host that this server goes by; add the name to access.hosts",
        );
    }
    next.run(request).await
}

/// A refusal in the shape of a JSON-RPC error without an id.
pub(super) fn refuse(status: StatusCode, details: &str) -> Response {
    let error = json!({
        "code": RpcError::InvalidRequest.plain_code(),
        "message": RpcError::InvalidRequest.message(),
        "data": error_data(details),
    });
    (
        status,
        Json(json!({ "jsonrpc": "2.0", "id": null, "error": error })),
    )
        .into_response()
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn origin_host(headers: &HeaderMap) -> Option<&str> {
    let (scheme, host) = text(headers, header::ORIGIN)?.split_once("://")?;
    matches!(scheme, "http" | "https").then_some(host)
}

/// Whether `host[:port]` is a loopback name, the address listened on, or a name from the settings.
/// Where every address is listened on, every address is known: rebinding needs a name.
fn is_known(app: &App, host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    if let Ok(address) = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>()
    {
        let own = app.settings.host;
        return address.is_loopback() || address == own || own.is_unspecified();
    }
    let configured = app.settings.access.hosts.iter().map(String::as_str);
    configured
        .chain(["localhost"])
        .any(|known| known.eq_ignore_ascii_case(name))
}
