//! Compilers and stack traces of the JVM: javac, kotlinc, scalac; also inside the output of Maven and Gradle.

use super::{Before, Context, Printed, Reading, begins, is_count};
use crate::{Phase, Tool, line::split_position};

/// Extensions of sources.
const SOURCES: [&str; 4] = [".java", ".kt", ".scala", ".groovy"];
/// Beginnings of lines that explain a message of the compiler.
const DETAILS: [&str; 6] = [
    "required:",
    "found:",
    "reason:",
    "(argument mismatch",
    "method ",
    "constructor ",
];
/// What the compiler prints besides messages.
const BOILERPLATE: [&str; 4] = [
    "Note: ",
    "Some messages have been simplified",
    "Recompile with -X",
    "... ",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    if let Some(printed) = message(trimmed, context) {
        return Some(printed);
    }
    if let Some(printed) = detail(line, trimmed, context) {
        return Some(printed);
    }
    if let Some(printed) = exception(trimmed) {
        context.before = Before::Anything;
        return Some(printed);
    }
    let is_noise = begins(trimmed, &BOILERPLATE) || is_count(trimmed, &["error", "warning"]);
    is_noise.then(|| Printed::noise(Tool::Java, 0))
}

/// Reads a message with the path of a source in front.
fn message<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let is_warning = line.starts_with("w: ");
    let line = line
        .strip_prefix("e: ")
        .or_else(|| line.strip_prefix("w: "))
        .unwrap_or(line);
    let (path, rest) = split_position(line).or_else(|| {
        // `path: (12, 5): message`, `path: message`.
        let (path, rest) = line.split_once(": ")?;
        let rest = match rest
            .strip_prefix('(')
            .and_then(|rest| rest.split_once("): "))
        {
            Some((position, message))
                if position.bytes().all(|byte| b"0123456789, ".contains(&byte)) =>
            {
                message
            }
            _ => rest,
        };
        Some((path, rest))
    })?;
    if !SOURCES.iter().any(|source| path.ends_with(source))
        || path.contains(" ") && !path.contains('/')
    {
        return None;
    }
    if rest.starts_with("warning:") || is_warning {
        context.before = Before::Warning;
        return Some(Printed::noise(Tool::Java, 1));
    }
    context.before = Before::Position(Tool::Java);
    let rest = rest
        .strip_prefix("error: ")
        .or_else(|| rest.strip_prefix("error:"))
        .unwrap_or(rest);
    Some(Printed::message(Tool::Java, 2, rest.trim_start()).in_phase(Phase::Compile))
}

/// Reads a line that explains a message of the compiler.
fn detail<'a>(line: &'a str, trimmed: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    if let Some(symbol) = trimmed.strip_prefix("symbol:") {
        context.before = Before::Anything;
        return Some(Printed {
            evidence: 1,
            ..Printed::detail(Tool::Java, symbol.trim())
        });
    }
    if let Some(location) = trimmed.strip_prefix("location:") {
        // `variable x of type T`, `class T`, `package p`.
        context.before = Before::Anything;
        return Some(Printed::detail(
            Tool::Java,
            location.split_whitespace().next_back().unwrap_or_default(),
        ));
    }
    if trimmed.starts_with("class file for ") && trimmed.ends_with(" not found") {
        return Some(Printed::message(Tool::Java, 1, trimmed));
    }
    let is_detail = line.starts_with("  ") && begins(trimmed, &DETAILS);
    is_detail.then(|| Printed::detail(Tool::Java, trimmed))
}

/// Reads a line of a stack trace.
fn exception(trimmed: &str) -> Option<Printed<'_>> {
    if let Some(frame) = trimmed.strip_prefix("at ") {
        let is_frame = frame.ends_with(')')
            && frame.contains('(')
            && frame.contains('.')
            && !frame.contains(' ')
            || SOURCES
                .iter()
                .any(|source| frame.contains(&format!("{source}:")));
        return is_frame.then(|| Printed::noise(Tool::Java, 1));
    }
    let cause = trimmed.strip_prefix("Caused by: ");
    let thread = trimmed
        .strip_prefix("Exception in thread ")
        .and_then(|rest| rest.split_once("\" "));
    let text = cause.or(thread.map(|(_, text)| text)).unwrap_or(trimmed);
    let class = text.split([':', ' ']).next()?;
    let (_, last) = class.rsplit_once('.')?;
    let is_throwable =
        last.ends_with("Exception") || last.ends_with("Error") || last.ends_with("Throwable");
    if !is_throwable
        || !class.starts_with(|c: char| c.is_ascii_lowercase())
        || class.matches('.').count() < 2
    {
        return None;
    }
    // Gradle appends ` at FooTest.java:12`.
    let text = match text.rsplit_once(" at ") {
        Some((message, place)) if SOURCES.iter().any(|source| place.contains(source)) => message,
        _ => text,
    };
    let printed = Printed::new(Tool::Java, 1, Reading::Message(text));
    Some(if thread.is_some() {
        printed.in_phase(Phase::Run)
    } else {
        printed
    })
}
