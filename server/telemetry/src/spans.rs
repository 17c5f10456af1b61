//! Trace spans: one per HTTP request, one per tool call. They exist only while traces are sent
//! somewhere; otherwise creating one costs a comparison.
//!
//! They carry names, codes and ids, never arguments, keys or results. A span finds its parent through
//! the `traceparent` that is stored with the request's id, since libraries run calls on their own tasks.

use tracing::{Span, field::Empty};

use crate::request_id::{self, RequestId};

/// The target of every span in this file, and of nothing else.
pub(super) const TARGET: &str = "recall_kit_server::spans";

const METHODS: [&str; 9] = [
    "GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH", "CONNECT", "TRACE",
];

/// The attributes of an HTTP request's span.
#[derive(Debug, Clone, Copy)]
pub struct HttpRequest<'a> {
    /// The method.
    pub method: &'a str,
    /// The route that matched, such as `/mcp`, if any.
    pub route: Option<&'a str>,
    /// The `traceparent` header. Source: W3C Trace Context.
    pub trace_parent: Option<&'a str>,
}

/// Begins the span of an HTTP request, and returns it with the request's id, which now has the trace
/// context.
/// Source: OpenTelemetry's semantic conventions for HTTP.
pub fn http_request(request: HttpRequest<'_>, id: RequestId) -> (Span, RequestId) {
    let method = METHODS
        .iter()
        .find(|known| **known == request.method)
        .unwrap_or(&"_OTHER");
    let route = request.route.unwrap_or("unknown");
    let span = tracing::info_span!(
        target: TARGET,
        parent: None,
        "http_request",
        otel.name = format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        request_id = id.as_str(),
    );
    if span.is_disabled() {
        return (span, id);
    }
    place_below(&span, request.trace_parent);
    let id = match trace_parent(&span) {
        Some(context) => id.in_trace(&context),
        None => id,
    };
    (span, id)
}

/// Ends the span of an HTTP request.
pub fn answered(span: &Span, status: u16) {
    span.record("http.response.status_code", status);
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

/// Begins the span of a tool call as a child of its request's span; `None` for a tool that does not exist.
pub fn tool_call(tool: Option<&str>) -> Span {
    let tool = tool.unwrap_or("unknown");
    let span = tracing::info_span!(
        target: TARGET,
        parent: None,
        "tool_call",
        otel.name = format_args!("tools/call {tool}"),
        otel.status_code = Empty,
        tool.name = tool,
        outcome = Empty,
        request_id = Empty,
    );
    if !span.is_disabled()
        && let Some(id) = request_id::current()
    {
        span.record("request_id", id.as_str());
        place_below(&span, id.trace_parent());
    }
    span
}

/// Ends the span of a tool call with `ok` or an error's code.
pub fn called(span: &Span, error: Option<&str>) {
    span.record("outcome", error.unwrap_or("ok"));
    if error.is_some() {
        span.record("otel.status_code", "ERROR");
    }
}

#[cfg(feature = "otlp")]
use super::otlp::{place_below, trace_parent};

#[cfg(not(feature = "otlp"))]
fn place_below(_span: &Span, _trace_parent: Option<&str>) {}

#[cfg(not(feature = "otlp"))]
fn trace_parent(_span: &Span) -> Option<String> {
    None
}
