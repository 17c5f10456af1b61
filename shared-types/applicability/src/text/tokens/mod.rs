//! Texts to tokens: words, versions, operators and punctuation, in one pass.

mod numbers;

use self::numbers::{MAX_NUMBER, is_numbers, is_numbers_and_pre_release, number, number_kind};

/// A piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// Whether white space, or the start of the text, precedes it.
    pub(super) spaced: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters and what names contain: `scikit-learn`, `@babel/core`, `org.apache.mina:mina-core`.
    Word,
    /// A number with dots, or with a suffix or wildcard: `1.2.3-beta`, `v2`, `1.x`.
    Version,
    /// A whole number.
    Integer,
    /// `<`, `>=`, `==`, `~>`, `^`, …
    Operator,
    /// `->`, `→`, `=>`.
    Arrow,
    /// `-`, `–` or `—` by itself.
    Dash,
    /// A mark: `,`, `(`, `|`, ….
    Mark,
    /// The end of a sentence: `.`, `!`, `?`, or their like.
    End,
    /// The end of a line.
    Line,
    /// Letters of Chinese, Japanese and Korean, which have no spaces between words.
    Ideographs,
}

/// Splits a text. Each character is looked at a bounded number of times.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut rest = text;
    let mut spaced = true;
    let mut code = Code::default();
    let mut in_code = false;
    let mut starts_line = true;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() && first != '\n' {
            spaced = true;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        // Tables are read by their columns, and code has no prose.
        if std::mem::take(&mut starts_line) {
            let line = rest.split('\n').next().unwrap_or(rest);
            in_code = code.is_code(line);
            if line.starts_with("```") || is_table_row(line.trim_end()) {
                tokens.push(Token {
                    kind: Kind::End,
                    text: &line[..1],
                    spaced: true,
                });
                rest = &rest[line.len()..];
                continue;
            }
        }
        // Of a link, only its text is read.
        if let Some(length) = link_mark(rest) {
            rest = &rest[length..];
            continue;
        }
        // Versions in addresses belong to their hosts.
        let (kind, length) = match address(rest) {
            Some(length) => (Kind::Mark, length),
            None => next(rest, first),
        };
        let (text, behind) = rest.split_at(length);
        let after_name = spaced && tokens.last().is_some_and(|token| token.kind == Kind::Word);
        let kind = match in_code {
            true => kind_in_code(kind, after_name),
            false => kind,
        };
        push(&mut tokens, kind, text, spaced);
        let behind = without_possessive(kind, behind);
        starts_line = kind == Kind::Line;
        spaced = starts_line;
        rest = behind;
    }
    tokens
}

/// Returns what a token is in code, where a number follows a name only if it is its version: not in `f(x, 2.0)` and
/// `x = 1.0`.
fn kind_in_code(kind: Kind, after_name: bool) -> Kind {
    match kind {
        Kind::Version | Kind::Integer if !after_name => Kind::Mark,
        Kind::Operator | Kind::Arrow | Kind::Dash => Kind::Mark,
        kind => kind,
    }
}

/// Removes the ending of "Jest 9's config" behind a number.
fn without_possessive(kind: Kind, behind: &str) -> &str {
    let rest = behind
        .strip_prefix("'s")
        .or_else(|| behind.strip_prefix("’s"))
        .filter(|rest| !rest.starts_with(char::is_alphanumeric));
    match rest {
        Some(rest) if matches!(kind, Kind::Version | Kind::Integer) => rest,
        _ => behind,
    }
}

/// Adds a token; `2.13-2.13.1` becomes two versions with a dash between them.
fn push<'a>(tokens: &mut Vec<Token<'a>>, kind: Kind, text: &'a str, spaced: bool) {
    if kind == Kind::Version
        && let Some((left, right)) = text.split_once('-')
        && is_numbers(left)
        && right.contains('.')
        && is_numbers_and_pre_release(right.trim_start_matches(['v', 'V']))
    {
        let dash = &text[left.len()..=left.len()];
        tokens.push(Token {
            kind: number_kind(left),
            text: left,
            spaced,
        });
        tokens.push(Token {
            kind: Kind::Dash,
            text: dash,
            spaced: false,
        });
        tokens.push(Token {
            kind: number_kind(right),
            text: right,
            spaced: false,
        });
        return;
    }
    tokens.push(Token { kind, text, spaced });
}

fn is_table_row(line: &str) -> bool {
    line.len() > 1 && line.starts_with('|') && line.ends_with('|')
}

/// Which lines are code, whose numbers are no versions.
#[derive(Debug, Default)]
struct Code {
    /// Inside a fence: whether it has code of a programming language.
    fence: Option<bool>,
}

