//! Why input is invalid or an action is not possible, as a message for the visitor.
//!
//! Messages about forms are in the language of the page. The rest is in English, as at the other endpoints:
//! messages about addresses typed by hand, and rare ones.

use recall_kit_core::{
    access::{
        ProjectNameError,
        api_keys::{KeyError, KeyNameError, LifetimeError},
        people::{PasswordError, PeopleError, UserNameError},
    },
    validation::{Flaw, Problem, Problems},
};
use recall_kit_libraries::jobs::BeginError;

use crate::{
    i18n::words::{Words, filled},
    layout::plain::visible,
};

/// Why input is invalid or an action is not possible.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// A message as it is.
    Message(String),
    /// Fields of a record are invalid.
    Fields(Problems),
    /// A password is not allowed.
    Password(PasswordError),
    /// The name of a user or a key is not allowed.
    Name,
    /// The name of a project is not allowed.
    ProjectName(ProjectNameError),
    /// The lifetime of a key is not allowed.
    Lifetime(LifetimeError),
    /// A user cannot be created or changed like this.
    Person(Box<PeopleError>),
    /// A key cannot be created like this.
    Key(Box<KeyError>),
    /// Documentation cannot be ingested like this.
    Ingest(Box<BeginError>),
}

impl Refusal {
    /// Returns the message in a language.
    pub(crate) fn message(&self, words: &Words) -> String {
        let texts = &words.refusal;
        match self {
            Self::Message(text) => text.clone(),
            Self::Fields(problems) => {
                let mut sentences: Vec<String> = Vec::new();
                for problem in problems.iter() {
                    let sentence = of_field(words, problem);
                    // Several elements of a list may have the same flaw.
                    if !sentences.contains(&sentence) {
                        sentences.push(sentence);
                    }
                }
                sentences.join(" ")
            }
            Self::Password(error) => password(words, error),
            Self::Name => texts.name_rule.to_owned(),
            Self::ProjectName(error) => filled(texts.project_rule, &[&visible(error.name())]),
            Self::Lifetime(error) => lifetime(words, error),
            Self::Person(error) => person(words, error),
            Self::Key(error) => key(words, error),
            Self::Ingest(error) => ingest(words, error),
        }
    }
}

fn person(words: &Words, error: &PeopleError) -> String {
    let texts = &words.refusal;
    match error {
        PeopleError::Password(error) => password(words, error),
        PeopleError::OtherPassword => words.account.other_password.to_owned(),
        PeopleError::Wait(seconds) => filled(words.account.wait, &[&seconds]),
        PeopleError::NameTaken(name) => filled(texts.user_taken, &[&name]),
        PeopleError::LastAdmin(name) => filled(texts.last_admin, &[&name]),
        PeopleError::LimitedAdmin => texts.limited_admin.to_owned(),
        error => error.to_string(),
    }
}

fn password(words: &Words, error: &PasswordError) -> String {
    let message = match error {
        PasswordError::Length(_) => words.account.password_rule,
        PasswordError::Name => words.refusal.password_is_name,
    };
    message.to_owned()
}

fn key(words: &Words, error: &KeyError) -> String {
    let texts = &words.refusal;
    match error {
        KeyError::NameTaken(name) => filled(texts.key_taken, &[&name]),
        KeyError::LimitedAdmin => texts.limited_admin.to_owned(),
        KeyError::Lifetime(error) => lifetime(words, error),
        error => error.to_string(),
    }
}

fn ingest(words: &Words, error: &BeginError) -> String {
    let texts = &words.ingest;
    match error {
        BeginError::NotOnTheWeb => texts.not_on_the_web.to_owned(),
        BeginError::WebOff => texts.web_off.to_owned(),
        BeginError::BeingRead(library) => filled(texts.being_ingested, &[&library]),
        error => error.to_string(),
    }
}

fn lifetime(words: &Words, error: &LifetimeError) -> String {
    match error {
        LifetimeError::Past(_) => words.refusal.lifetime_past.to_owned(),
        LifetimeError::TooLong => words.refusal.lifetime_too_long.to_owned(),
        LifetimeError::Unreadable => {
            filled(words.refusal.lifetime_rule, &[&words.admin.expires_hint])
        }
    }
}

/// Returns what is wrong with a field, which the message names like its form.
fn of_field(words: &Words, problem: &Problem) -> String {
    let texts = &words.refusal;
    let name = label(words, &problem.field);
    match &problem.flaw {
        Flaw::Missing => filled(texts.missing, &[&name]),
        Flaw::TooLong(most) => {
            let text = if is_element(problem) {
                texts.element_too_long
            } else {
                texts.too_long
            };
            filled(text, &[&name, most])
        }
        Flaw::TooLarge(most) => filled(texts.too_large, &[&name, most]),
        Flaw::TooMany(most) => filled(texts.too_many, &[&name, most]),
        Flaw::Unknown => filled(texts.unknown, &[&name]),
        Flaw::OutOfRange(least, most) => filled(texts.out_of_range, &[&name, least, most]),
        Flaw::Credential => filled(texts.credential, &[&name]),
        Flaw::NotSanitized => filled(texts.not_sanitized, &[&name]),
        Flaw::Citation => filled(texts.citation, &[&name]),
        Flaw::Applies => filled(texts.applies, &[&name]),
        Flaw::AppliesLine(error) => {
            let problem = error.problem.in_language(words.language);
            let line = visible(&error.line);
            filled(texts.applies_line, &[&name, &line, &visible(&problem)])
        }
        Flaw::Other => problem.message.clone(),
    }
}

/// Whether the problem is with one element of a list, such as `tags[2]`.
fn is_element(problem: &Problem) -> bool {
    problem.field.contains('[')
}

/// The field of a call with where an experience applies.
const APPLIES_FIELD: &str = "_meta.io.recallkit/applies";

/// Returns a field's label in its form.
fn label<'a>(words: &'a Words, field: &'a str) -> &'a str {
    // The name of a list's element has an index.
    let field = field.split('[').next().unwrap_or(field);
    match field {
        "title" => words.experience.title,
        "problem_description" => words.experience.problem,
        "root_cause" => words.experience.root_cause,
        "solution" => words.experience.solution,
        "context" => words.experience.context,
        "keywords" => words.experience.keywords,
        "note" => words.outcomes.note,
        "outcome" => words.outcomes.heading,
        "type" => words.search.kind,
        "content" => words.search.content,
        "project" => words.search.project,
        "tags" => words.knowledge.tags,
        "confidence" => words.knowledge.confidence,
        "memory_type" => words.knowledge.memory,
        "citations" => words.knowledge.citations,
        "applies" | APPLIES_FIELD => words.experience.applies_lines,
        other => other,
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

impl From<PasswordError> for Refusal {
    fn from(error: PasswordError) -> Self {
        Self::Password(error)
    }
}

impl From<UserNameError> for Refusal {
    fn from(_: UserNameError) -> Self {
        Self::Name
    }
}

impl From<KeyNameError> for Refusal {
    fn from(_: KeyNameError) -> Self {
        Self::Name
    }
}

impl From<ProjectNameError> for Refusal {
    fn from(error: ProjectNameError) -> Self {
        Self::ProjectName(error)
    }
}

impl From<LifetimeError> for Refusal {
    fn from(error: LifetimeError) -> Self {
        Self::Lifetime(error)
    }
}

#[cfg(test)]
mod tests;
