//! The settings for language and colour theme, stored in cookies.

use axum::{
    extract::Form,
    http::{HeaderName, HeaderValue, header, request::Parts},
    response::Response,
};
use recall_kit_i18n::Language;
use serde::Deserialize;

use crate::{
    http::form::{is_same_origin, refused},
    see_other,
    visitor::Anybody,
};

/// A year, in seconds.
const LIFETIME: u32 = 365 * 24 * 60 * 60;

/// A colour theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// Both, in the order of the list.
    pub(crate) const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// Returns its name in the cookie and the form.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Finds a theme by name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == name)
    }
}

/// The form at the end of every page.
#[derive(Debug, Deserialize)]
pub(crate) struct PreferencesForm {
    #[serde(default)]
    language: String,
    /// The name of a [`Theme`]; anything else means the system's theme.
    #[serde(default)]
    theme: String,
    /// The page to return to.
    #[serde(default)]
    back: String,
}

/// Stores the preferences and returns to the page, which must be one of this server. A form of another site
/// is refused.
pub(crate) async fn save(
    Anybody(visitor): Anybody,
    parts: Parts,
    Form(form): Form<PreferencesForm>,
) -> Response {
    if !is_same_origin(&visitor, &parts) {
        return refused(&visitor);
    }
    let language = Language::of(&form.language).unwrap_or_default();
    let theme = Theme::of(&form.theme).map_or("system", Theme::as_str);
    let cookies = [
        set_cookie("rk_language", language.code()),
        set_cookie("rk_theme", theme),
    ];
    let mut response = see_other(&form.back);
    let headers = response.headers_mut();
    for (name, cookie) in cookies {
        headers.append(name, cookie);
    }
    response
}

fn set_cookie(name: &str, value: &'static str) -> (HeaderName, HeaderValue) {
    let cookie = format!("{name}={value}; Path=/; Max-Age={LIFETIME}; HttpOnly; SameSite=Strict");
    let cookie = HeaderValue::from_str(&cookie).expect("names and words are plain ASCII");
    (header::SET_COOKIE, cookie)
}
