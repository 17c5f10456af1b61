//! The lines of an export: writing and reading of the header and of experiences; their outcomes are in `outcomes`,
//! records of the knowledge base in `knowledge`.
//!
//! Records that are read are validated like submissions. Error messages never repeat a value, since it may
//! be a secret.

mod knowledge;
mod outcomes;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use recall_kit_core::validation::{SubmissionInput, validate_submission};
use recall_kit_sanitizer::escaped_json;
use recall_kit_shared_types::{ErrorBody, applicability::Applies};
use recall_kit_store::{
    Experience, ExperienceState, KnowledgeRecord, StoredExperience, StoredOutcome, rounded_time,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use uuid::Uuid;

pub(crate) use self::{
    knowledge::{write_entry, write_link, write_suggestion},
    outcomes::write_outcome,
};

const FORMAT: &str = "recall-kit-export";
const VERSION: u64 = 1;
/// The `type` of experiences.
const EXPERIENCE: &str = "experience";
const FIELDS: [&str; 18] = [
    "type",
    "id",
    "title",
    "problem_description",
    "root_cause",
    "solution",
    "context",
    "keywords",
    "query_count",
    "popularity",
    "created_at",
    "version",
    "changed_at",
    "hidden_at",
    "deleted_at",
    "vector",
    "author",
    "applies",
];

/// The content of the first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// The model that computed the vectors.
    pub(super) embedding_model: Option<String>,
}

/// Why a file cannot be imported at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// It is empty.
    #[error("the file is empty; an export begins with a header line")]
    Empty,
    /// Its first line is something else.
    #[error(
        "line 1 is not the header of a RecallKit export, which begins with {{\"format\":\"{FORMAT}\""
    )]
    Foreign,
    /// It was written by a newer program.
    #[error(
        "the file has format version {0}, but this program reads version {VERSION}; use a newer program"
    )]
    Version(u64),
}

/// Why a line is rejected.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// It is longer than [`super::MAX_LINE_BYTES`].
    #[error("the line is longer than {} MiB", super::MAX_LINE_BYTES / (1024 * 1024))]
    TooLong,
    /// It is not JSON.
    #[error("the line is not JSON: {what} at byte {column}")]
    Json {
        /// What is wrong.
        what: String,
        /// The position, counted from 1.
        column: usize,
    },
    /// It is JSON, but not a record.
    #[error("{0}")]
    Shape(String),
    /// The record would be rejected as a submission.
    #[error("{}", in_words(.0))]
    Invalid(Box<ErrorBody>),
}

impl Header {
    /// Returns the header as a line.
    pub(super) fn to_line(&self) -> String {
        let model = &self.embedding_model;
        let header = json!({"format": FORMAT, "version": VERSION, "embedding_model": model});
        format!("{header}\n")
    }

    /// Reads a header.
    pub(super) fn read(line: &[u8]) -> Result<Self, HeaderError> {
        if line.is_empty() {
            return Err(HeaderError::Empty);
        }
        let header: Value = serde_json::from_slice(line).map_err(|_| HeaderError::Foreign)?;
        match (&header["format"], header["version"].as_u64()) {
            (Value::String(format), Some(version)) if format == FORMAT => {
                if version != VERSION {
                    return Err(HeaderError::Version(version));
                }
            }
            _ => return Err(HeaderError::Foreign),
        }
        let model = header["embedding_model"].as_str().map(str::to_owned);
        Ok(Self {
            embedding_model: model,
        })
    }
}

/// An experience as it is written.
#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    id: Uuid,
    title: &'a str,
    problem_description: &'a str,
    root_cause: Option<&'a str>,
    solution: &'a str,
    context: Option<&'a str>,
    keywords: &'a [String],
    query_count: u64,
    /// Left out if it equals the query count.
    #[serde(skip_serializing_if = "Option::is_none")]
    popularity: Option<u64>,
    created_at: Timestamp,
    /// Left out, like the following times, if the record was never changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vector: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<Uuid>,
    /// Left out unless its author stated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    applies: Option<&'a [Applies]>,
}

