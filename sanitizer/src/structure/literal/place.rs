//! Says in what surroundings a value stands: a table, a mapping in one line, a sentence, an instruction.
//!
//! What the value itself looks like is for `literal`.

use std::ops::Range;

use super::Literal;

/// Whether the line of the key begins as a row of a table.
pub(super) fn in_table(text: &str, key: &Range<usize>) -> bool {
    let before = text.get(..key.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('|')
}

/// `db: {port: 3306, password: …}`: a mapping of YAML that fills its line.
pub(super) fn is_in_a_flow(text: &str, literal: &Literal<'_>, value: &str) -> bool {
    let before = text.get(..literal.key.start).unwrap_or_default();
    let lead = before.rsplit('\n').next().unwrap_or_default();
    let after = text.get(literal.span.end..).unwrap_or_default();
    let rest = after.split('\n').next().unwrap_or_default().trim_end();
    let name = lead.split_once(": {").map(|(name, _)| name.trim_start());
    value.len() >= 8
        && rest.ends_with('}')
        && rest.starts_with([',', '}'])
        && name.is_some_and(|name| {
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' '))
        })
}

/// Whether nothing but words stands before the key in its line.
pub(super) fn is_worded(text: &str, key: &Range<usize>) -> bool {
    let before = text.get(..key.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().all(|c| {
        c.is_alphanumeric()
            || matches!(
                c,
                ' ' | ','
                    | ':'
                    | '-'
                    | '*'
                    | '>'
                    | '\''
                    | '.'
                    | '/'
                    | '@'
                    | '~'
                    | '['
                    | '('
                    | '!'
                    | '<'
                    | '#'
                    | '_'
                    | '`'
                    | '&'
            )
    }) && !line.contains("::")
}

/// `ENV DB_PASS swordfish`: an instruction of a Dockerfile.
pub(super) fn is_instruction(literal: &Literal<'_>) -> bool {
    let before = literal.text.get(..literal.key.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let words = [
        "ENV",
        "ARG",
        "setx",
        "set -gx",
        "set -x",
        "set -Ux",
        "set -xg",
        "setenv",
        "SetEnv",
        "fastcgi_param",
        "uwsgi_param",
        "passenger_env_var",
    ];
    words.contains(&line.trim()) && ends_with(literal, ' ')
}

/// `PASSWORD=word`: nothing but a sign between the two, where no program stands.
pub(super) fn is_tight(literal: &Literal<'_>) -> bool {
    literal.found.literal && !literal.found.quoted && ends_with(literal, '=')
}

/// Whether a word such as "is" stands between key and value.
pub(super) fn has_copula(literal: &Literal<'_>) -> bool {
    literal
        .text
        .get(literal.key.end..literal.found.span.start)
        .is_some_and(|between| {
            between.chars().any(char::is_alphabetic)
                || between.contains(['=', '—', '–'])
                || between == " - "
        })
}

pub(super) fn ends_a_clause(literal: &Literal<'_>) -> bool {
    let after = literal.text.get(literal.span.end..).unwrap_or_default();
    after.trim_start_matches([' ', '\t']).is_empty()
        || after.starts_with([
            '\n', '\r', ',', ';', ')', ']', '}', '<', '"', '\'', '`', '*', '~', '|', '，', '。',
            '；', '、',
        ])
        || after.starts_with(" -->")
        || after.starts_with(" */")
        || after.starts_with(|c: char| !c.is_ascii())
        || after.trim_end() == "."
        || after.starts_with(". ")
}

/// Whether the byte before the value is `sign`.
pub(super) fn ends_with(literal: &Literal<'_>, sign: char) -> bool {
    literal
        .text
        .get(..literal.found.span.start)
        .is_some_and(|before| before.ends_with(sign))
}
