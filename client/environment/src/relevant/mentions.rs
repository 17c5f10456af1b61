//! What texts mention: words, dotted names, names in the syntax of packages, and paths.

use std::{collections::HashSet, sync::LazyLock};

use super::ordinary_words::{is_builtin, is_common};
use crate::{
    package::{Ecosystem, Package},
    pattern::Pattern,
};

/// How much is read of one text, from its begin and its end. *Unit*: bytes.
const MAX_TEXT: usize = 128 << 10;
/// The longest name.
const MAX_NAME: usize = 214;
/// The ends of names of hosts.
const DOMAINS: [&str; 7] = ["com", "org", "net", "io", "dev", "html", "local"];

/// The begins of the names of most Java packages, as in a path.
const CLASSES: [&str; 6] = ["com/", "org/", "io/", "net/", "javax/", "jakarta/"];

/// Patterns with a package in their first group, in the syntax of packages.
const SYNTAX: [&str; 20] = [
    // import x from 'NAME', require('NAME'), import 'NAME', import("NAME")
    r#"(?:\bfrom|\brequire|\bimport|\brequire_relative|\brequire_once)\s*\(?\s*['"]([^'"\s]+)['"]"#,
    // from NAME import x, import NAME, using NAME;
    r"(?m)^\s*(?:>>> |\d+ \| *)?(?:from|import|using|use)\s+(?:static\s+)?([A-Za-z_][\w.:\\]*)",
    r"\bextern crate ([a-z_]\w*)",
    r"\b([a-z_][a-z0-9_]*)::",
    // Messages of failed imports.
    r#"(?:[Nn]o module named|[Cc]annot find (?:module|package)|[Cc]an't resolve|cannot load such file --|[Cc]ould not find a declaration file for module)\s*['"`]?([^'"`\s,;]+)"#,
    r"(?:[Uu]nresolved import|use of undeclared (?:type|crate or module)|unresolved module or unlinked crate|can't find crate for|no required module provides package|cannot find package) [`']?([\w./:-]+)",
    // NAME==1.0, NAME>=1, NAME~=1
    r"([A-Za-z0-9][\w.-]*)(?:\[[\w,-]*\])?\s*(?:===?|~=|>=|<=|!=)\s*v?\d",
    // NAME@1.0, NAME@npm:1
    r"((?:@[a-z0-9~][\w.~-]*/)?[A-Za-z0-9][\w.-]*)@(?:npm:)?[\^~=]?v?\d",
    // "NAME": "^1.0"
    r#""([@\w./-]+)"\s*:\s*"[\^~>=<v]*\d"#,
    // NAME = "1.0", NAME = { version
    r#"(?m)^\s*([A-Za-z0-9][\w-]*)\s*=\s*(?:"[\^~=]?\d|\{\s*(?:version|workspace))"#,
    // NAME v1.0, NAME 1.0.0, NAME (1.0), NAME/1.0
    r"([A-Za-z0-9][\w.-]*)(?: v| |/|\s\()v?\d+\.\d+",
    // NAME-1.0.0.jar, NAME-1.0.0/src
    r"([A-Za-z0-9][\w.]*(?:-[A-Za-z][\w.]*)*)-v?\d+(?:\.\d+)+",
    // Paths of installed packages.
    r"node_modules[/\\](?:\.pnpm[/\\][^/\\\s]+[/\\]node_modules[/\\])?((?:@[\w.~-]+[/\\])?[\w.~-]+)",
    r"(?:site|dist)-packages[/\\]([A-Za-z0-9_]+)",
    r"\.nuget[/\\]packages[/\\]([\w.-]+)",
    r"\bvendor[/\\]([\w.-]+/[\w.-]+)/",
    // package `NAME`, crate NAME
    r#"\b(?:[Pp]ackage|[Cc]rate|[Gg]em|[Ll]ibrary|[Dd]ependency|[Pp]lugin|[Mm]odule) [`'"]([@\w./:-]+)[`'"]"#,
    // <PackageReference Include="NAME"
    r#"Include="([\w.-]+)""#,
    // gem 'NAME'
    r#"(?m)^\s*gem\s+['"]([\w-]+)['"]"#,
    // :NAME:1.0 of Gradle
    r"[\w.-]+:([\w.-]+):\d",
];
/// A command that installs packages; the rest of the line has their names.
const INSTALL: &str = r"\b(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|pdm|pipenv|cargo|go|gem|bundle|composer|dotnet)(?: pip| tool)? (?:install|i|add|remove|uninstall|update|upgrade|get|require|why|show|info|list|ls|exec|run)(?: package)? ([^\n;&|`]+)";
/// Names with a scope, a group, a path or a namespace.
const SCOPED: &str = r"@[a-z0-9~][a-z0-9._~-]*/[A-Za-z0-9._~-]+";
const GROUPED: &str = r"[A-Za-z][\w.-]*:[A-Za-z][\w.-]+";
const PATH: &str = r"[A-Za-z0-9][\w.-]*(?:/[\w.~-]+)+";
const NAMESPACE: &str = r"[A-Z]\w*(?:\\[A-Z]\w*)+";
/// Folders of repositories of Maven and Gradle: group, artifact.
const REPOSITORY: &str =
    r"(?:\.m2[/\\]repository|files-2\.1)[/\\]([\w./\\-]+?)[/\\]([\w.-]+)[/\\]\d[\w.-]*[/\\]";
