//! Judges single lines of an output: whether one names an error, reports one as programs do, or reports success.

/// Parts of lines that name an error, in lower case.
const SIGNS: [&str; 17] = [
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
    "unable to",
    "unresolved",
];
/// Parts of lines with such a word that are not errors, in lower case. A space before them keeps `10 errors` from being
/// taken for `0 errors`.
const HARMLESS: [&str; 16] = [
    " error: none",
    " error: (none)",
    " error: null",
    " 0 error",
    " 0 failed",
    " 0 failure",
    " no error",
    " without error",
    "errors: 0",
    "failed: 0",
    "failures: 0",
    "error(s): 0",
    "0 failing",
    " error handling",
    "=0 fail",
    "errors=0",
];
/// The heads of lines that report an error, before a colon.
const HEADS: [&str; 16] = [
    "error",
    "Error",
    "ERROR",
    "fatal",
    "FATAL",
    "panic",
    "fatal error",
    "Fatal error",
    "npm error",
    "npm ERR!",
    "Uncaught exception",
    "Exception",
    "Failed",
    "FAIL",
    "CRITICAL",
    "FAILURE",
];
/// The beginnings of lines that report an error.
const BEGINNINGS: [&str; 34] = [
    "ERROR ",
    "FAILED ",
    "FAIL ",
    "--- FAIL",
    "FAIL:",
    "BUILD FAILED",
    "Build failed",
    "[ERROR]",
    "npm ERR!",
    "npm error",
    "E   ",
    "Traceback (most recent call last)",
    "Segmentation fault",
    "Bus error",
    "Exception in thread",
    "Uncaught ",
    "Unhandled ",
    "assertion failed",
    "Assertion failed",
    "Command failed",
    "Command timed out",
    "zsh: command not found",
    "Aborted (core dumped)",
    "ERR_",
    "E: ",
    "│ Error: ",
    "x Build failed",
    "** (",
    "CONFLICT (",
    "[!] ",
    "would reformat ",
    "Would reformat: ",
    "Oh no! 💥",
    "No idea what '",
];
/// Parts of lines that report an error.
const PARTS: [&str; 30] = [
    " would be reformatted",
    ": command not found",
    "panicked at ",
    "undefined reference to",
    ": No such file or directory",
    ": Permission denied",
    ": no such file or directory",
    "ModuleNotFoundError",
    "Cannot find module",
    ": cannot ",
    "): error ",
    " - error ",
    ": fatal error:",
    ": error:",
    "Error response from daemon",
    "] Error ",
    "command not found: ",
    "no matches found: ",
    ": not found",
    "error: ",
    "Connection refused",
    "TIMED OUT",
    " FAILED [",
    "syntax error near unexpected token",
    " failed: ",
    " failed; ",
    " failed because ",
    " failed with ",
    " aborted!",
    "n error occurred",
];
/// The ends of lines that report an error.
const ENDS: [&str; 2] = [" FAILED", "...Failed"];
/// Parts of what a host says instead of an output if a command was not run or not to its end.
const NOT_RUN: [&str; 27] = [
    "blocked by hook",
    " was blocked",
    "Interrupted by user",
    "interrupted by user",
    "interrupted by the user",
    "aborted by user",
    "aborted by the user",
    "cancelled by user",
    "cancelled by the user",
    "canceled by user",
    "rejected by user",
    "rejected by the user",
    "denied by user",
    "denied by the user",
    "User rejected",
    "User denied",
    "User declined",
    "doesn't want to proceed",
    "what to do differently",
    "Permission to use ",
    "requires approval",
    "timed out waiting for approval",
    "Command running in background",
    "running in the background with ID",
    "Process running with session ID",
    "Background PIDs:",
    "Command is not allowed",
];
/// Heads of lines that are no errors although a colon follows.
const NO_HEADS: [&str; 4] = ["warning", "note", "help", "info"];
/// Ends of whole outputs that report success, in lower case.
const SUCCESSES: [&str; 6] = [
    "test result: ok",
    "build succeeded",
    "build successful",
    "compiled successfully",
    " 0 failed",
    "all checks passed",
];
/// The same for what no output with an error says; they do not excuse one.
const PROOFS: [&str; 12] = [
    " passed in ",
    "successfully installed",
    "successfully built",
    "build success",
    "no issues found",
    "found 0 errors",
    "finished `",
    "found 0 vulnerabilities",
    "tests passed",
    "passed, 0 failed",
    "compiled successfully",
    "already up-to-date",
];
/// How many of the last lines may report success.
const LAST_LINES: usize = 4;

