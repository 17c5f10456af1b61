//! The hooks in agents' settings. Most take over the form of Claude Code, `{"hooks": {EVENT: [{"matcher", "hooks":
//! [{"command"}]}]}}`; others list the commands themselves, `{"version": 1, "hooks": {EVENT: [{"command"}]}}`.
//!
//! Which events there are, and where that is documented, is in [`crate::hosts`].

use jsonc_parser::cst::{CstNode, CstObject};
use serde_json::{Map, Value, json};

use super::{
    Agent, EditError,
    call::is_ours_in_shell,
    json::{Document, object_in, remove_if_empty, value},
};
use crate::hosts::{self, Hook, Host};

const CONTAINER: &str = "hooks";
/// The fields of a hook that contain its command.
const COMMANDS: [&str; 3] = ["command", "bash", "powershell"];
/// What the commands of our hooks end with, now and in earlier versions.
const ARGUMENTS: [&str; 3] = [" auto", " error", " solved"];
/// The time after which an agent stops a hook; the hook itself takes less. *Unit*: seconds.
const TIMEOUT: u32 = 5;

/// How an agent lists hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookFormat {
    agent: Agent,
}

impl HookFormat {
    /// Returns the format of an agent.
    pub(crate) const fn of(agent: Agent) -> Self {
        match agent {
            // They read the same file.
            Agent::VsCode => Self {
                agent: Agent::Copilot,
            },
            agent => Self { agent },
        }
    }

    /// Returns what is known about the agent's hooks.
    pub(crate) fn host(self) -> &'static Host {
        match self.agent {
            Agent::ClaudeCode => &hosts::CLAUDE_CODE,
            Agent::Codex => &hosts::CODEX,
            Agent::Cursor => &hosts::CURSOR,
            Agent::Gemini => &hosts::GEMINI,
            Agent::Copilot | Agent::VsCode => &hosts::COPILOT,
            Agent::Windsurf => &hosts::WINDSURF,
        }
    }

    /// Whether hooks stand in groups with a matcher.
    fn is_grouped(self) -> bool {
        matches!(self.agent, Agent::ClaudeCode | Agent::Codex | Agent::Gemini)
    }

    /// Whether the file begins with a version.
    fn is_versioned(self) -> bool {
        matches!(self.agent, Agent::Cursor | Agent::Copilot | Agent::VsCode)
    }

    /// Returns the fields of a hook.
    fn fields(self, program: &str, hook: Hook) -> Map<String, Value> {
        let command = format!("{program} hook auto");
        let fields = match self.agent {
            Agent::ClaudeCode | Agent::Codex => {
                json!({"type": "command", "command": command, "timeout": TIMEOUT})
            }
            // Its unit is milliseconds.
            Agent::Gemini => json!({
                "name": "recall-kit", "type": "command", "command": command, "timeout": TIMEOUT * 1000,
            }),
            Agent::Cursor => match hook.matcher {
                Some(matcher) => {
                    json!({"command": command, "matcher": matcher, "timeout": TIMEOUT})
                }
                None => json!({"command": command, "timeout": TIMEOUT}),
            },
            Agent::Windsurf => json!({"command": command, "show_output": false}),
            // Each of the two reads its own names.
            Agent::Copilot | Agent::VsCode => json!({
                "type": "command",
                "command": command,
                "bash": command,
                "powershell": in_power_shell(&command),
                "timeout": TIMEOUT,
                "timeoutSec": TIMEOUT,
            }),
        };
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

/// PowerShell takes a quoted text for a text unless it is told to run it.
fn in_power_shell(command: &str) -> String {
    match command.starts_with('"') {
        true => format!("& {command}"),
        false => command.to_owned(),
    }
}

/// Adds or updates the hooks. `program` is the program, quoted for a shell.
pub(super) fn added(text: &str, format: HookFormat, program: &str) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let root = document.object()?;
    if format.is_versioned() && root.get("version").is_none() {
        root.append("version", value(&json!(1)));
    }
    let hooks = object_in(&root, CONTAINER)?;
    for hook in format.host().events {
        let list = hooks
            .array_value_or_create(hook.event)
            .ok_or_else(|| EditError::Shape {
                at: format!("{CONTAINER}.{}", hook.event),
                expected: "a list",
            })?;
        let fields = format.fields(program, *hook);
        let existing = list.elements().into_iter();
        let ours = existing
            .flat_map(|element| hooks_in(&element, format))
            .find(is_ours);
        match ours {
            Some(ours) => update(&ours, &fields, *hook),
            None => drop(list.append(value(&element(format, *hook, fields)))),
        }
    }
    Ok(document.text())
}