const MODULES: &str = r"pkg[/\\]mod[/\\]([^@\s]+)@";

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| compiled(&SYNTAX));
static OTHERS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    compiled(&[
        INSTALL, SCOPED, GROUPED, PATH, NAMESPACE, REPOSITORY, MODULES,
    ])
});

fn compiled(patterns: &[&str]) -> Vec<Pattern> {
    patterns
        .iter()
        .map(|pattern| Pattern::new(pattern))
        .collect()
}

/// What texts mention; everything in lower case.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// Words, with dots and dashes in them.
    words: HashSet<String>,
    /// The begins of dotted names: `requests` and `requests.exceptions` of `requests.exceptions.Timeout`.
    dotted: HashSet<String>,
    /// Names in the syntax of packages.
    syntax: HashSet<String>,
    /// Scoped names, `group:artifact`, and the begins of paths and namespaces.
    long: HashSet<String>,
}

impl Mentions {
    pub(super) fn of(texts: &[&str]) -> Self {
        let mut mentions = Self::default();
        for text in texts {
            for part in parts(text) {
                mentions.add(part);
            }
        }
        mentions
    }

    fn add(&mut self, text: &str) {
        self.add_words(text);
        for found in PATTERNS.iter().flat_map(|pattern| pattern.groups(text)) {
            let name = found.get(1).filter(|name| name.len() <= MAX_NAME);
            name.iter().for_each(|name| self.add_syntax(name));
        }
        let [
            install,
            scoped,
            grouped,
            path,
            namespace,
            repository,
            modules,
        ] = &OTHERS[..]
        else {
            return;
        };
        for found in install.groups(text) {
            let names = found.last().copied().unwrap_or_default().split_whitespace();
            for name in names.filter(|name| !name.starts_with('-')) {
                let skip = usize::from(name.starts_with('@'));
                let is_end = |c: char| "@=<>~!:[;,\"'".contains(c);
                let end = name.get(skip..).and_then(|rest| rest.find(is_end));
                self.add_syntax(
                    name.get(..end.map_or(name.len(), |end| end + skip))
                        .unwrap_or(name),
                );
            }
        }
        for found in scoped.matches(text).chain(grouped.matches(text)) {
            self.long.insert(found.to_lowercase());
        }
        for found in path.matches(text) {
            let found = found.to_lowercase();
            // The JVM writes a class as `org/example/Class`.
            if CLASSES.iter().any(|begin| found.starts_with(begin)) {
                self.add_words(&found.replace('/', "."));
            }
            self.add_begins(&found, '/');
        }
        for found in namespace.matches(text) {
            self.add_begins(&found.to_lowercase(), '\\');
        }
        for found in repository.groups(text) {
            if let [_, group, artifact] = found[..] {
                let group = group.replace(['/', '\\'], ".");
                self.long
                    .insert(format!("{group}:{artifact}").to_lowercase());
            }
        }
        for found in modules.groups(text) {
            // A capital letter is written as `!` and the small one.
            let module = found.last().copied().unwrap_or_default().replace('!', "");
            self.add_begins(&module.to_lowercase(), '/');
        }
    }

    fn add_words(&mut self, text: &str) {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        for word in text.split(|c: char| !is_part(c)) {
            let word = word.trim_matches(['.', '-']);
            if word.is_empty() || word.len() > MAX_NAME {
                continue;
            }
            let word = word.to_lowercase();
            let is_host = word
                .rsplit_once('.')
                .is_some_and(|(_, end)| DOMAINS.contains(&end));
            for (at, _) in word.match_indices('.').filter(|_| !is_host) {
                let begin = word.get(..at).unwrap_or_default();
                if !self.dotted.contains(begin) {
                    self.dotted.insert(begin.to_owned());
                }
            }
            self.words.insert(word);
        }
    }

