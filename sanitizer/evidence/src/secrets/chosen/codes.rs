//! Tells a one-time code, a PIN or the combination of a lock from any other number, by the sentence or the
//! field that it stands in.
//!
//! A word for such a code names it by itself (`OTP`, `PIN`, `验证码`), or the word "code" with what it is for
//! (`door code`, `code de vérification`). Between the word and the digits stands what ties them: a sign, a verb
//! such as "is", or nothing.

mod cues;
mod strong_latin;
mod strong_others;
mod words;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use crate::text::{head, tail};
use cues::{CUES, OWN};
use strong_latin::LATIN;
use strong_others::OTHERS;
use words::{BEFORE_NUMBERS, COUNTED, HEADS, OTHER_CODES, TIES};

/// How much of the line before a code is read, in bytes.
const MAX_LEAD: usize = 110;

/// Longest distance from the word to its code, in bytes.
const MAX_GAP: usize = 80;

/// Whether digits behind a word for a code are one.
pub fn is_behind_its_name(before: &str, code: &str, after: &str) -> bool {
    let lead = plain(line_before(before));
    let Some(name) = name_in(&lead) else {
        return false;
    };
    let between = lead.get(name.end..).unwrap_or_default();
    let opens = CUES.iter().any(|cue| lead.contains(cue));
    is_number(code)
        && stands_alone(before, after)
        && between.len() <= MAX_GAP
        && !is_year(code, between)
        && (name.is_strong || has_cue(&lead, after))
        && ties(between, name.is_strong, opens)
        && !is_counted(between, after)
}

/// Whether digits before a word for a code are one: `482913 is your login code`.
pub fn is_before_its_name(before: &str, code: &str, after: &str) -> bool {
    let line = behind(after);
    let Some(name) = name_in(&line) else {
        return false;
    };
    let between = line.get(..name.start).unwrap_or_default();
    const LINKS: &[&str] = &[
        " is ",
        " is your",
        " is the",
        " is my",
        " as ",
        " - ",
        " — ",
        " – ",
        " (",
        "（",
        ": ",
        " ist ",
        " als ",
        " est ",
        " comme ",
        " es ",
        " como ",
        " é ",
        " это ",
        " ваш",
        "是",
        "为",
        "為",
        "が",
        "は",
        "】",
        "] ",
        " 은",
        " 는",
        "은 ",
        "는 ",
        "입니다",
    ];
    is_number(code)
        && stands_alone(before, after)
        && between.len() <= MAX_GAP
        && !is_year(code, "")
        && !between.contains(['.', '!', '?', '。', '{', ';'])
        && (name.is_strong || has_cue(&line, ""))
        && LINKS.iter().any(|link| between.starts_with(link))
        && !is_counted("", after)
}

/// Whether digits behind a verb such as "enter" are a code: what they open stands in the line.
pub fn is_entered(before: &str, code: &str, after: &str) -> bool {
    let (lead, behind) = (plain(line_before(before)), behind(after));
    let opens = CUES
        .iter()
        .any(|cue| lead.contains(cue) || behind.contains(cue));
    opens
        && is_number(code)
        && stands_alone(before, after)
        && !is_year(code, "")
        && !is_counted("", after)
}

/// Whether capitals and digits, or groups of letters and digits, behind a word for a code are one.
pub fn is_lettered(before: &str, code: &str, after: &str) -> bool {
    let lead = plain(line_before(before));
    let Some(name) = name_in(&lead) else {
        return false;
    };
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    let letters = code.bytes().filter(u8::is_ascii_alphabetic).count();
    let grouped = code.contains('-') && code.len() >= 7;
    let mixed = digits >= 1 && letters >= 1 && code.len() >= 5;
    let alone = !after
        .starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '=' | '('));
    alone && (grouped || mixed) && (name.is_strong || has_cue(&lead, after))
}

/// Whether digits behind a verb such as "got" are a code: the line names one, or what it opens.
pub fn came(before: &str, code: &str, after: &str) -> bool {
    let (lead, behind) = (plain(line_before(before)), behind(after));
    let named = name_in(&lead).is_some() || name_in(&behind).is_some();
    named && is_number(code) && stands_alone(before, after) && !is_counted("", after)
        || is_entered(before, code, after)
}

