//! Error pages: they say what went wrong and link to the search page.

use axum::{http::StatusCode, response::Response};
use maud::html;
use recall_kit_core::{
    access::{Forbidden, api_keys::KeyError, audit::AuditError, people::PeopleError},
    error::ServiceError,
    validation::Problems,
};
use recall_kit_libraries::jobs::BeginError;
use recall_kit_shared_types::{ErrorBody, ErrorCode};
use recall_kit_store::StoreError;
use recall_kit_telemetry::chain;

use super::refusal::Refusal;
use crate::{
    layout::page::{Page, Section},
    see_other,
    visitor::Visitor,
};

/// Why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The record does not exist.
    NotFound,
    /// The input is invalid, or the action is not possible.
    Refused(Refusal),
    /// The visitor lacks the permission.
    Forbidden,
    /// A use case failed.
    Service(ServiceError),
}

impl Failure {
    /// Creates the failure for invalid input or an impossible action.
    pub(crate) fn refused(why: impl Into<Refusal>) -> Self {
        Self::Refused(why.into())
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        let error = match error {
            ServiceError::Forbidden(_) => return Self::Forbidden,
            ServiceError::Invalid(problems) => return Self::Refused(Refusal::Fields(problems)),
            other => other,
        };
        let body = (!error.is_fault()).then(|| error.body());
        match body {
            Some(body) if is_missing(body.code) => Self::NotFound,
            Some(body) => Self::refused(body.message),
            None => Self::Service(error),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        ServiceError::from(error).into()
    }
}

impl From<Box<ErrorBody>> for Failure {
    fn from(body: Box<ErrorBody>) -> Self {
        ServiceError::from(body).into()
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        ServiceError::from(problems).into()
    }
}

impl From<Forbidden> for Failure {
    fn from(_: Forbidden) -> Self {
        Self::Forbidden
    }
}

impl From<PeopleError> for Failure {
    fn from(error: PeopleError) -> Self {
        match error {
            PeopleError::Forbidden(_) => Self::Forbidden,
            PeopleError::Unknown(_) => Self::NotFound,
            PeopleError::Store(error) => error.into(),
            PeopleError::Broken(error) => error.into(),
            PeopleError::Random(error) => {
                tracing::error!(%error, "the system's random source failed");
                Self::Service(ServiceError::Broken("the system's random source"))
            }
            PeopleError::Password(_)
            | PeopleError::OtherPassword
            | PeopleError::NameTaken(_)
            | PeopleError::LastAdmin(_)
            | PeopleError::LimitedAdmin
            | PeopleError::Wait(_) => Self::Refused(Refusal::Person(Box::new(error))),
        }
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Forbidden(_) => Self::Forbidden,
            KeyError::Unknown(_) => Self::NotFound,
            KeyError::Store(error) => error.into(),
            KeyError::Random(error) => {
                tracing::error!(%error, "the system's random source failed");
                Self::Service(ServiceError::Broken("the system's random source"))
            }
            KeyError::Lifetime(_)
            | KeyError::LimitedAdmin
            | KeyError::NameTaken(_)
            | KeyError::Ambiguous { .. } => Self::Refused(Refusal::Key(Box::new(error))),
        }
    }
}

impl From<BeginError> for Failure {
    fn from(error: BeginError) -> Self {
        match error {
            BeginError::Forbidden(_) => Self::Forbidden,
            BeginError::Name(_)
            | BeginError::NotOnTheWeb
            | BeginError::WebOff
            | BeginError::BeingRead(_) => Self::Refused(Refusal::Ingest(Box::new(error))),
        }
    }
}

impl From<AuditError> for Failure {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Forbidden(_) => Self::Forbidden,
            AuditError::Store(error) => error.into(),
        }
    }
}

fn is_missing(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::NotFound
            | ErrorCode::EntryNotFound
            | ErrorCode::LibraryNotFound
            | ErrorCode::VersionNotFound
            | ErrorCode::SuggestionNotFound
    )
}

impl Visitor {
    /// Answers with a page and status 200, or with an error page.
    pub(crate) fn answer(&self, result: Result<Page, Failure>) -> Response {
        self.answer_with(StatusCode::OK, result)
    }

    /// Answers with a page and the given status, or with an error page.
    pub(crate) fn answer_with(
        &self,
        status: StatusCode,
        result: Result<Page, Failure>,
    ) -> Response {
        match result {
            Ok(page) => page.answer(self, status),
            Err(failure) => self.fail(&failure),
        }
    }

    /// Answers with an error page; logs a fault of the server.
    pub(crate) fn fail(&self, failure: &Failure) -> Response {
        let words = &self.words.failure;
        match failure {
            Failure::NotFound => {
                self.message_page(StatusCode::NOT_FOUND, words.not_found, words.no_record)
            }
            Failure::Refused(why) => {
                let why = why.message(self.words);
                self.message_page(StatusCode::BAD_REQUEST, words.refused, &why)
            }
            Failure::Forbidden if self.session.is_none() => see_other(&self.sign_in_address()),
            Failure::Forbidden => {
                self.message_page(StatusCode::FORBIDDEN, words.refused, words.not_yours)
            }
            Failure::Service(error) => {
                tracing::error!(error = chain(error), "a page could not be rendered");
                let status = match error {
                    ServiceError::Timeout(_) => StatusCode::GATEWAY_TIMEOUT,
                    _ => StatusCode::INTERNAL_SERVER_ERROR,
                };
                self.message_page(status, words.broken, words.try_again)
            }
        }
    }

    /// Answers with a page that has a title, a message and a link to the search page.
    pub(crate) fn message_page(&self, status: StatusCode, title: &str, why: &str) -> Response {
        let main = html! {
            h1 { (title) }
            p { (why) }
            p { a href="/" { (self.words.failure.back_to_search) } }
        };
        Page::new(title, Section::Elsewhere, main).answer(self, status)
    }
}

/// Answers a request for a path that no page has.
pub(crate) async fn no_page(visitor: Visitor) -> Response {
    let words = &visitor.words.failure;
    visitor.message_page(StatusCode::NOT_FOUND, words.not_found, words.no_page)
}
