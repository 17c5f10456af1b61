//! Names in text: which package, runtime, tool or system a word means.

pub(super) mod aliases;
pub(super) mod ecosystem;
mod runtimes;
mod words;

use std::{cell::RefCell, collections::HashMap};

use self::{
    runtimes::is_release_of_runtime,
    words::{NO_PACKAGES, STOP_WORDS, WEAK_WORDS},
};
use super::{
    Vocabulary,
    tokens::{Kind, Token},
};
use crate::{
    known,
    purl::PackageName,
    subject::{self, Subject},
};

/// A name in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mention<'a> {
    pub(super) text: &'a str,
    pub(super) subject: Subject,
    /// Whether the name is also an ordinary word, so that it counts only directly beside a version.
    pub(super) weak: bool,
}

/// What resolves names.
pub(super) struct Names<'v> {
    vocabulary: &'v dyn Vocabulary,
    /// The ecosystem that the text is about.
    pub(super) ecosystem: Option<&'static str>,
    /// The ecosystem that the text tells by more than names of packages.
    told: Option<&'static str>,
    /// Packages that the text itself names in full, by their last part.
    local: HashMap<String, PackageName>,
    /// What was asked before, by the word as it is written.
    asked: RefCell<HashMap<String, Option<Subject>>>,
}

/// The most words of a name.
const MAX_WORDS: usize = 3;
/// The longest name that is looked up.
const MAX_NAME: usize = 120;

impl<'v> Names<'v> {
    pub(super) fn new(
        vocabulary: &'v dyn Vocabulary,
        hints: &ecosystem::Hints,
        local: HashMap<String, PackageName>,
    ) -> Self {
        Self {
            vocabulary,
            ecosystem: hints.ecosystem(),
            told: hints.told(),
            local,
            asked: RefCell::default(),
        }
    }

