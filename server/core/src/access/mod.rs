//! Who calls, and what it may do: the same for every face.

pub mod api_keys;
pub mod audit;
pub mod peer_address;
pub mod people;
pub mod reach;

use std::sync::Arc;

use recall_kit_fair_queue::flow::{self, Voice};
use recall_kit_settings::AccessMode;
use recall_kit_shared_types::knowledge::knowledge_limits::MAX_NAME_CHARS;
use recall_kit_store::{Actor, ActorKind, ApiKey, IdempotencyKey, User};
use uuid::Uuid;

use crate::access::api_keys::{ApiKeys, Refusal, Verified};
pub use recall_kit_store::{Projects, Scope};

/// Somebody who was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The id of the key that was shown; none without one.
    pub key: Option<Uuid>,
    /// The id of the user who signed in; none where nobody did.
    pub user: Option<Uuid>,
    /// What the user or the key is called.
    pub name: Option<Arc<str>>,
    /// What it may do.
    pub scope: Scope,
    /// Whose entries it may see and write; experiences and libraries belong to everybody.
    pub projects: Projects,
}

/// Why somebody who was let in may not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this needs the scope {needed}, and the caller has {has}")]
pub struct Forbidden {
    /// What is needed.
    pub needed: Scope,
    /// What there is.
    pub has: Scope,
}

impl Caller {
    /// The person who started the program, on its own standard input; nobody else administers
    /// without a key and without having signed in.
    pub const fn local() -> Self {
        Self::nameless(Scope::Admin)
    }

    /// Somebody of whom nothing is known; may do the least there is.
    pub const fn unknown() -> Self {
        Self::nameless(Scope::Read)
    }

    /// Returns whose interest in a record counts as one caller's: the user's who signed in, else that
    /// of what the running request came with.
    pub fn voice(&self) -> Voice {
        match self.user {
            Some(user) => Voice::new(&user),
            None => flow::current().voice(),
        }
    }

    /// A user who signed in.
    pub fn of_user(user: &User) -> Self {
        Self {
            key: None,
            user: Some(user.id),
            name: Some(Arc::from(user.name.as_str())),
            scope: user.role,
            projects: user.projects.clone(),
        }
    }

    /// Whoever showed a key.
    pub fn of_key(key: &ApiKey) -> Self {
        Self {
            key: Some(key.id),
            user: None,
            name: Some(Arc::from(key.name.as_str())),
            scope: key.scope,
            projects: key.projects.clone(),
        }
    }

    /// Makes sure that the caller has a scope.
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

    /// Scopes a client's idempotency key to this caller, so that the same key from another caller
    /// is another key. Callers without an identity share one scope.
    pub fn idempotency_key(&self, key: String) -> String {
        IdempotencyKey::scoped(self.user.or(self.key), key)
    }

    /// Returns who this is, for what is noted of its deeds.
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

    const fn nameless(scope: Scope) -> Self {
        Self {
            key: None,
            user: None,
            name: None,
            scope,
            projects: Projects::All,
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
        }
    }
}

/// A name that no project can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a project's name has 1 to {MAX_NAME_CHARS} characters, none of them a control \
     character; {0:?} has not"
)]
pub struct ProjectNameError(String);

impl ProjectNameError {
    /// Returns the name, a long one cut short.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// Reads the names of a limit to projects; no names are no limit.
///
/// *Errors*: [`ProjectNameError`].
pub fn limit_to(names: &[String]) -> Result<Projects, ProjectNameError> {
    let names = names.iter().map(|name| {
        let name = name.trim();
        let fits = (1..=MAX_NAME_CHARS).contains(&name.chars().count());
        match fits && !name.chars().any(char::is_control) {
            true => Ok(name.to_owned()),
            false => Err(ProjectNameError(
                name.chars().take(MAX_NAME_CHARS).collect(),
            )),
        }
    });
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    Ok(Projects::only(names).unwrap_or_default())
}

/// Why somebody is not let in.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A key is needed and none was shown.
    #[error(
        "an API key is needed; send it as `Authorization: Bearer KEY`, `X-API-Key: KEY` or `MCP_API_KEY: KEY`"
    )]
    Missing,
    /// Several different keys were shown.
    #[error("the request carries several different API keys; send one")]
    Several,
    /// The key that was shown lets nobody in.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Decides who a request comes from, by the keys it shows.
///
/// Something that is no key at all counts as none: it may be meant for a proxy, or be the placeholder
/// of some documentation. A key of the right form that is unknown,
/// expired or revoked is refused in every mode.
///
/// *Errors*: [`AccessError`]; its words may be sent to the client.
pub async fn admit(
    keys: &ApiKeys,
    mode: AccessMode,
    shown: &[&str],
    now: jiff::Timestamp,
) -> Result<Caller, AccessError> {
    let without_key = match mode {
        AccessMode::Anonymous => Some(Scope::Write),
        AccessMode::AnonymousRead => Some(Scope::Read),
        AccessMode::Required => None,
    };
    let anonymous = |error: AccessError| match without_key {
        Some(scope) => Ok(Caller::nameless(scope)),
        None => Err(error),
    };
    let mut ours = shown.iter().filter(|shown| api_keys::is_key(shown));
    let Some(key) = ours.next() else {
        return anonymous(match shown {
            [] => AccessError::Missing,
            _ => Refusal::Malformed.into(),
        });
    };
    if ours.any(|other| other != key) {
        return Err(AccessError::Several);
    }
    Ok(keys.verify(key, now).await?.into())
}
