//! Finds secrets, users and persons by the key they stand beside: the key's meaning and the kind of the
//! value decide together.
//!
//! Most tokens are plain hex, UUIDs or letters; only structure tells them from ids and hashes. What a value
//! may be behind a key is for `literal` and `names`.

use std::ops::Range;

use recall_kit_evidence::keys::key::{self, Meaning, SecretKey};
use recall_kit_evidence::secrets::{chosen, value};
use recall_kit_evidence::text::{floor, head, tail};

use crate::RuleGroup;
use crate::clues::{Clue, group_of};
use crate::rules::anchors::Hit;
use crate::rules::rule_set::{Mark, RuleSet};
use crate::structure::literal::{self, Literal};
use crate::structure::names;
use crate::structure::syntax::{self, Tie, Value};

/// Longest key that is read, in bytes.
const MAX_KEY: usize = 120;

/// Finds every secret, user and person that stands beside a key naming it, at the hits of the scan.
pub(crate) fn secrets(
    set: &RuleSet,
    text: &str,
    hits: &[Hit],
    groups: &[RuleGroup],
) -> Vec<Clue<'static>> {
    let mut clues = Vec::new();
    let mut read_to = 0;
    for (number, hit) in hits.iter().enumerate() {
        let Some(mark) = set.mark(hit) else {
            continue;
        };
        if hit.start < read_to
            || mark == Mark::Part && is_label(set, hits.get(number + 1..).unwrap_or_default(), hit)
        {
            continue;
        }
        let mark_span = hit.start..hit.start + set.anchors.length(hit.anchor);
        let Some((span, named)) = key_at(text, mark, mark_span) else {
            continue;
        };
        read_to = span.end;
        let Some(named) = named.filter(|named| groups.contains(&group_of(*named))) else {
            continue;
        };
        let before = text.get(..span.start).unwrap_or_default();
        let rest = text.get(span.end..).unwrap_or_default();
        if before.ends_with("://") || before.ends_with("::") && !is_set(rest) {
            continue;
        }
        if is_prompt(before, rest) {
            continue;
        }
        let flag = before.ends_with('-');
        let named = strengthened(text, &span, named);
        let found = syntax::value_after(text, &span, flag);
        if let Some(found) = further(text, &span, found, named) {
            let judged = match is_verb(text, &span, &found) {
                true => Vec::new(),
                false => judge(text, &span, &found, named),
            };
            read_to = judged.last().map_or(read_to, |clue| clue.span.end);
            clues.extend(judged);
        } else if before.ends_with(['"', '\'']) && group_of(named) == RuleGroup::RemoveApiKeys {
            clues.extend(fallbacks(text, &(span.end + 1..span.end + 1), named));
        }
    }
    clues
}

/// `'Password: '`: a string that ends behind the colon asks for a password and has none.
fn is_prompt(before: &str, rest: &str) -> bool {
    let quote = before
        .trim_end_matches(|c: char| c.is_alphanumeric() || c == ' ')
        .chars()
        .next_back();
    let behind = rest.trim_start_matches([':', '：', ' ']);
    quote.is_some_and(|quote| {
        matches!(quote, '"' | '\'') && behind.len() < rest.len() && behind.starts_with(quote)
    }) && rest.starts_with([':', '：'])
}

/// `profile::db::password: …`, `Config::password = "…"`: a value, not a path of names.
fn is_set(rest: &str) -> bool {
    rest.starts_with(": ") || rest.starts_with(" = \"") || rest.starts_with("=\"")
}

/// What stands behind the key, or behind the words that tell more about it in a sentence.
fn further(
    text: &str,
    span: &Range<usize>,
    found: Option<Value>,
    named: SecretKey,
) -> Option<Value> {
    const FOREIGN: &[&str] = &[
        "passwort",
        "kennwort",
        "senha",
        "contrasena",
        "clave",
        "mdp",
        "token",
        "nombre",
    ];
    let plain = found
        .as_ref()
        .is_some_and(|found| found.tie == Tie::Prose && !found.quoted);
    let key = text.get(span.clone()).unwrap_or_default();
    let secret = matches!(named.meaning, Meaning::Password | Meaning::Token);
    let rest = text.get(span.end..).unwrap_or_default();
    let whole = named.meaning == Meaning::Person && rest.starts_with(" complet");
    if !plain || !(secret || whole) || text.as_bytes().get(span.end) != Some(&b' ') {
        return found;
    }
    let rest = text.get(span.end + 1..).unwrap_or_default();
    let told = !key.is_ascii()
        || FOREIGN.iter().any(|word| key.eq_ignore_ascii_case(word))
        || key.contains(' ')
        || whole
        || [
            "for ", "of ", "on ", "to ", "in ", "until ", "while ", "from ", "at ", "during ", "(",
        ]
        .iter()
        .any(|word| rest.starts_with(word));
    match told {
        true => syntax::value_further(text, span).or(found),
        false => found,
    }
}

