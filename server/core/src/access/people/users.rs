//! Making users, changing them and listing them: what an administrator does.

use std::{fmt, str::FromStr, sync::Arc};

use jiff::Timestamp;
use recall_kit_store::{EventOf, HashedUser, Projects, Scope, Store, User, UserChange};
use unicode_normalization::UnicodeNormalization as _;
use uuid::Uuid;

use super::{Password, PeopleError};
use crate::access::{
    Caller,
    audit::{Action, Deed, Subject},
};

/// The most characters of a user's name.
const NAME_MAX: usize = 100;

/// A name for a user: 1–100 characters that can be shown, not blank at the ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserName(String);

/// Why a text cannot be a user's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserNameError {
    /// Nothing, or too much.
    #[error("a user's name has 1 to {NAME_MAX} characters, this has {0}")]
    Length(usize),
    /// It would not be seen as it is.
    #[error("a user's name has no control characters and no blanks at its ends")]
    Unshowable,
    /// Who puts a key there by mistake must not find it in every list.
    #[error("a user's name does not begin as API keys do")]
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

/// A user about to be made.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// What to call it.
    pub name: UserName,
    /// What it may do.
    pub role: Scope,
    /// The projects that it is limited to.
    pub projects: Projects,
    /// Its password; without one nothing lets it in until it gets one.
    pub password: Option<Password>,
}

/// What is to change of a user.
#[derive(Debug, Clone)]
pub enum Change {
    /// Its password; all its sessions end.
    Password(Password),
    /// What it may do.
    Role(Scope),
    /// The projects that it is limited to.
    Projects(Projects),
    /// It is not let in any more; all its sessions end.
    Disable,
    /// It is let in again.
    Enable,
}

/// Returns what a scope is called where it is a person's: `reader`, `writer` or `admin`.
pub const fn role_word(role: Scope) -> &'static str {
    match role {
        Scope::Read => "reader",
        Scope::Write => "writer",
        Scope::Admin => "admin",
    }
}

/// Reads what a role is called.
pub fn role_of(word: &str) -> Option<Scope> {
    Scope::ALL.into_iter().find(|role| role_word(*role) == word)
}

/// Makes a user.
///
/// *Errors*: [`PeopleError::Forbidden`], [`PeopleError::NameTaken`], [`PeopleError::LimitedAdmin`], or
/// what broke down.
pub async fn create(
    store: &dyn Store,
    by: &Caller,
    new: NewUser,
    now: Timestamp,
) -> Result<User, PeopleError> {
    by.require(Scope::Admin)?;
    check_limit(new.role, &new.projects)?;
    let user = hashed(new, now).await?;
    let deed = about(Action::UserCreated, &user.record);
    let event = deed.saying(role_and_projects(&user.record)).by(by, now);
    store.insert_user(&user, Some(&event)).await?;
    Ok(user.record)
}

/// Returns every user, by name, also those that are disabled.
///
/// *Errors*: [`PeopleError::Forbidden`], or what the database said.
pub async fn list(store: &dyn Store, by: &Caller) -> Result<Vec<User>, PeopleError> {
    by.require(Scope::Admin)?;
    Ok(store.users().await?)
}

/// Returns the user with a name, in any case.
///
/// *Errors*: [`PeopleError::Forbidden`], [`PeopleError::Unknown`], or what the database said.
pub async fn named(store: &dyn Store, by: &Caller, name: &str) -> Result<User, PeopleError> {
    by.require(Scope::Admin)?;
    let name: String = name.nfc().collect();
    let found = store.user_by_name(&name).await?;
    found
        .map(|user| user.record)
        .ok_or(PeopleError::Unknown(name))
}

/// Changes a user, from the next request on in every server on the database; returns what it is now.
///
/// *Errors*: [`PeopleError::Forbidden`], [`PeopleError::Unknown`], [`PeopleError::LastAdmin`],
/// [`PeopleError::LimitedAdmin`], or what broke down.
pub async fn change(
    store: &dyn Store,
    by: &Caller,
    (id, change): (Uuid, Change),
    now: Timestamp,
) -> Result<User, PeopleError> {
    by.require(Scope::Admin)?;
    let unknown = || PeopleError::Unknown(id.to_string());
    let is = store.user(id).await?.ok_or_else(unknown)?.record;
    let (action, change) = match change {
        Change::Password(password) => (
            Action::PasswordChanged,
            UserChange {
                password: Some((password.hash().await?, None)),
                ..UserChange::default()
            },
        ),
        Change::Role(role) => {
            check_limit(role, &is.projects)?;
            let role = Some(role);
            let change = UserChange {
                role,
                ..UserChange::default()
            };
            (Action::RoleChanged, change)
        }
        Change::Projects(projects) => {
            check_limit(is.role, &projects)?;
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
        let mut deed = about(action, user);
        if matches!(action, Action::RoleChanged | Action::ProjectsChanged) {
            deed = deed.saying(role_and_projects(user));
        }
        deed.by(&by, now)
    });
    let changed = store.change_user(id, &change, now, Some(&event)).await?;
    changed.ok_or_else(unknown)
}

/// Hashes what is to be hashed of a new user.
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

/// Begins a record of what was done to a user.
pub(super) fn about(action: Action, user: &User) -> Deed {
    Deed::new(action).to(Subject::User, user.id)
}

fn disabled(disabled: bool) -> UserChange {
    UserChange {
        disabled: Some(disabled),
        ..UserChange::default()
    }
}

/// Who administers makes keys and users without a limit, and so has none.
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
