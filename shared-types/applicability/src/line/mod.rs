//! Claims as people write and read them, one a line: `npm react <19`, `python 3.10`, `maven org.slf4j:slf4j-api >=1.7
//! <2`, `windows`.
//!
//! Packages are written behind their ecosystem; runtimes, programs and systems that are known by name stand alone. A
//! version of one or two numbers means every version that begins so, `=1.2` only that one. Everything else is written
//! as the manifests of the ecosystem do, with `or` between alternatives; a VERS string is read, too.

#[cfg(test)]
mod tests;
mod words;

use std::str::FromStr;

use recall_kit_shared_types::applicability::{
    AppliesSource,
    applicability_limits::{MAX_APPLIES, MAX_RANGE_CHARS},
};

use crate::{
    claims::{Claim, Claims, InvalidWord, check_word, range_for},
    known,
    purl::{InvalidName, PackageName},
    range::{Interval, InvalidRange, Range, manifest},
    scheme::{Scheme, Version},
    subject::{Subject, runtime_named},
};

/// The ecosystems that a line may name.
pub const ECOSYSTEMS: [&str; 10] = [
    "cargo", "composer", "gem", "golang", "hex", "maven", "npm", "nuget", "pub", "pypi",
];
/// What separates lines that are written in one.
const SEPARATORS: [char; 4] = ['\n', ';', '；', '\r'];
/// What separates alternatives.
const OR: [&str; 2] = ["or", "||"];
/// The signs of comparisons.
const SIGNS: [char; 6] = ['<', '>', '=', '~', '^', '!'];
/// The longest line that is read. *Unit*: characters.
const MAX_LINE_CHARS: usize = 1_024;
/// How much of a line is repeated where it is wrong. *Unit*: characters.
const MAX_ECHO_CHARS: usize = 80;
/// How many numbers a version has at most that stands for all that begin so.
const PREFIX_NUMBERS: usize = 2;

/// A line that is no claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{line}`: {problem}")]
pub struct InvalidLine {
    /// The line, or its beginning.
    pub line: String,
    /// What is wrong with it.
    pub problem: LineProblem,
}

