//! The error in what an agent reports of a command.

use serde_json::Value;

/// What lines that name an error have in them, in lower case.
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
/// How many such lines are searched for.
const LINES: usize = 6;
/// Where there is none: how many of the last lines.
const LAST_LINES: usize = 3;
/// How much of a line. *Unit*: characters.
const WIDTH: usize = 300;
/// The fields of a response that hold a command's exit code.
const CODES: [&str; 4] = ["exit_code", "exitCode", "code", "returnCode"];

/// Returns the lines that say what went wrong; none where nothing did, or where the user stopped it.
pub(super) fn message(said: &Value) -> Option<String> {
    if said.get("tool_name")?.as_str()? != "Bash" {
        return None;
    }
    match said.get("hook_event_name")?.as_str()? {
        "PostToolUseFailure" => {
            let is_interrupted = said.get("is_interrupt").and_then(Value::as_bool);
            let error = said.get("error")?.as_str()?;
            (is_interrupted != Some(true)).then(|| lines(error, true))?
        }
        "PostToolUse" => {
            let response = said.get("tool_response")?;
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

/// Picks the lines that name an error; where a command is known to have failed, the last ones stand in
/// for them. A command that did not fail has to say so at the start of a line.
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
        .take(LINES)
        .copied()
        .collect();
    if picked.is_empty() && is_failure {
        let from = lines.len().saturating_sub(LAST_LINES);
        picked.extend(lines.iter().skip(from));
    }
    let picked: Vec<String> = picked
        .iter()
        .map(|line| line.chars().take(WIDTH).collect())
        .collect();
    (!picked.is_empty()).then(|| picked.join("\n"))
}

/// Says whether a line is what compilers and interpreters write of an error: `error[E0502]: …`,
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
