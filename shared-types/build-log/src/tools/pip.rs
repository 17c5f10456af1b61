//! pip and uv.

use super::{Before, Context, Printed, begins};
use crate::{Phase, Tool};

/// Beginnings of lines that say nothing about the cause.
const BOILERPLATE: [&str; 21] = [
    "Collecting ",
    "Downloading ",
    "Using cached ",
    "Requirement already satisfied",
    "Installing build dependencies",
    "Getting requirements to build wheel: ",
    "Preparing metadata",
    "Building wheels for collected packages",
    "Building wheel for ",
    "Running setup.py ",
    "Obtaining ",
    "exit code: ",
    "[end of output]",
    "note: This error originates from a subprocess",
    "note: This is an issue with the package",
    "hint: See above",
    "error: subprocess-exited-with-error",
    "WARNING: ",
    "[notice]",
    "To fix this you could try to",
    "Looking in indexes",
];
/// Beginnings of errors.
const ERRORS: [&str; 14] = [
    "ERROR: Could not find a version",
    "ERROR: No matching distribution",
    "ERROR: Cannot install ",
    "ERROR: ResolutionImpossible",
    "ERROR: Failed building wheel",
    "ERROR: Failed to build ",
    "ERROR: Could not build wheels",
    "ERROR: Package ",
    "ERROR: Ignored the following",
    "ERROR: pip's dependency resolver",
    "ERROR: Command errored out",
    "ERROR: Could not install packages",
    "ERROR: Invalid requirement",
    "ERROR: Cannot uninstall",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    if begins(trimmed, &ERRORS) {
        context.before = Before::Message(Tool::Pip);
        let message = trimmed.get("ERROR: ".len()..).unwrap_or_default();
        let message = message.split(" (from versions:").next().unwrap_or_default();
        let message = message
            .split(", which is required to install")
            .next()
            .unwrap_or_default();
        let is_legacy = message.starts_with("Command errored out");
        let printed = match is_legacy {
            true => Printed::noise(Tool::Pip, 1),
            false => Printed::message(Tool::Pip, 1, message),
        };
        let is_building =
            message.contains("wheel") || message.starts_with("Failed to build") || is_legacy;
        return Some(printed.in_phase(if is_building {
            Phase::Package
        } else {
            Phase::Resolve
        }));
    }
    if begins(trimmed, &BOILERPLATE) {
        let is_sure = begins(
            trimmed,
            &[
                "error: subprocess-exited",
                "note: This error originates",
                "Getting requirements to",
            ],
        );
        return Some(Printed::noise(Tool::Pip, u32::from(is_sure)));
    }
    if let Some(printed) = boxed(trimmed, context) {
        return Some(printed);
    }
    if context.before == Before::Message(Tool::Pip) {
        let is_conflict =
            trimmed.contains(" depends on ") || trimmed.starts_with("The user requested ");
        let is_conflict =
            is_conflict || trimmed.starts_with("and ") || trimmed.ends_with("are unsatisfiable.");
        if is_conflict {
            return Some(Printed {
                evidence: 1,
                ..Printed::detail(Tool::Pip, trimmed)
            });
        }
        if trimmed == "The conflict is caused by:" {
            return Some(Printed::noise(Tool::Pip, 1));
        }
    }
    None
}

/// Reads a line of a box: `× Failed to build`, `╰─▶ Because …`, `│ more`.
fn boxed<'a>(trimmed: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let is_head = trimmed.starts_with("× ");
    let is_reason = begins(trimmed, &["╰─▶ ", "├─▶ "]);
    let is_more =
        begins(trimmed, &["│ ", "╰─", "hint: "]) && context.before == Before::Message(Tool::Pip);
    if !is_head && !is_reason && !is_more {
        return None;
    }
    context.before = Before::Message(Tool::Pip);
    let text = trimmed.trim_start_matches(['×', '╰', '─', '▶', '├', '│', ' ']);
    let evidence = u32::from(!is_more);
    let is_usual = text.ends_with("did not run successfully.")
        || begins(text, &["exit code: ", "[", "See above"])
        || text.is_empty();
    Some(match (is_usual, is_head) {
        (true, _) => Printed::noise(Tool::Pip, evidence),
        (false, true) => Printed::message(Tool::Pip, evidence, text),
        (false, false) => Printed {
            evidence,
            ..Printed::detail(Tool::Pip, text)
        },
    })
}
