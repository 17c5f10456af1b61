//! npm, yarn and pnpm, bundlers, Jest, and stack traces of Node.

use super::{Before, Context, Printed, Reading, begins};
use crate::{Phase, Tool, message::is_code};

/// Beginnings of npm's errors that say nothing about the cause.
const BOILERPLATE: [&str; 27] = [
    "errno ",
    "syscall ",
    "path ",
    "dest ",
    "cwd ",
    "command ",
    "A complete log",
    "Fix the upstream",
    "Fix any of",
    "this command with",
    "to accept an incorrect",
    "See ",
    "For a full report",
    "This is probably not a problem",
    "This is likely not a problem",
    "Failed at the",
    "Exit status",
    "Lifecycle script",
    "node_modules/",
    "While resolving:",
    "Additional logging details",
    "404 Note that",
    "404 You should bug",
    "404 It was specified as a dependency",
    "404 tarball, folder",
    "workspace ",
    "location ",
];
/// Lines of node-gyp that describe the machine.
const GYP_BOILERPLATE: [&str; 8] = [
    "System",
    "cwd",
    "command",
    "node -v",
    "node-gyp -v",
    "not ok",
    "stack     at",
    "stack at ",
];
/// Lines of Node, yarn, Jest and bundlers that say nothing.
const MORE_BOILERPLATE: [&str; 13] = [
    "info Visit https://yarnpkg.com",
    "error Command failed with exit code",
    "yarn install v",
    "yarn run v",
    "Node.js v",
    "node:internal/",
    "Require stack:",
    "npm WARN ",
    "npm warn ",
    "npm notice ",
    "npm verb ",
    "Test suite failed to run",
    "ERROR in ",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    let npm = trimmed
        .strip_prefix("npm ERR!")
        .or_else(|| trimmed.strip_prefix("npm error"));
    if let Some(rest) = npm {
        context.before = Before::Anything;
        return Some(npm_error(rest.trim()));
    }
    if let Some(rest) = trimmed.strip_prefix("gyp ERR! ") {
        let rest = rest.trim();
        if begins(rest, &GYP_BOILERPLATE) {
            return Some(Printed::noise(Tool::Node, 1));
        }
        let rest = rest.strip_prefix("stack ").unwrap_or(rest);
        return Some(Printed::message(Tool::Node, 1, rest).in_phase(Phase::Compile));
    }
    if let Some(printed) = yarn_or_pnpm(trimmed) {
        return Some(printed);
    }
    let is_summary = trimmed.starts_with("webpack ") && trimmed.contains(" compiled with ");
    if is_summary || begins(trimmed, &MORE_BOILERPLATE) {
        context.before = Before::Anything;
        return Some(Printed::noise(Tool::Node, 1));
    }
    if let Some(printed) = test(trimmed, context) {
        return Some(printed);
    }
    module(trimmed, context)
}

/// Reads what follows `npm ERR!`.
fn npm_error(text: &str) -> Printed<'_> {
    if let Some(code) = text.strip_prefix("code ") {
        return match is_code(code) {
            true => Printed::message(Tool::Node, 1, code),
            false => Printed::noise(Tool::Node, 1),
        };
    }
    if text.is_empty() || begins(text, &BOILERPLATE) || text.starts_with("at ") {
        return Printed::noise(Tool::Node, 1);
    }
    let is_script = text.contains("@") && text.ends_with('`') && text.contains(": `");
    if is_script {
        return Printed::noise(Tool::Node, 1);
    }
    let message = text
        .split(" from the root project")
        .next()
        .unwrap_or_default();
    let printed = Printed::message(Tool::Node, 1, message);
    let is_resolving = [
        "ERESOLVE",
        "ETARGET",
        "404",
        "notarget",
        "Could not resolve",
        "Conflicting peer",
    ];
    match begins(text, &is_resolving) {
        true => printed.in_phase(Phase::Resolve),
        false => printed,
    }
}

fn yarn_or_pnpm(line: &str) -> Option<Printed<'_>> {
    if let Some(rest) = line.strip_prefix("➤ ") {
        let (code, text) = rest.split_once(':')?;
        let text = text.trim_start_matches(['│', '┌', '└', ' ']);
        return Some(match code {
            "YN0000" | "YN0007" | "YN0013" | "YN0019" => Printed::noise(Tool::Node, 1),
            _ => Printed::message(Tool::Node, 1, text),
        });
    }
    if line.contains("ERR_PNPM_") {
        return Some(Printed::message(Tool::Node, 2, line).in_phase(Phase::Resolve));
    }
    let error = line.strip_prefix("error ")?;
    let is_yarn = [
        "Couldn't find",
        "An unexpected error occurred",
        "Found incompatible module",
        "Received invalid",
    ];
    let is_engine = error.contains(": The engine \"") || error.contains(": The platform \"");
    (is_engine || begins(error, &is_yarn))
        .then(|| Printed::message(Tool::Node, 1, error).in_phase(Phase::Resolve))
}

/// Reads the name of a test of Jest, Vitest or Mocha that failed.
fn test<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let is_file = line
        .strip_prefix("FAIL ")
        .is_some_and(|file| file.contains('.') && file.contains('/'));
    let is_name = line.starts_with("● ") && line.contains(" › ");
    let is_total = begins(line, &["Test Suites: ", "Tests:       ", "Snapshots:   "]);
    if !is_file && !is_name && !is_total {
        return None;
    }
    context.tests.1 |= is_file || is_name;
    Some(Printed::noise(Tool::Node, 1).in_phase(Phase::Test))
}

/// Reads messages about modules, and stack traces of Node.
fn module<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    if let Some(frame) = line.strip_prefix("at ") {
        let is_frame = [".js:", ".ts:", ".mjs:", ".cjs:", "node:", "<anonymous>"]
            .iter()
            .any(|sign| frame.contains(sign));
        return is_frame.then(|| Printed::noise(Tool::Node, 1));
    }
    if let Some(code) = line
        .strip_prefix("code: '")
        .and_then(|rest| rest.split('\'').next())
    {
        return Some(Printed::new(Tool::Node, 1, Reading::Code(code.to_owned())));
    }
    let bundled = line
        .strip_prefix("Module not found: ")
        .or_else(|| line.strip_prefix("✘ [ERROR] "));
    let bundled = bundled
        .or_else(|| line.strip_prefix("[vite]: "))
        .or_else(|| line.strip_prefix("[!] "));
    if let Some(message) = bundled {
        context.before = Before::Anything;
        // The folder of the module that asks is the project's own.
        let message = message
            .rsplit_once(" in '")
            .map_or(message, |(message, _)| message);
        let message = message.split("\" from \"/").next().unwrap_or_default();
        return Some(Printed::message(Tool::Node, 1, message).in_phase(Phase::Compile));
    }
    let (message, _) = line
        .split_once("' from '")
        .filter(|_| line.starts_with("Cannot find module '"))?;
    Some(Printed::message(Tool::Node, 1, message).in_phase(Phase::Test))
}
