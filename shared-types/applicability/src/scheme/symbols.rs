//! Versions as lists of symbols: every scheme but PEP 440.
//!
//! Lists are compared lexicographically. Each ends with a symbol of its own, so that what may follow a release sorts
//! before its end (a pre-release) or behind it (a patch). Zeros at the end of the numbers are left out: `1` is `1.0.0`.

use super::Scheme;

/// One part of a version. The order of the variants is the order of versions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    /// The end of a semantic pre-release.
    PreReleaseEnd,
    /// A number of a semantic pre-release: `1` in `-beta.1`.
    PreReleaseNumber(u64),
    /// A word of a pre-release by itself, in alphabetical order.
    PreReleaseWord(Box<str>),
    /// A well-known word of a pre-release, by rank.
    PreRelease(u8),
    /// The end of the version.
    End,
    /// A word that does not make a pre-release: `jre`, `sp`, `p`.
    Word(Box<str>),
    /// A number behind a hyphen.
    Revision(u64),
    /// A number.
    Number(u64),
}

/// The most parts of one version; longer texts are no versions.
const MAX_SYMBOLS: usize = 40;

/// Returns the symbols of a version that starts with a digit.
pub(super) fn of(scheme: Scheme, text: &str) -> Option<Vec<Symbol>> {
    let text = text.split_once('+').map_or(text, |(version, _)| version);
    let symbols = match scheme {
        Scheme::Gem => gem(text)?,
        Scheme::Cargo
        | Scheme::Golang
        | Scheme::Hex
        | Scheme::Npm
        | Scheme::Nuget
        | Scheme::Pub => semantic(text, scheme)?,
        Scheme::Composer | Scheme::Generic | Scheme::Maven | Scheme::Pypi => qualified(text)?,
    };
    (symbols.len() <= MAX_SYMBOLS).then_some(symbols)
}

/// Returns whether a version is a pre-release of a plain bound.
pub(super) fn is_pre_release_of(version: &[Symbol], bound: &[Symbol]) -> bool {
    let Some((Symbol::End, release)) = bound.split_last() else {
        return false;
    };
    let is_number = |symbol: &Symbol| matches!(symbol, Symbol::Number(_));
    release.iter().all(is_number)
        && version
            .strip_prefix(release)
            .and_then(<[Symbol]>::first)
            .is_some_and(|next| *next < Symbol::End)
}

/// Returns whether a version is the bound with a word that names a build: `31.1-jre`, `9.4.35.v20201120`.
pub(super) fn is_flavour_of(version: &[Symbol], bound: &[Symbol]) -> bool {
    let Some((Symbol::End, release)) = bound.split_last() else {
        return false;
    };
    match version.strip_prefix(release).and_then(<[Symbol]>::first) {
        Some(Symbol::Word(word)) => !matches!(&**word, "sp" | "p" | "pl" | "patch" | "post"),
        _ => false,
    }
}

/// Semantic versions with one to four numbers; `1.2.3rc1` is read as `1.2.3-rc1`.
fn semantic(text: &str, scheme: Scheme) -> Option<Vec<Symbol>> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut symbols = Vec::new();
    for number in numbers.trim_end_matches('.').split('.') {
        symbols.push(Symbol::Number(number.parse().ok()?));
    }
    trim_zeros(&mut symbols);
    let rest = rest.trim_start_matches(['-', '_', '~']);
    if rest.is_empty() || is_release_word(&rest.to_ascii_lowercase()) {
        symbols.push(Symbol::End);
        return Some(symbols);
    }
    for word in rest.split('.') {
        symbols.push(match word.parse() {
            Ok(number) if word.bytes().all(|b| b.is_ascii_digit()) => {
                Symbol::PreReleaseNumber(number)
            }
            _ if scheme == Scheme::Nuget => {
                Symbol::PreReleaseWord(word.to_ascii_lowercase().into())
            }
            _ => Symbol::PreReleaseWord(word.into()),
        });
    }
    symbols.push(Symbol::PreReleaseEnd);
    Some(symbols)
}

