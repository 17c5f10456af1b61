//! Hiding, deleting and bringing back: each a button, and each with the button that takes it back.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{access::Scope, app::App, error::ServiceError, experiences};
use recall_kit_store::{ExperienceState, Standing, StoreError};
use uuid::Uuid;

use super::parsed;
use crate::{
    http::{
        failure::Failure,
        form::{Signed, button},
    },
    i18n::words::ExperienceWords,
    see_other,
    visitor::Visitor,
};

/// What can be done with a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Hide,
    Unhide,
    Delete,
    Restore,
}

impl Deed {
    const ALL: [Self; 4] = [Self::Hide, Self::Unhide, Self::Delete, Self::Restore];

    /// Returns the word of its address.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Hide => "hide",
            Self::Unhide => "unhide",
            Self::Delete => "delete",
            Self::Restore => "restore",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|deed| deed.as_str() == word)
    }

    /// Returns what takes it back.
    const fn undo(self) -> Self {
        match self {
            Self::Hide => Self::Unhide,
            Self::Unhide => Self::Hide,
            Self::Delete => Self::Restore,
            Self::Restore => Self::Delete,
        }
    }

    const fn name(self, words: &ExperienceWords) -> &'static str {
        match self {
            Self::Hide => words.hide,
            Self::Unhide => words.unhide,
            Self::Delete => words.delete,
            Self::Restore => words.restore,
        }
    }

    const fn done(self, words: &ExperienceWords) -> &'static str {
        match self {
            Self::Hide => words.is_hidden,
            Self::Unhide => words.is_unhidden,
            Self::Delete => words.is_deleted,
            Self::Restore => words.is_restored,
        }
    }
}

/// Does what a button says, with the version that its page showed.
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    Path((id, deed)): Path<(String, String)>,
    Signed { visitor, fields }: Signed,
) -> Response {
    let done = match (parsed(&id), Deed::of(&deed)) {
        (Ok(id), Some(deed)) => done(&app, &visitor, (id, fields.get("version")), deed).await,
        _ => Err(Failure::NotFound),
    };
    match done {
        Ok(()) => see_other(&format!("/experiences/{id}?done={deed}")),
        Err(Failure::Service(ServiceError::Store(StoreError::VersionChanged { .. }))) => {
            let words = &visitor.words.experience;
            visitor.say(StatusCode::CONFLICT, words.conflict, words.conflict_look)
        }
        Err(failure) => visitor.fail(&failure),
    }
}

async fn done(
    app: &Arc<App>,
    visitor: &Visitor,
    (id, version): (Uuid, &str),
    deed: Deed,
) -> Result<(), Failure> {
    let version = version.parse().map_err(|_| {
        Failure::refused("version must be the number of the record's version".to_owned())
    })?;
    let (by, at) = (&visitor.caller, (id, Some(version)));
    let changed = match deed {
        Deed::Hide => experiences::hide(app, by, at).await,
        Deed::Unhide => experiences::unhide(app, by, at).await,
        Deed::Delete => experiences::delete(app, by, at).await,
        Deed::Restore => experiences::restore(app, by, at).await,
    };
    match changed {
        Ok(_) => Ok(()),
        // Told apart from other refusals, as the page answers it.
        Err(error @ ServiceError::Store(StoreError::VersionChanged { .. })) => {
            Err(Failure::Service(error))
        }
        Err(error) => Err(error.into()),
    }
}

/// Says what was just done, with the button that takes it back; or that the record is not found.
pub(super) fn notice(
    visitor: &Visitor,
    (id, state): (Uuid, &ExperienceState),
    done: &str,
) -> Markup {
    let words = &visitor.words.experience;
    let standing = match state.standing() {
        Standing::Visible => None,
        Standing::Hidden => Some(words.hidden_notice),
        Standing::Deleted => Some(words.deleted_notice),
    };
    let deed = Deed::of(done).filter(|_| visitor.may(Scope::Write));
    html! {
        @if let Some(deed) = deed {
            div.done role="status" {
                p { (deed.done(words)) }
                (pressed(visitor, (id, state), deed.undo(), words.undo))
            }
        } @else if done == "edit" && visitor.may(Scope::Write) {
            p.done role="status" { (words.is_edited) }
        }
        @if let Some(standing) = standing { p.alert { (standing) } }
    }
}

/// The buttons that those have who may change records.
pub(super) fn buttons(visitor: &Visitor, id: Uuid, state: &ExperienceState) -> Markup {
    let words = &visitor.words.experience;
    let deeds: &[Deed] = match state.standing() {
        Standing::Visible => &[Deed::Hide, Deed::Delete],
        Standing::Hidden => &[Deed::Unhide, Deed::Delete],
        Standing::Deleted => &[Deed::Restore],
    };
    html! {
        @if visitor.may(Scope::Write) {
            div.actions {
                @if state.standing() != Standing::Deleted {
                    a.button href={ "/experiences/" (id) "/edit" } { (words.edit) }
                }
                @for deed in deeds {
                    (pressed(visitor, (id, state), *deed, deed.name(words)))
                }
            }
        }
    }
}

fn pressed(
    visitor: &Visitor,
    (id, state): (Uuid, &ExperienceState),
    deed: Deed,
    name: &str,
) -> Markup {
    let action = format!("/experiences/{id}/{}", deed.as_str());
    let version = state.version.to_string();
    button(visitor, &action, name, &[("version", &version)])
}
