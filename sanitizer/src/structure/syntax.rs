//! What may stand between a key and its value, and where a value ends, in every notation at once.
//!
//! Assignments, JSON (escaped too), YAML, Kubernetes `name:`/`value:`, XML, headers, flags, `.env`,
//! INI, SQL value lists and prose labels; no judgement about meaning.

mod code;
mod ends;
mod parts;

use std::ops::Range;

use recall_kit_evidence::text::{floor, head, tail};

use code::is_code;
use ends::{
    ampersand_length, bare_length, bracketed, character_data, escaped_length, foreign_length,
    quoted_length, typographic, without_inner_quotes,
};
use parts::{Part, separators};

/// How a key is tied to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tie {
    /// `=`, `:`, `=>` and their kin.
    Operator,
    /// `"name", "value"`, `name: X` / `value: Y`, attributes.
    Pair,
    /// `<key>value</key>`.
    Element,
    /// `--flag value`.
    Flag,
    /// Only spaces or a word like `is`: prose, Dockerfiles, `netrc`.
    Prose,
}

/// A value as it stands after its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    /// Without its quotes.
    pub(crate) span: Range<usize>,
    pub(crate) tie: Tie,
    /// In quotes, or in a notation that has no expressions (`.env`, INI, XML, flags).
    pub(crate) literal: bool,
    /// In quotes.
    pub(crate) quoted: bool,
    pub(crate) place: Place,
}

/// Where a pair stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// It begins its line.
    Line,
    /// Among others: `a=b;key=value`, `?a=b&key=value`.
    List,
    Elsewhere,
}

/// Longest distance from a key to its value, in bytes.
const REACH: usize = 160;
/// Longest value without quotes, in bytes.
const MAX_BARE: usize = 1024;
/// Longest value, in bytes.
const MAX_VALUE: usize = 8192;

/// Finds the value that belongs to the key at `key`, or nothing where none follows.
pub(crate) fn value_after(text: &str, key: &Range<usize>, flag: bool) -> Option<Value> {
    let before = text.get(..key.start)?;
    let rest = text.get(key.end..floor(text, key.end + REACH))?;
    let (tie, length) = tie(before, rest, flag)?;
    let at = key.end + length;
    let place = match tie {
        Tie::Operator if before.ends_with([';', '&', '?']) || before.ends_with("; ") => Place::List,
        Tie::Operator if follows_a_pair(before) => Place::List,
        Tie::Operator if line_lead(before).is_some_and(leads_a_line) => Place::Line,
        Tie::Operator if is_for_the_shell(text, key) => Place::List,
        _ => Place::Elsewhere,
    };
    value_at(text, at, tie, place)
}

/// Whether a value may be tied to a key that ends at `end`, by the bytes behind it.
pub(crate) fn may_be_tied(text: &str, end: usize) -> bool {
    let behind = text.get(end..).unwrap_or_default();
    separators().beginning(behind).is_possible()
}

/// `sudo DB_PASSWORD=…`, `RUN TOKEN=…`, `-e SECRET=…`: a variable of the environment, which has its value
/// right behind the sign, in the middle of a line.
fn is_for_the_shell(text: &str, key: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let name = bytes.get(key.clone()).unwrap_or_default();
    let before = key.start.checked_sub(1).and_then(|at| bytes.get(at));
    let loud = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    let value = bytes.get(key.end + 1);
    name.iter().all(loud)
        && before.is_some_and(|b| matches!(b, b' ' | b'\t'))
        && bytes.get(key.end) == Some(&b'=')
        && value.is_some_and(|b| b.is_ascii_graphic() && !matches!(b, b'=' | b'~' | b'>'))
}

fn tie(before: &str, rest: &str, flag: bool) -> Option<(Tie, usize)> {
    let separators = separators().beginning(rest);
    let quoted = before.ends_with(['"', '\'', '`']);
    let matched = |part: Part| separators.find(part, rest).map(|(found, _)| found.end);
    if let Some(end) = matched(Part::ValueField) {
        return Some((Tie::Pair, end));
    }
    if opens_a_block(rest)
        && let Some(end) = matched(Part::DefaultField)
    {
        return Some((Tie::Pair, end));
    }
    if let Some(end) = matched(Part::NextElement) {
        return Some((Tie::Element, end));
    }
    if !quoted && let Some(end) = matched(Part::Call) {
        return Some((Tie::Pair, end - 1));
    }
    if let Some(end) = matched(Part::Option) {
        return Some((Tie::Flag, end));
    }
    if (before.ends_with('<') || quoted && rest.contains("\">"))
        && let Some(end) = matched(Part::Element)
    {
        return Some((Tie::Element, end));
    }
    if let Some(end) = matched(Part::Typed)
        .filter(|end| assigns(rest, *end))
        .or_else(|| matched(Part::TypedAfter))
    {
        return Some((Tie::Operator, end));
    }
    if let Some(end) = matched(Part::Operator) {
        return Some((Tie::Operator, end));
    }
    if flag {
        let end = matched(Part::Flag).or_else(|| matched(Part::Comma));
        return end.map(|end| (Tie::Flag, end));
    }
    if let Some(end) = matched(Part::Cell) {
        return Some((Tie::Pair, end));
    }
    if quoted {
        return matched(Part::Comma).map(|end| (Tie::Pair, end));
    }
    matched(Part::Prose).map(|end| (Tie::Prose, end))
}

