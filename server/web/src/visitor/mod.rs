//! The visitor of a page: session, permissions, language and colour theme.
//!
//! A visitor who has signed in is identified by the session's cookie, which is checked for every request. A
//! visitor without a session is anonymous and cannot change anything, even if the other endpoints permit
//! changes without a key: any page on the web could make a browser send such a request.

pub(crate) mod preferences;
pub(crate) mod session;

use std::net::{IpAddr, Ipv4Addr};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, Method, StatusCode, header, request::Parts},
    response::Response,
};
use jiff::Timestamp;
use recall_kit_core::{
    access::{Caller, Scope, peer_address::PeerAddress},
    app::App,
};
use recall_kit_i18n::Language;
use recall_kit_settings::AccessMode;
use recall_kit_store::StoreError;

use crate::{
    SiteState,
    http::{address::with_query, failure::Failure},
    i18n::{language::accepted, words::Words},
    visitor::{preferences::Theme, session::Session},
};

/// The longest value of a cookie; a longer one is ignored.
const MAX_COOKIE_CHARS: usize = 200;

/// The visitor that a page is rendered for.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    /// The language of the page.
    pub(super) language: Language,
    /// The texts in that language.
    pub(super) words: &'static Words,
    /// The colour theme, if one was chosen.
    pub(super) theme: Option<Theme>,
    /// The path and query of the request.
    pub(super) path: String,
    /// The server's origin as the browser sees it, such as `https://host:port`.
    pub(super) origin: String,
    /// The address that the request came from.
    pub(super) from: IpAddr,
    /// The time of the request.
    pub(super) now: Timestamp,
    /// The identity and permissions.
    pub(super) caller: Caller,
    /// The session; `None` for a visitor who has not signed in.
    pub(super) session: Option<Session>,
}

/// A visitor of a page that is open to everybody, even if the other pages require signing in.
pub(super) struct Anybody(pub(super) Visitor);

impl FromRequestParts<SiteState> for Visitor {
    /// A redirect to the sign-in page, or an error page.
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &SiteState) -> Result<Self, Response> {
        let Anybody(visitor) = Anybody::from_request_parts(parts, site).await?;
        if site.app().access.mode != AccessMode::Required || visitor.session.is_some() {
            return Ok(visitor);
        }
        let words = &visitor.words.failure;
        Err(match parts.method {
            Method::GET => super::see_other(&visitor.sign_in_address()),
            _ => visitor.message_page(StatusCode::UNAUTHORIZED, words.closed, words.closed_why),
        })
    }
}

impl FromRequestParts<SiteState> for Anybody {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &SiteState) -> Result<Self, Response> {
        let app = site.app();
        let mut visitor = Visitor::anonymous(parts, app);
        match visitor.load_session(&parts.headers, app).await {
            Ok(()) => Ok(Self(visitor)),
            Err(error) => Err(visitor.fail(&Failure::Service(error.into()))),
        }
    }
}

impl Visitor {
    fn anonymous(parts: &Parts, app: &App) -> Self {
        let chosen = cookie(&parts.headers, "rk_language").and_then(Language::of);
        let language = chosen.unwrap_or_else(|| accepted(&parts.headers));
        let path = parts.uri.path_and_query();
        let peer = parts.extensions.get::<PeerAddress>();
        Self {
            language,
            words: Words::of(language),
            theme: cookie(&parts.headers, "rk_theme").and_then(Theme::of),
            path: path.map_or_else(|| "/".to_owned(), ToString::to_string),
            origin: origin(app, parts),
            from: peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0),
            now: app.clock.now(),
            caller: Caller::unknown(),
            session: None,
        }
    }

    /// Sets the session and the caller if the cookie has a valid session.
    async fn load_session(&mut self, headers: &HeaderMap, app: &App) -> Result<(), StoreError> {
        let Some(token) = cookie(headers, crate::visitor::session::COOKIE) else {
            return Ok(());
        };
        if let Some((session, caller)) = Session::of(app, token).await? {
            self.session = Some(session);
            self.caller = caller;
        }
        Ok(())
    }

    /// Whether the visitor has a scope. This only decides what is shown; the use cases check permissions.
    pub(super) fn may(&self, required: Scope) -> bool {
        self.caller.scope >= required
    }

    /// Returns the address of the sign-in page, which returns to this page afterwards.
    pub(super) fn sign_in_address(&self) -> String {
        with_query("/sign-in", [("back", self.path.as_str())])
    }
}

/// Returns the server's origin according to the request.
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
