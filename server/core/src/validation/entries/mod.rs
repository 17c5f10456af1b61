//! The knowledge base's validation rules.
//!
//! A value that is not among a field's words has its own error code. Tags are converted to kebab-case and
//! a long context is truncated; the response says so.

use std::str::FromStr;

use recall_kit_shared_types::{
    ErrorBody, ErrorCode, ValidationError,
    applicability::Environment,
    knowledge::{
        EntryType, HelpTopic, MemoryType, RelationType,
        knowledge_limits::{
            CUT_CONTEXT_CHARS, DEFAULT_CONFIDENCE, MAX_CONFIDENCE, MAX_CONTENT_BYTES,
            MAX_CONTEXT_CHARS, MAX_NAME_CHARS, MAX_QUERY_CHARS, MAX_TAGS, MAX_TITLE_CHARS,
            SEARCH_LIMIT,
        },
    },
};
use recall_kit_store::EntryContent;
use serde_json::Value;

use super::{
    Flaw, List, Problems, citations::citations, refuse_credentials_in, refuse_no_key,
    refuse_unsanitized_context, required, whole_number,
};
use crate::indexing::labels::EntryFilter;

/// The note about a truncated context.
const CONTEXT_CUT: &str = "context is longer than 10,000 characters; its first 8,000 were used";

/// A search that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The search text; not blank.
    pub query: String,
    /// The conversation in which the query was made.
    pub context: Option<String>,
    /// The most entries to return, 1–20.
    pub limit: u32,
    /// Which entries may be returned.
    pub filter: EntryFilter,
    /// Whether the results have the files that they are about.
    pub citations: bool,
    /// The environment of the one who asks, which places experiences.
    pub environment: Environment,
    /// What validation changed in the arguments, for the caller.
    pub note: Option<&'static str>,
}

/// An addition that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The entry's content.
    pub content: EntryContent,
    /// What validation changed in the content, for the caller.
    pub notes: Vec<String>,
    /// The client's key, so that a repeated call stores once.
    pub idempotency_key: Option<String>,
}

/// The arguments of `rekall_search`, of the right types.
#[derive(Debug, Default)]
pub struct SearchInput {
    /// Required.
    pub query: Option<String>,
    /// Optional.
    pub context: Option<String>,
    /// Should be a whole number, 1–20.
    pub limit: Option<Value>,
    /// Optional.
    pub kind: Option<String>,
    /// Optional.
    pub project: Option<String>,
    /// From the call's `_meta`: whether the results have the files that they are about.
    pub citations: bool,
}

/// The arguments of `rekall_add`, of the right types.
#[derive(Debug, Default)]
pub struct AddInput {
    /// Required.
    pub kind: Option<String>,
    /// Required.
    pub title: Option<String>,
    /// Optional.
    pub content: Option<String>,
    /// Optional.
    pub tags: Option<Vec<String>>,
    /// Optional.
    pub context: Option<String>,
    /// Optional.
    pub project: Option<String>,
    /// Should be a whole number, 0–5.
    pub confidence: Option<Value>,
    /// Optional.
    pub memory_type: Option<String>,
    /// From the call's `_meta`; should be a list of [`recall_kit_shared_types::knowledge::Citation`].
    pub citations: Option<Value>,
    /// From the call's `_meta`.
    pub idempotency_key: Option<String>,
}

/// Creates the error for a single field.
pub fn refused(code: ErrorCode, field: &str, message: impl Into<String>) -> Box<ErrorBody> {
    let message = message.into();
    let mut body = ErrorBody::new(code, message.clone());
    let field = field.to_owned();
    body.validation_errors = Some(vec![ValidationError { field, message }]);
    Box::new(body)
}

/// Validates a search.
///
/// *Errors*: `INVALID_ENTRY_TYPE`, `INVALID_LIMIT`, `MISSING_REQUIRED_FIELDS`, or `VALIDATION_ERROR`
/// for the query and for several problems at once.
pub fn validate_search(input: SearchInput) -> Result<Search, Box<ErrorBody>> {
    let mut problems = Problems::default();
    let query = query(input.query, &mut problems);
    let (context, note) = cut_context(input.context);
    let limit = match limit(input.limit, SEARCH_LIMIT) {
        Ok(limit) => limit,
        Err(message) => {
            problems.add(ErrorCode::InvalidLimit, "limit", message);
            0
        }
    };
    let kind = input.kind.and_then(|kind| entry_type(&kind, &mut problems));
    let project = project(input.project, &mut problems);
    Ok(problems.or(Search {
        query,
        context,
        limit,
        filter: EntryFilter {
            kind,
            project,
            status: None,
        },
        note,
        citations: input.citations,
        environment: Environment::default(),
    })?)
}

/// Validates the text of a search.
pub(super) fn query(value: Option<String>, problems: &mut Problems) -> String {
    let query = required("query", value, problems);
    if query.chars().count() > MAX_QUERY_CHARS {
        let message = "The query must not be longer than 10,000 characters";
        problems.add(ErrorCode::ValidationError, "query", message);
    }
    query
}

