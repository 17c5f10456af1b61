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

/// The schema of the arguments of a tool whose document gives one to the letter.
pub(super) fn of_documented_arguments<T: JsonSchema>() -> Value {
    let mut schema = inlined::<T>();
    schema.remove("description");
    as_documented(&mut schema, true);
    schema.to_value()
}

/// The schema of the answer of such a tool: nothing in it is required, as an error has none of it.
pub(super) fn of_documented_answer<T: JsonSchema>() -> Value {
    let mut schema = inlined::<T>();
    as_documented(&mut schema, false);
    schema.to_value()
}

/// Leaves out what documents do not say. What may be left out of arguments is not `null` there; of
/// an answer's fields some are.
fn as_documented(schema: &mut Schema, is_argument: bool) {
    if schema.get("format") != Some(&json!("date-time")) {
        schema.remove("format");
    }
    if !is_argument {
        schema.remove("description");
        schema.remove("required");
        // Of a number's kind the most is known already.
        schema.remove("minimum");
        schema.remove("maximum");
    } else if let Some(only) = schema.get("type").and_then(all_but_null) {
        schema.insert("type".to_owned(), only);
    }
    if let Some(words) = schema.get("oneOf").and_then(constants) {
        schema.remove("oneOf");
        if is_argument {
            schema.insert("enum".to_owned(), words);
        }
        schema.insert("type".to_owned(), json!("string"));
    }
    if let Some(only) = schema.get("anyOf").and_then(all_but_null) {
        schema.remove("anyOf");
        for (keyword, value) in only.as_object().into_iter().flatten() {
            schema.insert(keyword.clone(), value.clone());
        }
        as_documented(schema, is_argument);
        if !is_argument && let Some(kind) = schema.get("type").cloned() {
            schema.insert("type".to_owned(), json!([kind, "null"]));
        }
    }
    let mut inner = |schema: &mut Schema| as_documented(schema, is_argument);
    transform_subschemas(&mut inner, schema);
}

fn made<T: JsonSchema>() -> Schema {
    schema_with::<T>(|_| {})
}

/// The schema without references.
fn inlined<T: JsonSchema>() -> Schema {
    schema_with::<T>(|settings| settings.inline_subschemas = true)
}

fn schema_with<T: JsonSchema>(set: impl FnOnce(&mut SchemaSettings)) -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    set(&mut settings);
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
