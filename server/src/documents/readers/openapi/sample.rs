//! Examples of schemas, where a description has none of its own.

use serde_json::{Map, Value, json};

/// Deeper members are left out, so that schemas that hold themselves end.
const MAX_DEPTH: usize = 6;
/// The values of one example.
const MAX_VALUES: usize = 200;

/// What a `$ref` within the file leads to; anything else is itself.
pub(super) fn resolve<'a>(api: &'a Value, value: &'a Value) -> &'a Value {
    let mut value = value;
    // References that lead in a circle lead nowhere.
    for _ in 0..8 {
        let target = value.get("$ref").and_then(Value::as_str);
        let found = target
            .and_then(|it| it.strip_prefix('#'))
            .and_then(|it| api.pointer(it));
        match found {
            Some(found) => value = found,
            None => break,
        }
    }
    value
}

/// An example of a schema, made from its types.
pub(super) fn sample(api: &Value, schema: &Value) -> Value {
    let mut left = MAX_VALUES;
    value(api, schema, 0, &mut left)
}

fn value(api: &Value, schema: &Value, depth: usize, left: &mut usize) -> Value {
    let schema = resolve(api, schema);
    if depth > MAX_DEPTH || *left == 0 {
        return Value::Null;
    }
    *left -= 1;
    let first = |key: &str| schema.get(key).and_then(|it| it.get(0));
    let given = ["example", "default", "const"]
        .iter()
        .find_map(|it| schema.get(*it))
        .or_else(|| first("examples"))
        .or_else(|| first("enum"));
    if let Some(given) = given {
        return given.clone();
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        let mut whole = Map::new();
        for part in parts {
            if let Value::Object(part) = value(api, part, depth + 1, left) {
                whole.extend(part);
            }
        }
        return Value::Object(whole);
    }
    if let Some(choice) = first("oneOf").or_else(|| first("anyOf")) {
        return value(api, choice, depth + 1, left);
    }
    match kind(schema) {
        "array" => {
            let items = schema.get("items").map(|it| value(api, it, depth + 1, left));
            Value::Array(items.filter(|it| !it.is_null()).into_iter().collect())
        }
        "object" => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let mut object = Map::new();
            for (name, property) in properties.into_iter().flatten() {
                object.insert(name.clone(), value(api, property, depth + 1, left));
            }
            Value::Object(object)
        }
        "integer" | "number" => json!(0),
        "boolean" => json!(true),
        "string" => json!(schema.get("format").and_then(Value::as_str).unwrap_or("string")),
        _ => Value::Null,
    }
}

fn kind(schema: &Value) -> &str {
    let named = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|it| *it != "null"),
        other => other.and_then(Value::as_str),
    };
    named.unwrap_or_else(|| {
        if schema.get("properties").is_some() {
            "object"
        } else if schema.get("items").is_some() {
            "array"
        } else {
            ""
        }
    })
}

/// A schema's type in a word: `string (date-time)`, `array of Pet`.
pub(super) fn type_of(schema: &Value) -> String {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return target.rsplit('/').next().unwrap_or(target).to_owned();
    }
    let kind = kind(schema);
    match (kind, schema.get("items"), schema.get("format").and_then(Value::as_str)) {
        ("array", Some(items), _) if items.get("items").is_none() => format!("array of {}", type_of(items)),
        (_, _, Some(format)) => format!("{kind} ({format})"),
        ("", ..) => "any".to_owned(),
        _ => kind.to_owned(),
    }
}
