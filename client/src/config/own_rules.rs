//! Reads `sanitizer.custom`, the user's own rules, and says what is wrong with one.
//!
//! The rules are taken as they are written: `${NAME}` is not read from the environment in them,
//! because a pattern or a replacement may well consist of it. Nothing said repeats an example.

use recall_kit_sanitizer::{CustomError, CustomRule};
use serde_json::Value;

use super::{
    ConfigError,
    shape::{Field, Shape, refuse_misshapen, unsuitable},
};

/// The setting that holds the rules.
pub(super) const CUSTOM: &str = "sanitizer.custom";
/// The setting that holds the allow list.
const ALLOW: &str = "sanitizer.allow";

const FIELDS: [Field; 9] = [
    ("id", Shape::Text, false),
    ("kind", Shape::Text, false),
    ("group", Shape::Group, false),
    ("pattern", Shape::Text, false),
    ("replacement", Shape::Text, false),
    ("examples", Shape::Examples, false),
    ("negativeExamples", Shape::Examples, true),
    ("anchors", Shape::Texts, true),
    ("why", Shape::Text, true),
];

/// Takes the rules out of the settings of a file.
///
/// *Errors*: [`ConfigError::Value`], [`ConfigError::MissingKey`], [`ConfigError::UnknownItemKey`];
/// each names the rule and the key.
pub(super) fn taken_from(settings: &mut Value) -> Result<Vec<CustomRule>, ConfigError> {
    let section = settings.get_mut("sanitizer").and_then(Value::as_object_mut);
    match section.and_then(|section| section.remove("custom")) {
        Some(rules) => read(rules),
        None => Ok(Vec::new()),
    }
}

/// Reads the rules of an environment variable, which holds them as JSON.
pub(super) fn from_json(text: &str) -> Result<Vec<CustomRule>, ConfigError> {
    read(serde_json::from_str(text).unwrap_or_default())
}

fn read(rules: Value) -> Result<Vec<CustomRule>, ConfigError> {
    let Value::Array(rules) = rules else {
        return Err(unsuitable(CUSTOM.to_owned(), "a list of rules"));
    };
    let rules = rules.into_iter().enumerate();
    rules
        .map(|(index, rule)| {
            let place = format!("{CUSTOM}[{index}]");
            refuse_misshapen(&rule, &place, &FIELDS, "an object: a rule")?;
            serde_json::from_value(rule).map_err(|_| unsuitable(place, "a rule"))
        })
        .collect()
}

impl ConfigError {
    /// Says where in the configuration the rule or the entry at fault stands.
    pub(crate) fn own_rule(rules: &[CustomRule], cause: CustomError) -> Self {
        let why = match &cause {
            CustomError::Pattern { source, .. } | CustomError::AllowPattern { source, .. } => {
                last_line(&source.to_string())
            }
            _ => String::new(),
        };
        Self::OwnRule {
            key: place(rules, &cause),
            why,
            cause: Box::new(cause),
        }
    }
}

/// Returns the last line of an expression's error, which says what is wrong without the expression.
fn last_line(error: &str) -> String {
    let line = error.lines().last().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    format!(": {line}")
}

/// Returns the key of what is wrong, such as `sanitizer.custom[0].pattern`.
fn place(rules: &[CustomRule], cause: &CustomError) -> String {
    use CustomError as E;
    let (id, key) = match cause {
        E::AllowEmpty { number } | E::AllowPattern { number, .. } | E::AllowTooBroad { number } => {
            return format!("{ALLOW}[{}]", number.saturating_sub(1));
        }
        E::Id { id } | E::Taken { id } => (id, "id"),
        E::Text { id, field } => (id, *field),
        E::Group { id } => (id, "group"),
        E::Pattern { id, .. } | E::NamedGroup { id, .. } | E::MatchesNothing { id } => {
            (id, "pattern")
        }
        E::EmptyAnchor { id, .. } | E::NoAnchor { id, .. } => (id, "anchors"),
        E::NoExample { id } | E::NotFound { id, .. } => (id, "examples"),
        E::Found { id, .. } => (id, "negativeExamples"),
        E::ReplacementFound { id, .. } => (id, "replacement"),
        _ => return CUSTOM.to_owned(),
    };
    // The later of two rules of the same id is the one at fault.
    match rules.iter().rposition(|rule| rule.id == *id) {
        Some(index) => format!("{CUSTOM}[{index}].{key}"),
        None => CUSTOM.to_owned(),
    }
}
