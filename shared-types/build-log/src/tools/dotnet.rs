//! MSBuild, dotnet, NuGet and the C# compiler.

use super::{Before, Context, Printed, begins, is_count};
use crate::{Phase, Tool, message::is_code};

/// Beginnings of lines that every failing build has.
const BOILERPLATE: [&str; 11] = [
    "Restored ",
    "All projects are up-to-date",
    "Build FAILED.",
    "Build failed with ",
    "Determining projects to restore",
    "Time Elapsed ",
    "MSBuild version ",
    "Microsoft (R) Build Engine",
    "The build failed. Fix the build errors",
    "Build started ",
    "[xUnit.net ",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    if begins(trimmed, &BOILERPLATE) {
        let is_sure = trimmed == "Build FAILED." || trimmed.starts_with("[xUnit.net ");
        return Some(Printed::noise(Tool::Dotnet, u32::from(is_sure)));
    }
    if is_count(trimmed, &["Warning(s)", "Error(s)"]) {
        return Some(Printed::noise(Tool::Dotnet, 1));
    }
    if trimmed.starts_with("at ") && trimmed.contains(" in ") && trimmed.contains(":line ") {
        return Some(Printed::noise(Tool::Dotnet, 1));
    }
    if begins(trimmed, &["Error Message:", "Stack Trace:"]) {
        return Some(Printed::noise(Tool::Dotnet, 1).in_phase(Phase::Test));
    }
    diagnostic(trimmed, context)
}

/// Reads `path(12,5): error CS0246: message [project]`, `project : error NU1101: message`, `MSBUILD : error MSB1009: …`.
fn diagnostic<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let is_start = |at: &usize| {
        *at == 0
            || line
                .get(..*at)
                .is_some_and(|before| before.ends_with(": ") || before.ends_with(" : "))
    };
    let error = line
        .match_indices("error ")
        .map(|(at, _)| at)
        .find(is_start);
    let warning = line
        .match_indices("warning ")
        .map(|(at, _)| at)
        .find(is_start);
    let at = match (error, warning) {
        (Some(error), _) => error + "error ".len(),
        (None, Some(warning)) => warning + "warning ".len(),
        (None, None) => return None,
    };
    let message = line.get(at..)?;
    let (code, _) = message.split_once(':')?;
    let code = code.trim();
    if !is_code(code)
        || !begins(
            code,
            &["CS", "NU", "MSB", "NETSDK", "BC", "FS", "CA", "IDE", "AD"],
        )
    {
        return None;
    }
    if error.is_none() {
        context.before = Before::Warning;
        return Some(Printed::noise(Tool::Dotnet, 1));
    }
    context.before = Before::Anything;
    // The project in brackets at the end.
    let message = match message.rsplit_once(" [") {
        Some((message, project)) if project.ends_with(']') => message,
        _ => message,
    };
    let message = message
        .split(" (are you missing a")
        .next()
        .unwrap_or_default();
    let evidence = if at > "error ".len() { 2 } else { 1 };
    let phase = match begins(code, &["NU", "NETSDK"]) {
        true => Phase::Resolve,
        false => Phase::Compile,
    };
    Some(Printed::message(Tool::Dotnet, evidence, message).in_phase(phase))
}
