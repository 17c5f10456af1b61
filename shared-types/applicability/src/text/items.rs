//! Tokens to the items of the grammar: versions, names, cues and marks. Quotes and emphasis are left out.

use std::borrow::Cow;

use super::{
    lexicon::{self, Cue, Limit, prose},
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
        let quoted = is_quoted(tokens, at);
        at += push_item(&mut items, &tokens[at..], &lower[at..], names, quoted).max(1);
    }
    deny(&mut items);
    place(&mut items);
    items
}

/// Returns whether a token stands alone between backticks, as names in running text do.
fn is_quoted(tokens: &[Token<'_>], at: usize) -> bool {
    let tick = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|token| token.text == "`")
    };
    let touches = |at: usize| tokens.get(at).is_some_and(|token| !token.spaced);
    tick(at.checked_sub(1)) && tick(Some(at + 1)) && touches(at) && touches(at + 1)
}

/// Decides what "under" means: a place before a name, else a bound.
fn place(items: &mut [Item<'_>]) {
    for at in 0..items.len() {
        if items[at] == Item::Cue(Cue::Under) {
            items[at] = match items.get(at + 1) {
                Some(Item::Name(_)) => Item::Cue(Cue::Place),
                _ => Item::Cue(Cue::Prefix(Limit::Before)),
            };
        }
    }
}

/// How many items may stand between "not" and what it denies.
const MAX_DENIED: usize = 3;

/// Turns "works with" and "supports" into their contrary behind "not".
fn deny(items: &mut [Item<'_>]) {
    for at in 0..items.len() {
        if !matches!(items[at], Item::Cue(Cue::Works | Cue::Requires)) {
            continue;
        }
        let before = &items[at.saturating_sub(MAX_DENIED)..at];
        let denied = before
            .iter()
            .rev()
            .take_while(|item| {
                matches!(
                    item,
                    Item::Word(_) | Item::Cue(Cue::Filler | Cue::To | Cue::Fails)
                )
            })
            .any(|item| match item {
                Item::Word(word) => prose::is_not(word),
                // "cannot get it to work with"
                item => {
                    *item == Item::Cue(Cue::Fails) && before.last() == Some(&Item::Cue(Cue::To))
                }
            });
        if denied {
            items[at] = Item::Cue(Cue::Unfit);
        }
    }
}

fn lower_case(token: &Token<'_>) -> String {
    match token.kind {
        Kind::Word => prose::with_apostrophe(token.text),
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
    quoted: bool,
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
        // Korean writes "no longer" as two words, the second of which is "or later" elsewhere.
        Kind::Ideographs
            if token.text == "더"
                && tokens
                    .get(1)
                    .is_some_and(|next| next.text.starts_with("이상")) =>
        {
            items.push(Item::Cue(Cue::Gone));
            return 2;
        }
        Kind::Ideographs => {
            let (text, used) = without_emphasis(tokens);
            items.extend(lexicon::ideographs(&text).into_iter().map(Item::Cue));
            return used;
        }
        Kind::Mark => items.extend(mark(&token)),
        Kind::Word => return push_word(items, tokens, lower, names, quoted),
    }
    1
}

/// Adds a word: a name of up to three words, a phrase with a meaning, or the word itself.
fn push_word<'a>(
    items: &mut Vec<Item<'a>>,
    tokens: &[Token<'a>],
    lower: &[String],
    names: &Names<'_>,
    quoted: bool,
) -> usize {
    let words = lower
        .iter()
        .take(lexicon::window())
        .take_while(|word| !word.is_empty())
        .count();
    let mut lower: Vec<&str> = lower[..words].iter().map(String::as_str).collect();
    if let Some(rest) = lower.first().and_then(|first| first.strip_prefix("qu'")) {
        // "n'existe qu'à partir de": only from.
        if items.iter().rev().take(MAX_NEGATED).any(opens_negation) {
            items.push(Item::Word("qu'"));
        }
        lower[0] = rest;
    }
    let phrase = lexicon::phrase(&lower);
    if let Some((mention, used)) = names.mention(tokens, &lower, quoted) {
        // A phrase that is longer than the name wins: "works on" is no package `works`.
        if phrase.is_none_or(|(_, length)| length <= used && !(length == used && mention.weak)) {
            items.push(Item::Name(mention));
            return used;
        }
    }
    if phrase.is_none() && push_glued(items, &tokens[0], names) {
        return 1;
    }
    match phrase {
        Some((cue, used)) => {
            items.push(Item::Cue(cue));
            used
        }
        None if prose::is_recipe_for(&lower) => {
            items.push(Item::Word(tokens[0].text));
            items.push(Item::Cue(Cue::Purpose));
            2
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

/// How many items may stand between French "ne" and "qu'".
const MAX_NEGATED: usize = 4;

/// Returns whether an item is French "ne", or starts with it.
fn opens_negation(item: &Item<'_>) -> bool {
    let Item::Word(word) = item else { return false };
    word.eq_ignore_ascii_case("ne")
        || word
            .strip_prefix(['n', 'N'])
            .is_some_and(|rest| rest.starts_with(['\'', '’', '´']))
}

/// Adds a name and a version that are written as one word, and returns whether the word is that.
fn push_glued<'a>(items: &mut Vec<Item<'a>>, token: &Token<'a>, names: &Names<'_>) -> bool {
    let Some((name, version)) = glued(token.text) else {
        return false;
    };
    let name_token = Token {
        text: name,
        ..*token
    };
    let lower = name.to_lowercase();
    let Some((mention, 1)) = names.mention(&[name_token], &[lower.as_str()], false) else {
        return false;
    };
    // `sqlite3` is a name of its own, `react18` is none.
    let is_pair = version.contains('.') || names.is_built_in(name);
    if mention.weak || !is_pair {
        return false;
    }
    items.push(Item::Name(mention));
    items.push(match version.contains('.') {
        true => Item::Version(version),
        false => Item::Integer(version),
    });
    true
}

/// Returns a run of ideographs, parts of which may be emphasized: 完全に**削除**された; and how many tokens it takes.
fn without_emphasis<'a>(tokens: &[Token<'a>]) -> (Cow<'a, str>, usize) {
    /// The most tokens of a run.
    const MAX_RUN: usize = 12;
    let mut text = Cow::Borrowed(tokens[0].text);
    let mut used = 1;
    while used < MAX_RUN {
        let behind = tokens.get(used..).unwrap_or_default();
        let marks = behind
            .iter()
            .take_while(|token| !token.spaced && matches!(token.text, "*" | "_"))
            .count();
        match behind.get(marks) {
            Some(next) if marks > 0 && !next.spaced && next.kind == Kind::Ideographs => {
                text.to_mut().push_str(next.text);
                used += marks + 1;
            }
            _ => break,
        }
    }
    (text, used)
}

/// Splits a name and a version without a space between them: `lib5.x`, `Python3.8`.
fn glued(word: &str) -> Option<(&str, &str)> {
    let letters = word.find(|c: char| c.is_ascii_digit())?;
    let (name, version) = word.split_at(letters);
    // `jdk-21`
    let name = name.strip_suffix('-').unwrap_or(name);
    let is_version = version.split('.').enumerate().all(|(at, part)| {
        !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit())
            || at > 0 && matches!(part, "x" | "X")
    });
    let plain = name.len() >= 3 && name.bytes().all(|b| b.is_ascii_alphabetic());
    (plain && is_version).then_some((name, version))
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
