//! Reads `sanitizer.custom`, the user-defined rules, and reports what is wrong with them.
//!
//! `${NAME}` in a rule is not replaced from the environment, because it may be part of a pattern or a
//! replacement. No error quotes an example.

use recall_kit_sanitizer::{CustomError, CustomRule};
use serde_json::Value;

use super::{
    ConfigError,
    shape::{Field, Shape, check_object, wrong_value},
};

/// The setting with the rules.
pub(super) const CUSTOM: &str = "sanitizer.custom";
/// The setting with the allow list.
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

/// Removes the rules from the settings of a file and returns them.
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

/// Reads the rules from an environment variable, which contains them as JSON.
pub(super) fn from_json(text: &str) -> Result<Vec<CustomRule>, ConfigError> {
    read(serde_json::from_str(text).unwrap_or_default())
}

fn read(rules: Value) -> Result<Vec<CustomRule>, ConfigError> {
    let Value::Array(rules) = rules else {
        return Err(wrong_value(CUSTOM.to_owned(), "a list of rules"));
    };
    let rules = rules.into_iter().enumerate();
    rules
        .map(|(index, rule)| {
            let place = format!("{CUSTOM}[{index}]");
            check_object(&rule, &place, &FIELDS, "an object: a rule")?;
            serde_json::from_value(rule).map_err(|_| wrong_value(place, "a rule"))
        })
        .collect()
}

impl ConfigError {
    /// Creates the error for a rule or an allow entry that cannot be used, with its key in the configuration.
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

/// Returns the last line of a regular expression's error, which does not quote the expression.
fn last_line(error: &str) -> String {
    let line = error.lines().last().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    format!(": {line}")
}

/// Returns the key with the problem, such as `sanitizer.custom[0].pattern`.
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
    // The later of two rules with the same id is the wrong one.
    match rules.iter().rposition(|rule| rule.id == *id) {
        Some(index) => format!("{CUSTOM}[{index}].{key}"),
        None => CUSTOM.to_owned(),
    }
}
