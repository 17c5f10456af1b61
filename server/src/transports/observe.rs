//! What is noted about every HTTP request, whatever becomes of it: its id.

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};

use crate::request_id::{self, RequestId};

const HEADER: HeaderName = HeaderName::from_static(request_id::HEADER);

/// Gives the request an id, or takes the one it brought, and answers with it.
pub(super) async fn observe(mut request: Request, next: Next) -> Response {
    let given = request.headers().get(HEADER);
    let id = given
        .and_then(|given| RequestId::parse(given.to_str().ok()?))
        .unwrap_or_else(RequestId::fresh);
    // Engines that leave this task find it here.
    request.extensions_mut().insert(id.clone());
    let mut response = request_id::scope(id.clone(), next.run(request)).await;
    let header = HeaderValue::from_str(id.as_str()).expect("an id is plain ASCII");
    response.headers_mut().insert(HEADER, header);
    response
}
