//! Identifies callers and what they may do, in the same way for every transport and page.

pub mod api_keys;
pub mod audit;
pub mod peer_address;
pub mod people;

use std::{net::IpAddr, sync::Arc};

use recall_kit_fair_queue::flow::{self, Voice};
use recall_kit_settings::{AccessMode, Settings, neighbourhood};
use recall_kit_shared_types::knowledge::knowledge_limits::MAX_NAME_CHARS;
use recall_kit_store::{Actor, ActorKind, ApiKey, IdempotencyKey, Store, StoreError, User};
use uuid::Uuid;

use self::{
    api_keys::{ApiKeys, Refusal, Verified},
    peer_address::PeerAddress,
    people::People,
};
use crate::{clock::Clock, error::OpenError};
pub use recall_kit_store::{Projects, Scope};

/// An admitted caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The id of the presented key, if any.
    pub key: Option<Uuid>,
    /// The id of the signed-in user, if any.
    pub user: Option<Uuid>,
    /// The name of the user or the key.
    pub name: Option<Arc<str>>,
    /// What it may do.
    pub scope: Scope,
    /// The projects whose entries it may see and write; experiences and libraries belong to everybody.
    pub projects: Projects,
    /// Where it calls from; only a caller without key and user is told apart by it.
    pub origin: Origin,
}

/// Where a caller calls from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// The standard input of the program.
    StandardInput,
    /// This machine, over a server that no other machine reaches.
    ThisMachine,
    /// A network of neighbouring addresses.
    Network(IpAddr),
    /// Not known.
    #[default]
    Unknown,
}

/// The caller lacks a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this needs the scope {needed}, and the caller has {has}")]
pub struct Forbidden {
    /// The required scope.
    pub needed: Scope,
    /// The caller's scope.
    pub has: Scope,
}

impl Caller {
    /// Returns the caller for the person who started the program, on its standard input. Nobody else
    /// is an administrator without a key and without signing in.
    pub const fn local() -> Self {
        Self::nameless(Scope::Admin, Origin::StandardInput)
    }

    /// Returns an anonymous caller with the lowest scope.
    pub const fn unknown() -> Self {
        Self::nameless(Scope::Read, Origin::Unknown)
    }

    /// Returns the identity by which popularity counts distinct callers: the signed-in user, else the
    /// flow of the current request.
    pub fn voice(&self) -> Voice {
        match self.user {
            Some(user) => Voice::new(&user),
            None => flow::current().voice(),
        }
    }

    /// Returns the caller for a signed-in user.
    pub fn of_user(user: &User) -> Self {
        Self {
            key: None,
            user: Some(user.id),
            name: Some(Arc::from(user.name.as_str())),
            scope: user.role,
            projects: user.projects.clone(),
            origin: Origin::Unknown,
        }
    }

    /// Returns the caller for a presented key.
    pub fn of_key(key: &ApiKey) -> Self {
        Self {
            key: Some(key.id),
            user: None,
            name: Some(Arc::from(key.name.as_str())),
            scope: key.scope,
            projects: key.projects.clone(),
            origin: Origin::Unknown,
        }
    }

    /// Checks that the caller has a scope.
    ///
    /// *Errors*: [`Forbidden`].
    pub fn require(&self, needed: Scope) -> Result<(), Forbidden> {
        match self.scope >= needed {
            true => Ok(()),
            false => Err(Forbidden {
                needed,
                has: self.scope,
            }),
        }
    }

    /// Scopes a client's idempotency key to this caller, so that the same key from another caller is a
    /// different key. Anonymous callers share one namespace.
    pub fn idempotency_key(&self, key: String) -> String {
        IdempotencyKey::scoped(self.user.or(self.key), key)
    }

    /// Returns the actor for audit records.
    pub fn actor(&self) -> Actor {
        let (kind, id) = match (self.user, self.key) {
            (Some(user), _) => (ActorKind::User, Some(user)),
            (None, Some(key)) => (ActorKind::Key, Some(key)),
            (None, None) if self.scope == Scope::Admin => (ActorKind::Local, None),
            (None, None) => (ActorKind::Anonymous, None),
        };
        let name = self.name.as_deref().map(str::to_owned);
        Actor { kind, id, name }
    }

    const fn nameless(scope: Scope, origin: Origin) -> Self {
        Self {
            key: None,
            user: None,
            name: None,
            scope,
            projects: Projects::All,
            origin,
        }
    }
}

impl From<Verified> for Caller {
    fn from(verified: Verified) -> Self {
        Self {
            key: Some(verified.id),
            user: None,
            name: Some(Arc::from(verified.name)),
            scope: verified.scope,
            projects: verified.projects,
            origin: Origin::Unknown,
        }
    }
}

