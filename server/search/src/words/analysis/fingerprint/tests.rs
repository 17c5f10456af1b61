//! Which messages have the same fingerprint.

#![allow(clippy::unwrap_used)]

use super::*;

fn fingerprint(line: &str) -> Option<String> {
    let mut all = of(line);
    let first = all.next();
    assert_eq!(all.next(), None, "one line, one fingerprint: {line}");
    first
}

fn check_same(one: &str, other: &str) {
    let first = fingerprint(one).unwrap_or_else(|| panic!("no fingerprint: {one}"));
    assert!(is_fingerprint(&first));
    assert_eq!(Some(first), fingerprint(other), "{one} / {other}");
}

#[test]
fn variable_parts_of_a_message_do_not_count() {
    for (one, other) in [
        (
            "error[E0382]: borrow of moved value: `config`",
            "error[E0382]: borrow of moved value: `x`",
        ),
        (
            "thread 'main' panicked at src/main.rs:10:5: index out of bounds: the len is 3 but the index is 7",
            "thread 'worker-2' panicked at lib/io.rs:220:17: index out of bounds: the len is 0 but the index is 0",
        ),
        (
            "Uncaught TypeError: Cannot read properties of undefined (reading 'map')",
            "TypeError: Cannot read properties of undefined (reading 'length')",
        ),
        (
            "2024-01-01 12:00:00 ERROR connection to 10.0.0.1:5432 refused after 30s",
            "2025-06-07 01:02:03 ERROR connection to db.example:5432 refused after 5s",
        ),
        (
            "ModuleNotFoundError: no module named 'numpy' found in /usr/lib/python3.11",
            "ModuleNotFoundError: no module named \"requests\" found in C:\\Python\\Lib",
        ),
        (
            "fatal: unable to access 'https://a.example/x.git/': could not resolve host",
            "fatal: unable to access 'https://b.example/y.git/': could not resolve host",
        ),
    ] {
        check_same(one, other);
    }
}

#[test]
fn different_messages_differ_and_other_lines_have_no_fingerprint() {
    let moved = fingerprint("error: borrow of moved value: `x`");
    assert_ne!(moved, fingerprint("error: use of moved value: `x`"));
    for line in [
        "",
        "error",
        "error: 42",
        "Error: 'a b c d'",
        "How do I sort a list by two keys?",
        "error_without_any_space_in_the_line",
    ] {
        assert_eq!(fingerprint(line), None, "{line}");
    }
    let long = format!("error: {}", "word ".repeat(200));
    assert_eq!(fingerprint(&long), None);
}

#[test]
fn a_text_has_one_fingerprint_for_each_message() {
    let text = "I did this:\ncargo build\nerror: linking with cc failed badly\n\
                note: cannot find the library at all\n";
    assert_eq!(of(text).count(), 2);
    let many = "error: something went wrong here\n".repeat(10_000);
    assert_eq!(of(&many).count(), MAX_FINGERPRINTS);
}
