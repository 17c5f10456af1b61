//! The validation rules of citations, the files that an entry is about; and their form as lines, which people can edit.

use std::collections::HashSet;

use recall_kit_sanitizer::{check, without_invisible};
use recall_kit_shared_types::{
    ErrorCode,
    knowledge::{Citation, citation_limits::MAX_CITATIONS},
};
use serde_json::{Value, json};

use super::{Flaw, NOT_ANYWHERE, Problems, kind_of};

/// The field in messages.
const FIELD: &str = "citations";
/// What a hash must be.
const SHA256_RULE: &str = "must be the SHA-256 of the file's bytes, with each CRLF read as LF, in 64 lower-case \
                           hexadecimal digits";

/// Checks citations; absent and `null` mean the same.
pub(super) fn citations(value: Option<Value>, problems: &mut Problems) -> Vec<Citation> {
    let items = match value {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(other) => {
            let message = format!("{FIELD} must be a list of files, not {}", kind_of(&other));
            refuse(FIELD, message, problems);
            return Vec::new();
        }
    };
    if items.len() > MAX_CITATIONS {
        let message = format!(
            "There are {} citations; {MAX_CITATIONS} are allowed. Keep the files that the text depends on",
            items.len()
        );
        let flaw = Flaw::TooMany(MAX_CITATIONS);
        problems.flaw(flaw, ErrorCode::ValidationError, FIELD, message);
        return Vec::new();
    }
    let mut citations: Vec<Citation> = Vec::with_capacity(items.len());
    let mut paths = HashSet::new();
    for (at, item) in items.into_iter().enumerate() {
        let field = format!("{FIELD}[{at}]");
        let Ok(citation) = serde_json::from_value::<Citation>(item) else {
            let message = format!("{field} must be an object with the texts path and sha256 only");
            refuse(&field, message, problems);
            continue;
        };
        let path = citation.path.as_str();
        let fault = match Citation::path_fault(path) {
            None if without_invisible(path) != path => {
                Some("has invisible characters; remove them")
            }
            None if !paths.insert(path.to_owned()) => Some("is cited before; give each path once"),
            fault => fault,
        };
        if let Some(fault) = fault {
            let field = format!("{field}.path");
            refuse(&field, format!("{field} {fault}"), problems);
        } else if !check(path, &NOT_ANYWHERE).is_empty() {
            let message = format!("{field}.path contains a credential; leave this file out");
            let code = ErrorCode::ValidationError;
            problems.flaw(Flaw::Credential, code, format!("{field}.path"), message);
        } else if !Citation::is_sha256(&citation.sha256) {
            let field = format!("{field}.sha256");
            refuse(&field, format!("{field} {SHA256_RULE}"), problems);
        } else {
            citations.push(citation);
        }
    }
    citations
}

fn refuse(field: &str, message: String, problems: &mut Problems) {
    problems.flaw(Flaw::Citation, ErrorCode::ValidationError, field, message);
}

/// Reads lines as `sha256sum` prints them, a hash and a path each, as the value of the citations of an
/// [`AddInput`](super::AddInput); blank lines are skipped. What is wrong with a line is said when the value is validated.
pub fn citations_in_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Value {
    let lines = lines.into_iter().map(str::trim_start);
    let lines = lines.filter(|line| !line.trim_end().is_empty());
    let citations = lines.map(|line| {
        let line = line.trim_end_matches(['\r', '\n']);
        let (sha256, path) = line.split_once(' ').unwrap_or(("", line));
        // The mark of text files, or of `sha256sum --binary`.
        let path = path.strip_prefix([' ', '*']).unwrap_or(path);
        json!({"path": path, "sha256": sha256})
    });
    citations.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn checked(value: Value) -> Result<Vec<Citation>, Vec<String>> {
        let mut problems = Problems::default();
        let citations = citations(Some(value), &mut problems);
        let messages: Vec<String> = problems.iter().map(|one| one.message.clone()).collect();
        match messages.is_empty() {
            true => Ok(citations),
            false => Err(messages),
        }
    }

    #[test]
    fn lines_of_sha256sum_are_read_and_written() {
        let (a, b) = ("a".repeat(64), "0".repeat(64));
        let text = format!("{a}  src/pool.rs\n\n{b} *docs/a b.md\n");
        let citations = checked(citations_in_lines(text.lines())).unwrap();
        let lines: Vec<String> = citations.iter().map(Citation::to_string).collect();
        assert_eq!(
            lines,
            [format!("{a}  src/pool.rs"), format!("{b}  docs/a b.md")]
        );
        let refused = checked(citations_in_lines(["src/pool.rs"])).unwrap_err();
        assert!(
            refused[0].starts_with("citations[0].sha256 must be"),
            "{refused:?}"
        );
    }

    #[test]
    fn every_bad_citation_is_named_with_what_to_do() {
        let sha256 = "0123456789abcdef".repeat(4);
        let token = ["ghp", "_", "x7Kq2LmN9pRs4TuV6wXy8ZaB1cDe3FgH5jKl"].concat();
        let long = "a".repeat(401);
        let hidden = "src/po\u{200b}ol.rs";
        for (path, part) in [
            ("", "citations[0].path is empty"),
            (long.as_str(), "400 bytes"),
            ("src\\pool.rs", "backslash"),
            ("/etc/passwd", "absolute"),
            ("C:/a.rs", "absolute"),
            ("../a.rs", ".."),
            ("src/./a.rs", "."),
            ("src//a.rs", "empty part"),
            ("src/", "empty part"),
            ("src/a\n.rs", "control"),
            (hidden, "invisible"),
            (format!("{token}/a.rs").as_str(), "credential"),
        ] {
            let refused = checked(json!([{"path": path, "sha256": sha256}])).unwrap_err();
            assert!(refused[0].contains(part), "{path:?}: {refused:?}");
            assert!(!refused[0].contains(&token));
        }
        let file = json!({"path": "a.rs", "sha256": sha256});
        for (value, part) in [
            (json!("a.rs"), "must be a list of files, not a string"),
            (json!(["a.rs"]), "citations[0] must be an object"),
            (json!([{"path": "a.rs"}]), "citations[0] must be an object"),
            (
                json!([{"path": "a.rs", "sha256": sha256, "line": 1}]),
                "only",
            ),
            (json!([file, file]), "citations[1].path is cited before"),
            (
                json!([{"path": "a.rs", "sha256": sha256.to_uppercase()}]),
                "64 lower-case",
            ),
            (
                Value::Array(vec![file.clone(); 21]),
                "There are 21 citations; 20 are allowed",
            ),
        ] {
            let refused = checked(value).unwrap_err();
            assert!(refused[0].contains(part), "{refused:?}");
        }
        assert_eq!(checked(Value::Null).unwrap(), []);
        assert_eq!(checked(json!([file])).unwrap().len(), 1);
    }
}
