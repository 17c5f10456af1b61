//! The validation rules of documentation libraries.
//!
//! Source: seeds documentation document, "get-library-docs".

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

use super::{Problems, required, whole_number};
use crate::libraries::DocsQuery;

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

/// Tokens for which a page may have one more document, beyond the usual number of documents.
const TOKENS_OF_DOCUMENT: usize = 200;
/// Documents on a page, however many tokens it may have.
const MOST_DOCUMENTS: usize = 50;

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

/// Reads the version; one left blank is one left out.
fn version(given: Option<String>, problems: &mut Problems) -> Option<String> {
    let version = given.filter(|version| !version.trim().is_empty())?;
    if version.chars().count() > MAX_NAME_CHARS {
        let message = format!("version must not be longer than {MAX_NAME_CHARS} characters");
        problems.add(ErrorCode::ValidationError, "version", message);
    }
    Some(version)
}

/// Reads how many tokens an answer may have.
fn max_tokens(given: Option<Value>, problems: &mut Problems) -> u32 {
    let range = MIN_TOKENS..=MAX_TOKENS;
    let most = whole_number(given, DEFAULT_TOKENS).filter(|most| range.contains(most));
    most.unwrap_or_else(|| {
        let message = format!("maxTokens must be a whole number from {MIN_TOKENS} to {MAX_TOKENS}");
        problems.add(ErrorCode::ValidationError, "maxTokens", message);
        DEFAULT_TOKENS
    })
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
