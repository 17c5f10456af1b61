//! Where strings begin and end in each language, and the expressions inside them.

use super::language::Language;
use super::lexer::is_name;

/// How a string embeds expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    /// `${…}`
    Dollar,
    /// `$name` and `${…}`
    Sigil,
    /// `{…}`
    Brace,
    /// `#{…}`
    Hash,
    /// `$name` and `${…}`, without their marks
    Template,
    /// `\(…)`
    Parenthesis,
}

pub(super) struct StringStart {
    /// Length of the prefix and the opening quote.
    pub(super) open: usize,
    pub(super) close: String,
    escapes: bool,
    lines: bool,
    pub(super) interpolation: Option<Interpolation>,
}

impl StringStart {
    pub(super) fn read(rest: &str, language: Language, regex_may_follow: bool) -> Option<Self> {
        let prefix = rest
            .find(|c: char| !c.is_ascii_alphabetic() && !matches!(c, '$' | '@' | '#'))
            .unwrap_or(0);
        let quote = rest.get(prefix..)?.chars().next()?;
        let head = rest.get(..prefix)?;
        let lower = head.to_ascii_lowercase();
        match language {
            Language::Rust => return rust_string(rest, head, quote),
            Language::JavaScript if head.is_empty() && quote == '/' && regex_may_follow => {
                return regex_literal(rest);
            }
            Language::Python
                if !["", "f", "r", "b", "u", "rb", "br", "fr", "rf"].contains(&lower.as_str()) =>
            {
                return None;
            }
            Language::CSharp if !["", "$", "@", "$@", "@$"].contains(&head) => return None,
            Language::Python | Language::CSharp => {}
            _ if !head.is_empty() => return None,
            _ => {}
        }
        if !opens_string(quote, language) {
            return None;
        }
        let triple = rest
            .get(prefix..)?
            .starts_with(&String::from(quote).repeat(3))
            && matches!(
                language,
                Language::Python
                    | Language::Java
                    | Language::Kotlin
                    | Language::Swift
                    | Language::CSharp
            )
            && (quote == '"' || language == Language::Python);
        let close = String::from(quote).repeat(if triple { 3 } else { 1 });
        let interpolation = interpolation(language, &lower, quote);
        let raw = language == Language::Shell && quote == '\''
            || language == Language::Go && quote == '`'
            || head.contains('@')
            || triple && matches!(language, Language::Kotlin | Language::CSharp);
        let lines = triple
            || quote == '`'
            || matches!(
                language,
                Language::Shell | Language::Php | Language::Sql | Language::Ruby
            )
            || head.contains('@');
        Some(Self {
            open: prefix + close.len(),
            close,
            escapes: !raw,
            lines,
            interpolation,
        })
    }

    /// The length of the body, up to the closing quote.
    pub(super) fn length(&self, body: &str) -> usize {
        let mut escaped = false;
        let mut code_ends = 0;
        for (at, c) in body.char_indices() {
            if at < code_ends {
                continue;
            }
            if let Some(skipped) = self.embedded(body.get(at..).unwrap_or_default()) {
                code_ends = at + skipped;
            } else if escaped {
                escaped = false;
            } else if c == '\\' && self.escapes {
                escaped = true;
            } else if body
                .get(at..)
                .is_some_and(|tail| tail.starts_with(&self.close))
                || c == '\n' && !self.lines
            {
                return at;
            }
        }
        body.len()
    }
}

impl StringStart {
    /// The length of an embedded expression at the start of `rest`, whose quotes end no string.
    fn embedded(&self, rest: &str) -> Option<usize> {
        let opener = match self.interpolation? {
            Interpolation::Template => "${",
            Interpolation::Parenthesis => "\\(",
            _ => return None,
        };
        let line = rest.strip_prefix(opener)?.split('\n').next()?;
        let length = matching(line);
        (length < line.len()).then_some(opener.len() + length + 1)
    }
}

fn opens_string(quote: char, language: Language) -> bool {
    match quote {
        '\'' => language != Language::Swift,
        '"' => true,
        '`' => matches!(language, Language::JavaScript | Language::Go),
        _ => false,
    }
}