/// Removes our hooks; `None` if there are none.
pub(super) fn removed(text: &str, format: HookFormat) -> Result<Option<String>, EditError> {
    let document = Document::parse(text)?;
    let Some(root) = document.existing_object() else {
        return Ok(None);
    };
    let Some(hooks) = root.object_value(CONTAINER) else {
        return Ok(None);
    };
    let mut is_changed = false;
    for hook in format.host().events {
        let Some(list) = hooks.array_value(hook.event) else {
            continue;
        };
        let elements = list.elements();
        let removals = elements
            .iter()
            .filter(|element| remove_from(element, format));
        if removals.count() == 0 {
            continue;
        }
        is_changed = true;
        if list.elements().is_empty()
            && let Some(property) = hooks.get(hook.event)
        {
            property.remove();
        }
    }
    if is_changed {
        remove_if_empty(&root, CONTAINER);
    }
    Ok(is_changed.then(|| document.text()))
}

/// Returns the program that our hooks start; `None` if there are none.
pub(super) fn installed(text: &str, format: HookFormat) -> Option<String> {
    let ours = our_commands(text, format).into_iter().next()?;
    Some(ours.rsplit_once(" hook ")?.0.to_owned())
}

/// Returns the command line of each of our hooks.
pub(crate) fn our_commands(text: &str, format: HookFormat) -> Vec<String> {
    let root = Document::parse(text)
        .ok()
        .and_then(|document| document.existing_object());
    let Some(hooks) = root.and_then(|root| root.object_value(CONTAINER)) else {
        return Vec::new();
    };
    let lists = format.host().events.iter();
    let lists = lists.filter_map(|hook| hooks.array_value(hook.event));
    let ours = lists
        .flat_map(|list| list.elements())
        .flat_map(|element| hooks_in(&element, format))
        .filter(is_ours);
    ours.filter_map(|ours| command(&ours.hook)).collect()
}

/// A hook, and the group that it stands in.
struct Found {
    hook: CstObject,
    group: Option<CstObject>,
}

/// Returns the element of an event's list.
fn element(format: HookFormat, hook: Hook, fields: Map<String, Value>) -> Value {
    match (format.is_grouped(), hook.matcher) {
        (false, _) => Value::Object(fields),
        (true, Some(matcher)) => json!({"matcher": matcher, "hooks": [fields]}),
        (true, None) => json!({"hooks": [fields]}),
    }
}

/// Brings one of our hooks up to date; other fields in it are kept. The matcher of a group that also has other hooks is
/// kept.
fn update(ours: &Found, fields: &Map<String, Value>, hook: Hook) {
    for (name, wanted) in fields {
        set(&ours.hook, name, wanted);
    }
    let group = ours.group.as_ref().filter(|group| {
        let hooks = group.array_value(CONTAINER);
        hooks.is_some_and(|hooks| hooks.elements().len() == 1)
    });
    if let (Some(group), Some(matcher)) = (group, hook.matcher) {
        set(group, "matcher", &json!(matcher));
    }
}

fn set(object: &CstObject, name: &str, wanted: &Value) {
    match object.get(name) {
        Some(property) if property.to_serde_value().as_ref() == Some(wanted) => {}
        Some(property) => property.set_value(value(wanted)),
        None => drop(object.append(name, value(wanted))),
    }
}

/// Removes our hooks from an element of an event's list, and the element if it becomes empty. Returns whether anything
/// changed.
fn remove_from(element: &CstNode, format: HookFormat) -> bool {
    let ours: Vec<Found> = hooks_in(element, format)
        .into_iter()
        .filter(is_ours)
        .collect();
    let is_changed = !ours.is_empty();
    for found in ours {
        found.hook.remove();
        let is_empty = found.group.as_ref().is_some_and(|group| {
            let hooks = group.array_value(CONTAINER);
            hooks.is_none_or(|hooks| hooks.elements().is_empty())
        });
        if is_empty && let Some(group) = found.group {
            group.remove();
        }
    }
    is_changed
}

/// Returns the hooks of an element of an event's list.
fn hooks_in(element: &CstNode, format: HookFormat) -> Vec<Found> {
    let Some(object) = element.as_object() else {
        return Vec::new();
    };
    if !format.is_grouped() {
        let group = None;
        return vec![Found {
            hook: object,
            group,
        }];
    }
    let hooks = object.array_value(CONTAINER).map(|hooks| hooks.elements());
    let hooks = hooks
        .into_iter()
        .flatten()
        .filter_map(|hook| hook.as_object());
    hooks
        .map(|hook| Found {
            hook,
            group: Some(object.clone()),
        })
        .collect()
}

fn command(hook: &CstObject) -> Option<String> {
    COMMANDS.iter().find_map(|name| {
        let command = hook.get(name)?.to_serde_value()?;
        Some(command.as_str()?.to_owned())
    })
}

/// Returns whether a hook is one that `init` of this or an earlier version wrote, and not the user's own.
fn is_ours(found: &Found) -> bool {
    let command = command(&found.hook).unwrap_or_default();
    let program = ARGUMENTS.iter().find_map(|argument| {
        let program = command.trim_end().strip_suffix(argument)?;
        program.trim_end().strip_suffix(" hook")
    });
    program.is_some_and(is_ours_in_shell)
}
