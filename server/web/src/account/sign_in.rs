//! Signing in with a name and password or with an API key. If the session ended while a form was filled in,
//! the input is preserved in the page, and the visitor can send it after signing in.

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
        form::{Fields, OpenForm, alert, open_form_page, token_field, with_cookies},
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

/// The parameters of the sign-in page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    /// The page to return to.
    back: String,
}

/// What to do after signing in; hidden fields of the sign-in form.
#[derive(Debug, Default)]
struct Continuation {
    /// The page to return to.
    back: String,
    /// The address of a form whose session had ended.
    to: String,
    /// The preserved fields of that form, URL-encoded; empty if there is no such form.
    form: String,
}

impl Continuation {
    fn of(fields: &Fields) -> Self {
        Self {
            back: own_path(fields.get("back")).to_owned(),
            to: own_path(fields.get("to")).to_owned(),
            form: fields.get("kept").to_owned(),
        }
    }
}

/// Answers with the sign-in page.
pub(crate) async fn sign_in_page(
    State(app): State<Arc<App>>,
    Anybody(visitor): Anybody,
    Query(params): Query<Params>,
    headers: HeaderMap,
) -> Response {
    let back = own_path(&params.back).to_owned();
    if visitor.session.is_some() {
        return see_other(&back);
    }
    let continuation = Continuation {
        back,
        ..Continuation::default()
    };
    render(
        &app,
        &visitor,
        &headers,
        (StatusCode::OK, None, &continuation),
    )
}

/// Answers a form whose session has ended: a sign-in page that preserves the input.
pub(crate) fn ask_again(
    app: &App,
    visitor: &Visitor,
    (headers, fields): (&HeaderMap, &Fields),
) -> Response {
    let mut form = Serializer::new(String::new());
    form.extend_pairs(fields.preservable());
    let continuation = Continuation {
        back: "/".to_owned(),
        to: visitor.path.clone(),
        form: form.finish(),
    };
    let words = &visitor.words.account;
    let why = Some(words.session_over);
    render(
        app,
        visitor,
        headers,
        (StatusCode::UNAUTHORIZED, why, &continuation),
    )
}

/// Signs in, and continues with the preserved form or the page to return to.
pub(crate) async fn sign_in(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    OpenForm { visitor, fields }: OpenForm,
) -> Response {
    let continuation = Continuation::of(&fields);
    let origin = SignInOrigin {
        address: visitor.from,
        device: session::device(&headers),
    };
    match people::sign_in(&app.access, &credentials(&fields), origin).await {
        Ok(signed_in) => welcome(&app, visitor, signed_in, &continuation).await,
        Err(error) => {
            let (status, why) = refusal(&visitor.words.account, &error);
            render(
                &app,
                &visitor,
                &headers,
                (status, Some(&why), &continuation),
            )
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
            filled(words.wait, &[&seconds]),
        ),
        SignInError::Broken(_) => {
            tracing::error!(error = chain(error), "signing in failed");
            (StatusCode::INTERNAL_SERVER_ERROR, words.broken.to_owned())
        }
    }
}

/// Continues with a new session; the previous session of this browser ends.
async fn welcome(
    app: &Arc<App>,
    mut visitor: Visitor,
    signed_in: SignedIn,
    continuation: &Continuation,
) -> Response {
    if let Some(before) = &visitor.session
        && let Err(error) = people::sign_out(&app.access, before.token().expose()).await
    {
        tracing::warn!(
            error = chain(&error),
            "the previous session could not be ended"
        );
    }
    let cookies = session::new_cookies(app, &signed_in);
    let answer = if continuation.form.is_empty() {
        see_other(&continuation.back)
    } else {
        visitor.session = Some(Session::new(&signed_in));
        visitor.caller = signed_in.session.caller;
        send_again(&visitor, continuation)
    };
    with_cookies(answer, cookies)
}

fn render(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    (status, why, continuation): (StatusCode, Option<&str>, &Continuation),
) -> Response {
    let words = &visitor.words.account;
    let page = |token: &Markup| {
        let main = html! {
            h1 { (words.sign_in) }
            @if let Some(why) = why { (alert(why)) }
            (forms(words, &hidden(token, continuation)))
            p.hint { (words.no_account) }
        };
        Page::new(words.sign_in, Section::Elsewhere, main)
    };
    open_form_page(app, visitor, headers, (status, page))
}

fn hidden(token: &Markup, continuation: &Continuation) -> Markup {
    html! {
        (token)
        input type="hidden" name="back" value=(continuation.back);
        input type="hidden" name="to" value=(continuation.to);
        input type="hidden" name="kept" value=(continuation.form);
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

/// Shows the input from before the session ended, with a button that sends it.
fn send_again(visitor: &Visitor, continuation: &Continuation) -> Response {
    let words = &visitor.words.account;
    let fields = Fields::read(continuation.form.as_bytes());
    let main = html! {
        h1 { (words.send_again) }
        p { (words.send_again_why) }
        form method="post" action=(continuation.to) {
            (token_field(visitor))
            @for (name, value) in fields.preservable() {
                input type="hidden" name=(name) value=(value);
            }
            button.main type="submit" { (words.send_now) }
        }
        (input_list(&fields))
        p { a href="/" { (visitor.words.failure.back_to_search) } }
    };
    let page = Page::new(words.send_again, Section::Elsewhere, main);
    page.answer(visitor, StatusCode::OK)
}

fn input_list(fields: &Fields) -> Markup {
    html! {
        dl.typed {
            @for (name, value) in fields.preservable().filter(|(_, value)| !value.is_empty()) {
                dt { (visible(name)) }
                dd { pre tabindex="0" { (visible(value)) } }
            }
        }
    }
}