    /// Returns the name at the start of some tokens, and how many it takes; `lower` has the words in lower case.
    pub(super) fn mention<'a>(
        &self,
        tokens: &[Token<'a>],
        lower: &[&str],
        quoted: bool,
    ) -> Option<(Mention<'a>, usize)> {
        let named = |text: &'a str, subject: Subject, weak: bool| Mention {
            text,
            subject,
            weak,
        };
        if let Some(package) = self.of_runtime(tokens, lower) {
            let subject = Subject::Package(package);
            return Some((named(tokens[0].text, subject, false), 2));
        }
        if let Some((subject, count)) = self.several_words(tokens, lower) {
            return Some((named(tokens[0].text, subject, false), count));
        }
        let text = without_noun(without_elision(tokens[0].text));
        if let Some((subject, weak)) = self.by_its_neighbours(text, tokens, lower, quoted) {
            return Some((named(text, subject, weak), 1));
        }
        if text.len() > MAX_NAME || text.len() < 2 && text != "R" {
            return None;
        }
        let known = self.asked.borrow().get(text).cloned();
        let subject = known.unwrap_or_else(|| {
            let subject = self.resolve(text);
            self.asked
                .borrow_mut()
                .insert(text.to_owned(), subject.clone());
            subject
        })?;
        // In lower case, it is an ordinary word.
        let weak = WEAK_WORDS.contains(text)
            || matches!(subject, Subject::Package(_)) && known::is_ordinary_name(text);
        Some((named(text, subject, weak), 1))
    }

    /// Resolves one word, or its first part: `tokio::sync` is of tokio, `mlflow/mlflow` is the repository of mlflow.
    fn resolve(&self, text: &str) -> Option<Subject> {
        self.subject(text, &text.to_lowercase()).or_else(|| {
            let (first, last) = text.split_once("::").or_else(|| text.split_once('/'))?;
            let is_package = |name: &str| self.package(name, &name.to_lowercase()).is_some();
            // "numpy/pandas"
            let both = || is_package(first) && is_package(last);
            let known = text.contains("::") || first == last || both();
            known
                .then(|| self.subject(first, &first.to_lowercase()))
                .flatten()
        })
    }

    /// Returns the package of two words of which the second names a runtime: "acme ruby" of acme-ruby. The version
    /// behind them may be the runtime's.
    fn of_runtime(&self, tokens: &[Token<'_>], lower: &[&str]) -> Option<PackageName> {
        let [first, second, ..] = lower else {
            return None;
        };
        subject::runtime_named(second)?;
        if is_release_of_runtime(tokens, lower, 2) {
            return None;
        }
        let joined = [*first, "-", *second].concat();
        known::package(&joined, self.ecosystem).filter(|_| joined.len() <= MAX_NAME)
    }

    /// Returns what an ordinary word names because of what is beside it: "the rand crate", `go 1.2.3`, "next 1.2.3".
    fn by_its_neighbours(
        &self,
        text: &str,
        tokens: &[Token<'_>],
        lower: &[&str],
        quoted: bool,
    ) -> Option<(Subject, bool)> {
        if !is_plain(text) {
            return None;
        }
        let behind = if quoted { 2 } else { 1 };
        let next = tokens.get(behind)?;
        if text == "go" {
            let version = next.kind == Kind::Version && next.text.starts_with("1.") && next.spaced;
            return version.then(|| (Subject::runtime("go"), true));
        }
        let word = lower.first()?;
        let ordinary =
            STOP_WORDS.contains(word) || WEAK_WORDS.contains(word) || known::is_ordinary_name(word);
        if !ordinary {
            return None;
        }
        let kind = match next.text {
            "crate" => Some("cargo"),
            "gem" => Some("gem"),
            _ => None,
        };
        if let Some(kind) = kind {
            return Some((Subject::Package(package_of_kind(word, kind)?), false));
        }
        let of_told = || package_of_kind(word, self.told?);
        // "`rand` must be updated", in a text about Rust
        if quoted && let Some(package) = of_told() {
            return Some((Subject::Package(package), false));
        }
        if !is_release(next) {
            return None;
        }
        let package = match self.told {
            Some(_) => of_told(),
            None if STOP_WORDS.contains(word) => None,
            None => known::sole_package(word),
        };
        Some((Subject::Package(package?), true))
    }

    /// Returns the name of several words at the start of some tokens, and how many it takes.
    fn several_words(&self, tokens: &[Token<'_>], lower: &[&str]) -> Option<(Subject, usize)> {
        let counts = || (2..=MAX_WORDS.min(lower.len())).rev();
        if known::starts_name(lower.first()?) {
            let found = counts()
                .find_map(|count| Some((known::name_of_words(&lower[..count].join(" "))?, count)));
            if found.is_some() {
                return found;
            }
        }
        // "Django Debug Toolbar" of django-debug-toolbar.
        let capital = |token: &Token<'_>| token.text.starts_with(char::is_uppercase);
        counts()
            .filter(|count| {
                tokens.iter().take(*count).all(capital)
                    && !is_release_of_runtime(tokens, lower, *count)
            })
            .find_map(|count| {
                let joined = lower[..count].join("-");
                let package = self
                    .package(&joined, &joined)
                    .filter(|_| joined.len() <= MAX_NAME)?;
                Some((Subject::Package(package), count))
            })
    }

    /// Returns the name that starts with a dot, at the tokens behind it: `.NET`.
    pub(super) fn dotted<'a>(&self, tokens: &[Token<'a>]) -> Option<(Mention<'a>, usize)> {
        let first = tokens.first().filter(|token| token.kind == Kind::Word)?;
        if !first.text.eq_ignore_ascii_case("net") {
            return None;
        }
        let second = tokens.get(1).map_or("", |token| token.text);
        let (subject, used) = match second.to_ascii_lowercase().as_str() {
            "core" | "sdk" | "runtime" => (Subject::runtime("dotnet"), 2),
            "framework" => (Subject::tool(".net-framework"), 2),
            _ => (Subject::runtime("dotnet"), 1),
        };
        Some((
            Mention {
                text: first.text,
                subject,
                weak: false,
            },
            used,
        ))
    }

    /// Resolves one word.
    fn subject(&self, text: &str, word: &str) -> Option<Subject> {
        if let Some(package) = written_in_full(text, self.ecosystem) {
            return Some(Subject::Package(package));
        }
        match word {
            // Ordinary words, unless written as names are.
            "go" | "r" | "swift" | "rust" | "dart" | "julia" | "java" | "perl" | "ruby"
            | "elixir"
                if text == word =>
            {
                let common = matches!(word, "go" | "r" | "swift");
                return match self.package(text, word).filter(|_| common) {
                    Some(package) => Some(Subject::Package(package)),
                    None => (!common).then(|| Subject::runtime(word)),
                };
            }
            "net" | "py" | "otp" | "mri" | "jre" => return None,
            _ => {}
        }
        if subject::runtime_named(word).is_some() {
            return Some(Subject::runtime(word));
        }
        if STOP_WORDS.contains(word) {
            return None;
        }
        // PostgreSQL is the server, unless the text is about the ecosystem of its driver. Programs of scripting
        // languages are packages themselves.
        let is_driver = |package: &PackageName| {
            known::is_tool(word)
                && matches!(package.kind(), "cargo" | "golang" | "maven")
                && self.told != Some(package.kind())
        };
        if let Some(package) = self
            .package(text, word)
            .filter(|package| !is_driver(package))
        {
            return Some(Subject::Package(package));
        }
        if known::is_tool(word) {
            return Some(Subject::tool(word));
        }
        match Subject::os(word) {
            Subject::Os(name)
                if Subject::is_known_os(&name)
                    && !matches!(word, "mac" | "win" | "oracle" | "arch" | "rocky") =>
            {
                Some(Subject::Os(name))
            }
            _ => None,
        }
    }

    /// Asks the text, the built-in table and the vocabulary, which others write.
    fn package(&self, text: &str, word: &str) -> Option<PackageName> {
        if let Some(package) = self.local.get(word) {
            return Some(package.clone());
        }
        if let Some(package) = known::package(word, self.ecosystem) {
            return Some(package);
        }
        let of_vocabulary = |name: &str| self.vocabulary.package(name);
        of_vocabulary(text)
            .or_else(|| of_vocabulary(word).filter(|_| text != word))
            // Distributions name the language, too: python3-urllib3, perl-DBI.
            .or_else(|| {
                let (language, name) = word.split_once('-')?;
                matches!(language, "python" | "python3" | "perl" | "php")
                    .then(|| of_vocabulary(name))?
            })
    }

    /// Returns whether a name is that of a runtime or of a package that is known without the vocabulary.
    pub(super) fn is_built_in(&self, name: &str) -> bool {
        let word = name.to_lowercase();
        subject::runtime_named(&word).is_some()
            || !known::is_tool(&word) && known::package(&word, self.ecosystem).is_some()
    }

    /// Guesses the package of an unknown word directly before a version with `numbers` numbers, in a text whose
    /// ecosystem is known.
    pub(super) fn guess(&self, text: &str, numbers: usize) -> Option<PackageName> {
        let kind = self
            .told
            .filter(|kind| !matches!(*kind, "maven" | "composer" | "golang" | "nuget"))?;
        let joined = text.contains(['-', '_']) || text.ends_with(|c: char| c.is_ascii_digit());
        let plain = text.bytes().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.')
        });
        let word = text.to_lowercase();
        let enough = numbers >= if joined { 2 } else { 3 };
        let allowed = plain
            && enough
            && text.len() >= 3
            && !STOP_WORDS.contains(word.as_str())
            && !NO_PACKAGES.contains(word.as_str());
        if !allowed || known::is_tool(&word) || subject::runtime_named(&word).is_some() {
            return None;
        }
        PackageName::new(kind, None, text).ok()
    }
}