/// `": {`, `:` at the end of its line: what a default value may stand in.
fn opens_a_block(rest: &str) -> bool {
    rest.trim_start_matches(|c: char| {
        c.is_whitespace() && c != '\n' || matches!(c, '\\' | '"' | '\'' | ':')
    })
    .starts_with(['{', '\n'])
}

/// Whether `name: Type =` ends at `end` rather than a value that holds an `=`, as base64 does.
fn assigns(rest: &str, end: usize) -> bool {
    let (Some(head), Some(value)) = (rest.get(..end), rest.get(end..)) else {
        return false;
    };
    let tight = head.strip_suffix('=').is_some_and(|head| {
        head.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    });
    match tight {
        true => value.starts_with(['"', '\'', '`', '[', '{', '(', '&']),
        false => value.starts_with(|c: char| c.is_alphanumeric() || "\"'`[({<&*$-_.!@".contains(c)),
    }
}

/// `dbname=x user=y `, `--from-literal=`, `-e `: pairs with spaces or commas between them, and
/// pairs that are a flag's argument.
fn follows_a_pair(before: &str) -> bool {
    let line = tail(before, 64)
        .rsplit(['\n', '"', '\''])
        .next()
        .unwrap_or_default();
    if let Some(flag) = line
        .strip_suffix(['=', ' '])
        .and_then(|line| line.rsplit(' ').next())
        && flag.starts_with('-')
        && flag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && flag.len() > 1
        && !flag.ends_with('-')
    {
        return true;
    }
    line.strip_suffix([' ', ','])
        .filter(|line| !line.contains('('))
        .and_then(|line| line.rsplit([' ', ',']).next())
        .is_some_and(|pair| {
            pair.split_once('=')
                .is_some_and(|(name, value)| !name.is_empty() && !value.is_empty())
        })
}

/// What stands before the key in its line; nothing when that is long.
fn line_lead(before: &str) -> Option<&str> {
    const MAX_LEAD: usize = 48;
    let near = tail(before, MAX_LEAD);
    match near.rsplit_once('\n') {
        Some((_, lead)) => Some(lead),
        None => (near.len() == before.len()).then_some(near),
    }
}

/// `export `, `ENV `, `  - `, `+`: what may stand before a key that begins its line.
fn leads_a_line(lead: &str) -> bool {
    lead.split_whitespace().all(|word| {
        matches!(
            word,
            "export"
                | "ENV"
                | "ARG"
                | "set"
                | "setx"
                | "-"
                | "+"
                | "#"
                | "//"
                | "*"
                | ">"
                | "$"
                | "environment:"
                | "-e"
                | "env"
                | "setenv"
                | "declare"
                | "typeset"
                | "readonly"
                | "-x"
                | "-gx"
                | ";"
                | "--"
                | "SET"
                | "Environment="
        )
    }) || lead
        .bytes()
        .all(|b| matches!(b, b' ' | b'\t' | b'-' | b'+' | b'#'))
}

