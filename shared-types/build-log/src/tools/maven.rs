//! Maven: lines with a level in brackets, and what the compiler and the tests print on them.

use super::{Before, Context, Printed, Reading, begins, java};
use crate::{
    Phase, Tool,
    names::{is_dotted, is_identifier},
};

/// Beginnings of errors that every failing build has.
const BOILERPLATE: [&str; 17] = [
    "COMPILATION ERROR",
    "BUILD FAILURE",
    "Re-run Maven",
    "To see the full stack trace",
    "For more information about the errors",
    "After correcting the problems",
    "mvn <",
    "[Help ",
    "-> [Help",
    "Please refer to",
    "Failures:",
    "Errors:",
    "Tests run:",
    "There are test failures",
    "To suppress warnings about obsolete options",
    "See dump files",
    "The forked VM terminated without",
];
/// Plugins that every build runs: their names say nothing besides the phase.
const USUAL_PLUGINS: [&str; 7] = [
    "maven-compiler-plugin",
    "maven-surefire-plugin",
    "maven-failsafe-plugin",
    "maven-resources-plugin",
    "maven-install-plugin",
    "maven-clean-plugin",
    "maven-deploy-plugin",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let (level, text) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let text = text.strip_prefix(' ').unwrap_or(text);
    match level {
        "ERROR" | "FATAL" => Some(error(text, context)),
        "INFO" | "WARNING" | "DEBUG" => {
            let is_sure = text.starts_with("BUILD FAILURE")
                || text.starts_with("--- ") && text.ends_with(" ---");
            context.before = Before::Anything;
            Some(Printed::noise(Tool::Maven, u32::from(is_sure)))
        }
        _ => None,
    }
}

/// Reads what follows `[ERROR]`.
fn error<'a>(text: &'a str, context: &mut Context) -> Printed<'a> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Printed::noise(Tool::Maven, 0);
    }
    if let Some(rest) = trimmed.strip_prefix("Failed to execute goal ") {
        return goal(rest);
    }
    if trimmed.starts_with("Tests run:") || trimmed.contains("  Time elapsed:") {
        return test(trimmed, context);
    }
    if begins(trimmed, &BOILERPLATE) {
        let is_sure = begins(
            trimmed,
            &[
                "Re-run Maven",
                "To see the full stack trace",
                "COMPILATION ERROR",
            ],
        );
        let evidence = if is_sure { 2 } else { 1 };
        let printed = Printed::noise(Tool::Maven, evidence);
        return match trimmed.starts_with("COMPILATION ERROR") {
            true => printed.in_phase(Phase::Compile),
            false => printed,
        };
    }
    if let Some(printed) = java::read(text, context) {
        return Printed {
            tool: Tool::Maven,
            ..printed
        };
    }
    if let Some(message) = test_summary(text) {
        return Printed::message(Tool::Maven, 1, message).in_phase(Phase::Test);
    }
    let is_resolving = [
        "Could not resolve dependencies",
        "Could not find artifact",
        "Failed to collect dependencies",
    ];
    match is_resolving.iter().any(|sign| trimmed.contains(sign)) {
        true => Printed::message(Tool::Maven, 1, trimmed).in_phase(Phase::Resolve),
        false => Printed::message(Tool::Maven, 0, trimmed),
    }
}

/// Reads `group:artifact:version:goal (execution) on project name: message`.
fn goal(text: &str) -> Printed<'_> {
    // Without a goal: `on project name: Could not resolve …`.
    let (plugin, rest) = match text.starts_with("on project ") {
        true => ("", text),
        false => text.split_once(' ').unwrap_or((text, "")),
    };
    let is_usual = plugin.is_empty() || USUAL_PLUGINS.iter().any(|usual| plugin.contains(usual));
    let goal = plugin.rsplit(':').next().unwrap_or_default();
    let message = match rest
        .split_once("on project ")
        .and_then(|(_, project)| project.split_once(':'))
    {
        Some((_, message)) => message.split(" -> [Help").next().unwrap_or_default().trim(),
        None => "",
    };
    let says_nothing = message.starts_with("Compilation failure")
        || message.starts_with("There are test failures");
    let reading = match (is_usual, says_nothing || message.is_empty()) {
        (true, true) => Reading::Nothing,
        (true, false) => Reading::Message(message),
        (false, true) => Reading::Message(plugin),
        // The name of the plugin and the message, with the project between them.
        (false, false) => Reading::Message(text.split(" -> [Help").next().unwrap_or_default()),
    };
    let printed = Printed::new(Tool::Maven, 2, reading);
    match phase(plugin, goal, message) {
        Some(phase) => printed.in_phase(phase),
        None => printed,
    }
}

/// Returns the phase of a goal.
fn phase(plugin: &str, goal: &str, message: &str) -> Option<Phase> {
    if message.starts_with("Could not resolve") || plugin.contains("enforcer") {
        return Some(Phase::Resolve);
    }
    Some(match goal {
        "compile" | "testCompile" => Phase::Compile,
        "test" | "integration-test" | "verify" => Phase::Test,
        "run" | "exec" | "java" | "start" => Phase::Run,
        "jar" | "war" | "shade" | "single" | "repackage" | "deploy" | "install" | "bundle" => {
            Phase::Package
        }
        _ => return None,
    })
}

/// Reads the result of a test.
fn test<'a>(text: &'a str, context: &mut Context) -> Printed<'a> {
    context.before = Before::Anything;
    let (errors, failures) = &mut context.tests;
    *errors |= text.contains("<<< ERROR!");
    *failures |= text.contains("<<< FAILURE!") && !text.starts_with("Tests run:");
    let evidence = if text.contains("<<<") { 2 } else { 1 };
    // JUnit's name for a class that could not even be started.
    let reading = match text.starts_with("initializationError") {
        true => Reading::Message("initializationError"),
        false => Reading::Nothing,
    };
    Printed::new(Tool::Maven, evidence, reading).in_phase(Phase::Test)
}

/// Returns the message of a line in the list of failed tests: `  FooTest.bar:12 expected …`, `  FooTest.bar:12 » NullPointer …`.
fn test_summary(text: &str) -> Option<&str> {
    let (test, message) = text.strip_prefix("  ")?.trim_start().split_once(' ')?;
    let test = test.rsplit("->").next()?.split(':').next()?;
    let is_test = is_dotted(test)
        || test.contains('.')
            && test
                .split('.')
                .all(|part| part.split('[').next().is_some_and(is_identifier));
    let message = message.trim_start_matches(['»', ' ']);
    (is_test && test.starts_with(char::is_uppercase)).then_some(message)
}
