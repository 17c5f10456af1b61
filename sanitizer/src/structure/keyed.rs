//! Finds secrets by the key they stand beside: the key's meaning and the value's class decide together.
//!
//! Most tokens are plain hex, UUIDs or letters; only structure tells them from ids and hashes.

use std::ops::Range;

use crate::evidence::{passphrase, value};
use crate::redact::clues::Clue;
use crate::rules::anchors::{Found, Hit};
use crate::rules::rule_set::{Mark, RuleSet};
use crate::structure::key::{self, Meaning, SecretKey};
use crate::structure::syntax::{self, Tie, Value};

/// Longest key that is read, in bytes.
const MAX_KEY: usize = 120;

/// Finds every secret that stands beside a key naming it, at the hits of the scan.
pub(crate) fn secrets(set: &RuleSet, text: &str, hits: &[Hit]) -> Vec<Clue<'static>> {
    let mut clues = Vec::new();
    let mut read_to = 0;
    for hit in hits {
        let Found::Anchor(anchor) = hit.anchor else {
            continue;
        };
        let Some(mark) = set.woken.get(anchor as usize).and_then(|woken| woken.key) else {
            continue;
        };
        if hit.start < read_to {
            continue;
        }
        let mark_span = hit.start..hit.start + set.anchors.length(anchor);
        let (span, named) = match mark {
            Mark::Statement => continue,
            Mark::Label(number) => (mark_span, key::LABELS.get(number).map(|(_, named)| *named)),
            Mark::Part => {
                let span = key_around(text, &mark_span);
                let named = text.get(span.clone()).and_then(key::meaning);
                (span, named)
            }
        };
        read_to = span.end;
        let Some(named) = named else { continue };
        let before = text.get(..span.start).unwrap_or_default();
        if before.ends_with("://") || before.ends_with("::") {
            continue;
        }
        let flag = before.ends_with('-');
        let named = strengthened(text, &span, named);
        if let Some(found) = syntax::value_after(text, &span, flag) {
            let judged = match is_verb(text, &span, &found) {
                true => Vec::new(),
                false => judge(text, &found, named),
            };
            read_to = judged.last().map_or(read_to, |clue| clue.span.end);
            clues.extend(judged);
        } else if before.ends_with(['"', '\'']) {
            clues.extend(fallbacks(text, &(span.end + 1..span.end + 1), named));
        }
    }
    clues
}

/// `you can pass "x"`, `t.pass("x")`: what is passed is no password.
fn is_verb(text: &str, key: &Range<usize>, found: &Value) -> bool {
    let before = text.get(..key.start).unwrap_or_default();
    let called = found.tie == Tie::Pair && !before.ends_with(['"', '\'', '|', ' ', '-', '<']);
    (called || found.tie == Tie::Prose)
        && text
            .get(key.clone())
            .and_then(|key| key.rsplit('.').next())
            .is_some_and(|key| key == "pass")
}

/// `API key: …` in prose: the word before decides what kind of key it is.
fn strengthened(text: &str, span: &Range<usize>, named: SecretKey) -> SecretKey {
    if named.meaning != Meaning::Weak {
        return named;
    }
    let before = text.get(..span.start).unwrap_or_default();
    let Some(word) = before
        .strip_suffix(' ')
        .and_then(|before| before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next())
    else {
        return named;
    };
    let phrase = format!("{word} {}", text.get(span.clone()).unwrap_or_default());
    key::meaning(&phrase).unwrap_or(named)
}

/// The whole name around a mark: `spring.datasource.password`, `X-Api-Key`, `$config['…']` inside.
fn key_around(text: &str, mark: &Range<usize>) -> Range<usize> {
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let before = bytes.get(..mark.start).unwrap_or_default();
    let after = bytes.get(mark.end..).unwrap_or_default();
    let back = before
        .iter()
        .rev()
        .take(MAX_KEY)
        .take_while(|b| part(b))
        .count();
    let ahead = after.iter().take(MAX_KEY).take_while(|b| part(b)).count();
    let mut span = mark.start - back..mark.end + ahead;
    let dull = |b: Option<&u8>| matches!(b, Some(b'-' | b'.'));
    while span.start < mark.start && dull(bytes.get(span.start)) {
        span.start += 1;
    }
    while span.end > mark.end && dull(bytes.get(span.end - 1)) {
        span.end -= 1;
    }
    span
}

