//! No text may cause a panic, a hang or a broken promise.

use super::{holds_promises, joined};
use crate::rules::scan;
use crate::{RuleGroup, Sanitizer, sanitize};

/// A small generator of numbers, the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

const PIECES: &[&str] = &[
    "password",
    "=",
    ": ",
    "\"",
    "'",
    "\\\"",
    "\n",
    " ",
    "hunter¦-86-x",
    "api_key",
    "9f86d081¦884c7d659a2feaa0c55ad015",
    "https://",
    "nadia:q83kDl2Nf9¦Zp@",
    "db.prod.oakmere.net",
    "/home/nkurosawa/",
    "@",
    "{",
    "}",
    "(",
    ")",
    "[",
    "`",
    "${",
    "const ",
    "let x = ",
    "def f(",
    "密码：",
    "，",
    "é",
    "👩‍💻",
    "\u{202e}",
    "\0",
    "-----BEGIN PRIVATE¦ KEY-----",
    "MIIiVldYA7tT92w1¦NNlVY7Ae8re9HTe4",
    "-----END PRIVATE KEY-----",
    "Bearer ",
    "10.1.2.3",
    "4667531¦023754146",
    "YOUR_API_KEY",
    "user@example.com",
    "Author: Nadia Kurosawa <",
    ">",
    "var_001",
    "--token ",
    "value=",
    "eyJhbGciOiJIUzI1NiJ9.¦eyJzdWIiOiI5Njk0In0.¦uxy24gIkzOSvHTT",
    "token",
    "|",
    "=>",
    ",",
    "\r\n",
    "#",
    "//",
    "\\n",
    "key",
];

#[test]
fn pieces_in_any_order_hold_the_promises() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..1500 {
        let length = 1 + numbers.below(24);
        let text: String = (0..length)
            .filter_map(|_| PIECES.get(numbers.below(PIECES.len())))
            .map(|piece| joined(piece))
            .collect();
        holds_promises(&text, &RuleGroup::REMOVAL);
        holds_promises(&text, &RuleGroup::ALL);
    }
}

#[test]
fn any_bytes_are_survived() {
    let mut numbers = Numbers(42);
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..200).map(|_| numbers.below(256) as u8).collect();
        holds_promises(&String::from_utf8_lossy(&bytes), &RuleGroup::ALL);
    }
}

#[test]
fn repetition_keeps_every_line() {
    for piece in [
        "(",
        "[",
        "{",
        "let [",
        "f(",
        "token=",
        "password: ",
        "\"",
        "`${",
        "@",
        "a@b.cc ",
        "://",
        "x.y.",
        "1 ",
        "for ",
        "=> ",
        "|",
        "function(",
        "\n",
        "key\"",
        "'",
        "\\\"",
        "-----BEGIN PRIVATE¦ KEY-----\n",
        "/home/",
        "sk-",
        "def f(",
        "<a>",
        "$",
        "lambda ",
        ":",
        "eyJ",
    ] {
        let piece = joined(piece);
        let text = piece.repeat(60_000 / piece.len());
        assert_eq!(
            sanitize(&text, &RuleGroup::ALL).text.lines().count(),
            text.lines().count()
        );
    }
}

/// The most steps of one search and of the window that the other engine searches in its place.
const ONE_SEARCH: usize = 30_000;

#[test]
fn the_steps_of_the_rules_grow_with_the_text_and_no_faster() {
    let rules = &Sanitizer::builtin().rules;
    for piece in [
        "a",
        "-",
        "a-",
        "a.",
        "1.",
        "1-",
        "1 ",
        "a:1",
        "@",
        "a@",
        "a@a.",
        "@a-a.",
        "://",
        "a://a.",
        "a=",
        "\\",
        ":1",
        "::",
        "1:",
        "a:b:",
        "/home/",
        "curl ",
        "curl -u",
        " -u ",
        " -p",
        "ssh -",
        "seed ",
        "token",
        "secret=",
        "password ",
        "sk-",
        "eyJ",
        "ghp_",
        "AKIA",
        "é@",
        "密码：",
        "\u{200d}a",
        "+1 ",
        "0x",
        "dE1",
        "VALUES ('",
        "docker login ",
        "Author: A ",
        "S2345",
        "-----BEGIN ",
    ] {
        for length in [20_000, 80_000] {
            let text = piece.repeat(length / piece.len());
            let steps = scan::steps(rules, &text);
            assert!(
                steps <= scan::budget(text.len()) + ONE_SEARCH,
                "{steps} steps in {} bytes of {piece:?}",
                text.len()
            );
        }
    }
}
