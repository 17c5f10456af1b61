//! The value of an object before its name: `{"value": "…", "name": "DB_PASSWORD"}`. The view has them
//! the other way round, as the search for keys expects them.

use std::ops::Range;

use recall_kit_evidence::keys::key;

use super::map::View;
use super::occurrences;

/// Longest value, in bytes.
const MAX_VALUE: usize = 400;
/// Most fields between the value and the name.
const MAX_FIELDS: usize = 3;
/// Longest field between them, in bytes.
const MAX_FIELD: usize = 100;

/// Fields that name what the value is.
const NAMES: &[&str] = &[
    "name",
    "key",
    "id",
    "variable",
    "field",
    "label",
    "property",
    "secretName",
    "parameter",
];

/// Returns a view for each value that stands before a name of a secret.
pub(super) fn views(text: &str) -> Vec<View> {
    let mut views = Vec::new();
    let mut read_to = 0;
    for at in occurrences(text.as_bytes(), "alue", 2) {
        let Some(start) = at.checked_sub(1).filter(|start| *start >= read_to) else {
            continue;
        };
        let mut reader = Reader {
            text,
            at: at + "alue".len(),
        };
        let bytes = text.as_bytes();
        let whole = start
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_none_or(|before| {
                !before.is_ascii_alphanumeric()
                    || before.is_ascii_lowercase() && bytes.get(start) == Some(&b'V')
            });
        if !whole || !matches!(bytes.get(start), Some(b'v' | b'V')) {
            continue;
        }
        if let Some(found) = reader.pair() {
            // An element begins with its bracket.
            let is_element = bytes
                .get(..start)
                .is_some_and(|before| before.ends_with(b"<"));
            let start = start - usize::from(is_element);
            let mut view = View::empty(start..found.name_end);
            view.copy(text, found.name_start..found.name_end);
            view.copy(text, found.value_end..found.name_start);
            view.copy(text, start..found.value_end);
            views.push(view);
            // `DB_PASSWORD: …`, as a configuration has it.
            let mut line = View::empty(start..found.name_end);
            line.copy(text, found.key.clone());
            line.copy(text, at + "alue".len()..found.value_end);
            views.push(line);
        } else {
            let mut reader = Reader {
                text,
                at: at + "alue".len(),
            };
            if reader.tie().is_some()
                && reader
                    .value(MAX_VALUE)
                    .is_some_and(|value| value.bytes().any(|b| b.is_ascii_digit()))
                && let Some(key) = key_before(text, start)
            {
                let mut line = View::empty(key.start..reader.at);
                line.copy(text, key);
                line.copy(text, at + "alue".len()..reader.at);
                views.push(line);
            }
        }
        read_to = reader.at;
    }
    views
}

/// The name of a secret that the object of the value at `start` gives before it.
fn key_before(text: &str, start: usize) -> Option<Range<usize>> {
    const REACH: usize = 160;
    let from = text.floor_char_boundary(start.saturating_sub(REACH));
    let near = text.as_bytes().get(from..start)?;
    let is_bracket = |byte: &u8| matches!(byte, b'{' | b'}' | b'[' | b']');
    let object = near.iter().rposition(is_bracket).map_or(0, |at| at + 1);
    let near = near.get(object..)?;
    let names = [b"Name".as_slice(), b"name", b"Key", b"key"];
    let at = memchr::memrchr_iter(b'"', near).find(|at| {
        let before = near.get(..*at).unwrap_or_default();
        names.iter().any(|name| before.ends_with(name))
    })?;
    let mut reader = Reader {
        text,
        at: from + object + at,
    };
    reader.tie()?;
    let value = reader.value(MAX_FIELD)?;
    key::meaning(value)?;
    let quotes = text
        .get(..reader.at)?
        .trim_end_matches(['"', '\'', '\\'])
        .len();
    Some(quotes - value.len()..quotes)
}

/// Where the parts of a pair stand.
struct Pair {
    /// What the name says.
    key: Range<usize>,
    value_end: usize,
    name_start: usize,
    name_end: usize,
}