/// Returns whether a line of a command that failed names an error.
pub(super) fn names_error(line: &str) -> bool {
    let lower = format!(" {}", line.to_lowercase());
    SIGNS.iter().any(|sign| lower.contains(sign)) && !is_harmless(&lower)
}

fn is_harmless(lower: &str) -> bool {
    HARMLESS.iter().any(|words| lower.contains(words)) || lower.trim_end().ends_with(" ok")
}

/// Returns whether a line looks like an error report of a compiler, an interpreter, a shell or a test runner:
/// `error[E0502]: …`, `TypeError: …`, `fatal: …`, `1 failed, 3 passed`.
pub(super) fn is_report(line: &str) -> bool {
    let lower = format!(" {}", line.to_lowercase());
    if is_harmless(&lower)
        || NO_HEADS
            .iter()
            .any(|head| lower.trim_start().starts_with(head))
    {
        return false;
    }
    if BEGINNINGS
        .iter()
        .any(|beginning| line.starts_with(beginning))
        || counts_failures(&lower)
        || is_row(line)
    {
        return true;
    }
    if is_source(line) {
        return false;
    }
    PARTS.iter().any(|part| line.contains(part))
        || ENDS.iter().any(|end| line.ends_with(end))
        || has_head(line)
        || has_place(line)
        || names_kind(line)
}

/// Returns whether a host says that a command was not run, or not to its end.
pub(super) fn is_not_run(lines: &[&str]) -> bool {
    let first = lines.iter().take(2);
    first
        .into_iter()
        .any(|line| NOT_RUN.iter().any(|words| line.contains(words)))
}

/// Returns whether a line begins with a place in a source, as compilers write it: `cart.go:12:9: undefined: Price`.
/// Warnings are no errors.
fn has_place(line: &str) -> bool {
    let mut parts = line.splitn(4, ':');
    let [Some(path), Some(row), Some(column), Some(text)] = [(); 4].map(|()| parts.next()) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let is_path = path.contains('.') && !path.contains(' ');
    let text = text.trim_start().to_lowercase();
    is_path
        && is_number(row)
        && is_number(column)
        && !text.is_empty()
        && !NO_HEADS.iter().any(|head| text.starts_with(head))
}

/// Returns whether a line begins with a kind of error and says where or when it was: `CMake Error at a.txt:4 (x):`,
/// `Parse error near line 1: …`, `error during build:`.
fn names_kind(line: &str) -> bool {
    let Some((head, _)) = line.split_once(':') else {
        return false;
    };
    let words: Vec<String> = head
        .split_whitespace()
        .take(3)
        .map(str::to_lowercase)
        .collect();
    let places = ["at", "near", "in", "on", "during", "while", "from"];
    let is_place = |word: &String| places.contains(&word.as_str());
    match words.as_slice() {
        [first, second, ..] if first == "error" => is_place(second),
        [_, second, third] if second == "error" => is_place(third),
        _ => false,
    }
}

/// Returns whether a line is an error in the list of a linter: `3:7  error  'x' is never used`.
fn is_row(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let place = words.next().unwrap_or_default();
    let is_place = place.split_once(':').is_some_and(|(row, column)| {
        let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        is_number(row) && is_number(column)
    });
    is_place && words.next() == Some("error")
}

/// Returns whether the part before the first colon names an error, with something after it.
fn has_head(line: &str) -> bool {
    let Some((head, rest)) = line.split_once(": ").or_else(|| line.split_once(':')) else {
        return false;
    };
    let head = head.trim_start_matches(['>', '✗', '✘', '×', '●', ' ']);
    let head = head.split('[').next().unwrap_or_default().trim();
    let is_name = !head.is_empty()
        && head
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$' | ':'))
        && head.starts_with(|c: char| c.is_alphabetic());
    let is_type = is_name
        && ["Error", "Exception", "Failure", "Panic"]
            .iter()
            .any(|end| head.ends_with(end));
    (HEADS.contains(&head) || is_type) && !rest.trim().is_empty() && !rest.starts_with(':')
}

/// Returns whether a line counts failures: `2 failed`, `Failures: 1`, `1 error`.
fn counts_failures(lower: &str) -> bool {
    let mut words = lower
        .split(|c: char| c.is_whitespace() || "()=".contains(c))
        .filter(|word| !word.is_empty())
        .peekable();
    // Of `Tests run: 5, Failures: 0` the 5 is no count of failures.
    while let Some(word) = words.next() {
        let is_count = word.parse::<u32>().is_ok_and(|count| count > 0);
        let counted = words
            .peek()
            .map(|word| word.trim_end_matches(['.', ':', '!', ',', ';']));
        if is_count
            && matches!(
                counted,
                Some("failed" | "failing" | "failures" | "failure" | "fail")
            )
        {
            return true;
        }
    }
    false
}

