//! What was found once goes everywhere: the same secret, user or host in other places of the document.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr_iter, memmem};
use recall_kit_evidence::keep;
use recall_kit_evidence::places::sites;
use recall_kit_evidence::secrets::value;
use recall_kit_evidence::text::head;

use crate::RuleGroup;
use crate::clues::{Clue, Evidence};
use crate::rules::anchors::{Anchor, Anchors, Found};
use crate::rules::shape::Bytes;

/// Shortest user name or password that is looked for elsewhere, in bytes.
const MIN_LEN: usize = 5;

/// How much of a secret is looked for, in bytes; the rest is compared where that much stands.
const MAX_NEEDLE: usize = 64;

/// Bytes that are compared at most, for each byte of a text and besides: only texts made to be slow,
/// of secrets that hold themselves over and over, need more.
const COMPARED_A_BYTE: usize = 64;
const SPARE: usize = 1 << 20;

/// Most clues of a text that are looked for before anything is learnt of them.
const FEW: usize = 4;

/// Most needles that are looked for one by one; more are indexed.
const MANY: usize = 24;

/// What earlier parts of a long text gave away, to be found in later ones.
#[derive(Debug, Default)]
pub(crate) struct Memory<'r> {
    known: BTreeMap<String, Clue<'r>>,
    /// Found in the part at hand: it looks for them itself.
    fresh: Vec<(String, Clue<'r>)>,
    bytes: usize,
    /// Anything is remembered at all.
    keeps: bool,
    /// There was no room for more.
    pub(crate) full: bool,
}

/// Most that is remembered of a long text, in bytes.
const MAX_MEMORY: usize = 16 << 20;

impl<'r> Memory<'r> {
    /// Returns a memory that is empty as yet; the default one stays so.
    pub(crate) fn keeping() -> Self {
        Self {
            keeps: true,
            ..Self::default()
        }
    }

    /// Remembers what the clues of a text found.
    pub(crate) fn learn(&mut self, text: &str, clues: &[Clue<'r>]) {
        for clue in clues.iter().filter(|_| self.keeps) {
            let secret = text.get(clue.span.clone()).unwrap_or_default();
            for secret in followed(clue, secret) {
                if !self.known.contains_key(secret) {
                    self.fresh.push((secret.to_owned(), clue.clone()));
                }
            }
        }
    }

    /// Ends a part: what it gave away is looked for in those that follow.
    pub(crate) fn settle(&mut self) {
        for (secret, clue) in std::mem::take(&mut self.fresh) {
            let bytes = secret.len() + size_of::<Clue<'_>>();
            self.full |= self.bytes + bytes > MAX_MEMORY;
            if !self.full && self.known.insert(secret, clue).is_none() {
                self.bytes += bytes;
            }
        }
    }

    /// Whether nothing has been remembered yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn secrets(&self) -> impl Iterator<Item = (&str, &Clue<'r>)> {
        self.known
            .iter()
            .map(|(secret, clue)| (secret.as_str(), clue))
    }
}

/// Whether what few clues of a text found stands nowhere else in it: most texts are short and hold
/// one secret, which needs no index.
pub(crate) fn stand_once(text: &str, clues: &[Clue<'_>]) -> bool {
    let once = |clue: &Clue<'_>| {
        let Some(secret) = text.get(clue.span.clone()) else {
            return false;
        };
        let mut others = 0;
        let secrets = followed(clue, secret);
        if secrets.len() > FEW {
            return false;
        }
        for secret in secrets {
            let mut count = |start| others += usize::from(!clue.span.contains(&start));
            places(text, head(secret, MAX_NEEDLE), &mut count);
            if let Some(encoded) = percent_encoded(secret) {
                places(text, head(&encoded, MAX_NEEDLE), &mut count);
            }
        }
        others == 0
    };
    clues.len() <= FEW && clues.iter().all(once)
}

/// What the texts of one document gave away, to be found in all of them.
pub(crate) struct Learnt<'r> {
    needles: Vec<Needle<'r>>,
    /// Over the needles, where they are many.
    index: Option<Anchors>,
}

/// The beginning of secrets, and those that begin with it.
struct Needle<'r> {
    head: String,
    origins: Vec<(String, Clue<'r>)>,
}

