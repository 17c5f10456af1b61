//! API keys: creating and showing one once, listing, revoking.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::{
        Scope,
        api_keys::{self, ApiKey, KeyName, Lifetime, NewKey},
    },
    app::App,
    error::ServiceError,
};
use recall_kit_settings::Secret;

use super::{Tab, page, projects_field, projects_of, scope_field};
use crate::{
    http::{
        failure::Failure,
        form::{Fields, SessionForm, alert, button, token_field},
    },
    layout::{
        page::{Page, copyable},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// Answers with the list of keys and the form for a new one.
pub(crate) async fn keys(State(app): State<Arc<App>>, visitor: Visitor) -> Response {
    let page = render(&app, &visitor, (&Fields::default(), html! {})).await;
    visitor.answer(page)
}

/// Creates a key and shows its secret, which is not shown again.
pub(crate) async fn create_key(
    State(app): State<Arc<App>>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    match create(&app, &visitor, &fields).await {
        Ok((key, secret)) => {
            let notice = new_key(&visitor, &key, &secret);
            let page = render(&app, &visitor, (&Fields::default(), notice)).await;
            visitor.answer(page)
        }
        Err(Failure::Refused(why)) => {
            let page = render(
                &app,
                &visitor,
                (&fields, alert(&why.message(visitor.words))),
            )
            .await;
            visitor.answer_with(StatusCode::BAD_REQUEST, page)
        }
        Err(failure) => visitor.fail(&failure),
    }
}

/// Revokes a key.
pub(crate) async fn revoke_key(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    SessionForm { visitor, .. }: SessionForm,
) -> Response {
    let store = app.store.as_ref();
    match api_keys::revoke(store, &visitor.caller, &id, app.clock.now()).await {
        Ok(_) => see_other("/keys"),
        Err(error) => visitor.fail(&error.into()),
    }
}

async fn create(
    app: &App,
    visitor: &Visitor,
    fields: &Fields,
) -> Result<(ApiKey, Secret), Failure> {
    let name: KeyName = fields.get("name").parse().map_err(Failure::refused)?;
    let scope: Result<Scope, _> = fields.get("scope").parse();
    let scope = scope.map_err(|error| Failure::refused(error.to_string()))?;
    let expires = match fields.get("expires").trim() {
        "" => None,
        lifetime => {
            let lifetime: Result<Lifetime, _> = lifetime.parse();
            Some(lifetime.map_err(Failure::refused)?)
        }
    };
    let new = NewKey {
        name,
        scope,
        expires,
        projects: projects_of(fields).map_err(Failure::refused)?,
        is_trusted: false,
    };
    let store = app.store.as_ref();
    Ok(api_keys::create(store, &visitor.caller, new, app.clock.now()).await?)
}

async fn render(
    app: &App,
    visitor: &Visitor,
    (fields, notice): (&Fields, Markup),
) -> Result<Page, Failure> {
    visitor
        .caller
        .require(Scope::Admin)
        .map_err(ServiceError::from)?;
    let mut keys = api_keys::list(app.store.as_ref()).await?;
    keys.reverse();
    let main = html! {
        (notice)
        (form(visitor, fields))
        @if !keys.is_empty() { (table(visitor, &keys)) }
    };
    Ok(page(visitor, Tab::Keys, &main))
}

/// Renders a new key with its secret.
fn new_key(visitor: &Visitor, key: &ApiKey, secret: &Secret) -> Markup {
    let words = &visitor.words.admin;
    html! {
        section.card role="status" {
            h2 { (words.key_made) " " bdi { (visible(&key.name)) } }
            p { (words.key_once) }
            (copyable(visitor, "made-key", secret.expose()))
        }
    }
}

fn form(visitor: &Visitor, fields: &Fields) -> Markup {
    let words = &visitor.words.admin;
    let scope = fields.get("scope").parse().unwrap_or(Scope::Write);
    html! {
        details.card open[!fields.get("name").is_empty()] {
            summary { (words.new_key) }
            form method="post" action="/keys" {
                (token_field(visitor))
                label.field { span { (words.name) }
                    input type="text" name="name" value=(fields.get("name")) maxlength="100" required;
                }
                (scope_field(visitor, (words.scope, "scope"), Scope::as_str, scope))
                label.field { span { (words.expires) }
                    input type="text" name="expires" value=(fields.get("expires")) placeholder="90d";
                }
                p.hint { (words.expires_hint) }
                (projects_field(visitor, fields.get("projects")))
                button.main type="submit" { (words.make) }
            }
        }
    }
}

fn table(visitor: &Visitor, keys: &[ApiKey]) -> Markup {
    let words = &visitor.words.admin;
    html! {
        div.wide tabindex="0" role="region" aria-label=(words.keys) {
            table {
                thead { tr {
                    th scope="col" { (words.name) }
                    th scope="col" { (words.key) }
                    th scope="col" { (words.scope) }
                    th scope="col" { (words.projects) }
                    th scope="col" { (words.expires) }
                    th scope="col" { (words.last_used) }
                    th scope="col" { (words.action) }
                } }
                tbody { @for key in keys { (row(visitor, key)) } }
            }
        }
    }
}

fn row(visitor: &Visitor, key: &ApiKey) -> Markup {
    let words = visitor.words;
    let admin = &words.admin;
    let projects = key.projects.names().map(|names| names.join(", "));
    html! {
        tr {
            th scope="row" dir="auto" { (visible(&key.name)) }
            td { code { (key.prefix) "…" } }
            td {
                (words.account.role_of(key.scope))
                @if key.is_trusted { " · " (admin.trusted) }
            }
            td dir="auto" { (projects.as_deref().map_or(admin.all.to_owned(), visible)) }
            td {
                @match key.expires_at {
                    Some(end) => { time datetime=(end) { (end.strftime("%F")) } }
                    None => { (admin.never) }
                }
            }
            td {
                @match key.last_used_at {
                    Some(at) => { time datetime=(at) { (words.ages.between(at, visitor.now)) } }
                    None => { (admin.never) }
                }
            }
            td {
                @if key.revoked_at.is_some() { (admin.revoked) }
                @else if key.is_expired(visitor.now) { (admin.expired) }
                @else { (revoke(visitor, key)) }
            }
        }
    }
}

/// Renders the button that revokes a key behind a confirmation, since revoking cannot be undone.
fn revoke(visitor: &Visitor, key: &ApiKey) -> Markup {
    let words = &visitor.words.admin;
    html! {
        details {
            summary { (words.revoke_asks) }
            p.hint { (words.revoke_warns) }
            (button(visitor, &format!("/keys/{}/revoke", key.id), words.revoke, &[]))
        }
    }
}
