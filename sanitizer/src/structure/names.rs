//! Says what a value may be behind a key that names a user or a person, and where it ends.
//!
//! Accounts that every system has, organisations, types and labels stay; see `accounts` and `persons`.

use std::ops::Range;

use recall_kit_evidence::keys::key::{Meaning, SecretKey};
use recall_kit_evidence::people::{accounts, persons};
use recall_kit_evidence::text::head;
use recall_kit_evidence::words::message;

use crate::clues::Clue;
use crate::structure::syntax::{self, Place, Tie, Value};

/// Most names that are read behind one key.
const MAX_NAMES: usize = 12;
/// Longest list of names that is read, in bytes.
const MAX_LIST: usize = 400;

/// The users or persons that a value names.
pub(crate) fn judge(
    text: &str,
    key_span: &Range<usize>,
    found: &Value,
    key: SecretKey,
) -> Vec<Clue<'static>> {
    let Some(name) = text.get(key_span.clone()) else {
        return Vec::new();
    };
    match key.meaning {
        Meaning::User => user(text, name, key_span, found)
            .map(|span| vec![Clue::keyed(span, key)])
            .unwrap_or_default(),
        _ => people(text, name, key_span, found, key),
    }
}

fn user(text: &str, key: &str, key_span: &Range<usize>, found: &Value) -> Option<Range<usize>> {
    let span = match found.quoted {
        true => found.span.clone(),
        false => bare_account(text, found)?,
    };
    let value = text.get(span.clone())?;
    let between = text.get(key_span.end..found.span.start)?;
    // An item of a list, an argument of a call.
    let setter = key.to_ascii_lowercase();
    let set = setter.contains("setuser")
        || setter.contains("withuser")
        || setter.starts_with('.')
        || between.starts_with('(') && setter.ends_with("username");
    if between.contains('(') && !set
        || found.tie == Tie::Pair
            && between
                .trim_start_matches(['"', '\'', '`'])
                .starts_with(',')
    {
        return None;
    }
    let written = match found.tie {
        _ if found.quoted => found.tie != Tie::Prose || says_user(key),
        Tie::Element => true,
        Tie::Flag => ends_argument(text, &span),
        Tie::Operator => is_configured(text, key_span, found, &span),
        Tie::Pair => found.literal || is_listed(text, &span),
        Tie::Prose => {
            says_user(key)
                && (copula(text, key_span, found) || !key.is_ascii())
                && (!key.is_ascii() && value.len() >= 4 && value.is_ascii()
                    || ends_sentence(text, &span)
                    || value
                        .bytes()
                        .any(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_')))
        }
    };
    let before = text.get(..key_span.start).unwrap_or_default();
    let switch = before.ends_with("--")
        && found.tie == Tie::Flag
        && (key == "user" && value.contains('.') || between.contains(['\n', ',']));
    let judged = accounts::is_account(value)
        || found.quoted && persons::is_person(value) && value.contains(' ')
        || !value.is_ascii() && persons::is_person(value);
    let told = message::is_predicate(value)
        || found.tie == Tie::Prose && message::is_foreign_predicate(value);
    (written && !switch && judged && !told).then_some(span)
}

/// A key that can name nothing but a user, even in a sentence.
fn says_user(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    !matches!(&*lower, "user" | "login")
}

/// The account that begins where an unquoted value begins: `CORP\jsmith` too.
fn bare_account(text: &str, found: &Value) -> Option<Range<usize>> {
    let rest = head(text.get(found.span.start..)?, 80);
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\\' | '+' | '$');
    let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
    let account = rest.get(..length)?.trim_end_matches(['.', '-', '\\']);
    let after = rest.get(account.len()..)?;
    let calls = found.tie != Tie::Element
        && after.starts_with([
            '(', '[', '{', '<', ':', '/', '=', '@', '\'', '%', '*', '?', '!',
        ]);
    (!account.is_empty() && !calls).then(|| found.span.start..found.span.start + account.len())
}

/// Whether an unquoted value stands in a notation that has no names of programs.
fn is_configured(text: &str, key: &Range<usize>, found: &Value, span: &Range<usize>) -> bool {
    let name = text.get(key.clone()).unwrap_or_default();
    let before = text.get(..found.span.start).unwrap_or_default();
    let tight = before.ends_with('=');
    let after = text.get(span.end..).unwrap_or_default();
    let fullwidth = !before.is_ascii() && before.trim_end().ends_with('：');
    let alone = after
        .trim_start_matches([' ', '\t', '\r'])
        .starts_with('\n')
        || after.trim().is_empty();
    let shouted = !name.bytes().any(|b| b.is_ascii_lowercase()) && name.is_ascii();
    if fullwidth || !name.is_ascii() && (tight || alone || before.trim_end().ends_with(':')) {
        return true;
    }
    match found.place {
        Place::List => {
            let whole =
                after.is_empty() || after.starts_with([';', '&', ' ', '\n', '\r', '"', '\'', ',']);
            tight
                && whole
                && (shouted
                    || !syntax::stands_in_code(text, span)
                    || after.starts_with([';', '&']) && !after.starts_with(";\n"))
        }
        Place::Line if tight && shouted => true,
        // A label begins with a capital, a field of a program with a small letter.
        Place::Line if alone => {
            let labelled = before.ends_with(": ")
                && name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.bytes().skip(1).all(|b| b.is_ascii_lowercase());
            labelled || !syntax::stands_in_code(text, span)
        }
        Place::Line if tight => {
            let next = after
                .trim_start()
                .split([' ', '\n'])
                .next()
                .unwrap_or_default();
            after.starts_with(' ') && next.contains('=') && !syntax::stands_in_code(text, span)
        }
        Place::Elsewhere if before.ends_with(": ") && alone => {
            let line = text.get(..key.start).unwrap_or_default();
            let line = line.rsplit('\n').next().unwrap_or_default();
            // Behind another label, as in a log, only a label of its own: `error: Benutzername: …`.
            let labelled = name.contains(' ') || name.starts_with(|c: char| c.is_ascii_uppercase());
            line.chars().all(|c| {
                c.is_alphanumeric()
                    || matches!(c, ' ' | '-' | '*')
                    || labelled && matches!(c, ':' | '.' | '[' | ']' | '(' | ')' | '/' | ',' | '>')
            }) && !syntax::stands_in_code(text, span)
        }
        Place::Line | Place::Elsewhere => tight && shouted && alone,
    }
}

fn ends_argument(text: &str, span: &Range<usize>) -> bool {
    let after = text.get(span.end..).unwrap_or_default();
    after.is_empty() || after.starts_with([' ', '\n', '\r', '"', '\'', '`', '\\'])
}

fn ends_sentence(text: &str, span: &Range<usize>) -> bool {
    let after = text.get(span.end..).unwrap_or_default();
    after.trim_end().is_empty() || after.starts_with(['.', ',', '\n', ';'])
}

/// A cell of a table.
fn is_listed(text: &str, span: &Range<usize>) -> bool {
    let after = text.get(span.end..).unwrap_or_default();
    after.trim_start_matches(['`', ' ']).starts_with('|')
}

fn copula(text: &str, key: &Range<usize>, found: &Value) -> bool {
    text.get(key.end..found.span.start)
        .is_some_and(|between| between.chars().any(char::is_alphabetic))
}

/// The persons in a value or in a list of values.
fn people(
    text: &str,
    key: &str,
    key_span: &Range<usize>,
    found: &Value,
    key_of: SecretKey,
) -> Vec<Clue<'static>> {
    let lower = key.to_ascii_lowercase();
    let deed = lower.ends_with("by") || lower.ends_with("to") || key == "MAINTAINER";
    let listed = found.tie == Tie::Pair && !key.is_ascii();
    if found.tie == Tie::Prose && !deed || found.tie == Tie::Flag && !found.quoted || listed {
        return Vec::new();
    }
    let item = text
        .get(found.span.start..)
        .is_some_and(|rest| rest.starts_with("- "));
    let start = found.span.start + if item { 2 } else { 0 };
    let rest = head(text.get(start..).unwrap_or_default(), MAX_LIST);
    if let Some(length) = inverted(rest) {
        return vec![Clue::keyed(start..start + length, key_of)];
    }
    let mut clues = Vec::new();
    let mut at = 0;
    let is_key = |after: &str| {
        after
            .trim_start_matches(['"', '\'', ' '])
            .starts_with([':', '='])
    };
    for number in 0..MAX_NAMES {
        let quoted = if number == 0 {
            found.quoted
        } else {
            rest.get(..at).is_some_and(|r| r.ends_with(['"', '\'']))
        };
        let Some(length) = name_length(rest.get(at..).unwrap_or_default(), quoted) else {
            break;
        };
        let raw = rest.get(at..at + length).unwrap_or_default();
        let name = raw.trim_end();
        let span = start + at..start + at + name.len();
        let behind = rest.get(at + length..).unwrap_or_default();
        if !is_person(text, key, key_span, found, &span, quoted) || quoted && is_key(behind) {
            break;
        }
        clues.push(Clue::keyed(span, key_of));
        let after = rest.get(at + length..).unwrap_or_default();
        let Some(gap) = gap(after, quoted) else { break };
        at += length + gap;
    }
    clues
}

/// `Petrenko, Pavel` alone in its line: the family's name first.
fn inverted(rest: &str) -> Option<usize> {
    let line = rest.split(['\n', '"', '\'', '<', '|']).next()?.trim_end();
    let (last, first) = line.split_once(", ")?;
    let capital = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().count() >= 2
            && word.chars().all(|c| c.is_alphabetic() || c == '-')
    };
    let given = |word: &str| capital(word) && word.chars().nth(1).is_some_and(char::is_lowercase);
    let initial = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.eq(['.'])
    };
    let named = match initial(first) {
        true => persons::is_person(last),
        false => given(first) && persons::is_person(first),
    };
    (capital(last) && named).then_some(line.len())
}

