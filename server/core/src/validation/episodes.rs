//! The validation rules of `report_episode`.

use recall_kit_nearest::shown;
use recall_kit_shared_types::{ErrorCode, episodes::episode_limits};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    Problems,
    arguments::{mistyped, refuse_unknown, text},
    required,
};

const FIELDS: [&str; 8] = [
    "id",
    "recall_id",
    "host",
    "family",
    "failures",
    "recovered",
    "ms",
    "commands",
];

/// An episode that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpisodeReport {
    /// Its id.
    pub id: Uuid,
    /// The recall whose results the agent was shown.
    pub recall_id: Option<Uuid>,
    /// The program in which the agent runs.
    pub host: String,
    /// The program that failed.
    pub family: String,
    /// How often it failed.
    pub failures: u32,
    /// Whether it worked in the end.
    pub has_recovered: bool,
    /// Milliseconds from the first failure to the end.
    pub ms: u64,
    /// The commands and edits in between.
    pub commands: u32,
}

/// Validates the arguments of a report of an episode.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS`, or `VALIDATION_ERROR` for everything else and for several problems at once.
pub fn validate_episode_arguments(
    mut arguments: Map<String, Value>,
) -> Result<EpisodeReport, Problems> {
    let mut problems = Problems::default();
    refuse_unknown(&arguments, &FIELDS, &mut problems);
    let most = episode_limits::MAX_COUNT;
    let mut fields = Fields {
        arguments: &mut arguments,
        problems: &mut problems,
    };
    let report = EpisodeReport {
        id: fields.id("id").unwrap_or_default(),
        recall_id: fields.optional_id("recall_id"),
        host: fields.word("host"),
        family: fields.word("family"),
        failures: fields.count("failures", (1, most)) as u32,
        has_recovered: fields.flag("recovered"),
        ms: fields.count("ms", (0, episode_limits::MAX_MS)),
        commands: fields.count("commands", (0, most)) as u32,
    };
    problems.or(report)
}

/// The arguments that are still to be read, and the problems of the others.
struct Fields<'a> {
    arguments: &'a mut Map<String, Value>,
    problems: &'a mut Problems,
}

impl Fields<'_> {
    /// Reads a required UUID.
    fn id(&mut self, name: &'static str) -> Option<Uuid> {
        let id = text(name, self.arguments.remove(name), self.problems);
        let id = required(name, id, self.problems);
        self.uuid(name, Some(id).filter(|id| !id.is_empty()))
    }

    /// Reads an optional UUID.
    fn optional_id(&mut self, name: &'static str) -> Option<Uuid> {
        let id = text(name, self.arguments.remove(name), self.problems);
        self.uuid(name, id)
    }

    fn uuid(&mut self, name: &'static str, text: Option<String>) -> Option<Uuid> {
        let text = text?;
        let id = text.parse().ok();
        if id.is_none() {
            let message = format!("{name} must be a UUID, not `{}`", shown(&text));
            self.refuse(name, message);
        }
        id
    }

    /// Reads a required word, which cannot hold more than the name of a program.
    fn word(&mut self, name: &'static str) -> String {
        let word = text(name, self.arguments.remove(name), self.problems);
        let word = required(name, word, self.problems);
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if word.len() > episode_limits::MAX_WORD_CHARS || !word.chars().all(is_plain) {
            let message = format!("{name} must be 1–32 lower-case letters, digits and `-`");
            self.refuse(name, message);
        }
        word
    }

    /// Reads a required whole number between two others.
    fn count(&mut self, name: &'static str, (least, most): (u64, u64)) -> u64 {
        let value = self.required(name);
        match value.as_ref().map(Value::as_u64) {
            Some(Some(count)) if (least..=most).contains(&count) => return count,
            Some(_) => {
                let message = format!("{name} must be a whole number from {least} to {most}");
                self.refuse(name, message);
            }
            None => {}
        }
        least
    }

    /// Reads a required boolean.
    fn flag(&mut self, name: &'static str) -> bool {
        match self.required(name) {
            Some(Value::Bool(flag)) => return flag,
            Some(other) => mistyped(name, "a boolean", &other, self.problems),
            None => {}
        }
        false
    }

    fn required(&mut self, name: &'static str) -> Option<Value> {
        let value = self.arguments.remove(name).filter(|value| !value.is_null());
        if value.is_none() {
            let message = format!("{name} is required");
            self.problems
                .add(ErrorCode::MissingRequiredFields, name, message);
        }
        value
    }

    fn refuse(&mut self, name: &'static str, message: String) {
        self.problems.add(ErrorCode::ValidationError, name, message);
    }
}
