//! The lexical syntax of languages, as far as highlighting needs it; no grammar.

/// The kind of a language's syntax.
pub(super) enum Syntax {
    Words(Words),
    /// Elements with attributes.
    Markup,
    /// Added and removed lines.
    Diff,
}

/// The syntax of a language of words, quoted texts, numbers and comments.
pub(super) struct Words {
    /// The keywords, separated by spaces.
    pub(super) keywords: &'static str,
    /// Whether keywords may be in upper case.
    pub(super) any_case: bool,
    /// Whether capitalized words are types.
    pub(super) types: bool,
    /// Whether a word before a parenthesis is a call.
    pub(super) calls: bool,
    /// The character after the name of a field.
    pub(super) names_end: Option<char>,
    /// Characters of words besides letters, digits and `_`.
    pub(super) letters: &'static str,
    /// The marks that begin a comment to the end of the line; one that ends in a space may also be all of the
    /// line.
    pub(super) comments: &'static [&'static str],
    /// The marks that begin and end a block comment.
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// The kinds of quotes, longer marks first.
    pub(super) quotes: &'static [Quote],
}

/// A pair of quotation marks.
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// Whether a backslash escapes the next character.
    pub(super) escapes: bool,
    pub(super) spans_lines: bool,
    /// Whether the marks enclose a single character; the mark alone has other uses.
    pub(super) is_character: bool,
    /// Whether a word before the opening mark makes it another sign, such as an apostrophe.
    pub(super) opens_apart: bool,
    /// Whether a word after the closing mark makes it another sign, such as that of a lifetime.
    pub(super) closes_apart: bool,
}

impl Quote {
    /// Quotes of a text on one line.
    pub(super) const fn line(mark: &'static str) -> Self {
        Self::new(mark, mark, true, false)
    }

    /// Quotes of a text that may span lines.
    pub(super) const fn block(open: &'static str, close: &'static str, escapes: bool) -> Self {
        Self::new(open, close, escapes, true)
    }

    /// Quotes of a single character.
    pub(super) const fn character(mark: &'static str) -> Self {
        Self {
            is_character: true,
            ..Self::new(mark, mark, true, false)
        }
    }

    /// Quotes of a text on one line in an unknown language.
    pub(super) const fn word(mark: &'static str, opens_apart: bool) -> Self {
        Self {
            opens_apart,
            closes_apart: true,
            ..Self::new(mark, mark, true, false)
        }
    }

    const fn new(
        open: &'static str,
        close: &'static str,
        escapes: bool,
        spans_lines: bool,
    ) -> Self {
        Self {
            open,
            close,
            escapes,
            spans_lines,
            is_character: false,
            opens_apart: false,
            closes_apart: false,
        }
    }
}

pub(super) const DOUBLE: Quote = Quote::line("\"");
pub(super) const SINGLE: Quote = Quote::line("'");
pub(super) const BOTH: &[Quote] = &[DOUBLE, SINGLE];

/// The common syntax of most languages with braces.
pub(super) const BRACES: Words = Words {
    keywords: "",
    any_case: false,
    types: true,
    calls: true,
    names_end: None,
    letters: "",
    comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: BOTH,
};

/// The common syntax of configuration files: names, values, and comments after `#` or `;`.
pub(super) const SETTINGS: Words = Words {
    keywords: "true false null yes no on off",
    any_case: false,
    types: false,
    calls: false,
    names_end: Some('='),
    letters: "-.",
    comments: &["#", ";"],
    block_comment: None,
    quotes: BOTH,
};
