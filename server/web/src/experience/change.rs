//! Hiding, deleting and restoring an experience: buttons, and a notice with a button that undoes the action.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::Scope,
    error::ServiceError,
    experiences::{self, Experiences},
};
use recall_kit_store::{ExperienceState, Standing, StoreError};
use uuid::Uuid;

use super::parsed;
use crate::{
    http::{
        failure::Failure,
        form::{SessionForm, button},
    },
    i18n::words::ExperienceWords,
    see_other,
    visitor::Visitor,
};

/// An action that a button performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Hide,
    Unhide,
    Delete,
    Restore,
}

impl Action {
    const ALL: [Self; 4] = [Self::Hide, Self::Unhide, Self::Delete, Self::Restore];

    /// Returns its name in addresses.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Hide => "hide",
            Self::Unhide => "unhide",
            Self::Delete => "delete",
            Self::Restore => "restore",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == word)
    }

    /// Returns the action that undoes it.
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

/// Performs an action on the version of the record that the page showed.
pub(crate) async fn change(
    State(experiences): State<Arc<Experiences>>,
    Path((id, action)): Path<(String, String)>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let done = match (parsed(&id), Action::of(&action)) {
        (Ok(id), Some(action)) => {
            perform(&experiences, &visitor, (id, fields.get("version")), action).await
        }
        _ => Err(Failure::NotFound),
    };
    match done {
        Ok(()) => see_other(&format!("/experiences/{id}?done={action}")),
        Err(Failure::Service(ServiceError::Store(StoreError::VersionChanged { .. }))) => {
            let words = &visitor.words.experience;
            visitor.message_page(StatusCode::CONFLICT, words.conflict, words.conflict_why)
        }
        Err(failure) => visitor.fail(&failure),
    }
}

async fn perform(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    (id, version): (Uuid, &str),
    action: Action,
) -> Result<(), Failure> {
    let version = version.parse().map_err(|_| {
        Failure::refused("version must be the number of the record's version".to_owned())
    })?;
    let (by, at) = (&visitor.caller, (id, Some(version)));
    let changed = match action {
        Action::Hide => experiences::hide(experiences, by, at).await,
        Action::Unhide => experiences::unhide(experiences, by, at).await,
        Action::Delete => experiences::delete(experiences, by, at).await,
        Action::Restore => experiences::restore(experiences, by, at).await,
    };
    match changed {
        Ok(_) => Ok(()),
        // Not turned into a refusal, since the caller has its own page for a conflict.
        Err(error @ ServiceError::Store(StoreError::VersionChanged { .. })) => {
            Err(Failure::Service(error))
        }
        Err(error) => Err(error.into()),
    }
}

/// Renders which action was just performed, with a button that undoes it, and whether the record is hidden or
/// deleted.
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
    let action = Action::of(done).filter(|_| visitor.may(Scope::Write));
    html! {
        @if let Some(action) = action {
            div.done role="status" {
                p { (action.done(words)) }
                (action_button(visitor, (id, state), action.undo(), words.undo))
            }
        } @else if done == "edit" && visitor.may(Scope::Write) {
            p.done role="status" { (words.is_edited) }
        }
        @if let Some(standing) = standing { p.alert { (standing) } }
    }
}

/// Renders the buttons for visitors who may change records.
pub(super) fn buttons(visitor: &Visitor, id: Uuid, state: &ExperienceState) -> Markup {
    let words = &visitor.words.experience;
    let actions: &[Action] = match state.standing() {
        Standing::Visible => &[Action::Hide, Action::Delete],
        Standing::Hidden => &[Action::Unhide, Action::Delete],
        Standing::Deleted => &[Action::Restore],
    };
    html! {
        @if visitor.may(Scope::Write) {
            div.actions {
                @if state.standing() != Standing::Deleted {
                    a.button href={ "/experiences/" (id) "/edit" } { (words.edit) }
                }
                @for action in actions {
                    (action_button(visitor, (id, state), *action, action.name(words)))
                }
            }
        }
    }
}

fn action_button(
    visitor: &Visitor,
    (id, state): (Uuid, &ExperienceState),
    action: Action,
    name: &str,
) -> Markup {
    let address = format!("/experiences/{id}/{}", action.as_str());
    let version = state.version.to_string();
    button(visitor, &address, name, &[("version", &version)])
}
