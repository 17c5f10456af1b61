//! What is noted about every HTTP request, whatever becomes of it: its id, the counters, a span.

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue},
    response::Response,
};
use recall_kit_core::app::App;
use recall_kit_telemetry::{
    metrics::Counted,
    request_id::{self, RequestId},
    spans::{self, HttpRequest},
};

const HEADER: HeaderName = HeaderName::from_static(request_id::HEADER);

/// Who answered a request; a page or a probe where nobody says so.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Face {
    /// MCP over Streamable HTTP.
    Mcp,
    /// Plain JSON-RPC.
    JsonRpc,
}

impl Face {
    /// Says on an answer whose it is.
    pub(crate) fn mark(self, mut response: Response) -> Response {
        response.extensions_mut().insert(self);
        response
    }

    fn name(answer: &Response) -> &'static str {
        match answer.extensions().get::<Self>() {
            Some(Self::Mcp) => "mcp",
            Some(Self::JsonRpc) => "json_rpc",
            None => "http",
        }
    }
}

/// Gives the request an id, or takes the one it brought, answers with it, and counts.
pub(crate) async fn observe<A: Future<Output = Response>>(
    app: &App,
    mut request: Request,
    answer: impl FnOnce(Request) -> A,
) -> Response {
    let _in_flight = Counted::on(&app.metrics.in_flight);
    let given = request.headers().get(HEADER);
    let id = given
        .and_then(|given| RequestId::parse(given.to_str().ok()?))
        .unwrap_or_else(RequestId::fresh);
    let (span, id) = spans::http_request(seen(&request), id);
    // Engines that leave this task find it here.
    request.extensions_mut().insert(id.clone());
    let mut response = request_id::scope(id.clone(), answer(request)).await;
    let status = response.status().as_u16();
    app.metrics.answered(Face::name(&response), status);
    spans::answered(&span, status);
    let header = HeaderValue::from_str(id.as_str()).expect("an id is plain ASCII");
    response.headers_mut().insert(HEADER, header);
    response
}

fn seen(request: &Request) -> HttpRequest<'_> {
    let trace_parent = request.headers().get("traceparent");
    HttpRequest {
        method: request.method().as_str(),
        route: request.extensions().get().map(MatchedPath::as_str),
        trace_parent: trace_parent.and_then(|header| header.to_str().ok()),
    }
}
