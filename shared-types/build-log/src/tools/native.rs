//! make, CMake and ninja, and compilers and linkers of C and C++.

use super::{Before, Context, Printed, begins, is_count};
use crate::{Phase, Tool, line::split_position};

/// Extensions of sources and build files.
const SOURCES: [&str; 13] = [
    ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".mm", ".cu", ".o", ".S",
];
/// Beginnings of lines that say nothing about the cause.
const BOILERPLATE: [&str; 15] = [
    "In file included from",
    "from ",
    "make: Entering",
    "make: Leaving",
    "make: ***",
    "gmake",
    "collect2: error: ld returned",
    "compilation terminated.",
    "ninja: build stopped",
    "FAILED: ",
    "-- Configuring incomplete",
    "See also \"",
    "-- ",
    "Call Stack (most recent call first)",
    "clang: error: linker command failed",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    if let Some(printed) = make_or_cmake(trimmed, context) {
        return Some(printed);
    }
    if let Some((path, rest)) = split_position(line)
        && SOURCES.iter().any(|source| path.ends_with(source))
    {
        return compiler(rest, context);
    }
    if let Some((_, message)) = trimmed.split_once(": undefined reference to ") {
        let at = trimmed.len() - message.len() - "undefined reference to ".len();
        return Some(
            Printed::message(Tool::Native, 1, trimmed.get(at..).unwrap_or_default())
                .in_phase(Phase::Compile),
        );
    }
    let linker = trimmed
        .split_once("ld: ")
        .filter(|(before, _)| before.is_empty() || before.ends_with('/'));
    if let Some((_, message)) = linker {
        context.before = Before::Anything;
        return Some(Printed::message(Tool::Native, 1, message).in_phase(Phase::Compile));
    }
    if begins(trimmed, &BOILERPLATE) {
        let is_sure = begins(
            trimmed,
            &[
                "collect2:",
                "ninja: build",
                "compilation terminated",
                "-- Configuring incomplete",
            ],
        );
        return Some(Printed::noise(Tool::Native, u32::from(is_sure)));
    }
    if is_count(trimmed, &["error", "warning"]) && trimmed.ends_with("generated.") {
        return Some(Printed::noise(Tool::Native, 1));
    }
    if context.before == Before::Message(Tool::Native) && line.starts_with("  ") {
        return Some(Printed::detail(Tool::Native, trimmed));
    }
    // Source lines of gcc and clang: `  12 | code`.
    let gutter = trimmed
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    (gutter.starts_with("| ") || gutter == "|").then(|| Printed::noise(Tool::Native, 0))
}

fn make_or_cmake<'a>(trimmed: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    if let Some(rest) = trimmed
        .strip_prefix("make")
        .filter(|rest| rest.starts_with(['[', ':']))
    {
        context.before = Before::Anything;
        let message = rest.split_once("*** ").map(|(_, message)| message);
        return Some(
            match message.filter(|message| message.starts_with("No rule to make target")) {
                Some(message) => Printed::message(Tool::Native, 2, message),
                None => Printed::noise(Tool::Native, u32::from(message.is_some())),
            },
        );
    }
    let rest = trimmed.strip_prefix("CMake Error at ")?;
    context.before = Before::Message(Tool::Native);
    let function = rest.rsplit_once('(').map_or("", |(_, function)| function);
    Some(
        Printed::message(
            Tool::Native,
            2,
            function.split(')').next().unwrap_or_default(),
        )
        .in_phase(Phase::Compile),
    )
}

/// Reads what follows the position: `error: message`, `fatal error: message`, `error C2065: message`, `note: …`.
fn compiler<'a>(rest: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let message = rest.strip_prefix("fatal ").unwrap_or(rest);
    if let Some(message) = message.strip_prefix("error") {
        context.before = Before::Anything;
        let message = message.trim_start_matches([':', ' ']);
        return Some(Printed::message(Tool::Native, 2, message).in_phase(Phase::Compile));
    }
    if rest.starts_with("undefined reference to ") {
        return Some(Printed::message(Tool::Native, 1, rest).in_phase(Phase::Compile));
    }
    let is_warning = rest.starts_with("warning:");
    if is_warning {
        context.before = Before::Warning;
    }
    begins(rest, &["note:", "warning:", "in function"]).then(|| Printed::noise(Tool::Native, 1))
}
