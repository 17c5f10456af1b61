//! Who looks at a page, in which language and light: everything a page is rendered for.

use std::sync::Arc;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, StatusCode, header, request::Parts},
    response::Response,
};
use jiff::Timestamp;

use super::{language::Language, preferences::Theme, words::Words};
use crate::{app::App, settings::AccessMode};

/// A cookie is shorter than this; what is longer is nobody's.
const MAX_COOKIE_CHARS: usize = 200;

/// What a page is rendered for.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    /// The language of the page.
    pub(super) language: Language,
    /// Its words.
    pub(super) words: &'static Words,
    /// Light or dark, where it was chosen.
    pub(super) theme: Option<Theme>,
    /// The address asked for, from the first `/` on.
    pub(super) path: String,
    /// The server's own address as the browser knows it, without a path.
    pub(super) origin: String,
    /// When the page was asked for.
    pub(super) now: Timestamp,
}

impl FromRequestParts<Arc<App>> for Visitor {
    /// A page that says that nobody is let in.
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Response> {
        let visitor = Self::of(parts, app);
        if app.access == AccessMode::Required {
            let words = &visitor.words.failure;
            return Err(visitor.say(StatusCode::UNAUTHORIZED, words.closed, words.closed_why));
        }
        Ok(visitor)
    }
}

impl Visitor {
    fn of(parts: &Parts, app: &App) -> Self {
        let chosen = cookie(&parts.headers, "rk_language").and_then(Language::of);
        let language = chosen.unwrap_or_else(|| Language::accepted(&parts.headers));
        let path = parts.uri.path_and_query();
        Self {
            language,
            words: Words::of(language),
            theme: cookie(&parts.headers, "rk_theme").and_then(Theme::of),
            path: path.map_or_else(|| "/".to_owned(), ToString::to_string),
            origin: origin(app, parts),
            now: app.now(),
        }
    }
}

/// Returns the address by which the browser found the server.
fn origin(app: &App, parts: &Parts) -> String {
    let scheme = app.settings.tls.scheme();
    let host = parts.headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    let host = host.or_else(|| Some(parts.uri.authority()?.as_str()));
    format!("{scheme}://{}", host.unwrap_or("127.0.0.1:8090"))
}

/// Returns the value of a cookie. Source: RFC 6265, 4.2.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lists = headers.get_all(header::COOKIE).iter();
    let mut pairs = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(';'));
    let value = pairs.find_map(|pair| {
        let (known, value) = pair.trim().split_once('=')?;
        (known == name).then_some(value)
    });
    value.filter(|value| value.len() <= MAX_COOKIE_CHARS)
}
