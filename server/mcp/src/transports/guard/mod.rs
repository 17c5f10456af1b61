//! The guard in front of every route: it checks host and origin, API key and rate limit.
//!
//! A web page must not call a server on the user's machine through a name that it made resolve there
//! (DNS rebinding), so both `Host` and `Origin` have to be names of this server. Pages of other origins
//! on this machine are refused as well. A request that passes carries its [`Caller`] as an extension.

mod browser;
mod keys;
mod names;
pub(super) mod rate;
pub(super) mod refusal;
pub(super) mod room;

use axum::{extract::Request, http::StatusCode, response::Response};
use recall_kit_core::access::{Origin, peer_address::PeerAddress};
use recall_kit_fair_queue::flow::Flow;
use recall_kit_shared_types::RpcError;
use uuid::Uuid;

pub(super) use self::keys::Admission;
use self::{
    rate::Counted,
    refusal::{refuse, too_many},
};
use super::HttpState;

/// Routes that need no key, since they only report that the server runs.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/mcp/health"];

/// The headers by which a proxy says that it calls for others.
const FORWARDING: [&str; 6] = [
    "x-forwarded-for",
    "forwarded",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "via",
];

/// Checks a request and returns it with its caller as an extension.
///
/// *Errors*: a refusal with 401, 403, 415, 429 or 503.
pub(super) async fn check(state: &HttpState, mut request: Request) -> Result<Request, Response> {
    let app = &state.app;
    check_names(state, &request).map_err(|refusal| *refusal)?;
    let peer = request.extensions().get::<PeerAddress>().copied();
    if OPEN.contains(&request.uri().path()) {
        return Ok(request);
    }
    browser::check(&app.settings, &request).map_err(|foreign| {
        app.metrics.refused(foreign.reason);
        refuse(foreign.status, RpcError::InvalidRequest, foreign.details)
    })?;
    let mut caller = match keys::admit(&app.access, request.headers()).await {
        Ok(caller) => caller,
        // Attempts with wrong keys count against the rate limit, too.
        Err(refusal) => {
            app.metrics.refused("key");
            let attempt = state.count(counted(None, peer), 1);
            return Err(attempt.map_or_else(too_many, |()| refusal));
        }
    };
    caller.origin = peer.map_or(Origin::Unknown, |peer| {
        // A proxy on this machine that the settings do not name calls for others.
        let is_forwarded = FORWARDING
            .iter()
            .any(|name| request.headers().contains_key(*name));
        app.access
            .origin(PeerAddress(peer.0, peer.1 || is_forwarded))
    });
    let counted = counted(caller.key, peer);
    state.count(counted, 1).map_err(too_many)?;
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(counted);
    request.extensions_mut().insert(counted.flow());
    Ok(request)
}

/// Checks a request for a page, which needs no API key, and returns its flow for fair queueing.
///
/// *Errors*: a refusal with 403 or 429.
pub(super) fn check_page(state: &HttpState, request: &Request) -> Result<Flow, Box<Response>> {
    check_names(state, request)?;
    let peer = request.extensions().get::<PeerAddress>().copied();
    let counted = counted(None, peer);
    let within_limit = state.count(counted, 1);
    within_limit.map_err(|seconds| Box::new(too_many(seconds)))?;
    Ok(counted.flow())
}

fn check_names(state: &HttpState, request: &Request) -> Result<(), Box<Response>> {
    names::check(&state.app.settings, request).map_err(|(header, details)| {
        state.app.metrics.refused(header);
        let refusal = refuse(StatusCode::FORBIDDEN, RpcError::InvalidRequest, details);
        Box::new(refusal)
    })
}

fn counted(key: Option<Uuid>, peer: Option<PeerAddress>) -> Counted {
    match (key, peer) {
        (Some(key), _) => Counted::Key(key),
        (None, Some(PeerAddress(address, false))) => Counted::address(address),
        (None, Some(PeerAddress(address, true))) => Counted::forwarded(address),
        (None, None) => Counted::unknown(),
    }
}
