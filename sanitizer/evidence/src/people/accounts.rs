//! Judges names of accounts: somebody's own go, those that every system or example has stay.

mod words;

use crate::keep;
use crate::people::{nobody, users};
use crate::secrets::chosen;
use crate::words::message;
use crate::words::wordlike::{surprise, words};
use words::{FIRST_NAMES, ROLES};

/// Longest name of an account, in bytes.
const MAX_NAME: usize = 40;

/// Whether a value is the name of an account that may be somebody's: `jsmith`, `k.tanaka`, `CORP\mlopez`.
pub fn is_account(value: &str) -> bool {
    let name = value.rsplit('\\').next().unwrap_or(value);
    if nobody::is_nobody(name) {
        return false;
    }
    let shaped = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+'))
        && name.starts_with(char::is_alphabetic)
        && name.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let lower = !name.bytes().any(|b| b.is_ascii_uppercase());
    if !name.is_ascii() {
        let odd = name
            .chars()
            .any(|c| c.is_numeric() || matches!(c, '_' | '.'));
        return shaped
            && odd
            && name.len() <= MAX_NAME
            && !chosen::stays(name)
            && !message::is_rule(name);
    }
    let marked = name.bytes().any(|b| b.is_ascii_digit() || b == b'.') && name.len() >= 4
        || name.len() < value.len();
    (3..=MAX_NAME).contains(&name.len())
        && shaped
        && (lower || marked || is_capitalised_pair(name) || is_humped(name))
        && users::is_user(name)
        && !chosen::stays(name)
        && !is_role(name)
        && !is_property(name)
}

/// `JSmith`, `MariaLopez`, `Jane_Smith`.
fn is_capitalised_pair(name: &str) -> bool {
    let parts = words(name);
    let capital = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
    parts.len() == 2
        && parts.iter().all(capital)
        && parts.iter().any(|word| word.len() >= 3)
        && name.bytes().any(|b| b.is_ascii_lowercase())
}

/// `nadiaKurosawa`: two names, of which neither is a word of programs.
fn is_humped(name: &str) -> bool {
    const VERBS: &[&str] = &[
        "get", "set", "is", "has", "on", "find", "fetch", "load", "create", "update", "delete",
        "add", "remove", "current", "parse", "make", "to", "from", "show", "hide", "render",
        "handle", "validate", "request", "req", "response", "form", "field", "state", "props",
        "config", "option", "options", "settings", "env", "var", "common", "label", "title",
        "text", "error", "message",
    ];
    let parts = words(name);
    let plain = |word: &&str| {
        let lower = word.to_ascii_lowercase();
        word.len() >= 3 && !ROLES.has(&lower) && !VERBS.contains(&&*lower)
    };
    parts.len() == 2
        && name.bytes().all(|b| b.is_ascii_alphabetic())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && parts.iter().all(plain)
}

/// Whether an account is told from a word: by a digit or a mark, or by pairs of letters that are rare.
pub fn is_no_word(name: &str) -> bool {
    const ODD_BITS: f32 = 4.2;
    let marked = name
        .bytes()
        .any(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_'));
    let initial = name.split_once('-').is_some_and(|(first, rest)| {
        first.len() == 1 && rest.len() >= 6 && !"ceituvx".contains(first) && !rest.contains('-')
    });
    marked || initial || !name.contains('-') && surprise(name) >= ODD_BITS
}

/// `NKUROSAWA`: an account that stays one in small letters.
pub fn is_in_capitals(name: &str) -> bool {
    // What the makers of mainframes call their own begins so.
    let vendor = name.len() < 8 && name.starts_with('Q');
    let lower = name.to_ascii_lowercase();
    !vendor && is_account(&lower) && is_no_word(&lower)
}

/// Whether every word of a name says what the account is for.
pub fn is_role(name: &str) -> bool {
    // PostgreSQL keeps names that begin so for itself.
    if name.starts_with("pg_") {
        return true;
    }
    let parts = words(name);
    let last = parts
        .iter()
        .rev()
        .find(|word| !word.bytes().all(|b| b.is_ascii_digit()));
    let named = parts.len() >= 2
        && last.is_some_and(|last| {
            ["user", "admin", "svc", "service", "bot", "app", "role"]
                .iter()
                .any(|role| last.eq_ignore_ascii_case(role))
        });
    named
        || parts.iter().all(|word| {
            word.bytes().all(|b| b.is_ascii_digit()) || {
                let lower = word.to_ascii_lowercase();
                if FIRST_NAMES.contains(&&*lower) {
                    return parts.len() == 1;
                }
                ROLES.has(&lower) || keep::user(&lower) || runs_together(&lower)
            }
        })
}

/// `testuser`, `dbadmin`: two or three roles in one word.
fn runs_together(word: &str) -> bool {
    const LEAST: usize = 2;
    (LEAST..=word.len().saturating_sub(LEAST)).any(|at| {
        word.split_at_checked(at)
            .is_some_and(|(role, rest)| ROLES.has(role) && (ROLES.has(rest) || runs_together(rest)))
    })
}

/// `request.user.name`, `user.id`: a path of properties.
fn is_property(name: &str) -> bool {
    const TYPES: &[&str] = &[
        "String",
        "Number",
        "Boolean",
        "Text",
        "Any",
        "Required",
        "Int",
        "Date",
        "Object",
        "Array",
        "CharField",
        "Optional",
        "Types",
        "Type",
        "Field",
        "Schema",
        "Struct",
    ];
    if name
        .rsplit('.')
        .next()
        .is_some_and(|last| name.contains('.') && TYPES.contains(&last))
    {
        return true;
    }
    let parts = || name.split('.');
    // `priya.x.ivanova` has an initial.
    let initial = parts().count() == 3 && parts().nth(1).is_some_and(|part| part.len() < 2);
    parts().count() >= 3
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || matches!(b, b'.' | b'_'))
        && !initial
        || parts().count() == 2
            && parts()
                .next_back()
                .is_some_and(|last| ROLES.has(last) || last.len() < 2 && !is_given_name(name))
}

/// `phil.h`: a given name and an initial, and no coordinate of a program.
fn is_given_name(name: &str) -> bool {
    const POINTS: &[&str] = &[
        "point", "position", "vector", "coord", "coords", "rect", "offset", "origin", "mouse",
        "event", "size", "item", "self", "this", "args", "props", "state", "scale", "rotation",
        "player", "camera", "target", "delta", "bounds", "center", "velocity", "start", "touch",
        "window", "screen", "math", "matrix", "pixel", "sprite", "result",
    ];
    const COORDINATES: &[&str] = &["x", "y", "z", "w"];
    let Some((first, last)) = name.split_once('.') else {
        return false;
    };
    let plain = first.len() >= 4 && first.bytes().all(|b| b.is_ascii_lowercase());
    plain
        && !POINTS.contains(&first)
        && !ROLES.has(first)
        && (!COORDINATES.contains(&last) || first.len() >= 6)
}
