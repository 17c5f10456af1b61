//! Every validation rule of experiences.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::ErrorCode;
use serde_json::{Value, json};

use super::{
    QueryInput, SubmissionInput, validate_query, validate_submission, validate_submission_arguments,
};

fn query_input(arguments: &Value) -> QueryInput {
    let argument = |name: &str| arguments.get(name).cloned();
    QueryInput {
        keywords: argument("keywords"),
        limit: argument("limit"),
        offset: argument("offset"),
        environment: argument("environment"),
        others: Default::default(),
    }
}

fn check_query(arguments: Value, expected: Result<(u32, u32), ErrorCode>) {
    let validated = validate_query(query_input(&arguments));
    let found = validated
        .map(|query| (query.limit, query.offset))
        .map_err(|error| error.code);
    assert_eq!(found, expected, "{arguments}");
}

#[test]
fn queries_are_validated() {
    check_query(json!({ "keywords": "x" }), Ok((10, 0)));
    check_query(
        json!({ "keywords": "x", "limit": 50, "offset": 7 }),
        Ok((50, 7)),
    );
    check_query(
        json!({ "keywords": "x", "limit": 1.0, "offset": null }),
        Ok((1, 0)),
    );
    check_query(json!({ "keywords": "é".repeat(10_000) }), Ok((10, 0)));
    for keywords in [
        json!(""),
        json!(" \n\u{3000}"),
        json!(5),
        json!(["x"]),
        json!(null),
        json!("é".repeat(10_001)),
    ] {
        check_query(
            json!({ "keywords": keywords }),
            Err(ErrorCode::InvalidKeywords),
        );
    }
    check_query(json!({}), Err(ErrorCode::InvalidKeywords));
    for limit in [
        json!(0),
        json!(51),
        json!(-1),
        json!("ten"),
        json!(1.5),
        json!(1e300),
        json!([]),
    ] {
        check_query(
            json!({ "keywords": "x", "limit": limit }),
            Err(ErrorCode::InvalidLimit),
        );
    }
    for offset in [json!(-1), json!("0"), json!(0.5), json!(1e12)] {
        check_query(
            json!({ "keywords": "x", "offset": offset }),
            Err(ErrorCode::ValidationError),
        );
    }
    check_query(
        json!({ "keywords": "", "limit": 0 }),
        Err(ErrorCode::ValidationError),
    );
}

/// A submission that passes, with some fields changed; `null` leaves one out.
fn submission(changes: &Value) -> SubmissionInput {
    let mut fields = json!({ "title": "t", "problem_description": "p", "solution": "s" });
    for (name, value) in changes.as_object().unwrap() {
        fields[name.as_str()] = value.clone();
    }
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    SubmissionInput {
        title: text("title"),
        problem_description: text("problem_description"),
        root_cause: text("root_cause"),
        solution: text("solution"),
        context: text("context"),
        keywords: fields
            .get("keywords")
            .map(|list| serde_json::from_value(list.clone()).unwrap()),
        applies: None,
        idempotency_key: text("key"),
    }
}

fn check_rejected(changes: Value, code: ErrorCode, fields: &[&str]) {
    let error = validate_submission(submission(&changes))
        .unwrap_err()
        .body();
    let named: Vec<String> = error
        .validation_errors
        .unwrap()
        .into_iter()
        .map(|e| e.field)
        .collect();
    assert_eq!(
        (
            error.code,
            named
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .as_slice()
        ),
        (code, fields),
        "{changes}"
    );
}

#[test]
fn invalid_submissions_are_rejected() {
    check_rejected(json!({ "title": "" }), ErrorCode::InvalidTitle, &["title"]);
    check_rejected(
        json!({ "title": " \t" }),
        ErrorCode::InvalidTitle,
        &["title"],
    );
    check_rejected(
        json!({ "title": "é".repeat(501) }),
        ErrorCode::InvalidTitle,
        &["title"],
    );
    check_rejected(
        json!({ "title": null }),
        ErrorCode::MissingRequiredFields,
        &["title"],
    );
    check_rejected(
        json!({ "solution": " " }),
        ErrorCode::MissingRequiredFields,
        &["solution"],
    );
    check_rejected(
        json!({ "title": null, "problem_description": "", "solution": null }),
        ErrorCode::MissingRequiredFields,
        &["title", "problem_description", "solution"],
    );
    check_rejected(
        json!({ "title": "", "solution": "" }),
        ErrorCode::ValidationError,
        &["title", "solution"],
    );
    check_rejected(
        json!({ "root_cause": " " }),
        ErrorCode::ValidationError,
        &["root_cause"],
    );
    check_rejected(
        json!({ "keywords": ["ok", "é".repeat(101)] }),
        ErrorCode::ValidationError,
        &["keywords[1]"],
    );
    check_rejected(
        json!({ "keywords": vec!["x"; 101] }),
        ErrorCode::ValidationError,
        &["keywords"],
    );
    check_rejected(
        json!({ "keywords": ["", "ok", " \t"] }),
        ErrorCode::ValidationError,
        &["keywords[0]", "keywords[2]"],
    );
    check_rejected(
        json!({ "key": "" }),
        ErrorCode::ValidationError,
        &["idempotency_key"],
    );
    check_rejected(
        json!({ "key": "x y" }),
        ErrorCode::ValidationError,
        &["idempotency_key"],
    );
}

