//! The go command.

use super::{Before, Context, Printed, begins};
use crate::{Phase, Tool, line::split_position};

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    if let Some((_, message)) =
        split_position(line).filter(|(path, _)| path.ends_with(".go") || path.ends_with("go.mod"))
    {
        context.before = Before::Message(Tool::Go);
        let message = message.strip_prefix("vet: ").unwrap_or(message);
        let printed = Printed::message(Tool::Go, 2, message);
        let is_resolving = [
            "no required module",
            "cannot find package",
            "cannot find module",
            "missing go.sum",
            "package ",
        ];
        return Some(printed.in_phase(match begins(message, &is_resolving) {
            true => Phase::Resolve,
            false => Phase::Compile,
        }));
    }
    if let Some(message) = line.strip_prefix("go: ") {
        if begins(
            message,
            &[
                "downloading ",
                "finding ",
                "extracting ",
                "found ",
                "added ",
                "upgraded ",
            ],
        ) {
            return Some(Printed::noise(Tool::Go, 1));
        }
        context.before = Before::Message(Tool::Go);
        let is_module =
            message.contains('@') || message.contains("module") || message.contains("go.mod");
        return is_module.then(|| Printed::message(Tool::Go, 2, message).in_phase(Phase::Resolve));
    }
    if begins(line, &["--- FAIL: ", "FAIL\t", "ok  \t"]) || line == "FAIL" && context.tests.1 {
        context.before = Before::Anything;
        context.tests.1 |= line.starts_with("--- FAIL");
        return Some(Printed::noise(Tool::Go, 1).in_phase(Phase::Test));
    }
    if line.starts_with("# ")
        && !trimmed.contains(": ")
        && trimmed.contains('/')
        && trimmed.split(' ').count() <= 3
    {
        return Some(Printed::noise(Tool::Go, 0));
    }
    if begins(line, &["goroutine ", "exit status ", "created by "]) {
        return Some(Printed::noise(Tool::Go, 0));
    }
    if let Some(message) = line
        .strip_prefix("panic: ")
        .filter(|_| context.before != Before::Warning)
    {
        context.before = Before::Anything;
        return Some(Printed::message(Tool::Go, 0, message));
    }
    if context.before != Before::Message(Tool::Go) {
        return None;
    }
    if begins(trimmed, &["have (", "want (", "have ", "want "]) {
        return Some(Printed::detail(Tool::Go, trimmed));
    }
    begins(trimmed, &["go get ", "go mod ", "too many errors"]).then(|| Printed::noise(Tool::Go, 1))
}
