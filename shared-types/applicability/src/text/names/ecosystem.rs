//! The ecosystem that a text is about, from the runtimes, programs, files and languages that it names.

use std::{collections::HashMap, sync::LazyLock};

use super::super::tokens::{Kind, Token};
use crate::known;

/// Words that hint at an ecosystem, with their weight.
const HINTS: &[(&str, &str, u32)] = &[
    (
        "pypi",
        "python python2 python3 cpython pip pip3 pipenv poetry pypi virtualenv venv conda pytest \
         requirements.txt pyproject.toml setup.py py .py ipynb importerror modulenotfounderror attributeerror \
         traceback jupyter tox pyenv site-packages wheel egg uv",
        2,
    ),
    (
        "npm",
        "node nodejs node.js npm yarn pnpm package.json package-lock.json javascript typescript js ts jsx tsx \
         .js .ts npx webpack vite node_modules tsconfig.json es6 esm commonjs deno bun",
        2,
    ),
    (
        "maven",
        "java maven gradle mvn pom.xml build.gradle jdk jvm javac kotlin scala classpath jar junit \
         nosuchmethoderror noclassdeffounderror classnotfoundexception jenkins",
        2,
    ),
    (
        "cargo",
        " rust cargo rustc crates.io cargo.toml cargo.lock crate rustup clippy rustfmt borrowck ",
        2,
    ),
    ("golang", " golang go.mod go.sum gopath goroutine gofmt ", 2),
    (
        "gem",
        " ruby gem gems gemfile gemfile.lock bundler rubygems rake rspec irb rvm rbenv ",
        2,
    ),
    (
        "composer",
        " php composer composer.json composer.lock packagist artisan phpunit ",
        2,
    ),
    (
        "nuget",
        " nuget .net dotnet csharp csproj msbuild c# f# vb.net aspnet ",
        2,
    ),
    ("hex", " elixir erlang hex.pm mix.exs phoenix ", 2),
    ("pub", " dart flutter pubspec.yaml ", 2),
];

/// The place of the ecosystem and the weight, by word.
static WORDS: LazyLock<HashMap<&'static str, (usize, u32)>> = LazyLock::new(|| {
    let hints = |(index, (_, words, weight)): (usize, &(&str, &'static str, u32))| {
        let weight = *weight;
        words
            .split_whitespace()
            .map(move |word| (word, (index, weight)))
    };
    HINTS.iter().enumerate().flat_map(hints).collect()
});

/// Tags of code fences.
const FENCES: &[(&str, &str)] = &[
    ("py", "pypi"),
    ("python", "pypi"),
    ("js", "npm"),
    ("javascript", "npm"),
    ("jsx", "npm"),
    ("ts", "npm"),
    ("tsx", "npm"),
    ("typescript", "npm"),
    ("java", "maven"),
    ("kotlin", "maven"),
    ("scala", "maven"),
    ("groovy", "maven"),
    ("rust", "cargo"),
    ("rs", "cargo"),
    ("go", "golang"),
    ("ruby", "gem"),
    ("rb", "gem"),
    ("php", "composer"),
    ("csharp", "nuget"),
    ("cs", "nuget"),
    ("elixir", "hex"),
    ("dart", "pub"),
];

/// Counts of hints, by the place of the ecosystem.
type Counts = [u32; HINTS.len()];

/// Counts hints.
#[derive(Debug, Default)]
pub(in super::super) struct Hints {
    /// Hints by languages, programs and files.
    told: Counts,
    /// Names of packages that one ecosystem has.
    named: Counts,
}

impl Hints {
    /// Adds the hints of a text.
    pub(in super::super) fn read(&mut self, text: &str, tokens: &[Token<'_>]) {
        for token in tokens
            .iter()
            .filter(|token| token.kind == Kind::Word && token.text.len() <= 24)
        {
            let word = token.text.to_lowercase();
            if let Some((index, weight)) = WORDS.get(word.as_str()) {
                self.told[*index] += weight;
            }
            // "a sharp-like wrapper"
            let name = word.strip_suffix("-like").unwrap_or(&word);
            if let Some(kind) = known::ecosystem_of(name) {
                self.add_name(kind);
            }
            // The language's name is an English word.
            if token.text == "Go" {
                self.add("golang", 1);
            }
        }
        for line in text.lines() {
            self.read_line(line.trim());
        }
    }

    fn read_line(&mut self, line: &str) {
        // Tables are no prose, but name packages.
        if line.starts_with('|') {
            let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            let words = line.split(|c| !is_name(c)).filter(|word| word.len() <= 24);
            for kind in words.filter_map(|word| known::ecosystem_of(&word.to_lowercase())) {
                self.add_name(kind);
            }
        }
        if let Some(tag) = line.strip_prefix("```") {
            let tag = tag.trim().to_ascii_lowercase();
            if let Some((_, kind)) = FENCES.iter().find(|(name, _)| *name == tag) {
                self.add(kind, 3);
            }
        }
        let python = (line.starts_with("import ")
            || line.starts_with("from ") && line.contains(" import "))
            && !line.ends_with(';')
            && !line.contains(['"', '\'', '{']);
        if python || line.starts_with("def ") && line.ends_with(':') {
            self.add("pypi", 2);
        }
        if line.contains("require(")
            || line.starts_with("import ") && line.contains(" from ")
            || line.starts_with("const ")
        {
            self.add("npm", 2);
        }
        if line.starts_with("import ")
            && line.ends_with(';')
            && line.contains('.')
            && !line.contains(['"', '\''])
        {
            self.add("maven", 2);
        }
        if line.starts_with("use ") && line.contains("::") {
            self.add("cargo", 2);
        }
        if line.starts_with("using ") && line.ends_with(';') {
            self.add("nuget", 2);
        }
        if line.starts_with("require '") || line.starts_with("gem '") {
            self.add("gem", 2);
        }
    }

    /// Adds to one ecosystem: the type of a package that a text names in full, for example.
    pub(in super::super) fn add(&mut self, kind: &str, weight: u32) {
        if let Some(index) = HINTS.iter().position(|(name, ..)| *name == kind) {
            self.told[index] += weight;
        }
    }

    fn add_name(&mut self, kind: &str) {
        if let Some(index) = HINTS.iter().position(|(name, ..)| *name == kind) {
            self.named[index] += 1;
        }
    }

    /// Returns the ecosystem with the most hints; `None` if there are none, or two have as many.
    pub(in super::super) fn ecosystem(&self) -> Option<&'static str> {
        let mut all = self.told;
        for (count, named) in all.iter_mut().zip(self.named) {
            *count += named;
        }
        most(&all)
    }

    /// Returns the ecosystem with the most hints that are more than names of packages.
    pub(super) fn told(&self) -> Option<&'static str> {
        most(&self.told)
    }
}

/// Returns the ecosystem with the most hints; `None` if there are none, or two have as many.
fn most(counts: &Counts) -> Option<&'static str> {
    let best = *counts.iter().max()?;
    let mut with_most = counts
        .iter()
        .enumerate()
        .filter(|(_, hints)| **hints == best);
    let (index, _) = with_most.next()?;
    (best > 0 && with_most.next().is_none()).then_some(HINTS[index].0)
}
