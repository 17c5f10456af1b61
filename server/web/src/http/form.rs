//! Submitted forms: their visitor and fields, protection against forgery (CSRF), and form controls. If the
//! session has ended, the input is preserved until the visitor has signed in again.
//!
//! A form of another site is refused: the browser's headers name the other site, the browser does not send
//! the cookies with it, and the site cannot know the form's token.

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

/// The most bytes of a form: a record's texts, each byte of which may be encoded as three.
const MAX_BYTES: usize = 4 << 20;
/// The hidden field with a form's token.
pub(crate) const TOKEN_FIELD: &str = "form_token";

/// The fields of a form, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses a form's body. Source: WHATWG URL, `application/x-www-form-urlencoded`.
    pub(crate) fn read(body: &[u8]) -> Self {
        Self(parse(body).into_owned().collect())
    }

    /// Adds a field.
    pub(crate) fn add(&mut self, name: &str, value: String) {
        self.0.push((name.to_owned(), value));
    }

    /// Returns the value of a field; the empty string if it is missing.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Returns the value of a field with `\n` for each line break; browsers send `\r\n`.
    pub(crate) fn text(&self, name: &str) -> String {
        self.get(name).replace("\r\n", "\n")
    }

    /// Returns the same of a field that may be missing.
    pub(crate) fn text_if_any(&self, name: &str) -> Option<String> {
        let value = self.all(name).next();
        value.map(|value| value.replace("\r\n", "\n"))
    }

    /// Returns all values of a field that occurs several times.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the fields that may be preserved until the visitor has signed in again: no password, key or
    /// token.
    pub(crate) fn preservable(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self
            .0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        fields.filter(|(name, _)| {
            *name != TOKEN_FIELD && !name.contains("password") && !name.ends_with("key")
        })
    }
}

/// A form from a visitor with a session.
pub(crate) struct SessionForm {
    /// The visitor who sent it.
    pub(crate) visitor: Visitor,
    /// Its fields.
    pub(crate) fields: Fields,
}

/// A form that needs no session, such as the sign-in form.
pub(crate) struct OpenForm {
    /// The visitor who sent it.
    pub(crate) visitor: Visitor,
    /// Its fields.
    pub(crate) fields: Fields,
}

impl FromRequest<SiteState> for SessionForm {
    /// A refusal, or the sign-in page, which preserves the input.
    type Rejection = Response;

    async fn from_request(request: Request, site: &SiteState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Anybody(visitor) = Anybody::from_request_parts(&mut parts, site).await?;
        if !is_same_origin(&visitor, &parts) {
            return Err(refused(&visitor));
        }
        let fields = read(&visitor, body).await?;
        let token = visitor.session.as_ref().map(|session| session.form_token());
        match token {
            Some(token) if token.matches(fields.get(TOKEN_FIELD)) => Ok(Self { visitor, fields }),
            // The visitor has signed out, or has signed in again in another window.
            _ => Err(account::ask_again(
                site.app(),
                &visitor,
                (&parts.headers, &fields),
            )),
        }
    }
}

impl FromRequest<SiteState> for OpenForm {
    type Rejection = Response;

    async fn from_request(request: Request, site: &SiteState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Anybody(visitor) = Anybody::from_request_parts(&mut parts, site).await?;
        if !is_same_origin(&visitor, &parts) {
            return Err(refused(&visitor));
        }
        let fields = read(&visitor, body).await?;
        let token = FormToken::of_cookie(&parts.headers);
        match token.is_some_and(|token| token.matches(fields.get(TOKEN_FIELD))) {
            true => Ok(Self { visitor, fields }),
            false => Err(refused(&visitor)),
        }
    }
}

/// Whether a form comes from a page of this server according to the browser's headers.
/// Source: Fetch Metadata Request Headers; Fetch, `Origin`.
pub(crate) fn is_same_origin(visitor: &Visitor, parts: &Parts) -> bool {
    let header = |name: &str| {
        parts
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    match (header("sec-fetch-site"), header("origin")) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => origin == visitor.origin,
        // This is not a browser, so no site can misuse the session of its user.
        (None, None) => true,
    }
}

/// Refuses a form that does not come from a page of this server.
pub(crate) fn refused(visitor: &Visitor) -> Response {
    let words = &visitor.words.failure;
    visitor.message_page(
        StatusCode::FORBIDDEN,
        words.foreign_form,
        words.foreign_form_why,
    )
}

async fn read(visitor: &Visitor, body: Body) -> Result<Fields, Response> {
    let body = to_bytes(body, MAX_BYTES).await.map_err(|_| {
        let words = &visitor.words.failure;
        visitor.message_page(
            StatusCode::PAYLOAD_TOO_LARGE,
            words.refused,
            words.too_large,
        )
    })?;
    Ok(Fields::read(&body))
}

/// Answers with a page that contains an [`OpenForm`]; `page` renders it with the form's hidden field.
pub(crate) fn open_form_page(
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
            return visitor.message_page(status, words.broken, words.try_again);
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

/// Returns the hidden field that every [`SessionForm`] must contain.
pub(crate) fn token_field(visitor: &Visitor) -> Markup {
    let token = visitor.session.as_ref().map(|session| session.form_token());
    html! {
        @if let Some(token) = token {
            input type="hidden" name=(TOKEN_FIELD) value=(token.as_str());
        }
    }
}

/// Renders a button that is a form of its own, with hidden fields.
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

/// Renders a field for a long text. Invisible characters are removed, as they are before it is stored.
pub(crate) fn broad_field(label: &str, name: &str, text: &str, is_required: bool) -> Markup {
    let rows = text.lines().count().clamp(3, 20);
    html! {
        label.field.broad { span { (label) }
            // HTML ignores a line break at the beginning of a text area.
            textarea name=(name) rows=(rows) dir="auto" required[is_required] {
                "\n" (without_invisible(text))
            }
        }
    }
}

/// Renders the message that says what is wrong with a form; screen readers announce it.
pub(crate) fn alert(message: &str) -> Markup {
    html! { p.alert role="alert" { (visible(message)) } }
}