/// Appends an experience as a line.
///
/// *Errors*: none for records of a database; `serde_json`'s in principle.
pub(crate) fn write(record: &StoredExperience, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let Experience {
        id,
        content,
        query_count,
        popularity,
        created_at,
    } = &record.experience;
    let ExperienceState {
        version,
        changed_at,
        hidden_at,
        deleted_at,
    } = record.state;
    let line = Line {
        r#type: EXPERIENCE,
        id: *id,
        title: &content.title,
        problem_description: &content.problem_description,
        root_cause: content.root_cause.as_deref(),
        solution: &content.solution,
        context: content.context.as_deref(),
        keywords: &content.keywords,
        query_count: *query_count,
        popularity: Some(*popularity).filter(|popularity| popularity != query_count),
        created_at: *created_at,
        version: Some(version).filter(|version| *version > 1),
        changed_at,
        hidden_at,
        deleted_at,
        vector: record.vector.as_ref().map(|bytes| STANDARD.encode(bytes)),
        author: record.author,
        applies: content.applies.as_deref(),
    };
    append(&line, out)
}

/// Appends a line of JSON. Characters that a terminal interprets or does not show are escaped, so that
/// lines can be displayed safely; reading the line returns the original characters.
fn append(line: &impl Serialize, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let line = serde_json::to_string(line)?;
    out.extend_from_slice(escaped_json(&line).as_bytes());
    out.push(b'\n');
    Ok(())
}

/// A record that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Record {
    Experience(Box<StoredExperience>),
    Knowledge(KnowledgeRecord),
    Outcome(StoredOutcome),
}

/// Reads a record and validates it. A vector that cannot be decoded is returned empty, which is never a
/// usable vector.
pub(super) fn read(line: &[u8]) -> Result<Record, LineError> {
    let (kind, fields) = Fields::read(line)?;
    Ok(match kind {
        Kind::Experience => Record::Experience(Box::new(experience(fields)?)),
        Kind::Entry => Record::Knowledge(knowledge::entry(fields)?),
        Kind::Link => Record::Knowledge(knowledge::link(fields)?),
        Kind::Suggestion => Record::Knowledge(knowledge::suggestion(fields)?),
        Kind::Outcome => Record::Outcome(outcomes::outcome(fields)?),
    })
}

fn experience(mut fields: Fields) -> Result<StoredExperience, LineError> {
    let id = fields.parsed::<Uuid>("id", "a UUID")?;
    if id.is_nil() {
        return Err(shape("`id` must not be the nil UUID"));
    }
    let created_at = fields.time("created_at")?;
    let query_count = fields.count("query_count")?;
    // Older exports have no popularity.
    let popularity = fields.count_if_any("popularity")?.unwrap_or(query_count);
    let vector = fields.bytes("vector")?;
    let author = fields.parsed_if_any::<Uuid>("author", "a UUID")?;
    let state = ExperienceState {
        version: fields.count("version")?.max(1),
        changed_at: fields.time_if_any("changed_at")?,
        hidden_at: fields.time_if_any("hidden_at")?,
        deleted_at: fields.time_if_any("deleted_at")?,
    };
    let input = SubmissionInput {
        title: fields.text("title")?,
        problem_description: fields.text("problem_description")?,
        root_cause: fields.text("root_cause")?,
        solution: fields.text("solution")?,
        context: fields.text("context")?,
        keywords: fields.texts("keywords")?,
        applies: fields.decoded_if_any("applies")?,
        idempotency_key: None,
    };
    let submission = validate_submission(input);
    let submission = submission.map_err(|problems| LineError::Invalid(problems.into()))?;
    Ok(StoredExperience {
        experience: Experience {
            id,
            content: submission.content,
            query_count,
            popularity,
            created_at,
        },
        state,
        vector,
        author,
    })
}

/// The kinds of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Experience,
    Entry,
    Link,
    Suggestion,
    Outcome,
}

impl Kind {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            EXPERIENCE => Self::Experience,
            knowledge::ENTRY => Self::Entry,
            knowledge::LINK => Self::Link,
            knowledge::SUGGESTION => Self::Suggestion,
            outcomes::OUTCOME => Self::Outcome,
            _ => return None,
        })
    }

    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Experience => &FIELDS,
            Self::Entry => &knowledge::ENTRY_FIELDS,
            Self::Link => &knowledge::LINK_FIELDS,
            Self::Suggestion => &knowledge::SUGGESTION_FIELDS,
            Self::Outcome => &outcomes::OUTCOME_FIELDS,
        }
    }
}

/// The remaining fields of a line.
struct Fields(Map<String, Value>);