    /// Adds what a name in the syntax of packages may mean: `@scope/name/lib/x`, `a.b.c`, `a::b`.
    fn add_syntax(&mut self, name: &str) {
        let name = name.replace("\\", "/").to_lowercase();
        let name = name.trim_end_matches(['.', '/', ':', '-']);
        let count = if name.starts_with('@') { 2 } else { 1 };
        let parts: Vec<&str> = name.splitn(count + 1, '/').take(count).collect();
        self.syntax.insert(name.to_owned());
        self.syntax.insert(parts.join("/"));
        for separator in [".", "::"] {
            let mut begin = String::new();
            for part in name.split(separator).take(6) {
                begin.push_str(part);
                self.syntax.insert(begin.clone());
                begin.push_str(separator);
            }
        }
    }

    fn add_begins(&mut self, name: &str, separator: char) {
        for (at, _) in name.match_indices(separator).take(12) {
            self.long
                .insert(name.get(..at).unwrap_or_default().to_owned());
        }
        self.long.insert(name.to_owned());
    }

    /// Goes through everything that is mentioned.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let all = [&self.words, &self.dotted, &self.syntax, &self.long];
        all.into_iter().flatten().map(String::as_str)
    }

    /// Returns how a name is mentioned. A common word counts only in the syntax of packages.
    pub(super) fn of_name(&self, name: &str) -> Option<How> {
        let has = |all: &HashSet<String>| {
            all.contains(name) || (name.contains('-') && all.contains(&name.replace('-', "_")))
        };
        if has(&self.syntax) {
            return Some(How::Syntax);
        }
        // A dotted name of a standard module is none of a package.
        if has(&self.dotted) && !is_builtin(name) {
            return Some(How::Word);
        }
        (has(&self.words) && !is_common(name)).then_some(How::Word)
    }

    /// Returns whether a scoped name, a path or a namespace, or the begin of one, is mentioned.
    pub(super) fn has_long(&self, name: &str) -> bool {
        self.long.contains(name) || self.syntax.contains(name)
    }

    /// Returns whether a dotted name, or one that begins with it, is mentioned.
    pub(super) fn has_dotted(&self, name: &str) -> bool {
        self.dotted.contains(name) || self.words.contains(name) && name.contains('.')
    }

    /// Returns the dotted names that begin with another one.
    pub(super) fn below<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let all = self.words.iter().chain(&self.dotted);
        all.filter_map(move |word| word.strip_prefix(name)?.strip_prefix('.'))
    }

    /// Returns how a package is mentioned by its own name.
    pub(super) fn of_package(&self, package: &Package) -> Option<How> {
        let name = package.name.to_lowercase();
        match package.ecosystem {
            Ecosystem::Npm if name.starts_with('@') => self.has_long(&name).then_some(How::Syntax),
            Ecosystem::Npm | Ecosystem::Gem => self.of_name(&name),
            Ecosystem::Pypi | Ecosystem::Cargo => {
                self.of_name(&package.ecosystem.normalized(&name))
            }
            Ecosystem::Nuget => self.of_name(&name),
            Ecosystem::Composer => self.has_long(&name).then_some(How::Syntax),
            Ecosystem::Golang => self.of_module(&name),
            Ecosystem::Maven => {
                if self.has_long(&name) {
                    return Some(How::Syntax);
                }
                let (_, artifact) = name.split_once(':')?;
                // `org.gradle.plugin:org.gradle.plugin.gradle.plugin` is named by its id.
                match artifact.strip_suffix(".gradle.plugin") {
                    Some(id) => self.has_dotted(id).then_some(How::Word),
                    None => self.of_name(artifact),
                }
            }
        }
    }

    fn of_module(&self, name: &str) -> Option<How> {
        if self.has_long(name) {
            return Some(How::Syntax);
        }
        let mut parts = name.rsplit('/');
        let last = parts.next()?;
        let digits = last.strip_prefix('v').unwrap_or_default();
        let is_version = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        let last = if is_version { parts.next()? } else { last };
        self.of_name(last)
    }
}

/// How something is mentioned, the clearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    Syntax,
    Word,
}

/// Returns a text, or of a long one its begin and its end.
fn parts(text: &str) -> Vec<&str> {
    if text.len() <= 2 * MAX_TEXT {
        return vec![text];
    }
    let end = text.floor_char_boundary(MAX_TEXT);
    let begin = text.ceil_char_boundary(text.len() - MAX_TEXT);
    [text.get(..end), text.get(begin..)]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns every pattern.
#[cfg(test)]
pub(super) fn patterns() -> impl Iterator<Item = &'static Pattern> {
    PATTERNS.iter().chain(OTHERS.iter())
}
