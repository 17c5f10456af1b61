//! JSON Schemas generated from the contract's types.
//!
//! Schemas of arguments have descriptions, since agents read them before a call. Schemas of answers are
//! for programs that validate answers. They have no descriptions, since every word of a tool list costs
//! tokens in every conversation.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::{Value, json};

/// Returns the schema of a tool's arguments.
pub(super) fn of_arguments<T: JsonSchema>() -> Value {
    let mut schema = generated::<T>();
    schema.remove("description");
    schema.to_value()
}

/// Returns the schema of a tool's answer. An answer omits absent fields, so `null` is not allowed
/// anywhere.
pub(super) fn of_answer<T: JsonSchema>() -> Value {
    let mut schema = generated::<T>();
    shorten(&mut schema);
    schema.to_value()
}

/// Returns the schema of the arguments of a tool whose schema is fixed by the specification of the
/// knowledge base or the libraries: it has no references and no formats except `date-time`.
pub(super) fn of_documented_arguments<T: JsonSchema>() -> Value {
    let mut schema = inlined::<T>();
    schema.remove("description");
    as_documented(&mut schema, true);
    schema.to_value()
}

/// Removes the descriptions of arguments, for a tool whose arguments have names that say enough.
pub(super) fn undescribed(mut schema: Value) -> Value {
    let arguments = schema["properties"].as_object_mut();
    for argument in arguments.into_iter().flat_map(|all| all.values_mut()) {
        if let Some(argument) = argument.as_object_mut() {
            argument.remove("description");
        }
    }
    schema
}

/// Returns the schema of the answer of such a tool. No field is required, since an error has none of
/// them.
pub(super) fn of_documented_answer<T: JsonSchema>() -> Value {
    let mut schema = inlined::<T>();
    as_documented(&mut schema, false);
    schema.to_value()
}

/// Removes the keywords that those specifications do not use. An optional argument may not be `null`; an
/// optional field of an answer may be.
fn as_documented(schema: &mut Schema, is_argument: bool) {
    if schema.get("format") != Some(&json!("date-time")) {
        schema.remove("format");
    }
    if !is_argument {
        schema.remove("description");
        schema.remove("required");
        // The limits come from the number's Rust type, and are of no use in an answer.
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
        // What the field says about itself is more exact than what its type says.
        let own = schema.get("description").cloned();
        for (keyword, value) in only.as_object().into_iter().flatten() {
            schema.insert(keyword.clone(), value.clone());
        }
        if let Some(own) = own {
            schema.insert("description".to_owned(), own);
        }
        as_documented(schema, is_argument);
        if !is_argument && let Some(kind) = schema.get("type").cloned() {
            schema.insert("type".to_owned(), json!([kind, "null"]));
        }
    }
    let mut inner = |schema: &mut Schema| as_documented(schema, is_argument);
    transform_subschemas(&mut inner, schema);
}

fn generated<T: JsonSchema>() -> Schema {
    schema_with::<T>(|_| {})
}

/// Generates a schema without references.
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

/// Returns the values of alternatives if each of them is a constant.
fn constants(alternatives: &Value) -> Option<Value> {
    let values = alternatives.as_array()?.iter();
    values.map(|one| one.get("const").cloned()).collect()
}

/// Returns the other alternative if there are two and the second is null.
fn all_but_null(alternatives: &Value) -> Option<Value> {
    match alternatives.as_array()?.as_slice() {
        [only, null] if *null == json!("null") || *null == json!({ "type": "null" }) => {
            Some(only.clone())
        }
        _ => None,
    }
}
