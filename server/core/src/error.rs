//! Why a use case failed, and why the application could not be opened.

use std::time::Duration;

use recall_kit_catalogue::CatalogueError;
use recall_kit_search::IndexError;
use recall_kit_settings::SettingsError;
use recall_kit_shared_types::{ErrorBody, ErrorCode};
use recall_kit_store::StoreError;

use crate::{access::Forbidden, validation::Problems};

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The call passed its deadline.
    #[error("the call took longer than {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A part of the work panicked or was cancelled; the text names it.
    #[error("{0} stopped unexpectedly")]
    Broken(&'static str),
    /// The caller lacks the scope.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The request cannot be done; the body tells the caller why.
    #[error("{}", .0.message)]
    Refused(Box<ErrorBody>),
    /// Fields of the arguments are invalid.
    #[error("{}", .0.body().message)]
    Invalid(Problems),
}

impl From<Box<ErrorBody>> for ServiceError {
    fn from(body: Box<ErrorBody>) -> Self {
        Self::Refused(body)
    }
}

impl From<Problems> for ServiceError {
    fn from(problems: Problems) -> Self {
        Self::Invalid(problems)
    }
}

impl ServiceError {
    /// Returns the error for the client, without any detail from the database or the index.
    pub fn body(&self) -> ErrorBody {
        match self {
            Self::Refused(body) => ErrorBody::clone(body),
            Self::Invalid(problems) => problems.body(),
            Self::Forbidden(why) => ErrorBody::new(ErrorCode::ValidationError, why.to_string()),
            Self::Timeout(after) => ErrorBody::new(
                ErrorCode::Timeout,
                format!(
                    "The query took longer than {} ms; try fewer keywords or try again",
                    after.as_millis()
                ),
            ),
            Self::Store(StoreError::KeyReused) => ErrorBody::new(
                ErrorCode::ValidationError,
                "The idempotency key was used before with other content; use a new key for new content",
            ),
            Self::Store(StoreError::VersionChanged { current }) => ErrorBody::new(
                ErrorCode::ValidationError,
                format!(
                    "The record was changed meanwhile and is at version {current} now; read it \
                     again, then change it"
                ),
            ),
            Self::Store(StoreError::EntryChanged(id)) => ErrorBody::new(
                ErrorCode::ValidationError,
                format!("The entry '{id}' was changed meanwhile; read it again, then change it"),
            ),
            Self::Store(StoreError::EntryGone(id)) => ErrorBody::new(
                ErrorCode::EntryNotFound,
                format!("Entry with ID '{id}' not found"),
            ),
            Self::Store(StoreError::NoExperience(id)) => ErrorBody::new(
                ErrorCode::EntryNotFound,
                format!("Experience with ID '{id}' not found"),
            ),
            Self::Store(StoreError::ExperienceDeleted(id)) => ErrorBody::new(
                ErrorCode::ValidationError,
                format!("Experience '{id}' is deleted; restore it first"),
            ),
            Self::Store(_) => ErrorBody::new(
                ErrorCode::DatabaseError,
                "The database could not do this; nothing was changed. Try again; if it persists, the server's log says why",
            ),
            Self::Index(_) | Self::Broken(_) => ErrorBody::new(
                ErrorCode::InternalError,
                "The server could not do this; nothing was changed. Try again; if it persists, the server's log says why",
            ),
        }
    }

    /// Returns whether this is a fault of the server, which is logged.
    pub fn is_fault(&self) -> bool {
        match self {
            Self::Refused(_) | Self::Invalid(_) | Self::Forbidden(_) => false,
            Self::Store(error) => !matches!(
                error,
                StoreError::KeyReused
                    | StoreError::VersionChanged { .. }
                    | StoreError::EntryChanged(_)
                    | StoreError::EntryGone(_)
                    | StoreError::NoExperience(_)
                    | StoreError::ExperienceDeleted(_)
            ),
            _ => true,
        }
    }
}

/// Why the application could not be opened. Each message says what to do, if that is known.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A tool, resource or prompt of the settings cannot be used.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The database could not be opened.
    #[error("cannot open the database {url}")]
    Open {
        /// The database's address.
        url: String,
        /// What went wrong.
        source: StoreError,
    },
    /// The database could not be read.
    #[error("cannot read the database")]
    Store(#[source] StoreError),
    /// The database cannot be used as the search engine, as the settings say.
    #[error("search.engine = \"postgres\" cannot be used")]
    Search(#[source] StoreError),
    /// The database's vectors were computed by another model.
    #[error(
        "the vectors of this database were computed with {stored}, but the server is set to {configured}; \
        start it with the former, or run `recall-kit-server reembed` to compute them again with the latter"
    )]
    OtherModel {
        /// The model that computed the vectors.
        stored: String,
        /// The configured model.
        configured: String,
    },
    /// The index could not be opened or rebuilt.
    #[error("cannot open the search index")]
    Index(#[from] IndexError),
    /// The index could not be filled from the database.
    #[error("cannot fill the search index")]
    Fill(#[from] ServiceError),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::OtherModel { stored, configured } => {
                Self::OtherModel { stored, configured }
            }
            other => Self::Store(other),
        }
    }
}