/// Returns whether a word is written as most packages are: in lower case, with digits and hyphens.
fn is_plain(text: &str) -> bool {
    text.len() > 1
        && text.len() <= MAX_NAME
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
}

/// Returns the package of a name in lower case in one ecosystem.
fn package_of_kind(word: &str, kind: &str) -> Option<PackageName> {
    known::package(word, Some(kind)).filter(|package| package.kind() == kind)
}

/// Returns whether a token is a version of three numbers, which is one whatever word precedes it.
fn is_release(token: &Token<'_>) -> bool {
    token.kind == Kind::Version
        && token.text.split('.').count() >= 3
        && token
            .text
            .starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'v' | 'V'))
}

/// Hosts of Go modules.
const GO_HOSTS: [&str; 19] = [
    "entgo.io",
    "github.com",
    "go.etcd.io",
    "go.mongodb.org",
    "go.opentelemetry.io",
    "go.temporal.io",
    "go.uber.org",
    "golang.org",
    "google.golang.org",
    "gopkg.in",
    "gorm.io",
    "gotest.tools",
    "helm.sh",
    "istio.io",
    "k8s.io",
    "modernc.org",
    "nhooyr.io",
    "sigs.k8s.io",
    "gitlab.com",
];

/// Reads names that say their ecosystem themselves.
pub(super) fn written_in_full(text: &str, ecosystem: Option<&str>) -> Option<PackageName> {
    if let Some((scope, name)) = text.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
        return PackageName::new("npm", Some(&format!("@{scope}")), name).ok();
    }
    if let Some((group, artifact)) = text.split_once(':').filter(|_| !text.contains("::")) {
        return PackageName::new("maven", Some(group), artifact)
            .ok()
            .filter(|_| group.contains('.'));
    }
    let (namespace, name) = text.rsplit_once('/')?;
    let (first, _) = text.split_once('/')?;
    if let Some((top, _)) = first.split_once('.') {
        // A group is a domain backwards: `io.netty/netty-handler`.
        if is_domain(top) && namespace == first {
            return PackageName::new("maven", Some(namespace), name).ok();
        }
        let of_go = GO_HOSTS.contains(&first) || text.starts_with("cloud.google.com/go/");
        return PackageName::new("golang", Some(namespace), name)
            .ok()
            .filter(|_| of_go);
    }
    ((ecosystem == Some("composer") || known::is_vendor(namespace)) && !namespace.contains('/'))
        .then(|| PackageName::new("composer", Some(namespace), name).ok())
        .flatten()
}

/// Returns whether a word is the last part of domains, which groups of Maven start with.
fn is_domain(word: &str) -> bool {
    const DOMAINS: [&str; 14] = [
        "ch", "cn", "com", "de", "dev", "eu", "fr", "in", "info", "io", "me", "net", "org", "sh",
    ];
    DOMAINS.contains(&word)
}

/// Removes "versions" from compounds: `Django-Versionen`.
fn without_noun(text: &str) -> &str {
    match text.rsplit_once('-') {
        Some((name, "Version" | "Versionen" | "version" | "versions" | "Releases")) => name,
        _ => text,
    }
}

/// Removes the article of French and Italian names: `l'application`, `d'Angular`.
fn without_elision(text: &str) -> &str {
    match text.split_once(['\'', '’']) {
        Some((article, rest)) if article.len() <= 2 && rest.len() > 2 => rest,
        _ => text,
    }
}

/// Returns whether a word in lower case is an ordinary one, and no name of a package.
pub(super) fn is_common(word: &str) -> bool {
    STOP_WORDS.contains(word)
}
