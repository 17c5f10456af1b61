//! The session of a visitor, which a cookie identifies, and the token that proves that a form comes from
//! one of these pages.
//!
//! A form's token is a hash of the session's token, which no other site knows and which cannot be computed
//! from the hash. Forms without a session use a cookie of their own, so that no site can sign a visitor in
//! to an account of somebody else unnoticed (login CSRF).
//! Source: OWASP Cross-Site Request Forgery Prevention, signed double-submit cookie.

use axum::http::{HeaderMap, HeaderValue};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use recall_kit_core::{
    access::{
        Caller,
        people::{self, SignedIn},
    },
    app::App,
};
use recall_kit_settings::Secret;
use recall_kit_store::StoreError;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::visitor::cookie;

/// The cookie with a session's token.
pub(crate) const COOKIE: &str = "rk_session";
/// The cookie that identifies a browser which has signed in before.
const DEVICE_COOKIE: &str = "rk_device";
/// The lifetime of that cookie in seconds: a year.
const DEVICE_AGE: i64 = 365 * 24 * 60 * 60;
/// The cookie of forms without a session.
const FORM_COOKIE: &str = "rk_form";
/// Hashed before a token, so that the hash cannot be used for another purpose.
const PURPOSE: &[u8] = b"recall-kit form\0";
/// The length of the token of a form without a session, in bytes.
const TOKEN: usize = 32;

/// The session of a visitor who has signed in.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    token: Secret,
    /// The name of the user or the key.
    pub(crate) name: String,
}

impl Session {
    /// Finds the session of a token, and its caller.
    pub(crate) async fn of(app: &App, token: &str) -> Result<Option<(Self, Caller)>, StoreError> {
        let open = people::session(&app.access, token).await?;
        Ok(open.map(|open| {
            let token = Secret::new(token.to_owned());
            (
                Self {
                    token,
                    name: open.name,
                },
                open.caller,
            )
        }))
    }

    /// Creates a session that has just begun.
    pub(crate) fn new(signed_in: &SignedIn) -> Self {
        Self {
            token: signed_in.token.clone(),
            name: signed_in.session.name.clone(),
        }
    }

    /// Returns its token.
    pub(crate) fn token(&self) -> &Secret {
        &self.token
    }

    /// Returns the token that its forms must contain.
    pub(crate) fn form_token(&self) -> FormToken {
        FormToken::of(self.token.expose())
    }
}

/// The token that proves that a form comes from one of these pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormToken(String);

impl FormToken {
    fn of(secret: &str) -> Self {
        let hash = Sha256::new()
            .chain_update(PURPOSE)
            .chain_update(secret)
            .finalize();
        Self(URL_SAFE_NO_PAD.encode(hash))
    }

    /// Returns the token as the value of a hidden field.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the value of a form's field is this token; the comparison takes constant time.
    pub(crate) fn matches(&self, value: &str) -> bool {
        bool::from(self.0.as_bytes().ct_eq(value.as_bytes()))
    }

    /// Returns the token that a form without a session must contain, computed from its cookie.
    pub(crate) fn of_cookie(headers: &HeaderMap) -> Option<Self> {
        cookie(headers, FORM_COOKIE).map(Self::of)
    }

    /// Returns the token of forms without a session, and the cookie to set if there is none yet.
    ///
    /// *Errors*: if the system's random source fails.
    pub(crate) fn for_anybody(
        app: &App,
        headers: &HeaderMap,
    ) -> Result<(Self, Option<HeaderValue>), getrandom::Error> {
        if let Some(token) = Self::of_cookie(headers) {
            return Ok((token, None));
        }
        let mut bytes = [0; TOKEN];
        getrandom::fill(&mut bytes)?;
        let secret = URL_SAFE_NO_PAD.encode(bytes);
        let cookie = set_cookie(app, (FORM_COOKIE, &secret), None);
        Ok((Self::of(&secret), Some(cookie)))
    }
}

/// Returns the cookies of a session that has just begun: its own, and that of the browser if it is new.
pub(crate) fn new_cookies(app: &App, signed_in: &SignedIn) -> Vec<HeaderValue> {
    let age = signed_in.session.expires_at.as_second() - app.clock.now().as_second();
    let session = set_cookie(app, (COOKIE, signed_in.token.expose()), Some(age));
    let device = signed_in.device.as_ref().map(|device| {
        let device = (DEVICE_COOKIE, device.expose());
        set_cookie(app, device, Some(DEVICE_AGE))
    });
    [Some(session), device].into_iter().flatten().collect()
}

/// Returns the value that identifies a browser which has signed in before.
pub(crate) fn device(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, DEVICE_COOKIE)
}

/// Returns the cookie that removes the session's cookie.
pub(crate) fn removed_cookie(app: &App) -> HeaderValue {
    set_cookie(app, (COOKIE, ""), Some(0))
}

/// Returns a cookie that scripts cannot read and that is not sent with requests from other sites. Without an
/// `age` in seconds it lasts until the browser is closed. Source: RFC 6265bis, 4.1.
fn set_cookie(app: &App, (name, value): (&str, &str), age: Option<i64>) -> HeaderValue {
    let secure = match app.settings.tls.scheme() {
        "https" => "; Secure",
        _ => "",
    };
    let age = age
        .map(|age| format!("; Max-Age={age}"))
        .unwrap_or_default();
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}{age}");
    let mut cookie = HeaderValue::from_str(&cookie).expect("a token is plain ASCII");
    cookie.set_sensitive(true);
    cookie
}
