//! Gradle: tasks, and the report of what went wrong.

use super::{Before, Context, Printed, Reading, begins};
use crate::{Phase, Tool};

/// Beginnings of lines that every failing build has.
const BOILERPLATE: [&str; 22] = [
    "* Try:",
    "* Where:",
    "* Get more help",
    "* Exception is:",
    "> Run with ",
    "> Get more help",
    "Run with --",
    "Get more help at",
    "Build file '",
    "Settings file '",
    "Script '",
    "Deprecated Gradle features",
    "You can use '--warning-mode",
    "For more on this",
    "For more information, please refer",
    "See https://docs.gradle.org",
    "Searched in the following locations",
    "If the artifact you are trying",
    "Required by:",
    "> There were failing tests",
    "> Compilation failed; see",
    "> Compilation error. See log",
];
/// Messages of resolution.
const RESOLVING: [&str; 6] = [
    "Could not resolve",
    "Could not find ",
    "Could not download",
    "Could not GET",
    "Cannot find a version of",
    "No matching variant of",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    if let Some(task) = trimmed.strip_prefix("> Task :") {
        context.before = Before::Anything;
        let Some(task) = task.strip_suffix(" FAILED") else {
            return Some(Printed::noise(Tool::Gradle, 1));
        };
        return Some(with_phase(Printed::noise(Tool::Gradle, 2), phase(task)));
    }
    if begins(
        trimmed,
        &["FAILURE: Build ", "BUILD FAILED in ", "* What went wrong:"],
    ) {
        context.before = Before::Anything;
        return Some(Printed::noise(Tool::Gradle, 1));
    }
    if begins(trimmed, &BOILERPLATE) {
        return Some(Printed::noise(Tool::Gradle, 0));
    }
    if trimmed.contains(" actionable task")
        || begins(
            trimmed,
            &["project :", "- https://", "- file:", "root project "],
        )
    {
        return Some(Printed::noise(Tool::Gradle, 0));
    }
    if let Some(task) = trimmed.strip_prefix("Execution failed for task '") {
        let task = task.split('\'').next().unwrap_or_default();
        let phase = phase(task);
        let name = task.rsplit(':').next().unwrap_or_default();
        // What other tasks do is not known otherwise.
        let reading = match phase {
            Some(Phase::Compile | Phase::Test) => Reading::Nothing,
            _ => Reading::Message(name),
        };
        return Some(with_phase(Printed::new(Tool::Gradle, 1, reading), phase));
    }
    if begins(
        trimmed,
        &[
            "A problem occurred evaluating",
            "A problem occurred configuring",
        ],
    ) {
        let end = trimmed.find(" project").unwrap_or(trimmed.len());
        return Some(Printed::message(
            Tool::Gradle,
            1,
            trimmed.get(..end).unwrap_or_default(),
        ));
    }
    if trimmed.ends_with(" FAILED") && trimmed.contains(" > ") {
        context.tests.1 = true;
        return Some(Printed::noise(Tool::Gradle, 1).in_phase(Phase::Test));
    }
    reason(trimmed)
}

/// Reads a line below `What went wrong`: `   > Could not find org.example:thing:1.0.`
fn reason(trimmed: &str) -> Option<Printed<'_>> {
    let reason = trimmed.trim_start_matches(['>', ' ']);
    let is_resolving = begins(reason, &RESOLVING);
    if reason.len() == trimmed.len() && !is_resolving {
        return None;
    }
    let evidence = u32::from(is_resolving && reason.contains(':'));
    let printed = Printed::message(Tool::Gradle, evidence, reason);
    Some(if is_resolving {
        printed.in_phase(Phase::Resolve)
    } else {
        printed
    })
}

fn with_phase(printed: Printed<'_>, phase: Option<Phase>) -> Printed<'_> {
    match phase {
        Some(phase) => printed.in_phase(phase),
        None => printed,
    }
}

/// Returns the phase of a task.
fn phase(task: &str) -> Option<Phase> {
    let name = task.rsplit(':').next()?;
    let lower = name.to_lowercase();
    if lower.contains("compile") || lower.starts_with("ksp") || lower.starts_with("kapt") {
        Some(Phase::Compile)
    } else if lower.ends_with("test") || lower.starts_with("test") {
        Some(Phase::Test)
    } else if ["jar", "war", "package", "bundle", "assemble", "publish"]
        .iter()
        .any(|verb| lower.contains(verb))
    {
        Some(Phase::Package)
    } else {
        (lower == "run" || lower == "bootrun").then_some(Phase::Run)
    }
}
