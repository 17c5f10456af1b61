//! Signing in and out, and finding the session of a request.

use std::{net::IpAddr, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use recall_kit_settings::Secret;
use recall_kit_store::{
    EventOf, HashedUser, NewSession, SessionOf, SessionOwner, StoreError, User, UserChange,
};
use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

use super::{
    Password, PeopleError,
    attempts::{Attempts, Counted},
    password::is_password,
    users::about,
};
use crate::{
    access::{
        Access, Caller,
        api_keys::Refusal,
        audit::{self, Action, PendingEvent},
    },
    detached,
    error::ServiceError,
};

/// Least time between two stored uses of a session, since a page makes many requests.
const USE_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// Bytes of a token.
const TOKEN: usize = 32;

/// What a person signs in with.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// A user's name, in any case, and its password.
    Password {
        /// The name as typed.
        name: String,
        /// The password as typed.
        password: Secret,
    },
    /// An API key.
    ApiKey(Secret),
}

/// Where an attempt to sign in comes from.
#[derive(Debug, Clone, Copy)]
pub struct SignInOrigin<'a> {
    /// The address of the browser.
    pub address: IpAddr,
    /// The token that the browser got when it signed in before ([`SignedIn::device`]).
    pub device: Option<&'a str>,
}

/// Why a sign-in failed; the message may be sent to the person who tried.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// No user has this name and password.
    #[error("the name or the password is wrong")]
    Wrong,
    /// The password is right, but the user is disabled.
    #[error("this user is disabled; ask an administrator")]
    Disabled,
    /// The key is not valid.
    #[error(transparent)]
    Key(Refusal),
    /// Too many failures came before.
    #[error("too many failed attempts; try again in {0} s")]
    Wait(u64),
    /// The server failed; the credentials may be right.
    #[error("signing in does not work at the moment; try again")]
    Broken(#[source] PeopleError),
}

impl From<StoreError> for SignInError {
    fn from(error: StoreError) -> Self {
        Self::Broken(error.into())
    }
}

impl From<PeopleError> for SignInError {
    fn from(error: PeopleError) -> Self {
        match error {
            PeopleError::Wait(seconds) => Self::Wait(seconds),
            other => Self::Broken(other),
        }
    }
}

/// A session that just began.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Its token, for a cookie; it cannot be retrieved again. 43 characters of base64url.
    pub token: Secret,
    /// A token that identifies the browser next time, for a cookie that outlives the session: its failed
    /// attempts are counted separately from those of strangers. It does not authenticate anyone.
    /// `None` after a sign-in with a key, which has no user name to remember the browser for.
    pub device: Option<Secret>,
    /// The session.
    pub session: OpenSession,
}

/// A valid session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSession {
    /// The caller that the session identifies.
    pub caller: Caller,
    /// The user's or the key's name.
    pub name: String,
    /// When it ends, however much it is used.
    pub expires_at: Timestamp,
}

/// Signs a person in. Failures count for the name and network, even if no user has the name. They
/// are audited even if the client does not wait for the response.
///
/// *Errors*: [`SignInError`].
pub async fn sign_in(
    access: &Arc<Access>,
    credentials: &Credentials,
    origin: SignInOrigin<'_>,
) -> Result<SignedIn, SignInError> {
    let (access, credentials) = (Arc::clone(access), credentials.clone());
    let origin = (origin.address, origin.device.and_then(hash_of));
    let checked = async move { checked(&access, &credentials, origin).await };
    let checked = tokio::spawn(detached::of_request(checked)).await;
    let broken = || PeopleError::Broken(ServiceError::Broken("signing in"));
    checked.unwrap_or_else(|_| Err(broken().into()))
}

async fn checked(
    access: &Access,
    credentials: &Credentials,
    (from, device): (IpAddr, Option<[u8; 32]>),
) -> Result<SignedIn, SignInError> {
    let counted = match credentials {
        Credentials::Password { name, .. } => {
            let attempts = &access.people.attempts;
            attempts.of_name(name, from, device.as_ref())
        }
        Credentials::ApiKey(_) => Attempts::of_network(from),
    };
    begin_attempt(access, &counted).await?;
    let owner = match credentials {
        Credentials::Password { name, password } => {
            by_password(access, (name, password), from).await
        }
        Credentials::ApiKey(key) => by_key(access, key, from).await,
    };
    // Only wrong credentials count as failures; an unreachable database does not.
    if matches!(owner, Ok(_) | Err(SignInError::Broken(_))) {
        access.people.attempts.succeeded(&counted);
    }
    let (owner, password) = owner?;
    let device = known_device(access, credentials)?;
    let (token, hash) = token().map_err(PeopleError::Random)?;
    let pending = PendingEvent::new(Action::SignedIn).saying(format!("from {from}"));
    let session = begin(access, owner, hash, Some(pending)).await?;
    if let Some(known) = password
        && !is_still_valid(access, &known, &hash).await?
    {
        note_refused(access, about(Action::SignInFailed, &known.record), from).await;
        return Err(SignInError::Wrong);
    }
    Ok(SignedIn {
        token,
        device,
        session,
    })
}

