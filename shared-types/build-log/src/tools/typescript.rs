//! The TypeScript compiler.

use super::{Before, Context, Printed, begins};
use crate::{Phase, Tool, line::split_position};

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let (evidence, text) = match split_position(line) {
        Some((_, rest)) => (2, rest),
        None => (1, line.trim()),
    };
    let text = text.strip_prefix("- ").unwrap_or(text);
    let message = text.strip_prefix("error ").unwrap_or(text);
    if message
        .split_once(": ")
        .is_some_and(|(code, _)| is_code(code))
    {
        context.before = Before::Message(Tool::TypeScript);
        return Some(
            Printed::message(Tool::TypeScript, evidence, message).in_phase(Phase::Compile),
        );
    }
    if context.before != Before::Message(Tool::TypeScript) {
        return None;
    }
    let trimmed = line.trim();
    if begins(trimmed, &["Found "]) && trimmed.contains(" error")
        || trimmed.starts_with("Errors  Files")
    {
        return Some(Printed::noise(Tool::TypeScript, 1));
    }
    // Source lines have their number in front.
    let is_source = trimmed.starts_with(|c: char| c.is_ascii_digit() || c == '~');
    if is_source {
        return Some(Printed::noise(Tool::TypeScript, 0));
    }
    let is_more = line.starts_with("  ") && trimmed.starts_with(char::is_uppercase);
    is_more.then(|| Printed::detail(Tool::TypeScript, trimmed))
}

/// Whether a text is a code: `TS2345`.
fn is_code(code: &str) -> bool {
    code.strip_prefix("TS")
        .is_some_and(|digits| digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
