//! cargo and rustc.

use super::{Before, Context, Printed, begins};
use crate::{Phase, Tool};

/// Beginnings of lines that say nothing about the cause.
const BOILERPLATE: [&str; 21] = [
    "Compiling ",
    "Checking ",
    "Updating ",
    "Downloading ",
    "Downloaded ",
    "Locking ",
    "Finished ",
    "Running `",
    "Running unittests",
    "Blocking waiting",
    "For more information about this error",
    "For more information about an error",
    "Some errors have detailed explanations",
    "process didn't exit successfully",
    "note: run with `RUST_BACKTRACE",
    "error: aborting due to",
    "error: test failed, to rerun",
    "warning: build failed, waiting",
    "cargo:rerun-if",
    "--- stderr",
    "--- stdout",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    if let Some(rest) = trimmed.strip_prefix("error[E") {
        let (code, _) = rest.split_once("]: ")?;
        let is_code = code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit());
        context.before = Before::Message(Tool::Cargo);
        return is_code.then(|| {
            Printed::message(
                Tool::Cargo,
                1,
                trimmed.get("error".len()..).unwrap_or_default(),
            )
            .in_phase(Phase::Compile)
        });
    }
    if begins(trimmed, &["--> ", "::: "]) && trimmed.contains(".rs:") {
        return Some(Printed::noise(Tool::Cargo, 1));
    }
    if trimmed.starts_with("error: could not compile `") {
        context.before = Before::Anything;
        return Some(Printed::noise(Tool::Cargo, 2).in_phase(Phase::Compile));
    }
    if let Some(place) = trimmed
        .strip_prefix("thread '")
        .filter(|_| trimmed.contains("' panicked at "))
    {
        context.before = Before::Message(Tool::Cargo);
        // Until 2023 the message stood between the name and the place.
        let message = place
            .split_once("panicked at '")
            .and_then(|(_, rest)| rest.rsplit_once("', "));
        return Some(match message {
            Some((message, _)) => Printed::message(Tool::Cargo, 1, message),
            None => Printed::noise(Tool::Cargo, 1),
        });
    }
    if begins(trimmed, &["warning: ", "warning["])
        && trimmed != "warning: build failed, waiting for other jobs to finish..."
    {
        context.before = Before::Warning;
        return Some(Printed::noise(Tool::Cargo, 0));
    }
    if begins(trimmed, &BOILERPLATE) {
        let is_sure = trimmed.starts_with("Compiling ") && trimmed.contains(" v");
        return Some(Printed::noise(Tool::Cargo, u32::from(is_sure)));
    }
    cargo_error(trimmed, context).or_else(|| below(trimmed, context))
}

/// Reads errors of cargo itself.
fn cargo_error<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let error = line.strip_prefix("error: ")?;
    let resolving = [
        "failed to select a version",
        "no matching package",
        "failed to get `",
        "failed to load source",
        "failed to parse manifest",
        "failed to download",
        "package `",
        "cyclic package dependency",
        "the lock file",
    ];
    let compiling = ["failed to run custom build command", "linking with `"];
    let phase = match (begins(error, &resolving), begins(error, &compiling)) {
        (true, _) => Phase::Resolve,
        (_, true) => Phase::Compile,
        // Messages of rustc without a code; other programs print such lines, too.
        _ if context.before == Before::Message(Tool::Cargo) => Phase::Compile,
        _ => return None,
    };
    context.before = Before::Message(Tool::Cargo);
    Some(Printed::message(Tool::Cargo, 1, error).in_phase(phase))
}

/// Reads a line below a message: labels, notes and causes; not source code.
fn below<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let is_below = matches!(
        context.before,
        Before::Message(Tool::Cargo) | Before::Warning
    );
    let is_warning = context.before == Before::Warning;
    let without_number = line
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    if let Some(gutter) = without_number.strip_prefix('|').filter(|_| is_below) {
        let label = gutter
            .trim_start_matches(['^', '-', '_', '~', '|', ' '])
            .trim_end();
        let has_marks = gutter.trim_start().starts_with(['^', '-', '_', '~', '|']);
        let is_label =
            has_marks && without_number.len() == line.len() && !label.is_empty() && !is_warning;
        return Some(match is_label {
            true => Printed::detail(Tool::Cargo, label),
            false => Printed::noise(Tool::Cargo, 0),
        });
    }
    if is_warning || !is_below {
        return None;
    }
    if let Some(note) = line
        .strip_prefix("= note: ")
        .or_else(|| line.strip_prefix("= help: "))
    {
        // The command line of a linker.
        let is_command = note.matches('"').count() > 8;
        return Some(if is_command {
            Printed::noise(Tool::Cargo, 1)
        } else {
            Printed::detail(Tool::Cargo, note)
        });
    }
    if line == "Caused by:" {
        return Some(Printed::noise(Tool::Cargo, 1));
    }
    if let Some(requirer) = line
        .strip_prefix("... required by package `")
        .or_else(|| line.strip_prefix("... which satisfies "))
    {
        let is_own = requirer.contains(" (/");
        return Some(if is_own {
            Printed::noise(Tool::Cargo, 1)
        } else {
            Printed::detail(Tool::Cargo, requirer)
        });
    }
    None
}
