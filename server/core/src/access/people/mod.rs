//! People: users, how they sign in, and the sessions of those who did.
//!
//! # Security properties
//!
//! - Of a password only its argon2id hash is stored (19 MiB, two passes; at most two are worked out at
//!   once, so that nobody takes the memory by signing in), and of a session's token, which has 256
//!   bits from the system's random source, only its SHA-256. None of the four is logged, put into an
//!   error or written to the audit list.
//! - A name that is unknown costs the same work and gets the same answer as a wrong password.
//! - Failures make wait, per name and network: after the third 1 s, then twice as long each time,
//!   15 minutes at most. A network waits after 21 failures with whatever names, a minute at most. A
//!   browser that signed in with a name before has a count of its own, so strangers cannot keep a
//!   user out. An attempt that has to wait is refused before any password or key is checked. What is remembered of failures is
//!   bounded, in memory and each server's own; `users clear-waits` has every server forget it.
//! - A session ends when it was not used for a week, a month after it began, with a sign-out, and at
//!   once, in every server on the database, when its user is disabled or gets another password, or when
//!   its key is revoked or expires. A session and its owner are read anew for every request.
//! - While there is no administrator, whoever has the set-up link of a running server may become
//!   one: once, within a day, and of several servers' links the first that is used counts. The
//!   database decides that.
//! - The last administrator can neither be disabled nor lose that role, as the link would come back.

mod attempts;
mod password;
mod sessions;
mod set_up;
mod users;

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use recall_kit_settings::WebSettings;
use recall_kit_store::{Store, StoreError};

use self::{attempts::Attempts, set_up::SetUp};
pub use self::{
    password::{Password, PasswordError},
    sessions::{
        Credentials, OpenSession, SignInError, SignInOrigin, SignedIn, change_own_password,
        session, sign_in, sign_out, sign_out_everywhere,
    },
    set_up::{SetUpError, invite, is_invited, set_up},
    users::{
        Change, NewUser, UserName, UserNameError, change, create, list, named, role_of, role_word,
    },
};
use crate::{access::Forbidden, error::ServiceError};
pub use recall_kit_store::User;

/// Between two looks for sessions that are over.
const TIDY_INTERVAL: SignedDuration = SignedDuration::from_hours(1);

/// Why something could not be done about a user.
#[derive(Debug, thiserror::Error)]
pub enum PeopleError {
    /// Who asks may not.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The password cannot be used.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The present password, which was asked for, is another one.
    #[error("the present password is another one")]
    OtherPassword,
    /// The name is in use.
    #[error("there is a user called {0:?} already; choose another name")]
    NameTaken(String),
    /// Nobody has the name.
    #[error("there is no user called {0:?}; `recall-kit-server users list` shows all users")]
    Unknown(String),
    /// Nobody would be left who may administer.
    #[error("{0:?} is the only administrator; make another one first")]
    LastAdmin(String),
    /// Who administers could lift any limit.
    #[error("an administrator cannot be limited to projects; choose another role, or no project")]
    LimitedAdmin,
    /// Too many failures came before.
    #[error("too many failed attempts; try again in {0} s")]
    Wait(u64),
    /// There is no randomness to make a salt or a token of.
    #[error("the system's random source failed: {0}")]
    Random(getrandom::Error),
    /// Hashing broke down.
    #[error(transparent)]
    Broken(ServiceError),
    /// The database failed.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for PeopleError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::UserNameTaken(name) => Self::NameTaken(name),
            StoreError::LastAdmin(name) => Self::LastAdmin(name),
            other => Self::Store(other),
        }
    }
}

/// What a server remembers of people besides its database, and how long sessions last.
pub struct People {
    attempts: Attempts,
    set_up: SetUp,
    /// How long a session may lie unused.
    idle: SignedDuration,
    /// How long a session lasts at most.
    lifetime: SignedDuration,
    tidied_at: Mutex<Option<Timestamp>>,
}

impl People {
    /// Begins with what the settings say.
    pub fn new(settings: &WebSettings) -> Self {
        let millis =
            |millis: u64| SignedDuration::from_millis(i64::try_from(millis).unwrap_or(i64::MAX));
        Self {
            attempts: Attempts::default(),
            set_up: SetUp::default(),
            idle: millis(settings.session_idle_ms),
            lifetime: millis(settings.session_lifetime_ms),
            tidied_at: Mutex::default(),
        }
    }

    /// Orders every server on a database to forget failed attempts to sign in up to a moment.
    ///
    /// *Errors*: what the database said.
    pub async fn clear_waits(store: &dyn Store, now: Timestamp) -> Result<(), StoreError> {
        store.clear_sign_in_waits(now).await
    }

    /// Removes sessions that are over from the database, at most once an hour.
    ///
    /// *Errors*: what the database said.
    pub async fn tidy_up(&self, store: &dyn Store, now: Timestamp) -> Result<(), StoreError> {
        let tidied_at = *self.tidied_at();
        // However far: a clock that was put back must not hold this up.
        if tidied_at.is_some_and(|at| now.duration_since(at).abs() < TIDY_INTERVAL) {
            return Ok(());
        }
        let used_before = now.checked_sub(self.idle).unwrap_or(Timestamp::MIN);
        store.purge_sessions(now, used_before).await?;
        *self.tidied_at() = Some(now);
        Ok(())
    }

    fn tidied_at(&self) -> MutexGuard<'_, Option<Timestamp>> {
        self.tidied_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
