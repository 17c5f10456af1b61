//! The hooks in Claude Code's settings: `{"hooks": {EVENT: [{"matcher", "hooks": [{"command"}]}]}}`.
//!
//! A failed command triggers `PostToolUseFailure`. `PostToolUse` is used too, because a pipeline can succeed although
//! one of its commands failed. Source: `code.claude.com/docs/en/hooks`.

use jsonc_parser::cst::{CstArray, CstNode, CstObject};
use serde_json::{Value, json};

use super::{
    EditError,
    call::PROGRAM_NAME,
    json::{Document, object_in, remove_if_empty, value},
};

/// The event, the tool it is about, and the argument of `hook`.
const HOOKS: [(&str, Option<&str>, &str); 3] = [
    ("PostToolUse", Some("Bash"), "error"),
    ("PostToolUseFailure", Some("Bash"), "error"),
    ("Stop", None, "solved"),
];
const CONTAINER: &str = "hooks";
/// The time after which Claude Code stops a hook; the hook itself takes less. *Unit*: seconds.
const TIMEOUT: u32 = 5;

/// Adds or updates the hooks. `program` is the program, quoted for a shell.
pub(super) fn added(text: &str, program: &str) -> Result<String, EditError> {
    let document = Document::parse(text)?;
    let hooks = object_in(&document.object()?, CONTAINER)?;
    for (event, matcher, name) in HOOKS {
        let groups = hooks
            .array_value_or_create(event)
            .ok_or_else(|| EditError::Shape {
                at: format!("{CONTAINER}.{event}"),
                expected: "a list",
            })?;
        let command = format!("{program} hook {name}");
        let mut existing = commands(&groups);
        match existing.find(|(_, old)| is_ours(old)) {
            None => drop(groups.append(value(&group(matcher, &command)))),
            Some((_, old)) if old == command => {}
            Some((hook, _)) => {
                if let Some(property) = hook.get("command") {
                    property.set_value(command.into());
                }
            }
        }
    }
    Ok(document.text())
}

/// Removes our hooks; `None` if there are none.
pub(super) fn removed(text: &str) -> Result<Option<String>, EditError> {
    let document = Document::parse(text)?;
    let Some(root) = document.existing_object() else {
        return Ok(None);
    };
    let Some(hooks) = root.object_value(CONTAINER) else {
        return Ok(None);
    };
    let mut is_changed = false;
    for (event, ..) in HOOKS {
        let Some(groups) = hooks.array_value(event) else {
            continue;
        };
        let elements = groups.elements().into_iter();
        if elements.filter(remove_from).count() == 0 {
            continue;
        }
        is_changed = true;
        if groups.elements().is_empty()
            && let Some(property) = hooks.get(event)
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
pub(super) fn installed(text: &str) -> Option<String> {
    let root = Document::parse(text).ok()?.existing_object()?;
    let hooks = root.object_value(CONTAINER)?;
    let lists = HOOKS
        .iter()
        .filter_map(|(event, ..)| hooks.array_value(event));
    let command = lists
        .flat_map(|groups| commands(&groups).collect::<Vec<_>>())
        .map(|(_, command)| command)
        .find(|command| is_ours(command))?;
    Some(command.rsplit_once(" hook ")?.0.to_owned())
}

fn group(matcher: Option<&str>, command: &str) -> Value {
    let hooks = json!([{"type": "command", "command": command, "timeout": TIMEOUT}]);
    match matcher {
        Some(matcher) => json!({"matcher": matcher, "hooks": hooks}),
        None => json!({"hooks": hooks}),
    }
}

/// Removes our hooks from a group, and the group if it becomes empty. Returns whether anything changed.
fn remove_from(group: &CstNode) -> bool {
    let Some(hooks) = group
        .as_object()
        .and_then(|group| group.array_value(CONTAINER))
    else {
        return false;
    };
    let ours = in_group(&hooks).into_iter();
    let ours: Vec<_> = ours.filter(|(_, command)| is_ours(command)).collect();
    let is_changed = !ours.is_empty();
    for (hook, _) in ours {
        hook.remove();
    }
    if is_changed && hooks.elements().is_empty() {
        group.clone().remove();
    }
    is_changed
}

/// Returns each hook in the groups of an event, with its command.
fn commands(groups: &CstArray) -> impl Iterator<Item = (CstObject, String)> {
    groups
        .elements()
        .into_iter()
        .filter_map(|group| group.as_object()?.array_value(CONTAINER))
        .flat_map(|hooks| in_group(&hooks))
}

fn in_group(hooks: &CstArray) -> Vec<(CstObject, String)> {
    let hooks = hooks.elements().into_iter();
    let with_command = |hook: CstNode| {
        let hook = hook.as_object()?;
        let command = hook.get("command")?.to_serde_value()?;
        Some((hook, command.as_str()?.to_owned()))
    };
    hooks.filter_map(with_command).collect()
}

fn is_ours(command: &str) -> bool {
    let program = command.rsplit_once(" hook ").map(|(program, _)| program);
    program.is_some_and(|program| program.contains(PROGRAM_NAME))
}
