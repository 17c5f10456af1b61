//! The session of a visitor as its cookie carries it, and the token that proves that a form was filled
//! in on one of these pages.
//!
//! A form's token is made of the session's, which no page of another site knows; who has the one
//! cannot work out the other. Forms of visitors without a session are made with a cookie of their own,
//! so that nobody can be signed in to somebody else's account without noticing (login CSRF).
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

/// The cookie that carries a session's token.
pub(crate) const COOKIE: &str = "rk_session";
/// The cookie that a browser is known by after it signed in once.
const DEVICE_COOKIE: &str = "rk_device";
/// How long a browser stays known, in seconds: a year.
const DEVICE_AGE: i64 = 365 * 24 * 60 * 60;
/// The cookie of forms that are sent without a session.
const FORM_COOKIE: &str = "rk_form";
/// What is hashed before a token, so that its hash is good for nothing else.
const PURPOSE: &[u8] = b"recall-kit form\0";
/// Bytes of the token of a form without a session.
const TOKEN: usize = 32;

/// The session of who signed in.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    token: Secret,
    /// What to call who has it.
    pub(crate) name: String,
}

impl Session {
    /// Finds the session of a token, and who has it.
    pub(crate) async fn of(app: &App, token: &str) -> Result<Option<(Self, Caller)>, StoreError> {
        let open = people::session(app, token).await?;
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

    /// Takes up a session that just began.
    pub(crate) fn begun(signed_in: &SignedIn) -> Self {
        Self {
            token: signed_in.token.clone(),
            name: signed_in.session.name.clone(),
        }
    }

    /// Returns its token, for the use cases that need it.
    pub(crate) fn token(&self) -> &Secret {
        &self.token
    }

    /// Returns the token of its forms.
    pub(crate) fn form_token(&self) -> FormToken {
        FormToken::of(self.token.expose())
    }
}

/// What a form carries to show that it was filled in here.
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

    /// Returns it for a hidden field.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether a form carries it.
    pub(crate) fn is(&self, carried: &str) -> bool {
        bool::from(self.0.as_bytes().ct_eq(carried.as_bytes()))
    }

    /// Returns the token that a form without a session must carry, from its cookie.
    pub(crate) fn of_cookie(headers: &HeaderMap) -> Option<Self> {
        cookie(headers, FORM_COOKIE).map(Self::of)
    }

    /// Returns the token of forms without a session, and the cookie to set where there is none yet.
    ///
    /// *Errors*: the system's random source failed.
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

/// Returns the cookies of a session that just began, and of the browser where it is known from now on.
pub(crate) fn begun(app: &App, signed_in: &SignedIn) -> Vec<HeaderValue> {
    let left = signed_in.session.expires_at.as_second() - app.now().as_second();
    let session = set_cookie(app, (COOKIE, signed_in.token.expose()), Some(left));
    let device = signed_in.device.as_ref().map(|device| {
        let device = (DEVICE_COOKIE, device.expose());
        set_cookie(app, device, Some(DEVICE_AGE))
    });
    [Some(session), device].into_iter().flatten().collect()
}

/// Returns what a browser that signed in before is known by.
pub(crate) fn device(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, DEVICE_COOKIE)
}

/// Returns the cookie that takes a session's away.
pub(crate) fn ended(app: &App) -> HeaderValue {
    set_cookie(app, (COOKIE, ""), Some(0))
}

/// Writes a cookie that no script reads and no other site sends; it goes with the browser unless it
/// has an age in seconds. Source: RFC 6265bis, 4.1.
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