/// Whether a label begins where the hit begins: it says more than a word of it.
fn is_label(set: &RuleSet, following: &[Hit], hit: &Hit) -> bool {
    let label = |next: &Hit| set.mark(next) == Some(Mark::Label);
    following
        .iter()
        .take_while(|next| next.start == hit.start)
        .any(label)
}

/// The key that a mark is part of, and what it names; nothing where no key can stand.
fn key_at(text: &str, mark: Mark, span: Range<usize>) -> Option<(Range<usize>, Option<SecretKey>)> {
    match mark {
        Mark::Statement => None,
        Mark::Label => {
            let (label, named) = key::label_at(text.get(span.start..)?)?;
            let name = label.trim_end_matches([' ', ':']);
            let ideographic = label.starts_with(|c: char| ('\u{3000}'..='\u{d7ff}').contains(&c));
            let inside = text
                .get(..span.start)
                .is_some_and(|before| before.ends_with(char::is_alphanumeric));
            let joined = text
                .get(..span.start)
                .is_some_and(|before| before.ends_with('_'));
            let end = span.start + name.len();
            let end = end + identifier_behind(text.get(end..).unwrap_or_default());
            (!joined && (ideographic || !inside)).then_some((span.start..end, Some(named)))
        }
        Mark::Part => {
            let bytes = text.as_bytes().get(span.clone())?;
            let rest = bytes.iter().rev().take_while(|b| !is_part(b)).count();
            let lead = bytes.iter().take_while(|b| **b == b'-').count();
            let span = key_around(text, &(span.start + lead..span.end - rest));
            let key = text.get(span.clone())?;
            let rest = text.get(span.end..).unwrap_or_default();
            if key.eq_ignore_ascii_case("assigned") && rest.starts_with(" to") {
                return Some((span.start..span.end + 3, Some(key::PERSON)));
            }
            // Most names in code are followed by nothing that ties a value to them.
            let quoted = text
                .get(..span.start)
                .is_some_and(|before| before.ends_with(['"', '\'']));
            let is_key = quoted || syntax::may_be_tied(text, span.end);
            let named = is_key.then(|| key::meaning(key)).flatten();
            Some((span, named))
        }
    }
}

/// How far a name of a program goes on behind a label: `пароль_бд`, `密码_生产`.
fn identifier_behind(rest: &str) -> usize {
    const LONGEST: usize = 40;
    let rest = head(rest, LONGEST);
    let part = |c: char| c.is_alphanumeric() || c == '_';
    match rest.starts_with('_') {
        true => rest.find(|c| !part(c)).unwrap_or(rest.len()),
        false => 0,
    }
}

/// `you can pass "x"`, `t.pass("x")`: what is passed is no password.
fn is_verb(text: &str, key: &Range<usize>, found: &Value) -> bool {
    let before = text.get(..key.start).unwrap_or_default();
    let call = text.as_bytes().get(key.end) == Some(&b'(');
    let called =
        found.tie == Tie::Pair && (call || !before.ends_with(['"', '\'', '|', ' ', '-', '<']));
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
        .or_else(|| section_before(before))
        .and_then(|before| before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next())
    else {
        return named;
    };
    let phrase = format!("{word} {}", text.get(span.clone()).unwrap_or_default());
    key::meaning(&phrase).unwrap_or(named)
}

/// `"Jwt": {"Key": …`: what stands before the object that the key is in, up to the object's name.
fn section_before(before: &str) -> Option<&str> {
    const NEAR: usize = 120;
    let inside = before.strip_suffix('"')?;
    let open = tail(inside, NEAR).rfind(['{', '}', '['])?;
    let open = inside.len() - tail(inside, NEAR).len() + open;
    let outside = inside
        .get(..open)
        .filter(|_| inside.as_bytes().get(open) == Some(&b'{'))?;
    outside
        .trim_end()
        .strip_suffix(':')?
        .trim_end()
        .strip_suffix('"')
}

