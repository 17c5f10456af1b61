//! Errors in the input, differences and reports.

use super::{filter::line_of, *};

#[test]
fn an_invalid_line_is_reported_but_not_quoted() {
    let secret = ["hunter", "86"].join("-");
    for (line, words) in [
        (format!(r#"{{"id": 1, "text": {secret}}}"#), "wrong syntax"),
        (format!(r#""{secret}""#), "invalid value"),
        (
            format!(r#"{{"id": 1, "text": "", "rules": ["{secret}"]}}"#),
            "invalid value",
        ),
        (format!(r#"{{"id": "{secret}"#), "unexpected end"),
    ] {
        let Err(error) = line_of(&line, 7) else {
            panic!("{line} is rejected");
        };
        let message = format!("{error:#}");
        assert!(message.starts_with("line 7 is not "), "{message}");
        assert!(
            message.contains(words) && message.contains("column"),
            "{message}"
        );
        assert!(!message.contains(&secret), "{message}");
    }
}

/// Sanitizes a text in which `¦` keeps scanners from reporting this file.
fn sanitized(text: &str) -> (String, Sanitized) {
    let text = text.replace('¦', "");
    let clean = recall_kit_sanitizer::sanitize(&text, &RuleGroup::REMOVAL);
    (text, clean)
}

#[test]
fn a_difference_shows_changed_lines_and_the_lines_around_them() {
    let check = |text: &str, expected: &str| {
        let (text, clean) = sanitized(text);
        let shown = difference::show(&text, &clean);
        let shown = console::strip_ansi_codes(&shown).into_owned();
        assert_eq!(shown, expected.replace('¦', ""), "{text}");
    };
    check("nothing\nhere\n", "");
    check(
        "PASSWORD=hunter-¦86-x",
        "1 - PASSWORD=hunter-¦86-x\n1 + PASSWORD=YOUR_PASSWORD",
    );
    check(
        "1\n2\n3\n4\nPASSWORD=hunter-¦86-x # nadia¦@oakmere-clinic.net\r\n6\nuser_password=hunter-¦87-y\n",
        "3   3\n4   4\n\
         5 - PASSWORD=hunter-¦86-x # nadia¦@oakmere-clinic.net\n\
         5 + PASSWORD=YOUR_PASSWORD # user@example.com\n\
         6   6\n\
         7 - user_password=hunter-¦87-y\n7 + user_password=YOUR_PASSWORD",
    );
    let far = format!(
        "PASSWORD=hunter-¦86-x\n{}PASSWORD=hunter-¦86-x\n",
        "-\n".repeat(9)
    );
    check(
        &far,
        " 1 - PASSWORD=hunter-¦86-x\n 1 + PASSWORD=YOUR_PASSWORD\n 2   -\n 3   -\n   ⋯\n 9   -\n10   -\n\
         11 - PASSWORD=hunter-¦86-x\n11 + PASSWORD=YOUR_PASSWORD",
    );
    // Control characters are shown as code points; long lines are cut around the change.
    let long = "x ".repeat(400);
    check(
        &format!("{long}\u{1b}[2J nadia¦@oakmere-clinic.net {long}"),
        &format!(
            "1 - …{0}⟨U+001B⟩[2J nadia¦@oakmere-clinic.net {1}…\n\
             1 + …{0}⟨U+001B⟩[2J user@example.com {1}…",
            &long[long.len() - 43..],
            &long[..47]
        ),
    );
}

#[test]
fn a_report_contains_positions_but_not_the_findings() {
    let (text, clean) =
        sanitized("数据\r\n键 PASSWORD=\"hunter-¦86-x\" nadia¦@oakmere-clinic.net\n");
    let mut report = report::Report::default();
    report.begin("a\u{1b}b");
    report.add(
        text.as_bytes(),
        Streamed {
            findings: clean.findings,
            ..Streamed::default()
        },
    );
    for (words, password, mail) in [
        (
            Words::of("en"),
            "password, replaced by YOUR_PASSWORD",
            "e-mail address, replaced by",
        ),
        (
            Words::of("zh"),
            "密码，将替换为 YOUR_PASSWORD",
            "邮箱地址，将替换为",
        ),
        (
            Words::of("fr"),
            "mot de passe, devient YOUR_PASSWORD",
            "adresse électronique, devient",
        ),
    ] {
        let expected = format!(
            "a⟨U+001B⟩b:2:13: {password} [keyed-password]\n\
             a⟨U+001B⟩b:2:26: {mail} user@example.com [email-address]\n"
        );
        assert_eq!(report.lines(&words), expected);
    }
    let json = serde_json::to_value(&report).expect("a report is JSON");
    assert_eq!(json["findings"][0]["line"], 2);
    assert_eq!(json["findings"][0]["column"], 13);
    assert_eq!(json["findings"][0]["length"], 11);
    assert_eq!(json["findings"][1]["group"], "remove_personal_info");
    assert_eq!(
        json["counts"][0],
        json!({"kind": "e-mail address", "count": 1})
    );
    assert!(!json.to_string().contains("hunter"), "{json}");
}
