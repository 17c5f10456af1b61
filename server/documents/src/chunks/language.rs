//! The language of an example: from its fence's tag, else guessed from its text if that is certain.

use std::borrow::Cow;

/// The meaning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// A language, by its usual name.
    Named(&'static str),
    /// Not code: output, a drawing.
    Text,
    /// Unknown.
    Unknown,
}

/// The usual names, each with its aliases.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("asm", &["assembly", "nasm", "x86asm"]),
    (
        "bash",
        &[
            "sh",
            "shell",
            "console",
            "zsh",
            "shell-session",
            "shellsession",
            "sh-session",
            "shellscript",
            "terminal",
            "bash-session",
            "fish",
            "commandline",
        ],
    ),
    ("bat", &["batch", "cmd", "dosbatch", "doscon"]),
    ("c", &["h"]),
    ("clojure", &["clj"]),
    ("cmake", &[]),
    ("cpp", &["c++", "cc", "cxx", "hpp", "cplusplus"]),
    ("csharp", &["c#", "cs"]),
    ("css", &[]),
    ("dart", &[]),
    ("diff", &["patch", "udiff"]),
    ("dockerfile", &["docker"]),
    ("elixir", &["ex", "exs", "iex"]),
    ("erlang", &["erl"]),
    ("fsharp", &["f#", "fs"]),
    ("go", &["golang"]),
    ("graphql", &["gql"]),
    ("groovy", &["gradle"]),
    ("haskell", &["hs"]),
    ("hcl", &["terraform", "tf"]),
    ("html", &["htm", "xhtml"]),
    ("http", &["https"]),
    ("ini", &["cfg", "conf", "properties", "dosini"]),
    ("java", &[]),
    (
        "javascript",
        &["js", "jsx", "node", "mjs", "cjs", "javascript+jinja"],
    ),
    ("json", &["json5", "jsonc", "jsonl", "ndjson"]),
    ("julia", &["jl"]),
    ("kotlin", &["kt", "kts"]),
    ("latex", &["tex"]),
    ("lua", &[]),
    ("makefile", &["make", "mk"]),
    ("markdown", &["md", "mdx"]),
    ("nginx", &[]),
    ("nix", &[]),
    ("objectivec", &["objc", "objective-c"]),
    ("ocaml", &["ml"]),
    ("perl", &["pl"]),
    ("php", &[]),
    ("powershell", &["ps1", "pwsh", "ps"]),
    ("protobuf", &["proto"]),
    (
        "python",
        &[
            "py",
            "python3",
            "py3",
            "pycon",
            "python-repl",
            "ipython",
            "ipython3",
            "pyi",
            "pycon3",
            "python2",
            "default3",
        ],
    ),
    ("r", &["rlang"]),
    ("ruby", &["rb", "irb", "erb"]),
    (
        "rust",
        &[
            "rs",
            "ignore",
            "no_run",
            "should_panic",
            "compile_fail",
            "edition2015",
            "edition2018",
            "edition2021",
            "edition2024",
            "standalone_crate",
        ],
    ),
    ("scala", &["sbt"]),
    ("scss", &["sass", "less"]),
    (
        "sql",
        &[
            "mysql",
            "postgresql",
            "postgres",
            "psql",
            "sqlite",
            "plsql",
            "sqlite3",
        ],
    ),
    ("svelte", &[]),
    ("swift", &[]),
    ("toml", &[]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("vim", &["viml", "vimscript"]),
    ("vue", &[]),
    ("wasm", &["wat", "wast"]),
    ("xml", &["svg", "xsd", "plist"]),
    ("yaml", &["yml"]),
    ("zig", &[]),
];

const TEXT: &[&str] = &[
    "text",
    "txt",
    "plain",
    "plaintext",
    "none",
    "output",
    "nohighlight",
    "no-highlight",
    "ascii",
    "mermaid",
    "tree",
    "log",
    "plantuml",
    "dot",
    "math",
    "grammar",
    "ebnf",
    "bnf",
    "abnf",
    "productionlist",
];

/// Returns the usual names of the languages, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(name, _)| *name)
}

/// Returns the usual name of the language of a fence's tag; `None` if it is not code or unknown.
pub fn of_fence(tag: &str) -> Option<&'static str> {
    match of_tag(tag) {
        Tag::Named(name) => Some(name),
        Tag::Text | Tag::Unknown => None,
    }
}

/// Parses a fence's tag: `rust,ignore`, `{.python}`, `js {1,3}`, `{code-block} python`.
pub(super) fn of_tag(tag: &str) -> Tag {
    let lower = tag.to_ascii_lowercase();
    let words = lower.split([',', ' ', '\t', '{', '}', '=', ':', ';']);
    for word in words {
        let word = word
            .trim_start_matches(['.', '%'])
            .trim_start_matches("language-");
        match word {
            "" | "code-block" | "code" | "code-cell" | "sourcecode" | "doctest" => continue,
            _ if TEXT.contains(&word) => return Tag::Text,
            _ => {}
        }
        let known = LANGUAGES
            .iter()
            .find(|(name, tags)| *name == word || tags.contains(&word));
        return known.map_or(Tag::Unknown, |(name, _)| Tag::Named(name));
    }
    Tag::Unknown
}

