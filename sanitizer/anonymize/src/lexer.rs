//! Cuts code into names, punctuation and strings; comments vanish, interpolated expressions stay.

use std::ops::Range;

use super::language::Language;
use super::strings::{self, Interpolation, StringStart};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Ident,
    Punct,
    /// A string, number or lifetime: a value whose inside is nobody's business.
    Literal,
    Newline,
}

#[derive(Debug, Clone)]
struct Token {
    kind: Kind,
    span: Range<usize>,
    /// The innermost open bracket before it, as an index.
    bracket: Option<usize>,
    /// The bracket that closes or opens this one, as an index.
    partner: Option<usize>,
    /// Inside a string's interpolation.
    interpolated: bool,
}

/// The tokens of a snippet. Every accessor answers for any index: there is nothing out there.
#[derive(Debug)]
pub(super) struct Tokens<'t> {
    code: &'t str,
    list: Vec<Token>,
}

impl<'t> Tokens<'t> {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn kind(&self, index: usize) -> Option<Kind> {
        self.list.get(index).map(|token| token.kind)
    }

    /// The text of a token; empty outside.
    pub(super) fn text(&self, index: usize) -> &'t str {
        self.list
            .get(index)
            .and_then(|token| self.code.get(token.span.clone()))
            .unwrap_or_default()
    }

    pub(super) fn start(&self, index: usize) -> usize {
        self.list
            .get(index)
            .map_or(self.code.len(), |token| token.span.start)
    }

    pub(super) fn is(&self, index: usize, text: &str) -> bool {
        self.text(index) == text
    }

    pub(super) fn is_ident(&self, index: usize) -> bool {
        self.kind(index) == Some(Kind::Ident)
    }

    pub(super) fn interpolated(&self, index: usize) -> bool {
        self.list.get(index).is_some_and(|token| token.interpolated)
    }

    /// The innermost bracket that is open before the token: its index.
    pub(super) fn bracket(&self, index: usize) -> Option<usize> {
        self.list.get(index).and_then(|token| token.bracket)
    }

    /// The text of that bracket; empty at the top.
    pub(super) fn inside(&self, index: usize) -> &'t str {
        self.bracket(index).map_or("", |open| self.text(open))
    }

    /// The token before, line ends passed over.
    pub(super) fn before(&self, index: usize) -> Option<usize> {
        (0..index.min(self.len()))
            .rev()
            .find(|i| self.kind(*i) != Some(Kind::Newline))
    }

    /// The text of the token before, line ends passed over; empty at the start.
    pub(super) fn text_before(&self, index: usize) -> &'t str {
        self.before(index).map_or("", |before| self.text(before))
    }

    /// Whether two tokens touch.
    pub(super) fn touch(&self, left: usize, right: usize) -> bool {
        match (self.list.get(left), self.list.get(right)) {
            (Some(left), Some(right)) => left.span.end == right.span.start,
            _ => false,
        }
    }

    /// The index of the bracket that closes the one at `open`; the end where it is missing.
    pub(super) fn closing(&self, open: usize) -> usize {
        self.list
            .get(open)
            .and_then(|token| token.partner)
            .unwrap_or(self.len())
    }

    /// The index of the bracket that the one at `close` closes.
    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        self.list.get(close).and_then(|token| token.partner)
    }

    /// The tokens from `from` to before `to`, but no more than any sane declaration has.
    pub(super) fn span(&self, from: usize, to: usize) -> Range<usize> {
        from..to.min(self.len()).min(from + MAX_DECLARATION)
    }

    /// Whether the token begins a statement's line.
    pub(super) fn leads_line(&self, index: usize) -> bool {
        index
            .checked_sub(1)
            .is_none_or(|before| self.kind(before) == Some(Kind::Newline) || self.is(before, ";"))
    }

    /// The spaces before the first token of its line.
    pub(super) fn indent(&self, index: usize) -> usize {
        let start = self.start(index);
        let line = self
            .code
            .get(..start)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |at| at + 1);
        start - line
    }
}

/// Cuts `code` into tokens.
pub(super) fn tokens(code: &str, language: Language) -> Tokens<'_> {
    let mut lexer = Lexer {
        code,
        language,
        list: Vec::new(),
        depth: 0,
        elements: 0,
        searched: 0,
    };
    lexer.run(0, code.len());
    let mut list = lexer.list;
    let mut open: Vec<usize> = Vec::new();
    for index in 0..list.len() {
        let text = list
            .get(index)
            .and_then(|token| code.get(token.span.clone()))
            .unwrap_or_default();
        if matches!(text, ")" | "]" | "}")
            && let Some(opener) = open.pop()
        {
            for (at, partner) in [(opener, index), (index, opener)] {
                if let Some(token) = list.get_mut(at) {
                    token.partner = Some(partner);
                }
            }
        }
        let bracket = open.last().copied();
        if let Some(token) = list.get_mut(index) {
            token.bracket = bracket;
        }
        if matches!(text, "(" | "[" | "{") {
            open.push(index);
        }
    }
    Tokens { code, list }
}

/// Tokens that are looked through for one declaration: nested ones would cost the square otherwise.
const MAX_DECLARATION: usize = 1000;

/// Interpolations nested deeper than this are taken for plain text.
const MAX_DEPTH: usize = 8;

pub(super) struct Lexer<'t> {
    pub(super) code: &'t str,
    language: Language,
    list: Vec<Token>,
    depth: usize,
    /// Elements of JSX that are open.
    pub(super) elements: usize,
    /// Bytes that were searched for the ends of elements.
    pub(super) searched: usize,
}

