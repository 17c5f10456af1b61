//! The list of MCP servers in Codex's TOML: `[mcp_servers.NAME]` with `command` and `args`.
//!
//! A new entry is added at the end of the text, so that it does not separate another table from its comments and keys.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value, value};

use super::{EditError, SERVER_NAME, call::Call};

const CONTAINER: &str = "mcp_servers";

/// Adds or updates the entry; other fields in it are kept.
pub(super) fn added(text: &str, call: &Call, force: bool) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let servers = match document.get_mut(CONTAINER) {
        None => return appended(text, call),
        Some(item) => item.as_table_like_mut().ok_or_else(|| EditError::Shape {
            at: CONTAINER.to_owned(),
            expected: "a table",
        })?,
    };
    let Some(entry) = servers.get_mut(SERVER_NAME) else {
        // A table at the end is not possible if the servers are in one value.
        if let Ok(text) = appended(text, call) {
            return Ok(text);
        }
        servers.insert(SERVER_NAME, Item::Value(inline(call)));
        return Ok(with_line_breaks_of(text, &document.to_string()));
    };
    match entry.as_table_like_mut() {
        Some(entry) if started(entry).is_some() => {
            if started(entry).as_ref() == Some(call) {
                return Ok(text.to_owned());
            }
            set(entry, "command", call.program.clone().into());
            set(entry, "args", args(call).into());
        }
        _ if force => *entry = Item::Table(table(call)),
        other => return Err(EditError::Foreign(described(other.map(|entry| &*entry)))),
    }
    Ok(with_line_breaks_of(text, &document.to_string()))
}

/// Removes our entry; `None` if there is none.
pub(super) fn removed(text: &str) -> Result<Option<String>, EditError> {
    if installed(text).is_none() {
        return Ok(None);
    }
    let mut document = parse(text)?;
    if let Some(servers) = document
        .get_mut(CONTAINER)
        .and_then(Item::as_table_like_mut)
    {
        servers.remove(SERVER_NAME);
        if servers.is_empty() {
            document.remove(CONTAINER);
        }
    }
    let remaining = document.to_string();
    // Removing lines keeps what people wrote around the entry. It is used if the result has the same data.
    let without_lines = without_lines_of_entry(text);
    Ok(Some(match same_data(&without_lines, &remaining) {
        true => without_lines,
        false => with_line_breaks_of(text, &remaining),
    }))
}

/// Returns how our entry starts this program; `None` if there is none.
pub(super) fn installed(text: &str) -> Option<Call> {
    let document = parse(text).ok()?;
    let servers = document.get(CONTAINER)?.as_table_like()?;
    started(servers.get(SERVER_NAME)?.as_table_like()?)
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    // The library's complete message quotes the line, which may contain a secret.
    text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        EditError::Broken(format!("{} at line {line}", error.message()))
    })
}

fn appended(text: &str, call: &Call) -> Result<String, EditError> {
    let gap = match text {
        "" => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let entry = format!(
        "{gap}[{CONTAINER}.{SERVER_NAME}]\ncommand = {}\nargs = {}\n",
        Value::from(call.program.clone()),
        Value::from(args(call)),
    );
    let text = with_line_breaks_of(text, &format!("{text}{entry}"));
    parse(&text).map(|_| text)
}

fn args(call: &Call) -> Array {
    call.mcp_args().into_iter().collect()
}

fn table(call: &Call) -> Table {
    let mut table = Table::new();
    table.insert("command", value(call.program.clone()));
    table.insert("args", value(args(call)));
    table
}

fn inline(call: &Call) -> Value {
    table(call).into_inline_table().into()
}

/// Sets a value and keeps the spaces and comments around it.
fn set(entry: &mut dyn TableLike, name: &str, mut new: Value) {
    match entry.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => drop(entry.insert(name, Item::Value(new))),
    }
}

fn started(entry: &dyn TableLike) -> Option<Call> {
    let args = entry.get("args").and_then(Item::as_array);
    let args = args.into_iter().flatten().filter_map(Value::as_str);
    let args: Vec<String> = args.map(str::to_owned).collect();
    Call::from_entry(entry.get("command")?.as_str()?, &args)
}

/// Describes what an entry starts, without its arguments, which may contain secrets.
fn described(entry: Option<&dyn TableLike>) -> String {
    let command = entry.and_then(|entry| entry.get("command"));
    match command.and_then(Item::as_str) {
        Some(command) => format!("`{command}`"),
        None => "no command on this machine".to_owned(),
    }
}

/// Removes the entry's tables and the blank line before them; comments that belong to the following text are kept.
fn without_lines_of_entry(text: &str) -> String {
    let mut result: Vec<&str> = Vec::new();
    let mut waiting: Vec<&str> = Vec::new();
    let mut is_inside = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if content.starts_with('[') {
            let enters = is_header_of_entry(content);
            match (is_inside, enters) {
                (false, true) => drop(result.pop_if(|line| line.trim().is_empty())),
                (true, false) => result.append(&mut waiting),
                _ => {}
            }
            waiting.clear();
            is_inside = enters;
        }
        match is_inside {
            false => result.push(line),
            true if content.is_empty() || content.starts_with('#') => waiting.push(line),
            true => waiting.clear(),
        }
    }
    result.append(&mut waiting);
    result.concat()
}

fn is_header_of_entry(line: &str) -> bool {
    let name = line
        .trim_start_matches('[')
        .split(']')
        .next()
        .unwrap_or_default();
    let ours = format!("{CONTAINER}.{SERVER_NAME}");
    name == ours || name.starts_with(&format!("{ours}."))
}

fn same_data(one: &str, other: &str) -> bool {
    let read = |text: &str| text.parse::<toml::Table>().ok();
    read(one).is_some_and(|one| Some(one) == read(other))
}

/// Uses the line breaks of Windows if the old text has no others.
fn with_line_breaks_of(old: &str, new: &str) -> String {
    let breaks = old.matches('\n').count();
    match breaks > 0 && breaks == old.matches("\r\n").count() {
        true => new.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => new.to_owned(),
    }
}
