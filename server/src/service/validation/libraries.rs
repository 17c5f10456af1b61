//! The validation rules of documentation libraries.
//!
//! Source: seeds documentation document, "get-library-docs".

use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    libraries::{
        DocsMode,
        library_limits::{MAX_NAME_CHARS, MAX_PAGE, MAX_TOPIC_CHARS, MAX_TOPICS, PAGE_SIZE},
    },
};
use serde_json::Value;

use super::{Problems, required, whole_number};
use crate::service::libraries::DocsQuery;

/// The arguments of `get-library-docs`, of the right types.
#[derive(Debug, Default)]
pub struct DocsInput {
    /// Required.
    pub topic: Option<String>,
    /// Should be a whole number.
    pub library: Option<Value>,
    /// Optional.
    pub version: Option<String>,
    /// Should be `code` or `info`.
    pub mode: Option<String>,
    /// Should be a whole number, 1–10.
    pub page: Option<Value>,
}

/// Validates a question.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS` for the topic, `VALIDATION_ERROR` for everything else and for
/// several problems at once.
pub fn validate_docs(input: DocsInput) -> Result<DocsQuery, Box<ErrorBody>> {
    let mut problems = Problems::default();
    let mut invalid = |field: &str, message: String| {
        problems.add(ErrorCode::ValidationError, field, message);
    };
    let library = match input.library {
        None | Some(Value::Null) => None,
        Some(given) => match whole_number(Some(given), 0).filter(|id| *id > 0) {
            Some(id) => Some(u64::from(id)),
            None => {
                let message = "libraryId must be a whole number, as search-libraries returns it";
                invalid("libraryId", message.to_owned());
                None
            }
        },
    };
    let page = whole_number(input.page, 1).filter(|page| (1..=MAX_PAGE).contains(page));
    if page.is_none() {
        invalid(
            "page",
            format!("page must be a whole number from 1 to {MAX_PAGE}"),
        );
    }
    let mode = input.mode.and_then(|word| {
        let known = DocsMode::ALL.into_iter().find(|mode| mode.as_str() == word);
        if known.is_none() {
            invalid("mode", "mode must be code or info".to_owned());
        }
        known
    });
    // A version left blank is one left out.
    let version = input.version.filter(|version| !version.trim().is_empty());
    if version
        .as_ref()
        .is_some_and(|version| version.chars().count() > MAX_NAME_CHARS)
    {
        invalid(
            "version",
            format!("version must not be longer than {MAX_NAME_CHARS} characters"),
        );
    }
    let topics = topics(input.topic, &mut problems);
    Ok(problems.or(DocsQuery {
        topics,
        library,
        version,
        mode,
        language: None,
        size: PAGE_SIZE,
        page: page.unwrap_or(1),
    })?)
}

/// Takes the topics apart.
fn topics(given: Option<String>, problems: &mut Problems) -> Vec<String> {
    let topic = given.map(|topic| topic.trim_matches([',', ' ']).to_owned());
    let topic = required("topic", topic, problems);
    let mut topics: Vec<String> = Vec::new();
    for topic in topic.split(',').map(str::trim) {
        if !topic.is_empty() && !topics.iter().any(|known| known == topic) {
            topics.push(topic.to_owned());
        }
    }
    if topic.chars().count() > MAX_TOPIC_CHARS {
        let message = format!("topic must not be longer than {MAX_TOPIC_CHARS} characters");
        problems.add(ErrorCode::ValidationError, "topic", message);
    } else if topics.len() > MAX_TOPICS {
        let message = format!(
            "{} topics are too many; ask for {MAX_TOPICS} at most",
            topics.len()
        );
        problems.add(ErrorCode::ValidationError, "topic", message);
    }
    topics
}

/// Validates what a library is looked for by.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS` where it is blank, `VALIDATION_ERROR` where it is too long.
pub fn validate_library_name(given: Option<String>) -> Result<String, Box<ErrorBody>> {
    let mut problems = Problems::default();
    let name = required("libraryName", given, &mut problems);
    if name.chars().count() > MAX_TOPIC_CHARS {
        let message = format!("libraryName must not be longer than {MAX_TOPIC_CHARS} characters");
        problems.add(ErrorCode::ValidationError, "libraryName", message);
    }
    Ok(problems.or(name.trim().to_owned())?)
}

/// Validates what every ingest needs: a library's name and a source.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS` where one is blank.
pub fn validate_ingest(
    library: Option<String>,
    source: Option<String>,
) -> Result<(String, String), Box<ErrorBody>> {
    let mut problems = Problems::default();
    let library = required("libraryName", library, &mut problems);
    let source = required("source", source, &mut problems);
    Ok(problems.or((library.trim().to_owned(), source.trim().to_owned()))?)
}