/// RubyGems: any letters make a pre-release; `-` reads as `.pre.`.
fn gem(text: &str) -> Option<Vec<Symbol>> {
    let mut symbols = Vec::new();
    for part in parts(text) {
        if part.hyphen && part.written {
            trim_zeros(&mut symbols);
            symbols.push(Symbol::PreReleaseWord("pre".into()));
        }
        if part.is_number() {
            symbols.push(Symbol::Number(part.text.parse().ok()?));
        } else {
            trim_zeros(&mut symbols);
            symbols.push(Symbol::PreReleaseWord(
                part.text.to_ascii_lowercase().into(),
            ));
        }
    }
    trim_zeros(&mut symbols);
    symbols.push(Symbol::End);
    Some(symbols)
}

/// Maven's order, which also suits other versions: numbers, then words with a known rank, then other words.
fn qualified(text: &str) -> Option<Vec<Symbol>> {
    let mut symbols: Vec<Symbol> = Vec::new();
    let all: Vec<Part<'_>> = parts(text).collect();
    for (index, part) in all.iter().enumerate() {
        if part.is_number() {
            let number = part.text.parse().ok()?;
            let after_word = matches!(
                symbols.last(),
                Some(Symbol::PreRelease(_) | Symbol::Word(_))
            );
            if part.hyphen || after_word {
                trim_zeros(&mut symbols);
                if number > 0 {
                    symbols.push(Symbol::Revision(number));
                }
            } else {
                symbols.push(Symbol::Number(number));
            }
            continue;
        }
        trim_zeros(&mut symbols);
        let word = part.text.to_ascii_lowercase();
        let before_number = all
            .get(index + 1)
            .is_some_and(|next| next.is_number() && !next.written);
        if let Some(rank) = pre_release_rank(&word, before_number) {
            symbols.push(Symbol::PreRelease(rank));
        } else if !is_release_word(&word) {
            symbols.push(Symbol::Word(word.into()));
        }
    }
    trim_zeros(&mut symbols);
    symbols.push(Symbol::End);
    Some(symbols)
}

fn is_release_word(word: &str) -> bool {
    matches!(word, "final" | "ga" | "release" | "stable")
}

/// Returns the rank of a word that makes a pre-release.
fn pre_release_rank(word: &str, before_number: bool) -> Option<u8> {
    Some(match word {
        "dev" | "nightly" | "canary" => 0,
        "alpha" => 1,
        "a" if before_number => 1,
        "beta" => 2,
        "b" if before_number => 2,
        "milestone" | "preview" | "pre" => 3,
        "m" if before_number => 3,
        "rc" | "cr" => 4,
        "snapshot" => 5,
        _ => return None,
    })
}

/// Removes zeros at the end of the numbers, but not the first number.
fn trim_zeros(symbols: &mut Vec<Symbol>) {
    while symbols.len() > 1 && symbols.last() == Some(&Symbol::Number(0)) {
        symbols.pop();
    }
}

/// A run of digits or of letters.
struct Part<'a> {
    text: &'a str,
    /// Whether a hyphen precedes it, or the change from letters to digits or back.
    hyphen: bool,
    /// Whether a separator precedes it.
    written: bool,
}

impl Part<'_> {
    fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Splits a version at its separators and where digits and letters meet.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    let mut first = true;
    std::iter::from_fn(move || {
        let start = rest.find(|c: char| c.is_ascii_alphanumeric())?;
        let separator = &rest[..start];
        rest = &rest[start..];
        let digits = rest.starts_with(|c: char| c.is_ascii_digit());
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() || c.is_ascii_digit() != digits)
            .unwrap_or(rest.len());
        let (text, behind) = rest.split_at(end);
        rest = behind;
        let part = Part {
            text,
            hyphen: !first && (separator.is_empty() || separator.contains(['-', '_', '~', ':'])),
            written: !separator.is_empty(),
        };
        first = false;
        Some(part)
    })
}