fn judge(text: &str, found: &Value, key: SecretKey) -> Vec<Clue<'static>> {
    let Some(raw) = text.get(found.span.clone()) else {
        return Vec::new();
    };
    let span = match key.meaning {
        Meaning::Password => found.span.clone(),
        _ => after_scheme(raw, &found.span),
    };
    let Some(value) = text.get(span.clone()) else {
        return Vec::new();
    };
    if is_secret(value, found, key.meaning) {
        return vec![Clue::keyed(
            span.start..syntax::whole_end(text, found, span.end),
            key,
        )];
    }
    if found.quoted || found.tie != Tie::Operator || raw.starts_with('{') {
        return Vec::new();
    }
    fallbacks(text, &found.span, key)
}

/// `Bearer abc`, `Token abc`, `ApiKey abc`: the scheme stays, the rest is the value.
fn after_scheme(raw: &str, span: &Range<usize>) -> Range<usize> {
    let Some((scheme, rest)) = raw.split_once(' ') else {
        return span.clone();
    };
    let is_scheme = (3..=20).contains(&scheme.len())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !rest.trim().contains(' ')
        && !rest.trim().is_empty();
    if !is_scheme {
        return span.clone();
    }
    let lead = rest.len() - rest.trim_start().len();
    span.start + scheme.len() + 1 + lead..span.start + raw.trim_end().len()
}

fn is_secret(value: &str, found: &Value, meaning: Meaning) -> bool {
    let nested = !found.quoted && (value.starts_with('[') || value.ends_with(':'));
    if nested || is_name_of_a_secret(value) || !found.quoted && is_pair(value) {
        return false;
    }
    if found.tie == Tie::Prose {
        if value
            .split_once(['=', ':'])
            .is_some_and(|(name, _)| key::meaning(name).is_some())
        {
            return false;
        }
        let floor = if meaning == Meaning::Password { 10 } else { 12 };
        let odd = value.len() >= 20 || value.bytes().any(|b| b.is_ascii_digit());
        return value::is_opaque(value, floor) && odd
            || found.quoted
                && meaning == Meaning::Password
                && !value.contains('(')
                && value::is_password(value, true);
    }
    if !found.quoted && !found.literal && value::is_program_name(value) {
        return false;
    }
    if found.tie == Tie::Pair
        && value.len() < 20
        && !value.bytes().any(|b| !b.is_ascii_alphabetic())
        && !value::is_opaque(value, 9)
    {
        return false;
    }
    let plain_word = !found.quoted && value.bytes().all(|b| b.is_ascii_lowercase());
    if found.tie == Tie::Flag && plain_word && !value::is_opaque(value, 8) {
        return false;
    }
    match meaning {
        Meaning::Password => {
            value::is_password(value, found.literal)
                || found.quoted && found.tie == Tie::Operator && passphrase::is_passphrase(value)
        }
        Meaning::Token => {
            value::is_opaque(value, if found.literal { 8 } else { 12 })
                || found.quoted && value::is_symbolic(value)
                || found.literal && value.len() >= 10 && value::is_strong_password(value)
        }
        Meaning::Weak => value::is_opaque(value, weak_floor(value, found)),
        Meaning::Header => value::is_opaque(value, 8),
    }
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

/// `ACME_SECRET`, as a variable of the environment is called.
fn is_name_of_a_secret(value: &str) -> bool {
    value.contains('_')
        && value
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && key::meaning(value).is_some()
}

/// Shortest value of a key that says little, in bytes: less where it is written out with digits.
fn weak_floor(value: &str, found: &Value) -> usize {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if found.literal && digits >= 2 { 12 } else { 16 }
}

/// `token = env("TOKEN") || "abc"`: string literals in the rest of an expression.
fn fallbacks(text: &str, span: &Range<usize>, key: SecretKey) -> Vec<Clue<'static>> {
    let end = syntax::floor(text, span.start + 200);
    let Some(rest) = text.get(span.start..end) else {
        return Vec::new();
    };
    let statement = rest.split(['\n', ';']).next().unwrap_or_default();
    let mut clues = Vec::new();
    let mut at = 0;
    while let Some(open) = statement.get(at..).and_then(|tail| tail.find(['"', '\''])) {
        let start = at + open + 1;
        let quote = statement.get(start - 1..start).unwrap_or("\"");
        let Some(length) = statement.get(start..).and_then(|tail| tail.find(quote)) else {
            break;
        };
        let literal = statement
            .get(start..start + length)
            .map(|literal| literal.trim_end_matches('\\'));
        if let Some(literal) = literal.filter(|literal| value::is_opaque(literal, 10)) {
            let at = span.start + start;
            clues.push(Clue::keyed(at..at + literal.len(), key));
        }
        at = start + length + 1;
    }
    clues
}