/// Begins an attempt, unless earlier failures make it wait. Before it has to wait, checks whether an
/// administrator had the failures cleared, possibly through another process.
async fn begin_attempt(access: &Access, counted: &[Counted]) -> Result<(), PeopleError> {
    let attempts = &access.people.attempts;
    let Err(wait) = attempts.begin(counted, access.clock.now()) else {
        return Ok(());
    };
    let cleared_at = access.store.sign_in_waits_cleared_at().await?;
    match cleared_at.is_some_and(|time| attempts.forget(time)) {
        true => attempts
            .begin(counted, access.clock.now())
            .map_err(PeopleError::Wait),
        false => Err(PeopleError::Wait(wait)),
    }
}

/// Creates a token by which this server will recognise the browser.
fn known_device(access: &Access, credentials: &Credentials) -> Result<Option<Secret>, PeopleError> {
    let Credentials::Password { name, .. } = credentials else {
        return Ok(None);
    };
    let (device, hash) = token().map_err(PeopleError::Random)?;
    access.people.attempts.know_device(hash, name);
    Ok(Some(device))
}

/// Returns the session of a token, and records its use; `None` if it is not valid.
///
/// *Errors*: those of the database.
pub async fn session(access: &Access, token: &str) -> Result<Option<OpenSession>, StoreError> {
    let Some(hash) = hash_of(token) else {
        return Ok(None);
    };
    let Some(session) = access.store.session(&hash).await? else {
        return Ok(None);
    };
    let now = access.clock.now();
    let unused = now.duration_since(session.last_used_at);
    if session.expires_at <= now || unused > access.people.idle || !is_allowed(&session.owner, now)
    {
        return Ok(None);
    }
    if unused >= USE_INTERVAL {
        access.store.note_session_use(&hash, now).await?;
    }
    Ok(Some(opened(session.owner, session.expires_at)))
}

/// Ends the session of a token; `false` if there is none.
///
/// *Errors*: those of the database.
pub async fn sign_out(access: &Access, token: &str) -> Result<bool, StoreError> {
    match hash_of(token) {
        Some(hash) => access.store.end_session(&hash).await,
        None => Ok(false),
    }
}

/// Ends every session of the caller's user or key, including this one; returns how many there were.
///
/// *Errors*: those of the database.
pub async fn sign_out_everywhere(access: &Access, caller: &Caller) -> Result<u64, StoreError> {
    let of = match (caller.user, caller.key) {
        (Some(user), _) => SessionOf::User(user),
        (None, Some(key)) => SessionOf::ApiKey(key),
        (None, None) => return Ok(0),
    };
    let (by, now) = (caller.clone(), access.clock.now());
    let event: EventOf<u64> = Arc::new(move |ended| {
        let pending = PendingEvent::new(Action::SignedOutEverywhere);
        pending.saying(format!("{ended} sessions")).by(&by, now)
    });
    access.store.end_sessions(of, Some(&event)).await
}

/// Changes the password of the session's user; the user's other sessions end. A wrong current password
/// counts as a failed sign-in attempt.
///
/// *Errors*: [`PeopleError::Password`], [`PeopleError::OtherPassword`], [`PeopleError::Wait`],
/// [`PeopleError::Unknown`] for the session of a key, or a failure of the server.
pub async fn change_own_password(
    access: &Access,
    token: &str,
    (current, new): (&Secret, &str),
) -> Result<(), PeopleError> {
    let unknown = || PeopleError::Unknown("nobody with a session".to_owned());
    let open = session(access, token).await?.ok_or_else(unknown)?;
    let id = open.caller.user.ok_or_else(unknown)?;
    let user = access.store.user(id).await?.ok_or_else(unknown)?;
    let new = Password::new(new, &user.record.name)?;
    let counted = [Counted::User(id)];
    begin_attempt(access, &counted).await?;
    if !is_password(user.password.as_ref(), current).await? {
        return Err(PeopleError::OtherPassword);
    }
    access.people.attempts.succeeded(&counted);
    let change = UserChange {
        password: Some((new.hash().await?, hash_of(token))),
        ..UserChange::default()
    };
    let (by, now) = (open.caller, access.clock.now());
    let event: EventOf<User> =
        Arc::new(move |user| about(Action::PasswordChanged, user).by(&by, now));
    let changed = access.store.change_user(id, &change, now, Some(&event));
    changed.await?;
    Ok(())
}

/// Begins a session without credentials, for the administrator who was just created.
///
/// *Errors*: those of the database or the system.
pub(super) async fn admit(access: &Access, user: User) -> Result<SignedIn, PeopleError> {
    let (device, known) = token().map_err(PeopleError::Random)?;
    access.people.attempts.know_device(known, &user.name);
    let (token, hash) = token().map_err(PeopleError::Random)?;
    let session = begin(access, SessionOwner::User(user), hash, None).await?;
    Ok(SignedIn {
        token,
        device: Some(device),
        session,
    })
}

