//! Decoding the arguments of a call one by one; one of the wrong type is a protocol error.

use serde_json::Value;

use crate::tools::{CallError, Object, invalid, kind_of, refuse_unknown};

/// The arguments of a call that are not decoded yet. A missing argument and `null` are the same.
pub(crate) struct Arguments(Object);

impl Arguments {
    /// Creates the arguments.
    ///
    /// *Errors*: [`CallError`] if one is not known.
    pub(crate) fn of(arguments: Object, known: &[&str]) -> Result<Self, CallError> {
        refuse_unknown(&arguments, known)?;
        Ok(Self(arguments))
    }

    /// Removes and returns an argument as it is.
    pub(crate) fn value(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Removes and returns an argument that must be a string.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, CallError> {
        self.value(name)
            .map_or(Ok(None), |value| string(name, value))
    }

    /// Removes and returns an argument that must be a list of strings.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, CallError> {
        let items = match self.value(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(wrong(name, "a list of strings", &other)),
        };
        let texts = items.into_iter().enumerate().map(|(index, item)| {
            let name = format!("{name}[{index}]");
            string(&name, item)?.ok_or_else(|| wrong(&name, "a string", &Value::Null))
        });
        texts.collect::<Result<_, _>>().map(Some)
    }
}

fn string(name: &str, value: Value) -> Result<Option<String>, CallError> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        other => Err(wrong(name, "a string", &other)),
    }
}

fn wrong(name: &str, expected: &str, found: &Value) -> CallError {
    let found = kind_of(found);
    invalid(format!("argument `{name}` must be {expected}, not {found}"))
}
