//! What the log records about a failure, and that it stays small.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::ErrorBody;
use serde_json::Value;
use tempfile::TempDir;

use super::*;

fn server_error(message: &str) -> Error {
    let body = ErrorBody::new(ErrorCode::DatabaseError, message);
    Error::Server(Box::new(body))
}

#[test]
fn failures_are_logged_without_texts_and_rejections_are_not_logged() {
    let dir = TempDir::new().unwrap();
    let log = ErrorLog::at(dir.path().join("state/errors.log"));
    assert!(log.is_empty());
    let url = "http://me:hunter86@memory:99/mcp?key=hunter86"
        .parse()
        .unwrap();
    log.note("query_experiences", &url, &server_error("about hunter86"));
    log.note("submit_experience", &url, &server_error("HTTP status 500"));
    let rejected = ErrorBody::new(ErrorCode::InvalidTitle, "hunter86");
    log.note(
        "submit_experience",
        &url,
        &Error::Validation(Box::new(rejected)),
    );
    let text = fs::read_to_string(log.path()).unwrap();
    assert!(!text.contains("hunter86"), "{text}");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(log.len(), 2);
    assert_eq!(lines[0]["server"], "http://***@memory:99/mcp");
    assert_eq!(lines[0]["call"], "query_experiences");
    assert_eq!(
        (&lines[0]["error"], &lines[0]["code"]),
        (&"server".into(), &"DATABASE_ERROR".into())
    );
    assert_eq!(lines[1]["status"], 500);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(log.path()), 0o600);
        assert_eq!(mode(log.path().parent().unwrap()), 0o700);
    }
}

#[test]
fn a_full_log_is_rotated_and_one_older_file_is_kept() {
    let dir = TempDir::new().unwrap();
    let log = ErrorLog::at(dir.path().join("errors.log"));
    let url = "http://memory/mcp".parse().unwrap();
    for _ in 0..8_000 {
        log.note("query_experiences", &url, &server_error(""));
    }
    let files: Vec<_> = fs::read_dir(dir.path()).unwrap().flatten().collect();
    assert_eq!(files.len(), 2);
    for file in files {
        assert!(file.metadata().unwrap().len() <= MAX_BYTES);
    }
    let last = fs::read_to_string(log.path()).unwrap();
    assert!(last.ends_with("}\n"), "{last}");
}
