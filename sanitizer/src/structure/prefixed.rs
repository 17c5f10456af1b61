//! Finds tokens of providers that no rule names: a short prefix, then a body that no words make up.
//!
//! `abc_live_…`, `xyzpat-…`, and three opaque parts joined by dots. Evidence against comes first:
//! hashes, ids, asset and symbol names, parts of base64.

use std::ops::Range;

use memchr::memchr2;
use recall_kit_evidence::secrets::value;
use recall_kit_evidence::words::wordlike::mean_surprise;

use crate::RuleGroup;
use crate::clues::{Clue, Evidence};

/// Shortest run of letters, digits, `_` and `-` that is judged, in bytes.
const MIN_RUN: usize = 20;
/// Longest run that is judged, in bytes: what is longer is data.
const MAX_RUN: usize = 400;
/// Fewest letters and digits of a body.
const MIN_BODY: usize = 20;
/// The same behind a prefix that says that a secret follows.
const MIN_MARKED_BODY: usize = 16;

/// Parts of prefixes that say that a secret follows.
const MARKS: &[&str] = &[
    "live", "test", "prod", "sandbox", "pat", "api", "key", "apikey", "sk", "rk", "secret",
    "token", "tok", "auth", "oauth", "access", "refresh", "priv", "private", "cred", "bearer",
    "pwd", "sec", "sat", "sess", "session", "svc", "personal",
];

/// Prefixes of what names a thing: ids of objects, digests, versions, assets.
const NAMES: &[&str] = &[
    "sha",
    "md",
    "hash",
    "rev",
    "git",
    "commit",
    "build",
    "img",
    "image",
    "id",
    "uid",
    "uuid",
    "guid",
    "cus",
    "pi",
    "pm",
    "ch",
    "price",
    "evt",
    "sub",
    "req",
    "acct",
    "src",
    "seti",
    "txn",
    "call",
    "chatcmpl",
    "cmpl",
    "msg",
    "toolu",
    "asst",
    "thread",
    "run",
    "step",
    "file",
    "resp",
    "batch",
    "ft",
    "ftjob",
    "org",
    "proj",
    "project",
    "user",
    "usr",
    "team",
    "item",
    "job",
    "task",
    "vs",
    "rs",
    "fc",
    "chunk",
    "index",
    "main",
    "vendor",
    "css",
    "sc",
    "jss",
    "font",
    "asset",
    "cache",
    "node",
    "pod",
    "container",
    "layer",
    "snap",
    "vol",
    "vpc",
    "eni",
    "ami",
    "arn",
    "urn",
    "ref",
    "trace",
    "span",
    "etag",
    "rsrc",
    "obj",
    "doc",
    "page",
    "block",
    "event",
    "order",
    "inv",
    "invoice",
    "cs",
    "plan",
    "prod",
    "ws",
    "conv",
    "dir",
    "lib",
    "pkg",
    "mod",
    "func",
    "cls",
    "var",
    "tmp",
    "data",
    "blob",
    "gs",
    "mdat",
    "base",
    "utf",
    "iso",
    "rfc",
    "cve",
    "ghsa",
    "sid",
    "ssid",
    "nonce",
    "boundary",
];

/// Finds every such token.
pub(crate) fn tokens(text: &str) -> Vec<Clue<'static>> {
    let bytes = text.as_bytes();
    let mut clues: Vec<Clue<'static>> = Vec::new();
    let mut at = 0;
    while at + MIN_RUN <= bytes.len() {
        let window = bytes.get(at..at + MIN_RUN).unwrap_or_default();
        if let Some(gap) = window.iter().rposition(|b| !is_part(*b)) {
            at += gap + 1;
            continue;
        }
        let more = bytes.get(at + MIN_RUN..).unwrap_or_default();
        let end = at + MIN_RUN + more.iter().take_while(|b| is_part(**b)).count();
        if let Some(span) = judged(text, at..end)
            && clues.last().is_none_or(|last| last.span.end <= span.start)
        {
            clues.push(clue(span));
        }
        at = end + 1;
    }
    clues
}

#[inline]
fn is_part(byte: u8) -> bool {
    PARTS.get(usize::from(byte)).copied().unwrap_or(false)
}

/// The bytes of runs: letters, digits, `_` and `-`.
const PARTS: [bool; 256] = parts();

/// Run by the compiler, which checks the places.
const fn parts() -> [bool; 256] {
    let mut parts = [false; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        parts[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-');
        byte += 1;
    }
    parts
}

fn clue(span: Range<usize>) -> Clue<'static> {
    Clue {
        span,
        group: RuleGroup::RemoveApiKeys,
        rule: "prefixed-token",
        kind: "token",
        replacement: "YOUR_TOKEN".into(),
        evidence: Evidence::Surroundings,
    }
}

/// The token in a run, or nothing.
fn judged(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    if run.len() > MAX_RUN {
        return None;
    }
    let before = text.as_bytes().get(..run.start)?.last().copied();
    let start = match before {
        Some(b'\\') => run.start + 1,
        _ => run.start,
    };
    if let Some(span) = dotted(text, &run) {
        return Some(span);
    }
    let found = text.get(start..run.end)?;
    if matches!(before, Some(b'/' | b'+' | b'.' | b'%' | b'@' | b'#' | b'$'))
        || goes_on(text.get(run.end..)?)
        || !is_token(found)
        || value::is_placeholder(found)
    {
        return None;
    }
    let padding = text
        .as_bytes()
        .get(run.end..)?
        .iter()
        .take(2)
        .take_while(|b| **b == b'=')
        .count();
    Some(start..run.end + padding)
}

