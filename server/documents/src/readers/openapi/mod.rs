//! Reads OpenAPI 3 and Swagger 2 descriptions: one section for every operation and schema.

mod sample;
use serde_json::{Map, Value};

use self::sample::{resolve, sample, type_of};
use super::{
    ReadError,
    key_lines::KeyLines,
    markdown::{self, Dialect},
    writer::Writer,
};
use crate::document::Document;

const METHODS: &[&str] = &[
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// Whether a JSON or YAML text has the keys of one of these formats.
pub(super) fn may_be(text: &str) -> bool {
    let named = |key: &str| {
        let json = format!("\"{key}\"");
        let yaml = format!("{key}:");
        memchr::memmem::find(text.as_bytes(), json.as_bytes()).is_some()
            || text.lines().any(|it| it.starts_with(&yaml))
    };
    (named("openapi") || named("swagger")) && named("paths")
}

/// Reads a description in JSON.
///
/// *Errors*: [`ReadError`] if the text is not JSON.
pub(super) fn read_json(text: &str) -> Result<Document, ReadError> {
    let api = serde_json::from_str(text)
        .map_err(|it| ReadError::at(it.line(), format!("not valid JSON: {it}")))?;
    Ok(read(&api, &KeyLines::of(text)))
}

/// Reads a description in YAML; aliases that expand without bound are rejected.
///
/// *Errors*: [`ReadError`] if the text is not YAML.
pub(super) fn read_yaml(text: &str) -> Result<Document, ReadError> {
    let api: Value = serde_saphyr::from_str(text).map_err(|it| {
        let line = it.location().map_or(0, |it| it.line());
        let reason = it.to_string();
        let reason = reason.lines().next().unwrap_or_default();
        ReadError::at(
            usize::try_from(line).unwrap_or(0),
            format!("not valid YAML: {reason}"),
        )
    })?;
    Ok(read(&api, &KeyLines::of(text)))
}

fn read(api: &Value, lines: &KeyLines) -> Document {
    let mut writer = Writer::default();
    let info = api.get("info");
    let title = info.and_then(|it| text(it, "title")).unwrap_or("API");
    writer.title(title);
    if let Some(description) = info.and_then(|it| text(it, "description")) {
        let mut section = Writer::default();
        prose(description, &mut section);
        writer.append(section, lines.line(&["info", "description"]));
    }
    let servers = api.get("servers").and_then(Value::as_array);
    let urls: Vec<&str> = servers
        .into_iter()
        .flatten()
        .filter_map(|it| text(it, "url"))
        .collect();
    if !urls.is_empty() {
        let line = lines.line(&["servers"]);
        writer.paragraph(line, &format!("Servers: {}", urls.join(", ")));
    }
    for (path, item) in members(api.get("paths")) {
        let item = resolve(api, item);
        let shared = item.get("parameters");
        for method in METHODS {
            if let Some(operation) = item.get(*method) {
                let name = format!("{} {path}", method.to_ascii_uppercase());
                let operation = Operation {
                    api,
                    operation,
                    shared,
                };
                let mut section = Writer::default();
                operation.write(&name, &mut section);
                writer.append(section, lines.line(&["paths", path, method]));
            }
        }
    }
    for (place, pointer) in [
        (&["components", "schemas"][..], "/components/schemas"),
        (&["definitions"], "/definitions"),
    ] {
        for (name, schema) in members(api.pointer(pointer)) {
            let mut section = Writer::default();
            write_schema(api, name, schema, &mut section);
            writer.append(section, lines.line(&[place, &[name]].concat()));
        }
    }
    writer.finish()
}

struct Operation<'a> {
    api: &'a Value,
    operation: &'a Value,
    /// Parameters that all operations of the path share.
    shared: Option<&'a Value>,
}

