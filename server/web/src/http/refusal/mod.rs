//! Why something cannot be done, in the words of who asked.
//!
//! What forms refuse is said in the language of the page. What is left comes in the words of the other
//! faces, in English: what addresses typed by hand bring about, and what is rare.

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

/// Why something cannot be done.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// In words already.
    Words(String),
    /// Fields of a record cannot be taken.
    Fields(Problems),
    /// A password cannot be used.
    Password(PasswordError),
    /// A user's name, or a key's, cannot be used.
    Name,
    /// A project's name cannot be used.
    ProjectName(ProjectNameError),
    /// How long a key shall be good cannot be used.
    Lifetime(LifetimeError),
    /// A user cannot be changed so.
    Person(Box<PeopleError>),
    /// A key cannot be made so.
    Key(Box<KeyError>),
    /// Documentation cannot be read in so.
    Ingest(Box<BeginError>),
}

impl Refusal {
    /// Says it in a language.
    pub(crate) fn in_words(&self, words: &Words) -> String {
        let say = &words.refusal;
        match self {
            Self::Words(text) => text.clone(),
            Self::Fields(problems) => {
                let mut said: Vec<String> = Vec::new();
                for problem in problems.iter() {
                    let sentence = of_field(words, problem);
                    // Of a list several elements may have the same flaw.
                    if !said.contains(&sentence) {
                        said.push(sentence);
                    }
                }
                said.join(" ")
            }
            Self::Password(error) => password(words, error),
            Self::Name => say.name_rule.to_owned(),
            Self::ProjectName(error) => filled(say.project_rule, &[&visible(error.name())]),
            Self::Lifetime(error) => lifetime(words, error),
            Self::Person(error) => person(words, error),
            Self::Key(error) => key(words, error),
            Self::Ingest(error) => ingest(words, error),
        }
    }
}

fn person(words: &Words, error: &PeopleError) -> String {
    let say = &words.refusal;
    match error {
        PeopleError::Password(error) => password(words, error),
        PeopleError::OtherPassword => words.account.other_password.to_owned(),
        PeopleError::Wait(seconds) => filled(words.account.wait, &[&seconds.to_string()]),
        PeopleError::NameTaken(name) => filled(say.user_taken, &[name]),
        PeopleError::LastAdmin(name) => filled(say.last_admin, &[name]),
        PeopleError::LimitedAdmin => say.limited_admin.to_owned(),
        error => error.to_string(),
    }
}

fn password(words: &Words, error: &PasswordError) -> String {
    let why = match error {
        PasswordError::Length(_) => words.account.password_rule,
        PasswordError::Name => words.refusal.password_is_name,
    };
    why.to_owned()
}

fn key(words: &Words, error: &KeyError) -> String {
    let say = &words.refusal;
    match error {
        KeyError::NameTaken(name) => filled(say.key_taken, &[name]),
        KeyError::LimitedAdmin => say.limited_admin.to_owned(),
        KeyError::Lifetime(error) => lifetime(words, error),
        error => error.to_string(),
    }
}

fn ingest(words: &Words, error: &BeginError) -> String {
    let say = &words.ingest;
    match error {
        BeginError::NotOnTheWeb => say.not_on_the_web.to_owned(),
        BeginError::WebOff => say.web_off.to_owned(),
        BeginError::BeingRead(library) => filled(say.being_read, &[library]),
        error => error.to_string(),
    }
}

fn lifetime(words: &Words, error: &LifetimeError) -> String {
    match error {
        LifetimeError::Past(_) => words.refusal.lifetime_past.to_owned(),
        LifetimeError::TooLong => words.refusal.lifetime_too_long.to_owned(),
        LifetimeError::Unreadable => {
            filled(words.refusal.lifetime_rule, &[words.admin.expires_hint])
        }
    }
}

/// Says what is wrong with a field by the name that it has in the form.
fn of_field(words: &Words, problem: &Problem) -> String {
    let say = &words.refusal;
    let name = label(words, &problem.field);
    match problem.flaw {
        Flaw::Missing => filled(say.missing, &[name]),
        Flaw::TooLong(most) => {
            let say = if is_element(problem) {
                say.element_too_long
            } else {
                say.too_long
            };
            filled(say, &[name, &most.to_string()])
        }
        Flaw::TooLarge(most) => filled(say.too_large, &[name, &most.to_string()]),
        Flaw::TooMany(most) => filled(say.too_many, &[name, &most.to_string()]),
        Flaw::Unknown => filled(say.unknown, &[name]),
        Flaw::OutOfRange(least, most) => filled(
            say.out_of_range,
            &[name, &least.to_string(), &most.to_string()],
        ),
        Flaw::Credential => filled(say.credential, &[name]),
        Flaw::NotSanitized => filled(say.not_sanitized, &[name]),
        Flaw::Other => problem.message.clone(),
    }
}

/// Whether an element of a list is meant.
fn is_element(problem: &Problem) -> bool {
    problem.field.contains('[')
}

/// Names a field as its form does.
fn label<'a>(words: &'a Words, field: &'a str) -> &'a str {
    // Of a list one element may be meant.
    let field = field.split('[').next().unwrap_or(field);
    match field {
        "title" => words.experience.title,
        "problem_description" => words.experience.problem,
        "root_cause" => words.experience.root_cause,
        "solution" => words.experience.solution,
        "context" => words.experience.context,
        "keywords" => words.experience.keywords,
        "type" => words.search.kind,
        "content" => words.search.content,
        "project" => words.search.project,
        "tags" => words.knowledge.tags,
        "confidence" => words.knowledge.confidence,
        "memory_type" => words.knowledge.memory,
        other => other,
    }
}

impl From<String> for Refusal {
    fn from(words: String) -> Self {
        Self::Words(words)
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
