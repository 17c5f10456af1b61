//! Finds secrets by the name of their column: `insert into … (…, token) values (…)`, CSV, Markdown tables.
//!
//! Reads the header and as many rows as have its number of cells; what a value must look like is for `value`.

use std::ops::Range;
use std::sync::OnceLock;

use recall_kit_evidence::keys::key::{self, Meaning, SecretKey};
use recall_kit_evidence::people::{accounts, persons};
use recall_kit_evidence::secrets::{chosen, value};
use recall_kit_evidence::text::head;
use recall_kit_evidence::words::message;

use crate::RuleGroup;
use crate::clues::{Clue, group_of};
use crate::rules::anchors::Hit;
use crate::rules::pool::POOL;
use crate::rules::rule_set::{Mark, RuleSet};
use crate::rules::shape::Regex;

/// Most rows that are read below a header.
const MAX_ROWS: usize = 500;
/// Longest name of a column, in bytes.
const MAX_NAME: usize = 40;
/// Longest list of values that is read, in bytes.
const MAX_TUPLE: usize = 8192;

/// Finds every secret in a column that is named like one, at the hits of the scan: without the mark
/// of a key there is no such name.
pub(crate) fn secrets(
    set: &RuleSet,
    text: &str,
    hits: &[Hit],
    groups: &[RuleGroup],
) -> Vec<Clue<'static>> {
    let mut clues = Vec::new();
    let (mut read_to, mut inserted_to) = (0, 0);
    for hit in hits {
        match set.mark(hit) {
            Some(Mark::Part) if hit.start >= read_to => {
                read_to = tabulated(text, line_around(text, hit.start), &mut clues);
            }
            Some(Mark::Statement) if hit.start >= inserted_to => {
                inserted_to = inserted(text, hit.start, &mut clues);
            }
            _ => {}
        }
    }
    clues.retain(|clue| groups.contains(&clue.group));
    clues
}

/// The line that a place is in, without its end.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let before = bytes.get(..at).unwrap_or_default();
    let after = bytes.get(at..).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    start..at + memchr::memchr(b'\n', after).unwrap_or(after.len())
}

/// Reads a line and, where it is a header, the rows below; returns where the last line read ends.
fn tabulated(text: &str, line: Range<usize>, clues: &mut Vec<Clue<'static>>) -> usize {
    let mut read_to = line.end;
    let Some((delimiter, columns)) = text.get(line.clone()).and_then(header) else {
        return read_to;
    };
    let below = text.get(line.end + 1..).unwrap_or_default();
    for (start, row) in lines(below).take(MAX_ROWS) {
        let start = line.end + 1 + start;
        let cells = cells(row, delimiter);
        if cells.len() != columns.len() {
            break;
        }
        read_to = start + row.len();
        for (cell, column) in cells.into_iter().zip(&columns) {
            let span = start + cell.start..start + cell.end;
            clues.extend(column.and_then(|key| judged(text, span, key)));
        }
    }
    read_to
}

/// Each line and where it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line.trim_end_matches(['\n', '\r'])))
    })
}

type Columns = Vec<Option<SecretKey>>;

/// The columns' meanings, where the line is a header that names a secret.
fn header(line: &str) -> Option<(char, Columns)> {
    let line = line.trim_end_matches('\r');
    if line.len() > 1000 || !line.bytes().all(in_header) || !value::may_name_a_secret(line) {
        return None;
    }
    let delimiter = ['|', '\t', ';', ',']
        .into_iter()
        .find(|d| line.contains(*d))?;
    let cells = cells(line, delimiter);
    let names: Vec<&str> = cells
        .iter()
        .filter_map(|cell| line.get(cell.clone()))
        .collect();
    let plain = |name: &&str| {
        name.len() <= MAX_NAME
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b' ' | b'-' | b'.'))
    };
    if names.len() < 2 || !names.iter().all(plain) {
        return None;
    }
    let named = names.iter().any(|name| {
        [
            "username",
            "user_name",
            "surname",
            "lastname",
            "last_name",
            "login",
        ]
        .iter()
        .any(|one| name.eq_ignore_ascii_case(one))
    });
    let mut columns: Columns = names.iter().map(|name| key::meaning(name)).collect();
    let family = names
        .iter()
        .position(|name| name.to_ascii_lowercase().ends_with("surname"));
    if let Some(person) = family.and_then(|at| columns.get(at).copied().flatten()) {
        for (name, column) in names.iter().zip(&mut columns) {
            if name.eq_ignore_ascii_case("name") {
                *column = Some(person);
            }
        }
    }
    columns
        .iter()
        .flatten()
        .any(|key| group_of(*key) == RuleGroup::RemoveApiKeys || named)
        .then_some((delimiter, columns))
}

/// Whether the byte may stand in a header: in names of columns, around them or between them.
fn in_header(byte: u8) -> bool {
    HEADER.get(usize::from(byte)).copied().unwrap_or(false)
}