impl<'r> Learnt<'r> {
    /// Learns from each text what its clues found, also URL-encoded; nothing when none is distinctive.
    pub(crate) fn from<'t>(
        found: impl Iterator<Item = (&'t str, &'t [Clue<'r>])>,
        memory: &'t Memory<'r>,
    ) -> Option<Self>
    where
        'r: 't,
    {
        let now = found
            .flat_map(|(text, clues)| clues.iter().map(move |clue| (text, clue)))
            .filter_map(|(text, clue)| Some((text.get(clue.span.clone())?, clue)))
            .flat_map(|(secret, clue)| {
                let secrets = followed(clue, secret).into_iter();
                secrets.map(move |secret| (secret, clue))
            });
        let mut known: Vec<(Cow<'t, str>, &Clue<'r>)> = Vec::new();
        for (secret, clue) in now.chain(memory.secrets()) {
            known.extend(percent_encoded(secret).map(|encoded| (encoded.into(), clue)));
            known.push((secret.into(), clue));
        }
        // The first clue of a secret names it.
        known.sort_by(|(one, _), (two, _)| one.cmp(two));
        known.dedup_by(|(later, _), (first, _)| later == first);
        let mut needles: Vec<Needle<'r>> = Vec::new();
        for (secret, clue) in known {
            let origin = (secret.clone().into_owned(), clue.clone());
            let start = head(&secret, MAX_NEEDLE);
            match needles.last_mut() {
                Some(needle) if needle.head == start => needle.origins.push(origin),
                _ => needles.push(Needle {
                    head: start.to_owned(),
                    origins: vec![origin],
                }),
            }
        }
        let heads = needles.iter().map(|needle| Anchor {
            text: needle.head.as_bytes().into(),
            before: Bytes::ALL,
            after: Bytes::ALL,
        });
        let index = (needles.len() > MANY).then(|| Anchors::new(heads));
        (!needles.is_empty()).then_some(Self { needles, index })
    }

    /// Finds every copy of what was learnt, in order.
    pub(crate) fn copies(&self, text: &str) -> Vec<Clue<'r>> {
        let mut copies = Vec::new();
        let (mut read_to, mut compared) = (0, 0);
        for (start, needle) in self.occurrences(text) {
            if start < read_to || compared > SPARE + COMPARED_A_BYTE * text.len() {
                continue;
            }
            let copy = needle
                .origins
                .iter()
                .map(|(secret, origin)| (copy_at(text, start, secret), origin))
                .inspect(|(span, _)| compared += span.len())
                .filter(|(span, _)| stands_alone(text, span))
                .max_by_key(|(span, _)| span.end);
            let end = copy.as_ref().map_or(0, |(span, _)| span.end);
            read_to = end.max(start + needle.head.len());
            copies.extend(copy.map(|(span, origin)| Clue {
                span,
                evidence: Evidence::Surroundings,
                ..origin.clone()
            }));
        }
        copies
    }

    /// Where needles stand, from left to right and the longest first.
    fn occurrences(&self, text: &str) -> Vec<(usize, &Needle<'r>)> {
        let mut found: Vec<(usize, &Needle<'r>)> = Vec::new();
        match &self.index {
            None => {
                let places: Places = match self.needles.len() > FEW {
                    true => all_places,
                    false => places,
                };
                for needle in &self.needles {
                    places(text, &needle.head, &mut |start| found.push((start, needle)));
                }
            }
            Some(index) => {
                let mut hits = Vec::new();
                index.find(text, &mut hits);
                found.extend(hits.into_iter().filter_map(|hit| {
                    let Found::Anchor(number) = hit.anchor else {
                        return None;
                    };
                    let needle = self.needles.get(number as usize)?;
                    // The index ignores case.
                    let same = text.get(hit.start..)?.starts_with(&needle.head);
                    same.then_some((hit.start, needle))
                }));
            }
        }
        found.sort_by_key(|(start, needle)| (*start, Reverse(needle.head.len())));
        found
    }
}

/// Tells places of a needle in a text.
type Places = fn(&str, &str, &mut dyn FnMut(usize));

/// Tells every place where a needle stands, also those that overlap.
fn all_places(text: &str, needle: &str, tell: &mut dyn FnMut(usize)) {
    let finder = memmem::Finder::new(needle);
    let mut from = 0;
    while let Some(rest) = text.as_bytes().get(from..)
        && let Some(passed) = finder.find(rest)
    {
        tell(from + passed);
        from += passed + 1;
    }
}

/// Tells every place where a needle stands; in long texts, of those that overlap the first.
fn places(text: &str, needle: &str, tell: &mut dyn FnMut(usize)) {
    /// Up to here a finder takes longer to make than to use.
    const SHORT: usize = 2000;
    let (bytes, needle) = (text.as_bytes(), needle.as_bytes());
    match needle.first() {
        Some(first) if text.len() <= SHORT => memchr_iter(*first, bytes)
            .filter(|start| {
                bytes
                    .get(*start..)
                    .is_some_and(|rest| rest.starts_with(needle))
            })
            .for_each(tell),
        _ => memmem::find_iter(bytes, needle).for_each(tell),
    }
}

/// Shortest line of a secret of several that is looked for elsewhere, in bytes.
const MIN_LINE: usize = 24;

/// What of a secret is looked for elsewhere: all of it, or each of its lines.
fn followed<'t>(clue: &Clue<'_>, secret: &'t str) -> Vec<&'t str> {
    if !is_of_lines(secret) {
        let is_worth = is_worth_following(clue, secret);
        let whole = is_worth.then_some(secret);
        return whole.into_iter().chain(tenant_of(clue, secret)).collect();
    }
    if clue.group != RuleGroup::RemoveApiKeys {
        return Vec::new();
    }
    let beside =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | '+' | ',' | '>' | '#');
    let lines = secret.split('\n').flat_map(|line| line.split("\\n"));
    lines
        .map(|line| line.trim_end_matches("\\r").trim_matches(beside))
        .filter(|line| line.len() >= MIN_LINE && value::has_key_material(line))
        .collect()
}

