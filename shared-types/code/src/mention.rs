//! The language that a question mentions.

use crate::tag::{Tag, of_tag};

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
