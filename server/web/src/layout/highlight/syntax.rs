//! What code is made of, as far as colours need it: no grammar.

/// What code is made of.
pub(super) enum Syntax {
    Words(Words),
    /// Elements with attributes.
    Markup,
    /// Lines that came and went.
    Difference,
}

/// Code of words, texts, numbers and comments.
pub(super) struct Words {
    /// Words of the language, with spaces between.
    pub(super) keywords: &'static str,
    /// Whether they may be written in capitals.
    pub(super) any_case: bool,
    /// Whether words with a capital are types.
    pub(super) types: bool,
    /// Whether words before a parenthesis are called.
    pub(super) calls: bool,
    /// What stands after the name of a field.
    pub(super) names_end: Option<char>,
    /// What words may hold besides letters, digits and `_`.
    pub(super) letters: &'static str,
    /// What comments to the end of the line begin with.
    pub(super) comments: &'static [&'static str],
    /// What other comments begin and end with.
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// Longer marks first.
    pub(super) quotes: &'static [Quote],
}

/// Marks around a text.
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// Whether a backslash takes the next character its meaning.
    pub(super) escapes: bool,
    pub(super) spans_lines: bool,
    /// Whether a single character stands between them; the mark alone has other uses.
    pub(super) is_character: bool,
}

impl Quote {
    /// A text on one line.
    pub(super) const fn line(mark: &'static str) -> Self {
        Self::new(mark, mark, true, false)
    }

    /// A text that may span lines.
    pub(super) const fn block(open: &'static str, close: &'static str, escapes: bool) -> Self {
        Self::new(open, close, escapes, true)
    }

    /// A single character.
    pub(super) const fn character(mark: &'static str) -> Self {
        Self {
            is_character: true,
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
        }
    }
}

pub(super) const DOUBLE: Quote = Quote::line("\"");
pub(super) const SINGLE: Quote = Quote::line("'");
pub(super) const BOTH: &[Quote] = &[DOUBLE, SINGLE];

/// What most languages with braces have in common.
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

/// What settings have in common: names, values, and comments after `#`.
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
