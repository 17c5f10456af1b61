//! The validation rules of experiences. Every problem of a call is collected, and each is reported once.
//! The rules of the knowledge base are in `entries`, those of `recall` in
//! `recall`, those of documentation in the crate `libraries`.
//!
//! Values come from the wire as JSON. A valid call becomes a [`Query`] or a [`Submission`], which is not
//! checked again.

mod applicability;
mod arguments;
mod citations;
mod entries;
mod episodes;
mod invisible;
mod outcomes;
mod problems;
mod recall;

use recall_kit_sanitizer::{RuleGroup, check, sanitize, summary};
use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    applicability::{Applies, Environment},
    limits,
};
use recall_kit_store::ExperienceContent;
use serde_json::{Map, Value, json};

pub use self::arguments::kind_of;
pub use self::{
    applicability::{applies_as_lines, applies_in_lines, applies_in_options},
    arguments::validate_submission_arguments,
    citations::citations_in_lines,
    entries::{
        AddInput, Addition, Search, SearchInput, refused, validate_add, validate_limit,
        validate_relation, validate_search, validate_topic,
    },
    episodes::{EpisodeReport, validate_episode_arguments},
    outcomes::{OutcomeInput, OutcomeReport, validate_outcome, validate_outcome_arguments},
    problems::{Flaw, Problem, Problems},
    recall::{Recall, RecallInput, validate_recall},
};

/// The rule groups that must find nothing in a `context`.
const NOT_IN_CONTEXT: [RuleGroup; 3] = RuleGroup::REMOVAL;
/// The rule groups that must find nothing in any field.
const NOT_ANYWHERE: [RuleGroup; 1] = [RuleGroup::RemoveApiKeys];
/// The arguments of a query.
const QUERY_FIELDS: [&str; 3] = ["keywords", "limit", "offset"];
/// The longest idempotency key, in characters.
const MAX_KEY_CHARS: usize = 128;

/// A query that passed validation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The search text; not blank.
    pub keywords: String,
    /// The most records to return, 1–50.
    pub limit: u32,
    /// Records to skip.
    pub offset: u32,
    /// The environment of the one who asks, from the call's `_meta`.
    pub environment: Environment,
}

/// A submission that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The texts.
    pub content: ExperienceContent,
    /// What validation changed in the texts, for the caller.
    pub notes: Vec<String>,
    /// The client's key, so that a repeated call stores once.
    pub idempotency_key: Option<String>,
}

/// The raw arguments of `query_experiences`; absent and `null` mean the same.
#[derive(Debug, Default)]
pub struct QueryInput {
    /// Should be a string.
    pub keywords: Option<Value>,
    /// Should be a whole number, 1–50.
    pub limit: Option<Value>,
    /// Should be a whole number, 0 or more.
    pub offset: Option<Value>,
    /// From the call's `_meta`; should be an [`Environment`].
    pub environment: Option<Value>,
    /// Unknown arguments; should be empty.
    pub others: Map<String, Value>,
}

/// The arguments of `submit_experience`, of the right types.
#[derive(Debug, Default)]
pub struct SubmissionInput {
    /// Required.
    pub title: Option<String>,
    /// Required.
    pub problem_description: Option<String>,
    /// Optional.
    pub root_cause: Option<String>,
    /// Required.
    pub solution: Option<String>,
    /// Optional.
    pub context: Option<String>,
    /// Optional.
    pub keywords: Option<Vec<String>>,
    /// Where it applies, from the call's `_meta`.
    pub applies: Option<Vec<Applies>>,
    /// From the call's `_meta`.
    pub idempotency_key: Option<String>,
}

/// Validates a query.
///
/// *Errors*: `INVALID_KEYWORDS`, `INVALID_LIMIT`, `VALIDATION_ERROR` for the offset, for unknown
/// arguments or for several problems at once.
pub fn validate_query(input: QueryInput) -> Result<Query, Box<ErrorBody>> {
    let mut problems = Problems::default();
    arguments::refuse_unknown(&input.others, &QUERY_FIELDS, &mut problems);
    let keywords = match input.keywords {
        Some(Value::String(text)) if text.trim().is_empty() => Err("Keywords must not be empty"),
        Some(Value::String(text)) if text.chars().count() > limits::MAX_QUERY_CHARS => {
            Err("Keywords must not be longer than 10,000 characters")
        }
        Some(Value::String(text)) => Ok(text),
        Some(Value::Null) | None => Err("Keywords are required: say what to look for"),
        Some(_) => Err("Keywords must be a string"),
    };
    let keywords = keywords.unwrap_or_else(|message| {
        problems.add(ErrorCode::InvalidKeywords, "keywords", message);
        String::new()
    });
    let limit = whole_number(input.limit, limits::DEFAULT_LIMIT)
        .filter(|limit| (1..=limits::MAX_LIMIT).contains(limit));
    if limit.is_none() {
        problems.add(
            ErrorCode::InvalidLimit,
            "limit",
            "Limit must be a whole number from 1 to 50",
        );
    }
    let offset = whole_number(input.offset, 0);
    if offset.is_none() {
        problems.add(
            ErrorCode::ValidationError,
            "offset",
            "Offset must be a whole number, 0 or more",
        );
    }
    let environment = applicability::environment(input.environment, &mut problems);
    Ok(problems.or(Query {
        environment,
        keywords,
        limit: limit.unwrap_or_default(),
        offset: offset.unwrap_or_default(),
    })?)
}

