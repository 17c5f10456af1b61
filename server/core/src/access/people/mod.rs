//! People: users, signing in, and sessions.
//!
//! # Security properties
//!
//! - Only the argon2id hash of a password is stored (19 MiB, two passes; at most two are computed at
//!   once, so that sign-ins cannot exhaust the memory), and only the SHA-256 of a session's token, which
//!   has 256 bits from the system's random source. None of the four is logged, put into an error or
//!   written to the audit list.
//! - An unknown name costs the same work and gets the same response as a wrong password.
//! - After failures, further attempts for the same name and network have to wait: 1 s after the third
//!   failure, then twice as long each time, 15 minutes at most. A network waits after 21 failures with
//!   any names, a minute at most. A browser that signed in with a name before has its own count, so
//!   strangers cannot lock a user out. An attempt that has to wait is rejected before any password or key
//!   is checked. The counts are bounded, in memory and separate for each server; `users clear-waits`
//!   clears them in every server.
//! - A session ends after a week without use, a month after it began, and with a sign-out. It ends at
//!   once, in every server on the database, when its user is disabled or gets another password, or when
//!   its key is revoked or expires. A session and its owner are read from the database for every request.
//! - While there is no administrator, anyone with the set-up link of a running server may become one:
//!   once, and within a day. If several servers printed links, the first one used counts. The database
//!   decides that.
//! - The last administrator can neither be disabled nor lose that role, since the set-up link would
//!   come back.

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

/// Least time between two removals of expired sessions.
const TIDY_INTERVAL: SignedDuration = SignedDuration::from_hours(1);

/// Why something could not be done about a user.
#[derive(Debug, thiserror::Error)]
pub enum PeopleError {
    /// The caller lacks the scope.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The password cannot be used.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The current password, which has to be repeated, is wrong.
    #[error("the current password is wrong")]
    OtherPassword,
    /// The name is in use.
    #[error("there is a user called {0:?} already; choose another name")]
    NameTaken(String),
    /// No user has this name.
    #[error("there is no user called {0:?}; `recall-kit-server users list` shows all users")]
    Unknown(String),
    /// No administrator would be left.
    #[error("{0:?} is the only administrator; make another one first")]
    LastAdmin(String),
    /// A limited administrator could lift the limit.
    #[error("an administrator cannot be limited to projects; choose another role, or no project")]
    LimitedAdmin,
    /// Too many failures came before.
    #[error("too many failed attempts; try again in {0} s")]
    Wait(u64),
    /// The system's random source, for salts and tokens, failed.
    #[error("the system's random source failed: {0}")]
    Random(getrandom::Error),
    /// A task, such as hashing, panicked or was cancelled.
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

/// The in-memory state of signing in, and how long sessions last.
pub struct People {
    attempts: Attempts,
    set_up: SetUp,
    /// How long a session may be unused.
    idle: SignedDuration,
    /// How long a session lasts at most.
    lifetime: SignedDuration,
    tidied_at: Mutex<Option<Timestamp>>,
}

impl People {
    /// Creates the state with the session times from the settings.
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

    /// Has every server on a database clear its failed sign-in attempts up to a time.
    ///
    /// *Errors*: those of the database.
    pub async fn clear_waits(store: &dyn Store, now: Timestamp) -> Result<(), StoreError> {
        store.clear_sign_in_waits(now).await
    }

    /// Removes expired sessions from the database, at most once an hour.
    ///
    /// *Errors*: those of the database.
    pub(super) async fn tidy_up(
        &self,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let tidied_at = *self.tidied_at();
        // The absolute difference: a clock that was set back must not delay this.
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
