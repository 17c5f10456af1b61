//! The list of MCP servers in JSON settings: `{"mcpServers": {NAME: {"command", "args"}}}`.

use jsonc_parser::cst::CstObjectProp;
use serde_json::{Map, Value, json};

use super::{
    EditError, SERVER_NAME,
    call::Call,
    json::{Document, object_in, remove_if_empty, value},
};

/// How an agent lists its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The name of the object that contains them.
    pub(crate) container: &'static str,
    /// Whether an entry contains `"type": "stdio"`.
    pub(crate) is_typed: bool,
    /// Whether an entry contains `"tools": ["*"]`: without it the agent offers none of them.
    pub(crate) names_tools: bool,
}

/// Adds or updates the entry; other fields in it are kept.
pub(super) fn added(
    text: &str,
    shape: Shape,
    call: &Call,
    force: bool,
) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let servers = object_in(&document.object()?, shape.container)?;
    match servers.get(SERVER_NAME) {
        None => drop(servers.append(SERVER_NAME, value(&entry(shape, call)))),
        Some(property) => match started(&property) {
            Some(old) if old == *call => {}
            Some(_) => update(&property, call),
            None if force => property.set_value(value(&entry(shape, call))),
            None => return Err(EditError::Foreign(described(&property))),
        },
    }
    Ok(document.text())
}

/// Removes our entry; `None` if there is none.
pub(super) fn removed(text: &str, shape: Shape) -> Result<Option<String>, EditError> {
    let document = Document::parse(text)?;
    let Some(root) = document.existing_object() else {
        return Ok(None);
    };
    let servers = root.object_value(shape.container);
    let property = servers.and_then(|servers| servers.get(SERVER_NAME));
    let Some(property) = property.filter(|property| started(property).is_some()) else {
        return Ok(None);
    };
    property.remove();
    remove_if_empty(&root, shape.container);
    Ok(Some(document.text()))
}

/// Returns how our entry starts this program; `None` if there is none.
pub(super) fn installed(text: &str, shape: Shape) -> Option<Call> {
    let root = Document::parse(text).ok()?.existing_object()?;
    started(&root.object_value(shape.container)?.get(SERVER_NAME)?)
}

fn entry(shape: Shape, call: &Call) -> Value {
    let mut entry = Map::new();
    if shape.is_typed {
        entry.insert("type".to_owned(), "stdio".into());
    }
    entry.insert("command".to_owned(), call.program.clone().into());
    entry.insert("args".to_owned(), json!(call.mcp_args()));
    if shape.names_tools {
        entry.insert("tools".to_owned(), json!(["*"]));
    }
    entry.into()
}

fn started(property: &CstObjectProp) -> Option<Call> {
    let entry = property.to_serde_value()?;
    let args = entry.get("args").and_then(Value::as_array);
    let args = args.into_iter().flatten().filter_map(Value::as_str);
    let args: Vec<String> = args.map(str::to_owned).collect();
    Call::from_entry(entry.get("command")?.as_str()?, &args)
}

fn update(property: &CstObjectProp, call: &Call) {
    let entry = property.object_value_or_set();
    let fields = [
        ("command", json!(call.program)),
        ("args", json!(call.mcp_args())),
    ];
    for (name, field) in fields {
        match entry.get(name) {
            Some(existing) if existing.to_serde_value().as_ref() == Some(&field) => {}
            Some(existing) => existing.set_value(value(&field)),
            None => drop(entry.append(name, value(&field))),
        }
    }
}

/// Describes what an entry starts, without its arguments, which may contain secrets.
fn described(property: &CstObjectProp) -> String {
    let entry = property.to_serde_value().unwrap_or_default();
    match entry.get("command").and_then(Value::as_str) {
        Some(command) => format!("`{command}`"),
        None => "no command on this machine".to_owned(),
    }
}
