//! The validation rules of documentation libraries.

use recall_kit_core::validation::{Problems, required, whole_number};
use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    libraries::{
        DocsMode,
        library_limits::{
            DEFAULT_TOKENS, MAX_NAME_CHARS, MAX_PAGE, MAX_TOKENS, MAX_TOPIC_CHARS, MAX_TOPICS,
            MIN_TOKENS, PAGE_SIZE,
        },
    },
};
use serde_json::Value;

use crate::DocsQuery;

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
    /// Should be a whole number, 200–20,000.
    pub max_tokens: Option<Value>,
}

/// A page may have one document for every this many tokens, if that gives more than the usual number.
const TOKENS_OF_DOCUMENT: usize = 200;
/// The most documents on a page, however many tokens it may have.
const MOST_DOCUMENTS: usize = 50;

/// Validates a query for documentation.
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
        Some(value) => match whole_number(Some(value), 0).filter(|id| *id > 0) {
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
    let version = version(input.version, &mut problems);
    let max_tokens = max_tokens(input.max_tokens, &mut problems);
    let topics = topics(input.topic, &mut problems);
    Ok(problems.or(DocsQuery {
        topics,
        library,
        version,
        mode,
        language: None,
        size: (max_tokens as usize / TOKENS_OF_DOCUMENT).clamp(PAGE_SIZE, MOST_DOCUMENTS),
        max_tokens: Some(max_tokens),
        page: page.unwrap_or(1),
    })?)
}

/// Validates the version; a blank one counts as absent.
fn version(value: Option<String>, problems: &mut Problems) -> Option<String> {
    let version = value.filter(|version| !version.trim().is_empty())?;
    if version.chars().count() > MAX_NAME_CHARS {
        let message = format!("version must not be longer than {MAX_NAME_CHARS} characters");
        problems.add(ErrorCode::ValidationError, "version", message);
    }
    Some(version)
}

/// Validates how many tokens a response may have.
fn max_tokens(value: Option<Value>, problems: &mut Problems) -> u32 {
    let range = MIN_TOKENS..=MAX_TOKENS;
    let most = whole_number(value, DEFAULT_TOKENS).filter(|most| range.contains(most));
    most.unwrap_or_else(|| {
        let message = format!("maxTokens must be a whole number from {MIN_TOKENS} to {MAX_TOKENS}");
        problems.add(ErrorCode::ValidationError, "maxTokens", message);
        DEFAULT_TOKENS
    })
}

/// Splits the topics at commas and removes duplicates.
fn topics(value: Option<String>, problems: &mut Problems) -> Vec<String> {
    let topic = value.map(|topic| topic.trim_matches([',', ' ']).to_owned());
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

/// Validates the name by which libraries are searched; `None` when it is absent or blank: all libraries.
///
/// *Errors*: `VALIDATION_ERROR` if it is too long.
pub fn validate_library_name(value: Option<String>) -> Result<Option<String>, Box<ErrorBody>> {
    let mut problems = Problems::default();
    let name = value
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty());
    if name
        .as_ref()
        .is_some_and(|name| name.chars().count() > MAX_TOPIC_CHARS)
    {
        let message = format!("libraryName must not be longer than {MAX_TOPIC_CHARS} characters");
        problems.add(ErrorCode::ValidationError, "libraryName", message);
    }
    Ok(problems.or(name)?)
}

/// Validates what every ingest needs: a library's name and a source.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS` if one is blank.
pub fn validate_ingest(
    library: Option<String>,
    source: Option<String>,
) -> Result<(String, String), Box<ErrorBody>> {
    let mut problems = Problems::default();
    let library = required("libraryName", library, &mut problems);
    let source = required("source", source, &mut problems);
    Ok(problems.or((library.trim().to_owned(), source.trim().to_owned()))?)
}
