//! Edits JSON with comments in an agent's settings: changes one place and keeps every other byte.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstRootNode},
};

use super::EditError;

/// Editors on Windows add it, but it is not JSON.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A document that is being changed.
pub(super) struct Document {
    root: CstRootNode,
    has_mark: bool,
}

impl Document {
    /// Parses a text; a blank one is an empty object.
    ///
    /// *Errors*: [`EditError::Broken`] with the position.
    pub(super) fn parse(text: &str) -> Result<Self, EditError> {
        let without_mark = text.strip_prefix(BYTE_ORDER_MARK);
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let root = CstRootNode::parse(without_mark.unwrap_or(text), &options)
            .map_err(|error| EditError::Broken(error.to_string()))?;
        Ok(Self {
            root,
            has_mark: without_mark.is_some(),
        })
    }

    /// Returns the root object; creates it if the text is blank.
    pub(super) fn object(&self) -> Result<CstObject, EditError> {
        self.root
            .object_value_or_create()
            .ok_or_else(|| EditError::Broken("it contains no JSON object".to_owned()))
    }

    /// Returns the root object, if there is one.
    pub(super) fn existing_object(&self) -> Option<CstObject> {
        self.root.object_value()
    }

    /// Returns the current text.
    pub(super) fn text(&self) -> String {
        let text = self.root.to_string();
        match self.has_mark {
            true => format!("{BYTE_ORDER_MARK}{text}"),
            false => text,
        }
    }
}

/// Returns the object at `name`; creates it if it is missing.
pub(super) fn object_in(parent: &CstObject, name: &str) -> Result<CstObject, EditError> {
    parent
        .object_value_or_create(name)
        .ok_or_else(|| EditError::Shape {
            at: name.to_owned(),
            expected: "an object",
        })
}

/// Removes the object at `name` if it is empty.
pub(super) fn remove_if_empty(parent: &CstObject, name: &str) {
    let is_empty = parent
        .object_value(name)
        .is_some_and(|object| object.properties().is_empty());
    if is_empty && let Some(property) = parent.get(name) {
        property.remove();
    }
}

/// Converts a value for a document.
pub(super) fn value(value: &serde_json::Value) -> CstInputValue {
    use serde_json::Value;
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(it) => CstInputValue::Bool(*it),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(self::value).collect()),
        Value::Object(fields) => {
            let fields = fields.iter();
            CstInputValue::Object(
                fields
                    .map(|(name, field)| (name.clone(), self::value(field)))
                    .collect(),
            )
        }
    }
}
