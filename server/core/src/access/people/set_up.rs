//! The one-time link that creates the first administrator.

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
use crate::access::{Access, Caller, audit::Action};

/// How long an invitation is valid.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Why no administrator was created.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// The token is not the one that this server printed at its start, or it has expired.
    #[error("this link is no longer valid; restart the server for a new one")]
    NotInvited,
    /// Another person was faster.
    #[error("there is an administrator already; sign in, or ask for an account")]
    Done,
    /// Name or password cannot be used, or the server failed.
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
    /// Returns whether a token belongs to the invitation, which must not have expired.
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

/// Creates an invitation to become the administrator and returns the token of its link; `None` if there
/// is an administrator. An earlier invitation becomes invalid.
///
/// *Errors*: those of the database or the system.
pub async fn invite(access: &Access) -> Result<Option<Secret>, PeopleError> {
    if access.store.has_admin().await? {
        return Ok(None);
    }
    let (token, hash) = token().map_err(PeopleError::Random)?;
    let until = access
        .clock
        .now()
        .checked_add(LIFETIME)
        .unwrap_or(Timestamp::MAX);
    *access.people.set_up.invitation() = Some(Invitation { hash, until });
    Ok(Some(token))
}

/// Returns whether a token is valid, for the page that asks for name and password.
pub fn is_invited(access: &Access, token: &str) -> bool {
    access.people.set_up.knows(token, access.clock.now())
}

/// Creates the administrator, and signs them in.
///
/// *Errors*: [`SetUpError`]; the invitation stays valid unless there is an administrator.
pub async fn set_up(
    access: &Access,
    token: &str,
    name: UserName,
    password: Password,
) -> Result<SignedIn, SetUpError> {
    let now = access.clock.now();
    if !access.people.set_up.knows(token, now) {
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
    let is_first = access.store.insert_first_admin(&user, Some(&event)).await;
    let is_first = is_first.map_err(PeopleError::from)?;
    access.people.set_up.invitation().take();
    if !is_first {
        return Err(SetUpError::Done);
    }
    Ok(sessions::admit(access, user.record).await?)
}
