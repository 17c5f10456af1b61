//! Tracebacks of Python, and pytest.

use super::{Before, Context, Printed, begins, is_count};
use crate::{Phase, Tool, line::split_position, names::is_dotted, names::is_identifier};

/// Beginnings of lines that say nothing about the cause.
const BOILERPLATE: [&str; 14] = [
    "Traceback (most recent call last)",
    "During handling of the above exception",
    "The above exception was the direct cause",
    "collected ",
    "collecting ",
    "platform ",
    "rootdir: ",
    "plugins: ",
    "cachedir: ",
    "configfile: ",
    "Hint: make sure your test modules",
    "ImportError while importing test module",
    "ImportError while loading conftest",
    "[Previous line repeated",
];

pub(super) fn read<'a>(line: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    let trimmed = line.trim();
    if begins(trimmed, &BOILERPLATE) {
        context.before = Before::Anything;
        let is_sure = begins(
            trimmed,
            &[
                "Traceback (",
                "rootdir: ",
                "ImportError while",
                "Hint: make sure",
            ],
        );
        return Some(Printed::noise(Tool::Python, u32::from(is_sure)));
    }
    if trimmed.starts_with("File \"") && trimmed.contains("\", line ") {
        context.before = Before::Frame;
        return Some(Printed::noise(Tool::Python, 1));
    }
    if let Some(printed) = pytest(line, trimmed, context) {
        return Some(printed);
    }
    let class = trimmed.split(':').next()?;
    let last = class.rsplit('.').next()?;
    let is_exception = ["Error", "Exception", "Warning", "Interrupt", "NotFound"]
        .iter()
        .any(|end| last.ends_with(end));
    let is_name = is_identifier(class) || is_dotted(class);
    if !is_exception || !is_name || !last.starts_with(char::is_uppercase) {
        return None;
    }
    context.before = Before::Anything;
    Some(Printed::message(Tool::Python, 0, trimmed))
}

fn pytest<'a>(line: &'a str, trimmed: &'a str, context: &mut Context) -> Option<Printed<'a>> {
    if let Some(error) = line.strip_prefix("E   ") {
        context.before = Before::Anything;
        let printed = match error.starts_with(' ') || error.starts_with(['+', '-', '?']) {
            true => Printed::detail(Tool::Python, error.trim()),
            false => Printed::message(Tool::Python, 1, error.trim()),
        };
        return Some(printed.in_phase(Phase::Test));
    }
    let summary = trimmed
        .strip_prefix("FAILED ")
        .or_else(|| trimmed.strip_prefix("ERROR "));
    if let Some(test) = summary.filter(|test| test.contains(".py")) {
        let (errors, failures) = &mut context.tests;
        *errors |= trimmed.starts_with("ERROR ");
        *failures |= trimmed.starts_with("FAILED ");
        let printed = match test.split_once(" - ") {
            Some((_, message)) => Printed::message(Tool::Python, 1, message),
            None => Printed::noise(Tool::Python, 1),
        };
        return Some(printed.in_phase(Phase::Test));
    }
    let is_heading = |mark: &str| trimmed.starts_with(mark) && trimmed.ends_with(mark);
    if is_heading("===") || is_heading("___") {
        return Some(Printed::noise(Tool::Python, 1).in_phase(Phase::Test));
    }
    if let Some((_, rest)) = split_position(trimmed).filter(|(path, _)| path.ends_with(".py")) {
        context.before = Before::Frame;
        return Some(
            match rest.is_empty() || rest.starts_with("in ") || is_identifier(rest) {
                true => Printed::noise(Tool::Python, 1),
                false => Printed::message(Tool::Python, 1, rest),
            },
        );
    }
    let is_code = line.starts_with("> ") || line.starts_with(">   ");
    (is_code && context.tests != (false, false) || is_count(trimmed, &["passed", "failed"]))
        .then(|| Printed::noise(Tool::Python, 0))
}
