//! Input that cannot be read, and what is said of it.

use super::{filter::line_of, *};

#[test]
fn a_wrong_line_is_named_and_not_repeated() {
    let secret = ["hunter", "86"].join("-");
    for (line, words) in [
        (format!(r#"{{"id": 1, "text": {secret}}}"#), "wrong syntax"),
        (format!(r#""{secret}""#), "unsuitable value"),
        (
            format!(r#"{{"id": 1, "text": "", "rules": ["{secret}"]}}"#),
            "unsuitable value",
        ),
        (format!(r#"{{"id": "{secret}"#), "early end"),
    ] {
        let Err(error) = line_of(&line, 7) else {
            panic!("{line} is refused");
        };
        let said = format!("{error:#}");
        assert!(said.starts_with("line 7 is not "), "{said}");
        assert!(said.contains(words) && said.contains("column"), "{said}");
        assert!(!said.contains(&secret), "{said}");
    }
}

#[test]
fn only_wrong_bytes_are_called_so() {
    let said = |kind: io::ErrorKind| unreadable(Path::new(STDIN), kind.into()).to_string();
    assert!(said(io::ErrorKind::InvalidData).contains("UTF-8"));
    assert!(!said(io::ErrorKind::IsADirectory).contains("UTF-8"));
}