/// Whether the byte may stand in a key.
fn is_part(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The whole name around a mark: `spring.datasource.password`, `X-Api-Key`, `$config['…']` inside.
fn key_around(text: &str, mark: &Range<usize>) -> Range<usize> {
    let part = is_part;
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

fn judge(text: &str, key_span: &Range<usize>, found: &Value, key: SecretKey) -> Vec<Clue<'static>> {
    if matches!(key.meaning, Meaning::User | Meaning::Person) {
        return names::judge(text, key_span, found, key);
    }
    let after_word = scheme_before(text, found, key.meaning);
    let found = after_word.as_ref().unwrap_or(found);
    let Some(raw) = text.get(found.span.clone()) else {
        return Vec::new();
    };
    let name = text.get(key_span.clone()).unwrap_or_default();
    let span = match key.meaning {
        Meaning::Password => found.span.clone(),
        _ => after_scheme(raw, &found.span),
    };
    let in_a_query = text
        .get(..key_span.start)
        .is_some_and(|before| before.ends_with(['?', '&']));
    let literal = Literal {
        text,
        key: key_span,
        found,
        span: span.clone(),
        meaning: key.meaning,
        is_bare_token: key.rule == "keyed-token" && !names_credentials(name) && !in_a_query,
    };
    if let Some(secret) = literal::secret(&literal) {
        return vec![Clue::keyed(
            secret.start..syntax::whole_end(text, found, secret.end),
            key,
        )];
    }
    let rest = text.get(key_span.end..).unwrap_or_default().trim_start();
    let alternative = ["||", "??", "or "]
        .iter()
        .any(|sign| rest.starts_with(sign));
    if found.quoted || found.tie != Tie::Operator && !alternative || raw.starts_with('{') {
        return Vec::new();
    }
    match alternative {
        true => fallbacks(text, &(key_span.end..key_span.end), key),
        false => fallbacks(text, &found.span, key),
    }
}

/// `API_TOKEN`, `authToken`: no token of a parser.
fn names_credentials(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    let shouted = lower.len() > 5 && !key.bytes().any(|b| b.is_ascii_lowercase());
    !key.is_ascii()
        || shouted
        || [
            "api", "auth", "acces", "regist", "personal", "runner", "zugriff", "zugang", "private",
            "bearer", "refresh", "secret", "bot", "deploy", "hub", "lab",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

/// `Authorization: Token abc` without quotes: the value is what stands behind the scheme.
fn scheme_before(text: &str, found: &Value, meaning: Meaning) -> Option<Value> {
    const SCHEMES: &[&str] = &["bearer", "token", "basic", "apikey", "bot", "key", "digest"];
    let word = text.get(found.span.clone())?;
    if meaning != Meaning::Header
        || found.quoted
        || !SCHEMES
            .iter()
            .any(|scheme| word.eq_ignore_ascii_case(scheme))
    {
        return None;
    }
    let rest = text.get(found.span.end..)?.strip_prefix(' ')?;
    let length = rest
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';'))
        .unwrap_or(rest.len());
    let start = found.span.end + 1;
    (length > 0).then(|| Value {
        span: start..start + length,
        ..found.clone()
    })
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

/// `token = env("TOKEN") || "abc"`: string literals in the rest of an expression.
fn fallbacks(text: &str, span: &Range<usize>, key: SecretKey) -> Vec<Clue<'static>> {
    let end = floor(text, span.start + 200);
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
        let lead = statement.get(..start - 1).unwrap_or_default().trim_end();
        let alternative = ["||", "??", " or", "or"]
            .iter()
            .any(|sign| lead.ends_with(sign));
        let chosen = |literal: &str| match key.meaning {
            Meaning::Password => alternative && value::is_password(literal, true),
            Meaning::Token => {
                alternative
                    && (chosen::is_short_token(literal)
                        || literal.len() >= 10
                            && key.rule != "keyed-token"
                            && (chosen::is_numbered_token(literal)
                                || chosen::is_secret_word(literal)))
            }
            _ => false,
        };
        if let Some(literal) =
            literal.filter(|literal| value::is_opaque(literal, 10) || chosen(literal))
        {
            let at = span.start + start;
            clues.push(Clue::keyed(at..at + literal.len(), key));
        }
        at = start + length + 1;
    }
    clues
}
