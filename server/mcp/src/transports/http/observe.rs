//! The request id, the counters and the tracing span of every HTTP request, refused ones included.

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue},
    response::Response,
};
use recall_kit_telemetry::{
    metrics::{Counted, Metrics},
    request_id::{self, RequestId},
    spans::{self, HttpRequest},
};

const HEADER: HeaderName = HeaderName::from_static(request_id::HEADER);

/// The protocol in which a request was answered, for the metrics. A response that no protocol marked
/// counts as `http`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Protocol {
    /// MCP over Streamable HTTP.
    Mcp,
    /// Plain JSON-RPC.
    JsonRpc,
}

impl Protocol {
    /// Marks a response as one of this protocol.
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

/// Answers a request under an id, which the response repeats, and counts the request. The id is the
/// one in the request's header if that is valid, else a new one.
pub(crate) async fn observe<A: Future<Output = Response>>(
    metrics: &Metrics,
    mut request: Request,
    answer: impl FnOnce(Request) -> A,
) -> Response {
    let _in_flight = Counted::on(&metrics.in_flight);
    let header = request.headers().get(HEADER);
    let id = header
        .and_then(|id| RequestId::parse(id.to_str().ok()?))
        .unwrap_or_else(RequestId::fresh);
    let (span, id) = spans::http_request(span_fields(&request), id);
    // The engines answer in other tasks, where they find the id here.
    request.extensions_mut().insert(id.clone());
    let mut response = request_id::scope(id.clone(), answer(request)).await;
    let status = response.status().as_u16();
    metrics.answered(Protocol::name(&response), status);
    spans::answered(&span, status);
    let header = HeaderValue::from_str(id.as_str()).expect("an id is plain ASCII");
    response.headers_mut().insert(HEADER, header);
    response
}

fn span_fields(request: &Request) -> HttpRequest<'_> {
    let trace_parent = request.headers().get("traceparent");
    HttpRequest {
        method: request.method().as_str(),
        route: request.extensions().get().map(MatchedPath::as_str),
        trace_parent: trace_parent.and_then(|header| header.to_str().ok()),
    }
}
