//! JSON with comments as an agent's settings hold it: changed in one place, every other byte kept.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstRootNode},
};

use super::EditError;

/// Editors on Windows put it in front; it is no JSON.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A document that is being changed.
pub(super) struct Document {
    root: CstRootNode,
    has_mark: bool,
}

impl Document {
    /// Reads a text; a blank one is an empty object.
    ///
    /// *Errors*: [`EditError::Broken`] with the place.
    pub(super) fn parse(text: &str) -> Result<Self, EditError> {
        let bare = text.strip_prefix(BYTE_ORDER_MARK);
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
        let root = CstRootNode::parse(bare.unwrap_or(text), &options)
            .map_err(|error| EditError::Broken(error.to_string()))?;
        Ok(Self {
            root,
            has_mark: bare.is_some(),
        })
    }

    /// Returns the object that everything stands in.
    pub(super) fn object(&self) -> Result<CstObject, EditError> {
        self.root
            .object_value_or_create()
            .ok_or_else(|| EditError::Broken("it holds no JSON object".to_owned()))
    }

    /// Returns the object that everything stands in, if there is one.
    pub(super) fn existing_object(&self) -> Option<CstObject> {
        self.root.object_value()
    }

    /// Returns the text as it is now.
    pub(super) fn text(&self) -> String {
        let text = self.root.to_string();
        match self.has_mark {
            true => format!("{BYTE_ORDER_MARK}{text}"),
            false => text,
        }
    }
}

/// Returns the object below `name`, which is made where it is missing.
pub(super) fn object_in(parent: &CstObject, name: &str) -> Result<CstObject, EditError> {
    parent
        .object_value_or_create(name)
        .ok_or_else(|| EditError::Shape {
            at: name.to_owned(),
            expected: "an object",
        })
}

/// Takes out what became empty.
pub(super) fn remove_if_empty(parent: &CstObject, name: &str) {
    let is_empty = parent
        .object_value(name)
        .is_some_and(|object| object.properties().is_empty());
    if is_empty && let Some(property) = parent.get(name) {
        property.remove();
    }
}

/// Makes a value to put into a document.
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