impl Code {
    /// Reads the next line, without the white space before it, and returns whether it is code.
    fn is_code(&mut self, line: &str) -> bool {
        if let Some(tag) = line.strip_prefix("```") {
            self.fence = match self.fence {
                Some(_) => None,
                None => Some(!matches!(
                    tag.trim().to_ascii_lowercase().as_str(),
                    "" | "bash"
                        | "sh"
                        | "shell"
                        | "console"
                        | "text"
                        | "txt"
                        | "log"
                        | "output"
                        | "toml"
                        | "json"
                        | "yaml"
                        | "yml"
                        | "xml"
                        | "ini"
                        | "plain"
                        | "plaintext"
                        | "powershell"
                        | "diff"
                        | "dockerfile"
                        | "gradle"
                )),
            };
            return true;
        }
        self.fence == Some(true) || looks_like_code(line)
    }
}

/// Returns whether a line outside a fence is code: an assignment, a call, a definition.
fn looks_like_code(line: &str) -> bool {
    const STARTS: [&str; 16] = [
        "def ", "class ", "return ", "const ", "let ", "var ", "fn ", "pub ", "public ",
        "private ", "assert ", "elif ", "print(", "#include", ">>> ", "raise ",
    ];
    if STARTS.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    let end = line.trim_end();
    // A call or an assignment: `x = f(1.0, 2.0)`, `np.percentile(x, 98.0)`.
    let word = |c: char| c.is_alphanumeric() || "_.[]\"'".contains(c);
    let first = end.find(|c| !word(c)).unwrap_or(end.len());
    let (name, rest) = end.split_at(first);
    let assigned =
        rest.trim_start().starts_with("= ") || rest.starts_with("=") && !rest.starts_with("==");
    let called = rest.starts_with('(') && end.ends_with([')', ';', ':', ',', '{']);
    let statement = end.ends_with(';') && end.contains(['(', '=']);
    !name.is_empty() && (assigned || called) || statement
}

/// How many bytes of a line are searched for the other half of a link.
const MAX_LINK: usize = 300;

/// Returns the length of what is not the text of a link, at the start: `[` of `[text](target)`, or `](target)`.
fn link_mark(rest: &str) -> Option<usize> {
    let line = |from: usize| &rest.as_bytes()[from..rest.len().min(from + MAX_LINK)];
    if rest.starts_with('[') {
        let line = line(1);
        let end = line.iter().position(|b| matches!(b, b'[' | b']' | b'\n'))?;
        target(line[end..].strip_prefix(b"](")?)?;
        return Some(1);
    }
    if !rest.starts_with("](") {
        return None;
    }
    Some(target(line(2))? + 3)
}

/// Returns the length of the target of a link at the start: an address, a path, or a place in the page.
fn target(line: &[u8]) -> Option<usize> {
    let end = line
        .iter()
        .position(|b| *b == b')' || b.is_ascii_whitespace())?;
    let inside = line[..end].iter().enumerate();
    // `[Django](4.2)` is none.
    let letter = |at: usize| line.get(at).is_some_and(u8::is_ascii_alphabetic);
    let mut marks = inside.filter(|(at, byte)| match byte {
        b'/' | b'#' => true,
        b'.' => letter(at + 1) || at.checked_sub(1).is_some_and(letter),
        _ => false,
    });
    (line[end] == b')' && marks.next().is_some()).then_some(end)
}

/// Returns the length of a web address at the start.
fn address(rest: &str) -> Option<usize> {
    let is_address = rest.starts_with("http://") || rest.starts_with("https://");
    is_address.then(|| {
        rest.find(|c: char| c.is_whitespace() || "<>\"'`|".contains(c))
            .unwrap_or(rest.len())
    })
}

/// Returns the kind and the length of the token at the start.
fn next(rest: &str, first: char) -> (Kind, usize) {
    match first {
        '\n' => (Kind::Line, 1),
        '0'..='9' => number(rest),
        'v' | 'V' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
            let (kind, length) = number(&rest[1..]);
            (
                if kind == Kind::Word {
                    kind
                } else {
                    Kind::Version
                },
                length + 1,
            )
        }
        '<' if tag(rest).is_some() => (Kind::Mark, tag(rest).unwrap_or(1)),
        '<' | '>' | '=' | '~' | '^' | '!' | '≤' | '≥' | '＜' | '＞' => operator(rest, first),
        '→' | '⇒' | '➜' | '➔' => (Kind::Arrow, first.len_utf8()),
        '-' | '–' | '—' | '‑' | '～' => {
            let arrow = rest.len() - rest.trim_start_matches('-').len();
            if first == '-' && rest[arrow..].starts_with('>') {
                (Kind::Arrow, arrow + 1)
            } else {
                (Kind::Dash, arrow.max(first.len_utf8()))
            }
        }
        '.' | '?' | '。' | '！' | '？' | '．' => (Kind::End, first.len_utf8()),
        _ if is_ideograph(first) => (
            Kind::Ideographs,
            rest.find(|c| !is_ideograph(c)).unwrap_or(rest.len()),
        ),
        '@' if !rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => (Kind::Mark, 1),
        _ if first.is_alphabetic() || first == '_' || first == '@' => word(rest, first),
        _ => (Kind::Mark, first.len_utf8()),
    }
}

