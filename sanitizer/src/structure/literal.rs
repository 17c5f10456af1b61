//! Says what a value may be behind a key that names a secret, by how it is tied to the key.
//!
//! A value that is written out is the secret, unless it is of a kind that stays (`chosen::stays`). Where
//! code might stand, only what cannot be a name is a secret; in prose, what is no predicate.

mod phrase;
mod place;

use std::ops::Range;

use recall_kit_evidence::keys::key::{self, Meaning};
use recall_kit_evidence::secrets::{chosen, value};
use recall_kit_evidence::words::message;

use crate::structure::syntax::{self, Place, Tie, Value};
use phrase::{bare_phrase, says_phrase};
use place::{
    ends_a_clause, ends_with, has_copula, in_table, is_in_a_flow, is_instruction, is_tight,
    is_worded,
};

/// A value behind a key.
pub(crate) struct Literal<'t> {
    pub(crate) text: &'t str,
    pub(crate) key: &'t Range<usize>,
    pub(crate) found: &'t Value,
    /// The value without a scheme before it.
    pub(crate) span: Range<usize>,
    pub(crate) meaning: Meaning,
    /// The key says "token" and nothing stronger: parsers have tokens, too.
    pub(crate) is_bare_token: bool,
}

/// Where the secret stands; nothing where the value is none.
pub(crate) fn secret(literal: &Literal<'_>) -> Option<Range<usize>> {
    let value = literal.text.get(literal.span.clone())?;
    let whole = literal.text.get(literal.found.span.clone())?;
    if literal.found.quoted
        && literal.found.tie == Tie::Operator
        && literal.meaning == Meaning::Token
        && !literal.is_bare_token
        && whole.len() > value.len()
        && chosen::is_phrase(whole)
    {
        return Some(literal.found.span.clone());
    }
    // One word of a phrase may be a password by itself.
    let after = literal
        .text
        .as_bytes()
        .get(literal.span.end..)
        .unwrap_or_default();
    let goes_on =
        matches!(after, [b' ', next, ..] if next.is_ascii_alphanumeric() || !next.is_ascii());
    let words = goes_on && value.chars().all(char::is_alphanumeric);
    let phrase = || bare_phrase(literal);
    let early = if words { phrase() } else { None };
    early
        .or_else(|| is_secret(literal, value).then(|| literal.span.clone()))
        .or_else(|| if words { None } else { phrase() })
}

fn is_secret(literal: &Literal<'_>, value: &str) -> bool {
    let (found, meaning) = (literal.found, literal.meaning);
    // A shell reads a space behind a backslash as part of the word.
    if !found.quoted && value.contains("\\ ") {
        let read = value.replace("\\ ", "");
        return match meaning {
            Meaning::Password => value::is_password(&read, true),
            _ => chosen::is_short_token(&read) || value::is_opaque(&read, 12),
        };
    }
    let nested = !found.quoted && (value.starts_with('[') || value.ends_with(':'));
    if nested
        || is_name_of_a_secret(value)
        || !found.quoted && is_bare_kind_that_stays(literal, value)
    {
        return false;
    }
    match found.tie {
        Tie::Prose => return is_told(literal, value),
        Tie::Pair if meaning == Meaning::Password && is_defined(literal, value) => return true,
        Tie::Pair
            if value.len() < 20
                && value.bytes().all(|b| b.is_ascii_alphabetic())
                && !(meaning == Meaning::Token
                    && (is_argument_of_a_setter(literal) || is_defined(literal, value))) =>
        {
            return value::is_opaque(value, 9);
        }
        Tie::Flag if is_no_argument(literal, value) => return false,
        Tie::Flag if !found.quoted && is_plain_word(value) && !ends_with(literal, '=') => {
            return value::is_opaque(value, 8) || is_argument(literal, value);
        }
        _ => {}
    }
    let digits =
        value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic());
    let digits = digits && meaning != Meaning::Weak;
    if !found.quoted && !found.literal && !digits && value::is_program_name(value) {
        return false;
    }
    let name = literal.text.get(literal.key.clone()).unwrap_or_default();
    if meaning == Meaning::Password
        && chosen::is_letters(value)
        && (value.eq_ignore_ascii_case(name)
            || found.quoted && message::is_message(value)
            || !found.quoted && !is_tight(literal) && message::is_predicate(value))
    {
        return false;
    }
    match meaning {
        Meaning::Password => {
            value::is_password(value, is_written(literal, value))
                || value.len() >= 4
                    && is_plain_word(value)
                    && is_tight(literal)
                    && !chosen::stays(value)
                || (found.quoted || found.tie == Tie::Element)
                    && !(name == "pass" && value.starts_with(char::is_uppercase))
                    && (chosen::is_phrase(value)
                        || says_phrase(name) && chosen::is_said_phrase(value))
        }
        Meaning::Token => is_token(literal, value),
        Meaning::Weak => value::is_opaque(value, weak_floor(value, found)),
        Meaning::Header => {
            value::is_opaque(value, 8) || value.len() >= 8 && chosen::is_short_token(value)
        }
        Meaning::User | Meaning::Person => false,
    }
}

