//! Who calls, and what it may do: the same for every face.

use uuid::Uuid;

use super::api_keys::{self, ApiKeys, Refusal, Scope};
use crate::settings::AccessMode;

/// Somebody who was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The id of the key that was shown; none without one.
    pub key: Option<Uuid>,
    /// What it may do.
    pub scope: Scope,
}

impl Caller {
    /// The person who started the program, on its own standard input.
    pub fn local() -> Self {
        Self {
            key: None,
            scope: Scope::Admin,
        }
    }

    /// Somebody of whom nothing is known; may do the least there is.
    pub fn unknown() -> Self {
        Self {
            key: None,
            scope: Scope::Read,
        }
    }
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
        Some(scope) => Ok(Caller { key: None, scope }),
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
    let verified = keys.verify(key, now).await?;
    Ok(Caller {
        key: Some(verified.id),
        scope: verified.scope,
    })
}
