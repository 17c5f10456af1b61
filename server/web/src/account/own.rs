//! The visitor's own account: name and role, changing the password, ending sessions.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode, response::Response};
use maud::{Markup, html};
use recall_kit_core::{
    access::people::{self, PeopleError},
    app::App,
};
use recall_kit_settings::Secret;

use super::password_field;
use crate::{
    http::{
        failure::Failure,
        form::{SessionForm, alert, button, token_field, with_cookies},
    },
    i18n::words::filled,
    layout::{
        page::{Page, Section},
        plain::visible,
    },
    see_other,
    visitor::{
        Visitor,
        session::{self, Session},
    },
};

/// Answers with the account page.
pub(crate) async fn own(visitor: Visitor) -> Response {
    match visitor.session {
        Some(_) => render(&visitor, (StatusCode::OK, html! {})),
        None => see_other(&visitor.sign_in_address()),
    }
}

/// Ends this session.
pub(crate) async fn sign_out(
    State(app): State<Arc<App>>,
    SessionForm { visitor, .. }: SessionForm,
) -> Response {
    let token = visitor.session.as_ref().map(Session::token);
    let ended = match token {
        Some(token) => people::sign_out(&app.access, token.expose()).await,
        None => Ok(false),
    };
    match ended {
        Ok(_) => with_cookies(see_other("/"), [session::removed_cookie(&app)]),
        Err(error) => visitor.fail(&Failure::Service(error.into())),
    }
}

/// Ends every session of the visitor.
pub(crate) async fn sign_out_everywhere(
    State(app): State<Arc<App>>,
    SessionForm { visitor, .. }: SessionForm,
) -> Response {
    match people::sign_out_everywhere(&app.access, &visitor.caller).await {
        Ok(_) => with_cookies(see_other("/"), [session::removed_cookie(&app)]),
        Err(error) => visitor.fail(&Failure::Service(error.into())),
    }
}

/// Changes the visitor's password and ends its other sessions.
pub(crate) async fn change_password(
    State(app): State<Arc<App>>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let Some(session) = &visitor.session else {
        return see_other(&visitor.sign_in_address());
    };
    let present = Secret::new(fields.get("present_password").to_owned());
    let passwords = (&present, fields.get("new_password"));
    let words = &visitor.words.account;
    match people::change_own_password(&app.access, session.token().expose(), passwords).await {
        Ok(()) => {
            let done = html! { p.done role="status" { (words.password_changed) } };
            render(&visitor, (StatusCode::OK, done))
        }
        Err(PeopleError::Wait(seconds)) => {
            let why = filled(words.wait, &[&seconds]);
            render(&visitor, (StatusCode::TOO_MANY_REQUESTS, alert(&why)))
        }
        Err(error) => match error.into() {
            Failure::Refused(why) => {
                let why = alert(&why.message(visitor.words));
                render(&visitor, (StatusCode::BAD_REQUEST, why))
            }
            failure => visitor.fail(&failure),
        },
    }
}

fn render(visitor: &Visitor, (status, notice): (StatusCode, Markup)) -> Response {
    let words = &visitor.words.account;
    let caller = &visitor.caller;
    let role = words.role_of(caller.scope);
    let name = caller.name.as_deref().unwrap_or_default();
    let main = html! {
        h1 { (words.account) }
        (notice)
        p { bdi { b { (visible(name)) } } " · " (role)
            @if !caller.projects.is_all() {
                " · " (visitor.words.search.project) (visitor.words.colon) " "
                (visible(&caller.projects.to_string()))
            }
        }
        p.actions {
            (button(visitor, "/sign-out", words.sign_out, &[]))
            (button(visitor, "/account/sign-out-everywhere", words.sign_out_everywhere, &[]))
        }
        @if caller.user.is_some() {
            h2 { (words.change_password) }
            form.card method="post" action="/account/password" {
                (token_field(visitor))
                (password_field(words.present_password, "present_password", "current-password"))
                (password_field(words.new_password, "new_password", "new-password"))
                p.hint { (words.password_rule) }
                button type="submit" { (words.change_password) }
            }
        }
    };
    Page::new(words.account, Section::Account, main).answer(visitor, status)
}
