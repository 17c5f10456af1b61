//! The switches for language and light: kept in cookies, which say nothing else.

use axum::{
    extract::Form,
    http::{HeaderName, HeaderValue, header, request::Parts},
    response::Response,
};
use serde::Deserialize;

use crate::{
    http::form::{comes_from_here, refused},
    i18n::language::Language,
    see_other,
    visitor::Anybody,
};

/// A year, in seconds.
const LIFETIME: u32 = 365 * 24 * 60 * 60;

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// Both, in the order of the switch.
    pub(crate) const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// Returns its word.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Finds the theme of a word.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == word)
    }
}

/// What the switches send.
#[derive(Debug, Deserialize)]
pub(crate) struct Chosen {
    #[serde(default)]
    language: String,
    /// A word of [`Theme`]; anything else leaves it to the system.
    #[serde(default)]
    theme: String,
    /// The page that it was chosen on.
    #[serde(default)]
    back: String,
}

/// Keeps what was chosen and goes back to the page, and nowhere else. A form of another site is refused.
pub(crate) async fn keep(
    Anybody(visitor): Anybody,
    parts: Parts,
    Form(chosen): Form<Chosen>,
) -> Response {
    if !comes_from_here(&visitor, &parts) {
        return refused(&visitor);
    }
    let language = Language::of(&chosen.language).unwrap_or_default();
    let theme = Theme::of(&chosen.theme).map_or("system", Theme::as_str);
    let cookies = [
        set_cookie("rk_language", language.code()),
        set_cookie("rk_theme", theme),
    ];
    let mut response = see_other(&chosen.back);
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
