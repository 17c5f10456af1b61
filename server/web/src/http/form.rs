//! Forms that were sent: filled in here, by whom, with what; and nothing typed is lost when a session
//! ends meanwhile.
//!
//! A form of another site is refused before anything else: by what the browser says of where it comes
//! from, by the cookies that it does not send along, and by the token that it cannot know.

use axum::{
    body::{Body, to_bytes},
    extract::{FromRequest, FromRequestParts as _, Request},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::app::App;
use recall_kit_sanitizer::without_invisible;
use url::form_urlencoded::parse;

use crate::{
    SiteState, account,
    layout::{page::Page, plain::visible},
    visitor::{Anybody, Visitor, session::FormToken},
};

/// Bytes of a form, at most: a record's texts, each byte of which may take three.
const MAX_BYTES: usize = 4 << 20;
/// The hidden field that carries a form's token.
pub(crate) const TOKEN_FIELD: &str = "form_token";

/// What a form says, in its order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads a form's body. Source: WHATWG URL, `application/x-www-form-urlencoded`.
    pub(crate) fn read(body: &[u8]) -> Self {
        Self(parse(body).into_owned().collect())
    }

    /// Adds a field.
    pub(crate) fn add(&mut self, name: &str, value: String) {
        self.0.push((name.to_owned(), value));
    }

    /// Returns what a field says; nothing where it is not there.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Returns what a field says with the line breaks of one line-feed each, as browsers send two.
    pub(crate) fn text(&self, name: &str) -> String {
        self.get(name).replace("\r\n", "\n")
    }

    /// Returns everything that a field says that is there several times.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns what may be kept until somebody signed in again: no password, key or token.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self
            .0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        fields.filter(|(name, _)| {
            *name != TOKEN_FIELD && !name.contains("password") && !name.ends_with("key")
        })
    }
}

/// A form that somebody with a session sent.
pub(crate) struct Signed {
    /// Who sent it.
    pub(crate) visitor: Visitor,
    /// What it says.
    pub(crate) fields: Fields,
}

/// A form that anybody may send, as that to sign in.
pub(crate) struct Sent {
    /// Who sent it.
    pub(crate) visitor: Visitor,
    /// What it says.
    pub(crate) fields: Fields,
}

impl FromRequest<SiteState> for Signed {
    /// A refusal, or the way to sign in that keeps what was typed.
    type Rejection = Response;

    async fn from_request(request: Request, site: &SiteState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Anybody(visitor) = Anybody::from_request_parts(&mut parts, site).await?;
        if !comes_from_here(&visitor, &parts) {
            return Err(refused(&visitor));
        }
        let fields = read(&visitor, body).await?;
        let token = visitor.session.as_ref().map(|session| session.form_token());
        match token {
            Some(token) if token.is(fields.get(TOKEN_FIELD)) => Ok(Self { visitor, fields }),
            // Signed out, or signed in anew in another window.
            _ => Err(account::ask_again(
                site.app(),
                &visitor,
                (&parts.headers, &fields),
            )),
        }
    }
}

impl FromRequest<SiteState> for Sent {
    type Rejection = Response;

    async fn from_request(request: Request, site: &SiteState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Anybody(visitor) = Anybody::from_request_parts(&mut parts, site).await?;
        if !comes_from_here(&visitor, &parts) {
            return Err(refused(&visitor));
        }
        let fields = read(&visitor, body).await?;
        let token = FormToken::of_cookie(&parts.headers);
        match token.is_some_and(|token| token.is(fields.get(TOKEN_FIELD))) {
            true => Ok(Self { visitor, fields }),
            false => Err(refused(&visitor)),
        }
    }
}

/// Whether a form comes from a page of this server, as far as the browser says so.
/// Source: Fetch Metadata Request Headers; Fetch, `Origin`.
pub(crate) fn comes_from_here(visitor: &Visitor, parts: &Parts) -> bool {
    let said = |name: &str| {
        parts
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    match (said("sec-fetch-site"), said("origin")) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => origin == visitor.origin,
        // Not a browser: then there is nobody else's session to misuse.
        (None, None) => true,
    }
}

/// Refuses a form that was not filled in here.
pub(crate) fn refused(visitor: &Visitor) -> Response {
    let words = &visitor.words.failure;
    visitor.say(
        StatusCode::FORBIDDEN,
        words.foreign_form,
        words.foreign_form_why,
    )
}

async fn read(visitor: &Visitor, body: Body) -> Result<Fields, Response> {
    let body = to_bytes(body, MAX_BYTES).await.map_err(|_| {
        let words = &visitor.words.failure;
        visitor.say(
            StatusCode::PAYLOAD_TOO_LARGE,
            words.refused,
            words.too_large,
        )
    })?;
    Ok(Fields::read(&body))
}

/// Answers with a page that has a form for visitors without a session; `page` gets the form's hidden
/// field.
pub(crate) fn open_form(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    (status, page): (StatusCode, impl FnOnce(&Markup) -> Page),
) -> Response {
    let (token, cookie) = match FormToken::for_anybody(app, headers) {
        Ok(token) => token,
        Err(error) => {
            tracing::error!(%error, "the system's random source failed");
            let words = &visitor.words.failure;
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return visitor.say(status, words.broken, words.try_again);
        }
    };
    let field = html! { input type="hidden" name=(TOKEN_FIELD) value=(token.as_str()); };
    with_cookies(page(&field).answer(visitor, status), cookie)
}

/// Adds cookies to an answer.
pub(crate) fn with_cookies(
    mut response: Response,
    cookies: impl IntoIterator<Item = HeaderValue>,
) -> Response {
    for cookie in cookies {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Returns the hidden field that every form of a visitor with a session carries.
pub(crate) fn token_field(visitor: &Visitor) -> Markup {
    let token = visitor.session.as_ref().map(|session| session.form_token());
    html! {
        @if let Some(token) = token {
            input type="hidden" name=(TOKEN_FIELD) value=(token.as_str());
        }
    }
}

/// A button that sends something at once.
pub(crate) fn button(
    visitor: &Visitor,
    action: &str,
    name: &str,
    hidden: &[(&str, &str)],
) -> Markup {
    html! {
        form.inline method="post" action=(action) {
            (token_field(visitor))
            @for (field, value) in hidden { input type="hidden" name=(field) value=(value); }
            button type="submit" { (name) }
        }
    }
}

/// A field for a long text, without invisible characters, as it will be stored.
pub(crate) fn broad_field(label: &str, name: &str, text: &str, is_required: bool) -> Markup {
    let rows = text.lines().count().clamp(3, 20);
    html! {
        label.field.broad { span { (label) }
            // The first line break of a text field is not part of what it says.
            textarea name=(name) rows=(rows) dir="auto" required[is_required] {
                "\n" (without_invisible(text))
            }
        }
    }
}

/// What was wrong with a form, where the eye and the screen reader find it.
pub(crate) fn alert(message: &str) -> Markup {
    html! { p.alert role="alert" { (visible(message)) } }
}