/// What is wrong with a line; [`LineProblem::in_language`] says it to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineProblem {
    /// The range has no version.
    #[error("no version is in the range `{0}`")]
    EmptyRange(String),
    /// The range cannot be read.
    #[error("`{0}` is not a version range; write `<19`, `>=1.2 <2` or `18.2`")]
    Range(String),
    /// The word before a name is no ecosystem.
    #[error(
        "`{0}` is not a known ecosystem; start a package line with {list}, and any other program with `tool`",
        list = ECOSYSTEMS.join(", ")
    )]
    Ecosystem(String),
    /// The name is not known.
    #[error(
        "`{0}` is not a known runtime, program or system; write `npm {0}` for a package, `tool {0}` for anything else"
    )]
    Name(String),
    /// No package can have the name.
    #[error("{0}")]
    Package(#[from] InvalidName),
    /// Nothing can have the name.
    #[error("the name {0}")]
    Word(#[from] InvalidWord),
    /// The VERS string cannot be read.
    #[error("{0}")]
    Vers(#[from] InvalidRange),
    /// The line is too long.
    #[error("the line is longer than {MAX_LINE_CHARS} characters")]
    TooLong,
    /// The range is too long.
    #[error("the range is longer than {MAX_RANGE_CHARS} characters")]
    RangeTooLong,
    /// There are too many lines.
    #[error("there are more than {MAX_APPLIES} lines; keep those that matter")]
    TooMany,
}

impl InvalidLine {
    /// Says that a line is one too many.
    pub fn too_many(line: &str) -> Self {
        Self::of(line.trim(), LineProblem::TooMany)
    }

    fn of(line: &str, problem: LineProblem) -> Self {
        Self {
            line: shortened(line),
            problem: problem.shortened(),
        }
    }
}

impl LineProblem {
    /// Cuts what it repeats of the line.
    fn shortened(self) -> Self {
        match self {
            Self::EmptyRange(range) => Self::EmptyRange(shortened(&range)),
            Self::Range(range) => Self::Range(shortened(&range)),
            Self::Ecosystem(word) => Self::Ecosystem(shortened(&word)),
            Self::Name(name) => Self::Name(shortened(&name)),
            other => other,
        }
    }
}

/// Returns the beginning of a text, with a mark where it is cut.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_ECHO_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

impl FromStr for Claims {
    type Err = InvalidLine;

    /// Reads lines, separated by line breaks or semicolons; blank ones are left out.
    fn from_str(text: &str) -> Result<Self, InvalidLine> {
        let lines = text.split(SEPARATORS).map(str::trim);
        let lines = lines.filter(|line| !line.is_empty());
        let mut claims: Vec<Claim> = Vec::new();
        for line in lines {
            let invalid = |problem: LineProblem| InvalidLine::of(line, problem);
            if claims.len() >= MAX_APPLIES {
                return Err(invalid(LineProblem::TooMany));
            }
            let claim = Claim::of_line(line).map_err(invalid)?;
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
        Ok(claims.into())
    }
}

impl Claims {
    /// Writes each claim as a line.
    pub fn to_lines(&self) -> Vec<String> {
        self.iter().map(Claim::to_line).collect()
    }
}

impl Claim {
    /// Reads a line.
    ///
    /// *Errors*: [`LineProblem`].
    pub fn of_line(line: &str) -> Result<Self, LineProblem> {
        if line.chars().count() > MAX_LINE_CHARS {
            return Err(LineProblem::TooLong);
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let before = 1 + usize::from(has_name_behind_kind(&words));
        let behind = words.iter().skip(before);
        let length = before + behind.take_while(|word| !begins_range(word)).count();
        let (name, range) = words.split_at(length.min(words.len()));
        let subject = subject(name)?;
        let range = range_of(&subject, range)?;
        let claim = match range {
            Some(range) => Self::stated(subject, range),
            None => Self {
                subject,
                range: None,
                source: AppliesSource::Stated,
                support: None,
                excluded: false,
            },
        };
        match claim.to_wire() {
            Some(_) => Ok(claim),
            None => Err(LineProblem::RangeTooLong),
        }
    }

    /// Writes the claim as a line, which [`Claim::of_line`] reads as the same, apart from its source and its support.
    pub fn to_line(&self) -> String {
        let name = name_of(&self.subject);
        let written = match &self.range {
            Some(range) => format!("{name} {}", range_in_words(range)),
            None => name.clone(),
        };
        let is_same = |read: &Self| read.subject == self.subject && read.range == self.range;
        if Self::of_line(&written).is_ok_and(|read| is_same(&read)) {
            return written;
        }
        match (&self.subject, &self.range) {
            (Subject::Package(package), Some(range)) => format!("{package} {range}"),
            (Subject::Package(package), None) => package.to_string(),
            (_, Some(range)) => format!("{name} {range}"),
            (_, None) => format!("{name} *"),
        }
    }
}

/// Returns whether the second word is a name although it may look like a version, as in `npm v8-compile-cache` and
/// `tool 7zip 23`. In `npm 10` and `maven 3.9 or 4` it is a version.
fn has_name_behind_kind(words: &[&str]) -> bool {
    let [kind, name, rest @ ..] = words else {
        return false;
    };
    let is_kind = ECOSYSTEMS.contains(kind) || ["runtime", "tool", "os"].contains(kind);
    let is_range =
        name.starts_with(SIGNS) || name.starts_with(['*', '(', '[']) || name.starts_with("vers:");
    if !is_kind || is_range {
        return false;
    }
    let is_alone = rest.first().is_none_or(|next| OR.contains(next));
    let digits = name.strip_prefix(['v', 'V']).unwrap_or(name);
    let digits = manifest::without_wildcard(digits);
    // `10.2.0-beta` is a version, `7-zip` a name.
    let number = digits.split(['-', '+']).next().unwrap_or_default();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && (number == digits || number.contains('.'));
    !(is_alone && is_number)
}

/// Returns whether a word begins a range.
fn begins_range(word: &str) -> bool {
    let digits = word.strip_prefix(['v', 'V']).unwrap_or(word);
    digits.starts_with(|c: char| c.is_ascii_digit())
        || word.starts_with(SIGNS)
        || word.starts_with(['*', '(', '['])
        || word.starts_with("vers:")
}

/// Reads what a line is about.
fn subject(words: &[&str]) -> Result<Subject, LineProblem> {
    let joined = |words: &[&str]| -> Result<String, LineProblem> {
        let name = words.join(" ");
        check_word(&name)?;
        Ok(name)
    };
    match words {
        [url] if url.starts_with("pkg:") => Ok(Subject::Package(PackageName::parse(url)?)),
        ["runtime", name @ ..] if !name.is_empty() => Ok(Subject::runtime(&joined(name)?)),
        ["tool", name @ ..] if !name.is_empty() => Ok(Subject::tool(&joined(name)?)),
        ["os", name @ ..] if !name.is_empty() => Ok(Subject::os(&joined(name)?)),
        [kind, name] if ECOSYSTEMS.contains(kind) => {
            Ok(Subject::Package(PackageName::of_familiar(kind, name)?))
        }
        _ => {
            let name = joined(words)?;
            match (known_as(&name), words) {
                (Some(subject), _) => Ok(subject),
                (None, [kind, _]) => Err(LineProblem::Ecosystem((*kind).to_owned())),
                (None, _) => Err(LineProblem::Name(name)),
            }
        }
    }
}

/// Returns what a name means without an ecosystem before it.
fn known_as(name: &str) -> Option<Subject> {
    let lower = name.to_lowercase();
    if runtime_named(&lower).is_some() {
        return Some(Subject::runtime(&lower));
    }
    if let Subject::Os(name) = Subject::os(&lower)
        && Subject::is_known_os(&name)
    {
        return Some(Subject::Os(name));
    }
    if known::is_tool(&lower) {
        return Some(Subject::tool(&lower));
    }
    let of_words = known::name_of_words(&lower);
    of_words.or_else(|| known::package(&lower, None).map(Subject::Package))
}

/// Writes what a line is about.
fn name_of(subject: &Subject) -> String {
    let (kind, name) = match subject {
        Subject::Package(package) if ECOSYSTEMS.contains(&package.kind()) => {
            return format!("{} {}", package.kind(), package.familiar());
        }
        Subject::Package(package) => return package.to_string(),
        Subject::Runtime(name) => ("runtime", name),
        Subject::Tool(name) => ("tool", name),
        Subject::Os(name) => ("os", name),
    };
    match known_as(name).as_ref() == Some(subject) {
        true => name.clone(),
        false => format!("{kind} {name}"),
    }
}

/// Reads a range; `None` for every version.
fn range_of(subject: &Subject, words: &[&str]) -> Result<Option<Range>, LineProblem> {
    let text = words.join(" ");
    if text.is_empty() || text == "*" {
        return Ok(None);
    }
    let unreadable = || LineProblem::Range(text.clone());
    if text.starts_with("vers:") {
        return Ok(Some(range_for(subject, &text)?));
    }
    let scheme = subject.scheme();
    let mut range: Option<Range> = None;
    for alternative in words.split(|word| OR.contains(word)) {
        let more = comparisons(scheme, alternative)?;
        range = match range {
            None => Some(more),
            Some(known) => Some(known.union(&more).ok_or_else(unreadable)?),
        };
    }
    // Versions of runtimes have more than one spelling.
    let range = range.ok_or_else(unreadable)?;
    let range = subject.comparable_range(&range).ok_or_else(unreadable)?;
    Ok(Some(range))
}

/// Reads comparisons that all hold.
fn comparisons(scheme: Scheme, words: &[&str]) -> Result<Range, LineProblem> {
    let text = words.join(" ");
    let unreadable = || LineProblem::Range(text.clone());
    if let [word] = words
        && let Some(interval) = version(scheme, word)
    {
        return Range::of(scheme, vec![interval]).ok_or_else(unreadable);
    }
    if let Some(range) = manifest::read(scheme, &text) {
        return Ok(range);
    }
    // It is empty if every part can be read by itself.
    let mut parts: Vec<String> = Vec::new();
    for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
        match parts.last_mut() {
            Some(sign) if sign.ends_with(SIGNS) => sign.push_str(word),
            _ => parts.push(word.to_owned()),
        }
    }
    let mut read = parts.iter().map(|part| manifest::read(scheme, part));
    match !parts.is_empty() && read.all(|part| part.is_some()) {
        true => Err(LineProblem::EmptyRange(text)),
        false => Err(unreadable()),
    }
}

/// Reads a version that stands alone: of one or two numbers or with a wildcard, all that begin so; else itself.
fn version(scheme: Scheme, word: &str) -> Option<Interval> {
    let exact = word.trim_start_matches('=');
    let plain = manifest::without_wildcard(exact);
    let version = Version::parse(scheme, plain)?;
    let is_short = version.is_plain() && version.numbers().len() <= PREFIX_NUMBERS;
    match plain != exact || is_short && exact == word {
        true => Interval::starting_with(scheme, version.text()),
        false => Some(Interval::exactly(version)),
    }
}

/// Writes a range.
fn range_in_words(range: &Range) -> String {
    if range.is_any() {
        return "*".to_owned();
    }
    let intervals = range.intervals().iter().map(interval_in_words);
    intervals.collect::<Vec<_>>().join(" or ")
}

fn interval_in_words(interval: &Interval) -> String {
    let is_short =
        |version: &Version| version.is_plain() && version.numbers().len() <= PREFIX_NUMBERS;
    if let Some(version) = interval.exact() {
        let sign = if is_short(version) { "=" } else { "" };
        return format!("{sign}{}", version.text());
    }
    if let Some(version) = interval.prefix() {
        let end = if is_short(version) { "" } else { ".x" };
        return format!("{}{end}", version.text());
    }
    let low = interval.low.as_ref().map(|low| {
        let sign = if low.inclusive { ">=" } else { ">" };
        format!("{sign}{}", low.version.text())
    });
    let high = interval.high.as_ref().map(|high| {
        let sign = if high.inclusive { "<=" } else { "<" };
        format!("{sign}{}", high.version.text())
    });
    let bounds: Vec<String> = low.into_iter().chain(high).collect();
    bounds.join(" ")
}