fn value_at(text: &str, at: usize, tie: Tie, place: Place) -> Option<Value> {
    let rest = text.get(at..floor(text, at + MAX_VALUE))?;
    let window = text.get(at..floor(text, at + 64)).unwrap_or_default();
    let quoted = |span| Value {
        span,
        tie,
        literal: true,
        quoted: true,
        place,
    };
    if let Some((_, opener)) = separators().beginning(window).find(Part::Opener, window) {
        let start = at + opener.end;
        let length = quoted_length(
            text.get(start..floor(text, start + MAX_VALUE))?,
            window.get(opener)?,
        )?;
        return Some(quoted(without_inner_quotes(text, start..start + length)));
    }
    if let Some(inner) = typographic(rest) {
        return Some(quoted(at + inner.start..at + inner.end));
    }
    if tie == Tie::Element
        && let Some(inner) = character_data(rest)
    {
        let span = at + inner.start..at + inner.end;
        return Some(Value {
            span,
            tie,
            literal: true,
            quoted: true,
            place,
        });
    }
    if tie == Tie::Operator
        && text.get(..at).is_some_and(|before| before.ends_with('='))
        && let Some(length) = bracketed(rest)
    {
        return Some(Value {
            span: at + 1..at + 1 + length,
            tie,
            literal: true,
            quoted: false,
            place: Place::List,
        });
    }
    let env = place == Place::Line && text.get(..at).is_some_and(|before| before.ends_with('='));
    let length = match tie {
        Tie::Element => rest.find(['<', '\n']).unwrap_or(rest.len()),
        _ if env => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        _ => match bare_length(rest) {
            0 => foreign_length(rest),
            length => length,
        },
    };
    let length = match rest.get(length..) {
        Some(more)
            if (place == Place::Line || text.get(..at).is_some_and(|t| t.ends_with(": ")))
                && tie == Tie::Operator
                && more.starts_with('&') =>
        {
            length + ampersand_length(more)
        }
        _ => length,
    };
    let assigned = tie == Tie::Operator && text.get(..at).is_some_and(|t| t.ends_with('='));
    let length = match assigned {
        true => escaped_length(rest, length),
        false => length,
    };
    let length = length.min(MAX_BARE);
    let bare = text.get(at..floor(text, at + length))?;
    let kept = bare.trim_end_matches([',', ';', '.', ')', ']', '}']);
    let alone = rest.get(length..).is_none_or(|after| {
        after
            .trim_start_matches([' ', '\t', '\r'])
            .starts_with('\n')
            || after.trim().is_empty()
    });
    let literal = env
        || matches!(tie, Tie::Element | Tie::Flag)
        || (place == Place::Line && alone && bare.len() == kept.len())
        || place == Place::List;
    Some(Value {
        span: at..at + kept.len(),
        tie,
        literal,
        quoted: false,
        place,
    })
}

/// The end of a value that was too long to be read as one: `end`, or where the value ends really.
pub(crate) fn whole_end(text: &str, value: &Value, end: usize) -> usize {
    let limit = if value.quoted { MAX_VALUE } else { MAX_BARE };
    let (Some(rest), true) = (text.get(end..), value.span.len() + 4 > limit) else {
        return end;
    };
    let opener = text
        .get(..value.span.start)
        .and_then(|t| t.chars().next_back());
    let length = match opener {
        Some(quote) if value.quoted => rest
            .find(['\n', quote])
            .and_then(|length| rest.get(..length))
            .map_or(rest.len(), |more| more.trim_end_matches('\\').len()),
        _ => rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>'))
            .unwrap_or(rest.len()),
    };
    end + length
}

/// The value behind a key that some words tell more about: "Passwort für die Datenbank: …".
pub(crate) fn value_further(text: &str, key: &Range<usize>) -> Option<Value> {
    const SIGNS: &[&str] = &[
        ":", "：", " = ", " is ", " est ", " ist ", " lautet ", " es ", " é ", " è ", " — ", " - ",
    ];
    const LONGEST: usize = 64;
    const WORDS: usize = 5;
    let rest = head(text.get(key.end..)?, LONGEST);
    let line = rest.split('\n').next()?;
    let (at, sign) = SIGNS
        .iter()
        .filter_map(|sign| line.find(sign).map(|at| (at, *sign)))
        .min_by_key(|(at, _)| *at)?;
    let words = line.get(..at)?.strip_prefix(' ')?;
    let plain = |c: char| c.is_alphanumeric() || " -'’(),/.@".contains(c);
    if !words.chars().all(plain) || words.contains(". ") || words.split_whitespace().count() > WORDS
    {
        return None;
    }
    let start = key.end + at + sign.len();
    let more = text.get(start..)?;
    let start = start + more.len() - more.trim_start_matches([' ', '\t', ':']).len();
    let tie = match sign.trim() {
        ":" | "：" | "=" => Tie::Operator,
        _ => Tie::Prose,
    };
    value_at(text, start, tie, Place::Elsewhere)
}

/// Whether the lines around a place are a program's rather than a configuration's or prose.
pub(crate) fn stands_in_code(text: &str, span: &Range<usize>) -> bool {
    const NEAR: usize = 240;
    const LINES: usize = 3;
    let before = tail(text.get(..span.start).unwrap_or_default(), NEAR);
    let after = head(text.get(span.end..).unwrap_or_default(), NEAR);
    before.rsplit('\n').take(LINES).any(is_code) || after.split('\n').take(LINES).any(is_code)
}
