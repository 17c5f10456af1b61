//! The page behind the one-time link that the first start prints: it creates the administrator.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::people::{self, Password, SetUpError, SignedIn, UserName},
    app::App,
};
use recall_kit_telemetry::chain;

use super::password_field;
use crate::{
    http::{
        form::{Fields, OpenForm, alert, open_form_page, with_cookies},
        refusal::Refusal,
    },
    layout::page::{Page, Section},
    see_other,
    visitor::{Anybody, Visitor, session},
};

/// Answers with the page.
pub(crate) async fn set_up_page(
    State(app): State<Arc<App>>,
    Anybody(visitor): Anybody,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Response {
    match people::is_invited(&app.access, &token) {
        true => render(&app, &visitor, &headers, (StatusCode::OK, None, "")),
        false => gone(&visitor),
    }
}

/// Creates the administrator and signs it in.
pub(crate) async fn set_up(
    State(app): State<Arc<App>>,
    Path(token): Path<String>,
    headers: HeaderMap,
    OpenForm { visitor, fields }: OpenForm,
) -> Response {
    if !people::is_invited(&app.access, &token) {
        return gone(&visitor);
    }
    match create(&app, &token, &fields).await {
        Ok(signed_in) => with_cookies(see_other("/"), session::new_cookies(&app, &signed_in)),
        Err(SetUpFailure::Input(why)) => {
            let status = StatusCode::BAD_REQUEST;
            let why = why.message(visitor.words);
            render(
                &app,
                &visitor,
                &headers,
                (status, Some(&why), fields.get("name")),
            )
        }
        Err(SetUpFailure::SetUp(SetUpError::NotInvited | SetUpError::Done)) => gone(&visitor),
        Err(SetUpFailure::SetUp(error)) => {
            tracing::error!(error = chain(&error), "the set-up failed");
            let why = visitor.words.failure.try_again;
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            render(
                &app,
                &visitor,
                &headers,
                (status, Some(why), fields.get("name")),
            )
        }
    }
}

/// Why the administrator was not created.
enum SetUpFailure {
    /// The name or the password is not allowed.
    Input(Refusal),
    SetUp(SetUpError),
}

async fn create(app: &App, token: &str, fields: &Fields) -> Result<SignedIn, SetUpFailure> {
    let name: Result<UserName, _> = fields.get("name").parse();
    let name = name.map_err(|error| SetUpFailure::Input(error.into()))?;
    let password = Password::new(fields.get("password"), fields.get("name"));
    let password = password.map_err(|error| SetUpFailure::Input(error.into()))?;
    let set_up = people::set_up(&app.access, token, name, password).await;
    set_up.map_err(SetUpFailure::SetUp)
}

fn gone(visitor: &Visitor) -> Response {
    let words = &visitor.words.account;
    visitor.message_page(
        StatusCode::NOT_FOUND,
        words.set_up_over,
        words.set_up_over_why,
    )
}

fn render(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    (status, why, name): (StatusCode, Option<&str>, &str),
) -> Response {
    let words = &visitor.words.account;
    let page = |token: &Markup| {
        let main = html! {
            h1 { (words.set_up) }
            p { (words.set_up_why) }
            @if let Some(why) = why { (alert(why)) }
            form.card method="post" action=(visitor.path) {
                (token)
                label.field { span { (words.name) }
                    input type="text" name="name" value=(name) autocomplete="username"
                        autocapitalize="none" spellcheck="false" maxlength="100" required;
                }
                (password_field(words.password, "password", "new-password"))
                p.hint { (words.password_rule) }
                button.main type="submit" { (words.set_up_now) }
            }
        };
        Page::new(words.set_up, Section::Elsewhere, main)
    };
    open_form_page(app, visitor, headers, (status, page))
}