/// Reads a whole number, also one written as `10.0`; `None` for anything else.
pub fn whole_number(value: Option<Value>, default: u32) -> Option<u32> {
    match value {
        None | Some(Value::Null) => Some(default),
        Some(Value::Number(number)) => match (number.as_u64(), number.as_f64()) {
            (Some(integer), _) => u32::try_from(integer).ok(),
            (None, Some(real)) if real.fract() == 0.0 && (0.0..4e9).contains(&real) => {
                Some(real as u32)
            }
            _ => None,
        },
        Some(_) => None,
    }
}

/// Validates a submission, removes invisible characters and normalizes its keywords.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS`, `INVALID_TITLE`, `CONTEXT_NOT_SANITIZED`, or
/// `VALIDATION_ERROR` for everything else and for several problems at once.
pub fn validate_submission(input: SubmissionInput) -> Result<Submission, Problems> {
    validate(input, Problems::default())
}

/// Validates the readable fields of a submission; `problems` are those found before.
fn validate(mut input: SubmissionInput, mut problems: Problems) -> Result<Submission, Problems> {
    let note = input.remove_invisible();
    let title = title(input.title, &mut problems);
    let problem_description = required(
        "problem_description",
        input.problem_description,
        &mut problems,
    );
    let root_cause = input.root_cause;
    if root_cause
        .as_ref()
        .is_some_and(|text| text.trim().is_empty())
    {
        let message = "The root cause must not be empty; leave it out when it is not known";
        problems.flaw(
            Flaw::Missing,
            ErrorCode::ValidationError,
            "root_cause",
            message,
        );
    }
    let solution = required("solution", input.solution, &mut problems);
    let sent = input.keywords.unwrap_or_default();
    let keywords = keywords(&sent, &mut problems);
    let context = input.context.filter(|text| !text.trim().is_empty());
    if let Some(text) = &context {
        refuse_unsanitized_context(text, &mut problems);
    }
    let applies = applicability::checked_applies(input.applies, &mut problems);
    let content = ExperienceContent {
        title,
        problem_description,
        root_cause,
        solution,
        context,
        keywords,
        applies,
    };
    refuse_credentials(&content, &sent, &mut problems);
    refuse_no_key(input.idempotency_key.as_deref(), &mut problems);
    problems.or(Submission {
        content,
        notes: note.into_iter().collect(),
        idempotency_key: input.idempotency_key,
    })
}

fn title(value: Option<String>, problems: &mut Problems) -> String {
    match value {
        None => return required("title", None, problems),
        Some(text) if text.trim().is_empty() => {
            problems.flaw(
                Flaw::Missing,
                ErrorCode::InvalidTitle,
                "title",
                "The title must not be empty",
            );
        }
        Some(text) if text.chars().count() > limits::MAX_TITLE_CHARS => {
            let message = format!(
                "The title has {} characters; 500 are allowed",
                text.chars().count()
            );
            let flaw = Flaw::TooLong(limits::MAX_TITLE_CHARS);
            problems.flaw(flaw, ErrorCode::InvalidTitle, "title", message);
        }
        Some(text) => return text,
    }
    String::new()
}

/// Returns a required text. Adds a problem and returns an empty text where it is missing or blank.
pub fn required(field: &str, value: Option<String>, problems: &mut Problems) -> String {
    match value {
        Some(text) if !text.trim().is_empty() => text,
        // The value has another problem, which was reported already.
        None if problems.iter().any(|problem| problem.field == field) => String::new(),
        _ => {
            let message = format!("{field} is required and must not be blank");
            let code = ErrorCode::MissingRequiredFields;
            problems.flaw(Flaw::Missing, code, field, message);
            String::new()
        }
    }
}