/// Validates a limit; `bounds` are the default and the maximum.
///
/// *Errors*: `INVALID_LIMIT`.
pub fn validate_limit(value: Option<Value>, bounds: (u32, u32)) -> Result<u32, Box<ErrorBody>> {
    limit(value, bounds).map_err(|message| refused(ErrorCode::InvalidLimit, "limit", message))
}

/// Validates a relation; `related` when it is absent.
///
/// *Errors*: `INVALID_RELATION_TYPE`.
pub fn validate_relation(value: Option<String>) -> Result<RelationType, Box<ErrorBody>> {
    let Some(word) = value else {
        return Ok(RelationType::Related);
    };
    word.parse().map_err(|_| {
        let message = unknown("relation type", &word, RelationType::ALL);
        refused(ErrorCode::InvalidRelationType, "relation_type", message)
    })
}

/// Validates a section of the guide; all sections when it is absent.
///
/// *Errors*: `VALIDATION_ERROR`.
pub fn validate_topic(value: Option<String>) -> Result<HelpTopic, Box<ErrorBody>> {
    let Some(word) = value else {
        return Ok(HelpTopic::All);
    };
    word.parse().map_err(|_| {
        let message = unknown("topic", &word, HelpTopic::ALL);
        refused(ErrorCode::ValidationError, "topic", message)
    })
}

/// Validates an addition, removes invisible characters and normalizes its tags.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS`, `INVALID_ENTRY_TYPE`, `INVALID_TITLE`,
/// `CONTEXT_NOT_SANITIZED`, or `VALIDATION_ERROR` for everything else and for several problems at once.
pub fn validate_add(mut input: AddInput) -> Result<Addition, Problems> {
    let mut notes: Vec<String> = input.remove_invisible().into_iter().collect();
    let mut problems = Problems::default();
    let kind = match input.kind {
        Some(kind) => entry_type(&kind, &mut problems),
        None => {
            required("type", None, &mut problems);
            None
        }
    };
    let title = title(input.title, &mut problems);
    let content = input.content.unwrap_or_default();
    if content.len() > MAX_CONTENT_BYTES {
        let message = format!(
            "The content has {} bytes; 1,000,000 are allowed",
            content.len()
        );
        let flaw = Flaw::TooLarge(MAX_CONTENT_BYTES);
        problems.flaw(flaw, ErrorCode::ValidationError, "content", message);
    }
    let sent = Sent {
        tags: input.tags.unwrap_or_default(),
        context: input.context.clone().unwrap_or_default(),
    };
    let tags = tags(&sent.tags, &mut problems, &mut notes);
    let (context, note) = cut_context(input.context);
    notes.extend(note.map(str::to_owned));
    let content = EntryContent {
        kind: kind.unwrap_or(EntryType::Reference),
        title,
        content,
        tags,
        project: project(input.project, &mut problems),
        context,
        confidence: confidence(input.confidence, &mut problems),
        memory_type: memory_type(input.memory_type, &mut problems),
        citations: citations(input.citations, &mut problems),
    };
    refuse_secrets(&content, &sent, &mut problems);
    refuse_no_key(input.idempotency_key.as_deref(), &mut problems);
    problems.or(Addition {
        content,
        notes,
        idempotency_key: input.idempotency_key,
    })
}

/// The original values of fields that are stored in another form.
struct Sent {
    tags: Vec<String>,
    context: String,
}

/// Rejects credentials in any field, and personal data in the context, which may be a pasted
/// conversation. Fields that are stored in another form are checked as they were sent, since the rules
/// do not recognise half of a credential.
fn refuse_secrets(content: &EntryContent, sent: &Sent, problems: &mut Problems) {
    // Too long content is rejected anyway.
    if content.content.len() > MAX_CONTENT_BYTES {
        return;
    }
    refuse_unsanitized_context(&sent.context, problems);
    let fields = [
        ("title", content.title.as_str()),
        ("content", &content.content),
        ("project", content.project.as_deref().unwrap_or_default()),
    ];
    let tags = List {
        name: "tags",
        sent: sent.tags.get(..MAX_TAGS).unwrap_or(&sent.tags),
        stored: &content.tags,
    };
    refuse_credentials_in(fields, tags, problems);
}

fn title(value: Option<String>, problems: &mut Problems) -> String {
    let Some(text) = value else {
        return required("title", None, problems);
    };
    let length = text.chars().count();
    if text.trim().is_empty() {
        let message = "The title must not be empty";
        problems.flaw(Flaw::Missing, ErrorCode::InvalidTitle, "title", message);
    } else if length > MAX_TITLE_CHARS {
        let message = format!("The title has {length} characters; 100 are allowed");
        let flaw = Flaw::TooLong(MAX_TITLE_CHARS);
        problems.flaw(flaw, ErrorCode::InvalidTitle, "title", message);
    }
    text
}

fn entry_type(word: &str, problems: &mut Problems) -> Option<EntryType> {
    let known = word.parse();
    if known.is_err() {
        let message = unknown("entry type", word, EntryType::ALL);
        problems.flaw(Flaw::Unknown, ErrorCode::InvalidEntryType, "type", message);
    }
    known.ok()
}

