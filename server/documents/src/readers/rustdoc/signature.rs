//! A function's signature, formatted from its types.

use serde_json::Value;

/// Deeper types are written as `_`.
const MAX_DEPTH: usize = 12;

/// Returns a signature such as `fn get(&self, key: &str) -> Option<T>`; `None` for items without one.
pub(super) fn of(item: &Value) -> Option<String> {
    let (_, inner) = super::kind(item);
    // Named `decl` up to format 35, `sig` since.
    let signature = inner.get("sig").or_else(|| inner.get("decl"))?;
    let name = item.get("name")?.as_str()?;
    let header = inner.get("header").unwrap_or(&Value::Null);
    let mut out = String::new();
    for (flag, old, word) in [
        ("is_const", "const", "const "),
        ("is_async", "async", "async "),
        ("is_unsafe", "unsafe", "unsafe "),
    ] {
        let set = |key: &str| header.get(key) == Some(&Value::Bool(true));
        if set(flag) || set(old) {
            out.push_str(word);
        }
    }
    let inputs = signature.get("inputs").and_then(Value::as_array);
    let inputs: Vec<String> = inputs.into_iter().flatten().map(input).collect();
    out.push_str(&format!("fn {name}({})", inputs.join(", ")));
    if let Some(output) = signature.get("output").filter(|it| !it.is_null()) {
        out.push_str(" -> ");
        out.push_str(&type_name(output, 0));
    }
    Some(out)
}

fn input(input: &Value) -> String {
    let name = input.get(0).and_then(Value::as_str).unwrap_or("_");
    let kind = input.get(1).map_or("_".to_owned(), |it| type_name(it, 0));
    match (name, kind.as_str()) {
        ("self", "Self") => "self".to_owned(),
        ("self", "&Self") => "&self".to_owned(),
        ("self", "&mut Self") => "&mut self".to_owned(),
        _ => format!("{name}: {kind}"),
    }
}

fn type_name(value: &Value, depth: usize) -> String {
    let unknown = || "_".to_owned();
    if depth > MAX_DEPTH {
        return unknown();
    }
    // Versions before 24 write `{"kind": …, "inner": …}`.
    let (kind, inner) = match value.get("kind").and_then(Value::as_str) {
        Some(kind) => (kind, value.get("inner").unwrap_or(&Value::Null)),
        None => match value.as_object().and_then(|it| it.iter().next()) {
            Some((kind, inner)) => (kind.as_str(), inner),
            None => return unknown(),
        },
    };
    let within = |key: &str| {
        inner
            .get(key)
            .map_or_else(unknown, |it| type_name(it, depth + 1))
    };
    let list = |types: &Value| -> Vec<String> {
        let types = types.as_array().into_iter().flatten();
        types.map(|it| type_name(it, depth + 1)).collect()
    };
    let mutable =
        inner.get("is_mutable").or_else(|| inner.get("mutable")) == Some(&Value::Bool(true));
    match kind {
        "primitive" | "generic" => inner.as_str().map_or_else(unknown, str::to_owned),
        "resolved_path" => path(inner, depth),
        "borrowed_ref" => format!("&{}{}", if mutable { "mut " } else { "" }, within("type")),
        "raw_pointer" => format!(
            "*{} {}",
            if mutable { "mut" } else { "const" },
            within("type")
        ),
        "slice" => format!("[{}]", type_name(inner, depth + 1)),
        "array" => array(inner, &within("type")),
        "tuple" => format!("({})", list(inner).join(", ")),
        "qualified_path" => {
            let name = inner.get("name").and_then(Value::as_str).unwrap_or("_");
            format!("{}::{name}", within("self_type"))
        }
        "impl_trait" => format!("impl {}", bounds(inner, depth)),
        "dyn_trait" => format!(
            "dyn {}",
            bounds(inner.get("traits").unwrap_or(&Value::Null), depth)
        ),
        _ => unknown(),
    }
}

fn array(array: &Value, item: &str) -> String {
    let len = array.get("len").and_then(Value::as_str).unwrap_or("_");
    format!("[{item}; {len}]")
}

fn bounds(bounds: &Value, depth: usize) -> String {
    let names: Vec<String> = bounds
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it.pointer("/trait_bound/trait").or_else(|| it.get("trait")))
        .map(|it| path(it, depth))
        .collect();
    names.join(" + ")
}

fn path(path: &Value, depth: usize) -> String {
    // Called `name` up to format 37, `path` since.
    let name = path.get("path").or_else(|| path.get("name"));
    let name = name.and_then(Value::as_str).unwrap_or("_");
    let short = name.rsplit("::").next().unwrap_or(name);
    let arguments = path
        .pointer("/args/angle_bracketed/args")
        .and_then(Value::as_array);
    let arguments: Vec<String> = arguments
        .into_iter()
        .flatten()
        .filter_map(|it| it.get("type"))
        .map(|it| type_name(it, depth + 1))
        .collect();
    if arguments.is_empty() {
        short.to_owned()
    } else {
        format!("{short}<{}>", arguments.join(", "))
    }
}