fn is_token(literal: &Literal<'_>, value: &str) -> bool {
    let found = literal.found;
    if value::is_opaque(value, if found.literal { 8 } else { 12 })
        || found.quoted && value::is_symbolic(value)
        || found.literal && value.len() >= 10 && value::is_strong_password(value)
    {
        return true;
    }
    let shouted = literal
        .text
        .get(literal.key.clone())
        .is_some_and(|key| !key.bytes().any(|b| b.is_ascii_lowercase()));
    if shouted && is_tight(literal) && value.len() >= 8 && chosen::is_numbered_token(value) {
        return true;
    }
    if !is_written(literal, value) || value.starts_with('/') {
        return false;
    }
    chosen::is_short_token(value)
        || !literal.is_bare_token
            && (found.tie == Tie::Operator
                || found.tie == Tie::Element
                || found.tie == Tie::Flag && !value.starts_with('<')
                || is_argument_of_a_setter(literal)
                || is_defined(literal, value))
            && (found.quoted && chosen::is_phrase(value)
                || chosen::is_secret_word(value)
                || value.len() >= 10 && chosen::is_numbered_token(value))
}

/// Whether the value is written out. A line without quotes is code where the lines around it are.
fn is_written(literal: &Literal<'_>, value: &str) -> bool {
    let found = literal.found;
    let text = literal.text;
    let before = text.get(..found.span.start).unwrap_or_default();
    let after = text.get(literal.span.end..).unwrap_or_default();
    let tight = before.ends_with('=');
    let key = text.get(literal.key.clone()).unwrap_or_default();
    let in_code = || !is_no_identifier(value) && syntax::stands_in_code(text, &found.span);
    // A label of prose, a flag, a header, a cell of a table, a pair in a log.
    if !found.quoted && !found.literal {
        let flag = text
            .get(..literal.key.start)
            .is_some_and(|before| before.ends_with('-'));
        let digits = value.bytes().any(|b| b.is_ascii_digit());
        let ends = after.is_empty()
            || after.starts_with([
                ' ', '\n', '\r', '"', '\'', ',', '`', '|', '<', '.', '，', '。',
            ]);
        let header = key.starts_with("X-")
            || key.starts_with("x-")
            || text.get(..literal.key.start).is_some_and(|before| {
                let before = before.trim_end_matches(['"', '\'']).trim_end();
                before.ends_with(" -H") || before.ends_with(" --header")
            });
        let cell = found.tie == Tie::Pair
            && text
                .get(literal.key.end..found.span.start)
                .is_some_and(|between| between.contains('|'))
            && in_table(text, literal.key);
        let snake = value.contains('_')
            && value
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        let labelled = (before.ends_with(": ") || before.ends_with(":** "))
            && found.tie == Tie::Operator
            && ends_a_clause(literal)
            && !(snake && after.starts_with(','))
            && is_worded(text, literal.key);
        let further = found.tie == Tie::Operator
            && before.ends_with("= ")
            && text
                .get(literal.key.end..found.span.start)
                .is_some_and(|between| between.trim_end_matches(['=', ' ']).contains(' '))
            && ends_a_clause(literal)
            && !in_code();
        let windows = before.ends_with(':')
            && text
                .get(..literal.key.start)
                .is_some_and(|before| before.ends_with(" /"));
        return windows
            || further && (digits || !is_plain_word(value))
            || flag && tight
            || digits && is_in_a_flow(text, literal, value)
            || labelled
                && (digits
                    || !is_plain_word(value)
                    || literal.meaning == Meaning::Password && !message::is_predicate(value))
                && !in_code()
            || found.tie == Tie::Operator && (!key.is_ascii() || before.ends_with('：'))
            || header && found.tie == Tie::Operator
            || cell && value.bytes().any(|b| !b.is_ascii_alphabetic()) && !value.contains(' ')
            || tight
                && (digits
                    || value.len() >= 8
                        && literal.meaning == Meaning::Password
                        && !message::is_predicate(value))
                && ends
                && found.tie == Tie::Operator
                && !in_code();
    }
    let ambiguous = !found.quoted
        && key.is_ascii()
        && found.tie == Tie::Operator
        && found.place == Place::Line
        && !tight
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    found.literal && !(ambiguous && in_code())
}