/// The text cannot be a project's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a project's name must have 1 to {MAX_NAME_CHARS} characters and no control characters; \
    {0:?} does not"
)]
pub struct ProjectNameError(String);

impl ProjectNameError {
    /// Returns the name; a long one is truncated.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// Builds a limit to projects from their names; no names mean no limit.
///
/// *Errors*: [`ProjectNameError`].
pub fn limit_to(names: &[String]) -> Result<Projects, ProjectNameError> {
    let names = names.iter().map(|name| {
        let name = name.trim();
        let has_valid_length = (1..=MAX_NAME_CHARS).contains(&name.chars().count());
        match has_valid_length && !name.chars().any(char::is_control) {
            true => Ok(name.to_owned()),
            false => Err(ProjectNameError(
                name.chars().take(MAX_NAME_CHARS).collect(),
            )),
        }
    });
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    Ok(Projects::only(names).unwrap_or_default())
}

/// Why a request is not admitted.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A key is required and none was presented.
    #[error(
        "an API key is needed; send it as `Authorization: Bearer KEY`, `X-API-Key: KEY` or `MCP_API_KEY: KEY`"
    )]
    Missing,
    /// Several different keys were presented.
    #[error("the request carries several different API keys; send one")]
    Several,
    /// The presented key is not valid.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Who may call the server, and what checking that needs.
pub struct Access {
    /// What clients may do without a key.
    pub mode: AccessMode,
    /// Whether only this machine reaches the server.
    is_for_this_machine: bool,
    /// Verification of API keys.
    pub(crate) keys: ApiKeys,
    /// State about signing in, and how long sessions last.
    people: People,
    store: Arc<dyn Store>,
    clock: Clock,
}

impl Access {
    /// Creates the state, with the mode that the settings and the existing keys result in.
    ///
    /// *Errors*: those of the database and of the settings.
    pub(crate) async fn new(
        settings: &Settings,
        store: &Arc<dyn Store>,
        clock: &Clock,
    ) -> Result<Arc<Self>, OpenError> {
        let has_active_key = store.has_active_api_key(clock.now()).await?;
        let mode = settings.access_mode(has_active_key)?;
        if mode == AccessMode::Required && !has_active_key {
            tracing::warn!(
                "there is no API key, so no client can connect; \
                create one with `recall-kit-server keys create --name NAME`"
            );
        }
        Ok(Arc::new(Self {
            mode,
            is_for_this_machine: settings.is_for_this_machine(),
            keys: ApiKeys::new(Arc::clone(store)),
            people: People::new(&settings.web),
            store: Arc::clone(store),
            clock: clock.clone(),
        }))
    }

    /// Determines the caller of a request from the keys that it presents.
    ///
    /// A text without the format of a key is ignored: it may be meant for a proxy, or be a placeholder from
    /// documentation. A well-formed key that is unknown, expired or revoked is rejected in every mode.
    ///
    /// *Errors*: [`AccessError`]; its message may be sent to the client.
    pub async fn admit(&self, presented: &[&str]) -> Result<Caller, AccessError> {
        let without_key = match self.mode {
            AccessMode::Anonymous => Some(Scope::Write),
            AccessMode::AnonymousRead => Some(Scope::Read),
            AccessMode::Required => None,
        };
        let anonymous = |error: AccessError| match without_key {
            Some(scope) => Ok(Caller::nameless(scope, Origin::Unknown)),
            None => Err(error),
        };
        let mut keys_found = presented.iter().filter(|text| api_keys::is_key(text));
        let Some(key) = keys_found.next() else {
            return anonymous(match presented {
                [] => AccessError::Missing,
                _ => Refusal::Malformed.into(),
            });
        };
        if keys_found.any(|other| other != key) {
            return Err(AccessError::Several);
        }
        Ok(self.verify(key).await?.into())
    }

    /// Returns where a request from an address comes from.
    pub fn origin(&self, peer: PeerAddress) -> Origin {
        let PeerAddress(address, is_forwarded) = peer;
        let is_own = address.to_canonical().is_loopback() && !is_forwarded;
        match is_own && self.is_for_this_machine && self.mode == AccessMode::Anonymous {
            true => Origin::ThisMachine,
            false => Origin::Network(neighbourhood(address)),
        }
    }

    /// Checks an API key.
    ///
    /// *Errors*: [`Refusal`].
    pub async fn verify(&self, key: &str) -> Result<Verified, Refusal> {
        self.keys.verify(key, self.clock.now()).await
    }

    /// Removes expired sessions from the database, at most once an hour.
    ///
    /// *Errors*: those of the database.
    pub(crate) async fn tidy_up(&self) -> Result<(), StoreError> {
        let store = self.store.as_ref();
        self.people.tidy_up(store, self.clock.now()).await
    }
}
