//! Generates examples for schemas without one.

use serde_json::{Map, Value, json};

/// Deeper members are left out, so that recursive schemas terminate.
const MAX_DEPTH: usize = 6;
/// The most values of one example.
const MAX_VALUES: usize = 200;

/// Returns the target of a `$ref` within the file; any other value is returned itself.
pub(super) fn resolve<'a>(api: &'a Value, value: &'a Value) -> &'a Value {
    let mut value = value;
    // The limit ends circular references.
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

/// Generates an example of a schema from its types.
pub(super) fn sample(api: &Value, schema: &Value) -> Value {
    let mut sampler = Sampler {
        api,
        left: MAX_VALUES,
        open: Vec::new(),
    };
    sampler.value(schema, 0)
}

struct Sampler<'a> {
    api: &'a Value,
    left: usize,
    /// The references that are currently being resolved.
    open: Vec<&'a str>,
}

impl<'a> Sampler<'a> {
    fn value(&mut self, schema: &'a Value, depth: usize) -> Value {
        if depth > MAX_DEPTH || self.left == 0 {
            return Value::Null;
        }
        self.left -= 1;
        let Some(target) = schema.get("$ref").and_then(Value::as_str) else {
            return self.resolved(schema, depth);
        };
        // A recursive schema is only expanded once.
        if self.open.contains(&target) {
            return Value::Null;
        }
        self.open.push(target);
        let value = self.resolved(resolve(self.api, schema), depth);
        self.open.pop();
        value
    }

    fn resolved(&mut self, schema: &'a Value, depth: usize) -> Value {
        let first = |key: &str| schema.get(key).and_then(|it| it.get(0));
        let example = ["example", "default", "const"]
            .iter()
            .find_map(|it| schema.get(*it))
            .or_else(|| first("examples"))
            .or_else(|| first("enum"));
        if let Some(example) = example {
            return example.clone();
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            let mut merged = Map::new();
            for part in parts {
                if let Value::Object(part) = self.value(part, depth + 1) {
                    merged.extend(part);
                }
            }
            return Value::Object(merged);
        }
        if let Some(choice) = first("oneOf").or_else(|| first("anyOf")) {
            return self.value(choice, depth + 1);
        }
        match kind(schema) {
            "array" => {
                let items = schema.get("items").map(|it| self.value(it, depth + 1));
                Value::Array(items.filter(|it| !it.is_null()).into_iter().collect())
            }
            "object" => self.object(schema, depth),
            "integer" | "number" => json!(0),
            "boolean" => json!(true),
            "string" => json!(
                schema
                    .get("format")
                    .and_then(Value::as_str)
                    .unwrap_or("string")
            ),
            _ => Value::Null,
        }
    }

    fn object(&mut self, schema: &'a Value, depth: usize) -> Value {
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut object = Map::new();
        for (name, property) in properties.into_iter().flatten() {
            let value = self.value(property, depth + 1);
            if !value.is_null() {
                object.insert(name.clone(), value);
            }
        }
        Value::Object(object)
    }
}

fn kind(schema: &Value) -> &str {
    let named = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|it| *it != "null"),
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

/// Returns a schema's type in short form: `string (date-time)`, `array of Pet`.
pub(super) fn type_of(schema: &Value) -> String {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return target.rsplit('/').next().unwrap_or(target).to_owned();
    }
    let kind = kind(schema);
    match (
        kind,
        schema.get("items"),
        schema.get("format").and_then(Value::as_str),
    ) {
        ("array", Some(items), _) if items.get("items").is_none() => {
            format!("array of {}", type_of(items))
        }
        (_, _, Some(format)) => format!("{kind} ({format})"),
        ("", ..) => "any".to_owned(),
        _ => kind.to_owned(),
    }
}