/// `tulipanov1987`, `tulip-anov-132`: small letters and digits, longer than programs call a variable.
fn is_no_identifier(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= 10
        && digits >= 1
        && value.len() - digits >= 6
        && value
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' && digits >= 2)
}

/// `.apiKey("…")`: the one argument of a call that sets what it is named after.
fn is_argument_of_a_setter(literal: &Literal<'_>) -> bool {
    let text = literal.text;
    let key = text.get(literal.key.clone()).unwrap_or_default();
    let between = text.get(literal.key.end..literal.found.span.start);
    let after = text.get(literal.found.span.end..).unwrap_or_default();
    literal.found.tie == Tie::Pair
        && (key.contains('.')
            || text
                .get(..literal.key.start)
                .is_some_and(|t| t.ends_with('.')))
        && between.is_some_and(|between| between.starts_with('('))
        && (after.starts_with("\")") || after.starts_with("')"))
}

fn is_plain_word(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_lowercase())
}

/// `--password swordfish` at the end of a command or before the next flag; not "use --password to …".
fn is_argument(literal: &Literal<'_>, value: &str) -> bool {
    if literal.meaning != Meaning::Password || message::is_predicate(value) {
        return false;
    }
    let text = literal.text;
    let before = text.get(..literal.key.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let after = text.get(literal.span.end..).unwrap_or_default();
    let ends = after.is_empty()
        || after.starts_with(['\n', '\r', '"', '\'', '`'])
        || after.starts_with(" -");
    let command = line
        .split_whitespace()
        .next()
        .is_some_and(|first| !first.starts_with(['-', '[', '|', '*', '#', '/']));
    ends && command
        && line.split_whitespace().count() >= 2
        && !message::has_joining_word(line)
        && value::is_password(value, true)
}

/// "The password is swordfish", "密码是 hunter86", and values behind nothing but a space.
fn is_told(literal: &Literal<'_>, value: &str) -> bool {
    let (found, meaning) = (literal.found, literal.meaning);
    if value
        .split_once(['=', ':'])
        .is_some_and(|(name, _)| key::meaning(name).is_some())
    {
        return false;
    }
    let floor = if meaning == Meaning::Password { 10 } else { 12 };
    let odd = value.len() >= 20 || value.bytes().any(|b| b.is_ascii_digit());
    if value::is_opaque(value, floor) && odd {
        return true;
    }
    let password = meaning == Meaning::Password;
    if found.quoted && password && !value.contains('(') && value::is_password(value, true) {
        return true;
    }
    if password && is_instruction(literal) {
        return value::is_password(value, true);
    }
    if !has_copula(literal) {
        return password && is_named(literal, value);
    }
    match meaning {
        Meaning::Password if found.quoted => {
            let name = literal.text.get(literal.key.clone()).unwrap_or_default();
            chosen::is_phrase(value) || says_phrase(name) && chosen::is_said_phrase(value)
        }
        Meaning::Password => {
            value::is_password(value, true)
                && !message::is_predicate(value)
                && !message::is_foreign_predicate(value)
                && !chosen::is_format(value)
                && (!chosen::is_letters(value) || ends_a_clause(literal))
        }
        Meaning::Token => chosen::is_short_token(value) || value::is_opaque(value, 8),
        _ => false,
    }
}

/// "with the password Dragonfly77": letters and digits right behind the word.
fn is_named(literal: &Literal<'_>, value: &str) -> bool {
    let count = |test: fn(&u8) -> bool| value.bytes().filter(test).count();
    let text = literal.text;
    let key = text.get(literal.key.clone()).unwrap_or_default();
    let between = text
        .get(literal.key.end..literal.span.start)
        .unwrap_or_default();
    let after = text.get(literal.span.end..).unwrap_or_default();
    let word = ["password", "passphrase", "passwort", "senha", "passwd"]
        .iter()
        .any(|word| key.eq_ignore_ascii_case(word));
    (word || !key.is_ascii())
        && between == " "
        && value.len() >= 6
        && count(u8::is_ascii_alphabetic) >= 2
        && value
            .trim_end_matches(['!', '?', '@', '.'])
            .bytes()
            .any(|b| b.is_ascii_digit() || b"@#$%&".contains(&b))
        && !after.starts_with(['(', '[', ':', '='])
        && !value.contains(['(', '[', '{', '=', ':', '/'])
        && !chosen::is_format(value)
        && value::is_password(value, true)
}

/// `define('DB_PASSWORD', 'swordfish')`, `setPassword("swordfish")`, the value of a variable in YAML.
fn is_defined(literal: &Literal<'_>, value: &str) -> bool {
    let text = literal.text;
    let before = text.get(..literal.key.start).unwrap_or_default();
    let call = before.trim_end_matches(['"', '\'']);
    let key = text.get(literal.key.clone()).unwrap_or_default();
    let between = text
        .get(literal.key.end..literal.found.span.start)
        .unwrap_or_default();
    let last = key.rsplit('.').next().unwrap_or_default();
    let set = between.starts_with('(')
        && (last.starts_with("set") || last.starts_with("with"))
        && last.len() > 4;
    let shouted = key.contains('_') && !key.bytes().any(|b| b.is_ascii_lowercase());
    let field = ["value", "default"]
        .iter()
        .any(|name| between.contains(name));
    literal.found.quoted
        && (call.ends_with("define(")
            || call.ends_with("env(")
            || set
            || field
            || shouted && call.ends_with('('))
        && value.len() >= 6
        && value::is_password(value, true)
        && !message::is_predicate(value)
}

/// `sessionid=…` in a cookie header: the name inside says what the value is.
fn is_pair(value: &str) -> bool {
    value.split_once('=').is_some_and(|(name, rest)| {
        !rest.is_empty()
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
            && key::meaning(name).is_some()
    })
}

/// Without quotes: a pair, a tag of YAML, a variable called like the key.
fn is_bare_kind_that_stays(literal: &Literal<'_>, value: &str) -> bool {
    let tagged = value
        .trim_start_matches(['!', '&', '*'])
        .bytes()
        .all(|b| b.is_ascii_lowercase());
    let name = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let key = literal.text.get(literal.key.clone()).unwrap_or_default();
    is_pair(value)
        || value.as_bytes().windows(2).any(|pair| pair == b"!(")
        || value.starts_with(['!', '&', '*']) && tagged
        || !name.is_empty()
            && name.len() < value.len()
            && key.len() >= name.len()
            && key
                .to_ascii_lowercase()
                .ends_with(&name.to_ascii_lowercase())
}

/// `--no-password --quiet`, `--password` at the end of its line: what follows belongs to something else.
fn is_no_argument(literal: &Literal<'_>, value: &str) -> bool {
    let text = literal.text;
    let between = text.get(literal.key.end..literal.found.span.start);
    let key = text.get(literal.key.clone()).unwrap_or_default();
    // `add_argument("--password", help="…")`
    let keyword = value
        .strip_suffix('=')
        .is_some_and(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
    let option = value.split_once('=').is_some_and(|(name, _)| {
        between.is_some_and(|between| between.contains(','))
            && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    });
    !literal.found.quoted && (value.starts_with('-') || keyword || option)
        || key.starts_with("no-")
        || !literal.found.quoted && between.is_some_and(|between| between.contains('\n'))
}

/// `ACME_SECRET`, `PGPASSWORD`, as a variable of the environment is called.
fn is_name_of_a_secret(value: &str) -> bool {
    value
        .bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && (value.contains('_') || value.bytes().all(|b| b.is_ascii_uppercase()))
        && key::meaning(value).is_some()
}

/// Shortest value of a key that says little, in bytes: less where it is written out with digits.
fn weak_floor(value: &str, found: &Value) -> usize {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if found.literal && digits >= 2 { 12 } else { 16 }
}
