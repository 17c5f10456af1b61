//! Creating, changing and listing users, for administrators.

use std::{fmt, str::FromStr, sync::Arc};

use jiff::Timestamp;
use recall_kit_store::{EventOf, HashedUser, Projects, Scope, Store, User, UserChange};
use unicode_normalization::UnicodeNormalization as _;
use uuid::Uuid;

use super::{Password, PeopleError};
use crate::access::{
    Caller,
    audit::{Action, PendingEvent, Subject},
};

/// The most characters of a user's name.
const NAME_MAX: usize = 100;

/// A name for a user: 1–100 characters without control characters, without white space at its ends, and
/// not beginning like an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserName(String);

/// Why a text cannot be a user's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserNameError {
    /// The length in characters is out of range.
    #[error("a user's name must have 1 to {NAME_MAX} characters, this one has {0}")]
    Length(usize),
    /// It has control characters, or white space at its ends.
    #[error("a user's name must have no control characters and no blanks at its ends")]
    Unshowable,
    /// It begins like a key: one that was entered by mistake must not appear in every list.
    #[error("a user's name must not begin as API keys do")]
    LikeKey,
}

impl FromStr for UserName {
    type Err = UserNameError;

    fn from_str(text: &str) -> Result<Self, UserNameError> {
        let text: String = text.nfc().collect();
        let length = text.chars().count();
        if !(1..=NAME_MAX).contains(&length) {
            Err(UserNameError::Length(length))
        } else if text.trim() != text || text.chars().any(char::is_control) {
            Err(UserNameError::Unshowable)
        } else if text.starts_with("rk_") {
            Err(UserNameError::LikeKey)
        } else {
            Ok(Self(text))
        }
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A user to be created.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// Its name.
    pub name: UserName,
    /// What it may do.
    pub role: Scope,
    /// The projects that it is limited to.
    pub projects: Projects,
    /// Its password; without one the user cannot sign in until it gets one.
    pub password: Option<Password>,
}

/// A change of a user.
#[derive(Debug, Clone)]
pub enum Change {
    /// Its password; all its sessions end.
    Password(Password),
    /// What it may do.
    Role(Scope),
    /// The projects that it is limited to.
    Projects(Projects),
    /// The user may not sign in any more; all its sessions end.
    Disable,
    /// The user may sign in again.
    Enable,
}

/// Returns the name of a scope as a user's role: `reader`, `writer` or `admin`.
pub const fn role_word(role: Scope) -> &'static str {
    match role {
        Scope::Read => "reader",
        Scope::Write => "writer",
        Scope::Admin => "admin",
    }
}

/// Returns the role with a name.
pub fn role_of(word: &str) -> Option<Scope> {
    Scope::ALL.into_iter().find(|role| role_word(*role) == word)
}

/// Creates a user.
///
/// *Errors*: [`PeopleError::Forbidden`], [`PeopleError::NameTaken`], [`PeopleError::LimitedAdmin`], or
/// a failure of the server.
pub async fn create(
    store: &dyn Store,
    by: &Caller,
    new: NewUser,
    now: Timestamp,
) -> Result<User, PeopleError> {
    by.require(Scope::Admin)?;
    check_limit(new.role, &new.projects)?;
    let user = hashed(new, now).await?;
    let pending = about(Action::UserCreated, &user.record);
    let event = pending.saying(role_and_projects(&user.record)).by(by, now);
    store.insert_user(&user, Some(&event)).await?;
    Ok(user.record)
}

/// Returns every user, ordered by name, including disabled ones.
///
/// *Errors*: [`PeopleError::Forbidden`], or those of the database.
pub async fn list(store: &dyn Store, by: &Caller) -> Result<Vec<User>, PeopleError> {
    by.require(Scope::Admin)?;
    Ok(store.users().await?)
}

/// Returns the user with a name, in any case.
///
/// *Errors*: [`PeopleError::Forbidden`], [`PeopleError::Unknown`], or those of the database.
pub async fn named(store: &dyn Store, by: &Caller, name: &str) -> Result<User, PeopleError> {
    by.require(Scope::Admin)?;
    let name: String = name.nfc().collect();
    let found = store.user_by_name(&name).await?;
    found
        .map(|user| user.record)
        .ok_or(PeopleError::Unknown(name))
}

/// Changes a user and returns the new record. The change takes effect with the next request, in every
/// server on the database.
///
/// *Errors*: [`PeopleError::Forbidden`], [`PeopleError::Unknown`], [`PeopleError::LastAdmin`],
/// [`PeopleError::LimitedAdmin`], or a failure of the server.
pub async fn change(
    store: &dyn Store,
    by: &Caller,
    (id, change): (Uuid, Change),
    now: Timestamp,
) -> Result<User, PeopleError> {
    by.require(Scope::Admin)?;
    let unknown = || PeopleError::Unknown(id.to_string());
    let current = store.user(id).await?.ok_or_else(unknown)?.record;
    let (action, change) = match change {
        Change::Password(password) => (
            Action::PasswordChanged,
            UserChange {
                password: Some((password.hash().await?, None)),
                ..UserChange::default()
            },
        ),
        Change::Role(role) => {
            check_limit(role, &current.projects)?;
            let role = Some(role);
            let change = UserChange {
                role,
                ..UserChange::default()
            };
            (Action::RoleChanged, change)
        }
        Change::Projects(projects) => {
            check_limit(current.role, &projects)?;
            let projects = Some(projects);
            let change = UserChange {
                projects,
                ..UserChange::default()
            };
            (Action::ProjectsChanged, change)
        }
        Change::Disable => (Action::UserDisabled, disabled(true)),
        Change::Enable => (Action::UserEnabled, disabled(false)),
    };
    let by = by.clone();
    let event: EventOf<User> = Arc::new(move |user| {
        let mut pending = about(action, user);
        if matches!(action, Action::RoleChanged | Action::ProjectsChanged) {
            pending = pending.saying(role_and_projects(user));
        }
        pending.by(&by, now)
    });
    let changed = store.change_user(id, &change, now, Some(&event)).await?;
    changed.ok_or_else(unknown)
}

/// Hashes the password of a new user and builds its record.
pub(super) async fn hashed(new: NewUser, now: Timestamp) -> Result<HashedUser, PeopleError> {
    let password = match new.password {
        Some(password) => Some(password.hash().await?),
        None => None,
    };
    Ok(HashedUser {
        record: User {
            id: Uuid::now_v7(),
            name: new.name.0,
            role: new.role,
            projects: new.projects,
            created_at: now,
            disabled_at: None,
            last_seen_at: None,
        },
        password,
    })
}

/// Creates an audit event about a user.
pub(super) fn about(action: Action, user: &User) -> PendingEvent {
    PendingEvent::new(action).to(Subject::User, user.id)
}

fn disabled(disabled: bool) -> UserChange {
    UserChange {
        disabled: Some(disabled),
        ..UserChange::default()
    }
}

/// Rejects a limit for administrators: they may create keys and users without a limit.
fn check_limit(role: Scope, projects: &Projects) -> Result<(), PeopleError> {
    match role == Scope::Admin && !projects.is_all() {
        true => Err(PeopleError::LimitedAdmin),
        false => Ok(()),
    }
}

fn role_and_projects(user: &User) -> String {
    let (name, role) = (&user.name, role_word(user.role));
    format!("{name}: {role}, projects: {}", user.projects)
}