/// Whether the last "code" before digits is that of something else: `error code is 48190`.
pub fn names_another(before: &str) -> bool {
    let line = tail(before, MAX_LEAD)
        .rsplit('\n')
        .next()
        .unwrap_or_default();
    let Some(at) = line.rfind("code") else {
        return false;
    };
    let lead = plain(line.get(..at).unwrap_or_default());
    let last = lead
        .trim_end()
        .rsplit(|c: char| !c.is_alphanumeric())
        .next();
    last.is_some_and(|last| OTHER_CODES.contains(&last))
}

/// Digits in groups, and nothing that belongs to a longer word.
fn is_number(code: &str) -> bool {
    code.bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'-'))
}

/// Where a word for a code stands, with what says what it is for.
struct Name {
    start: usize,
    end: usize,
    /// It can name no other number.
    is_strong: bool,
}

/// How words are told apart at first: by so many bytes. None is shorter.
const BEGINNING: usize = 3;

/// The words that name codes, by how they begin.
type Index = HashMap<[u8; BEGINNING], Vec<&'static str>>;

fn index(words: impl Iterator<Item = &'static str>) -> Index {
    let mut index = Index::new();
    for word in words {
        if let Some(beginning) = word.as_bytes().first_chunk::<BEGINNING>() {
            index.entry(*beginning).or_default().push(word);
        }
    }
    index
}

/// Where the last of the words stands in a text in lower case, the longest where two end alike.
fn last_of(index: &Index, text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let inside = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let is_whole = |start: usize, word: &str| {
        let first = word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
        let last = word.as_bytes().last().is_some_and(u8::is_ascii_alphabetic);
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(start + word.len());
        !(first && inside(before) || last && inside(after) && after != Some(&b's'))
    };
    let mut found: Option<Range<usize>> = None;
    for (start, beginning) in bytes.windows(BEGINNING).enumerate() {
        let Ok(beginning) = <&[u8; BEGINNING]>::try_from(beginning) else {
            continue;
        };
        for word in index.get(beginning).into_iter().flatten() {
            let end = start + word.len();
            let later = found.as_ref().is_none_or(|found| end > found.end);
            if later && bytes.get(start..end) == Some(word.as_bytes()) && is_whole(start, word) {
                found = Some(start..end);
            }
        }
    }
    found
}

/// The last word for a code in a text in lower case.
fn name_in(text: &str) -> Option<Name> {
    static STRONG: OnceLock<Index> = OnceLock::new();
    static WEAK: OnceLock<Index> = OnceLock::new();
    let strong = STRONG.get_or_init(|| index(LATIN.iter().chain(OTHERS).copied()));
    let weak = WEAK.get_or_init(|| index(HEADS.iter().copied()));
    let (strong, head) = (last_of(strong, text), last_of(weak, text));
    match (strong, head) {
        (Some(strong), head) if head.as_ref().is_none_or(|head| head.end <= strong.end + 1) => {
            Some(Name {
                start: strong.start,
                end: strong.end,
                is_strong: true,
            })
        }
        (strong, Some(head)) => {
            let before = text.get(..head.start).unwrap_or_default().trim_end();
            let behind = text.get(head.end..).unwrap_or_default().trim_start();
            let other = OTHER_CODES.iter().any(|word| {
                before
                    .strip_suffix(word)
                    .is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphabetic()))
                    || behind
                        .strip_prefix(word)
                        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
            });
            // "The login code for the door: the code is …" names it twice.
            (!other).then_some(Name {
                start: head.start,
                end: head.end,
                is_strong: strong.is_some_and(|strong| strong.end + 40 > head.start),
            })
        }
        (Some(strong), None) => Some(Name {
            start: strong.start,
            end: strong.end,
            is_strong: true,
        }),
        (None, None) => None,
    }
}

/// Whether a word for what codes open, how they come or whose they are stands in the line.
fn has_cue(lead: &str, after: &str) -> bool {
    let behind = behind(after);
    let among = |cues: &[&str]| {
        cues.iter()
            .any(|cue| lead.contains(cue) || behind.contains(cue))
    };
    among(CUES) || among(OWN)
}