impl Operation<'_> {
    fn write(&self, name: &str, writer: &mut Writer) {
        let operation = self.operation;
        let anchor = text(operation, "operationId").map(str::to_owned);
        writer.heading(0, 2, name, anchor);
        if operation.get("deprecated") == Some(&Value::Bool(true)) {
            writer.paragraph(0, "Deprecated.");
        }
        for key in ["summary", "description"] {
            if let Some(description) = text(operation, key) {
                prose(description, writer);
            }
        }
        if let Some(id) = text(operation, "operationId") {
            writer.paragraph(0, &format!("Operation: `{id}`"));
        }
        self.parameters(writer);
        if let Some(body) = operation.get("requestBody") {
            let body = resolve(self.api, body);
            self.content(body, "Request body", writer);
        }
        self.responses(writer);
    }

    fn parameters(&self, writer: &mut Writer) {
        let own = self.operation.get("parameters");
        let lists = [self.shared, own].into_iter().flatten();
        let mut rows = vec![
            ["Parameter", "In", "Type", "Required", "Description"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for parameter in lists.filter_map(Value::as_array).flatten() {
            let parameter = resolve(self.api, parameter);
            let place = text(parameter, "in").unwrap_or_default();
            let schema = parameter.get("schema").unwrap_or(parameter);
            if place == "body" {
                let example = sample(self.api, schema);
                write_example(&example, "Request body", writer);
                continue;
            }
            let required = parameter.get("required") == Some(&Value::Bool(true));
            rows.push(vec![
                format!("`{}`", text(parameter, "name").unwrap_or_default()),
                place.to_owned(),
                type_of(schema),
                if required { "yes" } else { "no" }.to_owned(),
                text(parameter, "description")
                    .unwrap_or_default()
                    .to_owned(),
            ]);
        }
        if rows.len() > 1 {
            writer.table(0, &rows);
        }
    }

    fn responses(&self, writer: &mut Writer) {
        let responses: Vec<_> = members(self.operation.get("responses"))
            .map(|(status, it)| (status, resolve(self.api, it)))
            .collect();
        if responses.is_empty() {
            return;
        }
        writer.paragraph(0, "Responses:");
        writer.begin_list(None);
        for (status, response) in &responses {
            writer.begin_item();
            let description = text(response, "description").unwrap_or_default();
            writer.paragraph(0, &format!("`{status}` {description}"));
        }
        writer.end_list();
        for (status, response) in &responses {
            let caption = format!("Response {status}");
            if let Some(schema) = response.get("schema") {
                write_example(&sample(self.api, schema), &caption, writer);
            }
            self.content(response, &caption, writer);
        }
    }

    /// Writes an example for the first media type of a body.
    fn content(&self, body: &Value, caption: &str, writer: &mut Writer) {
        let Some((kind, media)) = members(body.get("content")).next() else {
            return;
        };
        let named = members(media.get("examples")).next();
        let named = named.and_then(|(_, it)| resolve(self.api, it).get("value"));
        let example = match media.get("example").or(named) {
            Some(example) => example.clone(),
            None => media
                .get("schema")
                .map(|it| sample(self.api, it))
                .unwrap_or(Value::Null),
        };
        write_example(&example, &format!("{caption} ({kind})"), writer);
    }
}

fn write_example(example: &Value, caption: &str, writer: &mut Writer) {
    match example {
        Value::Null => {}
        Value::String(text) => writer.code(0, None, text, Some(caption)),
        Value::Object(map) if map.is_empty() => {}
        _ => {
            let json = serde_json::to_string_pretty(example).unwrap_or_default();
            writer.code(0, Some("json"), &json, Some(caption));
        }
    }
}

fn write_schema(api: &Value, name: &str, schema: &Value, writer: &mut Writer) {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    writer.heading(0, 2, name, None);
    if let Some(description) = text(schema, "description") {
        prose(description, writer);
    }
    let mut rows = vec![
        ["Property", "Type", "Required", "Description"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (name, property) in members(schema.get("properties")) {
        let description =
            text(property, "description").or_else(|| text(resolve(api, property), "description"));
        rows.push(vec![
            format!("`{name}`"),
            type_of(property),
            if required.contains(&name.as_str()) {
                "yes"
            } else {
                "no"
            }
            .to_owned(),
            description.unwrap_or_default().to_owned(),
        ]);
    }
    if rows.len() > 1 {
        writer.table(0, &rows);
    } else {
        writer.paragraph(0, &format!("Type: {}", type_of(schema)));
    }
}

/// Writes a description, which may be Markdown; its headings become lower than the operation's.
fn prose(text: &str, writer: &mut Writer) {
    let mut inner = Writer::default();
    markdown::write(text, 0, Dialect::default(), &mut inner);
    writer.append_below(inner, 0, 2);
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value
        .get(key)?
        .as_str()
        .map(str::trim)
        .filter(|it| !it.is_empty())
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::iter)
}
