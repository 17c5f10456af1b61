//! The front matter of a note: finds its fields and their lines, reads values, and changes one field without
//! touching the others.
//!
//! It supports the part of YAML that people write there: plain and quoted texts and lists of them. Other
//! fields may contain anything; their values are never parsed.

use std::ops::Range;

use super::note::Problem;

/// The line that begins and ends front matter.
const MARK: &str = "---";
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Texts that other YAML parsers would not read as strings.
const WORDS: [&str; 7] = ["true", "false", "yes", "no", "null", "on", "off"];

/// A field and its position.
#[derive(Debug)]
struct Field<'a> {
    key: &'a str,
    /// Counted from 1.
    line: usize,
    /// The byte range of its lines in the head.
    range: Range<usize>,
    /// The text after the colon.
    first: &'a str,
    /// The following lines that belong to it.
    more: Vec<&'a str>,
}

/// The front matter of a note.
#[derive(Debug, Default)]
pub(super) struct FrontMatter<'a> {
    fields: Vec<Field<'a>>,
}

/// Splits a note into the head, that is, everything above its text, and the text.
///
/// *Errors*: front matter without an end.
pub(super) fn split(text: &str) -> Result<(&str, &str), Problem> {
    let start = text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len();
    let (_, rest) = text.split_at(start);
    let mut end = start;
    for (at, line) in rest.split_inclusive('\n').enumerate() {
        let is_mark = line.trim_end() == MARK;
        if at == 0 && !is_mark {
            return Ok(text.split_at(start));
        }
        end += line.len();
        if at > 0 && is_mark {
            return Ok(text.split_at(end));
        }
    }
    if rest.is_empty() {
        return Ok(text.split_at(start));
    }
    Err(Problem::at(
        1,
        "the front matter has no end; close it with a line ---",
    ))
}

impl<'a> FrontMatter<'a> {
    /// Finds the fields of a head.
    ///
    /// *Errors*: lines that belong to no field, and repeated fields.
    pub(super) fn of(head: &'a str) -> Result<Self, Problem> {
        let mut fields: Vec<Field<'a>> = Vec::new();
        let mut at = 0;
        let lines = head.split_inclusive('\n').enumerate();
        for (number, raw) in lines {
            let (from, line) = (at, raw.trim_end());
            at += raw.len();
            let is_mark = line.trim_start_matches(BYTE_ORDER_MARK) == MARK;
            if is_mark || line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with([' ', '\t']) || line == "-" || line.starts_with("- ") {
                let field = fields.last_mut();
                let field = field.ok_or_else(|| Problem::at(number + 1, STRAY))?;
                field.range.end = at;
                field.more.push(line);
                continue;
            }
            let (key, first) = line
                .split_once(':')
                .filter(|(_, value)| value.is_empty() || value.starts_with([' ', '\t']))
                .ok_or_else(|| Problem::at(number + 1, STRAY))?;
            if fields.iter().any(|field| field.key == key) {
                return Err(Problem::at(number + 1, format!("{key} appears twice")));
            }
            fields.push(Field {
                key,
                line: number + 1,
                range: from..at,
                first: first.trim(),
                more: Vec::new(),
            });
        }
        Ok(Self { fields })
    }

    /// Returns the line of a field; 1 if it is missing.
    pub(super) fn line(&self, key: &str) -> usize {
        self.field(key).map_or(1, |field| field.line)
    }

    /// Returns whether there is a field, which may be empty.
    pub(super) fn has(&self, key: &str) -> bool {
        self.field(key).is_some()
    }

    fn field(&self, key: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// Returns a text; `None` if the field is missing or empty.
    ///
    /// *Errors*: anything but a text on one line.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, Problem> {
        let Some(field) = self.field(key) else {
            return Ok(None);
        };
        let wrong = || {
            let message = format!("{key} must be a text on one line; put it in \"quotes\"");
            Problem::at(field.line, message)
        };
        if field.more.iter().any(|line| !is_comment(line)) {
            return Err(wrong());
        }
        scalar(field.first).ok_or_else(wrong)
    }

    /// Returns the texts of a list: `[a, b]`, one line `- a` for each, or `a, b`.
    ///
    /// *Errors*: anything else.
    pub(super) fn list(&self, key: &str) -> Result<Vec<String>, Problem> {
        let Some(field) = self.field(key) else {
            return Ok(Vec::new());
        };
        let wrong = || {
            let message = format!("{key} must be a list such as [one, two]");
            Problem::at(field.line, message)
        };
        let more: Vec<&str> = field.more.iter().map(|line| line.trim()).collect();
        let items = if without_comment(field.first).is_empty() {
            let items = more.iter().filter(|line| !line.starts_with('#'));
            let items = items.map(|line| line.strip_prefix('-').map(str::trim));
            items.collect::<Option<Vec<_>>>().ok_or_else(wrong)?
        } else if more.is_empty() {
            let line = without_comment(field.first);
            let inner = line.strip_prefix('[').map(|rest| rest.strip_suffix(']'));
            split_items(inner.unwrap_or(Some(line)).ok_or_else(wrong)?)
        } else {
            return Err(wrong());
        };
        let texts = items.into_iter().filter(|item| !item.is_empty());
        let texts = texts.map(|item| scalar(item).ok_or_else(wrong));
        let texts: Vec<Option<String>> = texts.collect::<Result<_, _>>()?;
        Ok(texts.into_iter().flatten().collect())
    }
}

