//! How the contract's errors are displayed, and the hint for each class.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::Envelope;
use serde_json::Value;

use super::*;

#[test]
fn a_validation_error_shows_the_rejected_field() {
    let answer = r#"{"success": false, "error": {
        "code": "VALIDATION_ERROR", "message": "Validation failed",
        "validation_errors": [
            {"field": "context", "message": "Context contains unsanitized code snippet"}
        ]}}"#;
    let envelope: Envelope<Value> = serde_json::from_str(answer).unwrap();
    let error = Error::from_body(envelope.into_result().unwrap_err());
    assert!(matches!(error, Error::Validation(_)));
    assert_eq!(
        error.to_string(),
        "the server refused the request: Validation failed\n  \
         context: Context contains unsanitized code snippet"
    );
}

#[test]
fn each_class_of_error_has_its_hint() {
    let check = |error: Error, advice: &str| {
        assert!(error.hint().contains(advice), "{error}: {}", error.hint());
    };
    let server = || "mcp://memory".to_owned();
    check(
        Error::Timeout {
            server: server(),
            after: Duration::from_secs(5),
        },
        "check the network",
    );
    for code in [
        ErrorCode::DatabaseError,
        ErrorCode::Timeout,
        ErrorCode::InternalError,
        ErrorCode::Unknown,
    ] {
        check(
            Error::from_body(Box::new(ErrorBody::new(code, ""))),
            "try again later",
        );
    }
    check(
        Error::from_body(Box::new(ErrorBody::new(ErrorCode::InvalidKeywords, ""))),
        "1 to 10,000 characters",
    );
    for code in [ErrorCode::InvalidTitle, ErrorCode::MissingRequiredFields] {
        check(
            Error::from_body(Box::new(ErrorBody::new(code, ""))),
            "correct",
        );
    }
    check(
        Error::Network {
            server: server(),
            reason: String::new(),
            attempts: 4,
            unsent: true,
        },
        "doctor",
    );
}
