//! Highlights code: strings, comments and keywords that many programming languages share. It knows no particular
//! language, so it colours only what is common to many.

#[cfg(test)]
mod tests;

use crate::terminal::printer::{BLUE, DIM, YELLOW, styled};

const KEYWORDS: &[&str] = &[
    "abstract",
    "and",
    "as",
    "async",
    "await",
    "begin",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "defer",
    "del",
    "do",
    "done",
    "elif",
    "else",
    "end",
    "enum",
    "except",
    "export",
    "extends",
    "false",
    "fi",
    "final",
    "finally",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "go",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "interface",
    "is",
    "lambda",
    "let",
    "loop",
    "match",
    "mod",
    "mut",
    "namespace",
    "new",
    "nil",
    "not",
    "null",
    "or",
    "package",
    "pass",
    "private",
    "pub",
    "public",
    "raise",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "switch",
    "then",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "undefined",
    "unsafe",
    "use",
    "using",
    "var",
    "void",
    "where",
    "while",
    "with",
    "yield",
    "None",
    "True",
    "False",
    "SELECT",
    "FROM",
    "WHERE",
    "INSERT",
    "UPDATE",
    "DELETE",
    "CREATE",
    "ALTER",
    "JOIN",
];

/// Colours each line of code; colours end at the end of the line. The text must not contain control characters.
pub(crate) fn lines(code: &str) -> Vec<String> {
    let mut is_in_comment = false;
    let colour = |line| coloured(line, &mut is_in_comment);
    code.lines().map(colour).collect()
}

/// The kind of token at the start of a text.
enum Piece {
    Plain,
    Word,
    String,
    /// To the end of the line.
    Comment,
    /// A comment over several lines, until it is closed.
    Block,
}

fn coloured(line: &str, is_in_comment: &mut bool) -> String {
    let mut coloured = String::with_capacity(line.len());
    let mut rest = line;
    let mut before = None;
    while !rest.is_empty() {
        let (piece, length) = match *is_in_comment {
            true => (Piece::Block, block_end(rest)),
            false => first(rest, before),
        };
        let (text, after) = rest.split_at(length.unwrap_or(rest.len()));
        match piece {
            Piece::Plain => coloured.push_str(text),
            Piece::Word if KEYWORDS.contains(&text) => coloured.push_str(&styled(BLUE, text)),
            Piece::Word => coloured.push_str(text),
            Piece::String => coloured.push_str(&styled(YELLOW, text)),
            Piece::Comment | Piece::Block => coloured.push_str(&styled(DIM, text)),
        }
        if let Piece::Block = piece {
            *is_in_comment = length.is_none();
        }
        before = text.chars().next_back();
        rest = after;
    }
    coloured
}

/// Returns the kind of the first token of a text and its length in bytes; `None` if it extends to the end.
fn first(text: &str, before: Option<char>) -> (Piece, Option<usize>) {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or_default();
    if text.starts_with("/*") {
        return (Piece::Block, block_end(text));
    }
    if opens_comment(text, before) {
        return (Piece::Comment, None);
    }
    let is_apart = before.is_none_or(|c| !is_in_word(c));
    if first == '"' || (matches!(first, '\'' | '`') && is_apart) {
        // Without a closing quote it is an apostrophe or a lifetime.
        return match string_end(text, first) {
            Some(end) => (Piece::String, Some(end)),
            None => (Piece::Plain, Some(first.len_utf8())),
        };
    }
    match is_in_word(first) {
        true => (Piece::Word, text.find(|c| !is_in_word(c))),
        false => (Piece::Plain, Some(first.len_utf8())),
    }
}

/// Returns whether a comment begins here: `//` except in a URL; `#` and `--` with space around them.
fn opens_comment(text: &str, before: Option<char>) -> bool {
    let is_apart = before.is_none_or(char::is_whitespace);
    let is_line = |mark: &str| text == mark || text.starts_with(&format!("{mark} "));
    (text.starts_with("//") && before != Some(':'))
        || (is_apart && (is_line("#") || is_line("--") || text.starts_with("#!")))
}

fn block_end(text: &str) -> Option<usize> {
    let end = text.find("*/")? + 2;
    Some(end)
}

/// Returns where a string ends: at a quote that is not followed by a word character.
fn string_end(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => {
                let is_end = chars.peek().is_none_or(|(_, next)| !is_in_word(*next));
                return is_end.then_some(at + c.len_utf8());
            }
            _ => {}
        }
    }
    None
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