impl Fields {
    fn read(line: &[u8]) -> Result<(Kind, Self), LineError> {
        let value: Value = serde_json::from_slice(line).map_err(|error| {
            let text = error.to_string();
            let what = text.split(" at line ").next().unwrap_or_default();
            LineError::Json {
                what: what.to_owned(),
                column: error.column(),
            }
        })?;
        let Value::Object(fields) = value else {
            return Err(shape("the line is not a JSON object"));
        };
        let kind = match fields.get("type").and_then(Value::as_str) {
            Some(word) => Kind::of(word)
                .ok_or_else(|| shape("records of this `type` are unknown to this program"))?,
            None => return Err(shape("`type` is missing, expected \"experience\"")),
        };
        let known = kind.fields();
        if let Some(unknown) = fields.keys().find(|key| !known.contains(&key.as_str())) {
            let key: String = unknown.chars().take(40).collect();
            return Err(shape(format!(
                "the field `{key}` is unknown to this program"
            )));
        }
        Ok((kind, Self(fields)))
    }

    /// Removes and returns a string; absent and `null` mean the same.
    fn text(&mut self, name: &str) -> Result<Option<String>, LineError> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(shape(format!("`{name}` must be a string"))),
        }
    }

    fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, LineError> {
        let refused = || shape(format!("`{name}` must be a list of strings"));
        let items = match self.0.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(refused()),
        };
        let texts = items.into_iter().map(|item| match item {
            Value::String(text) => Ok(text),
            _ => Err(refused()),
        });
        texts.collect::<Result<_, _>>().map(Some)
    }

    fn parsed<T: std::str::FromStr>(&mut self, name: &str, kind: &str) -> Result<T, LineError> {
        let text = self.text(name)?;
        let text = text.ok_or_else(|| shape(format!("`{name}` is missing")))?;
        let parsed = text.parse();
        parsed.map_err(|_| shape(format!("`{name}` must be {kind}")))
    }

    fn parsed_if_any<T: std::str::FromStr>(
        &mut self,
        name: &str,
        kind: &str,
    ) -> Result<Option<T>, LineError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.parsed(name, kind).map(Some),
        }
    }

    /// Removes and returns a shape of the contract.
    fn decoded_if_any<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, LineError> {
        let value = self.0.remove(name).filter(|value| !value.is_null());
        let decoded = value.map(serde_json::from_value).transpose();
        decoded.map_err(|_| shape(format!("`{name}` has not the shape that an export writes")))
    }

    /// Removes and returns a time, rounded as databases store it.
    fn time(&mut self, name: &str) -> Result<Timestamp, LineError> {
        let time = self.parsed(name, "a time such as 2026-11-22T09:40:00Z")?;
        Ok(rounded_time(time))
    }

    /// Removes and returns an optional time.
    fn time_if_any(&mut self, name: &str) -> Result<Option<Timestamp>, LineError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.time(name).map(Some),
        }
    }

    /// Removes and returns bytes; empty if they cannot be decoded.
    fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, LineError> {
        let text = self.text(name)?;
        Ok(text.map(|text| STANDARD.decode(text).unwrap_or_default()))
    }

    fn count(&mut self, name: &str) -> Result<u64, LineError> {
        Ok(self.count_if_any(name)?.unwrap_or(0))
    }

    fn count_if_any(&mut self, name: &str) -> Result<Option<u64>, LineError> {
        let Some(value) = self.0.remove(name) else {
            return Ok(None);
        };
        let count = value.as_u64().filter(|count| i64::try_from(*count).is_ok());
        let message = || format!("`{name}` must be a whole number from 0 to 2^63 - 1");
        count.map(Some).ok_or_else(|| shape(message()))
    }
}

fn shape(what: impl Into<String>) -> LineError {
    LineError::Shape(what.into())
}

/// Formats every problem of a submission in one line, each with its field.
fn in_words(body: &ErrorBody) -> String {
    let problems = body.validation_errors.iter().flatten();
    let mut words: Vec<String> = problems
        .map(|problem| format!("{}: {}", problem.field, problem.message))
        .collect();
    let kinds = body
        .details
        .as_ref()
        .and_then(|details| details["kinds"].as_array());
    let kinds = kinds.into_iter().flatten();
    words.extend(kinds.map(|kind| {
        format!(
            "{} × {}",
            kind["count"],
            kind["kind"].as_str().unwrap_or("secret")
        )
    }));
    words.join("; ")
}

#[cfg(test)]
mod tests;
