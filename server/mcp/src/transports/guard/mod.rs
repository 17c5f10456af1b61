//! The guard in front of every route: host and origin, key, rate.
//!
//! A web page must not reach a server on the user's machine by a name that it made point there (DNS
//! rebinding), so both `Host` and `Origin` have to be names the server goes by. What passes carries
//! its [`Caller`] on. Pages of other origins on this machine are kept out as well.

mod browser;
mod keys;
mod names;
pub(super) mod rate;
pub(super) mod refusal;
pub(super) mod room;

use axum::{extract::Request, http::StatusCode, response::Response};
use recall_kit_core::access::peer_address::PeerAddress;
use recall_kit_fair_queue::flow::Flow;
use recall_kit_shared_types::RpcError;
use uuid::Uuid;

pub(super) use self::keys::Admission;
use self::{
    rate::Counted,
    refusal::{refuse, too_many},
};
use super::Faces;

/// Routes that say nothing but that the server is there.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/mcp/health"];

/// Lets a request through, with its caller.
///
/// *Errors*: a refusal with 401, 403, 415 or 429.
pub(super) async fn check(faces: &Faces, mut request: Request) -> Result<Request, Response> {
    let app = &faces.app;
    check_names(faces, &request).map_err(|refusal| *refusal)?;
    let peer = request.extensions().get::<PeerAddress>().copied();
    if OPEN.contains(&request.uri().path()) {
        return Ok(request);
    }
    browser::check(app, &request).map_err(|foreign| {
        app.metrics.refused(foreign.reason);
        refuse(foreign.status, RpcError::InvalidRequest, foreign.details)
    })?;
    let caller = match keys::admit(app, request.headers()).await {
        Ok(caller) => caller,
        // Whoever tries keys out is counted as well.
        Err(refusal) => {
            app.metrics.refused("key");
            let tried = faces.count(counted(None, peer), 1);
            return Err(tried.map_or_else(too_many, |()| refusal));
        }
    };
    let counted = counted(caller.key, peer);
    faces.count(counted, 1).map_err(too_many)?;
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(counted);
    request.extensions_mut().insert(counted.flow());
    Ok(request)
}

/// Lets a request through to the pages, whoever it comes from, and returns whose work it is.
///
/// *Errors*: a refusal with 403 or 429.
pub(super) fn check_page(faces: &Faces, request: &Request) -> Result<Flow, Box<Response>> {
    check_names(faces, request)?;
    let peer = request.extensions().get::<PeerAddress>().copied();
    let counted = counted(None, peer);
    let taken = faces.count(counted, 1);
    taken.map_err(|seconds| Box::new(too_many(seconds)))?;
    Ok(counted.flow())
}

fn check_names(faces: &Faces, request: &Request) -> Result<(), Box<Response>> {
    names::check(&faces.app, request).map_err(|(header, details)| {
        faces.app.metrics.refused(header);
        let refusal = refuse(StatusCode::FORBIDDEN, RpcError::InvalidRequest, details);
        Box::new(refusal)
    })
}

fn counted(key: Option<Uuid>, peer: Option<PeerAddress>) -> Counted {
    match (key, peer) {
        (Some(key), _) => Counted::Key(key),
        (None, Some(PeerAddress(address, false))) => Counted::address(address),
        (None, Some(PeerAddress(address, true))) => Counted::forwarded(address),
        (None, None) => Counted::nobody(),
    }
}