fn memory_type(value: Option<String>, problems: &mut Problems) -> MemoryType {
    let word = value.unwrap_or_else(|| MemoryType::Episodic.to_string());
    MemoryType::from_str(&word).unwrap_or_else(|_| {
        let message = unknown("memory type", &word, MemoryType::ALL);
        let code = ErrorCode::ValidationError;
        problems.flaw(Flaw::Unknown, code, "memory_type", message);
        MemoryType::Episodic
    })
}

fn confidence(value: Option<Value>, problems: &mut Problems) -> u8 {
    let number = whole_number(value, u32::from(DEFAULT_CONFIDENCE));
    let confidence = number.and_then(|number| u8::try_from(number).ok());
    let confidence = confidence.filter(|confidence| *confidence <= MAX_CONFIDENCE);
    confidence.unwrap_or_else(|| {
        let message = "The confidence must be a whole number from 0 to 5";
        let flaw = Flaw::OutOfRange(0, MAX_CONFIDENCE);
        problems.flaw(flaw, ErrorCode::ValidationError, "confidence", message);
        DEFAULT_CONFIDENCE
    })
}

pub(super) fn project(value: Option<String>, problems: &mut Problems) -> Option<String> {
    let project = value.map(|project| project.trim().to_owned());
    let project = project.filter(|project| !project.is_empty())?;
    if project.chars().count() > MAX_NAME_CHARS {
        let message = "The project's name must not be longer than 100 characters";
        let flaw = Flaw::TooLong(MAX_NAME_CHARS);
        problems.flaw(flaw, ErrorCode::ValidationError, "project", message);
    }
    Some(project)
}

/// Converts tags to kebab-case, merges duplicates and notes what was changed.
fn tags(sent: &[String], problems: &mut Problems, notes: &mut Vec<String>) -> Vec<String> {
    if sent.len() > MAX_TAGS {
        let message = format!("There are {} tags; {MAX_TAGS} are allowed", sent.len());
        let flaw = Flaw::TooMany(MAX_TAGS);
        problems.flaw(flaw, ErrorCode::ValidationError, "tags", message);
        return Vec::new();
    }
    let mut tags: Vec<String> = Vec::with_capacity(sent.len());
    let mut changed = Vec::new();
    for (at, tag) in sent.iter().enumerate() {
        let kebab = kebab_case(tag);
        if tag.chars().count() > MAX_NAME_CHARS {
            let message = "A tag must not be longer than 100 characters";
            let flaw = Flaw::TooLong(MAX_NAME_CHARS);
            let field = format!("tags[{at}]");
            problems.flaw(flaw, ErrorCode::ValidationError, field, message);
            continue;
        }
        if kebab != *tag {
            changed.push(format!("{tag:?} → {kebab:?}"));
        }
        if !kebab.is_empty() && !tags.contains(&kebab) {
            tags.push(kebab);
        }
    }
    if !changed.is_empty() {
        notes.push(format!("tags were normalised: {}", changed.join(", ")));
    }
    tags
}

/// Converts a tag to kebab-case: `React Hooks`, `reactHooks` and `react_hooks` become `react-hooks`.
/// Every character except letters, digits, `+` and `#` (for names of languages) separates words.
fn kebab_case(tag: &str) -> String {
    let mut kebab = String::with_capacity(tag.len());
    let mut after_lower = false;
    for c in tag.trim().chars() {
        if c.is_alphanumeric() || matches!(c, '+' | '#') {
            if c.is_uppercase() && after_lower {
                kebab.push('-');
            }
            kebab.extend(c.to_lowercase());
            after_lower = c.is_lowercase();
        } else {
            after_lower = false;
            if !kebab.is_empty() && !kebab.ends_with('-') {
                kebab.push('-');
            }
        }
    }
    kebab.trim_end_matches('-').to_owned()
}

/// Truncates a long context, and returns a note if it did.
fn cut_context(value: Option<String>) -> (Option<String>, Option<&'static str>) {
    let Some(context) = value.filter(|text| !text.trim().is_empty()) else {
        return (None, None);
    };
    if context.chars().count() <= MAX_CONTEXT_CHARS {
        return (Some(context), None);
    }
    let cut = context.chars().take(CUT_CONTEXT_CHARS).collect();
    (Some(cut), Some(CONTEXT_CUT))
}

pub(super) fn limit(value: Option<Value>, (default, most): (u32, u32)) -> Result<u32, String> {
    let limit = whole_number(value, default).filter(|limit| (1..=most).contains(limit));
    limit.ok_or_else(|| format!("Limit must be a whole number from 1 to {most}"))
}

/// Returns the message for a word that is not among the known ones.
fn unknown<T: ToString>(what: &str, word: &str, known: &[T]) -> String {
    let shown: String = word.chars().filter(|c| !c.is_control()).take(40).collect();
    let known: Vec<String> = known.iter().map(T::to_string).collect();
    format!("Unknown {what} '{shown}'; use one of {}", known.join(", "))
}

#[cfg(test)]
mod tests;
