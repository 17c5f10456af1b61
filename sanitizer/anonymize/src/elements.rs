//! Cuts JSX into what code says and what is only text: elements, attributes, children.

use super::lexer::{Kind, Lexer};
use super::strings;

/// Elements nested deeper than this are taken for comparisons.
const MAX_NESTED: usize = 64;

/// Bytes that may be searched for closing tags, for each byte of the code.
const SEARCHES: usize = 16;

/// The first tag of an element.
struct Head<'t> {
    name: &'t str,
    /// Where it ends, in bytes from its `<`.
    length: usize,
    closes_itself: bool,
}

impl<'t> Head<'t> {
    /// Reads `<name attribute="…" other={…}>`; nothing where it is a comparison or a list of types.
    fn read(rest: &'t str) -> Option<Self> {
        let inner = rest.strip_prefix('<')?;
        let end =
            inner.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':')));
        let name = inner.get(..end?)?;
        if !name.is_empty() && !name.starts_with(|c: char| c.is_alphabetic()) {
            return None;
        }
        let mut at = 1 + name.len();
        loop {
            let left = rest.get(at..)?;
            match left.chars().next()? {
                '>' => {
                    return Some(Self {
                        name,
                        length: at + 1,
                        closes_itself: rest.get(..at)?.ends_with('/'),
                    });
                }
                quote @ ('"' | '\'') => at += 2 + left.get(1..)?.find(quote)?,
                '{' => at += 2 + strings::matching(left.get(1..)?),
                '<' | ';' | ')' | ',' => return None,
                c => at += c.len_utf8(),
            }
        }
    }
}

impl Lexer<'_> {
    /// Reads an element that begins at `at`; returns its end, or nothing where none begins.
    pub(super) fn element(&mut self, at: usize, to: usize) -> Option<usize> {
        if self.elements >= MAX_NESTED {
            return None;
        }
        let code = self.code;
        let rest = code.get(at..to)?;
        let head = Head::read(rest)?;
        let body = rest.get(head.length..)?;
        if !head.closes_itself {
            let closing = format!("</{}", head.name);
            let found = body.find(&closing);
            self.searched += found.unwrap_or(body.len());
            if found.is_none() || self.searched > SEARCHES * code.len() {
                return None;
            }
        }
        self.elements += 1;
        self.push(Kind::Punct, at..at + 1);
        self.tag_name(at + 1, head.name);
        self.attributes(at + 1 + head.name.len(), at + head.length - 1);
        let end = match head.closes_itself {
            true => at + head.length,
            false => self.children(at + head.length, to),
        };
        self.push(Kind::Literal, end.saturating_sub(1)..end);
        self.elements -= 1;
        Some(end)
    }

    /// A component is a name of the snippet, an element of HTML is none.
    fn tag_name(&mut self, at: usize, name: &str) {
        let first = name.split('.').next().unwrap_or_default();
        if first.starts_with(char::is_uppercase) || name.contains('.') {
            self.push(Kind::Ident, at..at + first.len());
        }
    }

    /// Only what stands in braces is code.
    fn attributes(&mut self, from: usize, to: usize) {
        let mut at = from;
        while let Some(left) = self.code.get(at..to).filter(|left| !left.is_empty()) {
            let next = left.find(['"', '\'', '{']).unwrap_or(left.len());
            let found = left.get(next..).unwrap_or_default();
            at += next;
            match found.chars().next() {
                Some('{') => at = self.braced(at, to),
                Some(quote) => {
                    let body = found.get(1..).unwrap_or_default();
                    at += 2 + body.find(quote).unwrap_or(body.len());
                }
                None => return,
            }
        }
    }

    /// Lexes `{…}` and returns where it ends.
    fn braced(&mut self, at: usize, to: usize) -> usize {
        let inner = self.code.get(at + 1..to).unwrap_or_default();
        let end = at + 1 + strings::matching(inner);
        self.push(Kind::Punct, at..at + 1);
        self.run(at + 1, end);
        if end < to {
            self.push(Kind::Punct, end..end + 1);
        }
        (end + 1).min(to)
    }

    /// Text, elements and braces up to the closing tag; returns where that ends.
    fn children(&mut self, from: usize, to: usize) -> usize {
        let code = self.code;
        let mut at = from;
        while let Some(left) = code.get(at..to) {
            let Some(next) = left.find(['<', '{']) else {
                return to;
            };
            at += next;
            let found = left.get(next..).unwrap_or_default();
            if let Some(closing) = found.strip_prefix("</") {
                let length = closing.find('>').unwrap_or(closing.len());
                let name = closing.get(..length).unwrap_or_default();
                self.tag_name(at + 2, name.trim_end());
                return (at + 3 + length).min(to);
            }
            at = match found.starts_with('{') {
                true => self.braced(at, to),
                false => self.element(at, to).unwrap_or(at + 1),
            };
        }
        to
    }
}
