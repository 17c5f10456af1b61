//! What the fuzz targets need of the crate's inside; compiled for them alone.

use std::sync::OnceLock;

use crate::rules::differential;
use crate::rules::rule_set::Compiled;
use crate::stream::Stream;
use crate::{RuleGroup, Sanitizer};

/// What the examples of rules lack.
const FRAMES: &[&str] = &[
    "password",
    "=",
    ": ",
    "\"",
    "\\\"",
    "api_key",
    "https://",
    "@",
    "密码：",
    "é",
    "👩‍💻",
    "\u{202e}",
    "Bearer ",
    "YOUR_API_KEY",
    "user@example.com",
    "var_001",
    "--token ",
    "\r\n",
    "\n\n",
    "    ",
    "const ",
    "def f(",
    "`${",
    "token",
    "secret",
    " -p",
    "-----BEGIN ",
    "-----END ",
    "%20",
    "\\u0041",
    "name: ",
    "value: ",
    "insert into t (id, token) values (1, '",
    "| --- | --- |\n",
];

/// Makes a text of bytes: ASCII stands for itself, other bytes choose examples of rules, anchors,
/// frames or a character. So a short input is a text with secrets in it, and no corpus holds one in
/// plain.
pub fn text(bytes: &[u8]) -> String {
    let pieces = pieces();
    let mut text = String::new();
    let mut bytes = bytes.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            0..0x80 => text.push(char::from(byte)),
            0xff => {
                let code = u32::from_be_bytes([
                    0,
                    0,
                    bytes.next().unwrap_or(0),
                    bytes.next().unwrap_or(0),
                ]);
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => {
                let number = usize::from(byte & 0x7f) << 8 | usize::from(bytes.next().unwrap_or(0));
                text.push_str(pieces.get(number % pieces.len()).map_or("", String::as_str));
            }
        }
    }
    text
}

fn pieces() -> &'static [String] {
    static CELL: OnceLock<Vec<String>> = OnceLock::new();
    CELL.get_or_init(|| {
        let mut pieces: Vec<String> = FRAMES.iter().map(|frame| (*frame).to_owned()).collect();
        for compiled in &Sanitizer::builtin().rules.rules {
            let rule = &compiled.rule;
            let examples = rule.examples.iter().chain(rule.negative_examples);
            pieces.extend(examples.map(|example| example.concat()));
            pieces.extend(rule.anchors.iter().map(ToString::to_string));
        }
        pieces
    })
}

/// Compares the matcher of a rule with `regex` on a text around an example of the rule.
pub fn engines_agree(number: usize, before: &str, after: &str) {
    let rules: &[Compiled] = &Sanitizer::builtin().rules.rules;
    let Some(compiled) = rules.get(number % rules.len()) else {
        return;
    };
    let examples = compiled.rule.examples;
    let example = examples
        .get(number / rules.len() % examples.len().max(1))
        .map_or(String::new(), |example| example.concat());
    for text in [
        format!("{before}{after}"),
        format!("{before}{example}{after}"),
    ] {
        // Comparing at every place takes the square of the length.
        if text.len() > 2000 {
            continue;
        }
        differential::engines_agree(compiled, &text);
        differential::anchors_agree(compiled, &text);
    }
}

/// Begins a text whose parts are of `part` bytes.
pub fn stream(groups: &[RuleGroup], part: usize) -> Stream<'static> {
    Stream::new(Sanitizer::builtin(), groups, part)
}