/// Names that are also ordinary words: they count as a language only after "in".
const ALSO_WORDS: &[&str] = &[
    "asm",
    "bat",
    "batch",
    "c",
    "cmd",
    "conf",
    "dart",
    "default3",
    "diff",
    "docker",
    "ex",
    "fish",
    "go",
    "gradle",
    "h",
    "html",
    "http",
    "https",
    "ignore",
    "ini",
    "json",
    "less",
    "make",
    "markdown",
    "ml",
    "nginx",
    "nix",
    "node",
    "patch",
    "perl",
    "postgres",
    "postgresql",
    "properties",
    "ps",
    "r",
    "rest",
    "shell",
    "sqlite",
    "swift",
    "terminal",
    "tex",
    "vue",
    "xml",
    "yaml",
    "zig",
];

/// A language that is mentioned in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedLanguage {
    /// The usual name.
    pub name: &'static str,
    /// Whether only this language is wanted, as in `iterators in rust`; otherwise it may be the subject, as in
    /// `python bindings`.
    pub only: bool,
}

/// Returns the language that a sentence mentions: the one after `in`, else the first one.
pub fn named_in(sentence: &str) -> Option<AskedLanguage> {
    let lower = sentence.to_lowercase();
    let is_between = |c: char| !c.is_alphanumeric() && c != '+' && c != '#';
    let (mut before, mut first) = ("", None);
    for word in lower.split(is_between).filter(|word| !word.is_empty()) {
        let only = before == "in";
        let is_plain = word.len() > 2 && !ALSO_WORDS.contains(&word);
        if (is_plain || only)
            && let Tag::Named(name) = of_tag(word)
        {
            let mentioned = AskedLanguage { name, only };
            if only {
                return Some(mentioned);
            }
            first = first.or(Some(mentioned));
        }
        before = word;
    }
    first
}

/// Commands by which a line is recognized as a shell command even without a prompt.
const COMMANDS: &[&str] = &[
    "cargo ",
    "npm ",
    "npx ",
    "pnpm ",
    "yarn ",
    "pip ",
    "pip3 ",
    "git ",
    "docker ",
    "curl ",
    "sudo ",
    "apt ",
    "apt-get ",
    "brew ",
    "rustup ",
    "kubectl ",
    "wget ",
    "python -m ",
    "go get ",
    "go install ",
    "uv ",
    "make ",
];

/// Returns the language of a text if it can be recognized with certainty.
pub(super) fn guess(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let line = text.lines().next()?.trim_end();
    let has = |it: &str| text.contains(it);
    let lines_start = |it: &[&str]| {
        text.lines()
            .any(|line| it.iter().any(|it| line.starts_with(it)))
    };
    let found = if let Some(found) = guess_by_line(line, text) {
        found
    } else if text.starts_with(['{', '[']) && is_json(text) {
        "json"
    } else if lines_start(&["#include <", "#include \""]) {
        if has("std::") || has("class ") {
            "cpp"
        } else {
            "c"
        }
    } else if lines_start(&["package "]) && has("func ") {
        "go"
    } else if is_rust(text) {
        "rust"
    } else if (lines_start(&["def ", "class ", "async def "]) && has("):"))
        || has("__main__")
        || (lines_start(&["from "]) && has(" import ") && !has(";"))
    {
        "python"
    } else if has("public static void ") || (has("public class ") && has("{")) {
        "java"
    } else if has("console.log(") || (has(" = require(") && has("const ")) {
        "javascript"
    } else if lines_start(&["SELECT ", "INSERT INTO ", "CREATE TABLE ", "UPDATE "]) {
        "sql"
    } else if lines_start(&["[dependencies", "[package]", "[profile."]) {
        "toml"
    } else if COMMANDS.iter().any(|it| line.starts_with(it)) && !line.ends_with(['.', ':']) {
        "bash"
    } else {
        return None;
    };
    Some(found)
}

fn guess_by_line(line: &str, text: &str) -> Option<&'static str> {
    let found = if line.starts_with(">>> ") || line.starts_with("In [") {
        "python"
    } else if line.starts_with("$ ")
        || line.starts_with("#!/bin/")
        || line.starts_with("#!/usr/bin/env bash")
    {
        "bash"
    } else if line.starts_with("<?php") {
        "php"
    } else if line.starts_with("<?xml") {
        "xml"
    } else if line.to_ascii_lowercase().starts_with("<!doctype html") || line.starts_with("<html") {
        "html"
    } else if line.starts_with("diff --git ")
        || (line.starts_with("--- ") && text.contains("\n+++ "))
    {
        "diff"
    } else {
        return None;
    };
    Some(found)
}

fn is_rust(text: &str) -> bool {
    let strong = [
        "fn main()",
        "let mut ",
        "#[derive(",
        "impl ",
        "pub fn ",
        "#![",
        "use std::",
    ];
    let signs = strong.iter().filter(|it| text.contains(**it)).count();
    signs >= 2
        || (text.contains("fn main()") && text.contains('{'))
        || (signs == 1 && text.contains("::") && text.contains(';'))
}

fn is_json(text: &str) -> bool {
    const MAX: usize = 256 * 1024;
    text.len() <= MAX && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Returns an example as rustdoc displays it: without the lines starting with `# `, which only make it compile.
pub(super) fn visible<'a>(language: Option<&str>, text: &'a str) -> Cow<'a, str> {
    let hidden = |line: &str| {
        let line = line.trim_start();
        line == "#" || line.starts_with("# ")
    };
    if language != Some("rust") || !text.lines().any(hidden) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.lines().filter(|it| !hidden(it)).collect();
    let shown = lines.join("\n");
    if shown.trim().is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(shown)
}