const STRAY: &str = "this line is neither `key: value` nor a part of one";

fn is_comment(line: &&str) -> bool {
    line.trim_start().starts_with('#')
}

/// Reads one value; the outer `None` means that it cannot be read, the inner one that it is empty.
fn scalar(value: &str) -> Option<Option<String>> {
    let value = value.trim();
    if value.starts_with('"') {
        let mut texts = serde_json::Deserializer::from_str(value).into_iter::<String>();
        let text = texts.next()?.ok()?;
        let rest = value.get(texts.byte_offset()..)?;
        return without_comment(rest).is_empty().then_some(Some(text));
    }
    if let Some(quoted) = value.strip_prefix('\'') {
        let inner = without_comment(quoted).strip_suffix('\'')?;
        let is_single = !inner.replace("''", "").contains('\'');
        return is_single.then(|| Some(inner.replace("''", "'")));
    }
    let plain = without_comment(value);
    match plain {
        "" | "~" | "null" => Some(None),
        _ if plain.starts_with(['[', '{', '|', '>', '&', '*', '!', '%', '@', '`']) => None,
        _ => Some(Some(plain.to_owned())),
    }
}

/// Removes a comment, which begins with ` #` outside of quotes.
fn without_comment(value: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in value.char_indices() {
        match quote {
            None if c == '#' && before.is_whitespace() => {
                return value.get(..at).unwrap_or_default().trim();
            }
            None if matches!(c, '"' | '\'') && !before.is_alphanumeric() => quote = Some(c),
            Some(open) if c == open && before != '\\' => quote = None,
            _ => {}
        }
        before = c;
    }
    value.trim()
}

/// Splits at commas outside of quotes.
fn split_items(line: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut from, mut quote) = (0, None);
    for (at, c) in line.char_indices() {
        match quote {
            None if c == ',' => {
                items.push(line.get(from..at).unwrap_or_default().trim());
                from = at + 1;
            }
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if c == open => quote = None,
            _ => {}
        }
    }
    items.push(line.get(from..).unwrap_or_default().trim());
    items
}

/// Returns a head with a new value for a field; the field is added if it is missing. Everything else stays
/// unchanged.
pub(super) fn with(head: &str, key: &str, value: &str, newline: &str) -> String {
    let line = format!("{key}: {value}{newline}");
    let known = FrontMatter::of(head).unwrap_or_default();
    if let Some(field) = known.field(key) {
        let mut head = head.to_owned();
        head.replace_range(field.range.clone(), &line);
        return head;
    }
    if !head.contains(MARK) {
        return format!("{head}{MARK}{newline}{line}{MARK}{newline}");
    }
    let close = head.trim_end().rfind('\n').map_or(head.len(), |at| at + 1);
    let (above, close) = head.split_at(close);
    // In a note without text, the last line may have no line end.
    let close = close.trim_end_matches(['\r', '\n']);
    format!("{above}{line}{close}{newline}")
}

/// Returns a head without some fields: the other fields and the comments, unchanged.
pub(super) fn without(head: &str, known: &[&str]) -> String {
    let mut rest = head.to_owned();
    let fields = FrontMatter::of(head).unwrap_or_default().fields;
    let known = fields.iter().filter(|field| known.contains(&field.key));
    for field in known.rev() {
        rest.replace_range(field.range.clone(), "");
    }
    let lines = rest
        .lines()
        .map(|line| line.trim_start_matches(BYTE_ORDER_MARK));
    let lines = lines.filter(|line| !line.is_empty() && line.trim_end() != MARK);
    lines.collect::<Vec<_>>().join("\n")
}

/// Formats a text so that every YAML parser reads this text.
pub(super) fn quoted(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/' | '+');
    let is_plain = text.starts_with(char::is_alphabetic)
        && !text.ends_with(' ')
        && text.chars().all(is_word)
        && !WORDS.contains(&text.to_lowercase().as_str())
        && text.parse::<f64>().is_err();
    if is_plain {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
    }
}

/// Formats a list.
pub(super) fn quoted_list(texts: &[String]) -> String {
    let items: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", items.join(", "))
}

#[cfg(test)]
mod tests;
