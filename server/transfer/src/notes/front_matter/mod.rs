//! The front matter of a note: which field stands on which lines, its values, and changing one
//! without touching the others.
//!
//! Of YAML it reads what people write there: plain and quoted texts and lists of them. Fields that
//! nobody asks for may hold anything; they are never looked into.

use std::ops::Range;

use super::note::Problem;

/// What begins and ends front matter.
const MARK: &str = "---";
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Texts that other readers of YAML would take for something else.
const WORDS: [&str; 7] = ["true", "false", "yes", "no", "null", "on", "off"];

/// A field and where it stands.
#[derive(Debug)]
struct Field<'a> {
    key: &'a str,
    /// Counted from 1.
    line: usize,
    /// Its lines as bytes of the head.
    range: Range<usize>,
    /// What follows the colon.
    first: &'a str,
    /// The lines below that belong to it.
    more: Vec<&'a str>,
}

/// The front matter of a note.
#[derive(Debug, Default)]
pub(super) struct FrontMatter<'a> {
    fields: Vec<Field<'a>>,
}

/// Splits a note into everything above its text and the text.
///
/// *Errors*: front matter that has no end.
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
    /// *Errors*: lines that belong to no field, and fields that come twice.
    pub(super) fn of(head: &'a str) -> Result<Self, Problem> {
        let mut fields: Vec<Field<'a>> = Vec::new();
        let mut at = 0;
        let lines = head.split_inclusive('\n').enumerate();
        for (number, whole) in lines {
            let (from, line) = (at, whole.trim_end());
            at += whole.len();
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
                return Err(Problem::at(number + 1, format!("{key} is there twice")));
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

    /// Returns the line of a field; 1 when it is not there.
    pub(super) fn line(&self, key: &str) -> usize {
        self.field(key).map_or(1, |field| field.line)
    }

    fn field(&self, key: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// Returns a text, unless the field is not there or says nothing.
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

    /// Returns the texts of a list: `[a, b]`, a line `- a` for each, or `a, b`.
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

/// Reads one value; the outer `None` is none that can be read, the inner one says nothing.
fn scalar(value: &str) -> Option<Option<String>> {
    let value = value.trim();
    if value.starts_with('"') {
        let mut texts = serde_json::Deserializer::from_str(value).into_iter::<String>();
        let text = texts.next()?.ok()?;
        let rest = value.get(texts.byte_offset()..)?;
        return without_comment(rest).is_empty().then_some(Some(text));
    }
    if let Some(quoted) = value.strip_prefix('\'') {
        let whole = without_comment(quoted).strip_suffix('\'')?;
        let is_one = !whole.replace("''", "").contains('\'');
        return is_one.then(|| Some(whole.replace("''", "'")));
    }
    let plain = without_comment(value);
    match plain {
        "" | "~" | "null" => Some(None),
        _ if plain.starts_with(['[', '{', '|', '>', '&', '*', '!', '%', '@', '`']) => None,
        _ => Some(Some(plain.to_owned())),
    }
}

/// Takes off a comment, which begins with ` #` outside of quotes.
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

/// Returns a head in which a field has another value; a head that has none gets one. Everything else
/// stays as it is.
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
    // The last line of a note that is nothing but front matter may have no end.
    let close = close.trim_end_matches(['\r', '\n']);
    format!("{above}{line}{close}{newline}")
}

/// Returns what a head says besides some fields: other fields and comments, as they were written.
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

/// Writes a text so that every reader of YAML reads this text.
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

/// Writes a list.
pub(super) fn quoted_list(texts: &[String]) -> String {
    let items: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", items.join(", "))
}

#[cfg(test)]
mod tests;