/// Returns whether a line is a line of a source or of a list of search results rather than of a report.
pub(super) fn is_source(line: &str) -> bool {
    let beginnings = [
        "//", "#", "*", "+ ", "- ", "|", "│", "def ", "fn ", "class ", "return ", "import ", "if ",
    ];
    let is_numbered = line
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .starts_with([':', '→', '│', '|', '\t'])
        && line.starts_with(|c: char| c.is_ascii_digit());
    is_numbered
        || beginnings
            .iter()
            .any(|beginning| line.starts_with(beginning))
        || line.ends_with(['{', ';'])
}

/// Returns whether a line is a message of a program about itself: `cat: x: No such file or directory`.
pub(super) fn is_of_program(line: &str, program: &str) -> bool {
    let shells = ["bash: ", "zsh: ", "sh: ", "(eval):"];
    let is_of_it = !program.is_empty() && line.starts_with(&format!("{program}: "));
    let is_of_host = line.starts_with("Command timed out") || line.contains(": cannot open `");
    let is_of_git =
        program == "git" && (line.starts_with("fatal: ") || line.starts_with("error: "));
    is_of_it || is_of_git || is_of_host || shells.iter().any(|shell| line.starts_with(shell))
}

/// Returns whether the end of an output reports success, and no line counts failures.
pub(super) fn is_success(lines: &[&str]) -> bool {
    ends_with_one(lines, &SUCCESSES)
}

/// The same for an output without an error, which needs less to be one of a success.
pub(super) fn tells_success(lines: &[&str]) -> bool {
    is_success(lines) || ends_with_one(lines, &PROOFS)
}

fn ends_with_one(lines: &[&str], signs: &[&str]) -> bool {
    let counts = |line: &&str| counts_failures(&format!(" {}", line.to_lowercase()));
    if lines.iter().any(counts) {
        return false;
    }
    let last = lines.iter().rev().take(LAST_LINES);
    let mut last = last.map(|line| format!(" {}", line.to_lowercase()));
    last.any(|line| signs.iter().any(|words| line.contains(words)))
}

/// Returns whether a line only tells the exit code.
pub(super) fn is_exit_code(line: &str) -> bool {
    let line = line.trim_start_matches('<').to_lowercase();
    [
        "exit code",
        "exited with",
        "process exited with",
        "command exited with",
        "command failed with exit code",
    ]
    .iter()
    .any(|words| line.starts_with(words))
        && line.len() < 60
}

/// How certainly a line is the error itself, not a line around it.
fn weight(line: &str) -> u8 {
    let lower = line.to_lowercase();
    let is_summary = [
        "could not compile",
        "aborting due",
        "did not complete",
        "failed to solve",
        "a complete log",
    ]
    .iter()
    .any(|words| lower.contains(words));
    let is_place = line.starts_with("Traceback") || counts_failures(&format!(" {lower}"));
    match () {
        () if is_summary || is_place => 1,
        () if has_head(line) || lower.contains("panicked at") => 4,
        () if is_report(line) => 3,
        () => 2,
    }
}

/// Returns the line that is most certainly the error: the first of them.
pub(super) fn main<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let weighed = lines.iter().rev().map(|line| (weight(line), *line));
    weighed
        .max_by_key(|(weight, _)| *weight)
        .map(|(_, line)| line)
}

/// Returns the lines that are most certainly errors, in their order.
pub(super) fn most_telling<'a>(lines: &[&'a str], count: usize) -> impl Iterator<Item = &'a str> {
    let mut places: Vec<usize> = (0..lines.len()).collect();
    places.sort_by_key(|at| std::cmp::Reverse(lines.get(*at).map_or(0, |line| weight(line))));
    places.truncate(count);
    places.sort_unstable();
    let kept: Vec<&str> = places
        .iter()
        .filter_map(|at| lines.get(*at).copied())
        .collect();
    kept.into_iter()
}

/// Returns whether a word is the code of an error: letters and digits, such as `error[E0502]:`, `TS2304:` or
/// `SQLSTATE[42P01]`.
pub(super) fn is_code(word: &str) -> bool {
    let word = word.trim_end_matches([':', ',', '.', ')']);
    let code = match word.split_once('[') {
        Some((_, code)) => code.trim_end_matches(']'),
        None => word,
    };
    let letters = code.chars().take_while(|c| c.is_ascii_uppercase()).count();
    let digits = code.get(letters..).unwrap_or_default();
    (1..=4).contains(&letters)
        && (2..=5).contains(&digits.len())
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
        && digits.chars().any(|c| c.is_ascii_digit())
}