/// Whether a secret stands on several lines, or on one with line breaks written out.
fn is_of_lines(secret: &str) -> bool {
    secret.contains('\n') || secret.len() > MAX_NEEDLE && secret.contains("\\n")
}

/// Whether the value is distinctive enough to be taken for the same thing wherever it stands.
fn is_worth_following(clue: &Clue<'_>, found: &str) -> bool {
    if found.len() < MIN_LEN {
        return false;
    }
    match clue.group {
        RuleGroup::RemoveApiKeys => {
            found.len() >= 7 && found.bytes().any(|b| b.is_ascii_digit())
                || value::is_opaque(found, 8)
                || is_phrase(found)
        }
        RuleGroup::RemovePersonalInfo => !COMMON.contains(&found) && !keep::user(found),
        RuleGroup::RemoveUrls => found.contains('.') || is_numbered(found),
        RuleGroup::AnonymizeVariables => false,
    }
}

/// `correct horse battery staple`: three words or more, which no text has twice by chance.
fn is_phrase(found: &str) -> bool {
    const MIN_PHRASE: usize = 12;
    found.len() >= MIN_PHRASE && found.split(' ').filter(|word| !word.is_empty()).count() >= 3
}

/// `billing-db-17`, `fennbrook-labs`: the name of a machine or a customer that holds a hyphen and is long.
fn is_numbered(found: &str) -> bool {
    const MIN_NAME: usize = 8;
    found.len() >= MIN_NAME && found.contains('-')
}

/// `fennbrook-labs` of `fennbrook-labs.atlassian.net`: the customer's name, which says by itself whose it is.
fn tenant_of<'t>(clue: &Clue<'_>, found: &'t str) -> Option<&'t str> {
    let named = clue.group == RuleGroup::RemoveUrls && sites::is_tenant(found);
    let (name, _) = found.split_once('.').filter(|_| named)?;
    is_numbered(name).then_some(name)
}

/// Words that are also user names.
const COMMON: &[&str] = &[
    "build",
    "cargo",
    "react",
    "state",
    "error",
    "model",
    "table",
    "value",
    "index",
    "local",
    "config",
    "public",
    "static",
    "server",
    "client",
    "project",
    "projects",
    "workspace",
    "desktop",
    "documents",
    "downloads",
];

/// The copy of a secret that begins at `start`: all of it, or as much as there is.
fn copy_at(text: &str, start: usize, secret: &str) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    if rest.starts_with(secret) {
        return start..start + secret.len();
    }
    let same: usize = rest
        .chars()
        .zip(secret.chars())
        .take_while(|(found, expected)| found == expected)
        .map(|(found, _)| found.len_utf8())
        .sum();
    start..start + same
}

fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).and_then(|after| after.chars().next());
    let is_behind_a_break = ["\\n", "\\r", "\\t"]
        .iter()
        .any(|end| before.ends_with(end));
    (is_behind_a_break || !before.ends_with(word)) && !after.is_some_and(word)
}

/// The value as it stands in a URL; nothing where that is the same.
fn percent_encoded(value: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    if value.bytes().all(plain) {
        return None;
    }
    let mut encoded = String::with_capacity(value.len() * 3);
    for byte in value.bytes() {
        match plain(byte) {
            true => encoded.push(char::from(byte)),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(encoded)
}