/// How a string with this prefix and quote embeds expressions.
fn interpolation(language: Language, prefix: &str, quote: char) -> Option<Interpolation> {
    match language {
        Language::JavaScript if quote == '`' => Some(Interpolation::Dollar),
        Language::Python if prefix.contains('f') => Some(Interpolation::Brace),
        Language::CSharp if prefix.contains('$') => Some(Interpolation::Brace),
        Language::Kotlin if quote == '"' => Some(Interpolation::Template),
        Language::Swift => Some(Interpolation::Parenthesis),
        Language::Ruby if quote == '"' => Some(Interpolation::Hash),
        Language::Php | Language::Shell if quote == '"' => Some(Interpolation::Sigil),
        _ => None,
    }
}

fn rust_string(rest: &str, head: &str, quote: char) -> Option<StringStart> {
    let hashes = head.bytes().filter(|b| *b == b'#').count();
    let letters = head.trim_end_matches('#');
    if quote == '"'
        && ["", "r", "b", "br", "c", "cr"].contains(&letters)
        && (hashes == 0 || letters.ends_with('r'))
    {
        return Some(StringStart {
            open: head.len() + 1,
            close: format!("\"{}", "#".repeat(hashes)),
            escapes: !letters.ends_with('r'),
            lines: true,
            interpolation: Some(Interpolation::Brace),
        });
    }
    if quote != '\'' || !(head.is_empty() || head == "b") {
        return None;
    }
    let mut body = rest.get(head.len() + 1..)?.chars();
    let escaped = body.next()? == '\\';
    if escaped || body.next()? == '\'' {
        return Some(StringStart {
            open: head.len() + 1,
            close: "'".to_owned(),
            escapes: true,
            lines: false,
            interpolation: None,
        });
    }
    let name = rest.get(1..)?;
    let length = name.find(|c: char| !is_name(c)).unwrap_or(name.len());
    Some(StringStart {
        open: 1 + length,
        close: String::new(),
        escapes: false,
        lines: false,
        interpolation: None,
    })
}

fn regex_literal(rest: &str) -> Option<StringStart> {
    let line = rest.get(1..)?.split('\n').next()?;
    line.contains('/').then(|| StringStart {
        open: 1,
        close: "/".to_owned(),
        escapes: true,
        lines: false,
        interpolation: None,
    })
}

/// The next embedded expression at or after `from`: its start, its end, and where to go on.
pub(super) fn expression(
    body: &str,
    from: usize,
    style: Interpolation,
) -> Option<(usize, usize, usize)> {
    let opener = match style {
        Interpolation::Dollar => "${",
        Interpolation::Sigil | Interpolation::Template => "$",
        Interpolation::Parenthesis => "\\(",
        Interpolation::Brace => "{",
        Interpolation::Hash => "#{",
    };
    let mut from = from;
    loop {
        let found = from + body.get(from..)?.find(opener)?;
        let start = found + opener.len();
        let rest = body.get(start..)?;
        if style == Interpolation::Brace && rest.starts_with('{') {
            from = start + 1;
            continue;
        }
        if style == Interpolation::Template && !rest.starts_with('{') {
            let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            if length == 0 {
                from = start;
                continue;
            }
            return Some((start, start + length, start + length));
        }
        if style == Interpolation::Template {
            let end = start + 1 + matching(rest.get(1..)?);
            return Some((start + 1, end, end.min(body.len())));
        }
        if style == Interpolation::Sigil && !rest.starts_with(['{', '(']) {
            let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            return Some((found, start + length, start + length));
        }
        let inner = if style == Interpolation::Sigil { 1 } else { 0 };
        let end = start + inner + matching(rest.get(inner..)?);
        let from = if style == Interpolation::Sigil {
            found
        } else {
            start
        };
        return Some((from, end, end.min(body.len())));
    }
}

/// Bytes up to the bracket that closes the one just opened.
pub(super) fn matching(rest: &str) -> usize {
    let mut depth = 1_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    rest.len()
}