#[test]
fn arguments_with_wrong_types_or_names_are_rejected_by_name() {
    let check = |changes: Value, fields: &[&str]| {
        let mut arguments = json!({ "title": "t", "problem_description": "p", "solution": "s" });
        for (name, value) in changes.as_object().unwrap() {
            arguments[name.as_str()] = value.clone();
        }
        let arguments = arguments.as_object().unwrap().clone();
        let refused = validate_submission_arguments(arguments, None, None);
        let error = refused.unwrap_err().body();
        assert_eq!(error.code, ErrorCode::ValidationError, "{changes}");
        let errors = error.validation_errors.unwrap();
        let named: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(named, fields, "{changes}");
    };
    check(json!({ "title": 5 }), &["title"]);
    check(json!({ "solution": ["s"] }), &["solution"]);
    check(json!({ "root_cause": false }), &["root_cause"]);
    check(json!({ "keywords": "react" }), &["keywords"]);
    check(json!({ "keywords": [1] }), &["keywords[0]"]);
    check(json!({ "keywords": ["ok", null] }), &["keywords[1]"]);
    check(json!({ "root-cause": "x" }), &["root-cause"]);
    check(json!({ "title": 5, "severity": 1 }), &["severity", "title"]);
    check(
        json!({ "title": 5, "solution": "" }),
        &["title", "solution"],
    );
}

#[test]
fn secrets_are_rejected_and_never_repeated() {
    let secret = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let mail = ["jane.doe", "@", "mailbox.org"].concat();
    let context = format!("const token = \"{secret}\"; // by {mail}");
    let error = validate_submission(submission(&json!({ "context": context })));
    let error = error.unwrap_err().body();
    assert_eq!(error.code, ErrorCode::ContextNotSanitized);
    let first = &error.validation_errors.as_ref().unwrap()[0];
    assert_eq!(
        (first.field.as_str(), first.message.as_str()),
        ("context", "Context contains unsanitized code snippet")
    );
    let text = serde_json::to_string(&error).unwrap();
    assert!(!text.contains(&secret) && !text.contains(&mail), "{text}");
    let offered = error.details.unwrap()["sanitized_context"]
        .as_str()
        .unwrap()
        .to_owned();
    validate_submission(submission(&json!({ "context": offered }))).unwrap();

    let host = ["http://10.20.", "30.40:8080/"].concat();
    check_rejected(
        json!({ "context": host }),
        ErrorCode::ContextNotSanitized,
        &["context"],
    );
    validate_submission(submission(&json!({ "solution": host }))).unwrap();

    for field in ["title", "problem_description", "root_cause", "solution"] {
        check_rejected(
            json!({ field: format!("use token={secret} here") }),
            ErrorCode::ValidationError,
            &[field],
        );
    }
    check_rejected(
        json!({ "keywords": [format!("token={secret}")] }),
        ErrorCode::ValidationError,
        &["keywords[0]"],
    );
}

#[test]
fn valid_fields_are_unchanged_except_keywords() {
    let odd = "a\u{0}b\u{1b}[31mc 🧠 👩\u{200d}👧";
    let input = submission(&json!({
        "title": format!("{}", "é".repeat(500)),
        "solution": odd,
        "context": "  ",
        "keywords": [" React ", "REACT", "C++", "钩子"],
    }));
    let submission = validate_submission(input).unwrap();
    let content = submission.content;
    assert_eq!(submission.notes, [""; 0]);
    assert_eq!(content.solution, odd);
    assert_eq!(content.context, None);
    assert_eq!(content.keywords, ["react", "c++", "钩子"]);
}

#[test]
fn invisible_characters_are_removed_before_other_checks() {
    let input = submission(&json!({
        "title": "a\u{200b}b\u{e0041}",
        "context": "\u{2060}",
        "keywords": ["wom\u{ad}bat", "den\u{feff}"],
    }));
    let submission = validate_submission(input).unwrap();
    assert_eq!(submission.content.title, "ab");
    assert_eq!(submission.content.context, None);
    assert_eq!(submission.content.keywords, ["wombat", "den"]);
    let note = "invisible characters were removed: 2 from title, 1 from context, 2 from keywords";
    assert_eq!(submission.notes, [note]);
    check_rejected(
        json!({ "title": "\u{200b}\u{202e}" }),
        ErrorCode::InvalidTitle,
        &["title"],
    );
    check_rejected(
        json!({ "keywords": ["den", "\u{feff}"] }),
        ErrorCode::ValidationError,
        &["keywords[1]"],
    );
}
