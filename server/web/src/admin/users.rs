//! Users: creating, changing roles, projects and passwords, disabling and enabling.

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
        people::{self, Change, NewUser, Password, User, UserName, role_of, role_word},
    },
    app::App,
};
use uuid::Uuid;

use super::{Tab, page, projects_field, projects_of, scope_field};
use crate::{
    http::{
        failure::Failure,
        form::{Fields, SessionForm, alert, button, token_field},
    },
    layout::{page::Page, plain::visible},
    see_other,
    visitor::Visitor,
};

/// Answers with the list of users and the form for a new one.
pub(crate) async fn users(State(app): State<Arc<App>>, visitor: Visitor) -> Response {
    let page = render(&app, &visitor, (&Fields::default(), html! {})).await;
    visitor.answer(page)
}

/// Creates a user.
pub(crate) async fn create_user(
    State(app): State<Arc<App>>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let created = create(&app, &visitor, &fields).await;
    finish(&app, &visitor, (&fields, created)).await
}

/// Changes a user; the field `change` names the change.
pub(crate) async fn change_user(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let changed = change(&app, &visitor, (&id, &fields)).await;
    finish(&app, &visitor, (&Fields::default(), changed)).await
}

/// Returns to the list, or shows it with what is wrong and the values of the form for a new user.
async fn finish(
    app: &App,
    visitor: &Visitor,
    (fields, result): (&Fields, Result<User, Failure>),
) -> Response {
    match result {
        Ok(_) => see_other("/users"),
        Err(Failure::Refused(why)) => {
            let page = render(app, visitor, (fields, alert(&why.message(visitor.words)))).await;
            visitor.answer_with(StatusCode::BAD_REQUEST, page)
        }
        Err(failure) => visitor.fail(&failure),
    }
}

async fn create(app: &App, visitor: &Visitor, fields: &Fields) -> Result<User, Failure> {
    let name: UserName = fields.get("name").parse().map_err(Failure::refused)?;
    let password = Password::new(fields.get("password"), fields.get("name"));
    let new = NewUser {
        name,
        role: role(fields)?,
        projects: projects_of(fields).map_err(Failure::refused)?,
        password: Some(password.map_err(Failure::refused)?),
    };
    let store = app.store.as_ref();
    Ok(people::create(store, &visitor.caller, new, app.clock.now()).await?)
}

async fn change(
    app: &App,
    visitor: &Visitor,
    (id, fields): (&str, &Fields),
) -> Result<User, Failure> {
    let id = Uuid::parse_str(id).map_err(|_| Failure::NotFound)?;
    let store = app.store.as_ref();
    let change = match fields.get("change") {
        "disable" => Change::Disable,
        "enable" => Change::Enable,
        "role" => Change::Role(role(fields)?),
        "projects" => Change::Projects(projects_of(fields).map_err(Failure::refused)?),
        "password" => {
            let users = people::list(store, &visitor.caller).await?;
            let user = users.iter().find(|user| user.id == id);
            let user = user.ok_or(Failure::NotFound)?;
            let password = Password::new(fields.get("password"), &user.name);
            Change::Password(password.map_err(Failure::refused)?)
        }
        other => {
            let other = visible(other);
            return Err(Failure::refused(format!(
                "change must be disable, enable, role, projects or password, not {other:?}"
            )));
        }
    };
    Ok(people::change(store, &visitor.caller, (id, change), app.clock.now()).await?)
}

fn role(fields: &Fields) -> Result<Scope, Failure> {
    let word = fields.get("role");
    role_of(word).ok_or_else(|| {
        let word = visible(word);
        Failure::refused(format!(
            "role must be one of the listed values, not {word:?}"
        ))
    })
}

async fn render(
    app: &App,
    visitor: &Visitor,
    (fields, notice): (&Fields, Markup),
) -> Result<Page, Failure> {
    let users = people::list(app.store.as_ref(), &visitor.caller).await?;
    let main = html! {
        (notice)
        (form(visitor, fields))
        ul.plain { @for user in &users { li.card { (render_user(visitor, user)) } } }
    };
    Ok(page(visitor, Tab::Users, &main))
}

fn form(visitor: &Visitor, fields: &Fields) -> Markup {
    let (words, account) = (&visitor.words.admin, &visitor.words.account);
    let role = role_of(fields.get("role")).unwrap_or(Scope::Write);
    html! {
        details.card open[!fields.get("name").is_empty()] {
            summary { (words.new_user) }
            form method="post" action="/users" {
                (token_field(visitor))
                label.field { span { (words.name) }
                    input type="text" name="name" value=(fields.get("name")) maxlength="100"
                        autocomplete="off" required;
                }
                (scope_field(visitor, (words.role, "role"), role_word, role))
                (projects_field(visitor, fields.get("projects")))
                (password_field(account.password))
                p.hint { (account.password_rule) }
                button.main type="submit" { (words.make) }
            }
        }
    }
}

fn password_field(label: &str) -> Markup {
    html! {
        label.field { span { (label) }
            input type="password" name="password" autocomplete="new-password" required;
        }
    }
}

fn render_user(visitor: &Visitor, user: &User) -> Markup {
    let words = visitor.words;
    let admin = &words.admin;
    let action = format!("/users/{}", user.id);
    let (change, name) = match user.disabled_at {
        Some(_) => ("enable", admin.enable),
        None => ("disable", admin.disable),
    };
    let projects = user.projects.names().map(|names| names.join(", "));
    html! {
        h2 dir="auto" { (visible(&user.name)) }
        p.facts {
            span { (words.account.role_of(user.role)) }
            span { (admin.projects) (words.colon) " "
                bdi { (projects.as_deref().map_or(admin.all.to_owned(), visible)) } }
            span { (admin.last_seen) (words.colon) " "
                @match user.last_seen_at {
                    Some(at) => { time datetime=(at) { (words.ages.between(at, visitor.now)) } }
                    None => { (admin.never) }
                }
            }
            @if user.disabled_at.is_some() { span.label { (admin.disabled) } }
        }
        (button(visitor, &action, name, &[("change", change)]))
        details {
            summary { (admin.change) }
            (changes(visitor, user, &action))
        }
    }
}

fn changes(visitor: &Visitor, user: &User, action: &str) -> Markup {
    let words = &visitor.words.admin;
    let projects = user.projects.names().map(|names| names.join("\n"));
    let fields = [
        (
            "role",
            scope_field(visitor, (words.role, "role"), role_word, user.role),
        ),
        (
            "projects",
            projects_field(visitor, projects.as_deref().unwrap_or_default()),
        ),
        (
            "password",
            password_field(visitor.words.account.new_password),
        ),
    ];
    html! {
        @for (change, field) in fields {
            form method="post" action=(action) {
                (token_field(visitor))
                input type="hidden" name="change" value=(change);
                (field)
                button type="submit" { (words.save) }
            }
        }
    }
}