/// Trims and lower-cases keywords and merges duplicates; rejects those that are blank or too long.
fn keywords(sent: &[String], problems: &mut Problems) -> Vec<String> {
    if sent.len() > limits::MAX_KEYWORDS {
        let message = format!("There are {} keywords; 100 are allowed", sent.len());
        let flaw = Flaw::TooMany(limits::MAX_KEYWORDS);
        problems.flaw(flaw, ErrorCode::ValidationError, "keywords", message);
        return Vec::new();
    }
    let mut keywords: Vec<String> = Vec::with_capacity(sent.len());
    for (at, keyword) in sent.iter().enumerate() {
        let keyword = keyword.trim().to_lowercase();
        if keyword.chars().count() > limits::MAX_KEYWORD_CHARS {
            let message = "A keyword must not be longer than 100 characters";
            problems.flaw(
                Flaw::TooLong(limits::MAX_KEYWORD_CHARS),
                ErrorCode::ValidationError,
                format!("keywords[{at}]"),
                message,
            );
        } else if keyword.is_empty() {
            let message = "A keyword must not be empty";
            let code = ErrorCode::ValidationError;
            problems.flaw(Flaw::Missing, code, format!("keywords[{at}]"), message);
        } else if !keywords.contains(&keyword) {
            keywords.push(keyword);
        }
    }
    keywords
}

/// Rejects a context with secrets, private hosts and addresses or personal data, and returns the
/// sanitized text in the error; the error never shows the secret.
fn refuse_unsanitized_context(context: &str, problems: &mut Problems) {
    let findings = check(context, &NOT_IN_CONTEXT);
    if findings.is_empty() {
        return;
    }
    let kinds: Vec<Value> = summary(&findings)
        .into_iter()
        .map(|(kind, count)| json!({ "kind": kind, "count": count }))
        .collect();
    problems.flaw(
        Flaw::NotSanitized,
        ErrorCode::ContextNotSanitized,
        "context",
        "Context contains unsanitized code snippet",
    );
    problems.details = Some(json!({
        "kinds": kinds,
        "sanitized_context": sanitize(context, &NOT_IN_CONTEXT).text,
    }));
}

/// Rejects credentials in every other field; `sent` are the keywords before normalization.
fn refuse_credentials(content: &ExperienceContent, sent: &[String], problems: &mut Problems) {
    let fields = [
        ("title", content.title.as_str()),
        ("problem_description", &content.problem_description),
        (
            "root_cause",
            content.root_cause.as_deref().unwrap_or_default(),
        ),
        ("solution", &content.solution),
    ];
    let keywords = List {
        name: "keywords",
        sent: sent.get(..limits::MAX_KEYWORDS).unwrap_or(sent),
        stored: &content.keywords,
    };
    refuse_credentials_in(fields, keywords, problems);
}

/// A list whose elements are stored in another form than they were sent.
struct List<'a> {
    name: &'static str,
    sent: &'a [String],
    stored: &'a [String],
}

/// Rejects credentials in fields and in the elements of a list. The stored form of an element may hide a
/// credential from the rules although it can still be reconstructed, or may look like one: both forms are
/// checked.
fn refuse_credentials_in<const FIELDS: usize>(
    fields: [(&str, &str); FIELDS],
    list: List<'_>,
    problems: &mut Problems,
) {
    let mut refuse = |field: String, text: &str| {
        let findings = check(text, &NOT_ANYWHERE);
        let finding = findings.first()?;
        let message = format!(
            "{field} contains a credential ({}); remove it and submit again",
            finding.kind
        );
        let code = ErrorCode::ValidationError;
        problems.flaw(Flaw::Credential, code, field, message);
        Some(())
    };
    for (field, text) in fields {
        refuse(field.to_owned(), text);
    }
    for elements in [list.sent, list.stored] {
        let elements = elements.iter().enumerate();
        let refused =
            elements.filter_map(|(at, text)| refuse(format!("{}[{at}]", list.name), text));
        if refused.count() > 0 {
            return;
        }
    }
}

/// Rejects a malformed idempotency key.
fn refuse_no_key(key: Option<&str>, problems: &mut Problems) {
    if key.is_some_and(|key| !is_key(key)) {
        let message = "The idempotency key must be 1–128 printable ASCII characters";
        problems.add(ErrorCode::ValidationError, "idempotency_key", message);
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.len() <= MAX_KEY_CHARS && key.chars().all(|c| c.is_ascii_graphic())
}

#[cfg(test)]
mod tests;