/// Where a name ends: at the quote, or at what cannot stand in one.
fn name_length(rest: &str, quoted: bool) -> Option<usize> {
    let length = match quoted {
        true => rest.find(['"', '\'', '\n', '<', '(', '\\', '”', '」', '»'])?,
        false => {
            let part = |c: char| {
                c.is_alphanumeric()
                    || persons::is_mark(c)
                    || matches!(
                        c,
                        ' ' | '.' | '-' | '\'' | '’' | '_' | '·' | '・' | '\u{3000}'
                    )
            };
            rest.find(|c: char| !part(c)).unwrap_or(rest.len())
        }
    };
    let cut = rest.get(..length)?;
    // A sentence may go on: "created by Jane Smith on Monday".
    let ended = match quoted {
        true => length,
        false => [
            " on ", " and ", " at ", " in ", " for ", " - ", " to ", " from ", " und ", " et ",
            " y ", " e ",
        ]
        .iter()
        .filter_map(|stop| cut.find(stop))
        .chain(goes_on(cut))
        .min()
        .unwrap_or(length),
    };
    let name = cut.get(..ended)?;
    // A full stop ends a sentence behind a word, not behind an initial.
    let stop = name.match_indices('.').map(|(at, _)| at).find(|at| {
        let word = name
            .get(..*at)
            .and_then(|head| head.rsplit([' ', '.']).next());
        word.is_some_and(|word| word.chars().count() > 2)
            && name
                .get(at + 1..)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    let ended = stop.filter(|_| !quoted).unwrap_or(ended);
    (ended > 0).then_some(ended)
}

/// Where the words of a name end and those of a sentence begin: "reported by Jane Smith last Friday".
fn goes_on(cut: &str) -> Option<usize> {
    let mut words = cut.match_indices(' ').filter_map(|(at, _)| {
        let word = cut.get(at + 1..)?.split(' ').next()?;
        Some((at, word))
    });
    let (at, _) = words.find(|(_, word)| {
        word.starts_with(|c: char| c.is_ascii_lowercase()) && !persons::is_particle(word)
    })?;
    cut.get(..at)?.contains(' ').then_some(at)
}

/// The bytes between a name and the next of its list.
fn gap(after: &str, quoted: bool) -> Option<usize> {
    if quoted {
        let gap = after.find(|c: char| !matches!(c, '"' | '\'' | ',' | ' ' | '\n' | '\t'))?;
        let between = after.get(..gap)?;
        return (between.contains(',') && between.ends_with(['"', '\''])).then_some(gap);
    }
    [
        ", ", "; ", " and ", "、", "，", " und ", " et ", " y ", " e ", " & ",
    ]
    .iter()
    .find(|separator| after.starts_with(**separator))
    .map(|separator| separator.len())
}

/// Programs that report tests, which stand behind the key "reporter".
const REPORTERS: &[&str] = &[
    "classic",
    "spec",
    "dot",
    "mocha",
    "nyan",
    "tap",
    "html",
    "text",
    "lcov",
    "json",
    "junit",
    "verbose",
    "default",
    "min",
    "list",
    "progress",
    "landing",
    "xunit",
    "clover",
    "cobertura",
    "basic",
    "teamcity",
    "markdown",
    "console",
    "terse",
    "silent",
    "jest",
    "karma",
    "summary",
    "stylish",
    "codeframe",
];

fn is_person(
    text: &str,
    key: &str,
    key_span: &Range<usize>,
    found: &Value,
    span: &Range<usize>,
    quoted: bool,
) -> bool {
    let Some(name) = text.get(span.clone()) else {
        return false;
    };
    let lower = key.to_ascii_lowercase();
    let several = name.contains(' ') || !name.is_ascii();
    let part = [
        "first",
        "last",
        "given",
        "family",
        "middle",
        "surname",
        "vorname",
        "nachname",
        "nombre",
        "apellido",
        "sobrenome",
        "nom",
        "имя",
        "фамилия",
        "maiden",
    ]
    .iter()
    .any(|word| lower.contains(word));
    let after = text.get(span.end..).unwrap_or_default();
    let ends = after.trim_start_matches([' ', '\t', '\r']).starts_with([
        '\n', ',', ';', '"', '<', '|', '(', '，', '。', '；', '、', '）', '.', '&', '/',
    ]) || after.trim().is_empty()
        || after.starts_with([' ', '`', '*']);
    if several && persons::is_person(name) {
        return ends || quoted;
    }
    let line = !quoted && found.tie == Tie::Operator && ends;
    let written =
        quoted || line && !syntax::stands_in_code(text, span) || found.tie == Tie::Element;
    if !written {
        return false;
    }
    if part && persons::is_person(name) {
        return true;
    }
    let assigned = [
        "assign", "report", "review", "approv", "commit", "author", "_by", "maintain", "auteur",
        "autor", "cc",
    ]
    .iter()
    .any(|word| lower.contains(word))
        || !key.is_ascii();
    let account = name.trim_start_matches('@');
    let before = text.get(..key_span.start).unwrap_or_default();
    let owns = lower.contains("author") || lower.contains("maintain");
    let mailed = after.trim_start().starts_with('<');
    let owner = owns && mailed;
    assigned
        && !owner
        && !REPORTERS.contains(&account)
        && !before.ends_with('-')
        && accounts::is_account(account)
        && !message::is_predicate(account)
        && (account.bytes().any(|b| b.is_ascii_digit() || b == b'.')
            || !lower.contains("author") && !account.contains('-'))
}
