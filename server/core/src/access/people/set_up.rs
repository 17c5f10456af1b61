//! The one-time link that makes the first administrator.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use recall_kit_settings::Secret;
use recall_kit_store::{Projects, Scope};
use subtle::ConstantTimeEq as _;

use super::{
    NewUser, Password, PeopleError, SignedIn, UserName,
    sessions::{self, hash_of, token},
    users::{about, hashed},
};
use crate::{
    access::{Caller, audit::Action},
    app::App,
};

/// How long an invitation is good.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Why nobody was made administrator.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// The token is not the one that this server's start printed, or its time is over.
    #[error("this link does not count any more; restart the server for a new one")]
    NotInvited,
    /// Somebody was faster.
    #[error("there is an administrator already; sign in, or ask for an account")]
    Done,
    /// Name or password cannot be used, or something broke down.
    #[error(transparent)]
    People(#[from] PeopleError),
}

/// The invitation of this server, by the hash of its token.
#[derive(Debug, Default)]
pub(super) struct SetUp(Mutex<Option<Invitation>>);

#[derive(Debug, Clone, Copy)]
struct Invitation {
    hash: [u8; 32],
    until: Timestamp,
}

impl SetUp {
    /// Tells whether a token is that of the invitation.
    fn knows(&self, token: &str, now: Timestamp) -> bool {
        let (Some(hash), Some(invitation)) = (hash_of(token), *self.invitation()) else {
            return false;
        };
        bool::from(hash.ct_eq(&invitation.hash)) && now < invitation.until
    }

    fn invitation(&self) -> MutexGuard<'_, Option<Invitation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Invites to become the administrator, where there is none: returns the token of the link. One of
/// before counts no more.
///
/// *Errors*: what the database or the system said.
pub async fn invite(app: &App) -> Result<Option<Secret>, PeopleError> {
    if app.store.has_admin().await? {
        return Ok(None);
    }
    let (token, hash) = token().map_err(PeopleError::Random)?;
    let until = app.now().checked_add(LIFETIME).unwrap_or(Timestamp::MAX);
    *app.people.set_up.invitation() = Some(Invitation { hash, until });
    Ok(Some(token))
}

/// Tells whether a token still makes an administrator, for the page that asks for name and password.
pub fn is_invited(app: &App, token: &str) -> bool {
    app.people.set_up.knows(token, app.now())
}

/// Makes the administrator, and lets it in.
///
/// *Errors*: [`SetUpError`]; the invitation counts on unless there is an administrator.
pub async fn set_up(
    app: &App,
    token: &str,
    name: UserName,
    password: Password,
) -> Result<SignedIn, SetUpError> {
    let now = app.now();
    if !app.people.set_up.knows(token, now) {
        return Err(SetUpError::NotInvited);
    }
    let new = NewUser {
        name,
        role: Scope::Admin,
        projects: Projects::All,
        password: Some(password),
    };
    let user = hashed(new, now).await?;
    let event = about(Action::SetUp, &user.record).by(&Caller::of_user(&user.record), now);
    let is_first = app.store.insert_first_admin(&user, Some(&event)).await;
    let is_first = is_first.map_err(PeopleError::from)?;
    app.people.set_up.invitation().take();
    if !is_first {
        return Err(SetUpError::Done);
    }
    Ok(sessions::admit(app, user.record).await?)
}
