//! Removes surplus attributes from a page before it is tokenized.
//!
//! The tokenizer compares each attribute of a tag with all others of the tag, which takes quadratic time. This
//! module scans tags by the same rules of the HTML standard as the tokenizer, but only counts attributes.

use std::borrow::Cow;

use super::tree::raw_kind;

/// The most attributes of a tag that are read; the others are ignored.
const MAX_ATTRIBUTES: usize = 128;

/// Returns a page whose tags have at most [`MAX_ATTRIBUTES`]; most pages are not changed.
pub(super) fn limited(html: &str) -> Cow<'_, str> {
    limited_to(html, MAX_ATTRIBUTES)
}

fn limited_to(html: &str, most: usize) -> Cow<'_, str> {
    let mut scan = Scan { html, at: 0, most };
    let mut out = String::new();
    // The start of the text that is not yet copied.
    let mut copied = 0;
    while let Some(surplus) = scan.next_surplus() {
        out.push_str(html.get(copied..surplus.0).unwrap_or_default());
        copied = surplus.1;
    }
    match copied {
        0 => Cow::Borrowed(html),
        _ => {
            out.push_str(html.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
    }
}

struct Scan<'a> {
    html: &'a str,
    at: usize,
    /// The most attributes that a tag may have.
    most: usize,
}

impl Scan<'_> {
    /// Returns the range of the next surplus attributes, and stops after their tag.
    fn next_surplus(&mut self) -> Option<(usize, usize)> {
        loop {
            self.skip_to(b"<")?;
            self.at += 1;
            match self.byte()? {
                b'!' if self.rest().starts_with(b"!--") => self.skip_comment(),
                b'!' | b'?' => self.skip_behind(b">"),
                b'/' => match self.rest().get(1) {
                    Some(it) if it.is_ascii_alphabetic() => {
                        self.at += 1;
                        if let Some(surplus) = self.tag().surplus {
                            return Some(surplus);
                        }
                    }
                    _ => self.skip_behind(b">"),
                },
                it if it.is_ascii_alphabetic() => {
                    let tag = self.tag();
                    if let Some(kind) = tag.raw {
                        self.skip_raw(&kind);
                    }
                    if let Some(surplus) = tag.surplus {
                        return Some(surplus);
                    }
                }
                _ => {}
            }
        }
    }

    /// Scans a tag, from the first letter of its name to after its `>`.
    fn tag(&mut self) -> Tag {
        let start = self.at;
        self.skip_while(|it| !is_space(it) && it != b'/' && it != b'>');
        let name = self.html.get(start..self.at).unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let raw = raw_kind(&name).map(|_| name);
        let (mut count, mut surplus) = (0, None);
        loop {
            self.skip_while(|it| is_space(it) || it == b'/');
            match self.byte() {
                None => break,
                Some(b'>') => {
                    let end = self.at;
                    self.at += 1;
                    return Tag {
                        raw,
                        surplus: surplus.map(|start| (start, end)),
                    };
                }
                Some(_) => {}
            }
            count += 1;
            if count > self.most {
                surplus.get_or_insert(self.at);
            }
            self.attribute();
        }
        Tag {
            raw,
            surplus: surplus.map(|start| (start, self.at)),
        }
    }

    fn attribute(&mut self) {
        // A name may begin with a character that ends other names.
        self.at += 1;
        self.skip_while(|it| !is_space(it) && !matches!(it, b'/' | b'>' | b'='));
        self.skip_while(is_space);
        if self.byte() != Some(b'=') {
            return;
        }
        self.at += 1;
        self.skip_while(is_space);
        match self.byte() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                self.skip_behind(&[quote]);
            }
            _ => self.skip_while(|it| !is_space(it) && it != b'>'),
        }
    }

    fn skip_comment(&mut self) {
        self.at += "!--".len();
        let rest = self.rest();
        if let Some(short) = [b">".as_slice(), b"->"]
            .iter()
            .find(|it| rest.starts_with(it))
        {
            self.at += short.len();
            return;
        }
        let end = memchr::memchr_iter(b'>', rest).find(|end| {
            let before = rest.get(..*end).unwrap_or_default();
            before.ends_with(b"--") || before.ends_with(b"--!")
        });
        self.at = end.map_or(self.html.len(), |end| self.at + end + 1);
    }

    /// Skips to the end tag of an element whose contents are not markup.
    fn skip_raw(&mut self, name: &str) {
        while self.skip_to(b"</").is_some() {
            let rest = self.rest().get(2..).unwrap_or_default();
            let named = rest
                .get(..name.len())
                .is_some_and(|it| it.eq_ignore_ascii_case(name.as_bytes()));
            let ends = rest
                .get(name.len())
                .is_some_and(|it| is_space(*it) || matches!(it, b'/' | b'>'));
            if named && ends {
                return;
            }
            self.at += 2;
        }
        self.at = self.html.len();
    }

    /// Skips to the next occurrence of some bytes, if there is one.
    fn skip_to(&mut self, bytes: &[u8]) -> Option<()> {
        self.at += memchr::memmem::find(self.rest(), bytes)?;
        Some(())
    }

    fn skip_behind(&mut self, bytes: &[u8]) {
        match self.skip_to(bytes) {
            Some(()) => self.at += bytes.len(),
            None => self.at = self.html.len(),
        }
    }

    fn skip_while(&mut self, is_skipped: impl Fn(u8) -> bool) {
        let rest = self.rest();
        let skipped = rest.iter().position(|it| !is_skipped(*it));
        self.at += skipped.unwrap_or(rest.len());
    }

    fn byte(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn rest(&self) -> &[u8] {
        self.html.as_bytes().get(self.at..).unwrap_or_default()
    }
}

/// A scanned tag.
struct Tag {
    /// Its name, if its contents are not markup.
    raw: Option<String>,
    /// The range from the first surplus attribute to the end of the tag.
    surplus: Option<(usize, usize)>,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

#[cfg(test)]
mod tests;