/// The rest of a line behind a code, in lower case.
fn behind(after: &str) -> String {
    let line = after.split('\n').next().unwrap_or_default();
    plain(head(line, MAX_LEAD))
}

/// Whether what stands between a word and digits ties them.
fn ties(between: &str, is_strong: bool, opens: bool) -> bool {
    const SIGNS: &[char] = &[
        ':', '：', '、', '=', '＝', '→', '—', '–', '[', '【', '「', '(', '（', '«', '“', '"', '\'',
        '`', '*', '>', '|', '\n',
    ];
    if between.contains(['!', '?', '。', '{', ';', '$']) || between.contains(". ") {
        return false;
    }
    let bare = between.trim_matches([' ', '\u{3000}']);
    let signed = between.contains(SIGNS) || between.contains(" - ") || between.contains("->");
    let mut words = bare
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty());
    let told = words.any(|word| TIES.contains(&word))
        || !bare.is_ascii()
            && TIES
                .iter()
                .any(|tie| !tie.is_ascii() && bare.ends_with(tie));
    signed || told || bare.is_empty() && (is_strong || opens)
}

/// Whether a number counts something, or is one of another kind.
fn is_counted(between: &str, after: &str) -> bool {
    let last = between
        .rsplit(|c: char| !c.is_alphanumeric())
        .find(|word| !word.is_empty())
        .unwrap_or_default();
    let next = after.trim_start_matches([' ', '-', '"', '\'', '`', '*', ')']);
    let next = next
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default()
        .to_lowercase();
    BEFORE_NUMBERS.contains(&last)
        || COUNTED.contains(&&*next)
        || ["位", "桁", "자리", "文字", "个字"]
            .iter()
            .any(|unit| next.starts_with(unit))
}

/// Four digits that are a year, unless a sign puts them beside the word.
fn is_year(code: &str, between: &str) -> bool {
    let year = code.len() == 4 && (code.starts_with("19") || code.starts_with("20"));
    year && !between
        .trim_end()
        .ends_with([':', '：', '、', '=', '"', '\''])
        && !between.contains(" is ")
}

/// Whether no digit, letter or sign of a longer number touches the code.
fn stands_alone(before: &str, after: &str) -> bool {
    let joined = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '.' | '_' | '$' | '€' | '£' | '#' | '/' | '+' | '%')
    };
    let prefixed = || {
        // `G-482913`
        let letters = before.strip_suffix('-').unwrap_or_default();
        let bare = letters.trim_end_matches(|c: char| c.is_ascii_uppercase());
        (1..=3).contains(&(letters.len() - bare.len()))
            && !bare.ends_with(|c: char| c.is_alphanumeric())
    };
    let opened = !before.ends_with(joined)
        && (!before.ends_with('-') || before.ends_with(" -") || prefixed());
    let mut behind = after.chars();
    let closed = match behind.next() {
        Some('.' | ',' | ':' | '-') => behind.next().is_none_or(|c| !c.is_ascii_alphanumeric()),
        Some(c) => !(c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '/' | '°' | '€' | '$')),
        None => true,
    };
    opened && closed
}

/// What stands before a code in its line, or in the line above where the code has a line of its own.
fn line_before(before: &str) -> &str {
    let near = tail(before, MAX_LEAD);
    let mark = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '>' | '#' | '-');
    let own = near.rsplit('\n').next().unwrap_or_default();
    if !own.chars().all(mark) {
        return own;
    }
    let above = near.trim_end_matches(mark);
    let start = above.rfind('\n').map_or(0, |at| at + 1);
    near.get(start..).unwrap_or_default()
}

/// A text in lower case, the parts of its names apart: `smsCode`, `verification_code`.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for one in text.chars() {
        if before.is_lowercase() && one.is_ascii_uppercase() {
            plain.push(' ');
        }
        match one {
            '_' => plain.push(' '),
            '-' if before.is_alphabetic() => plain.push(' '),
            _ => plain.extend(one.to_lowercase()),
        }
        before = one;
    }
    plain
}
