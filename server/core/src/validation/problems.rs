//! What is wrong with a call: field by field, in words for programs, and what it is for those who say
//! it in other words.

use recall_kit_shared_types::{ErrorBody, ErrorCode, ValidationError};
use serde_json::Value;

/// What is wrong with a field; the numbers are the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// It is not there, or blank.
    Missing,
    /// It has more than so many characters.
    TooLong(usize),
    /// It has more than so many bytes.
    TooLarge(usize),
    /// It has more than so many elements.
    TooMany(usize),
    /// It is none of the words that there are.
    Unknown,
    /// It is no whole number from one to another.
    OutOfRange(u8, u8),
    /// There is a credential in it.
    Credential,
    /// There are secrets or personal data in it.
    NotSanitized,
    /// Something that only programs get wrong.
    Other,
}

/// A field, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The code that it would have alone.
    pub code: ErrorCode,
    /// The field; of an element of a list with its place, as in `tags[3]`.
    pub field: String,
    /// What is wrong with it.
    pub flaw: Flaw,
    /// The same in words.
    pub message: String,
}

/// The problems of one call; none is found twice.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Problems {
    found: Vec<Problem>,
    /// What a program may do about them.
    pub(super) details: Option<Value>,
}

impl Problems {
    /// Adds something that only programs get wrong.
    pub(super) fn add(
        &mut self,
        code: ErrorCode,
        field: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.flaw(Flaw::Other, code, field, message);
    }

    /// Adds what is wrong with a field.
    pub(super) fn flaw(
        &mut self,
        flaw: Flaw,
        code: ErrorCode,
        field: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.found.push(Problem {
            code,
            field: field.into(),
            flaw,
            message: message.into(),
        });
    }

    /// Returns `value` when nothing was found.
    pub(super) fn or<T>(self, value: T) -> Result<T, Self> {
        match self.found.is_empty() {
            true => Ok(value),
            false => Err(self),
        }
    }

    /// Returns each, at least one where validation failed.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.found.iter()
    }

    /// Returns one error for all: with the problems' own code when they agree on one,
    /// `VALIDATION_ERROR` when they do not.
    pub fn body(&self) -> ErrorBody {
        let mut codes = self.found.iter().map(|problem| problem.code);
        let first = codes.next().unwrap_or(ErrorCode::ValidationError);
        let code = match codes.all(|code| code == first) {
            true => first,
            false => ErrorCode::ValidationError,
        };
        let message = match code {
            ErrorCode::ValidationError => "Validation failed".to_owned(),
            ErrorCode::MissingRequiredFields => {
                let names: Vec<&str> = self.iter().map(|one| one.field.as_str()).collect();
                format!("Missing required fields: {}", names.join(", "))
            }
            _ => self
                .iter()
                .map(|one| one.message.clone())
                .next()
                .unwrap_or_default(),
        };
        let errors = self.iter().map(|problem| ValidationError {
            field: problem.field.clone(),
            message: problem.message.clone(),
        });
        ErrorBody {
            code,
            message,
            validation_errors: Some(errors.collect()),
            details: self.details.clone(),
        }
    }
}

impl From<Problems> for Box<ErrorBody> {
    fn from(problems: Problems) -> Self {
        Self::new(problems.body())
    }
}
