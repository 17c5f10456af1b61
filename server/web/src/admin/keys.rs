//! API keys: made and shown once, looked at, revoked.

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
        form::{Fields, Signed, alert, button, token_field},
    },
    layout::{
        page::{Page, copied},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// The list of keys, and the form for another one.
pub(crate) async fn keys(State(app): State<Arc<App>>, visitor: Visitor) -> Response {
    let made = shown(&app, &visitor, (&Fields::default(), html! {})).await;
    visitor.answer(made)
}

/// Makes a key and shows it, this once.
pub(crate) async fn create_key(
    State(app): State<Arc<App>>,
    Signed { visitor, fields }: Signed,
) -> Response {
    match made(&app, &visitor, &fields).await {
        Ok((key, secret)) => {
            let said = shown_once(&visitor, &key, &secret);
            let page = shown(&app, &visitor, (&Fields::default(), said)).await;
            visitor.answer(page)
        }
        Err(Failure::Refused(why)) => {
            let page = shown(
                &app,
                &visitor,
                (&fields, alert(&why.in_words(visitor.words))),
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
    Signed { visitor, .. }: Signed,
) -> Response {
    let store = app.store.as_ref();
    match api_keys::revoke(store, &visitor.caller, &id, app.now()).await {
        Ok(_) => see_other("/keys"),
        Err(error) => visitor.fail(&error.into()),
    }
}

async fn made(app: &App, visitor: &Visitor, fields: &Fields) -> Result<(ApiKey, Secret), Failure> {
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
    };
    let store = app.store.as_ref();
    Ok(api_keys::create(store, &visitor.caller, new, app.now()).await?)
}

async fn shown(
    app: &App,
    visitor: &Visitor,
    (typed, said): (&Fields, Markup),
) -> Result<Page, Failure> {
    visitor
        .caller
        .require(Scope::Admin)
        .map_err(ServiceError::from)?;
    let mut keys = api_keys::list(app.store.as_ref()).await?;
    keys.reverse();
    let main = html! {
        (said)
        (form(visitor, typed))
        @if !keys.is_empty() { (table(visitor, &keys)) }
    };
    Ok(page(visitor, Tab::Keys, &main))
}

fn shown_once(visitor: &Visitor, key: &ApiKey, secret: &Secret) -> Markup {
    let words = &visitor.words.admin;
    html! {
        section.card role="status" {
            h2 { (words.key_made) " " bdi { (visible(&key.name)) } }
            p { (words.key_once) }
            (copied(visitor, "made-key", secret.expose()))
        }
    }
}

fn form(visitor: &Visitor, typed: &Fields) -> Markup {
    let words = &visitor.words.admin;
    let scope = typed.get("scope").parse().unwrap_or(Scope::Write);
    html! {
        details.card open[!typed.get("name").is_empty()] {
            summary { (words.new_key) }
            form method="post" action="/keys" {
                (token_field(visitor))
                label.field { span { (words.name) }
                    input type="text" name="name" value=(typed.get("name")) maxlength="100" required;
                }
                (scope_field(visitor, (words.scope, "scope"), Scope::as_str, scope))
                label.field { span { (words.expires) }
                    input type="text" name="expires" value=(typed.get("expires")) placeholder="90d";
                }
                p.hint { (words.expires_hint) }
                (projects_field(visitor, typed.get("projects")))
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
            td { (words.account.role_of(key.scope)) }
            td dir="auto" { (projects.as_deref().map_or(admin.all.to_owned(), visible)) }
            td {
                @match key.expires_at {
                    Some(end) => { time datetime=(end) { (end.strftime("%F")) } }
                    None => { (admin.never) }
                }
            }
            td {
                @match key.last_used_at {
                    Some(at) => { time datetime=(at) { (words.ages.of(at, visitor.now)) } }
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

/// Asks before the button that revokes: nothing brings a key back.
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
