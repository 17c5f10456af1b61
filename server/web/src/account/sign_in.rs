//! Signing in with a name and password or an API key, also in the middle of a form: what was typed
//! waits in the page and is sent by whoever typed it.

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::people::{self, Credentials, SignInError, SignInOrigin, SignedIn},
    app::App,
};
use recall_kit_settings::Secret;
use recall_kit_telemetry::chain;
use serde::Deserialize;
use url::form_urlencoded::Serializer;

use super::password_field;
use crate::{
    http::{
        address::own_path,
        form::{Fields, Sent, alert, open_form, token_field, with_cookies},
    },
    i18n::words::{AccountWords, filled},
    layout::{
        page::{Page, Section},
        plain::visible,
    },
    see_other,
    visitor::{
        Anybody, Visitor,
        session::{self, Session},
    },
};

/// Where the page leads back to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Typed {
    back: String,
}

/// What goes through the sign-in with whoever signs in.
#[derive(Debug, Default)]
struct Carried {
    /// The page to go to.
    back: String,
    /// Where a form was to be sent when its session was over.
    to: String,
    /// What the form said, encoded as it was sent.
    kept: String,
}

impl Carried {
    fn of(fields: &Fields) -> Self {
        Self {
            back: own_path(fields.get("back")).to_owned(),
            to: own_path(fields.get("to")).to_owned(),
            kept: fields.get("kept").to_owned(),
        }
    }
}

/// The page to sign in.
pub(crate) async fn sign_in_page(
    State(app): State<Arc<App>>,
    Anybody(visitor): Anybody,
    Query(typed): Query<Typed>,
    headers: HeaderMap,
) -> Response {
    let back = own_path(&typed.back).to_owned();
    if visitor.session.is_some() {
        return see_other(&back);
    }
    let carried = Carried {
        back,
        ..Carried::default()
    };
    shown(&app, &visitor, &headers, (StatusCode::OK, None, &carried))
}

/// The answer to a form whose session is over: what was typed waits until somebody signed in.
pub(crate) fn ask_again(
    app: &App,
    visitor: &Visitor,
    (headers, fields): (&HeaderMap, &Fields),
) -> Response {
    let mut kept = Serializer::new(String::new());
    kept.extend_pairs(fields.kept());
    let carried = Carried {
        back: "/".to_owned(),
        to: visitor.path.clone(),
        kept: kept.finish(),
    };
    let words = &visitor.words.account;
    let why = Some(words.session_over);
    shown(
        app,
        visitor,
        headers,
        (StatusCode::UNAUTHORIZED, why, &carried),
    )
}

/// Signs in, and goes on to where it was meant.
pub(crate) async fn sign_in(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Sent { visitor, fields }: Sent,
) -> Response {
    let carried = Carried::of(&fields);
    let origin = SignInOrigin {
        address: visitor.from,
        device: session::device(&headers),
    };
    match people::sign_in(&app, &credentials(&fields), origin).await {
        Ok(signed_in) => welcome(&app, visitor, signed_in, &carried).await,
        Err(error) => {
            let (status, why) = refusal(&visitor.words.account, &error);
            shown(&app, &visitor, &headers, (status, Some(&why), &carried))
        }
    }
}

fn credentials(fields: &Fields) -> Credentials {
    match fields.get("api_key") {
        "" => Credentials::Password {
            name: fields.get("name").to_owned(),
            password: Secret::new(fields.get("password").to_owned()),
        },
        key => Credentials::ApiKey(Secret::new(key.to_owned())),
    }
}

fn refusal(words: &AccountWords, error: &SignInError) -> (StatusCode, String) {
    match error {
        SignInError::Wrong => (StatusCode::UNAUTHORIZED, words.wrong.to_owned()),
        SignInError::Disabled => (StatusCode::FORBIDDEN, words.disabled.to_owned()),
        SignInError::Key(_) => (StatusCode::UNAUTHORIZED, words.key_refused.to_owned()),
        SignInError::Wait(seconds) => (
            StatusCode::TOO_MANY_REQUESTS,
            filled(words.wait, &[&seconds.to_string()]),
        ),
        SignInError::Broken(_) => {
            tracing::error!(error = chain(error), "signing in failed");
            (StatusCode::INTERNAL_SERVER_ERROR, words.broken.to_owned())
        }
    }
}

/// Goes on with a new session; one of before ends, so that no session outlives a sign-in.
async fn welcome(
    app: &Arc<App>,
    mut visitor: Visitor,
    signed_in: SignedIn,
    carried: &Carried,
) -> Response {
    if let Some(before) = &visitor.session
        && let Err(error) = people::sign_out(app, before.token().expose()).await
    {
        tracing::warn!(
            error = chain(&error),
            "a session of before could not be ended"
        );
    }
    let cookies = session::begun(app, &signed_in);
    let answer = if carried.kept.is_empty() {
        see_other(&carried.back)
    } else {
        visitor.session = Some(Session::begun(&signed_in));
        visitor.caller = signed_in.session.caller;
        send_again(&visitor, carried)
    };
    with_cookies(answer, cookies)
}

fn shown(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    (status, why, carried): (StatusCode, Option<&str>, &Carried),
) -> Response {
    let words = &visitor.words.account;
    let page = |token: &Markup| {
        let main = html! {
            h1 { (words.sign_in) }
            @if let Some(why) = why { (alert(why)) }
            (forms(words, &hidden(token, carried)))
            p.hint { (words.no_account) }
        };
        Page::new(words.sign_in, Section::Elsewhere, main)
    };
    open_form(app, visitor, headers, (status, page))
}

fn hidden(token: &Markup, carried: &Carried) -> Markup {
    html! {
        (token)
        input type="hidden" name="back" value=(carried.back);
        input type="hidden" name="to" value=(carried.to);
        input type="hidden" name="kept" value=(carried.kept);
    }
}

fn forms(words: &AccountWords, hidden: &Markup) -> Markup {
    html! {
        form.card method="post" action="/sign-in" {
            (hidden)
            label.field { span { (words.name) }
                input type="text" name="name" autocomplete="username" autocapitalize="none"
                    spellcheck="false" required;
            }
            (password_field(words.password, "password", "current-password"))
            button.main type="submit" { (words.sign_in) }
        }
        details.card {
            summary { (words.with_key) }
            form method="post" action="/sign-in" {
                (hidden)
                (password_field(words.key, "api_key", "off"))
                button type="submit" { (words.sign_in) }
            }
        }
    }
}

/// Shows what was typed before the session ended, to be sent now.
fn send_again(visitor: &Visitor, carried: &Carried) -> Response {
    let words = &visitor.words.account;
    let fields = Fields::read(carried.kept.as_bytes());
    let main = html! {
        h1 { (words.send_again) }
        p { (words.send_again_why) }
        form method="post" action=(carried.to) {
            (token_field(visitor))
            @for (name, value) in fields.kept() {
                input type="hidden" name=(name) value=(value);
            }
            button.main type="submit" { (words.send_now) }
        }
        (typed(&fields))
        p { a href="/" { (visitor.words.failure.back_to_search) } }
    };
    let page = Page::new(words.send_again, Section::Elsewhere, main);
    page.answer(visitor, StatusCode::OK)
}

fn typed(fields: &Fields) -> Markup {
    html! {
        dl.typed {
            @for (name, value) in fields.kept().filter(|(_, value)| !value.is_empty()) {
                dt { (visible(name)) }
                dd { pre tabindex="0" { (visible(value)) } }
            }
        }
    }
}