/// Reads fields from left to right.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// So much of the rest at most: a long line is not read again for each value in it.
    fn near(&self, most: usize) -> &'t str {
        let rest = self.rest();
        rest.get(..rest.floor_char_boundary(most))
            .unwrap_or_default()
    }

    /// Reads the value that follows and the fields behind it up to one that names a secret.
    fn pair(&mut self) -> Option<Pair> {
        if self.rest().starts_with('>') {
            return self.elements();
        }
        self.tie()?;
        self.value(MAX_VALUE)?;
        let value_end = self.at;
        for _ in 0..=MAX_FIELDS {
            self.separator()?;
            let name_start = self.at;
            let field = self.word();
            let named = NAMES.iter().any(|name| name.eq_ignore_ascii_case(field));
            self.tie()?;
            let value = self.value(MAX_FIELD)?;
            if named {
                key::meaning(value)?;
                let quotes = self.text.get(..self.at)?;
                let end = quotes.trim_end_matches(['"', '\'', '\\']).len();
                return Some(Pair {
                    key: end - value.len()..end,
                    value_end,
                    name_start,
                    name_end: self.at,
                });
            }
        }
        None
    }

    /// `<value>…</value><name>…</name>`, from behind the first name on.
    fn elements(&mut self) -> Option<Pair> {
        let length = self
            .near(MAX_VALUE + 1)
            .find(['<', '\n'])
            .filter(|length| *length <= MAX_VALUE)?;
        self.at += length;
        if !self.rest().starts_with("</") {
            return None;
        }
        self.at += self.rest().find('>').filter(|length| *length <= 16)? + 1;
        let value_end = self.at;
        self.skip(char::is_whitespace);
        let name_start = self.at;
        self.at += self.rest().starts_with('<').then_some(1)?;
        let field = self.word();
        let named = NAMES.iter().any(|name| name.eq_ignore_ascii_case(field));
        self.at += (named && self.rest().starts_with('>')).then_some(1)?;
        let key_start = self.at;
        key::meaning(self.word())?;
        let key = key_start..self.at;
        self.at += self.rest().starts_with("</").then_some(2)?;
        self.at += self.rest().find('>').filter(|length| *length <= 16)? + 1;
        Some(Pair {
            key,
            value_end,
            name_start,
            name_end: self.at,
        })
    }

    fn skip(&mut self, is: impl Fn(char) -> bool) -> usize {
        let rest = self.rest().chars();
        let length = rest
            .take(MAX_FIELD)
            .take_while(|c| is(*c))
            .map(char::len_utf8)
            .sum();
        self.at += length;
        length
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let length = self.skip(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        rest.get(..length).unwrap_or_default()
    }

    fn quotes(&mut self) -> usize {
        self.skip(|c| matches!(c, '\\' | '"' | '\''))
    }

    /// `": `, ` = `: what stands between the name of a field and its value.
    fn tie(&mut self) -> Option<()> {
        self.quotes();
        self.skip(|c| matches!(c, ' ' | '\t'));
        let sign = self.rest().starts_with([':', '=']);
        self.at += sign.then_some(1)?;
        self.skip(|c| matches!(c, ' ' | '\t'));
        Some(())
    }

    /// A value with its quotes, or a bare one; what stands between the quotes.
    fn value(&mut self, most: usize) -> Option<&'t str> {
        let opener = self.quotes();
        let rest = self.near(most + 1);
        let length = match opener {
            0 => rest.find(|c: char| c.is_whitespace() || ",{}[]<>;\"'`".contains(c)),
            _ => memchr::memchr3(b'"', b'\'', b'\n', rest.as_bytes()),
        };
        let length = length.unwrap_or(rest.len());
        if length > most {
            return None;
        }
        self.at += length;
        if opener > 0 {
            self.quotes();
        }
        rest.get(..length).map(|value| value.trim_end_matches('\\'))
    }

    /// What stands between two fields of one object.
    fn separator(&mut self) -> Option<()> {
        let length = self.skip(|c| c.is_whitespace() || matches!(c, ',' | ';'));
        let opener = self.quotes();
        (length + opener > 0).then_some(())
    }
}
