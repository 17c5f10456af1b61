//! Tokens to the items of the grammar: versions, names, cues and marks. Quotes and emphasis are left out.

use super::{
    lexicon::{self, Cue, Limit},
    names::{Mention, Names},
    tokens::{Kind, Token},
};

/// What the grammar reads.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item<'a> {
    Version(&'a str),
    Integer(&'a str),
    Cue(Cue),
    Name(Mention<'a>),
    /// A word without a meaning here.
    Word(&'a str),
    Compare(Comparison),
    Arrow,
    Dash,
    Plus,
    Comma,
    Semicolon,
    Colon,
    /// `@` between a name and a version.
    At,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Bar,
    /// Another mark.
    Mark,
    End,
}

/// An operator in front of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Bound(Limit),
    Caret,
    Tilde,
    Pessimistic,
    Compatible,
}

/// Returns the items of a text.
pub(super) fn items<'a>(tokens: &[Token<'a>], names: &Names<'_>) -> Vec<Item<'a>> {
    let lower: Vec<String> = tokens.iter().map(|token| lower_case(token)).collect();
    let mut items = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        at += push_item(&mut items, &tokens[at..], &lower[at..], names).max(1);
    }
    items
}

fn lower_case(token: &Token<'_>) -> String {
    match token.kind {
        Kind::Word => token.text.to_lowercase().replace('’', "'"),
        Kind::Mark if token.text == "&" => "&".to_owned(),
        _ => String::new(),
    }
}

/// Adds the item at the start of the tokens and returns how many tokens it takes.
fn push_item<'a>(
    items: &mut Vec<Item<'a>>,
    tokens: &[Token<'a>],
    lower: &[String],
    names: &Names<'_>,
) -> usize {
    let token = tokens[0];
    match token.kind {
        Kind::Version => items.push(Item::Version(token.text)),
        Kind::Integer => items.push(Item::Integer(token.text)),
        Kind::Arrow => items.push(Item::Arrow),
        Kind::Dash => items.push(Item::Dash),
        Kind::End
            if token.text == "."
                && tokens
                    .get(1)
                    .is_some_and(|next| !next.spaced && next.kind != Kind::Line) =>
        {
            // `.NET`, `v.1.2` and the like are no ends of sentences.
            if let Some((mention, used)) = names.dotted(&tokens[1..]) {
                items.push(Item::Name(mention));
                return used + 1;
            }
        }
        Kind::End => items.push(Item::End),
        Kind::Line => push_line(items, tokens),
        Kind::Operator => items.extend(comparison(token.text).map(Item::Compare)),
        Kind::Ideographs => {
            let found = lexicon::ideographs(token.text);
            items.extend(found.into_iter().map(Item::Cue));
        }
        Kind::Mark => items.extend(mark(&token)),
        Kind::Word => return push_word(items, tokens, lower, names),
    }
    1
}

/// Adds a word: a name of up to three words, a phrase with a meaning, or the word itself.
fn push_word<'a>(
    items: &mut Vec<Item<'a>>,
    tokens: &[Token<'a>],
    lower: &[String],
    names: &Names<'_>,
) -> usize {
    let words = lower
        .iter()
        .take(lexicon::window())
        .take_while(|word| !word.is_empty())
        .count();
    let lower: Vec<&str> = lower[..words].iter().map(String::as_str).collect();
    let phrase = lexicon::phrase(&lower);
    if let Some((mention, used)) = names.mention(tokens, &lower) {
        // A phrase that is longer than the name wins: "works on" is no package `works`.
        if phrase.is_none_or(|(_, length)| length <= used && !(length == used && mention.weak)) {
            items.push(Item::Name(mention));
            return used;
        }
    }
    match phrase {
        Some((cue, used)) => {
            items.push(Item::Cue(cue));
            used
        }
        None => {
            items.push(match names_failure(tokens[0].text) {
                true => Item::Cue(Cue::Fails),
                false => Item::Word(tokens[0].text),
            });
            1
        }
    }
}

/// Returns whether a word is the class of an error: `TypeError`, `NullPointerException`.
fn names_failure(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && (word.ends_with("Error") || word.ends_with("Exception"))
}

/// A line ends a sentence if it is empty, or the next one starts an item of a list or a table.
fn push_line(items: &mut Vec<Item<'_>>, tokens: &[Token<'_>]) {
    let ends = match tokens.get(1) {
        None => true,
        Some(next) => match next.kind {
            Kind::Line | Kind::Dash => true,
            Kind::Mark => matches!(next.text, "*" | "#" | "|" | "•" | "`" | "["),
            Kind::Integer => tokens
                .get(2)
                .is_some_and(|mark| matches!(mark.text, ")" | ".")),
            _ => false,
        },
    };
    let after_colon = matches!(items.last(), Some(Item::Colon));
    if ends && !after_colon {
        items.push(Item::End);
    }
}

fn mark<'a>(token: &Token<'a>) -> Option<Item<'a>> {
    Some(match token.text {
        "," | "，" | "、" => Item::Comma,
        ";" | "；" => Item::Semicolon,
        ":" | "：" => Item::Colon,
        "(" | "（" => Item::Open,
        ")" | "）" => Item::Close,
        "[" => Item::OpenBracket,
        "]" => Item::CloseBracket,
        "@" => Item::At,
        "+" => Item::Plus,
        "|" => Item::Bar,
        "&" => Item::Cue(Cue::And),
        "`" | "\"" | "'" | "“" | "”" | "‘" | "’" | "*" | "「" | "」" | "『" | "』" | "«" | "»"
        | "_" => return None,
        "/" => Item::Comma,
        _ => Item::Mark,
    })
}

fn comparison(text: &str) -> Option<Comparison> {
    Some(match text {
        "<" | "＜" => Comparison::Bound(Limit::Before),
        "<=" | "=<" | "≤" => Comparison::Bound(Limit::UpTo),
        ">" | "＞" => Comparison::Bound(Limit::After),
        ">=" | "≥" => Comparison::Bound(Limit::Since),
        "=" | "==" | "===" => Comparison::Equal,
        "!=" => Comparison::NotEqual,
        "^" => Comparison::Caret,
        "~" => Comparison::Tilde,
        "~>" => Comparison::Pessimistic,
        "~=" => Comparison::Compatible,
        _ => return None,
    })
}