const HEADER: [bool; 256] = in_headers();

/// Run by the compiler, which checks the places.
const fn in_headers() -> [bool; 256] {
    let mut bytes = [false; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        bytes[byte] = matches!(
            byte as u8,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b' ' | b'-' | b'.' | b'|' | b'\t' | b';'
                | b',' | b'"' | b'\'' | b'`' | b'\r'
        );
        byte += 1;
    }
    bytes
}

/// The cells of a row, without spaces, quotes and the bars around the row.
fn cells(line: &str, delimiter: char) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut end = line.len();
    if delimiter == '|' {
        start = line.len() - line.trim_start_matches(['|', ' ', '\t']).len();
        end = line.trim_end_matches(['|', ' ', '\t']).len().max(start);
    }
    let mut cells = Vec::new();
    let mut from = start;
    let mut quoted = false;
    for (at, c) in line.get(start..end).unwrap_or_default().char_indices() {
        quoted ^= c == '"';
        if c == delimiter && !quoted {
            cells.push(trimmed(line, from..start + at));
            from = start + at + c.len_utf8();
        }
    }
    cells.push(trimmed(line, from..end));
    cells
}

fn trimmed(line: &str, cell: Range<usize>) -> Range<usize> {
    let framing = [' ', '\t', '"', '\'', '`'];
    let raw = line.get(cell.clone()).unwrap_or_default();
    let start = cell.start + raw.len() - raw.trim_start_matches(framing).len();
    let length = raw.trim_matches(framing).len();
    start.min(cell.end)..(start + length).min(cell.end)
}

/// Reads `insert into t (a, b) values (1, 'x'), (2, 'y')`; returns where to go on.
fn inserted(text: &str, at: usize, clues: &mut Vec<Clue<'static>>) -> usize {
    static STATEMENT: OnceLock<Regex> = OnceLock::new();
    let statement = STATEMENT.get_or_init(|| {
        const PACKED: &[u8] = include!(concat!(env!("OUT_DIR"), "/inserted.rs"));
        Regex::read(PACKED, &POOL).expect("the build script writes a matcher")
    });
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let (before, rest) = text.split_at(at);
    if before.ends_with(word) {
        return at;
    }
    let Some((whole, names)) = statement.find(rest) else {
        return at;
    };
    let columns: Columns = rest
        .get(names)
        .unwrap_or_default()
        .split(',')
        .map(|name| key::meaning(name.trim_matches([' ', '\t', '\n', '\r', '"', '`', '[', ']'])))
        .collect();
    let values = at + whole.end;
    if columns.iter().all(Option::is_none) {
        return values;
    }
    let mut next = values;
    while let Some((tuple, end)) = tuple(text, next) {
        for (cell, column) in tuple.into_iter().zip(&columns) {
            clues.extend(column.and_then(|key| judged(text, cell, key)));
        }
        next = end;
    }
    values
}

/// The items of the tuple that begins at or soon behind `from`, and its end.
fn tuple(text: &str, from: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let rest = text.get(from..)?;
    let open = from + rest.find(|c: char| !c.is_whitespace() && c != ',')?;
    if !text.get(open..)?.starts_with('(') {
        return None;
    }
    let mut items = Vec::new();
    let mut start = open + 1;
    let mut quoted = false;
    let mut depth = 0_usize;
    for (at, c) in head(text.get(open + 1..)?, MAX_TUPLE).char_indices() {
        let at = open + 1 + at;
        match c {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                items.push(trimmed(text, start..at));
                start = at + 1;
            }
            ')' => {
                items.push(trimmed(text, start..at));
                return Some((items, at + 1));
            }
            _ => {}
        }
    }
    None
}

fn judged(text: &str, span: Range<usize>, key: SecretKey) -> Option<Clue<'static>> {
    let found = text.get(span.clone())?;
    let secret = match key.meaning {
        Meaning::Password => {
            found.bytes().any(|b| !b.is_ascii_lowercase()) && value::is_password(found, true)
                || value::is_opaque(found, 8)
                || text.get(..span.start).is_some_and(|t| t.ends_with(','))
                    && found.len() >= 8
                    && value::is_password(found, true)
                    && !message::is_predicate(found)
                || text
                    .get(..span.start)
                    .is_some_and(|t| t.ends_with(['\'', '"']))
                    && (value::is_password(found, true) || chosen::is_phrase(found))
        }
        Meaning::Token => value::is_opaque(found, 10) || chosen::is_short_token(found),
        Meaning::Header => value::is_opaque(found, 10),
        Meaning::Weak => value::is_opaque(found, 16),
        Meaning::User => accounts::is_account(found),
        Meaning::Person => persons::is_person(found),
    };
    secret.then(|| Clue::keyed(span, key))
}