/// Whether what stands behind makes the run a path, a file name, a call or a part of base64.
fn goes_on(after: &str) -> bool {
    if after.starts_with(['/', '+', '(', '@'])
        || after.starts_with("::")
        || after.starts_with("\\") && !after.starts_with("\\n") && !after.starts_with("\\\"")
    {
        return true;
    }
    after
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// `prefix_body`, and no evidence against.
fn is_token(run: &str) -> bool {
    let Some((prefix, body)) = split(run) else {
        return false;
    };
    let words = || prefix.split(['_', '-']);
    let is_among =
        |words: &[&str], word: &str| words.iter().any(|one| word.eq_ignore_ascii_case(one));
    let marked = words().any(|word| is_among(MARKS, word));
    let named = words().any(|word| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let prod = letters.eq_ignore_ascii_case("prod") && prefix.contains(['_', '-']);
        !prod && is_among(NAMES, letters)
    });
    let alphanumeric = body.bytes().filter(u8::is_ascii_alphanumeric).count();
    let floor = if marked { MIN_MARKED_BODY } else { MIN_BODY };
    if alphanumeric < floor || named && !(marked && words().count() >= 2) {
        return false;
    }
    let segments = body.split(['_', '-']).count();
    if segments > 1 + body.len() / 12 || body.starts_with("kwDO") || body.starts_with("kgDO") {
        return marked && is_uuid(body);
    }
    is_random(body, marked)
}

/// The prefix, one to three short words of letters in one case, and the body behind it.
fn split(run: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for _ in 0..3 {
        let rest = run.get(at..)?;
        let Some(length) = memchr2(b'_', b'-', rest.as_bytes()) else {
            break;
        };
        if !is_prefix(rest.get(..length)?) {
            break;
        }
        at += length + 1;
    }
    let prefix = run.get(..at.checked_sub(1)?)?;
    let body = run.get(at..)?;
    (!body.is_empty()).then_some((prefix, body))
}

fn is_prefix(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let one_case = letters.bytes().all(|b| b.is_ascii_lowercase())
        || letters.bytes().all(|b| b.is_ascii_uppercase())
        || word.len() <= 3;
    (2..=12).contains(&word.len())
        && !letters.is_empty()
        && word.len() - letters.len() <= 2
        && one_case
        && letters.bytes().all(|b| b.is_ascii_alphabetic())
}

fn is_uuid(body: &str) -> bool {
    body.len() == 36
        && body.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// Whether letters and digits change like dice throw them and no words are among them.
fn is_random(body: &str, marked: bool) -> bool {
    let count = |test: fn(&u8) -> bool| body.bytes().filter(test).count();
    let (upper, lower, digits) = (
        count(u8::is_ascii_uppercase),
        count(u8::is_ascii_lowercase),
        count(u8::is_ascii_digit),
    );
    let letters = upper + lower;
    let mixed = upper >= 2 && lower >= 2;
    let fewest = if mixed && upper >= 3 && lower >= 3 {
        1
    } else {
        2
    };
    if digits < fewest || letters < 5 {
        return false;
    }
    if body.bytes().all(|b| b.is_ascii_hexdigit()) {
        return marked;
    }
    let class = |b: u8| match b {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        _ => 3,
    };
    let bytes = body.as_bytes();
    let changes = bytes
        .windows(2)
        .filter(|pair| pair.first().map(|b| class(*b)) != pair.last().map(|b| class(*b)))
        .count();
    let floor = if mixed { 36 } else { 22 };
    let run = body.bytes().filter(u8::is_ascii_alphabetic);
    changes * 100 >= bytes.len() * floor && mean_surprise(run, letters) >= 4.9
}

/// Three parts or more joined by dots, two of them long and random.
fn dotted(text: &str, run: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes.get(run.end) != Some(&b'.') {
        return None;
    }
    let joined = |b: &&u8| is_part(**b) || **b == b'.';
    let back = bytes
        .get(..run.start)?
        .iter()
        .rev()
        .take(MAX_RUN)
        .take_while(joined)
        .count();
    let ahead = bytes
        .get(run.end..)?
        .iter()
        .take(MAX_RUN)
        .take_while(joined)
        .count();
    let span = run.start - back..run.end + ahead;
    let before = bytes.get(..span.start)?.last();
    let found = text.get(span.clone())?.trim_end_matches('.');
    let parts = || found.split('.');
    let random = parts()
        .filter(|part| part.len() >= MIN_BODY && is_mixed(part))
        .count();
    let told = (3..=5).contains(&parts().count())
        && random >= 2
        && !matches!(before, Some(b'/' | b'+' | b'@'));
    told.then(|| span.start..span.start + found.len())
}

/// Both cases and digits, thrown like dice.
fn is_mixed(part: &str) -> bool {
    let plain: String = part.chars().filter(char::is_ascii_alphanumeric).collect();
    let mixed = plain.bytes().any(|b| b.is_ascii_uppercase())
        && plain.bytes().any(|b| b.is_ascii_lowercase())
        || plain.bytes().all(|b| !b.is_ascii_uppercase());
    mixed && is_random(&plain, true)
}
