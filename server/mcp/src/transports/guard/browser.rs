//! Checks of the headers in which a browser names the page behind a request. A page of another origin
//! must not call tools, not even a page from another port of this machine.
//!
//! Programs send neither `Origin` nor `Sec-Fetch-Site`, so these checks do not apply to them. Source:
//! Fetch Metadata Request Headers; Fetch, "CORS-safelisted request-header".

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, Method, StatusCode, header},
};
use recall_kit_settings::Settings;

use super::names;

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Why a page's request is refused.
#[derive(Debug)]
pub(super) struct Foreign {
    pub(super) status: StatusCode,
    /// The reason as the metrics name it.
    pub(super) reason: &'static str,
    pub(super) details: &'static str,
}

/// Checks a request whose `Host` and `Origin` were found to be names of this server.
///
/// *Errors*: [`Foreign`], for a page of another site or port, or a POST that a form could send.
pub(super) fn check(settings: &Settings, request: &Request) -> Result<(), Foreign> {
    let headers = request.headers();
    let site = headers.get(SITE);
    let mut origins = headers.get_all(header::ORIGIN).iter().peekable();
    if origins.peek().is_none() && site.is_none() {
        return Ok(());
    }
    let method = request.method();
    let is_navigation =
        matches!(*method, Method::GET | Method::HEAD) && has(headers, MODE, "navigate");
    let from_elsewhere = site.is_some_and(|site| site == "cross-site" || site == "same-site");
    if origins.peek().is_none() && from_elsewhere && !is_navigation {
        return Err(Foreign {
            status: StatusCode::FORBIDDEN,
            reason: "site",
            details: "the request comes from a page of another site (Sec-Fetch-Site)",
        });
    }
    if !origins.all(|origin| names::is_same_port_or_listed(settings, request, origin)) {
        return Err(Foreign {
            status: StatusCode::FORBIDDEN,
            reason: "origin",
            details: "the Origin header names a page of another port; add its host:port to \
                      access.hosts if it may call this server",
        });
    }
    // Browsers send the content types of forms without a CORS preflight request.
    if *method == Method::POST && !is_json(headers) {
        return Err(Foreign {
            status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
            reason: "content_type",
            details: "a page has to send its request as Content-Type: application/json",
        });
    }
    Ok(())
}

fn has(headers: &HeaderMap, name: HeaderName, expected: &str) -> bool {
    headers.get(name).is_some_and(|value| value == expected)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}
