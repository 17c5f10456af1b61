//! JSON Schemas made from the contract's types.
//!
//! Those of arguments keep their prose: agents read it before every call. Those of answers are for
//! programs that check them and lose it, since every word is paid for in every conversation.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::{Value, json};

/// The schema of a tool's arguments.
pub(super) fn of_arguments<T: JsonSchema>() -> Value {
    made::<T>().to_value()
}

/// The schema of a tool's answer; what an answer does not have it leaves out, so that nothing in it
/// is null.
pub(super) fn of_answer<T: JsonSchema>() -> Value {
    let mut schema = made::<T>();
    shorten(&mut schema);
    schema.to_value()
}

fn made<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema
}

fn shorten(schema: &mut Schema) {
    schema.remove("description");
    schema.remove("format");
    if schema.get("minimum") == Some(&json!(0)) {
        schema.remove("minimum");
    }
    if let Some(words) = schema.get("oneOf").and_then(constants) {
        schema.remove("oneOf");
        schema.insert("enum".to_owned(), words);
    }
    if let Some(only) = schema.get("anyOf").and_then(all_but_null) {
        schema.remove("anyOf");
        for (keyword, value) in only.as_object().into_iter().flatten() {
            schema.insert(keyword.clone(), value.clone());
        }
    }
    if let Some(only) = schema.get("type").and_then(all_but_null) {
        schema.insert("type".to_owned(), only);
    }
    transform_subschemas(&mut shorten, schema);
}

/// The values of alternatives that are one value each.
fn constants(alternatives: &Value) -> Option<Value> {
    let values = alternatives.as_array()?.iter();
    values.map(|one| one.get("const").cloned()).collect()
}

/// The one alternative to null.
fn all_but_null(alternatives: &Value) -> Option<Value> {
    match alternatives.as_array()?.as_slice() {
        [only, null] if *null == json!("null") || *null == json!({ "type": "null" }) => {
            Some(only.clone())
        }
        _ => None,
    }
}
