//! The problems of a call, field by field: a message for the response, and a [`Flaw`] for pages that show
//! their own text.

use recall_kit_applicability::InvalidLine;
use recall_kit_shared_types::{ErrorBody, ErrorCode, ValidationError};
use serde_json::Value;

/// What is wrong with a field; the numbers are the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// It is absent or blank.
    Missing,
    /// It has more than so many characters.
    TooLong(usize),
    /// It has more than so many bytes.
    TooLarge(usize),
    /// It has more than so many elements.
    TooMany(usize),
    /// It is not one of the known words.
    Unknown,
    /// It is not a whole number in this range.
    OutOfRange(u8, u8),
    /// It contains a credential.
    Credential,
    /// It contains secrets or personal data.
    NotSanitized,
    /// It is not a list of files with their hashes.
    Citation,
    /// It is not a list of things with versions.
    Applies,
    /// A line about where an experience applies cannot be read.
    AppliesLine(Box<InvalidLine>),
    /// A mistake that only programs can make, not people who fill in a form.
    Other,
}

/// A field, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The error code if this is the only problem.
    pub code: ErrorCode,
    /// The field; an element of a list has its index, as in `tags[3]`.
    pub field: String,
    /// What is wrong with it.
    pub flaw: Flaw,
    /// The message.
    pub message: String,
}

/// The problems of one call; each is reported once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Problems {
    found: Vec<Problem>,
    /// Data with which a program can fix them.
    pub(super) details: Option<Value>,
}

impl Problems {
    /// Adds a problem of the kind [`Flaw::Other`].
    pub fn add(&mut self, code: ErrorCode, field: impl Into<String>, message: impl Into<String>) {
        self.flaw(Flaw::Other, code, field, message);
    }

    /// Adds a problem of a field.
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

    /// Returns `value` if there are no problems.
    ///
    /// *Errors*: the problems.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        match self.found.is_empty() {
            true => Ok(value),
            false => Err(self),
        }
    }

    /// Returns the problems; at least one if validation failed.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.found.iter()
    }

    /// Returns one error for all problems: with their code if it is the same for all, else
    /// `VALIDATION_ERROR`.
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
