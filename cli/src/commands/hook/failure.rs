//! Finds the error in an agent's report of a command.

use serde_json::Value;

/// Parts of lines that name an error, in lower case.
const SIGNS: [&str; 15] = [
    "error",
    "exception",
    "fatal",
    "panicked",
    "failed",
    "failure",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "not found",
    "no such",
    "denied",
    "undefined",
    "unexpected",
];
/// The maximum number of such lines.
const MAX_LINES: usize = 6;
/// The number of last lines that are used if no line names an error.
const LAST_LINES: usize = 3;
/// The length to which a line is cut. *Unit*: characters.
const MAX_CHARS: usize = 300;
/// The fields of a response that may contain a command's exit code.
const CODES: [&str; 4] = ["exit_code", "exitCode", "code", "returnCode"];

/// Returns the lines that describe the error; `None` if there was none, or if the user interrupted the command.
pub(super) fn message(input: &Value) -> Option<String> {
    if input.get("tool_name")?.as_str()? != "Bash" {
        return None;
    }
    match input.get("hook_event_name")?.as_str()? {
        "PostToolUseFailure" => {
            let is_interrupted = input.get("is_interrupt").and_then(Value::as_bool);
            let error = input.get("error")?.as_str()?;
            (is_interrupted != Some(true)).then(|| lines(error, true))?
        }
        "PostToolUse" => {
            let response = input.get("tool_response")?;
            let output = ["stderr", "stdout"].map(|name| response.get(name)?.as_str());
            let output: Vec<&str> = output.into_iter().flatten().collect();
            lines(&output.join("\n"), has_failed(response))
        }
        _ => None,
    }
}

fn has_failed(response: &Value) -> bool {
    let code = CODES.iter().find_map(|name| response.get(name)?.as_i64());
    let is_error = ["is_error", "isError"].map(|name| response.get(name) == Some(&true.into()));
    code.is_some_and(|code| code != 0) || is_error.contains(&true)
}

/// Returns the lines that name an error. If there is none but the command is known to have failed, returns the last
/// lines. If the command is not known to have failed, only lines that begin like an error report count.
fn lines(output: &str, is_failure: bool) -> Option<String> {
    let output = console::strip_ansi_codes(output);
    let lines = output.lines().map(str::trim);
    let lines: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with("Exit code "))
        .collect();
    let names_error = |line: &&&str| match is_failure {
        true => SIGNS.iter().any(|sign| line.to_lowercase().contains(sign)),
        false => is_report(line),
    };
    let mut picked: Vec<&str> = lines
        .iter()
        .filter(names_error)
        .take(MAX_LINES)
        .copied()
        .collect();
    if picked.is_empty() && is_failure {
        let from = lines.len().saturating_sub(LAST_LINES);
        picked.extend(lines.iter().skip(from));
    }
    let picked: Vec<String> = picked
        .iter()
        .map(|line| line.chars().take(MAX_CHARS).collect())
        .collect();
    (!picked.is_empty()).then(|| picked.join("\n"))
}

/// Returns whether a line looks like an error report of a compiler or interpreter: `error[E0502]: …`,
/// `TypeError: …`, `fatal: …`.
fn is_report(line: &str) -> bool {
    let Some((head, rest)) = line.split_once(':') else {
        return line.contains("panicked at");
    };
    let head = head.split('[').next().unwrap_or_default();
    let is_name = !head.contains(' ');
    let names_error = ["error", "fatal", "Error", "ERROR"].contains(&head)
        || (is_name && (head.ends_with("Error") || head.ends_with("Exception")));
    (names_error && !rest.trim().is_empty()) || line.contains("panicked at")
}