/// The authenticated owner, and for a user its record at the time of the password check.
type Authenticated = (SessionOwner, Option<HashedUser>);

async fn by_password(
    access: &Access,
    (name, password): (&str, &Secret),
    from: IpAddr,
) -> Result<Authenticated, SignInError> {
    let name: String = name.nfc().collect();
    let user = access.store.user_by_name(&name).await?;
    let hash = user.as_ref().and_then(|user| user.password.as_ref());
    let is_right = is_password(hash, password).await?;
    let failed = match user {
        Some(user) if is_right && user.record.disabled_at.is_none() => {
            return Ok((SessionOwner::User(user.record.clone()), Some(user)));
        }
        Some(user) => {
            let pending = about(Action::SignInFailed, &user.record);
            (pending, is_right)
        }
        // The typed name is not stored: people sometimes type passwords there.
        None => (PendingEvent::new(Action::SignInFailed), false),
    };
    let (pending, is_disabled) = failed;
    note_refused(access, pending, from).await;
    Err(match is_disabled {
        true => SignInError::Disabled,
        false => SignInError::Wrong,
    })
}

async fn by_key(access: &Access, key: &Secret, from: IpAddr) -> Result<Authenticated, SignInError> {
    let refusal = match access.verify(key.expose().trim()).await {
        Ok(verified) => {
            let found = access.store.api_key(verified.id).await?;
            let key = found.ok_or(SignInError::Key(Refusal::Unknown))?;
            return Ok((SessionOwner::ApiKey(key), None));
        }
        Err(Refusal::Unchecked(error)) => return Err(error.into()),
        Err(refusal) => refusal,
    };
    let pending =
        PendingEvent::new(Action::SignInFailed).saying(format!("with a key, from {from}"));
    let event = pending.by(&Caller::unknown(), access.clock.now());
    audit::note(access.store.as_ref(), event).await;
    Err(SignInError::Key(refusal))
}

/// Audits a rejected sign-in.
async fn note_refused(access: &Access, pending: PendingEvent, from: IpAddr) {
    let pending = pending.saying(format!("from {from}"));
    let event = pending.by(&Caller::unknown(), access.clock.now());
    audit::note(access.store.as_ref(), event).await;
}

/// Begins a session, and stores the audit event in the same transaction.
async fn begin(
    access: &Access,
    owner: SessionOwner,
    hash: [u8; 32],
    pending: Option<PendingEvent>,
) -> Result<OpenSession, StoreError> {
    let now = access.clock.now();
    let end = now.checked_add(access.people.lifetime);
    let expires_at = end.unwrap_or(Timestamp::MAX);
    let of = match &owner {
        SessionOwner::User(user) => SessionOf::User(user.id),
        SessionOwner::ApiKey(key) => SessionOf::ApiKey(key.id),
    };
    let open = opened(owner, expires_at);
    let new = NewSession {
        hash,
        of,
        created_at: now,
        expires_at,
        event: pending.map(|pending| pending.by(&open.caller, now)),
    };
    access.store.insert_session(&new).await?;
    Ok(open)
}

/// Ends a new session if the user's password changed after it was verified: that change ended only the
/// sessions that existed then. Returns whether the session is still valid.
async fn is_still_valid(
    access: &Access,
    known: &HashedUser,
    hash: &[u8; 32],
) -> Result<bool, StoreError> {
    let user = access.store.user(known.record.id).await?;
    if user.is_some_and(|user| user.password == known.password) {
        return Ok(true);
    }
    access.store.end_session(hash).await?;
    Ok(false)
}

/// Whether the owner of a session may still sign in.
fn is_allowed(owner: &SessionOwner, now: Timestamp) -> bool {
    match owner {
        SessionOwner::User(user) => user.disabled_at.is_none(),
        SessionOwner::ApiKey(key) => key.is_active(now),
    }
}

fn opened(owner: SessionOwner, expires_at: Timestamp) -> OpenSession {
    let (caller, name) = match owner {
        SessionOwner::User(user) => (Caller::of_user(&user), user.name),
        SessionOwner::ApiKey(key) => (Caller::of_key(&key), key.name),
    };
    OpenSession {
        caller,
        name,
        expires_at,
    }
}

/// Creates a token and its hash.
///
/// *Errors*: the system's random source failed.
pub(super) fn token() -> Result<(Secret, [u8; 32]), getrandom::Error> {
    let mut bytes = [0; TOKEN];
    getrandom::fill(&mut bytes)?;
    let token = URL_SAFE_NO_PAD.encode(bytes);
    let hash = Sha256::digest(&token).into();
    Ok((Secret::new(token), hash))
}

/// Returns the hash of a token; `None` if the text does not have the format of one.
///
/// As with API keys, 256 random bits need no slow hash.
pub(super) fn hash_of(token: &str) -> Option<[u8; 32]> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    (bytes.len() == TOKEN).then(|| Sha256::digest(token).into())
}
