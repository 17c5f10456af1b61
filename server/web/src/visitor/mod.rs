//! Who looks at a page, in which language and light: everything a page is rendered for.
//!
//! Who signed in is who the session's cookie says, read anew for every request. Everybody else looks
//! without a name and changes nothing, whatever the faces let pass without a key: a page that changes
//! something can be sent by any other page of the web.

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
use recall_kit_settings::AccessMode;
use recall_kit_store::StoreError;

use crate::{
    SiteState,
    http::{address::with_query, failure::Failure},
    i18n::{language::Language, words::Words},
    visitor::{preferences::Theme, session::Session},
};

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
    /// Where the request came from.
    pub(super) from: IpAddr,
    /// When the page was asked for.
    pub(super) now: Timestamp,
    /// Who it is, and what it may do.
    pub(super) caller: Caller,
    /// The session of who signed in.
    pub(super) session: Option<Session>,
}

/// Anybody, also where the other pages are for those who signed in.
pub(super) struct Anybody(pub(super) Visitor);

impl FromRequestParts<SiteState> for Visitor {
    /// The way to the sign-in, or a page that says what failed.
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &SiteState) -> Result<Self, Response> {
        let Anybody(visitor) = Anybody::from_request_parts(parts, site).await?;
        if site.app().access != AccessMode::Required || visitor.session.is_some() {
            return Ok(visitor);
        }
        let words = &visitor.words.failure;
        Err(match parts.method {
            Method::GET => super::see_other(&visitor.sign_in_address()),
            _ => visitor.say(StatusCode::UNAUTHORIZED, words.closed, words.closed_why),
        })
    }
}

impl FromRequestParts<SiteState> for Anybody {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &SiteState) -> Result<Self, Response> {
        let app = site.app();
        let mut visitor = Visitor::stranger(parts, app);
        match visitor.recognise(&parts.headers, app).await {
            Ok(()) => Ok(Self(visitor)),
            Err(error) => Err(visitor.fail(&Failure::Service(error.into()))),
        }
    }
}

impl Visitor {
    fn stranger(parts: &Parts, app: &App) -> Self {
        let chosen = cookie(&parts.headers, "rk_language").and_then(Language::of);
        let language = chosen.unwrap_or_else(|| Language::accepted(&parts.headers));
        let path = parts.uri.path_and_query();
        let peer = parts.extensions.get::<PeerAddress>();
        Self {
            language,
            words: Words::of(language),
            theme: cookie(&parts.headers, "rk_theme").and_then(Theme::of),
            path: path.map_or_else(|| "/".to_owned(), ToString::to_string),
            origin: origin(app, parts),
            from: peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0),
            now: app.now(),
            caller: Caller::unknown(),
            session: None,
        }
    }

    /// Recognises who has a session.
    async fn recognise(&mut self, headers: &HeaderMap, app: &App) -> Result<(), StoreError> {
        let Some(token) = cookie(headers, crate::visitor::session::COOKIE) else {
            return Ok(());
        };
        if let Some((session, caller)) = Session::of(app, token).await? {
            self.session = Some(session);
            self.caller = caller;
        }
        Ok(())
    }

    /// Whether it may do what needs a scope; the use cases make sure of it.
    pub(super) fn may(&self, needed: Scope) -> bool {
        self.caller.scope >= needed
    }

    /// Returns the address of the sign-in that leads back to this page.
    pub(super) fn sign_in_address(&self) -> String {
        with_query("/sign-in", [("back", self.path.as_str())])
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