impl Lexer<'_> {
    pub(super) fn run(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            at = self.step(at, to).max(at + 1);
        }
    }

    /// Reads one token at `at` and returns where the next begins.
    fn step(&mut self, at: usize, to: usize) -> usize {
        let Some(rest) = self.code.get(at..to) else {
            return at + 1;
        };
        let Some(first) = rest.chars().next() else {
            return to;
        };
        let inside_word = self.language == Language::Shell
            && self.code.get(..at).is_some_and(|before| {
                before.ends_with(['$', '{', '&']) || before.ends_with(is_name)
            });
        if !inside_word && let Some(end) = comment(rest, self.language) {
            return at + end;
        }
        if first == '<'
            && self.element_may_follow()
            && let Some(end) = self.element(at, to)
        {
            return end;
        }
        if let Some(end) = self.string(rest, at) {
            return end;
        }
        let length = match first {
            '\n' => {
                self.push(Kind::Newline, at..at + 1);
                1
            }
            c if c.is_whitespace() => c.len_utf8(),
            c if is_name_start(c) => {
                let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                self.push(Kind::Ident, at..at + length);
                length
            }
            c if c.is_ascii_digit() => {
                let length = rest
                    .find(|c: char| !(is_name(c) || c == '.'))
                    .unwrap_or(rest.len());
                self.push(Kind::Literal, at..at + length);
                length
            }
            c => {
                let length = operator(rest).unwrap_or(c.len_utf8());
                self.push(Kind::Punct, at..at + length);
                length
            }
        };
        at + length
    }

    pub(super) fn push(&mut self, kind: Kind, span: Range<usize>) {
        let repeated =
            kind == Kind::Newline && self.list.last().is_some_and(|last| last.kind == kind);
        if repeated {
            return;
        }
        let interpolated = self.depth > 0;
        self.list.push(Token {
            kind,
            span,
            bracket: None,
            partner: None,
            interpolated,
        });
    }

    /// Reads a string, its interpolations included; returns its end.
    fn string(&mut self, rest: &str, at: usize) -> Option<usize> {
        let string = StringStart::read(rest, self.language, self.regex_may_follow())?;
        let body = rest.get(string.open..)?;
        let length = string.length(body);
        let end = at + string.open + length + string.close.len();
        self.push(Kind::Literal, at..end.min(at + rest.len()));
        if self.depth < MAX_DEPTH && (string.interpolation.is_some()) {
            self.interpolations(
                at + string.open,
                body.get(..length).unwrap_or_default(),
                string.interpolation,
            );
        }
        Some(end)
    }

    fn interpolations(&mut self, at: usize, body: &str, style: Option<Interpolation>) {
        self.depth += 1;
        let mut from = 0;
        while let Some((start, end, next)) =
            style.and_then(|style| strings::expression(body, from, style))
        {
            self.run(at + start, at + end);
            from = next;
        }
        self.depth -= 1;
    }

    /// Whether a `<` here may begin an element of JSX rather than compare.
    fn element_may_follow(&self) -> bool {
        let last = self.list.iter().rfind(|token| token.kind != Kind::Newline);
        let text = last.map_or("", |token| {
            self.code.get(token.span.clone()).unwrap_or_default()
        });
        self.language == Language::JavaScript
            && match last.map(|token| token.kind) {
                None => true,
                Some(Kind::Punct) => !matches!(text, ")" | "]" | "." | "?."),
                Some(Kind::Ident) => matches!(text, "return" | "default" | "yield" | "case"),
                _ => false,
            }
    }

    /// Whether a `/` here begins a regular expression rather than a division.
    fn regex_may_follow(&self) -> bool {
        let Some(last) = self
            .list
            .iter()
            .rev()
            .find(|token| token.kind != Kind::Newline)
        else {
            return true;
        };
        let text = self.code.get(last.span.clone()).unwrap_or_default();
        match last.kind {
            Kind::Punct => !matches!(text, ")" | "]" | "}"),
            Kind::Ident => matches!(text, "return" | "typeof" | "case" | "in" | "of"),
            _ => false,
        }
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn operator(rest: &str) -> Option<usize> {
    const OPERATORS: &[&str] = &[
        "===", "!==", "...", "??=", "||=", "&&=", "<=>", "::", "->", "=>", ":=", "==", "!=", "<=",
        ">=", "?.", "+=", "-=", "*=", "/=", "|=", "&=", "%=", "++", "--", "&&", "||", "??", "..",
    ];
    OPERATORS
        .iter()
        .find(|operator| rest.starts_with(**operator))
        .map(|operator| operator.len())
}

/// The length of a comment that begins here.
fn comment(rest: &str, language: Language) -> Option<usize> {
    use Language::{Php, Python, Ruby, Shell, Sql};
    let line = || Some(rest.find('\n').unwrap_or(rest.len()));
    let block = || Some(rest.get(2..)?.find("*/").map_or(rest.len(), |end| end + 4));
    match language {
        Python | Ruby | Shell => rest.starts_with('#').then(line)?,
        Sql if rest.starts_with("--") => line(),
        Sql if rest.starts_with("/*") => block(),
        Sql => None,
        Php if rest.starts_with('#') && !rest.starts_with("#[") => line(),
        _ if rest.starts_with("//") => line(),
        _ if rest.starts_with("/*") => block(),
        _ => None,
    }
}
