//! The administration pages: API keys, users, and the audit log.

mod audit;
mod keys;
mod users;

use maud::{Markup, html};
use recall_kit_core::access::{self, ProjectNameError, Projects, Scope};

pub(super) use self::{
    audit::audit,
    keys::{create_key, keys, revoke_key},
    users::{change_user, create_user, users},
};
use super::visitor::Visitor;
use crate::{
    http::form::Fields,
    layout::page::{Page, Section},
};

/// One of the administration pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    Keys,
    Users,
    Audit,
}

/// Creates an administration page with links to the others.
fn page(visitor: &Visitor, tab: Tab, main: &Markup) -> Page {
    let words = &visitor.words.admin;
    let tabs = [
        (Tab::Keys, "/keys", words.keys),
        (Tab::Users, "/users", words.users),
        (Tab::Audit, "/audit", words.audit),
    ];
    let name = tabs.iter().find(|(known, ..)| *known == tab);
    let name = name.map_or(words.administration, |(.., name)| name);
    let main = html! {
        nav.tabs aria-label=(words.administration) {
            ul {
                @for (known, address, name) in tabs {
                    @let current = (known == tab).then_some("page");
                    li { a href=(address) aria-current=[current] { (name) } }
                }
            }
        }
        h1 { (name) }
        (main)
    };
    Page::new(name, Section::Administration, main)
}

/// Reads the projects that a key or user is limited to, one in each line; no line means no limit.
///
/// *Errors*: [`ProjectNameError`].
fn projects_of(fields: &Fields) -> Result<Projects, ProjectNameError> {
    let text = fields.text("projects");
    let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(str::to_owned).collect();
    access::limit_to(&names)
}

fn projects_field(visitor: &Visitor, value: &str) -> Markup {
    let words = &visitor.words.admin;
    html! {
        label.field { span { (words.projects) }
            textarea name="projects" rows="2" dir="auto" { (value) }
        }
        p.hint { (words.projects_hint) }
    }
}

/// Renders a selection list of scopes; `value` returns the form's value of a scope.
fn scope_field(
    visitor: &Visitor,
    (label, name): (&str, &str),
    value: impl Fn(Scope) -> &'static str,
    chosen: Scope,
) -> Markup {
    html! {
        label.field { span { (label) }
            select name=(name) {
                @for scope in Scope::ALL {
                    option value=(value(scope)) selected[scope == chosen] {
                        (visitor.words.account.role_of(scope))
                    }
                }
            }
        }
    }
}
