//! Checks the objects in the lists of the settings, and reports what is wrong with them.

use recall_kit_sanitizer::RuleGroup;
use serde_json::Value;

use super::{ConfigError, keys::nearest_of};

/// The kinds of values of a key.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Text,
    Texts,
    Examples,
    Group,
    Milliseconds,
}

impl Shape {
    fn fits(self, value: &Value) -> bool {
        let list = |fits: fn(&Value) -> bool| {
            let items = value.as_array();
            items.is_some_and(|items| items.iter().all(fits))
        };
        match self {
            Self::Text => value.is_string(),
            Self::Texts => list(Value::is_string),
            Self::Examples => list(|item| item.is_string() || Self::Texts.fits(item)),
            Self::Group => value.as_str().is_some_and(|name| {
                let group = name.parse::<RuleGroup>();
                group.is_ok_and(|group| RuleGroup::REMOVAL.contains(&group))
            }),
            Self::Milliseconds => value.as_u64().is_some_and(|number| number > 0),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Texts => "a list of strings",
            Self::Examples => {
                "a list of strings, or of strings in parts (`[\"first\", \"second\"]`)"
            }
            Self::Group => "remove_api_keys, remove_urls or remove_personal_info",
            Self::Milliseconds => "a whole number of milliseconds, at least 1",
        }
    }
}

/// A key, the kind of its value, and whether it is optional.
pub(super) type Field = (&'static str, Shape, bool);

/// Checks the object at `place`.
///
/// *Errors*: [`ConfigError::Value`], [`ConfigError::MissingKey`], [`ConfigError::UnknownItemKey`];
/// each names the key.
pub(super) fn check_object(
    object: &Value,
    place: &str,
    known: &[Field],
    what: &'static str,
) -> Result<(), ConfigError> {
    let Value::Object(fields) = object else {
        return Err(wrong_value(place.to_owned(), what));
    };
    for (key, value) in fields {
        let Some((_, shape, _)) = known.iter().find(|(name, ..)| name == key) else {
            return Err(ConfigError::UnknownItemKey {
                key: format!("{place}.{key}"),
                nearest: nearest_of(key, known.iter().map(|(name, ..)| *name)),
            });
        };
        if !shape.fits(value) {
            return Err(wrong_value(format!("{place}.{key}"), shape.expected()));
        }
    }
    let missing = known
        .iter()
        .find(|(name, _, optional)| !optional && !fields.contains_key(*name));
    match missing {
        Some((name, shape, _)) => Err(ConfigError::MissingKey {
            key: format!("{place}.{name}"),
            expected: shape.expected(),
        }),
        None => Ok(()),
    }
}

pub(super) fn wrong_value(key: String, expected: &'static str) -> ConfigError {
    ConfigError::Value { key, expected }
}
