//! Pages that say what went wrong and where to go on.

use axum::{http::StatusCode, response::Response};
use maud::html;
use recall_kit_shared_types::ErrorCode;

use super::{
    page::{Page, Section},
    visitor::Visitor,
};
use crate::error::{ServiceError, chain};

/// Why there is no page to show.
#[derive(Debug)]
pub(super) enum Failure {
    /// What was asked for is not there.
    NotFound,
    /// A parameter is wrong; in words.
    Refused(String),
    /// A use case failed.
    Service(ServiceError),
}

impl<E: Into<ServiceError>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let body = (!error.is_fault()).then(|| error.body());
        match body {
            Some(body) if is_missing(body.code) => Self::NotFound,
            Some(body) => Self::Refused(body.message),
            None => Self::Service(error),
        }
    }
}

fn is_missing(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::EntryNotFound
            | ErrorCode::LibraryNotFound
            | ErrorCode::VersionNotFound
            | ErrorCode::SuggestionNotFound
    )
}

impl Visitor {
    /// Answers with a page, or says why there is none.
    pub(super) fn answer(&self, made: Result<Page, Failure>) -> Response {
        match made {
            Ok(page) => page.answer(self, StatusCode::OK),
            Err(failure) => self.fail(&failure),
        }
    }

    /// Says why there is no page; a fault goes to the log, since this is where it is handled.
    pub(super) fn fail(&self, failure: &Failure) -> Response {
        let words = &self.words.failure;
        match failure {
            Failure::NotFound => self.say(StatusCode::NOT_FOUND, words.not_found, words.no_record),
            Failure::Refused(why) => self.say(StatusCode::BAD_REQUEST, words.refused, why),
            Failure::Service(error) => {
                tracing::error!(error = chain(error), "a page could not be made");
                let status = match error {
                    ServiceError::Timeout(_) => StatusCode::GATEWAY_TIMEOUT,
                    _ => StatusCode::INTERNAL_SERVER_ERROR,
                };
                self.say(status, words.broken, words.try_again)
            }
        }
    }

    pub(super) fn say(&self, status: StatusCode, title: &str, why: &str) -> Response {
        let main = html! {
            h1 { (title) }
            p { (why) }
            p { a href="/" { (self.words.failure.back_to_search) } }
        };
        Page::new(title, Section::Elsewhere, main).answer(self, status)
    }
}

/// Answers for an address without a page.
pub(super) async fn no_page(visitor: Visitor) -> Response {
    let words = &visitor.words.failure;
    visitor.say(StatusCode::NOT_FOUND, words.not_found, words.no_page)
}