/// Returns the length of the XML tag at the start: `<version>`.
fn tag(rest: &str) -> Option<usize> {
    const MAX_TAG: usize = 40;
    let name = rest[1..].strip_prefix('/').unwrap_or(&rest[1..]);
    let length = name
        .bytes()
        .take(MAX_TAG)
        .take_while(u8::is_ascii_alphabetic)
        .count();
    let end = rest.len() - name.len() + length;
    (length > 0 && rest[end..].starts_with('>')).then_some(end + 1)
}

fn operator(rest: &str, first: char) -> (Kind, usize) {
    const OPERATORS: [&str; 12] = [
        "===", "==", "<=", ">=", "=<", "=>", "~=", "~>", "!=", "^", "~", "!",
    ];
    match OPERATORS
        .iter()
        .find(|operator| rest.starts_with(**operator))
    {
        Some(&"=>") => (Kind::Arrow, 2),
        Some(&"!") => (Kind::End, 1),
        Some(operator) => (Kind::Operator, operator.len()),
        None => (Kind::Operator, first.len_utf8()),
    }
}

/// Reads a word: letters, digits, and separators of names between them.
fn word(rest: &str, first: char) -> (Kind, usize) {
    let mut end = first.len_utf8();
    let mut colons = 0;
    let mut chars = rest[end..].char_indices().peekable();
    let offset = end;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let part = c.is_alphanumeric() && !is_ideograph(c) || c == '_';
        let joins =
            next.is_some_and(|next| next.is_alphanumeric() && !is_ideograph(next) || next == '_');
        let letter_next = next.is_some_and(|next| next.is_alphabetic() && !is_ideograph(next));
        let separator = match c {
            '-' | '/' => joins,
            '\'' | '’' | '´' => letter_next,
            '.' => letter_next || (joins && rest[..offset + at].contains('/')),
            // `HTTP::Daemon`, `serde::de`
            ':' if rest[offset + at..].starts_with("::") => true,
            ':' if letter_next && rest[..offset + at].ends_with(':') => true,
            // Of `group:artifact` only: a group has dots, and one colon follows it.
            ':' if letter_next && colons == 0 => rest[..offset + at].contains('.'),
            '+' => next.is_none_or(|next| next == '+') || rest[..offset + at].ends_with('+'),
            _ => false,
        };
        if !part && !separator {
            break;
        }
        if c == ':' {
            colons += 1;
        }
        end = offset + at + c.len_utf8();
    }
    end = rest[..end].trim_end_matches(':').len();
    // `Python3.8`, `node14.17`: the name and its version are told apart later.
    if rest[..end].ends_with(|c: char| c.is_ascii_digit())
        && rest.as_bytes().get(end) == Some(&b'.')
        && rest.as_bytes().get(end + 1).is_some_and(u8::is_ascii_digit)
        && rest[..end].bytes().all(|b| b.is_ascii_alphanumeric())
    {
        let part = |b: &u8| b.is_ascii_digit() || *b == b'.';
        end += rest[end..]
            .bytes()
            .take(MAX_NUMBER)
            .take_while(part)
            .count();
        end = rest[..end].trim_end_matches('.').len();
    }
    // `Go-1.2` and `python-3.7` are a name and a version; `log4j-1.2` too.
    let text = &rest[..end];
    if let Some(hyphen) = text.rfind('-')
        && text[hyphen + 1..].starts_with(|c: char| c.is_ascii_digit())
        && rest[end..].starts_with('.')
        && hyphen > 0
    {
        end = hyphen;
    }
    (Kind::Word, end)
}

fn is_ideograph(c: char) -> bool {
    const BLOCKS: [std::ops::RangeInclusive<char>; 6] = [
        '\u{3005}'..='\u{3007}',
        '\u{3040}'..='\u{30ff}',
        '\u{3400}'..='\u{4dbf}',
        '\u{4e00}'..='\u{9fff}',
        '\u{ac00}'..='\u{d7af}',
        '\u{f900}'..='\u{faff}',
    ];
    c >= '\u{3005}' && BLOCKS.iter().any(|block| block.contains(&c))
}
